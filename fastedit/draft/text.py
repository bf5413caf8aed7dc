"""Drafts from a text that the output runs along: the merged draft, or the bare original.

While the target writes what the text says, the text's own tokens are proposed. Where it writes something else, the
drafter looks for the place where the text goes on (`draft.reanchor`) and tokenises again from there, so that it
resumes on the tokenizer's own boundaries whatever the divergence cut through.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

from fastedit.draft.model import Codec, Draft, Kind, Proposal
from fastedit.draft.reanchor import Anchor, Lost, find_anchor
from fastedit.draft.transcript import Transcript

RETOKENISED_BYTES = 512
RESYNC_TOKENS = 3  # tokens that have to agree before the old tokenisation is trusted again
# So many bytes have to follow before an anchor counts as found; more the further it leads, since what lies before it is
# given up then. An anchor that nothing else looks like needs less.
CONFIRMING_BYTES = 12
MOST_CONFIRMING_BYTES = 400
SKIPPED_PER_BYTE = 8
SKIPPED_PER_BYTE_IF_CERTAIN = 64


class TextDrafter:
    """Follows the transcript along one `Draft`. num_reanchors: anchors that turned out right.

    ending: special tokens expected behind the text, the stop token for instance.
    """

    def __init__(self, draft: Draft, codec: Codec, transcript: Transcript, ending: Sequence[int] = ()) -> None:
        self.kind = draft.kind
        self.num_reanchors = 0
        self._codec = codec
        self._transcript = transcript
        self._seen = 0  # tokens of the transcript that were followed
        self._tokens = [*codec.encode(draft.text), *ending]
        self._ending = list(ending)
        # A tokenizer may normalise; what counts is what its tokens stand for.
        self._source = b"".join(map(codec.piece, self._tokens))
        self._starts = [0, *accumulate(len(codec.piece(token)) for token in self._tokens)]
        self._edges = _byte_offsets(draft.text, draft.edges)
        self._boundaries = _byte_offsets(draft.text, draft.boundaries)
        self._queue = self._tokens  # what comes next, from `_at` on
        self._at = 0
        self._byte = 0  # where `_queue[_at]` begins in the source
        self._is_anchored = True
        self._label = draft.kind
        self._num_unconfirmed = 0  # bytes that still have to follow for the last anchor to count
        self._floor = 0  # where the target left the source, as long as no anchor is confirmed
        self._refused_end = 0
        self._left_at = 0  # byte of the transcript where that was

    def propose(self, limit: int) -> Proposal | None:
        self._catch_up()
        if not self._is_anchored:
            return None
        if self._at == len(self._queue):
            self._retokenise(self._byte)
        tokens = self._queue[self._at : self._at + limit]
        return Proposal(tokens, self._label, self._edges_within(tokens)) if tokens else None

    @property
    def is_in_step(self) -> bool:
        """Whether the target is writing what the text says."""
        self._catch_up()
        return self._is_anchored and self._num_unconfirmed <= 0

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
        """Take the tokens that go along with the queue; at the first that doesn't, note where the target left."""
        new = written[self._seen :]
        expected = self._queue[self._at : self._at + len(new)]
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
        """So many more bytes went along: enough of them, and the last anchor was right."""
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
        refused = self._queue[self._at : self._at + 1]
        self._refused_end = self._byte + sum(len(self._codec.piece(token)) for token in refused)

    def _reanchor(self) -> None:
        anchor = find_anchor(self._lost())
        if anchor is not None and self._retokenise(anchor.offset):
            self._resume(anchor)

    def _resume(self, anchor: Anchor) -> None:
        self._is_anchored = True
        per_byte = SKIPPED_PER_BYTE_IF_CERTAIN if anchor.is_certain else SKIPPED_PER_BYTE
        needed = CONFIRMING_BYTES + (anchor.offset - self._floor) // per_byte
        self._num_unconfirmed = min(needed, MOST_CONFIRMING_BYTES)
        self._label = Kind.ANCHORED if anchor.is_certain else Kind.GUESSED

    def _lost(self) -> Lost:
        transcript = self._transcript
        line_start = transcript.line_start(len(transcript.data))
        previous_start = transcript.line_start(max(line_start - 1, 0))
        return Lost(
            source=self._source,
            floor=self._floor,
            refused_end=self._refused_end,
            line=bytes(transcript.data[line_start:]),
            written=bytes(transcript.data[self._left_at :]),
            previous_line=bytes(transcript.data[previous_start : max(line_start - 1, previous_start)]),
            boundaries=self._boundaries,
        )

    def _retokenise(self, offset: int) -> bool:
        """Make the queue what the source says from byte `offset` on; False where no character begins there."""
        if offset == len(self._source):
            self._queue, self._at, self._byte = self._ending, 0, offset
            return bool(self._ending)
        window = self._source[offset : offset + RETOKENISED_BYTES]
        while window and _is_continuation(self._source, offset + len(window)):
            window = window[:-1]
        if not window or _is_continuation(self._source, offset):
            return False
        fresh = self._codec.encode(window.decode("utf-8", errors="replace"))
        self._queue = self._spliced(fresh, offset)
        self._at, self._byte = 0, offset
        return True

    def _spliced(self, fresh: list[int], offset: int) -> list[int]:
        """`fresh` up to where it meets the old tokenisation, and that from there on."""
        for index, start in enumerate(accumulate((len(self._codec.piece(token)) for token in fresh), initial=offset)):
            old = bisect_left(self._starts, start)
            if old >= len(self._tokens) or self._starts[old] != start:
                continue
            if (
                fresh[index : index + RESYNC_TOKENS]
                == self._tokens[old : old + len(fresh[index : index + RESYNC_TOKENS])]
            ):
                return fresh[:index] + self._tokens[old:]
        return fresh

    def _edges_within(self, tokens: list[int]) -> tuple[int, ...]:
        first = bisect_left(self._edges, self._byte)
        if first == len(self._edges):
            return ()
        ends = list(accumulate(len(self._codec.piece(token)) for token in tokens))
        inside = (edge - self._byte for edge in self._edges[first:] if edge - self._byte < ends[-1])
        return tuple(dict.fromkeys(bisect_left(ends, edge + 1) for edge in inside))


def _common_prefix(one: list[int], other: list[int]) -> int:
    if one[: len(other)] == other[: len(one)]:
        return min(len(one), len(other))
    return next(index for index, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1])


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
