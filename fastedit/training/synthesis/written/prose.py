"""The prose of a written message, composed of what its change does: an opening, words between fences, a closing."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from fastedit.training.synthesis.written.facts import ChangedPlace, Fact
from fastedit.training.synthesis.written.habits import Manner

PHRASES = Path(__file__).with_name("phrases.toml")
SLOT = re.compile(r"\{(\w+)\}")
VERB = re.compile(r"\^(\w+)")
FORMS = {"does": 0, "doing": 1, "did": 2, "done": 3}
PARTICIPLE = re.compile(r"\bI(?:'ve| have) \{c\}")
JOINTS = (", and ", " and ", "; ", ". ", ". ", ". ", ": ", ", so ", ", but ")
ENGLISH = "en"
MAX_FACTS = 4
SHARE_OF_STORIES, SHARE_OF_REASONS = 0.6, 0.25


@cache
def phrases() -> Mapping[str, Any]:
    """The tables of phrases that ship."""
    return tomllib.loads(PHRASES.read_text("utf-8"))


def filled(texts: Sequence[str], names: Mapping[str, str], rng: random.Random, taken: set[str] | None = None) -> str:
    """One of the texts whose slots all have names, with them in; "" where there is none. taken: gets the text."""
    return _with_names(_fitting(texts, names, rng, taken), names)


def _fitting(texts: Sequence[str], names: Mapping[str, str], rng: random.Random, taken: set[str] | None) -> str:
    fitting = [text for text in texts if all(slot in names for slot in SLOT.findall(text))]
    text = rng.choice(fitting) if fitting else ""
    if text and taken is not None:
        taken.add(text)
    return text


def _with_names(text: str, names: Mapping[str, str]) -> str:
    return SLOT.sub(lambda slot: names[slot.group(1)], text)


@dataclass
class Teller:
    """Tells of a change in one manner. places: what it does, where. language: the prose's, as a code ("en").

    said: the phrases and names that the message has already; they are avoided.
    """

    manner: Manner
    places: Sequence[ChangedPlace]
    language: str
    rng: random.Random
    said: set[str] = field(default_factory=set)

    def opening(self) -> str:
        """The text before the first fence, in about as many words as was seen."""
        if self.language != ENGLISH:
            return self._foreign("openings", self.places)
        wanted = self.manner.number("opening words", self.rng)
        mood = self.manner.drawn("mood", self.rng, "state")
        if mood == "whole" or (wanted <= 3 and mood not in ("future", "doing")):
            return self._short()
        told = self._sentence(mood, self.places)
        while told and len(told.split()) < wanted * 0.7:
            is_same_mood = mood in ("future", "doing", "order") and self.rng.random() < 0.7
            more = self._sentence(mood if is_same_mood else "state", self.places, is_following=True)
            joint = self.rng.choice(JOINTS[:3] if is_same_mood else JOINTS)
            if not more:
                break
            told += joint + (_capital(more) if joint == ". " else _lowered(more))
        return _capital(told) + self._end("opening end") if told else self._short()

    def lead(self, places: Sequence[ChangedPlace]) -> str:
        """The text before a fence that isn't the first, or ""."""
        wanted = self.manner.number("lead words", self.rng)
        if not wanted:
            return ""
        if self.language != ENGLISH:
            return self._foreign("leads", places)
        tables, fact = phrases()["leads"], self._fact(places)
        if wanted > 5:
            if self.rng.random() < 0.4 and (told := self._filled(tables["plain"], fact.names)):
                return _capital(told) if self.rng.random() < 0.7 else told
            told = _capital(self._sentence("state" if self.rng.random() < 0.7 else "order", places))
            return told + self._end("lead end") if told else ""
        table = {"declared": "new", "imported": "imports", "unimported": "imports"}.get(fact.kind, "home")
        return self._filled(tables[table], fact.names) or self._filled(tables["any"], fact.names)

    def closing(self) -> str:
        """The text behind the last fence."""
        if self.language != ENGLISH:
            return self._foreign("closings", self.places)
        tables = phrases()["closings"]
        kind = self.rng.choice(("any", "names", "plain", "plain", "state"))
        if kind == "state":
            told = self._sentence("state", self.places)
            return _capital(told) + "." if told else self.rng.choice(tables["any"])
        return self._filled(tables[kind], self._fact(self.places).names) or self.rng.choice(tables["any"])

    def gone(self, names: Sequence[str], *, are_lines: bool = False) -> str:
        """A sentence that says that these are gone."""
        table = "gone_line" if are_lines else "gone"
        if self.language != ENGLISH:
            table, tables = "gone", phrases()["foreign"][self.language]
        else:
            tables = phrases()["closings"]
        return " ".join(filled(tables[table], {"x": name}, self.rng) for name in names)

    def _short(self) -> str:
        fact = self._fact(self.places)
        if self.rng.random() < 0.5 and (told := self._filled(phrases()["leads"]["home"], fact.names)):
            return _capital(told)
        return str(self.rng.choice(phrases()["whole"]["any"]))

    def _sentence(self, mood: str, places: Sequence[ChangedPlace], *, is_following: bool = False) -> str:
        """A clause in a mood, now and then with a reason; "" where nothing can be said."""
        fact = self._fact(places)
        if mood == "state" and self.rng.random() < SHARE_OF_STORIES:
            table = fact.kind if self.rng.random() < 0.85 or is_following else "any"
            told = self._filled(phrases()["stories"].get(table, ()), fact.names)
            if told:
                return told.rstrip(":")
        if mood == "state":
            told = self._filled(phrases()["states"].get(fact.kind, ()), fact.names)
        else:
            clause = _fitting(self._fresh(phrases()["clauses"].get(fact.kind, ())), fact.names, self.rng, self.said)
            frame = "{c}" if is_following else self.rng.choice(phrases()["moods"][mood])
            told = _with_names(_framed(frame, clause, mood), fact.names) if clause else ""
        if told and self.rng.random() < SHARE_OF_REASONS:
            told += self._filled(phrases()["reasons"][self.rng.choice(("any", "any", "with_names"))], fact.names)
        return told

    def _filled(self, texts: Sequence[str], names: Mapping[str, str]) -> str:
        """`filled`, with a phrase that the message doesn't have yet."""
        return filled(self._fresh(texts), names, self.rng, self.said)

    def _fresh(self, texts: Sequence[str]) -> list[str]:
        return [text for text in texts if text not in self.said]

    def _fact(self, places: Sequence[ChangedPlace]) -> Fact:
        """One of the facts, rather one of which nothing has been said."""
        facts = [fact for place in places for fact in place.facts[:MAX_FACTS]]
        fresh = [fact for fact in facts if fact.names.get("x", "") not in self.said]
        fact = self.rng.choice(fresh or facts)
        self.said.add(fact.names.get("x", ""))
        return fact

    def _end(self, measure: str) -> str:
        return self.manner.drawn(measure, self.rng, ":")

    def _foreign(self, table: str, places: Sequence[ChangedPlace]) -> str:
        return filled(phrases()["foreign"][self.language][table], self._fact(places).names, self.rng)


def _framed(frame: str, clause: str, mood: str) -> str:
    """The clause with its verbs in the form that the frame asks for, in it."""
    form = "done" if PARTICIPLE.search(frame) else mood
    said = VERB.sub(lambda verb: _inflected(verb.group(1), form), clause)
    return frame.replace("{c}", said).replace("{C}", _capital(said))


def _inflected(verb: str, form: str) -> str:
    return str(phrases()["verbs"][verb][FORMS[form]]) if form in FORMS else verb


def _lowered(text: str) -> str:
    """The text as it goes on amid a sentence: "I" and abbreviations stay."""
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[:2] == "A " else text


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
