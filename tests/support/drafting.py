"""A simple tokenizer, and following a known output with drafters, without any model."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from fastedit.draft import Codec, Drafter, Proposal, Transcript

WORDS = re.compile(r"\n+| ?[A-Za-z]+|\d| +(?= )|[^\S\n]|[^\sA-Za-z\d]")


class WordCodec:
    """A tokenizer that cuts text into words, as code models' do, without any library: fast, and easy to predict.

    Ids are given out as words come up; a character outside ASCII becomes a token for each of its bytes."""

    def __init__(self):
        self.words: list[bytes] = [b""]  # id 0 ends an output
        self.ids: dict[bytes, int] = {}

    def encode(self, text):
        return [token for word in WORDS.findall(text) for token in self._ids_of(word)]

    def piece(self, token):
        return self.words[token]

    def text(self, tokens):
        return b"".join(map(self.piece, tokens)).decode(errors="replace")

    def _ids_of(self, word):
        data = word.encode()
        pieces = [data] if word.isascii() else [data[index : index + 1] for index in range(len(data))]
        for piece in pieces:
            if piece not in self.ids:
                self.ids[piece] = len(self.words)
                self.words.append(piece)
            yield self.ids[piece]


@dataclass
class Followed:
    """passes: as decoding would have made. refused: proposals that weren't accepted whole."""

    passes: int = 0
    refused: int = 0
    proposals: list[Proposal] = field(default_factory=list)


def follow(drafter: Drafter, transcript: Transcript, output: list[int], limit: int = 64) -> Followed:
    """Let the output be written: in each pass as much of the proposal as is right, and one token more."""
    followed = Followed()
    at = 0
    while at < len(output):
        proposal = drafter.propose(limit)
        tokens = proposal.tokens if proposal else []
        assert proposal is None or 1 <= len(tokens) <= limit
        num_right = 0
        while num_right < min(len(tokens), len(output) - at) and tokens[num_right] == output[at + num_right]:
            num_right += 1
        if proposal is not None:
            followed.proposals.append(proposal)
            followed.refused += num_right < len(tokens)
        new = output[at : at + num_right + 1]
        transcript.extend(new)
        at += len(new)
        followed.passes += 1
    return followed


def words_of(codec: Codec, text: str, stop: int = 0) -> list[int]:
    return [*codec.encode(text), stop]
