"""Reports as text."""

import sys

USAGE = """usage: report FILE
"""


class Report:
    def __init__(self, rows):
        self.rows = rows

    def head(self, title):
        text = f"""
{title}
======
"""
        if not self.rows:
            text += """
nothing to tell
"""
        return text

    def body(self):
        lines = []
        for row in self.rows:
            lines.append(f"""
- {row.name}
  {row.value}
""")
        return "".join(lines)

    def foot(self):
        return """
end
"""


def main(argv):
    if len(argv) < 2:
        sys.exit(USAGE)
    return 0
