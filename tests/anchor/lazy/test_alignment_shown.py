"""What a message says, and whether a result bears it out."""

from __future__ import annotations

import pytest

from fastedit.anchor.hints import hints_of
from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.message import TOLD, shown_of, told_by

BEFORE = "<Overlay>\n<Input size='s'/>\n</Overlay>"
AFTER = "<Overlay>\n<Input size='l'/>\n</Overlay>"


def told(prose: str, before: str = BEFORE, after: str = AFTER, snippet: str = "<Input size='l'/>") -> dict[str, float]:
    shown = shown_of([snippet.split("\n")], hints_of(prose), prose)
    changes = [
        (number, number + 1, [new])
        for number, (old, new) in enumerate(zip(before.split("\n"), after.split("\n"), strict=True))
        if old != new
    ]
    return told_by(shown, Lines(before.split("\n")), changes)


def test_every_fact_has_its_name() -> None:
    assert tuple(told("")) == TOLD


@pytest.mark.parametrize(
    ("prose", "count"),
    [
        ("Change `<Overlay>` to `<Overlay2>`.", 1),
        ("`<Overlay>` becomes `<Overlay2>`.", 1),
        ("Use `<Overlay2>` instead of `<Overlay>`.", 1),
        ("`size='s'` → `size='l'`", 0),
    ],
)
def test_one_for_another_that_the_result_does_not_have(prose: str, count: int) -> None:
    found = told(prose)
    assert found["renamed"] == 1
    assert found["renamed_not"] == count


def test_code_in_the_prose_that_is_nowhere() -> None:
    assert told("Call `prepare(value)` first.")["missing"] == 1
    assert told("The size is `size='l'` now.")["missing"] == 0


def test_lines_of_a_snippet_that_the_result_does_not_have() -> None:
    assert told("", snippet="<Input size='l'/>\n<Button kind='a'/>")["lost"] > told("")["lost"] == 0


def test_a_snippet_that_changes_nothing_is_idle() -> None:
    assert told("", snippet="</Overlay>")["idle"] == 1
    assert told("")["idle"] == 0
