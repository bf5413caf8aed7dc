"""The windows of a file that a target sees: cut, put to it with the lines of the edit beside them, and spliced back.

A window is the declarations that an edit touches, with some context. The cost of verifying then follows the edit and
not the file: a 5-line edit of 20,000 lines takes what one of 200 does. What lies outside is spliced back untouched.
An excerpt is what the edit says of a window, as the assistant wrote it: a window is cut where the alignment thinks that
something changes; the target reads in the edit itself what is to happen there, or it could only repeat what the
alignment thinks. What of an answer is certain is streamed as it comes.
"""

from __future__ import annotations

import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

from rapidfuzz.distance import Indel

from fastedit.anchor.alignment import Alignment, SegmentKind
from fastedit.applied import Stats
from fastedit.decode.request import (
    GREEDY,
    DecodeResult,
    DecodeStats,
    EditRequest,
    Group,
    GroupPlace,
    Handle,
    Sampling,
    seconds_left,
)
from fastedit.draft.model import Draft, Kind
from fastedit.edits.model import Edit, Op, PatchHunk, Snippet
from fastedit.edits.wording import LineKind, classify_lines
from fastedit.errors import Code, EngineUnavailable
from fastedit.guard import Original
from fastedit.lines import ELISION, split_lines, twins
from fastedit.merged import Merged
from fastedit.targets.templates import CONTEXT_LINES, MAX_DECLARATION_LINES

if TYPE_CHECKING:
    from fastedit.targets import Target
    from fastedit.targets.templates import Askable

BETWEEN_PARTS = "..."  # two snippets or hunks leave out what lies between their places
Listener = Callable[[str], None]
COUNTS = (
    "passes",
    "drafted",
    "accepted",
    "divergences",
    "reanchors",
    "prompt_tokens",
    "cached_tokens",
    "completion_tokens",
)
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


