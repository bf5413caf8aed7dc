"""A lazy edit that can be read in several ways, whatever the alignment was fitted to."""

from __future__ import annotations

import fastedit

ORIGINAL = """\
def area(width, height):
    return width * height


def name():
    return 'shape'


def other():
    return 'shape'
"""
EDIT = "# ... existing code ...\n    return 'solid'\n# ... existing code ...\n"
PATCH = "<<<<<<< SEARCH\n    return width * height\n=======\n    return height * width\n>>>>>>> REPLACE\n"


def reading(number: int, edit: str = EDIT, path: str = "shapes.py", instruction: str | None = None) -> str:
    """The file as one of the edit's readings makes it."""
    applied = fastedit.apply(ORIGINAL, edit, path=path, instruction=instruction, mode="structural", choose=number)
    return applied.text
