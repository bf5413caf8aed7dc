"""Requests to the engine, alone or in groups of use only together, what waits for them, and their results.

An edit's request is put in a target's own words and tokens, and the new file is taken out of its answer: what stands
between the template's tags, and nothing else. Imports no torch: the target may be computed elsewhere.
"""

from __future__ import annotations

import math
import queue
import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, InvalidStateError
from dataclasses import dataclass, replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

from fastedit.draft.model import Draft, Kind
from fastedit.errors import Code, EditRefused, EngineUnavailable, InputRefused, ResultRefused, SettingsError
from fastedit.targets.copying import line_copying
from fastedit.targets.marks import LineMarks, has_marks, shifted_offsets, without_marks
from fastedit.targets.templates import PromptTemplate

if TYPE_CHECKING:
    from fastedit.targets.templates import Askable

GREEDY_BELOW = 1e-5  # a lower temperature can't be told from greedy in float32, and its inverse overflows
Listener = Callable[[str | None], None]  # gets pieces of text, and None at the end
OUTPUT_SLACK = 128  # tokens that an output may have beyond draft and edit
FENCED = re.compile(r"\A\s*(?P<fence>`{3,}|~{3,})[^\n`]*\n(?P<body>.*?)^(?P=fence)\s*\Z", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class DecodeStats:
    """Counts and times of one request.

    passes: forward passes it took part in. drafted: draft tokens fed; accepted: those that the target agreed with.
    divergences: passes in which it refused one. reanchors: places found again after a divergence.
    cached_tokens: prompt tokens taken from an earlier request. queue_ms: waiting for a slot. prefill_ms: until the
    first output tokens were there; decode_ms: from then on. total_ms: from submission to the end.
    pass_ms: time in the target's forward passes alone. fallbacks: what was done in a slower way than usual, and why.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    passes: int = 0
    drafted: int = 0
    accepted: int = 0
    divergences: int = 0
    reanchors: int = 0
    queue_ms: float = 0.0
    prefill_ms: float = 0.0
    decode_ms: float = 0.0
    pass_ms: float = 0.0
    total_ms: float = 0.0
    fallbacks: tuple[str, ...] = ()

    @property
    def rejected(self) -> int:
        return self.drafted - self.accepted


@dataclass(frozen=True, slots=True)
class Sampling:
    """Settings for choosing the target's own token.

    temperature: 0 for greedy. top_k: only the k likeliest tokens, 0 for all. top_p: of those the fewest likeliest whose
    probabilities reach p. The same seed gives the same text, whatever the draft, the chunks and the batch.
    SettingsError for values that mean nothing.
    """

    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.temperature) and self.temperature >= 0):
            raise SettingsError(f"temperature must be 0 or more, not {self.temperature}")
        if not 0 < self.top_p <= 1:
            raise SettingsError(f"top_p must be above 0 and at most 1, not {self.top_p}")
        if self.top_k < 0:
            raise SettingsError(f"top_k must be 0 or more, not {self.top_k}")
        if not 0 <= self.seed < 2**63:
            raise SettingsError("seed must be between 0 and 2**63 - 1")

    @property
    def is_greedy(self) -> bool:
        return self.temperature < GREEDY_BELOW


GREEDY = Sampling()


class Constraint(Protocol):
    """Constrained decoding: what may follow what has been written. It is asked on the CPU, token by token."""

    @property
    def start(self) -> Any:
        """The state before the first token."""

    def choose(self, state: Any, own: int) -> tuple[int, Any]:
        """The token that counts where the target would write `own`, and the state behind it.

        It is `own` wherever the constraint allows that. Where it doesn't, the target isn't asked again for the
        likeliest of what is allowed, as masking its logits would do: the constraint names the token itself, by state
        and `own` alone. So the output is a pure function of the target's own tokens, whatever was drafted.
        """


@dataclass(frozen=True, slots=True)
class EditRequest:
    """An edit for a target to merge.

    drafts: what the new file probably is, most trusted first; the bare original always follows them. snippets: the
    edit's new lines, cut where it elides something. elisions: (start, end) in `edit` of what does so. codes: for each
    line of `edit` what of it may stand in the result, None for a line that may not. max_new_tokens: None allows
    original, edit and some slack. speculate: False verifies no draft at all. max_chunk: no pass takes more draft tokens
    than this, None for as many as pay. max_passes: passes that write something after which the output is given up, and
    it is then given up at `max_new_tokens`, too; None for no such limit. deadline_s: seconds from the submission after
    which the request is given up.
    """

    original: str
    edit: str
    drafts: tuple[Draft, ...] = ()
    snippets: tuple[str, ...] = ()
    elisions: tuple[tuple[int, int], ...] = ()
    codes: tuple[str | None, ...] = ()
    instruction: str | None = None
    sampling: Sampling = GREEDY
    max_new_tokens: int | None = None
    speculate: bool = True
    max_chunk: int | None = None
    max_passes: int | None = None
    deadline_s: float | None = None


@dataclass(frozen=True, slots=True)
class DecodeRequest:
    """A request in tokens, for any prompt and target. See `EditRequest` for the fields of the same names.

    prompt: at least one token. drafts: whole outputs, tags included; a stop token is expected behind each. The last
    one, the original as a rule, is what look-ups copy from besides the snippets. original: says how the file indents.
    constraint: what the output has to obey; the drafts should. logprobs: whether the result says how likely its tokens
    were. scored: an output of which only that is wanted: it counts as written, whatever the target would write, and
    `max_new_tokens` is its length.
    """

    prompt: tuple[int, ...]
    max_new_tokens: int
    drafts: tuple[Draft, ...] = ()
    snippets: tuple[str, ...] = ()
    original: str = ""
    sampling: Sampling = GREEDY
    speculate: bool = True
    max_chunk: int | None = None
    max_passes: int | None = None
    deadline_s: float | None = None
    constraint: Constraint | None = None
    logprobs: bool = False
    scored: tuple[int, ...] = ()

    @classmethod
    def scoring(
        cls, prompt: tuple[int, ...], scored: tuple[int, ...], deadline_s: float | None = None
    ) -> DecodeRequest:
        """The request for how likely `scored` is behind a prompt."""
        return cls(prompt, len(scored), speculate=False, deadline_s=deadline_s, logprobs=True, scored=scored)

    def __post_init__(self) -> None:
        if not self.prompt:
            raise SettingsError("a prompt needs at least one token")
        if self.max_new_tokens < 1:
            raise SettingsError(f"max_new_tokens must be 1 or more, not {self.max_new_tokens}")
        if self.max_chunk is not None and self.max_chunk < 0:
            raise SettingsError(f"max_chunk must be 0 or more, not {self.max_chunk}")


@dataclass(frozen=True, slots=True)
class Refused:
    """A draft's token that wasn't accepted. index: of the token in the output that stands in its place; logprob: the
    logarithm of the probability that the target gave it."""

    index: int
    token: int
    logprob: float


@dataclass(frozen=True, slots=True)
class DecodeResult:
    """The output of a request, and how it came about.

    text: the output's text, for an `EditRequest` the new file. tokens: the whole output, its stop token included.

    is_finished: False where the output limit cut it off, and where it was given up after `max_passes`
    (is_given_up); of an `EditRequest` that was, text is what had been streamed of the new file. Where the request asks
    for logprobs: the logarithm of each token's probability, before temperature and filters (NaN for one that a
    constraint put there), and the drafts' tokens that were refused. Of a request that has an output scored, this is it.
    """

    text: str
    tokens: tuple[int, ...]
    stats: DecodeStats
    is_finished: bool = True
    is_given_up: bool = False
    logprobs: tuple[float, ...] = ()
    refused: tuple[Refused, ...] = ()


def seconds_left(deadline_s: float | None, began_s: float) -> float | None:
    """The seconds until a deadline; None where there is none. began_s: the `perf_counter` from which it counts.

    EngineUnavailable(TIMEOUT) once it has passed.
    """
    if deadline_s is None:
        return None
    left = deadline_s - (time.perf_counter() - began_s)
    if left <= 0:
        raise EngineUnavailable(Code.TIMEOUT, f"The deadline of {deadline_s:g} s has passed.")
    return left


class Handle:
    """The result to come. Safe to use from any thread."""

    def __init__(self) -> None:
        self._future: Future[DecodeResult] = Future()
        self._lock = threading.Lock()
        self._pieces: list[str] = []
        self._listeners: list[Listener] = []
        self._is_cancelled = threading.Event()

    def result(self, timeout: float | None = None) -> DecodeResult:
        """The result, once it is there.

        Raises what the request failed with (EditRefused), CancelledError, or TimeoutError after `timeout` seconds (the
        request goes on then).
        """
        return self._future.result(timeout)

    def stream(self) -> Iterator[str]:
        """The text piece by piece as the target accepts it; raises like `result` at the end."""
        pieces: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._listen(pieces.put)
        yield from iter(pieces.get, None)
        self.result(0)

    def cancel(self) -> None:
        """Give the request up: its slot is free after the pass that is running. Does nothing to one that is done."""
        self._is_cancelled.set()

    @property
    def is_done(self) -> bool:
        return self._future.done()

    @property
    def is_cancelled(self) -> bool:
        return self._is_cancelled.is_set()

    def push(self, text: str) -> None:
        """For the engine: more text is certain."""
        if not text:
            return
        with self._lock:
            self._pieces.append(text)
            listeners = list(self._listeners)
        for listener in listeners:
            listener(text)

    def finish(self, outcome: DecodeResult | BaseException) -> None:
        """For the engine: the request is over. Only the first outcome counts."""
        try:
            if isinstance(outcome, CancelledError):
                self._future.cancel()
            elif isinstance(outcome, BaseException):
                self._future.set_exception(outcome)
            else:
                self._future.set_result(outcome)
        except InvalidStateError:
            return
        with self._lock:
            listeners, self._listeners = self._listeners, []
        for listener in listeners:
            listener(None)

    def _listen(self, listener: Listener) -> None:
        with self._lock:
            for piece in self._pieces:
                listener(piece)
            if self.is_done:
                listener(None)
            else:
                self._listeners.append(listener)


class Group:
    """Waits for `num_missing` requests to come. Safe to use from any thread."""

    def __init__(self, num_missing: int) -> None:
        self._num_missing = num_missing
        self._lock = threading.Lock()
        self._listeners: list[Callable[[], None]] = []

    @property
    def is_complete(self) -> bool:
        return self._num_missing <= 0

    def place(self) -> GroupPlace:
        """A place for one of the requests that are to come, or for one more."""
        return GroupPlace(self)

    def listen(self, listener: Callable[[], None]) -> None:
        """Has the listener called once all requests have come; at once where they have."""
        with self._lock:
            if not self.is_complete:
                self._listeners.append(listener)
                return
        listener()

    def _come(self) -> None:
        with self._lock:
            self._num_missing -= 1
            listeners = self._listeners if self.is_complete else []
            self._listeners = [] if self.is_complete else self._listeners
        for listener in listeners:
            listener()


class GroupPlace:
    """One place in a group: taken at the block's end, or before by `take`."""

    def __init__(self, group: Group) -> None:
        self.group = group
        self.is_taken = False

    def take(self) -> None:
        """Notes that the request it is for has come, or won't; it counts once."""
        if not self.is_taken:
            self.is_taken = True
            self.group._come()

    def __enter__(self) -> GroupPlace:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.take()