@dataclass(frozen=True, slots=True)
class EditLine:
    """A line of an edit.

    text: as the target sees it. code: as it may stand in the result, None for a line that can't.
    is_elision: it stands for other lines. place: the line of the original that it plainly is.
    """

    text: str
    code: str | None = None
    is_elision: bool = False
    place: int | None = None


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The part of an edit that has to do with a window.

    text: the edit's lines. runs: their code without the elisions, cut at them.
    elisions: (start, end) in `text` of what stands for lines that are left out, without its indentation. codes: for
    each line of `text` what of it may stand in the result, None for a line that may not.
    """

    text: str
    runs: tuple[str, ...]
    elisions: tuple[tuple[int, int], ...] = ()
    codes: tuple[str | None, ...] = ()


def excerpts_of(edit: Edit, windows: Sequence[Window], original: Sequence[str]) -> tuple[Excerpt, ...]:
    """The excerpt for each window: the edit's lines between those about the window before and those about the next.

    An only window gets the whole edit, and so does one in which no line of the edit stands (a pure deletion); but
    lines that plainly are lines of the original outside the window are left out everywhere. Hunks of all patch formats
    are shown alike: a column of ` `, `-` and `+` before each line. original: the lines of the whole file.
    """
    parts = _placed([*map(_of_snippet, edit.snippets), *map(_of_hunk, edit.hunks)], _keys(original))
    if len(windows) < 2:
        shares = [parts for _ in windows]
    else:
        merged = [_keys(split_lines(window.draft.text)) for window in windows]
        cuts = [_cut(part, merged) for part in parts]
        shares = [[cut[index] for cut in cuts if cut[index]] or parts for index in range(len(windows))]
    return tuple(excerpt_of(_inside(share, window)) for share, window in zip(shares, windows, strict=True))


def _placed(parts: Sequence[Sequence[EditLine]], original: Sequence[str]) -> list[list[EditLine]]:
    """The parts with the places of their lines. What a patch takes away stands for nothing in the result."""
    keys, places = list[str](), list[tuple[int, int]]()
    for index, part in enumerate(parts):
        for number, line in enumerate(part):
            if line.code is not None or line.is_elision:
                keys.append(ELISION if line.code is None else line.code.strip())
                places.append((index, number))
        keys.append(ELISION)
        places.append((index, len(part)))
    placed = [list(part) for part in parts]
    for at, place in twins(keys, original).items():
        index, number = places[at]
        placed[index][number] = replace(placed[index][number], place=place)
    return placed


def _inside(parts: Sequence[list[EditLine]], window: Window) -> list[list[EditLine]]:
    """The parts without the lines that have their place outside the window, unless they are new in it."""
    new = {line.strip() for change in window.changes for line in change.lines}
    cut = [[_is_outside(line, window) and (line.code or "").strip() not in new for line in part] for part in parts]
    left = [_with_elisions(part, outside) for part, outside in zip(parts, cut, strict=True)]
    return [part for part in left if not all(line.is_elision for line in part)] or [list(part) for part in parts]


def _is_outside(line: EditLine, window: Window) -> bool:
    return line.place is not None and not window.start <= line.place < window.end


def _with_elisions(part: Sequence[EditLine], outside: Sequence[bool]) -> list[EditLine]:
    """Puts one elision in the place of lines left out, of blank ones between them, and of elisions beside them."""
    lines: list[EditLine] = []
    elided = False, -1  # whether the last elision stands for lines left out here, and where it is
    for line, is_outside in zip(part, outside, strict=True):
        shown = EditLine(BETWEEN_PARTS, is_elision=True) if is_outside else line
        if shown.is_elision:
            was_outside, at = elided
            if (was_outside or (is_outside and at >= 0)) and not any(
                (old.code or "?").strip() for old in lines[at + 1 :]
            ):
                del lines[at + 1 :]
                continue
            elided = is_outside, len(lines)
        lines.append(shown)
    return lines


def _of_snippet(snippet: Snippet) -> list[EditLine]:
    kinds = [classify_lines([line], lambda _: False)[0].kind for line in snippet.lines]
    return [
        EditLine(line, is_elision=True) if kind is LineKind.MARKER else EditLine(line, line)
        for line, kind in zip(snippet.lines, kinds, strict=True)
    ]


def _of_hunk(hunk: PatchHunk) -> list[EditLine]:
    lines: list[EditLine] = []
    for line in hunk.lines:
        if line.op is Op.SKIP:
            lines.append(EditLine(Op.SKIP.value, is_elision=True))
        else:
            lines.append(EditLine(line.op.value + line.text, None if line.op is Op.DELETE else line.text))
    return lines


def _cut(part: list[EditLine], merged: Sequence[Sequence[str]]) -> list[list[EditLine]]:
    """Each window's share of one part: from behind the window before to the first line of the one behind."""
    owners = [index for index, keys in enumerate(merged) for _ in keys]
    found: dict[int, list[int]] = {}
    # A blank line is equal to none: it would tie a part to any window.
    shown = [(line.code or "").strip() or index for index, line in enumerate(part)]
    there = [key or (-index - 1) for index, key in enumerate(key for keys in merged for key in keys)]
    for block in Indel.opcodes(shown, there).as_matching_blocks():
        for offset in range(block.size):
            found.setdefault(owners[block.b + offset], []).append(block.a + offset)
    return [_share(part, found, index) for index in range(len(merged))]


def _share(part: list[EditLine], found: dict[int, list[int]], index: int) -> list[EditLine]:
    if index not in found:
        return []
    start = max((places[-1] + 1 for owner, places in found.items() if owner < index), default=0)
    end = min((places[0] for owner, places in found.items() if owner > index), default=len(part))
    return part[start:end]


