"""Requests to an engine that listens elsewhere: sent, followed token by token, and given up where nobody waits."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace

from fastedit.decode.controller import Acceptance
from fastedit.decode.request import (
    DecodeRequest,
    DecodeResult,
    DecodeStats,
    EditHandle,
    EditRequest,
    Handle,
    decode_request,
    seconds_left,
)
from fastedit.decode.sequence import cascade_for
from fastedit.draft import Codec, Transcript
from fastedit.engines.wire import Cost, Piece, ServedModel, Server, Stream
from fastedit.errors import Code, EditRefused, EngineUnavailable, InputRefused
from fastedit.targets.templates import Askable

logger = logging.getLogger(__name__)

MOST_AT_ONCE = 256  # requests; the engine queues and batches them itself


class ElsewhereEngine:
    """Has a server compute a target's outputs. Safe to use from any thread."""

    def __init__(self, server: Server, model: ServedModel) -> None:
        self.server = server
        self.model = model
        self._threads = ThreadPoolExecutor(MOST_AT_ONCE, "fastedit-engine")
        self._lock = threading.Lock()
        self._running: set[Handle] = set()
        self._is_closed = False

    def submit(self, target: Askable, request: EditRequest) -> Handle:
        """Sends an edit request off; the handle streams the new file's text and ends with it.

        Whether drafts are verified is the server's affair: `speculate` and `max_chunk` change nothing.
        InputRefused(TOO_LARGE) where it can't fit, EngineUnavailable(TARGET_UNAVAILABLE) after `close`.
        """
        asked = decode_request(target, request, min(self.model.max_positions, target.max_positions))
        self._check_fits(asked)
        handle = _RemoteHandle(target, request)
        self._start(_Answer(self.server, self.model, target, asked, handle), handle)
        return handle

    def score(self, request: DecodeRequest) -> Handle:
        """Asks the server how likely an output is; the handle ends with the logprobs of its tokens.

        Raises as `submit` does. The server may read the prompt anew for each.
        """
        self._check_fits(request)
        handle = _ScoreHandle()
        self._start(_Scoring(self.server, self.model, request), handle)
        return handle

    def close(self) -> None:
        """Gives up all requests (TARGET_UNAVAILABLE) and takes no more."""
        with self._lock:
            self._is_closed = True
            handles = list(self._running)
        for handle in handles:
            handle.finish(_closed())
            handle.cancel()
        self._threads.shutdown(wait=False, cancel_futures=True)

    @property
    def num_running(self) -> int:
        return len(self._running)

    @property
    def num_waiting(self) -> int:
        """0: what waits, waits at the server."""
        return 0

    @property
    def fallbacks(self) -> tuple[str, ...]:
        """Nothing: an engine elsewhere doesn't say what it does in a slower way than it could."""
        return ()

    def _start(self, answer: _Answer | _Scoring, handle: Handle) -> None:
        with self._lock:
            if self._is_closed:
                raise _closed()
            self._running.add(handle)
            self._threads.submit(self._run, answer, handle)

    def _run(self, answer: _Answer | _Scoring, handle: Handle) -> None:
        outcome: DecodeResult | BaseException
        try:
            outcome = answer.read()
        except EditRefused as error:
            outcome = error
        except Exception as error:  # noqa: BLE001 this request's failure is no other's
            logger.error("a request to the engine failed: %s", type(error).__name__)
            outcome = EngineUnavailable(Code.ENGINE_ERROR, f"Internal: {type(error).__name__}.")
        if handle.is_cancelled:
            outcome = CancelledError()
        with self._lock:
            self._running.discard(handle)
        handle.finish(outcome)

    def _check_fits(self, asked: DecodeRequest) -> None:
        given, limit = len(asked.prompt) + asked.max_new_tokens, self.model.max_positions
        if given > limit:
            raise InputRefused(
                Code.TOO_LARGE, f"Prompt and output may take {given} tokens together; the target has room for {limit}."
            )


class _RemoteHandle(EditHandle):
    """A handle whose cancelling ends the stream that is being read, and so the server's work on it."""

    def __init__(self, target: Askable, request: EditRequest) -> None:
        super().__init__(target, request)
        self._stream: Stream | None = None

    def follow(self, stream: Stream) -> None:
        self._stream = stream
        if self.is_cancelled:
            stream.close()

    def cancel(self) -> None:
        super().cancel()
        if self._stream is not None:
            self._stream.close()
        self.finish(CancelledError())


class _ScoreHandle(Handle):
    """A handle whose cancelling is heard at once. The server goes on with the pass: it is but one."""

    def cancel(self) -> None:
        super().cancel()
        self.finish(CancelledError())


