"""The parts of a file as data: comment syntax, declarations and their outline."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CommentSyntax:
    """The way a language writes comments. line: prefixes; block: (opening, closing) pairs."""

    line: tuple[str, ...] = ()
    block: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Declaration:
    """A function, method, class, type, key with a block, section or the like.

    Lines are 0-based and half-open. start_line: first line with the comments, decorators, attributes
    and annotations that belong to it; header_line: where the declaration itself starts; body_line:
    first line behind the header (a multi-line signature belongs to the header), end_line: one behind
    its last line. kind: one of function, class, block, import, value, section. parent: index of the
    enclosing declaration in `Outline.declarations`, or -1. name: without parameters, "" where it has none.
    signature: header text, white space folded.
    """

    kind: str
    name: str
    start_line: int
    header_line: int
    body_line: int
    end_line: int
    parent: int
    depth: int
    signature: str


@dataclass(frozen=True, slots=True)
class Outline:
    """The declarations of a text in order of their first lines (a parent before its children).

    language: the grammar's name, or "" where there is none. num_errors: parse errors (ERROR and
    missing nodes). is_complete: False where the time budget ran out and only part was read.
    """

    language: str
    declarations: tuple[Declaration, ...]
    num_errors: int = 0
    is_complete: bool = True


@dataclass(slots=True)
class Found:
    """A `Declaration` in the making: its neighbours may still move its first and last line."""

    kind: str
    name: str
    start_line: int
    header_line: int
    body_line: int
    end_line: int
    parent: int
    signature: str
