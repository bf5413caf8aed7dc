"""The declarations of an assistant's snippet, which is rarely a whole file.

A method may come without its class, indented as it was there, cut off at the end. So the snippet is
read with several openings before it, each closed again as far as its brackets are open, and the
reading with the fewest parse errors counts.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from fastedit.lines import indent_of
from fastedit.syntax.lexing import closing_brackets
from fastedit.syntax.model import Declaration, Outline
from fastedit.syntax.outline import outline

SNIPPET_BUDGET_S = 0.25

_MEMBERS = ("class _ {", "class _ { _() {")
_ECMA = ("class _ {", "const _ = {", "interface _ {", "class _ { _() {")
# What may stand before a snippet, by language; its declarations are no part of the outline.
_OPENINGS: dict[str, tuple[str, ...]] = {
    "javascript": ("class _ {", "const _ = {", "class _ { _() {"),
    "typescript": _ECMA,
    "tsx": _ECMA,
    "java": ("class _ {", "interface _ {", "enum _ { _;", "class _ { void _() {"),
    "csharp": ("class _ {", "interface _ {", "namespace _ {", "class _ { void _() {"),
    "kotlin": ("class _ {", "enum class _ { _;", "class _ { fun _() {"),
    "scala": ("class _ {",),
    "swift": ("class _ {", "protocol _ {", "enum _ {"),
    "php": ("<?php", "<?php class _ {", "<?php interface _ {", "<?php class _ { function _() {"),
    "rust": ("impl _ {", "trait _ {", "struct _ {", "enum _ {", "fn _() {"),
    "cpp": ("class _ {", "namespace _ {", "void _() {"),
    "c": ("struct _ {", "void _() {"),
    "go": ("type _ struct {", "type _ interface {", "func _() {", "import (", "const ("),
    "ruby": ("class _",),
    "json": ("{", "["),
    "css": ("_ {",),
    "scss": ("_ {",),
    "vue": ("<script lang=ts>", "<style>"),
    "svelte": ("<script lang=ts>", "<style>"),
    "html": ("<script>", "<style>"),
    "hcl": ("_ {",),
}
# What may follow a last comma, where the grammar wants something there.
_FILLERS = {("json", "}"): '"_": 0', ("json", "]"): "0"}


def snippet_outline(lines: Sequence[str], language: str, *, budget_s: float = SNIPPET_BUDGET_S) -> Outline:
    """The declarations of a snippet; their lines are those of `lines` (without line ends).

    num_errors: of the best reading, so much as the snippet alone has to answer for.
    """
    deadline = time.monotonic() + budget_s
    text = "\n".join(_dedented(lines))
    best = outline(text, language, budget_s=budget_s)
    if not best.language:
        return best
    for opening, closing in _frames(text, language):
        if _badness(best) == (0, False) or time.monotonic() > deadline:
            break
        framed = f"{opening}\n{text}{closing}" if opening else text + closing
        read = outline(framed, language, budget_s=deadline - time.monotonic())
        read = _without_frame(read, int(bool(opening)), len(lines))
        if read.is_complete and _badness(read) < _badness(best):
            best = read
    return best


def _badness(read: Outline) -> tuple[int, bool]:
    """Parse errors first; then rather a reading that declares something."""
    return read.num_errors, not read.declarations


def _dedented(lines: Sequence[str]) -> list[str]:
    """The lines without the indentation that all of them share."""
    indents = [indent_of(line) for line in lines if line.strip()]
    shared = min(indents, key=len, default="")
    while not all(indent.startswith(shared) for indent in indents):
        shared = shared[:-1]
    return [line[len(shared) :] if line.strip() else "" for line in lines]


def _frames(text: str, language: str) -> Iterator[tuple[str, str]]:
    """What to put before and behind the snippet, the likeliest first."""
    for opening in ("", *_OPENINGS.get(language, ())):
        closing = closing_brackets(f"{opening}\n{text}", language)
        if closing and text.rstrip().endswith(","):
            closing = _FILLERS.get((language, closing[0]), "") + closing
        closing = closing and "\n" + closing
        if opening or closing:
            yield opening, closing


def _without_frame(read: Outline, num_lines_before: int, num_lines: int) -> Outline:
    """The outline with the frame's own declarations and lines taken out."""
    new_index: dict[int, int] = {-1: -1}
    kept: list[Declaration] = []
    for index, declaration in enumerate(read.declarations):
        parent = new_index[declaration.parent]
        if declaration.header_line < num_lines_before or declaration.header_line >= num_lines + num_lines_before:
            new_index[index] = parent
            continue
        new_index[index] = len(kept)
        end_line = min(declaration.end_line - num_lines_before, num_lines)
        kept.append(
            replace(
                declaration,
                start_line=max(0, declaration.start_line - num_lines_before),
                header_line=declaration.header_line - num_lines_before,
                body_line=min(declaration.body_line - num_lines_before, end_line),
                end_line=end_line,
                parent=parent,
                depth=kept[parent].depth + 1 if parent >= 0 else 0,
            )
        )
    return replace(read, declarations=tuple(kept))
