"""Puts the windows of a file to a target, and streams what of its answers is certain as it comes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

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
from fastedit.edits.model import Edit
from fastedit.errors import Code, EngineUnavailable
from fastedit.guard import Original
from fastedit.lines import split_lines

if TYPE_CHECKING:
    from fastedit.targets import Target
    from fastedit.targets.templates import Askable

from fastedit.verify.excerpts import Excerpt, excerpts_of
from fastedit.verify.windows import Window, splice

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