# ---- an edit's request in a target's own words and tokens ------------------------------------------------------------


def decode_request(target: Askable, request: EditRequest, max_len: int) -> DecodeRequest:
    """The request in the target's own words and tokens, limited to `max_len` with its output.

    InputRefused(TOO_LARGE), with both numbers, where the draft is longer than the output may be.
    """
    original = request.original
    marks = _marks_of(request) if target.template.has_marks else None
    if marks is not None:
        request = _marked(request, marks)
    # Where a merged draft turns out wrong, the bare original is often right again.
    drafts = (*request.drafts, Draft(request.original, Kind.ORIGINAL))
    wrapped = tuple(_wrapped(draft, target) for draft in drafts)
    num_expected = len(target.codec.encode(wrapped[0].text)) + 1
    prompt = tuple(target.prompt(request.original, request.edit, request.instruction, request.elisions))
    constraint = line_copying(target.codec, prompt, marks.original_numbers) if marks is not None else None
    limit = request.max_new_tokens
    if limit is None:
        generous = num_expected + len(target.codec.encode(request.edit)) + OUTPUT_SLACK
        limit = max(num_expected, min(generous, max_len - len(prompt)))
    elif request.drafts and limit < num_expected:
        raise InputRefused(Code.TOO_LARGE, f"The draft has {num_expected} tokens; the output may have {limit}.")
    return DecodeRequest(
        prompt=prompt,
        max_new_tokens=limit,
        drafts=wrapped,
        snippets=request.snippets or (request.edit,),
        original=original,
        sampling=request.sampling,
        speculate=request.speculate,
        max_chunk=request.max_chunk,
        max_passes=request.max_passes,
        deadline_s=request.deadline_s,
        constraint=constraint,
    )


