public class Renderer {
  private final Canvas canvas;

  public void draw(Scene scene) {
    for (Shape shape : scene.shapes()) {
      paint(shape, scene.light());
    }
    canvas.flush();
  }

  private int width() {
    return canvas.width();
  }

  private void paint(Shape shape, Light light) {
    Colour colour = light.on(shape.colour());
    canvas.fill(shape.outline(), colour);
    canvas.stroke(shape.outline());
  }

  private int height() {
    return canvas.height();
  }
}
