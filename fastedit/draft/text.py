"""Drafts from a text that the output runs along: the merged draft, or the bare original; and several drafters as one.

While the target writes what the text says, the text's own tokens are proposed. Where it writes something else, the
drafter looks for the place where the text goes on (`draft.reanchor`) and tokenises again from there, so that it
resumes on the tokenizer's own boundaries whatever the divergence cut through.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

from fastedit.draft.model import Codec, Draft, Drafter, Kind, Proposal, Transcript
from fastedit.draft.reanchor import Anchor, Lost, find_anchor

# Tokenised anew from an anchor on, until the old tokens are met: nearly always within the first few.
WINDOWS_BYTES = (64, 512)
RESYNC_TOKENS = 3  # that have to agree before the old tokens are trusted again
# So many bytes have to follow before an anchor counts as found; more the further it leads, since what lies before it is
# given up then. An anchor that nothing else looks like needs less.
CONFIRMING_BYTES = 12
MOST_CONFIRMING_BYTES = 400
SKIPPED_PER_BYTE = 8
SKIPPED_PER_BYTE_IF_CERTAIN = 64
Worth = Callable[[Proposal], float]
GUESSED_TOKENS = 512  # of a proposal that isn't in step: most end long before, and each is made anew for every pass


@dataclass(frozen=True, slots=True)
class Queue:
    """Tokens of a text from some byte on. starts: where in the text each begins, and where the last one ends."""

    tokens: list[int]
    starts: list[int]


class Source:
    """A text in a target's tokens. whole: all of them, with the ending. data: the bytes they stand for.
    boundaries: bytes where declarations begin."""

    def __init__(self, draft: Draft, codec: Codec, ending: Sequence[int]) -> None:
        self.use(codec)
        self._ending = list(ending)
        tokens = [*codec.encode(draft.text), *ending]
        # A tokenizer may normalise; what counts is what its tokens stand for.
        pieces = list(map(codec.piece, tokens))
        self.data = b"".join(pieces)
        self.whole = Queue(tokens, [0, *accumulate(map(len, pieces))])
        self.boundaries = _byte_offsets(draft.text, draft.boundaries)
        self._edges = _byte_offsets(draft.text, draft.edges)

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the codec: to be sent to another process, and be given one there by `use`."""
        return {name: value for name, value in self.__dict__.items() if name not in ("_piece", "_encode")}

    def use(self, codec: Codec) -> None:
        self._piece, self._encode = codec.piece, codec.encode

    def from_byte(self, offset: int) -> Queue:
        """Tokens of the text from byte `offset` on: its first part at least; none where no character begins there."""
        if offset == len(self.data):
            return Queue(self._ending, [offset] * (len(self._ending) + 1))
        if _is_continuation(self.data, offset):
            return Queue([], [offset])
        for num_bytes in WINDOWS_BYTES:
            end = min(offset + num_bytes, len(self.data))
            while _is_continuation(self.data, end):
                end -= 1
            fresh = self._encode(self.data[offset:end].decode("utf-8", errors="replace"))
            spliced = self._spliced(fresh, offset)
            if spliced is not None:
                return spliced
        return Queue(fresh, self._starts(fresh, offset))

    def edges_within(self, queue: Queue, at: int, num_tokens: int) -> tuple[int, ...]:
        """Places of hunks' edges in a queue: indices of tokens, counted from its token `at` on, below `num_tokens`."""
        starts = queue.starts
        first = bisect_left(self._edges, starts[at])
        last = bisect_left(self._edges, starts[at + num_tokens], lo=first)
        edges = self._edges[first:last]
        return tuple(dict.fromkeys(bisect_right(starts, edge, lo=at) - 1 - at for edge in edges))

    def _starts(self, fresh: list[int], offset: int) -> list[int]:
        """The bytes at which the tokens from byte `offset` on begin, and the one where the last ends."""
        return list(accumulate((len(self._piece(token)) for token in fresh), initial=offset))

    def _spliced(self, fresh: list[int], offset: int) -> Queue | None:
        """Joins `fresh`, up to where it meets the whole text's tokens, with those from there on; None where it
        doesn't."""
        tokens, starts = self.whole.tokens, self.whole.starts
        fresh_starts = self._starts(fresh, offset)
        for index, start in enumerate(fresh_starts):
            old = bisect_left(starts, start)
            if old >= len(tokens) or starts[old] != start:
                continue
            following = fresh[index : index + RESYNC_TOKENS]
            is_enough = len(following) == RESYNC_TOKENS or fresh_starts[-1] == len(self.data)
            if is_enough and following == tokens[old : old + len(following)]:
                return Queue(fresh[:index] + tokens[old:], fresh_starts[:index] + starts[old:])
        return None


