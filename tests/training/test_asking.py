"""What a message asks for that no snippet shows, learned from results alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from fastedit.anchor.lazy.words import asking as read
from fastedit.training.alignment import asking
from fastedit.training.alignment.asking import (
    AskingSample,
    asks_for_more,
    fit_asking,
    fitted_network,
    sample_of,
)
from fastedit.training.alignment.cases import Case, ProcessMap, laid
from fastedit.training.alignment.idle import IdleWords
from fastedit.training.alignment.wordings import PARTS, held_out

FILE = "import os\n\n\ndef load(path):\n    check(path)\n    return read(path)\n\n\nEND = 1\nMOST = 2\nLAST = 3\n"
SHOWN = "```python\ndef load(path):\n    log(path)\n    check(path)\n```\n"
MORE = FILE.replace("    check", "    log(path)\n    check")


def case(prose: str, result: str, shown: str = SHOWN, name: str = "one") -> Case:
    return Case(name, name, "a.py", FILE, f"{prose}\n\n{shown}", result)


@pytest.mark.parametrize(
    ("result", "asks"),
    [
        (MORE, False),
        (MORE.replace("END = 1", "END = 2"), True),
        (MORE.replace("MOST = 2\n", ""), True),
        (MORE.replace("    return read(path)\n", ""), False),  # it stands below a line that is shown
        (MORE.replace("\n\n\nEND", "\n\nEND"), False),
    ],
)
def test_a_change_that_no_snippet_shows_is_asked_for(result: str, asks: bool) -> None:
    given = laid(case("Logs it.", result))
    assert given is not None
    assert asks_for_more(given) is asks


def test_a_message_that_leaves_its_wish_untold_asks_for_more() -> None:
    refused = Case("one", "one", "a.py", FILE, f"Log it, and adjust the callers.\n\n{SHOWN}", None)
    told = sample_of(replace(refused, refusal="untold"))
    assert told is not None
    assert told.asks
    # Of others nobody knows what they ask for.
    assert sample_of(refused) is None
    assert sample_of(replace(refused, refusal="twins")) is None


def test_words_that_close_a_message_say_nothing_of_others(tmp_path: Path) -> None:
    closed = case(f"Log it.\n\n{SHOWN}\nNothing else changes.", MORE, shown="", name="closed")
    naming, asking_more = (replace(closed, message=f"{closed.message} {more}") for more in ("Not `END`.", "Go on."))
    found = [sample_of(one) for one in (closed, naming, case("Log it.", MORE))]
    assert [one and one.closing for one in found] == ["Nothing else changes.", "", ""]
    asks = sample_of(replace(asking_more, expected=MORE.replace("MOST = 2\n", "")))
    assert asks is not None
    assert asks.closing == ""
    assert (one := sample_of(closed, is_idle=True)) is not None
    assert one.is_idle
    assert not one.closing
    cases = [closed, *(case("Log it.", MORE, name=f"case {number}") for number in range(9))]
    told = fit_asking([*cases, asks_for(1)], [], tmp_path / "a.npz", 0, ProcessMap())
    assert (told["messages"], told["asking"], told["with_idle_words"]) == (11, 1, 10)
    told = fit_asking(cases[1:], [], tmp_path / "a.npz", 0, ProcessMap())
    assert told["with_idle_words"] == 0  # there are none
    told = fit_asking(cases[1:], [IdleWords("open", "Sure:"), IdleWords("run", "Test it.")], tmp_path / "a.npz", 0,
                      ProcessMap())  # fmt: skip
    assert told["with_idle_words"] == 9


def asks_for(number: int) -> Case:
    return case("Log it, and `MOST` goes.", MORE.replace("MOST = 2\n", ""), name=f"asks {number}")


def samples() -> list[AskingSample]:
    asked = [case(f"Log it, and `MOST` {word}.", MORE.replace("MOST = 2\n", "")) for word in ("goes", "is gone")]
    plain = [case(f"Log it {word}.", MORE) for word in ("first", "at once")]
    found = [sample_of(one) for one in (*asked, *plain) * 8]
    return [one for one in found if one is not None]


def test_the_stored_network_says_what_the_fitted_one_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = samples()
    network = fitted_network(known, 0)
    monkeypatch.setattr(asking, "fitted_network", lambda samples, seed: network)
    told = fit_asking(
        [case("Log it.", MORE, name=f"case {number}") for number in range(9)], [], tmp_path / "a.npz", 0, ProcessMap()
    )
    assert told["messages"] == 9
    assert all(held_out(tmp_path / "a.npz", part).exists() for part in range(PARTS))
    asking.use_asking(tmp_path / "a.npz")
    for one in known[:4]:
        with torch.no_grad():
            odds = float(network(*asking.batch_of([one.tokens]))[0])
        assert read.odds_asked(one.tokens) == pytest.approx(max(-6, min(6, odds)), abs=0.02)


def test_words_that_ask_are_learned() -> None:
    known = samples()
    network = fitted_network(known, 0)
    with torch.no_grad():
        odds = network(*asking.batch_of([one.tokens for one in known[:4]]))
    assert min(odds[:2]) > max(odds[2:])
