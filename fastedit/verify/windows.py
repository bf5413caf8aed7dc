"""The windows of a file that a target sees: the declarations that an edit touches, with some context.

The cost of verifying then follows the edit and not the file: a 5-line edit of 20,000 lines takes what one of 200 does.
What lies outside of the windows is spliced back untouched.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fastedit.anchor.model import Alignment, SegmentKind
from fastedit.draft.model import Draft, Kind
from fastedit.guard import Original
from fastedit.lines import split_lines
from fastedit.merged import Merged
from fastedit.targets.templates import CONTEXT_LINES, MAX_DECLARATION_LINES

if TYPE_CHECKING:
    from fastedit.targets.templates import Askable

WHOLE_FILE_SHARE = 0.6  # windows that cover more of a file than this are better one


@dataclass(frozen=True, slots=True)
class LineChange:
    """Lines [start, end) of the original become `lines`, which have their line ends. start == end inserts."""

    start: int
    end: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Window:
    """Lines [start, end) of the original, and the changes that the edit makes there.

    lines: as they are, with line ends. changes: in the original's line numbers. boundaries: lines at which
    declarations begin, in the original's numbers.
    """

    start: int
    end: int
    lines: tuple[str, ...]
    changes: tuple[LineChange, ...]
    boundaries: tuple[int, ...] = ()

    @property
    def original(self) -> str:
        return "".join(self.lines)

    @property
    def draft(self) -> Draft:
        """The window's merged text, with its hunks' edges and its declarations' beginnings."""
        text, edges, boundaries = "", list[int](), list[int]()
        for start, lines, is_new in self._runs():
            if is_new:
                edges += [len(text), len(text) + sum(map(len, lines))]
            for offset, line in enumerate(lines):
                if not is_new and _contains(self.boundaries, start + offset):
                    boundaries.append(len(text))
                text += line
        return Draft(text, Kind.MERGED, tuple(sorted(set(edges))), tuple(boundaries))

    @property
    def is_crlf(self) -> bool:
        """Whether all its lines, new ones too, end in `\\r\\n` (the file's last may have no end)."""
        lines = [*self.lines, *(line for change in self.changes for line in change.lines)]
        return any(line.endswith("\r\n") for line in lines) and not any(
            line.endswith("\n") and not line.endswith("\r\n") for line in lines
        )

    def with_unix_ends(self) -> Window:
        """The same with `\\n` for `\\r\\n`."""
        changes = (replace(change, lines=_unix(change.lines)) for change in self.changes)
        return replace(self, lines=_unix(self.lines), changes=tuple(changes))

    def _runs(self) -> Iterator[tuple[int, tuple[str, ...], bool]]:
        """The merged window in pieces: (original line where it stands, lines, whether they are new)."""
        at = self.start
        for change in self.changes:
            yield at, self.lines[at - self.start : change.start - self.start], False
            yield change.start, change.lines, True
            at = change.end
        yield at, self.lines[at - self.start :], False


def plan_windows(
    lines: Sequence[str],
    changes: Sequence[LineChange],
    declarations: Sequence[tuple[int, int]],
    *,
    context_lines: int = CONTEXT_LINES,
    max_declaration_lines: int = MAX_DECLARATION_LINES,
) -> tuple[Window, ...]:
    """The windows of a file, in order, without overlap, together holding all changes; none where nothing changes.

    lines: the original's, with line ends. changes: in order, apart. declarations: (first line, one behind the last),
    nested or not, in any order. ValueError for changes that overlap or lie outside the file.
    """
    _check(changes, len(lines))
    spans: list[tuple[int, int]] = []
    for change in changes:
        start, end = _touched(change, declarations, max_declaration_lines)
        start, end = max(0, start - context_lines), min(len(lines), end + context_lines)
        while spans and start <= spans[-1][1]:
            before = spans.pop()
            start, end = min(start, before[0]), max(end, before[1])
        spans.append((start, end))
    starts = tuple(sorted({start for start, _ in declarations}))
    return tuple(_window(lines, changes, starts, start, end) for start, end in spans)


def splice(lines: Sequence[str], windows: Sequence[Window], texts: Sequence[str]) -> str:
    """The whole file, each window's lines replaced by its text. ValueError where their numbers differ."""
    pieces: list[str] = []
    at = 0
    for window, text in zip(windows, texts, strict=True):
        pieces += [*lines[at : window.start], text]
        at = window.end
    return "".join([*pieces, *lines[at:]])


def whole_file(lines: Sequence[str], changes: Sequence[LineChange], declarations: Sequence[tuple[int, int]]) -> Window:
    """The file as one window, for `scope="file"`."""
    _check(changes, len(lines))
    return _window(lines, changes, tuple(sorted({start for start, _ in declarations})), 0, len(lines))