def _is_continuation(data: bytes, offset: int) -> bool:
    return offset < len(data) and 0x80 <= data[offset] < 0xC0


def _byte_offsets(text: str, offsets: tuple[int, ...]) -> tuple[int, ...]:
    """Character offsets, ascending, as offsets in the text's UTF-8."""
    result: list[int] = []
    character, byte = 0, 0
    for offset in offsets:
        byte += len(text[character:offset].encode("utf-8", errors="replace"))
        character = max(character, offset)
        result.append(byte)
    return tuple(result)


class TextDrafter:
    """Follows the transcript along one `Draft`. num_reanchors: anchors that turned out right.

    ending: special tokens expected behind the text, the stop token for instance. source: the draft with its ending in
    tokens, where somebody has made it already; else it is tokenised when the drafter is first asked, so that one that
    never is costs nothing.
    """

    def __init__(
        self,
        draft: Draft,
        codec: Codec,
        transcript: Transcript,
        ending: Sequence[int] = (),
        source: Source | None = None,
    ) -> None:
        self.kind = draft.kind
        self.num_reanchors = 0
        self._draft, self._codec, self._ending = draft, codec, ending
        self._made = source
        self._transcript = transcript
        self._seen = 0  # tokens of the transcript that were followed
        self._resumed: Queue | None = None  # since the last anchor
        self._at = 0
        self._byte = 0  # where `_queue[_at]` begins in the source
        self._is_anchored = True
        self._label = draft.kind
        self._num_unconfirmed = 0  # bytes that still have to follow for the last anchor to count
        self._floor = 0  # where the target left the source, as long as no anchor is confirmed
        self._refused_end = 0
        self._left_at = 0  # byte of the transcript where that was

    def prepare(self) -> None:
        """Tokenises now rather than when first asked."""
        assert self._source is not None

    @property
    def tokens(self) -> list[int]:
        """The whole text's tokens, with its ending."""
        return self._source.whole.tokens

    def propose(self, limit: int) -> Proposal | None:
        self._catch_up()
        if not self._is_anchored:
            return None
        if self._at == len(self._queue.tokens):
            self._resume_at(self._byte)
        tokens = self._queue.tokens[self._at : self._at + limit]
        if not tokens:
            return None
        return Proposal(tokens, self._label, self._source.edges_within(self._queue, self._at, len(tokens)))

    @property
    def is_in_step(self) -> bool:
        """Whether the target is writing what the text says."""
        self._catch_up()
        return self._is_anchored and self._num_unconfirmed <= 0

    @property
    def goes_along(self) -> bool:
        """Whether all that was written is followed without looking for an anchor, which may take a while."""
        new = self._transcript.tokens[self._seen :]
        return not new or (self._is_anchored and self._queue.tokens[self._at : self._at + len(new)] == new)

    @cached_property
    def _source(self) -> Source:
        return self._made or Source(self._draft, self._codec, self._ending)

    @property
    def _queue(self) -> Queue:
        """The tokens to follow; those that come next stand from `_at` on."""
        return self._source.whole if self._resumed is None else self._resumed

    def _catch_up(self) -> None:
        written = self._transcript.tokens
        if self._seen == len(written):
            return
        if self._is_anchored:
            self._follow(written)
        if self._seen < len(written):
            self._seen = len(written)
            self._reanchor()

    def _follow(self, written: list[int]) -> None:
        """Takes the tokens that go along with the queue; at the first that doesn't, notes where the target left."""
        new = written[self._seen :]
        expected = self._queue.tokens[self._at : self._at + len(new)]
        num_equal = _common_prefix(new, expected)
        start = self._transcript.start_of(self._seen)
        self._seen += num_equal
        self._at += num_equal
        here = self._transcript.start_of(self._seen)
        self._byte += here - start
        self._confirm(here - start)
        if self._seen < len(written):
            self._leave(here)

    def _confirm(self, num_bytes: int) -> None:
        """Notes that so many more bytes went along: enough of them, and the last anchor was right."""
        was_confirmed = self._num_unconfirmed <= 0
        self._num_unconfirmed -= num_bytes
        if self._num_unconfirmed <= 0 and not was_confirmed:
            self._label = self.kind
            self.num_reanchors += 1

    def _leave(self, transcript_byte: int) -> None:
        self._is_anchored = False
        if self._num_unconfirmed > 0:
            return  # the last anchor was wrong: what is known is what was known before it
        self._floor = self._byte
        self._left_at = transcript_byte
        self._refused_end = self._queue.starts[min(self._at + 1, len(self._queue.tokens))]

    def _reanchor(self) -> None:
        anchor = find_anchor(self._lost())
        if anchor is not None and self._resume_at(anchor.offset):
            self._expect(anchor)

    def _expect(self, anchor: Anchor) -> None:
        self._is_anchored = True
        per_byte = SKIPPED_PER_BYTE_IF_CERTAIN if anchor.is_certain else SKIPPED_PER_BYTE
        needed = CONFIRMING_BYTES + (anchor.offset - self._floor) // per_byte
        self._num_unconfirmed = min(needed, MOST_CONFIRMING_BYTES)
        self._label = Kind.ANCHORED if anchor.is_certain else Kind.GUESSED

    def _resume_at(self, offset: int) -> bool:
        """Makes the queue what the source says from byte `offset` on; False where there is nothing to say."""
        queue = self._source.from_byte(offset)
        if not queue.tokens:
            return False
        self._resumed, self._at, self._byte = queue, 0, offset
        return True

    def _lost(self) -> Lost:
        data = self._transcript.data
        line_start = self._transcript.line_start(len(data))
        previous_start = self._transcript.line_start(max(line_start - 1, 0))
        return Lost(
            source=self._source.data,
            floor=self._floor,
            refused_end=self._refused_end,
            line=bytes(data[line_start:]),
            written=bytes(data[self._left_at :]),
            previous_line=bytes(data[previous_start : max(line_start - 1, previous_start)]),
            boundaries=self._source.boundaries,
        )


