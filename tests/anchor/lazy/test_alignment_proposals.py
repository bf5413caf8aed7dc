"""What words say is gone or has moved, as lines that could go."""

from __future__ import annotations

from collections.abc import Sequence

from fastedit.anchor.hints import Hints
from fastedit.anchor.lazy.proposals import MAX_PROPOSALS, PROPOSALS, Proposal, proposals_for
from fastedit.syntax import outline
from support.aligning import lines_of

STORE = """\
import os
import json

LIMIT = 3


def load(path):
    with open(path) as file:
        return json.load(file)


def save(path, value):
    with open(path, "w") as file:
        json.dump(value, file)


def main():
    save("a", load("b"))
"""


def proposed(original: str, *removed: str, lines: Sequence[str] | None = None) -> list[Proposal]:
    """What is proposed for a result that is the original, or other lines with what is left of it at the top."""
    old = lines_of(original)
    new = old if lines is None else [*lines, *old]
    origins = [None] * (len(new) - len(old)) + list(range(len(old)))
    return proposals_for(new, origins, old, outline(original, "python"), Hints(removed=frozenset(removed)))


def values(one: Proposal) -> set[str]:
    return {name for name, value in zip(PROPOSALS, one.values, strict=True) if value}


def test_a_named_declaration_goes_with_the_blank_lines_beside_it() -> None:
    (one,) = proposed(STORE, "save")
    rest = [line for number, line in enumerate(lines_of(STORE)) if number not in one.gone]
    assert "\n".join(rest).replace("\n\n\n", "\n\n").count("\n\n") == 3
    assert not any(line.startswith("def save") for line in rest)
    assert "        return json.load(file)" in rest
    assert values(one) == {"removes_block", "removes_used"}  # `main` still calls it


def test_a_declaration_that_nothing_uses_any_more() -> None:
    (one,) = proposed(STORE, "main")
    assert values(one) == {"removes_block"}
    gone = [lines_of(STORE)[line] for line in one.gone]
    assert [line for line in gone if line] == [
        "def main():",
        '    save("a", load("b"))',
    ]


def test_a_named_line_goes() -> None:
    ((one, *rest), (other,)) = proposed(STORE, "LIMIT"), proposed(STORE, "os")
    assert not rest
    assert (one.gone, values(one)) == ((2, 3), {"removes_line"})
    assert (other.gone, values(other)) == ((0,), {"removes_line"})
    (used,) = proposed(STORE, "json")
    assert (used.gone, values(used)) == ((1,), {"removes_line", "removes_used"})


def test_a_name_that_several_lines_are_about_proposes_nothing() -> None:
    assert len(proposed("'aa'\n'bb'\n", "aa")) == 1
    assert proposed("'aa'\n'bb'\n'aa'\n", "aa") == []
    assert proposed(STORE, "unheard_of") == []
    assert proposed(STORE) == []


def test_what_is_gone_already_is_not_proposed() -> None:
    old = lines_of(STORE)
    kept = [line for line in range(len(old)) if not 11 <= line < 14]
    new = [old[line] for line in kept]
    assert proposals_for(new, kept, old, outline(STORE, "python"), Hints(removed=frozenset({"save"}))) == []


def test_a_declaration_written_elsewhere_has_moved() -> None:
    again = ["def save(path, value):", '    with open(path, "w") as file:', "        json.dump(value, file)"]
    (one,) = proposed(STORE, lines=again)
    assert set(range(11, 14)) <= set(one.gone)
    assert values(one) == {"removes_move", "removes_quoted"}
    (changed,) = proposed(STORE, lines=[*again[:2], "        json.dump(value, file, indent=2)"])
    assert values(changed) == {"removes_move"}
    assert proposed(STORE, lines=again[:2]) == []  # too little to tell


def test_no_more_than_a_few_are_tried() -> None:
    names = [f"name_{number}" for number in range(MAX_PROPOSALS + 3)]
    original = "".join(f"{name} = 1\n" for name in names)
    assert len(proposed(original, *names)) == MAX_PROPOSALS


def test_the_first_declaration_goes_without_leaving_a_gap() -> None:
    original = "def first():\n    b()\n\n\ndef c():\n    d()\n"
    (one,) = proposed(original, "first")
    rest = [line for number, line in enumerate(lines_of(original)) if number not in one.gone]
    assert rest == ["def c():", "    d()"]
