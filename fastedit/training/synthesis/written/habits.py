"""Assistants' habits of writing, as shares: measured (`measure.py`), kept in `habits.json`, drawn from here."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HABITS = Path(__file__).with_name("habits.json")


@dataclass(frozen=True, slots=True)
class Manner:
    """The habits of one kind of message, from which a message draws its own.

    shares: by the name of a habit, the share of messages that have it. counts: by the name of a measure, how often each
    value was seen.
    """

    name: str
    shares: Mapping[str, float]
    counts: Mapping[str, Mapping[str, int]]

    def has(self, habit: str, rng: random.Random) -> bool:
        """Whether this message has the habit."""
        return rng.random() < self.shares.get(habit, 0.0)

    def drawn(self, measure: str, rng: random.Random, default: str = "") -> str:
        """One of the values that were seen, as often as they were seen."""
        seen = self.counts.get(measure)
        return rng.choices(list(seen), list(seen.values()))[0] if seen else default

    def number(self, measure: str, rng: random.Random) -> int:
        """The same for a measure that counts; 0 where nothing was seen."""
        return int(self.drawn(measure, rng, "0"))


@dataclass(frozen=True, slots=True)
class MeasuredHabits:
    """The manners with how often each was seen, and the tags of fences by language."""

    manners: tuple[Manner, ...]
    weights: tuple[int, ...]
    tags: Mapping[str, Mapping[str, int]]

    def manner(self, rng: random.Random) -> Manner:
        """One message's kind."""
        return rng.choices(self.manners, self.weights)[0]

    def tag(self, language: str, rng: random.Random) -> str:
        """A fence's tag for a language."""
        seen = self.tags.get(language) or {language: 1}
        return rng.choices(list(seen), list(seen.values()))[0]


@cache
def habits() -> MeasuredHabits:
    """The habits that ship."""
    return habits_from(json.loads(HABITS.read_text("utf-8")))


def habits_from(data: Mapping[str, Mapping[str, Mapping[str, object]]]) -> MeasuredHabits:
    """Habits as `measure.py` wrote them down."""
    manners, weights = [], []
    for name, told in data["manners"].items():
        shares, counts = told["shares"], told["counts"]
        assert isinstance(shares, dict)
        assert isinstance(counts, dict)
        manners.append(Manner(name, shares, counts))
        weights.append(int(str(told["messages"])))
    tags = {language: {tag: int(str(n)) for tag, n in seen.items()} for language, seen in data["tags"].items()}
    return MeasuredHabits(tuple(manners), tuple(weights), tags)
