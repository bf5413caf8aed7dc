"""A lazy edit's snippets against the original: prepared, aligned one after the other, joined to one alignment."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fastedit.anchor.hints import Hints, hints_of
from fastedit.anchor.lazy import LazyAligner
from fastedit.anchor.model import Alignment, Problem, Segment, SegmentKind
from fastedit.anchor.problems import problems_of
from fastedit.anchor.reading import read_lines
from fastedit.anchor.remarks import MARKUP
from fastedit.anchor.text import LineTable, columns_of
from fastedit.anchor.units import UnitTree
from fastedit.anchor.whole import align_whole, is_whole
from fastedit.edits.lazy import LineKind, SnippetLine
from fastedit.edits.model import Snippet
from fastedit.errors import Code, EditUnreadable
from fastedit.lines import indent_of
from fastedit.syntax import comment_syntax, outline, snippet_outline
from fastedit.syntax.model import Outline

MAX_DEPTH = 100
_ELIDED = (LineKind.MARKER, LineKind.REMOVAL)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of an intermediate text. origin: its line in the original, None for one that came in."""

    text: str
    origin: int | None
    certainty: float = 1.0
    reason: str = ""


def align_snippets(
    lines: list[str], snippets: tuple[Snippet, ...], language: str, message: str, found: Outline
) -> Alignment:
    """Where the snippets' lines belong in the original.

    lines: the original's, without line ends; found: its outline. Each snippet is aligned with what the
    ones before it made.
    """
    if len(snippets) == 1 and is_whole(lines, snippets[0]):
        return align_whole(lines, snippets)
    hints = hints_of(message)
    if len(snippets) == 1:
        only, doubts = _align_one(lines, snippets[0], language, hints, found)
        return Alignment(tuple(only), tuple(doubts))
    current = [_Line(text, number) for number, text in enumerate(lines)]
    deleted: dict[int, tuple[float, str]] = {}
    problems: list[Problem] = []
    for snippet in snippets:
        texts = [line.text for line in current]
        known = found if texts == lines else outline("\n".join(texts), language)
        segments, doubts = _align_one(texts, snippet, language, hints, known)
        problems += doubts
        current = _applied(current, segments, deleted)
    return Alignment(tuple(_segments(current, len(lines), deleted)), tuple(problems))


def _align_one(
    lines: list[str], snippet: Snippet, language: str, hints: Hints, found: Outline
) -> tuple[list[Segment], list[Problem]]:
    table = LineTable(lines, language)
    original = UnitTree(table, found)
    shown = read_lines(snippet.lines, original, language)
    _refuse_depth(shown)
    aligner = LazyAligner(_snippet_tree(shown, language), original, hints)
    segments = aligner.run().segments(lines)
    return segments, problems_of(aligner.findings, snippet, table)


def _refuse_depth(shown: list[SnippetLine]) -> None:
    """EditUnreadable for a snippet that is nested more deeply than anyone writes: levels are aligned recursively."""
    levels: list[int] = []
    for line in shown:
        if line.kind is LineKind.BLANK:
            continue
        columns = columns_of(line.text)
        while levels and levels[-1] >= columns:
            levels.pop()
        levels.append(columns)
        if len(levels) > MAX_DEPTH:
            raise EditUnreadable(Code.EDIT_UNPARSABLE, f"the snippet is nested more than {MAX_DEPTH} levels deep")


def _snippet_tree(shown: list[SnippetLine], language: str) -> UnitTree:
    texts = [line.text for line in shown]
    kinds = [line.kind for line in shown]
    found = _without_marked_leads(snippet_outline(_parsable(shown, language), language), kinds)
    return UnitTree(LineTable(texts, language, kinds), found, shown)


def _parsable(shown: list[SnippetLine], language: str) -> list[str]:
    """The snippet's lines with a comment of the language for every marker."""
    syntax = comment_syntax(language)
    forms = [(prefix, "") for prefix in syntax.line] + list(syntax.block)
    if language in MARKUP:
        forms.reverse()  # `//` comments stand in its scripts only
    return [_as_comment(line.text, forms) if line.kind in _ELIDED else line.text for line in shown]


def _as_comment(text: str, forms: list[tuple[str, str]]) -> str:
    """A marker as a comment; one that is written as a comment of the language stays as it is."""
    code = text.strip()
    if any(code.startswith(opening) and code.endswith(closing) for opening, closing in forms):
        return text
    opening, closing = forms[0] if forms else ("", "")
    return f"{indent_of(text)}{opening} ... {closing}".rstrip()


def _without_marked_leads(found: Outline, kinds: list[LineKind]) -> Outline:
    """The outline with leads that begin behind the last marker in them."""
    declarations = []
    for declaration in found.declarations:
        start = declaration.start_line
        for line in range(declaration.start_line, declaration.header_line):
            if kinds[line] is not LineKind.CODE:
                start = line + 1
        declarations.append(replace(declaration, start_line=start))
    return replace(found, declarations=tuple(declarations))


def _applied(current: list[_Line], segments: list[Segment], deleted: dict[int, tuple[float, str]]) -> list[_Line]:
    result: list[_Line] = []
    for segment in segments:
        if segment.kind is SegmentKind.KEEP:
            result.extend(current[segment.start : segment.end])
            continue
        for line in current[segment.start : segment.end]:
            if line.origin is not None:
                deleted[line.origin] = (segment.certainty, segment.reason)
        result.extend(_Line(text, None, segment.certainty, segment.reason) for text in segment.lines)
    return result


def _segments(current: list[_Line], num_lines: int, deleted: dict[int, tuple[float, str]]) -> list[Segment]:
    segments: list[Segment] = []
    at = 0
    new: list[_Line] = []

    def flush(to: int) -> None:
        nonlocal at
        if not new and at == to:
            return
        reasons = [(line.certainty, line.reason) for line in new] + [
            deleted.get(line, (1.0, "")) for line in range(at, to)
        ]
        certainty, reason = min(reasons)
        kind = SegmentKind.REPLACE if new and at < to else SegmentKind.INSERT if new else SegmentKind.DELETE
        segments.append(Segment(kind, at, to, tuple(line.text for line in new), certainty, reason))
        new.clear()
        at = to

    for line in [*current, _Line("", num_lines)]:
        if line.origin is None:
            new.append(line)
            continue
        flush(line.origin)
        if line.origin < num_lines:
            if segments and segments[-1].kind is SegmentKind.KEEP:
                segments[-1] = Segment(SegmentKind.KEEP, segments[-1].start, at + 1)
            else:
                segments.append(Segment(SegmentKind.KEEP, at, at + 1))
            at += 1
    return segments
