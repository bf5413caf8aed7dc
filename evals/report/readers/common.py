"""What the readers share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evals.report.page import Figure

OUTCOMES = ("exact", "wrong", "refused", "error")


def figures_of(line: str, notes: Mapping[str, str]) -> list[Figure]:
    """The `name=value` pairs of a summary line, those aside that say n/a."""
    pairs = (word.split("=", 1) for word in line.split() if "=" in word)
    return [Figure(name, value, notes.get(name, "")) for name, value in pairs if value != "n/a"]


def command_of(data: Mapping[str, Any]) -> str:
    """The command that the result was made with."""
    return str(data.get("machine", {}).get("command", ""))


def shares(counts: Mapping[str, int]) -> list[str]:
    """The share of each of OUTCOMES, in per cent."""
    total = sum(counts.values())
    return [f"{counts.get(outcome, 0) / total:.1%}" if total else "" for outcome in OUTCOMES]


def by_count(table: Mapping[str, Mapping[str, int]]) -> Sequence[tuple[str, Mapping[str, int]]]:
    """A table of counts, the commonest first."""
    return sorted(table.items(), key=lambda item: (-sum(item[1].values()), item[0]))