@dataclass(frozen=True, slots=True)
class _Scoring:
    """A request for how likely an output is: to the server a prompt whose tokens' probabilities are wanted."""

    server: Server
    model: ServedModel
    request: DecodeRequest
    began_s: float = field(default_factory=time.perf_counter)

    def read(self) -> DecodeResult:
        """The output with its logprobs. EngineUnavailable, as `Server.logprobs` says, TIMEOUT behind the deadline."""
        asked = self.request
        tokens = [*asked.prompt, *asked.scored]
        try:
            logprobs = self.server.logprobs(self.model.name, tokens, seconds_left(asked.deadline_s, self.began_s))
        except EngineUnavailable:
            seconds_left(asked.deadline_s, self.began_s)  # raises where it is our own time that is up
            raise
        total_ms = 1000 * (time.perf_counter() - self.began_s)
        stats = DecodeStats(prompt_tokens=len(tokens), passes=1, prefill_ms=total_ms, total_ms=total_ms)
        return DecodeResult("", asked.scored, stats, logprobs=tuple(logprobs[len(asked.prompt) :]))


class _Answer:
    """A request's output as it comes in.

    Where the target is constrained, the server, which knows nothing of that, is left at the first token that may not
    stand, and asked to go on behind the one that stands there instead. It has the prompt in its cache.
    """

    def __init__(
        self, server: Server, model: ServedModel, target: Askable, asked: DecodeRequest, handle: _RemoteHandle
    ) -> None:
        self._server, self._model, self._target = server, model, target
        self._asked, self._handle = asked, handle
        self._written = Transcript(target.codec)
        self._state = asked.constraint.start if asked.constraint else None
        self._rehearsal = Rehearsal(asked, target.codec, target.stop_tokens) if asked.max_passes else None
        self._stops = frozenset(target.stop_tokens)
        self._streamed_byte = 0
        self._num_streams = 0
        self._num_untold, self._tells_drafts = 0, False  # tokens of streams that were left, beyond one for each event
        self._began_s = time.perf_counter()
        self._first_s: float | None = None
        self._stats = DecodeStats(prompt_tokens=len(asked.prompt))

    def read(self) -> DecodeResult:
        """The whole output. EngineUnavailable, as `Stream.pieces` says."""
        while not self._is_over:
            stream = self._server.complete(self._body())
            self._handle.follow(stream)
            self._num_streams += 1
            self._follow(stream)
        return self._result()

    def _body(self) -> dict[str, object]:
        asked, sampling = self._asked, self._asked.sampling
        return {
            "model": self._model.name,
            "prompt": [*asked.prompt, *self._written.tokens],
            "max_tokens": asked.max_new_tokens - len(self._written.tokens),
            "stop_token_ids": list(self._target.stop_tokens),
            "temperature": 0.0 if sampling.is_greedy else sampling.temperature,
            "top_p": sampling.top_p,
            "top_k": sampling.top_k,
            # A stream that goes on where another was left must not have its noise once more.
            "seed": (sampling.seed + self._num_streams) % 2**63,
            # What isn't named here vLLM takes from the checkpoint's own wishes for chats.
            "min_p": 0.0,
            "repetition_penalty": 1.0,
            "presence_penalty": 0.0,
            "frequency_penalty": 0.0,
        }

    def _follow(self, stream: Stream) -> None:
        """Takes a stream's tokens until it ends, or what it says next doesn't count any more."""
        num_before, num_pieces = len(self._written.tokens), 0
        cost: Cost | None = None
        is_ended = False
        with closing(stream):
            for piece in stream.pieces(self._left_s):
                cost = piece.cost or cost
                if is_ended or piece.cost is not None:
                    continue
                num_pieces += bool(piece.tokens)
                if not self._take(piece):
                    break
                is_ended = piece.finish is not None
        num_written = len(self._written.tokens) - num_before
        if not num_written and not is_ended:
            raise self._server.garbled("no tokens at all")
        self._count(cost, num_written, num_pieces)

    def _take(self, piece: Piece) -> bool:
        """Takes a piece over; False where the stream is to be left."""
        self._first_s = self._first_s or time.perf_counter()
        room = self._asked.max_new_tokens - len(self._written.tokens)
        tokens, is_own = self._constrained(_up_to_stop(piece.tokens, self._stops)[:room])
        self._write(tokens)
        if not is_own or self._is_given_up:
            return False
        if piece.finish == "stop" and not self._has_stopped:
            self._write([piece.stop if piece.stop in self._stops else self._target.stop_tokens[0]])
        elif piece.finish not in (None, "stop", "length"):
            raise self._server.gone(ConnectionAbortedError())
        elif piece.finish == "length" and not self._is_over:
            raise self._server.garbled("fewer tokens than it was asked for")
        return True

    def _constrained(self, own: Sequence[int]) -> tuple[list[int], bool]:
        """The tokens that count, and whether the target itself would have written them all."""
        constraint = self._asked.constraint
        if constraint is None:
            return list(own), True
        chosen: list[int] = []
        for token in own:
            counted, self._state = constraint.choose(self._state, token)
            chosen.append(counted)
            if counted != token:
                return chosen, False
        return chosen, True

    def _write(self, tokens: Sequence[int]) -> None:
        self._written.extend(tokens)
        if self._rehearsal is not None:
            self._rehearsal.follow(tokens)
        text, self._streamed_byte = self._written.whole_text(self._streamed_byte)
        self._handle.push(text)

    def _count(self, cost: Cost | None, num_written: int, num_pieces: int) -> None:
        """Adds what a stream has taken. Each pass writes one token of the target's own; the others were drafted.

        A stream that was left tells no cost: then each event counts as a pass, as long as no more is known.
        """
        cost, stats = cost or Cost(), self._stats
        if cost.accepted is None:
            num_passes, accepted = num_pieces, 0
            self._num_untold += num_written - num_pieces
        else:
            accepted = min(cost.accepted, num_written)
            num_passes = max(1, num_written - accepted)
            self._tells_drafts = True
        self._stats = replace(
            stats,
            passes=stats.passes + num_passes,
            drafted=stats.drafted + max(cost.drafted or 0, accepted),
            accepted=stats.accepted + accepted,
            cached_tokens=(cost.cached_tokens or 0) if self._num_streams == 1 else stats.cached_tokens,
        )

    def _left_s(self) -> float | None:
        return seconds_left(self._asked.deadline_s, self._began_s)

    @property
    def _is_over(self) -> bool:
        return self._has_stopped or self._is_given_up or len(self._written.tokens) >= self._asked.max_new_tokens

    @property
    def _has_stopped(self) -> bool:
        return bool(self._written.tokens) and self._written.tokens[-1] in self._stops

    @property
    def _is_given_up(self) -> bool:
        limit = self._asked.max_passes
        if limit is None or self._rehearsal is None or self._has_stopped:
            return False
        return self._rehearsal.num_passes >= limit or len(self._written.tokens) >= self._asked.max_new_tokens

    def _result(self) -> DecodeResult:
        now_s = time.perf_counter()
        first_s = self._first_s or now_s
        untold = self._num_untold if self._tells_drafts else 0
        stats = replace(
            self._stats,
            drafted=self._stats.drafted + untold,
            accepted=self._stats.accepted + untold,
            completion_tokens=len(self._written.tokens),
            prefill_ms=1000 * (first_s - self._began_s),
            decode_ms=1000 * (now_s - first_s),
            total_ms=1000 * (now_s - self._began_s),
        )
        text = self._written.data.decode("utf-8", errors="replace")
        return DecodeResult(text, tuple(self._written.tokens), stats, self._has_stopped, self._is_given_up)