def _marks_of(request: EditRequest) -> LineMarks:
    """The marks of a request's lines; InputRefused(NOT_TEXT) where its texts hold such marks."""
    if has_marks(request.original + request.edit + "".join(draft.text for draft in request.drafts)):
        raise InputRefused(Code.NOT_TEXT, "The texts have private-use characters that the target needs itself.")
    return LineMarks(request.original, request.edit, request.elisions, request.codes)


def _marked(request: EditRequest, marks: LineMarks) -> EditRequest:
    """The request as a target with line marks is asked it."""
    drafts = tuple(_with_marks(draft, marks) for draft in request.drafts)
    edit, elisions = marks.marked_edit
    # No snippets: they have no marks, and what is looked up in them would be refused at each line's start.
    return replace(request, original=marks.marked_original, edit=edit, elisions=elisions, drafts=drafts, snippets=())


def _with_marks(draft: Draft, marks: LineMarks) -> Draft:
    text = marks.marked_text(draft.text)
    edges, boundaries = shifted_offsets(draft.edges, text), shifted_offsets(draft.boundaries, text)
    return replace(draft, text=text, edges=edges, boundaries=boundaries)


def _wrapped(draft: Draft, target: Askable) -> Draft:
    """The draft as a whole answer, between the template's tags."""
    opening, closing = target.template.answer_open, target.template.answer_close
    shift = len(opening)
    return replace(
        draft,
        text=opening + draft.text + closing,
        edges=tuple(shift + edge for edge in draft.edges),
        boundaries=tuple(shift + boundary for boundary in draft.boundaries),
    )