def _common_prefix(one: list[int], other: list[int]) -> int:
    if one[: len(other)] == other[: len(one)]:
        return min(len(one), len(other))
    return next(index for index, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1])


class Cascade:
    """Proposes what the first text that is in step says; where none is, the best of what all drafters say.

    texts: in order of trust (merged draft, original). worth: how many tokens of a proposal are likely to be accepted.
    """

    def __init__(self, texts: Sequence[TextDrafter], lookups: Sequence[Drafter], worth: Worth) -> None:
        self._texts = texts
        self._lookups = lookups
        self._worth = worth

    def propose(self, limit: int) -> Proposal | None:
        return next(iter(self.candidates(limit)), None)

    def candidates(self, limit: int) -> list[Proposal]:
        """The proposals that might be made, best first; only that of a text that is in step, where there is one."""
        for text in self._texts:
            if text.is_in_step and (proposal := text.propose(limit)):
                return [proposal]
        drafters: list[Drafter] = [*self._texts, *self._lookups]
        limit = min(limit, GUESSED_TOKENS)
        proposals = [proposal for drafter in drafters if (proposal := drafter.propose(limit))]
        return sorted(proposals, key=self._worth, reverse=True)

    @property
    def num_reanchors(self) -> int:
        return sum(text.num_reanchors for text in self._texts)
