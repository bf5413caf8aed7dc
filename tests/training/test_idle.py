"""Words that say nothing of an edit: messages with some more of them, and a certainty that they don't change."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from fastedit.anchor.lazy import FITTED
from fastedit.anchor.lazy.certainty import FACTORS, network
from fastedit.errors import SettingsError
from fastedit.training.alignment.__main__ import IDLE
from fastedit.training.alignment.cases import Case, ProcessMap, laid
from fastedit.training.alignment.idle import KINDS, IdleWords, fit_steadily, read_idle, steadied, with_idle
from fastedit.training.alignment.weights import read_weights

FILE = "import os\n\n\ndef load(path):\n    check(path)\n    return read(path)\n\n\nEND = 1\n"
MESSAGE = "Log it.\n\n```python\ndef load(path):\n    log(path)\n    check(path)\n```\n"
SAID = [
    IdleWords("open", "Sure, here it is:"),
    IdleWords("run", "Run the tests."),
    IdleWords("rest", "The rest stays."),
]


def case(name: str = "one", message: str = MESSAGE) -> Case:
    return Case(name, name, "a.py", FILE, message, FILE.replace("    check", "    log(path)\n    check"))


def test_the_words_that_ship_name_nothing() -> None:
    known = read_idle(IDLE)
    assert {one.kind for one in known} == KINDS
    assert not any(set('`"_(){}=0123456789') & set(one.text) for one in known)
    assert len({one.text for one in known}) == len(known)


@pytest.mark.parametrize("line", ["open", "open\t ", "greeting\tHello."])
def test_a_line_that_holds_none_is_told(tmp_path: Path, line: str) -> None:
    path = tmp_path / "idle.tsv"
    path.write_text(f"close\tThat's all.\n{line}\n", "utf-8")
    with pytest.raises(SettingsError, match="line 2"):
        read_idle(path)
    with pytest.raises(SettingsError):
        read_idle(tmp_path / "none.tsv")


def test_idle_words_stand_around_the_code_and_change_nothing_else() -> None:
    chance = random.Random(0)
    made = [more for _ in range(200) if (more := with_idle(case(), SAID, chance)) is not None]
    assert len(made) == 200
    assert all(MESSAGE.strip() in one.message and one.message != MESSAGE for one in made)
    told = Counter("before" if not one.message.startswith("Log it.") else "behind" for one in made)
    assert min(told.values()) > 40
    assert any("a.py" in one.message for one in made)
    for one in made:
        given = laid(one)
        assert given is not None
        assert [snippet.lines for snippet in given.snippets] == [
            ("def load(path):", "    log(path)", "    check(path)")
        ]
    assert with_idle(case(message="def load(path):\n    log(path)\n"), SAID, chance) is None


def test_odds_stay_where_idle_words_move_factors() -> None:
    """And what they are without such words stays too, for facts that idle words don't move above all."""
    chance = np.random.default_rng(0)
    plain = chance.normal(size=(600, len(FACTORS)))
    more = plain.copy()
    more[:, FACTORS.index("message_asked")] += 2
    known = network(FITTED / "certainty.npz", FACTORS)
    plain, more = (one * known.deviation + known.mean for one in (plain, more))
    steady = steadied(known, plain[:400], more[:400], 0)
    before = np.abs(known.odds(more[400:]) - known.odds(plain[400:])).mean()
    assert np.abs(steady.odds(more[400:]) - steady.odds(plain[400:])).mean() < before / 2
    assert np.abs(steady.odds(plain[400:]) - known.odds(plain[400:])).mean() < before / 2
    changed = np.flatnonzero(np.abs(steady.inner - known.inner).max(axis=1))
    assert changed.tolist() == [FACTORS.index("message_asked")]


def test_the_stored_network_is_fitted_steadily(tmp_path: Path) -> None:
    path = tmp_path / "certainty.npz"
    path.write_bytes((FITTED / "certainty.npz").read_bytes())
    cases = [case(f"case {number}", MESSAGE.replace("Log it", f"Log it at step {number}")) for number in range(12)]
    weights = read_weights(FITTED / "weights.json")
    told = fit_steadily(cases, SAID, weights, tmp_path, 0, ProcessMap())
    assert told["pairs"] == 12
    assert told["moved_after"] <= told["moved_before"]
    assert path.read_bytes() != (FITTED / "certainty.npz").read_bytes()
    with pytest.raises(SettingsError):
        fit_steadily([case(message="nothing")], SAID, weights, tmp_path, 0, ProcessMap())
