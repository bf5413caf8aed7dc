"""Written messages: what they say of a change is true of it, and their habits come in the shares that were measured."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from fastedit.edits import parse_message
from fastedit.edits.model import Format
from fastedit.training.synthesis import Sample, Tier, generate
from fastedit.training.synthesis.document import read_document
from fastedit.training.synthesis.model import Change, Splice, make_change
from fastedit.training.synthesis.written.facts import ChangedPlace, Fact, places_of, plain_words
from fastedit.training.synthesis.written.habits import Manner, habits, habits_from
from fastedit.training.synthesis.written.measure import main, measured, taken_apart
from fastedit.training.synthesis.written.message import render_written
from fastedit.training.synthesis.written.prose import SLOT, VERB, Teller, phrases
from support.edits import SOURCES

SOURCE = """import os
import sys


def load(path, strict):
    data = read(path)
    check(data)
    return data


def save(path, data):
    write(path, data)
"""
SLOTS = {"x", "w", "h", "n", "home", "near", "old", "new", "count", "names", "c", "C", "a", "b"}


def changed(start: int, end: int, *lines: str) -> Change:
    document = read_document("store.py", "python", SOURCE)
    assert document is not None
    change = make_change(document, [Splice(start, end, lines)], "made")
    assert change is not None
    return change


@cache
def written() -> tuple[Sample, ...]:
    return tuple(generate(SOURCES, seed=2, n=150, tiers=[Tier.WRITTEN], formats=[Format.LAZY], edits_per_document=6))


@pytest.mark.parametrize(
    ("change", "kind", "names"),
    [
        (changed(5, 6, "    data = fetch(path)"), "renamed", {"old": "read", "new": "fetch", "home": "load"}),
        (changed(1, 2, "import sys", "import json"), "imported", {"x": "json"}),
        (changed(1, 2), "unimported", {"x": "sys"}),
        (changed(9, 9, "def drop(path):", "    os.remove(path)", "", ""), "declared", {"x": "drop", "near": "load"}),
        (changed(10, 12), "dropped", {"x": "save"}),
        (changed(6, 6, "    if not strict:", "        return data"), "guard", {"x": "strict", "w": "strict"}),
    ],
)
def test_facts_are_read_off_the_change(change: Change, kind: str, names: dict[str, str]) -> None:
    (place,) = places_of(change)
    found = next(fact.names for fact in place.facts if fact.kind == kind)
    assert {slot: found.get(slot) for slot in names} == names


def test_words_of_identifiers() -> None:
    assert plain_words("DEFAULT_TIMEOUT") == "default timeout"
    assert plain_words("readFileSync") == "read file sync"
    assert plain_words("_x") == ""


def texts_in(table: object) -> list[str]:
    if isinstance(table, dict):
        return [text for part in table.values() for text in texts_in(part)]
    return [text for text in table if isinstance(text, str)] if isinstance(table, list) else []


def test_every_phrase_has_known_slots_and_verbs() -> None:
    tables = {name: table for name, table in phrases().items() if name != "verbs"}
    texts = texts_in(tables)
    assert len(texts) > 1000
    assert {slot for text in texts for slot in SLOT.findall(text)} <= SLOTS
    assert {verb for text in texts for verb in VERB.findall(text)} <= set(phrases()["verbs"])
    assert all(len(forms) == 4 for forms in phrases()["verbs"].values())


def test_clauses_take_the_form_that_their_sentence_asks_for() -> None:
    manner = Manner("own", {}, {"mood": {"doing": 1}, "opening words": {"4": 1}, "opening end": {".": 1}})
    places = places_of(changed(5, 6, "    data = fetch(path)"))
    told = [Teller(manner, places, "en", random.Random(seed)).opening() for seed in range(40)]
    assert all("^" not in text and "{" not in text for text in told)
    assert any(re.match(r"(?:I'm|I am) \w+ing ", text) for text in told)


def test_names_are_told_as_they_are() -> None:
    """Signs of the phrases' own in a name (`^sub`, `{x}`) are the name's."""
    manner = Manner("own", {}, {"mood": {"order": 1}, "opening words": {"8": 1}})
    places = [ChangedPlace("", (Fact("renamed", {"old": "^sub", "new": "{x}"}),))]
    told = [Teller(manner, places, "en", random.Random(seed)).opening() for seed in range(20)]
    assert any("`^sub`" in text and "`{x}`" in text for text in told)


def test_prose_names_what_changed() -> None:
    change = changed(5, 6, "    data = fetch(path)")
    texts = [rendered.text for seed in range(60) if (rendered := render_written(change, random.Random(seed)))]
    assert len(texts) > 40
    assert sum("`fetch`" in text or "`read`" in text or "`load`" in text for text in texts) > 0.5 * len(texts)


def test_messages_are_read_and_differ() -> None:
    assert len({sample.edit for sample in written()}) == len(written()) == 150
    manners = Counter(sample.habits[0] for sample in written())
    assert len(manners) >= 4
    for sample in written():
        assert parse_message(sample.edit), sample.edit


def test_what_goes_is_told() -> None:
    for seed in range(30):
        rendered = render_written(changed(9, 12), random.Random(seed))
        assert rendered is None or "save" in rendered.text


def test_habits_come_in_their_shares() -> None:
    shares = {"opening": 1.0, "closing": 0.0, "markers": 0.0, "unfenced": 0.0}
    counts = {"fences": {"1": 1}, "above": {"1": 1}, "below": {"1": 1}, "opening words": {"5": 1}}
    own = habits_from(
        {"manners": {"plain": {"messages": 1, "shares": shares, "counts": counts}}, "tags": {"python": {"py": 1}}}
    )
    rendered = render_written(changed(5, 6, "    data = fetch(path)"), random.Random(1), own)
    assert rendered is not None
    message = taken_apart(rendered.text)
    assert message.prose[0]
    assert message.prose[-1] == ""
    assert message.fences[0][0] == "py"
    assert "    data = fetch(path)" in message.fences[0][1]
    assert not any("#" in line for line in message.fences[0][1])


MESSAGES = (
    "I'll use `fetch` now.\n\n```py\n    # ... existing code ...\n    data = fetch(path)\n    check(data)\n```\n",
    "`load` fetches:\n\n```py\n    data = fetch(path)\n```\n\nZanzibar is the rest.\n",
)


def cases() -> list[dict[str, object]]:
    result = SOURCE.replace("read(path)", "fetch(path)")
    shape = {"format": "lazy", "file": "store.py", "files": {"store.py": SOURCE}, "style": "chat"}
    return [shape | {"message": text, "expected": {"store.py": result}} for text in MESSAGES]


def test_habits_are_measured() -> None:
    told = measured(cases())["manners"]["chat"]
    assert told["messages"] == 2
    assert told["shares"]["opening"] == 1.0
    assert told["shares"]["closing"] == told["shares"]["markers"] == 0.5
    assert told["shares"]["canonical"] == 1.0
    assert told["counts"]["mood"] == {"future": 1, "whole": 1}
    assert told["counts"]["above"] == {"0": 2}
    assert told["counts"]["below"] == {"0": 1, "1": 1}


def test_no_word_of_a_message_is_kept(tmp_path: Path) -> None:
    import gzip

    with gzip.open(tmp_path / "cases.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write("".join(json.dumps(case) + "\n" for case in cases()))
    assert main(["--cases", str(tmp_path / "cases.jsonl.gz"), "--out", str(tmp_path / "habits.json")]) == 0
    kept = (tmp_path / "habits.json").read_text("utf-8")
    assert "Zanzibar" not in kept
    assert "fetch" not in kept
    assert json.loads(kept)["manners"]["chat"]["messages"] == 2


def test_the_shipped_habits_are_of_every_style() -> None:
    assert {manner.name for manner in habits().manners} == {"agent", "chat", "config", "foreign", "markers", "partial"}
    assert habits().tag("python", random.Random(0)) in ("python", "py", "cython", "")
