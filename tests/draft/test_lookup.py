from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastedit.draft import Kind, NgramDrafter, SuffixDrafter, Transcript
from support.drafting import WordCodec, follow


@pytest.fixture
def transcript(codec):
    return Transcript(codec)


def test_continues_the_longest_match(codec, transcript):
    source = codec.encode("one two three four one two five six")
    drafter = SuffixDrafter(lambda: [source], transcript)
    transcript.extend(codec.encode("xx two five"))
    assert codec.text(drafter.propose(10).tokens) == " six"
    transcript.extend(codec.encode(" one two"))
    assert codec.text(drafter.propose(3).tokens).startswith(" five")


def test_prefers_earlier_sources(codec, transcript):
    drafter = SuffixDrafter(lambda: [codec.encode("a b edit"), codec.encode("a b original")], transcript)
    transcript.extend(codec.encode("a b"))
    assert codec.text(drafter.propose(5).tokens) == " edit"


def test_copies_from_the_output_itself(codec, transcript):
    drafter = SuffixDrafter(list, transcript)
    transcript.extend(codec.encode("one two three four"))
    assert drafter.propose(5) is None
    transcript.extend(codec.encode(" one two"))
    assert codec.text(drafter.propose(2).tokens) == " three four"


def test_a_proposal_ends_with_its_source(codec, transcript):
    drafter = SuffixDrafter(lambda: [codec.encode("a b c"), codec.encode("x y z")], transcript)
    transcript.extend(codec.encode("a b"))
    assert codec.text(drafter.propose(50).tokens) == " c"
    transcript.extend(codec.encode(" c"))
    assert drafter.propose(50) is None


def test_kinds_tell_how_long_the_match_is(codec, transcript):
    words = "a b c d e f g h i j k l"
    drafter = SuffixDrafter(lambda: [codec.encode(words)], transcript)
    kinds = []
    for token in codec.encode(words)[:9]:
        transcript.extend([token])
        kinds.append(drafter.propose(1).kind)
    assert kinds == [Kind.SUFFIX_SHORT, *[Kind.SUFFIX] * 6, *[Kind.SUFFIX_LONG] * 2]


def test_sources_are_made_when_first_needed(codec, transcript):
    made = []
    drafter = SuffixDrafter(lambda: made.append(1) or [], transcript)
    NgramDrafter(lambda: made.append(1) or [], transcript)
    assert made == []
    drafter.propose(1)
    drafter.propose(1)
    assert made == [1]


def test_ngrams_continue_the_latest_match(codec, transcript):
    drafter = NgramDrafter(lambda: [codec.encode("a b c first a b c second")], transcript)
    transcript.extend(codec.encode("x a b c"))
    assert codec.text(drafter.propose(1).tokens) == " second"


def test_ngrams_need_n_tokens(codec, transcript):
    drafter = NgramDrafter(lambda: [codec.encode("a b c d")], transcript, n=3)
    transcript.extend(codec.encode("b c"))
    assert drafter.propose(5) is None


tokens = st.lists(st.integers(0, 2), max_size=40)


@given(sources=st.lists(tokens, max_size=3), output=tokens, n=st.integers(1, 4))
def test_proposals_are_what_a_search_of_all_places_finds(sources, output, n):
    """The first place of the longest suffix that occurs before; the latest place of the last n tokens."""
    transcript = Transcript(WordCodec())
    suffix, ngram = SuffixDrafter(lambda: sources, transcript), NgramDrafter(lambda: sources, transcript, n)
    for token in output:
        transcript.tokens.append(token)
        written = transcript.tokens
        text = [item for source in sources for item in (*source, -1)] + written
        longest, end = max(
            ((length, -end) for length in range(len(written) + 1) for end in ends_of(text, written, length)),
            default=(0, 0),
        )
        assert proposed(suffix) == (following(text, -end) if longest else [])
        text = [item for source in reversed(sources) for item in (*source, -1)] + written
        ends = ends_of(text, written, n) if len(written) >= n else []
        assert proposed(ngram) == (following(text, ends[-1]) if ends else [])


def ends_of(text, written, length):
    """Ends of all earlier places of the last `length` tokens that were written."""
    suffix = written[len(written) - length :]
    return [end for end in range(length, len(text)) if text[end - length : end] == suffix]


def following(text, end):
    rest = text[end : end + 5]
    return rest[: rest.index(-1)] if -1 in rest else (rest * 5)[:5]


def proposed(drafter):
    proposal = drafter.propose(5)
    return proposal.tokens if proposal else []


@pytest.mark.parametrize("make", [SuffixDrafter, NgramDrafter])
def test_a_repetitive_output_is_followed_at_length(codec, make):
    transcript = Transcript(codec)
    output = codec.encode("    call(x)\n" * 50)
    followed = follow(make(list, transcript), transcript, output)
    assert followed.passes < len(output) / 10
