"""How many passes FastEdit's own engine would take over an output that another one writes."""

from __future__ import annotations

import pytest

from fastedit.decode.request import DecodeRequest
from fastedit.draft import Draft, Kind
from fastedit.engines.engine import Rehearsal
from support.drafting import WordCodec

ORIGINAL = "def area(width):\n    return width\n\n\ndef name():\n    return 'shape'\n"
DRAFT = ORIGINAL.replace("shape", "solid")


def rehearsed(output: str, *drafts: str) -> int:
    codec = WordCodec()
    kinds = (Kind.MERGED, Kind.ORIGINAL)
    texts = tuple(Draft(text, kind) for text, kind in zip(drafts, kinds, strict=False))
    request = DecodeRequest((1,), 500, texts, original=ORIGINAL)
    rehearsal = Rehearsal(request, codec, (0,))
    rehearsal.follow([*codec.encode(output), 0])
    return rehearsal.num_passes


def test_an_output_that_is_the_draft_takes_one_pass():
    assert rehearsed(DRAFT, DRAFT, ORIGINAL) <= 1


def test_every_disagreement_takes_a_pass_more():
    slips = DRAFT.replace("area", "size"), DRAFT.replace("area", "size").replace("solid", "cube")
    one, two = (rehearsed(output, DRAFT, ORIGINAL) for output in slips)
    assert 1 <= one < two < 8


def test_where_nothing_is_known_each_token_takes_one():
    words = "alpha beta gamma delta epsilon"
    assert rehearsed(words, "") == len(WordCodec().encode(words)) + 1


@pytest.mark.parametrize("parts", [1, 3, 7])
def test_the_count_is_the_same_however_the_output_comes_in(parts: int):
    codec = WordCodec()
    request = DecodeRequest((1,), 500, (Draft(DRAFT),), original=ORIGINAL)
    tokens = codec.encode(DRAFT.replace("area", "size"))
    whole, pieces = Rehearsal(request, codec, (0,)), Rehearsal(request, codec, (0,))
    whole.follow(tokens)
    for start in range(0, len(tokens), parts):
        pieces.follow(tokens[start : start + parts])
    assert pieces.num_passes == whole.num_passes