class EditHandle(Handle):
    """A handle whose text is the new file, without the template's tags: the pieces joined are the result's text."""

    def __init__(self, target: Askable, request: EditRequest) -> None:
        super().__init__()
        self._template = target.template
        self._original = request.original
        self._answer = AnswerStream(target.template, request.original)
        self._num_given = 0

    def push(self, text: str) -> None:
        self._give(self._answer.feed(text))

    def finish(self, outcome: DecodeResult | BaseException) -> None:
        if isinstance(outcome, DecodeResult):
            outcome = self._extracted(outcome)
        if isinstance(outcome, DecodeResult):
            self._give(outcome.text[self._num_given :])
        super().finish(outcome)

    def _give(self, text: str) -> None:
        self._num_given += len(text)
        super().push(text)

    def _extracted(self, result: DecodeResult) -> DecodeResult | EditRefused:
        if result.is_given_up:
            return replace(result, text="".join(self._pieces))
        if not result.is_finished:
            num_tokens = result.stats.completion_tokens
            return ResultRefused(
                Code.TRUNCATION_DETECTED, f"The target hadn't finished after {num_tokens} tokens, the output's limit."
            )
        try:
            return replace(result, text=extract_answer(result.text, self._template, self._original))
        except ResultRefused as refused:
            return refused


