package com.example.shop;

import java.util.List;
import static java.lang.Math.*;

/**
 * A shop.
 */
@Entity
@Table(name = "shop")
public class Shop<T> extends Base implements Closeable {
    private static final int LIMIT = 10;
    private final List<String> items;

    static {
        init();
    }

    public Shop(
        List<String> items
    ) {
        this.items = items;
    }

    // closes
    @Override
    public void close() throws IOException {
        Runnable r = () -> {
            run();
        };
        int local = 1;
    }

    abstract int size();

    enum Color { RED, GREEN; int f() { return 1; } }

    interface Visitor<R> {
        R visit(Shop shop);
        default void leave() {
        }
    }

    record Point(int x, int y) {
        Point {
            check(x);
        }
    }

    @interface Marker {
        String value() default "";
    }
}