def excerpt_of(parts: Sequence[Sequence[EditLine]]) -> Excerpt:
    """The excerpt of all lines of all parts, with an elision between two parts for what lies between their places."""
    between = EditLine(BETWEEN_PARTS, is_elision=True)
    lines = [line for part in parts for line in (between, *part)][1:]
    text, elisions = "", list[tuple[int, int]]()
    for line in lines:
        if line.is_elision:
            indent = len(line.text) - len(line.text.lstrip())
            elisions.append((len(text) + indent, len(text) + len(line.text.rstrip())))
        text += line.text + "\n"
    runs = tuple(run for part in parts for run in _runs(part))
    return Excerpt(text, runs, tuple(elisions), tuple(line.code for line in lines))


def _runs(part: Sequence[EditLine]) -> list[str]:
    runs = [""]
    for line in part:
        if line.is_elision:
            runs.append("")
        elif line.code is not None:
            runs[-1] += line.code + "\n"
    return [run for run in runs if run.strip()]


def _keys(lines: Sequence[str]) -> list[str]:
    return [line.strip() for line in lines]


# ---- putting them to a target ----------------------------------------------------------------------------------------


class TextSender:
    """Gives `listener` pieces of the new file's text, in order; joined they are all of it."""

    def __init__(self, original: str, listener: Listener) -> None:
        self._lines = split_lines(original)
        self._listener = listener
        self._sent = ""
        self._line = 0  # of the original: those before have been dealt with
        self._agreed: str | None = None
        self._has_diverged = False

    def follow(self, agreed: str | None) -> Callable[[Window, str], None]:
        """The function that takes the target's text for each window from `ask`.

        agreed: the merged draft, where what the target writes counts for certain only as far as both say the same; None
        where it counts whatever it is.
        """
        self._agreed = agreed
        return self._take

    def finish(self, text: str) -> None:
        """Gives the rest of `text`, the whole result.

        Raises EngineUnavailable(ENGINE_ERROR) where that doesn't begin with what was given before.
        """
        if not text.startswith(self._sent):
            raise EngineUnavailable(Code.ENGINE_ERROR, "What was streamed isn't the beginning of the result.")
        self._send(text[len(self._sent) :])

    def _take(self, window: Window, piece: str) -> None:
        kept = "".join(self._lines[self._line : window.start])
        self._line = max(self._line, window.end)
        self._offer(kept + piece)

    def _offer(self, text: str) -> None:
        if self._agreed is not None and not self._has_diverged:
            expected = self._agreed[len(self._sent) : len(self._sent) + len(text)]
            if text != expected:
                self._has_diverged = True
                text = text[: _num_shared(text, expected)]
                self._send(text)
        if not self._has_diverged:
            self._send(text)

    def _send(self, text: str) -> None:
        if text:
            self._sent += text
            self._listener(text)


def _num_shared(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (mine, yours) in pairs if mine != yours), min(len(one), len(other)))


