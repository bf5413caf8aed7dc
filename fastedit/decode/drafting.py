"""The drafters of a request, in the order in which they are asked. Imports no torch: the target may be computed
elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from fastedit.decode.controller import Acceptance
from fastedit.decode.request import DecodeRequest
from fastedit.draft import Cascade, Codec, NgramDrafter, SnippetDrafter, SuffixDrafter, TextDrafter, Transcript
from fastedit.draft.lookup import Tokens, as_tokens


def cascade_for(
    request: DecodeRequest, codec: Codec, stop_tokens: Sequence[int], transcript: Transcript, acceptance: Acceptance
) -> Cascade:
    """The drafters that follow the request's output as `transcript` has it."""
    texts = [TextDrafter(draft, codec, transcript, stop_tokens[:1]) for draft in request.drafts]
    for text in texts:
        text.prepare()  # in the thread of whoever submits, not in the engine's, where the others would wait

    snippets = list(map(codec.encode, request.snippets))

    @cache
    def sources() -> list[Tokens]:
        """Tokens that may be copied: the edit first, then the last of the texts, the original as a rule."""
        return list(map(as_tokens, [*snippets, *(text.tokens for text in texts[-1:])]))

    lookups = (
        SnippetDrafter(request.snippets, request.original, codec, transcript),
        SuffixDrafter(sources, transcript),
        NgramDrafter(sources, transcript),
    )
    return Cascade(texts, lookups, acceptance.worth)


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