# ---- its answer as the new file --------------------------------------------------------------------------------------


def extract_answer(output: str, template: PromptTemplate, original: str) -> str:
    """The new file that `output` holds.

    Prose around the tags, a fence around everything, and a newline that only sets off the tags are taken away.
    ResultRefused(TRUNCATION_DETECTED) where the opening or the closing tag is missing: half an answer is none.
    """
    answer = _between_tags(without_marks(output) if template.has_marks else output, template)
    if not _FENCE_START.match(original):
        fenced = FENCED.match(answer)
        answer = fenced["body"] if fenced else answer
    return _without_offset_newlines(answer, template, original)


_FENCE_START = re.compile(r"\A\s*(```|~~~)")
_MAY_BECOME_FENCE = re.compile(r"\A\s*(`{0,2}\Z|~{0,2}\Z|```|~~~)")


def _between_tags(output: str, template: PromptTemplate) -> str:
    opening, closing = template.answer_open.strip(), template.answer_close.strip()
    start = output.find(opening)
    # The last closing tag: the file may hold such tags itself.
    end = output.rfind(closing) if closing else len(output)
    if start < 0 or end < start + len(opening):
        missing = opening if start < 0 else closing
        raise ResultRefused(Code.TRUNCATION_DETECTED, f"The target's answer has no {missing}.")
    return output[start + len(opening) : end]


def _without_offset_newlines(answer: str, template: PromptTemplate, original: str) -> str:
    """The answer without a newline right inside the tags that the original doesn't have there."""
    if template.answer_open and answer.startswith("\n") and not original.startswith("\n"):
        answer = answer[1:]
    if template.answer_close and answer.endswith("\n") and original and not original.endswith("\n"):
        answer = answer[:-1]
    return answer


class AnswerStream:
    """Gives the new file out as the output comes in, holding back whatever `extract_answer` may take away."""

    def __init__(self, template: PromptTemplate, original: str) -> None:
        self._has_marks = template.has_marks
        self._opening = template.answer_open.strip()
        self._closing = template.answer_close.strip()
        self._may_be_fenced = not _FENCE_START.match(original)
        self._drops_first_newline = bool(template.answer_open) and not original.startswith("\n")
        self._drops_last_newline = bool(template.answer_close) and bool(original) and not original.endswith("\n")
        self._held = ""
        self._is_open = not self._opening
        self._is_begun = False

    def feed(self, text: str) -> str:
        """Takes more of the output in, and gives the text of the new file that is certain to come next."""
        self._held += without_marks(text) if self._has_marks else text
        if not self._is_open:
            start = self._held.find(self._opening)
            if start < 0:
                return ""
            self._held = self._held[start + len(self._opening) :]
            self._is_open = True
        if not self._is_begun and not self._begin():
            return ""
        keep = self._num_held_back()
        given, self._held = self._held[: len(self._held) - keep], self._held[len(self._held) - keep :]
        return given

    def _begin(self) -> bool:
        """Whether anything may be given out: not as long as a fence or a newline in front may have to go."""
        if self._may_be_fenced and _MAY_BECOME_FENCE.match(self._held):
            return False
        if not self._held:
            return False
        if self._drops_first_newline:
            self._held = self._held.removeprefix("\n")
        self._is_begun = True
        return True

    def _num_held_back(self) -> int:
        """The length from the last closing tag on, or of what may become one, and of a newline before it."""
        end = len(self._held) - self._num_closing()
        if self._drops_last_newline and self._held[:end].endswith("\n"):
            end -= 1
        return len(self._held) - end

    def _num_closing(self) -> int:
        if not self._closing:
            return 0
        found = self._held.rfind(self._closing)
        if found >= 0:
            return len(self._held) - found
        longest = min(len(self._closing) - 1, len(self._held))
        return next((n for n in range(longest, 0, -1) if self._closing.startswith(self._held[-n:])), 0)
