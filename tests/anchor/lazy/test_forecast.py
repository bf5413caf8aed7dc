"""What becomes of each line: the tokens of a message, and what changes do to them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastedit.anchor.hints import Hints, hints_of
from fastedit.anchor.lazy.features import SAME
from fastedit.anchor.lazy.forecast import network
from fastedit.anchor.lazy.forecast.network import (
    FORECAST,
    LEAST,
    OF_CHANGE,
    OUTSIDE,
    Forecast,
    Outcomes,
    compared,
    plain_changes,
)
from fastedit.anchor.lazy.forecast.sentences import MAX_OF_ALL, MAX_SENTENCES, sentences_around
from fastedit.anchor.lazy.forecast.tokens import (
    FITS,
    LINE_FACTS,
    MAX_ROWS,
    PAIR_FACTS,
    ROW_FACTS,
    TIES,
    Tokens,
    tokens_of,
)
from fastedit.anchor.lazy.lines import Change, Lines
from fastedit.anchor.lazy.parts import Base, plain_grids
from fastedit.anchor.lazy.readings import contexts_of, pieces_of, readings_of, words_beside
from fastedit.anchor.lazy.search.grid import Grid
from fastedit.anchor.lazy.words.mentions import mentioned
from fastedit.edits.model import Snippet
from fastedit.syntax import outline

ORIGINAL = ["import os", "", "", "def load(path):", "    check(path)", "    return read(path)", "", "", "END = 1"]
SHOWN = ["def load(path):", "    # ...", "    log(path)", "    return read(path)"]


def read(original: list[str], *shown: list[str], words: str = "") -> Tokens | None:
    base = Base(Lines(original), outline("\n".join(original), "python"), "python")
    snippets, hints = [Snippet(tuple(lines)) for lines in shown], hints_of(words)
    grids = plain_grids(base, snippets, contexts_of(snippets, hints), "python")
    return tokens_told(base, snippets, hints, grids, words)


def tokens_told(
    base: Base, snippets: list[Snippet], hints: Hints, grids: Sequence[Grid | None], words: str
) -> Tokens | None:
    pieces = pieces_of(snippets, words)
    return tokens_of(grids, hints, pieces, mentioned(pieces, [one.lines for one in snippets], base.lines))


def said(tokens: Tokens, gone: dict[int, float] | None = None, new: dict[int, float] | None = None) -> Outcomes:
    """Outcomes that are sure of nothing but what is given: log odds by line."""
    num_rows, num_lines = len(tokens.row_keys), len(tokens.numbers)
    odds = [np.full(num_lines, -4.0, np.float32) for _ in range(2)]
    for table, known in zip(odds, (gone, new), strict=True):
        for line, value in (known or {}).items():
            table[tokens.numbers.tolist().index(line)] = value
    fates, places = np.full((num_rows, 3), np.log(1 / 3)), np.full((num_rows, num_lines), -np.log(num_lines))
    return Outcomes(*odds, fates.astype(np.float32), places.astype(np.float32))


def forecast_by(monkeypatch: pytest.MonkeyPatch, tokens: Tokens, outcomes: Outcomes) -> Forecast:
    class Told:
        def outcomes(self, _: Tokens) -> Outcomes:
            return outcomes

    monkeypatch.setattr(network, "forecast_network", lambda _: Told())
    return Forecast(tokens)


def test_the_tokens_of_a_message() -> None:
    tokens = read(ORIGINAL, SHOWN, ["END = 2"])
    assert tokens is not None
    assert tokens.rows.shape == (5, len(ROW_FACTS))
    assert tokens.lines.shape == (len(ORIGINAL) + 1, len(LINE_FACTS))  # with the end
    assert tokens.fits.shape == (5, len(ORIGINAL) + 1, len(FITS))
    assert tokens.numbers.tolist() == list(range(len(ORIGINAL) + 1))
    assert tokens.snippets.tolist() == [0, 0, 0, 0, 1]
    assert tokens.row_keys[4] == "END=2"
    assert tokens.line_keys[3] == "defload(path):"
    same = {tuple(pair) for pair in tokens.pairs[tokens.pair_facts[:, SAME] > 0].tolist()}
    assert {(0, 3), (3, 5)} <= same
    assert tokens.fits[3, 5, FITS.index("same")]
    assert tokens.fits[2, 5, FITS.index("same_below")] == tokens.fits[3, 6, FITS.index("same")]
    assert not tokens.fits[0, 5, FITS.index("same")]


def facts_of_row(tokens: Tokens, row: int) -> dict[str, float]:
    return dict(zip(ROW_FACTS, tokens.rows[row].tolist(), strict=True))


def test_sentences_are_rows_behind_those_of_code() -> None:
    base = Base(Lines(ORIGINAL), outline("\n".join(ORIGINAL), "python"), "python")
    snippets = [
        Snippet(tuple(SHOWN), prose="I changed `load`. It logs now:"),
        Snippet(("END = 2",), prose="And `END`:"),
    ]
    message = "I changed `load`. It logs now:\n\n```\n```\n\nAnd `END`:\n\n```\n```\n\n- `check` is no longer needed.\n"
    hints = hints_of(message)
    grids = plain_grids(base, snippets, contexts_of(snippets, hints), "python")
    tokens = tokens_told(base, snippets, hints, grids, words_beside(message, snippets))
    assert tokens is not None
    assert len(tokens.rows) == 5 + 4
    assert tokens.row_keys[5:] == ("", "", "", "")
    assert tokens.snippets.tolist() == [0, 0, 0, 0, 1, 0, 0, 1, 1]
    told = [facts_of_row(tokens, row) for row in range(9)]
    assert [one["is_prose"] for one in told] == [0] * 5 + [1] * 4
    assert [one["is_behind"] for one in told[5:]] == [0, 0, 0, 1]
    assert [one["is_item"] for one in told[5:]] == [0, 0, 0, 1]
    assert told[5]["near"] > told[6]["near"] == 0
    assert told[8]["says_gone"]
    # `load` is the declaration's name, `check` a call in one line, which a sentence behind all names.
    named = {tuple(pair): facts for pair, facts in zip(tokens.pairs.tolist(), tokens.pair_facts, strict=True)}
    declares, inside, quoted = (PAIR_FACTS.index(f"prose_{name}") for name in ("declares", "inside", "named"))
    assert (named[5, 3][declares], named[5, 4][declares], named[5, 4][inside]) == (1, 0, 1)
    assert named[8, 4][quoted] == 1
    assert (8, 5) not in named
    # What the words say of both, and of what stands in a declaration.
    gone, changed, around = (PAIR_FACTS.index(f"said_{name}") for name in ("gone", "changed", "around_changed"))
    assert named[8, 4][gone] > 0.5 > named[5, 3][gone]
    assert named[5, 3][changed] == named[5, 4][around] > 0.15
    tied = TIES.index("within")
    assert tokens.ties[5, 0, :tied].tolist() == [True, True, False, False, False, False, False]
    assert tokens.ties[6, 0, :tied].tolist() == [False, True, True, False, False, False, False]
    assert tokens.ties[7, 0, :tied].tolist() == [False, False, False, True, False, False, False]
    assert tokens.ties[7, 4, :tied].tolist() == [True, True, True, False, False, False, True]
    assert tokens.ties[8, 4, :tied].tolist() == [False, True, False, True, False, False, False]
    assert not tokens.ties[5, 4].any()
    assert (tokens.ties[..., :tied] == tokens.ties[..., :tied].transpose(1, 0, 2)).all()


def test_of_many_sentences_the_nearest_count() -> None:
    pieces = [" ".join(f"It is part {number} of {piece}." for number in range(12)) for piece in range(50)]
    found = sentences_around(pieces)
    assert len(found) == MAX_OF_ALL
    assert max(one.near for one in found) == 1
    assert [one.snippet for one in found] == sorted(one.snippet for one in found)
    assert len(sentences_around(pieces[:3])) == 3 * MAX_SENTENCES


def test_rows_in_the_order_of_the_lines_around() -> None:
    original = ["NAMES = [", '    "account",', '    "acm",', '    "batch",', '    "zeta",', '    "iam",', "]"]
    tokens = read(original, ['    "appflow",', '    "zulu",'])
    assert tokens is not None
    fits = {name: [tokens.fits[row, :, FITS.index(name)].nonzero()[0].tolist() for row in (0, 1)]
            for name in ("in_order", "in_their_order")}  # fmt: skip
    assert fits["in_order"] == [[3], [6]]
    assert fits["in_their_order"] == [[3], []]  # "iam" stands behind "zeta"


def test_lines_that_sentences_name_are_looked_at() -> None:
    original = [*ORIGINAL, *(f"value_{n} = call(that, {n})" for n in range(100)), "", "def last():", "    return 0"]
    plain, told = read(original, SHOWN), read(original, SHOWN, words="`value_60` is no longer used.")
    assert plain is not None
    assert told is not None
    assert 69 not in plain.numbers
    assert 69 in told.numbers


def test_large_originals_keep_their_numbers() -> None:
    filler = [line for n in range(900) for line in (f"def other_{n}(value):", f"    return value + {n}", "")]
    original = [*filler, *ORIGINAL[3:6], "", *(line.replace("other", "more") for line in filler)]
    tokens = read(original, SHOWN)
    assert tokens is not None
    assert len(tokens.numbers) < 600
    at = tokens.line_keys.index("check(path)")
    assert tokens.numbers[at] == len(filler) + 1
    told = zip(tokens.numbers.tolist(), tokens.line_keys, strict=True)
    assert all(original[line].replace(" ", "") == key for line, key in told if line < len(original))


def test_messages_of_too_many_rows_have_no_forecast() -> None:
    assert read(ORIGINAL, [f"value_{n} = {n}" for n in range(MAX_ROWS + 1)]) is None
    assert read(ORIGINAL, [""]) is None


def test_what_changes_do_to_the_tokens() -> None:
    tokens = read(ORIGINAL, SHOWN)
    assert tokens is not None
    found = Forecast(tokens).decisions([(4, 5, ["    log(path)", "    unseen()"])])
    assert list(found.gone) == [4]
    assert list(found.new) == [4]
    assert list(found.places) == [([2], 4)]
    assert (found.outside, found.unshown) == (0, 1)
    # The header and the return stay, the marker is neither, the call is new.
    assert found.fates.tolist() == [1, 2, 0, 1]


def test_how_likely_changes_are(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = read(ORIGINAL, SHOWN)
    assert tokens is not None
    told = forecast_by(monkeypatch, tokens, said(tokens, gone={4: 2.0}, new={4: 3.0}))
    meant, keeps = (dict(zip(FORECAST, told.facts(changes), strict=True)) for changes in (
        [(4, 5, ["    log(path)"])], [(4, 4, ["    log(path)"])]
    ))  # fmt: skip
    assert meant["forecast_gone_against"] == 0
    assert keeps["forecast_gone_against"] == pytest.approx(-2)
    assert meant["forecast_gone"] - keeps["forecast_gone"] == pytest.approx(2)
    assert keeps["forecast_gone_least"] == pytest.approx(-np.logaddexp(0, 2.0))
    assert meant["forecast_new"] == keeps["forecast_new"]
    assert meant["forecast_place"] == pytest.approx(-np.log(len(tokens.numbers)))
    nothing = dict(zip(FORECAST, told.facts([]), strict=True))
    assert nothing["forecast_new_against"] == pytest.approx(-3)


def test_lines_that_words_change_count_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = read(ORIGINAL, SHOWN)
    assert tokens is not None
    told = forecast_by(monkeypatch, tokens, said(tokens, gone={4: -2.0}, new={4: -3.0}))
    nothing = dict(zip(FORECAST, told.facts([]), strict=True))
    worded = dict(zip(FORECAST, told.facts([(4, 5, ["    reworded"])], {4}), strict=True))
    assert worded["forecast_worded"] == pytest.approx(-np.logaddexp(0, 2.0) - np.logaddexp(0, 3.0))
    assert (worded["forecast_unshown"], nothing["forecast_worded"]) == (0, 0)
    assert worded["forecast_gone"] - nothing["forecast_gone"] == pytest.approx(np.logaddexp(0, -2.0))
    assert worded["forecast_new_against"] == nothing["forecast_new_against"] == 0


def test_how_likely_one_change_is(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = read(ORIGINAL, SHOWN)
    assert tokens is not None
    told = forecast_by(monkeypatch, tokens, said(tokens, gone={4: 2.0, 5: 1.0}, new={4: 3.0}))

    def of(change: Change) -> dict[str, float]:
        return dict(zip(OF_CHANGE, told.facts_of(change), strict=True))

    meant, more, only_new = of((4, 5, ["    log(path)"])), of((3, 5, ["    log(path)"])), of((9, 9, ["x"]))
    assert meant["gone"] == meant["gone_least"] == pytest.approx(-np.logaddexp(0, -2.0))
    assert meant["new"] == pytest.approx(-np.logaddexp(0, -3.0))
    assert meant["place"] == pytest.approx(-np.log(len(tokens.numbers)))
    assert meant["rows"] == pytest.approx(np.log(1 / 3))
    assert meant["beside"] == pytest.approx(-np.logaddexp(0, -1.0))  # the line below may go as well
    assert more["gone_least"] == pytest.approx(-np.logaddexp(0, 4.0))
    assert more["gone"] == pytest.approx((more["gone_least"] + meant["gone"]) / 2)
    assert only_new["gone"] == only_new["rows"] == only_new["unseen"] == 0
    assert of((4, 5, []))["new"] == pytest.approx(-np.logaddexp(0, 3.0))  # nothing new, where something was expected


def test_changes_where_nothing_was_looked_at_count(monkeypatch: pytest.MonkeyPatch) -> None:
    original = [*ORIGINAL, *(f"value_{n} = call(that, {n})" for n in range(100)), "", "def last():", "    return 0"]
    tokens = read(original, SHOWN)
    assert tokens is not None
    assert 60 not in tokens.numbers
    told = forecast_by(monkeypatch, tokens, said(tokens))
    facts = dict(zip(FORECAST, told.facts([(60, 62, ["    log(path)"])]), strict=True))
    assert facts["forecast_outside"] == 3
    assert facts["forecast_place"] == OUTSIDE
    assert dict(zip(OF_CHANGE, told.facts_of((60, 62, ["    log(path)"])), strict=True))["unseen"] == 1
    many = told.facts([(20, 80, [])])
    assert max(abs(value) for value in many) <= -LEAST


LINES = st.lists(st.sampled_from(["a", "b", "", "  c"]), max_size=9)


@given(LINES, LINES)
def test_changes_lead_from_one_text_to_the_other(original: list[str], result: list[str]) -> None:
    changes = compared(original, result)
    lines = list(original)
    for start, end, new in reversed(changes):
        lines[start:end] = new
    assert lines == result
    assert all(a[1] < b[0] for a, b in pairwise(changes))
    whole = plain_changes(original, result, [(0, len(original), result)])
    assert whole == changes
    assert plain_changes(original, original, []) == []


@pytest.mark.parametrize("most", [0, 3000])
def test_lines_written_again_are_no_change(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "MAX_COMPARED", most)
    original = ["a", "b", "c", "d", "e"]
    result = ["a", "b", "x", "c", "d"]
    made = [(1, 3, ["b", "x", "c"]), (4, 5, [])]
    assert plain_changes(original, result, made) == [(2, 2, ["x"]), (4, 5, [])]


def test_snippets_of_a_large_original_have_one_forecast_together() -> None:
    """The search folds the original for each snippet by itself; the forecast has all of them beside the same lines."""
    parts = [[f"def {kind}_{n}(value):\n    return value + {n}\n" for n in range(450)] for kind in ("first", "second")]
    original = "\n".join(part for part in parts[0] + parts[1]).split("\n")
    snippets = [Snippet((f"def {kind}_300(value):", "    return value - 300")) for kind in ("first", "second")]
    found = readings_of(original, snippets, "python", "", outline("\n".join(original), "python"))
    facts = dict(zip(FORECAST, found[0].whole[-len(FORECAST) :], strict=True))
    assert sum(line == "    return value - 300" for line in found[0].lines) == 2
    assert facts["forecast_outside"] == 0
    assert any(facts.values())


def test_rows_in_the_blocks_that_they_stand_in() -> None:
    original = ["[a]", "one = 1", "", "[b]", "two = 2", "three = 3", "", "[c]", "four = 4"]
    tokens = read(original, ["[b]", "# ... existing code ...", "five = 5"])
    assert tokens is not None
    fits = {name: tokens.fits[2, :, FITS.index(name)].nonzero()[0].tolist()
            for name in ("in_block", "off_block", "block_start", "block_end")}  # fmt: skip
    assert fits == {"in_block": [4, 5, 6], "off_block": [0, 1, 2, 3, 7, 8, 9], "block_start": [4], "block_end": [6]}
    assert not tokens.fits[0, :, FITS.index("in_block") :].any()  # the header stands in none
    assert tokens.ties[2, 0, TIES.index("within")]
    assert tokens.ties[0, 2, TIES.index("holds")]
    assert not tokens.ties[0, 2, TIES.index("within")]


def test_the_end_of_a_block_is_looked_at() -> None:
    body = [f"    value_{number} = {number}" for number in range(200)]
    original = ["class A:", *body, "", "", "class B:", *body, "", "", *ORIGINAL, *ORIGINAL]
    tokens = read(original, ["class A:", "    # ... existing code ...", "    def run(self):", "        return 0"])
    assert tokens is not None
    assert 201 in tokens.numbers
    assert 100 not in tokens.numbers


def test_rows_beside_lines_of_their_kind() -> None:
    original = ["import a", "from b import c", "", "def run():", "    import d", "VALUE = 1"]
    tokens = read(original, ["from z import y", "OTHER = 2"])
    assert tokens is not None
    fits = {name: [tokens.fits[row, :, FITS.index(name)].nonzero()[0].tolist() for row in (0, 1)]
            for name in ("kin_above", "kin_below")}  # fmt: skip
    assert fits["kin_above"] == [[1, 2, 3], [6]]  # `import d` stands further right
    assert fits["kin_below"] == [[0, 1], [5]]
