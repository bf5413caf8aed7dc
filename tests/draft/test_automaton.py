from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fastedit.draft.automaton import ROOT, SuffixAutomaton

tokens = st.lists(st.integers(0, 3), max_size=60)


def longest_suffix_in(text, written):
    """(length, end of the first occurrence) of the longest suffix of `written` that `text` has; by brute force."""
    for length in range(len(written), 0, -1):
        suffix = written[-length:]
        for start in range(len(text) - length + 1):
            if text[start : start + length] == suffix:
                return length, start + length
    return 0, 0


@given(text=tokens, written=tokens)
def test_finds_the_longest_suffix_that_occurs(text, written):
    automaton = SuffixAutomaton()
    for token in text:
        automaton.append(token)
    state, length = ROOT, 0
    for end, token in enumerate(written, 1):
        state, length = automaton.advance(state, length, token)
        expected, first_end = longest_suffix_in(text, written[:end])
        assert length == expected
        assert not length or automaton.first_end[state] == first_end


@given(text=tokens)
def test_goes_on_while_the_text_grows(text):
    """Each token is matched against what came before it, then added: an earlier occurrence, never itself."""
    automaton = SuffixAutomaton()
    state, length = ROOT, 0
    for end, token in enumerate(text, 1):
        state, length = automaton.advance(state, length, token)
        automaton.append(token)
        # The longest suffix of text[:end] that ends before `end`, and grew by one token at a time.
        assert length == longest_suffix_in(text[: end - 1], text[:end])[0]


@given(text=tokens)
def test_has_at_most_two_states_a_token(text):
    automaton = SuffixAutomaton()
    for token in text:
        automaton.append(token)
    assert len(automaton) <= max(2, 2 * len(text))


def test_a_long_text_takes_linear_time():
    """Steps, not seconds: transitions made for 40,000 repetitive tokens stay within a few a token."""
    automaton = SuffixAutomaton()
    state, length, steps = ROOT, 0, 0
    for index in range(40_000):
        token = index % 7 if index % 1000 else 9
        state, length = automaton.advance(state, length, token)
        automaton.append(token)
        steps += 1
    assert len(automaton) <= 2 * steps
    assert sum(map(len, automaton._next)) <= 3 * steps
