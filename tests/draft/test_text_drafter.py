from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastedit.draft import Draft, Kind, TextDrafter, Transcript
from support.drafting import WordCodec, follow, words_of

FILE = "".join(
    f"def function{letter}(value):\n    result = compute(value, {index})\n    return result\n\n\n"
    for index, letter in enumerate("abcdefgh")
)


def drafter_over(text, codec, **draft):
    transcript = Transcript(codec)
    return TextDrafter(Draft(text, **draft), codec, transcript, (0,)), transcript


def follow_text(draft, output, codec, limit=1000):
    drafter, transcript = drafter_over(draft, codec)
    return follow(drafter, transcript, words_of(codec, output), limit)


def test_a_right_draft_needs_one_pass(codec):
    followed = follow_text(FILE, FILE, codec)
    assert (followed.passes, followed.refused) == (1, 0)
    assert followed.proposals[0].tokens[-1] == 0  # the stop token is drafted too


def test_chunks_go_on_where_the_last_one_ended(codec):
    num_tokens = len(words_of(codec, FILE))
    assert follow_text(FILE, FILE, codec, limit=10).passes == -(-num_tokens // 11)


@pytest.mark.parametrize(
    ("old", "new", "most_passes"),
    [
        ("compute(value, 3)", "evaluate(value, 3)", 3),  # a word replaced
        ("compute(value, 3)", "compute(value, strict, 3)", 5),  # words inserted: each is news
        ("    result = compute(value, 3)\n", "", 4),  # a line deleted
        ("def functiond(value):\n    result = compute(value, 3)\n    return result\n\n\n", "", 4),  # a whole function
        ("    return result\n\n\ndef functione", "    return result + 1\n\n\ndef functione", 7),
        ("functiond", "fonctiond", 3),
    ],
)
def test_a_divergence_costs_few_passes(codec, old, new, most_passes):
    assert FILE.count(old) == 1
    assert follow_text(FILE, FILE.replace(old, new), codec).passes <= most_passes


def test_inserted_lines_cost_a_pass_a_token_and_then_it_goes_on(codec):
    inserted = "    check(value)\n    report(value)\n"
    output = FILE.replace("    result = compute(value, 5)\n", inserted + "    result = compute(value, 5)\n")
    assert follow_text(FILE, output, codec).passes <= len(words_of(codec, inserted)) + 3


def test_resumes_on_the_tokenizers_own_boundaries(codec):
    """The target cuts `functiond` differently from the draft; what follows is whole words again."""
    drafter, transcript = drafter_over("call functiond now and then", codec)
    odd = [*codec.encode("call"), *codec.encode(" func"), *codec.encode("tiond")]
    transcript.extend(odd)
    assert codec.text(drafter.propose(50).tokens) == " now and then"
    assert drafter.propose(50).tokens == words_of(codec, " now and then")


def test_a_draft_that_is_cut_inside_a_character_waits_for_its_end(codec):
    drafter, transcript = drafter_over("x = 'é' + done", codec)
    first, second = codec.encode("é")
    transcript.extend([*codec.encode("x = '"), first])
    proposal = drafter.propose(50)
    assert proposal is None or proposal.tokens[0] == second
    transcript.extend([second])
    assert codec.text(drafter.propose(50).tokens).startswith("' + done")


def test_other_drafters_tokens_are_followed_too(codec):
    drafter, transcript = drafter_over(FILE, codec)
    transcript.extend(codec.encode(FILE[: FILE.index(" compute(value, 3)")]))
    assert drafter.is_in_step
    assert codec.text([*transcript.tokens, *drafter.propose(1000).tokens]) == FILE


def test_a_wrong_anchor_is_forgotten(codec):
    """The first guess after `value` is wrong; the right place lies before where that guess would have led."""
    output = FILE.replace("compute(value, 2)", "compute(value)").replace("compute(value, 3)", "compute(value)")
    assert follow_text(FILE, output, codec).passes <= 12


def test_edges_are_counted_in_tokens(codec):
    text = "aa bb cc dd ee"
    drafter, transcript = drafter_over(text, codec, edges=(text.index(" cc"), text.index(" ee")))
    assert drafter.propose(10).edges == (2, 4)
    transcript.extend(codec.encode("aa"))
    assert drafter.propose(10).edges == (1, 3)
    assert drafter.propose(2).edges == (1,)


def test_kinds_tell_how_sure_it_is(codec):
    drafter, transcript = drafter_over(FILE, codec, kind=Kind.ORIGINAL)
    assert drafter.propose(5).kind == Kind.ORIGINAL
    transcript.extend(codec.encode(FILE[: FILE.index(" compute(value, 4)")] + " other"))
    assert drafter.propose(5).kind in (Kind.ANCHORED, Kind.GUESSED)
    transcript.extend(codec.encode("(value, 4)\n    return result"))
    assert drafter.propose(5).kind == Kind.ORIGINAL
    assert drafter.num_reanchors == 1


def test_an_empty_draft_ends_at_once(codec):
    drafter, _ = drafter_over("", codec)
    assert drafter.propose(5).tokens == [0]


lines = st.lists(st.sampled_from(["a = 1\n", "b = 2\n", "\n", "    c(x)\n", "é→\n", "\tx\r\n", "end"]), max_size=25)


@given(draft=lines, output=lines, limit=st.integers(1, 40))
def test_always_ends_and_never_goes_back(draft, output, limit):
    codec = WordCodec()
    drafter, transcript = drafter_over("".join(draft), codec)
    tokens = words_of(codec, "".join(output))
    followed = follow(drafter, transcript, tokens, limit)
    assert transcript.tokens == tokens
    assert followed.passes <= len(tokens)


class CountingCodec:
    """A codec that notes the lengths of the texts that it is given."""

    def __init__(self, codec):
        self.codec, self.lengths = codec, []

    def encode(self, text):
        self.lengths.append(len(text))
        return self.codec.encode(text)

    def piece(self, token):
        return self.codec.piece(token)


def test_little_is_tokenised_anew_where_the_old_tokens_are_soon_met(codec):
    counting = CountingCodec(codec)
    drafter, transcript = drafter_over(FILE, counting)
    drafter.prepare()
    transcript.extend(codec.encode(FILE[: FILE.index("result = compute(value, 3)")] + "total"))
    assert drafter.propose(1000) is not None
    assert counting.lengths[0] == len(FILE)
    assert max(counting.lengths[1:]) <= 64


def test_the_end_follows_an_anchor_among_the_last_tokens(codec):
    drafter, transcript = drafter_over("one two three four", codec)
    transcript.extend(codec.encode("one two 3 four"[:-5]))
    proposal = drafter.propose(10)
    assert proposal.tokens == [*codec.encode(" four"), 0]