def _touched(change: LineChange, declarations: Sequence[tuple[int, int]], max_lines: int) -> tuple[int, int]:
    """The smallest declaration that holds the change, if it isn't too large; else the change itself."""
    last = max(change.end, change.start + 1)
    holding = [span for span in declarations if span[0] <= change.start and last <= span[1]]
    holding = [(start, end) for start, end in holding if end - start <= max_lines]
    return min(holding, key=lambda span: span[1] - span[0], default=(change.start, change.end))


def _window(
    lines: Sequence[str], changes: Sequence[LineChange], boundaries: tuple[int, ...], start: int, end: int
) -> Window:
    inside = tuple(change for change in changes if start <= change.start and change.end <= end)
    first, last = bisect_left(boundaries, start), bisect_left(boundaries, end)
    return Window(start, end, tuple(lines[start:end]), inside, boundaries[first:last])


def _check(changes: Sequence[LineChange], num_lines: int) -> None:
    at = 0
    for change in changes:
        if not at <= change.start <= change.end <= num_lines:
            raise ValueError(f"change of lines {change.start}-{change.end} overlaps another or lies outside the file")
        at = change.end


def _contains(ascending: tuple[int, ...], number: int) -> bool:
    index = bisect_left(ascending, number)
    return index < len(ascending) and ascending[index] == number


def _unix(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(line[:-2] + "\n" if line.endswith("\r\n") else line for line in lines)


def cut_windows(
    original: Original, merged: Merged, scope: str, target: Askable, others: Sequence[Merged] = ()
) -> tuple[Window, ...]:
    """The windows that the target has to look at: the places that the merged draft changes, or else the whole file.

    The whole file is shown where the draft changes nothing, and where the place isn't known: a target that sees one
    place only can't tell that it is the wrong one. scope: `windows`, `file`, or `auto` for windows unless they are
    most of the file. target: says how much it is used to see. others: drafts whose places are shown, too.
    """
    if not others:
        return _planned(original, changes_in(original, merged), scope, target, is_known=not merged.alignment.problems)
    (windows, *_) = windows_of_drafts(original, [merged, *others], scope, target)
    return windows


def windows_of_drafts(
    original: Original, drafts: Sequence[Merged], scope: str, target: Askable
) -> list[tuple[Window, ...]]:
    """For each draft the windows with its changes. They are the same places for all: those that any of them changes."""
    changes = [changes_in(original, draft) for draft in drafts]
    windows = _planned(original, joined_changes(changes), scope, target)
    return [tuple(_with_own(window, own) for window in windows) for own in changes]


def changes_in(original: Original, merged: Merged) -> tuple[LineChange, ...]:
    return changes_of(split_lines(original.text), split_lines(merged.text), merged.alignment)


def joined_changes(changes: Sequence[Sequence[LineChange]]) -> list[LineChange]:
    """Changes that cover those of all drafts, each with all lines that a draft writes there."""
    found: list[LineChange] = []
    for change in sorted((one for own in changes for one in own), key=lambda one: (one.start, one.end)):
        if found and change.start <= found[-1].end:
            last = found.pop()
            change = LineChange(last.start, max(last.end, change.end), (*last.lines, *change.lines))
        found.append(change)
    return found


def _with_own(window: Window, changes: Sequence[LineChange]) -> Window:
    own = tuple(one for one in changes if window.start <= one.start and one.end <= window.end)
    return replace(window, changes=own)


def _planned(
    original: Original, changes: Sequence[LineChange], scope: str, target: Askable, *, is_known: bool = True
) -> tuple[Window, ...]:
    lines = split_lines(original.text)
    declarations = [(found.start_line, found.end_line) for found in original.outline.declarations]
    if scope == "file" or not changes or not is_known:
        return (whole_file(lines, changes, declarations),)
    template = target.template
    windows = plan_windows(
        lines,
        changes,
        declarations,
        context_lines=template.context_lines,
        max_declaration_lines=template.declaration_lines,
    )
    num_shown = sum(window.end - window.start for window in windows)
    if scope == "auto" and num_shown > WHOLE_FILE_SHARE * len(lines):
        return (whole_file(lines, changes, declarations),)
    return windows


def changes_of(lines: Sequence[str], merged: Sequence[str], alignment: Alignment) -> tuple[LineChange, ...]:
    """The changes of an alignment, with the line ends that its rendering has.

    lines, merged: the original's and the rendering's, with line ends. A kept line whose end the rendering had to change
    (the last one, where something follows it now) is a change too.
    """
    changes: list[LineChange] = []
    at = 0
    for segment in alignment.segments:
        is_kept = segment.kind is SegmentKind.KEEP
        count = segment.end - segment.start if is_kept else len(segment.lines)
        new = tuple(merged[at : at + count])
        at += count
        if not is_kept:
            changes.append(LineChange(segment.start, segment.end, new))
        elif new and new[-1] != lines[segment.end - 1]:
            changes.append(LineChange(segment.end - 1, segment.end, new[-1:]))
    return tuple(changes)
