"""The declarations of an assistant's snippet, which is rarely a whole file.

A method may come without its class, indented as it was there, cut off at the end. So the snippet is
read with several openings before it, each closed again as far as its brackets are open, and the
reading with the fewest parse errors counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from fastedit.lines import indent_of
from fastedit.syntax.lexing import closing_brackets
from fastedit.syntax.model import Declaration, Outline
from fastedit.syntax.reading import read

SNIPPET_BUDGET_S = 0.25
# A long snippet that the grammar stumbles over isn't worth ten more readings of all of it. Counted in characters:
# how busy the machine is must not decide what a snippet is taken for.
_MIN_FRAMED = 6_000
_MAX_FRAMES = 3

# What may stand before a snippet, by language; a `|` parts it from what must follow the brackets that close it.
# The declarations of such a frame are no part of the outline.
_ECMA = ("class X {", "const x = {", "class X { x() {", "switch (x) {")
_FRAMES: dict[str, tuple[str, ...]] = {
    "javascript": _ECMA,
    "typescript": (*_ECMA, "interface X {"),
    "tsx": (*_ECMA, "interface X {"),
    "java": ("class X {", "interface X {", "enum X { X;", "class X { void x() {", "class X { void x() { switch (x) {"),
    "csharp": (
        "class X {",
        "interface X {",
        "namespace X {",
        "class X { void X() {",
        "class X { void X() { switch (x) {",
    ),
    "kotlin": ("class X {", "enum class X { X;", "class X { fun x() {"),
    "scala": ("class X {", "object X {"),
    "swift": ("class X {", "protocol X {", "enum X {", "class X { func x() {"),
    "php": ("<?php", "<?php class X {", "<?php interface X {", "<?php class X { function x() {"),
    "rust": ("impl X {", "trait X {", "struct X {", "enum X {", "fn x() {", "impl X { fn x() {", "fn x() { match x {"),
    "cpp": ("class X {|;", "namespace X {", "void x() {", "void x() { switch (x) {", "enum X {|;"),
    "c": ("struct x {|;", "void x() {", "void x() { switch (x) {", "enum x {|;"),
    "go": ("type X struct {", "type X interface {", "func x() {", "func x() { switch x {", "import (", "const ("),
    "ruby": ("class X|end", "class X; def x|end end"),
    "elixir": ("defmodule X do|end",),
    "lua": ("local x = {", "function x()|end"),
    "json": ("{", "["),
    "css": ("x {", "@media x {"),
    "vue": ("<script lang=ts>|</script>", "<style>|</style>"),
    "svelte": ("<script lang=ts>|</script>", "<style>|</style>"),
    "html": ("<script>|</script>", "<style>|</style>"),
    "hcl": ("x {",),
}
# What opens code where it stands in other text: a snippet without it is code all the same, not that text.
_OPENINGS = {"php": "<?"}
# What makes a cut-off header whole, behind the brackets that close it.
_HEADER_ENDS = {"python": ": pass", "ruby": "\nend"}
# What may follow a last comma, where the grammar wants something there.
_FILLERS = {("json", "}"): '"_": 0', ("json", "]"): "0"}


def snippet_outline(
    lines: Sequence[str], language: str, *, budget_s: float = SNIPPET_BUDGET_S, is_framed: bool = True
) -> Outline:
    """The declarations of a snippet; their lines are those of `lines` (without line ends).

    is_framed: whether it may be members of something that it doesn't show.
    num_errors: of the best reading, so much as the snippet alone has to answer for.
    """
    text = "\n".join(_dedented(lines))
    best = read(text, language, budget_s=budget_s)
    if not best.language or not best.is_complete:
        return best
    if _OPENINGS.get(language, "") not in text:
        best = replace(best, num_errors=len(lines) + 1)
    num_frames = _MAX_FRAMES + _MIN_FRAMED // max(1, len(text))
    frames = _frames(text, language, _FRAMES.get(language, ()) if is_framed else ())
    for opening, closing in islice(frames, num_frames):
        if _badness(best) == (0, False):
            break
        framed = f"{opening}\n{text}{closing}" if opening else text + closing
        found = read(framed, language, budget_s=budget_s)
        found = _without_frame(found, int(bool(opening)), len(lines))
        if found.is_complete and _badness(found) < _badness(best):
            best = found
    return best


def _badness(found: Outline) -> tuple[int, bool]:
    """The key that the best reading has the least of: parse errors first; then whether it declares nothing."""
    return found.num_errors, not found.declarations


def _dedented(lines: Sequence[str]) -> list[str]:
    """The lines without the indentation that all of them share."""
    indents = [indent_of(line) for line in lines if line.strip()]
    shared = min(indents, key=len, default="")
    while not all(indent.startswith(shared) for indent in indents):
        shared = shared[:-1]
    return [line[len(shared) :] if line.strip() else "" for line in lines]


def _frames(text: str, language: str, frames: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yields texts to put before and behind the snippet, the likeliest first."""
    for frame in ("", *_header_ends(language), *frames):
        opening, _, tail = frame.partition("|")
        closing = closing_brackets(f"{opening}\n{text}", language)
        if closing and text.rstrip().endswith(","):
            closing = _FILLERS.get((language, closing[0]), "") + closing
        closing = "\n" + closing + tail if closing or tail else ""
        if opening or closing:
            yield opening, closing


def _header_ends(language: str) -> Iterator[str]:
    """The frame that only ends a header, where the language has one."""
    if language in _HEADER_ENDS:
        yield "|" + _HEADER_ENDS[language]


def _without_frame(framed: Outline, num_lines_before: int, num_lines: int) -> Outline:
    """The outline with the frame's own declarations and lines taken out."""
    new_index: dict[int, int] = {-1: -1}
    kept: list[Declaration] = []
    for index, declaration in enumerate(framed.declarations):
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
    return replace(framed, declarations=tuple(kept))
