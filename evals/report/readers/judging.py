"""What a target's word is worth, and whether generated messages can be told from written ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evals.report import plots
from evals.report.page import Figure, Plot, Section, Table
from evals.report.readers.common import command_of

ALONE = "alignment alone"


def read_judging(name: str, data: Mapping[str, Any], machine: Mapping[str, str]) -> Section:
    readings, word, weight = (data.get(name) or {} for name in ("readings", "word", "weight"))
    readings = readings if readings.get("edits") else {}
    word = word if word.get("drafts") else {}
    return Section(
        title=f"A target's word on the split {data['split']}",
        name=name,
        intro=f"{data['cases']} lazy edits as assistants write them, put to the target {data['target']}: does it "
        "choose the right one of the likeliest readings, and how much likelier is a draft right where it agrees?",
        figures=[*_readings_figures(readings), *_weight_figures(weight), *_word_figures(word)],
        parts=[*_readings_parts(readings), *_weight_parts(weight), *_word_parts(word)],
        command=command_of(data),
        machine=machine,
    )


def _ways(readings: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    return {way: found for way, found in readings.items() if way != "edits"}


def _readings_figures(readings: Mapping[str, Any]) -> list[Figure]:
    if not readings:
        return []
    best = max(found["right"] for way, found in _ways(readings).items() if way != ALONE)
    edits = readings["edits"]
    return [
        Figure("alignment", f"{readings[ALONE]['right']}", f"right readings first, of {edits}"),
        Figure("with_target", f"{best}", "the same by the best use of the target's likelihoods"),
    ]


def _readings_parts(readings: Mapping[str, Any]) -> list[Plot | Table]:
    if not readings:
        return []
    ways = _ways(readings)
    rows = [(way, found["right"], "{} to {}".format(*found["more_than_alignment_95"])) for way, found in ways.items()]
    return [
        Plot(
            "The right reading first",
            plots.bars(list(ways), {"edits": [w["right"] for w in ways.values()]}, label="edits"),
        ),
        Table("Readings", ("way", "right", "more than the alignment, 95 %"), rows),
    ]


def _weight_figures(weight: Mapping[str, Any]) -> list[Figure]:
    if "readings" not in weight:
        return []
    return [Figure("weight", str(weight["readings"]), "weight of its log-likelihoods of close readings; 0 judges none")]


def _weight_parts(weight: Mapping[str, Any]) -> list[Plot | Table]:
    if "readings" not in weight:
        return []
    ways = ("certainty", "certainty and likelihoods")
    rows = [(way, weight[way]["right"], weight[way]["log_loss"]) for way in ways]
    return [
        Table(
            f"The likeliest of close readings, of {weight['edits']} uncertain edits", ("by", "right", "log loss"), rows
        )
    ]


def _word_figures(word: Mapping[str, Any]) -> list[Figure]:
    if not word:
        return []
    return [
        Figure("agrees", str(word["agrees"]), "factor of a draft's odds where the target writes the same"),
        Figure("differs", str(word["differs"]), "factor where it writes something else"),
    ]


def _word_parts(word: Mapping[str, Any]) -> list[Plot | Table]:
    if not word:
        return []
    said = ("agreed", "differed")
    series = {end: [float(word[one][end]) for one in said] for end in ("right", "wrong")}
    rows = [(one, word[one]["right"], word[one]["wrong"]) for one in said]
    return [
        Plot("Drafts", plots.bars(list(said), series, label="drafts", is_stacked=True)),
        Table("Drafts by the target's word", ("it", "right", "wrong"), rows),
    ]


def read_discriminator(name: str, data: Mapping[str, Any], machine: Mapping[str, str]) -> Section:
    kinds = ("same changes", "other changes")
    told = {kind: {part: 100 * found["told"] for part, found in data[kind].items()} for kind in kinds}
    parts = list(told[kinds[0]])
    rows = [
        (kind, part, found["messages"], f"{found['told']:.1%}") for kind in kinds for part, found in data[kind].items()
    ]
    return Section(
        title=f"Generated messages, {data['manner']}, beside written ones",
        name=name,
        intro="How many messages a model of their characters tells for what they are, written or generated; "
        "50 % would mean that nobody can. Of the same changes, and of others, in other languages and of other kinds.",
        figures=[
            Figure(part.replace(" ", "_"), f"{told[kinds[0]][part]:.1f} %", "told, of the same changes")
            for part in parts
        ],
        parts=[
            Plot(
                "Told apart",
                plots.bars(parts, {kind: list(shares.values()) for kind, shares in told.items()}, label="% told"),
            ),
            Table("Told apart", ("changes", "part", "messages", "told"), rows),
        ],
        command=command_of(data),
        machine=machine,
    )
