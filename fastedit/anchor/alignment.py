"""Aligns an edit with its original, by its format; a whole new file needs no more than comparing."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz import fuzz

from fastedit.anchor.model import Alignment, Segment, SegmentKind
from fastedit.edits.model import Edit, Format, Snippet
from fastedit.edits.wording import LineKind, classify_lines, comment_text, elides_inline
from fastedit.lines import body, changed_lines, is_trivial, key_of, split_lines
from fastedit.syntax import Outline, outline

MIN_LINES_SHARE = 0.5
MIN_SAME_SHARE = 0.8
COMMENTS = ("#", "//", "/*", "--", "<!--", "{/*", ";", "%")
MIN_ELIDE_ODDS, EVEN_ODDS = -1.2, -0.7  # natural logarithms of probabilities
_SAYS_WHOLE = re.compile(
    r"\b(?:full|complete|whole|entire|updated|new|final|rewritten)\b[^.\n]{0,40}"
    r"\b(?:file|version|content|contents|script|source|document|listing|dockerfile|makefile)\b",
    re.IGNORECASE,
)


def align(original: str, edit: Edit, outlined: Outline) -> Alignment:
    """Aligns a whole file or a patch with the original; uncertain parts say so, nothing is refused here."""

    lines = [body(line) for line in split_lines(original)]
    if edit.format is Format.WHOLE:
        return align_whole(lines, edit.snippets, is_exact=True)
    from fastedit.anchor.patch.align import align_patch

    return align_patch(lines, edit, outlined)


def align_readings(
    original: str, edit: Edit, language: str, message: str = "", outlined: Outline | None = None, instruction: str = ""
) -> list[Alignment]:
    """The likeliest ways in which a lazy edit lies on the original, best first; none where it has no code.

    message: the assistant's whole message; its prose may say where something goes or what is gone. outlined: the
    original's outline where the caller has it already.
    """
    from fastedit.anchor.lazy.certainty import align_lazy

    lines = [body(line) for line in split_lines(original)]
    if len(edit.snippets) == 1 and is_whole(lines, edit.snippets[0], language):
        return [align_whole(lines, edit.snippets, is_exact=False)]
    found = outlined or outline(original, language)
    return align_lazy(lines, edit.snippets, language, message, found, instruction)


def align_whole(lines: list[str], snippets: tuple[Snippet, ...], *, is_exact: bool) -> Alignment:
    """The alignment that turns `lines` into the snippet's lines.

    is_exact: blank lines at the end are meant; else a snippet shows no more of them than the file has.
    """
    new = [line for snippet in snippets for line in _with_locator(lines, snippet)]
    num_meant = num_blank_at_end(new) if is_exact else min(num_blank_at_end(new), num_blank_at_end(lines))
    return align_lines(lines, new[: len(new) - num_blank_at_end(new) + num_meant], "whole file")


def num_blank_at_end(lines: list[str]) -> int:
    """Counts the blank lines that the lines end with."""
    return next((count for count, line in enumerate(reversed(lines)) if line.strip()), len(lines))


def align_lines(lines: list[str], new: list[str], reason: str) -> Alignment:
    """The alignment with the fewest changed lines that turns `lines` into `new`, both without line ends."""
    segments: list[Segment] = []
    at = 0
    for start, end, shown in changed_lines(lines, new):
        if start > at:
            segments.append(Segment(SegmentKind.KEEP, at, start))
        kind = SegmentKind.INSERT if start == end else SegmentKind.REPLACE if shown else SegmentKind.DELETE
        segments.append(Segment(kind, start, end, tuple(shown), reason=reason))
        at = end
    if at < len(lines):
        segments.append(Segment(SegmentKind.KEEP, at, len(lines)))
    return Alignment(tuple(segments))


def _with_locator(lines: list[str], snippet: Snippet) -> list[str]:
    """The snippet's lines, with the file's own first comment put back that was taken for a mere locator."""
    locator = snippet.prose.rstrip().rsplit("\n", 1)[-1].strip()
    has_lost = bool(locator) and bool(lines) and lines[0].strip() == locator and snippet.lines[:1] != (lines[0],)
    return [lines[0], *snippet.lines] if has_lost else list(snippet.lines)


def is_whole(lines: list[str], snippet: Snippet, language: str) -> bool:
    """Whether a snippet without any marker is the whole new file rather than a part of it.

    It is where the original is empty, where the message says so, or where it begins and ends as the original does and
    is not much shorter; a file of keys only where the message says so.
    """
    from fastedit.anchor.lazy.keys.trees import KEYED  # which imports what only lazy edits need

    if not any(line.strip() for line in lines):
        return True
    known = {key_of(line) for line in lines}
    shown = classify_lines(list(snippet.lines), lambda line: key_of(line) in known)
    if any(line.kind in (LineKind.MARKER, LineKind.REMOVAL) or elides_inline(line.text) for line in shown):
        return False
    if any(_may_elide(line.text) for line in shown if key_of(line.text) not in known):
        return False
    old = [line for line in lines if line.strip()]
    new = [line.text for line in shown if line.text.strip()]
    if not new or len(new) < MIN_LINES_SHARE * len(old):
        return False
    # Files of keys begin and end alike, in brackets or with the first key, however many of their keys are shown.
    has_same_ends = language not in KEYED and _alike(old[0], new[0]) and _alike(_last_telling(old), _last_telling(new))
    if has_same_ends:
        return _is_indented_alike(old, new, known)
    share = sum(key_of(line) in known for line in new) / len(new)
    return bool(_SAYS_WHOLE.search(snippet.prose)) and (share > 0.2 or len(old) < 10)


def leaves_out(original: str, snippets: Sequence[Snippet]) -> bool:
    """Whether what is called a whole file has a new comment that is likely to stand for lines of the original."""
    known = {line.strip() for line in original.splitlines()}
    shown = (line.strip() for snippet in snippets for line in snippet.lines)
    comments = (line for line in shown if line.startswith(COMMENTS) and line not in known)
    return bool(known - {""}) and any(_may_elide(line, EVEN_ODDS) for line in comments)


def _may_elide(text: str, least: float = MIN_ELIDE_ODDS) -> bool:
    """Whether a line is a comment that may stand for code, as its words go. least: the logarithm of how likely."""
    from fastedit.anchor.lazy.words.comments import log_odds  # which imports numpy

    note = comment_text(text.strip())
    return note is not None and log_odds(note)["elide"] > least


def _is_indented_alike(old: list[str], new: list[str], known: set[str]) -> bool:
    """Whether the lines that stand in both are the same to the byte: another indentation wants aligning instead."""
    lines = set(old)
    shared = [line for line in new if key_of(line) in known]
    return sum(line in lines for line in shared) >= MIN_SAME_SHARE * len(shared)


def _last_telling(lines: list[str]) -> str:
    """The last line that isn't just a bracket or the like, in which any text may end."""
    return next((line for line in reversed(lines) if not is_trivial(key_of(line))), lines[-1])


def _alike(first: str, second: str) -> bool:
    return fuzz.ratio(key_of(first), key_of(second)) >= 80
