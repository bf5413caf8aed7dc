"""Claims of words about names, which a result bears out or not."""

from __future__ import annotations

import numpy as np
import pytest

from fastedit.anchor.lazy.lines import Change, Lines
from fastedit.anchor.lazy.result.claims import CLAIMS, MAX_SUM, Claims
from fastedit.anchor.lazy.words.mentions import ROLES, Mention, Mentioned, MentionTokens, mentioned
from fastedit.syntax import outline

TEXTS = ["import old", "", "def load():", "    return old.read()", "", "def save():", "    pass"]
FILE, FOUND = Lines(TEXTS), outline("\n".join(TEXTS), "python")
TOKENS = MentionTokens(np.zeros(0, np.int64), np.zeros((0, 0), np.float32), np.zeros(0, np.int64))


def said(*roles: tuple[str, str], pieces: tuple[int, ...] = (), is_plain: bool = False) -> Mentioned:
    """Words that say of each name that it has a role, for certain. pieces: before which snippet each name stands."""
    places = pieces or (0,) * len(roles)
    mentions = [
        Mention(piece, 0, 1, name, not is_plain, is_plain, in_file=True)
        for piece, (name, _) in zip(places, roles, strict=True)
    ]
    chances = np.zeros((len(roles), len(ROLES)), np.float32)
    for number, (_, role) in enumerate(roles):
        chances[number, ROLES.index(role)] = 1
    return Mentioned(mentions, TOKENS, chances)


def told(named: Mentioned, *changes: Change, snippets: tuple[tuple[str, ...], ...] = ()) -> dict[str, float]:
    """The claims that changes of the file don't bear out. snippets: their lines without white space."""
    found = Claims(named, FILE, FOUND, snippets).unborne(changes)
    return {name.removeprefix("claims_"): value for name, value in zip(CLAIMS, found, strict=True)}


def unborne(named: Mentioned, *changes: Change) -> set[str]:
    """The claims about names that changes don't bear out."""
    return {name for name, value in told(named, *changes).items() if value}


IN_SAVE: Change = (6, 7, ["    more()"])
IN_LOAD: Change = (3, 4, ["    return old.read(1)"])


@pytest.mark.parametrize(
    ("name", "role", "changes", "expected"),
    [
        ("save", "gone", [IN_LOAD], {"gone", "elsewhere_all"}),
        ("save", "gone", [(4, 7, [])], set()),
        ("old", "gone", [(0, 1, [])], {"partly"}),
        ("old", "old", [IN_SAVE], {"old"}),
        ("old", "old", [(0, 1, ["import new"]), (3, 4, ["    return new.read()"])], set()),
        ("more()", "new", [IN_LOAD], {"new", "absent"}),
        ("more()", "new", [IN_SAVE], set()),
        ("old", "new", [IN_SAVE], {"again"}),
        ("old", "new", [(6, 7, ["    old.write()"])], set()),
        ("return old.read()", "changed", [IN_SAVE], {"changed"}),
        ("return old.read()", "changed", [IN_LOAD], set()),
        ("save", "changed", [IN_LOAD], {"changed", "elsewhere_all"}),
        ("save", "changed", [IN_SAVE], set()),
        ("save", "inside", [IN_SAVE], set()),
        ("save", "inside", [(7, 7, ["    more()"])], set()),
        ("save", "inside", [IN_LOAD], {"inside", "elsewhere_all"}),
        ("save", "stays", [(4, 7, [])], {"stays", "stays_inside", "vanished"}),
        ("save", "stays", [IN_SAVE], {"stays_inside"}),
        ("save", "stays", [IN_LOAD], set()),
        ("save", "other", [(4, 7, [])], {"vanished"}),
        ("import old", "after", [IN_SAVE], {"beside"}),
        ("import old", "after", [(1, 1, ["import new"])], set()),
        ("def save", "inside", [IN_SAVE], set()),  # no name of anything, but its line opens a block
        ("def save", "inside", [IN_LOAD], {"inside", "elsewhere_all"}),
        ("store()", "inside", [IN_SAVE], {"absent", "absent_place"}),
        ("save", "gone", [], set()),
    ],
)
def test_a_claim_counts_where_it_does_not_show(name: str, role: str, changes: list[Change], expected: set[str]) -> None:
    assert unborne(said((name, role)), *changes) == expected


def test_a_name_is_a_whole_word() -> None:
    """`sav` isn't `save`, and of a plain word that nothing has nothing is claimed."""
    assert unborne(said(("sav", "gone")), IN_SAVE) == {"absent"}
    assert unborne(said(("sav", "gone"), is_plain=True), IN_SAVE) == set()


def test_part_of_the_changes_is_elsewhere() -> None:
    assert told(said(("save", "changed")), IN_LOAD, IN_SAVE)["elsewhere_all"] == 0.5


def test_words_speak_of_the_snippet_behind_them() -> None:
    """`load` before the first snippet, `save` before the second: each is changed where it is named."""
    named = said(("load", "changed"), ("save", "changed"), pieces=(0, 1))
    shown = (("returnold.read(1)",), ("more()",))
    as_told, crossed = (
        told(named, IN_LOAD, IN_SAVE, snippets=shown),
        told(named, IN_LOAD, IN_SAVE, snippets=shown[::-1]),
    )
    assert as_told["elsewhere"] == as_told["changed"] == 0
    assert crossed["elsewhere"] == 2
    assert as_told["elsewhere_all"] == crossed["elsewhere_all"] == 0


def test_claims_are_summed_up_to_a_limit() -> None:
    named = said(*[(name, "gone") for name in ("load", "save", "old", "read", "pass")])
    assert told(named, (0, 0, ["# new"]))["gone"] == MAX_SUM


def test_words_are_read_by_the_network_that_ships() -> None:
    """Only `save` changes, they say; a change of `load` isn't what they ask for."""
    named = mentioned(["Only `save` changes, `load` stays as it is.", ""], [["    more()"]], FILE)
    assert told(named, IN_LOAD)["elsewhere_all"] > told(named, IN_SAVE)["elsewhere_all"] + 0.3
    assert told(named, IN_LOAD)["stays_inside"] > told(named, IN_SAVE)["stays_inside"] + 0.3
