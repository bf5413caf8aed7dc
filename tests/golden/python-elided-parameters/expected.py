class Report:
    """Collects figures and writes them down."""

    def __init__(self, title, author, *, width=80, height=24, margin=2, footer=""):
        self.title = title
        self.author = author
        self.width = width
        self.height = height
        self.margin = margin
        self.footer = footer
        self.rows = []

    def add(self, label, value):
        self.rows.append((label, value))

    def draw(self, stream):
        for label, value in self.rows:
            stream.write(f"{label:<{self.width - self.margin}}{value}\n")
        stream.write(self.footer)