def _up_to_stop(tokens: Sequence[int], stops: frozenset[int]) -> Sequence[int]:
    """The tokens up to the first that ends an output: a draft may have been accepted beyond it."""
    end = next((index + 1 for index, token in enumerate(tokens) if token in stops), len(tokens))
    return tokens[:end]


def _closed() -> EngineUnavailable:
    return EngineUnavailable(Code.TARGET_UNAVAILABLE, "The engine is shutting down.")


class Rehearsal:
    """Counts the passes that FastEdit's own engine would take over an output that somebody else is writing, were no
    draft too long for a pass.

    So a target is given up after as many disagreements wherever it is computed, and whatever drafts it has there.
    """

    def __init__(self, request: DecodeRequest, codec: Codec, stop_tokens: Sequence[int]) -> None:
        self.num_passes = 0
        self._written = Transcript(codec)
        self._limit = request.max_new_tokens
        self._cascade = cascade_for(request, codec, stop_tokens, self._written, Acceptance())
        self._expected = self._proposed()

    def follow(self, tokens: Sequence[int]) -> None:
        """Takes the next tokens of the output."""
        for token in tokens:
            self._written.extend((token,))
            if self._expected and self._expected[-1] == token:
                self._expected.pop()
                continue
            self.num_passes += 1  # it ends with a token of the target's own, in the draft's place or behind it
            self._expected = self._proposed()

    def _proposed(self) -> list[int]:
        """The draft of the next pass, last token first."""
        proposal = self._cascade.propose(self._limit)
        return proposal.tokens[::-1] if proposal else []
