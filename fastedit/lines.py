"""The one place that splits text into lines and takes indentation apart.

Lines end at `\\n` alone and keep their `\\r`: `str.splitlines` also splits at form feeds and Unicode
separators, so its line numbers would disagree with tree-sitter's.
"""

from __future__ import annotations


def split_lines(text: str) -> list[str]:
    """The lines of `text` with their ends, so that `"".join(split_lines(text)) == text`.

    The last line has no `\\n` where the text doesn't end in one; an empty text has no lines.
    """
    lines = text.split("\n")
    last = lines.pop()
    ended = [line + "\n" for line in lines]
    if last:
        ended.append(last)
    return ended


def body(line: str) -> str:
    """The line without its end (`\\n` or `\\r\\n`)."""
    if line.endswith("\r\n"):
        return line[:-2]
    return line[:-1] if line.endswith("\n") else line


def ending(line: str) -> str:
    """The end of the line: `"\\r\\n"`, `"\\n"` or `""`."""
    if line.endswith("\r\n"):
        return "\r\n"
    return "\n" if line.endswith("\n") else ""


def indent_of(line: str) -> str:
    """The leading blanks and tabs of a line."""
    return line[: len(line) - len(line.lstrip(" \t"))]