class Cancellation:
    """A way to give an edit up from another thread: the target stops working on it after the pass that is running."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._handles: list[Handle] = []
        self._is_cancelled = False

    def cancel(self) -> None:
        with self._lock:
            self._is_cancelled = True
            handles, self._handles = self._handles, []
        for handle in handles:
            handle.cancel()

    def check(self) -> None:
        """Raises CancelledError once `cancel` was called."""
        if self._is_cancelled:
            raise CancelledError

    def watch(self, handle: Handle) -> None:
        """Takes the handle of a submitted request, which is cancelled with the edit."""
        with self._lock:
            self._handles.append(handle)
            is_cancelled = self._is_cancelled
        if is_cancelled:
            handle.cancel()


@dataclass(frozen=True, slots=True)
class DecodeOptions:
    """Options for asking a target.

    sampling: None for greedy. speculate: False verifies no draft. deadline_s: seconds from the making of the options
    after which the target is given up (TIMEOUT). on_text: gets the new file's text in pieces as it becomes certain;
    where the edit is refused in the end, what it got is to be forgotten. cancellation: CancelledError is raised where
    it says so. place: in a group of edits whose requests go to the target together; taken when this one's have gone.
    """

    sampling: Sampling | None = None
    speculate: bool = True
    deadline_s: float | None = None
    on_text: Callable[[str], None] | None = None
    cancellation: Cancellation = field(default_factory=Cancellation)
    place: GroupPlace | None = None
    made_s: float = field(default_factory=time.perf_counter)

    @property
    def left_s(self) -> float | None:
        """Seconds until the deadline; EngineUnavailable(TIMEOUT) once it has passed."""
        return seconds_left(self.deadline_s, self.made_s)


@dataclass(frozen=True, slots=True)
class Answer:
    """A target's text for a file. text: all of it. parts: each window with the target's text for it.

    is_given_up: it was still writing something else than the draft when the passes that it was given were over.
    """

    text: str
    parts: tuple[tuple[Window, str], ...]
    stats: Stats
    is_given_up: bool = False


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


def ask(
    target: Askable,
    original: Original,
    windows: Sequence[Window],
    edit: Edit,
    *,
    instruction: str | None = None,
    options: DecodeOptions | None = None,
    max_passes: int | None = None,
    on_text: Callable[[Window, str], None] | None = None,
) -> Answer:
    """The target's text for each window, spliced into the original.

    max_passes: for each window; a target that agrees with the draft needs one or two.
    on_text: gets each window's text in pieces as the target accepts it, one window after the other.
    EditRefused as `decode.verify_draft` says; CancelledError.
    """
    options = options or DecodeOptions()
    asked = [window.with_unix_ends() if window.is_crlf else window for window in windows]
    handles: list[Handle] = []
    # One pass begins with all windows, and with those of the group's other edits.
    place = options.place if options.place is not None and not options.place.is_taken else Group(1).place()
    try:
        with place:
            for window, excerpt in zip(asked, excerpts_of(edit, windows, split_lines(original.text)), strict=True):
                request = _request(window, excerpt, instruction, options, max_passes)
                handles.append(_submit(target, request, place.group))
                options.cancellation.watch(handles[-1])
        results = [_follow(window, handle, on_text) for window, handle in zip(windows, handles, strict=True)]
    except BaseException:
        for handle in handles:
            handle.cancel()
        raise
    texts = [_in_ends_of(window, result.text) for window, result in zip(windows, results, strict=True)]
    text = splice(split_lines(original.text), windows, texts)
    stats, is_given_up = sum_of([result.stats for result in results]), any(result.is_given_up for result in results)
    return Answer(text, tuple(zip(windows, texts, strict=True)), stats, is_given_up)


def _submit(target: Askable, request: EditRequest, group: Group) -> Handle:
    if target.engine is not None:
        return target.engine.submit(target, request)
    from fastedit.decode.api import submit

    return submit(cast("Target", target), request, group=group)  # what no other engine computes is loaded here


def _request(
    window: Window, excerpt: Excerpt, instruction: str | None, options: DecodeOptions, max_passes: int | None
) -> EditRequest:
    return EditRequest(
        window.original,
        excerpt.text,
        (window.draft,),
        excerpt.runs,
        excerpt.elisions,
        excerpt.codes,
        instruction,
        sampling=options.sampling or GREEDY,
        speculate=options.speculate,
        max_passes=max_passes,
        deadline_s=options.left_s,
    )


def _follow(window: Window, handle: Handle, on_text: Callable[[Window, str], None] | None) -> DecodeResult:
    if on_text is not None:
        for piece in handle.stream():
            on_text(window, _in_ends_of(window, piece))
    return handle.result()


def _in_ends_of(window: Window, text: str) -> str:
    return text.replace("\n", "\r\n") if window.is_crlf else text


def sum_of(stats: Sequence[DecodeStats]) -> Stats:
    """All windows' counts together; they are decoded side by side, so the longest times."""
    return Stats(
        **{name: sum(getattr(one, name) for one in stats) for name in COUNTS},
        prefill_ms=max((one.queue_ms + one.prefill_ms for one in stats), default=0.0),
        decode_ms=max((one.decode_ms for one in stats), default=0.0),
    )
