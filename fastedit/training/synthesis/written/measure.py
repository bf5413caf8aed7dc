"""python -m fastedit.training.synthesis.written.measure: takes the habits of written messages from a split.

Shares and counts only: no sentence and no name of a message is kept, of a fence's tag only what three messages have.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from fastedit.syntax import language_of, outline
from fastedit.training.synthesis.blocks import width_of
from fastedit.training.synthesis.written.habits import HABITS
from fastedit.training.synthesis.written.prose import phrases

CASES = Path("evals/applybench/data/train.jsonl.gz")
FENCE = re.compile(r"^\s*(`{3,}|~{3,})(.*)$")
SIGNS = re.compile(r"^(?://|#|--|/\*|<!--|\{/\*|\.\.|%|;|\")?\s*(.*?)\s*(?:\*/\}?|-->)?$")
REMARK = re.compile(r"(?:in|inside|within|new|was|instead|replaces|removed|added|changed|←|<-|→)\b|.*\b(?:goes|gone)\b")
MOODS = (
    ("future", re.compile(r"I(?:'ll| will|'d)\b|Let me\b")),
    ("doing", re.compile(r"I(?:'m| am)\b")),
    ("did", re.compile(r"I(?:'ve| have)? \w+|\w+ed\b")),
    (
        "order",
        re.compile(r"(?:Add|Use|Drop|Replace|Move|Update|Remove|Pass|Make|Put|Let|Set|Bump|Swap|Change|Import)\b"),
    ),
)
NUMBER = re.compile(r"\d[.)] ")
CANONICAL = re.compile(r"\W*existing code\W*$", re.IGNORECASE)
FOREIGN = {
    "de": r"\b(?:und|der|die|das|nicht|wird|ist|jetzt|für|mit)\b",
    "fr": r"\b(?:les|des|est|dans|une|pour|et|du|le)\b",
    "es": r"\b(?:los|las|para|una|el|en|con|ahora|que)\b",
    "pt": r"\b(?:os|as|para|uma|não|com|em|agora|do)\b",
    "it": r"\b(?:il|della|per|una|non|con|che|gli|di)\b",
    "nl": r"\b(?:het|een|niet|wordt|van|voor|de|en|ik)\b",
    "pl": r"\b(?:nie|jest|się|oraz|teraz|do|na|jak|i)\b",
}
SCRIPTS = {"ru": r"[а-яё]{3}", "ja": r"[぀-ヿ]{2}", "zh": r"[一-鿿]{2}"}
MIN_FOREIGN_WORDS = 2
MOST, MOST_WORDS, MOST_FENCES = 8, 60, 6
LEAST_SEEN = 3
MAX_BARE_WORDS = 3  # of a marker that only says that something is left out
MIN_DECLARED = 4  # lines of a declaration that is shown whole
FURTHEST_IN = 60  # columns
ENDS = (":", ".", "")
STANDS_FOR = re.compile(
    r"\.\.\.|…|⋮|\b(?:unchanged|existing|same|before|rest|snip|untouched|other|stays?|as is)\b", re.I
)
FORMS = (
    *("... {w} ...", "...", "...{w}...", "... {w}", "…", "… {w} …", "…{w}…", "… {w}", "[...]", "[{w}]"),
    *("[... {w} ...]", "({w})", "... ({w}) ...", "--- {w} ---", "<{w}>", "{w}", "⋮"),
)


@dataclass
class HabitCounts:
    """Counts over the messages of one manner. of: by habit, (messages that have it, messages asked)."""

    messages: int = 0
    of: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))
    counts: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def note(self, habit: str, has: bool) -> None:
        self.of[habit][0] += has
        self.of[habit][1] += 1

    def told(self) -> dict[str, Any]:
        shares = {habit: round(has / asked, 3) for habit, (has, asked) in sorted(self.of.items())}
        return {"messages": self.messages, "shares": shares, "counts": {k: _sorted(v) for k, v in self.counts.items()}}


@dataclass(frozen=True, slots=True)
class MessageParts:
    """A message taken apart. prose: the text before, between and behind the fences; fences: (tag, lines)."""

    prose: list[str]
    fences: list[tuple[str, list[str]]]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m fastedit.training.synthesis.written.measure", description=__doc__)
    parser.add_argument("--cases", type=Path, default=CASES, help="a split of ApplyBench; train, and no other")
    parser.add_argument("--out", type=Path, default=HABITS)
    options = parser.parse_args(arguments)
    with gzip.open(options.cases, "rt", encoding="utf-8", newline="\n") as lines:
        found = measured(json.loads(line) for line in lines)
    options.out.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return 0


def measured(cases: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The habits of the lazy edits of one file among the cases, as `habits.habits_from` reads them."""
    manners: defaultdict[str, HabitCounts] = defaultdict(HabitCounts)
    tags: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for case in cases:
        result = (case["expected"] or {}).get(case["file"]) if case["format"] == "lazy" and case["file"] else None
        if result is None:
            continue
        original = case["files"][case["file"]]
        message = taken_apart(case["message"])
        _measure(manners[case["style"]], message, original, result, language_of(case["file"], original))
        tags[language_of(case["file"], original)].update(tag for tag, _ in message.fences[:1] if tag)
    kept = {name: {tag: n for tag, n in seen.items() if n >= LEAST_SEEN} for name, seen in tags.items()}
    return {
        "manners": {name: seen.told() for name, seen in sorted(manners.items())},
        "tags": {name: _sorted(Counter(seen)) for name, seen in sorted(kept.items()) if seen},
    }


def taken_apart(text: str) -> MessageParts:
    """The message's prose and fences; without a fence, all behind the first paragraph counts as one without a tag."""
    prose: list[list[str]] = [[]]
    fences: list[tuple[str, list[str]]] = []
    closing = ""
    for line in text.split("\n"):
        match = FENCE.match(line)
        if closing and match and match.group(1).startswith(closing) and not match.group(2).strip():
            closing = ""
            prose.append([])
        elif closing:
            fences[-1][1].append(line)
        elif match:
            closing = match.group(1)
            fences.append((match.group(2).strip(), []))
        else:
            prose[-1].append(line)
    parts = ["\n".join(lines).strip() for lines in prose]
    if not fences:
        first, _, rest = parts[0].partition("\n\n")
        return MessageParts([first, ""], [("", rest.split("\n"))])
    return MessageParts(parts, fences)


def _measure(seen: HabitCounts, message: MessageParts, original: str, result: str, language: str) -> None:
    seen.messages += 1
    is_unfenced = len(message.fences) == 1 and not message.fences[0][0] and message.prose[-1] == ""
    seen.note("unfenced", is_unfenced)
    seen.counts["fences"][str(min(MOST_FENCES, len(message.fences)))] += 1
    seen.note("opening", bool(message.prose[0]))
    seen.note("closing", bool(message.prose[-1]))
    _prose(seen, message)
    known = [{line.strip() for line in text.split("\n")} for text in (original, result)]
    lines = [line for _, fence in message.fences for line in fence]
    strange = [line.strip() for line in lines if line.strip() and not any(line.strip() in texts for texts in known)]
    _markers(seen, strange)
    if not strange:
        seen.note("skips", any(_skips(fence, result) for _, fence in message.fences))
    told = {line.strip() for line in lines}
    seen.note("declaration", _shows_declarations(result, language, told, known[0]))
    for _, fence in message.fences:
        _fence(seen, fence, known[0], known[1], original)


def _prose(seen: HabitCounts, message: MessageParts) -> None:
    first, *between = message.prose[:-1]
    if first:
        seen.counts["opening words"][str(min(MOST_WORDS, len(first.split())))] += 1
        seen.counts["mood"][_mood(first)] += 1
        seen.counts["opening end"][_end(first)] += 1
    if between:
        parts = [part for part in message.prose[:-1] if part]
        seen.note("numbered", sum(bool(NUMBER.match(part)) for part in parts) > 1)
        seen.note("bold", any(part.startswith("**") for part in parts))
    seen.note("called", any("()`" in part for part in message.prose))
    for lead in between:
        seen.counts["lead words"][str(min(MOST_WORDS, len(lead.split())))] += 1
        if lead:
            seen.counts["lead end"][_end(lead)] += 1
    seen.counts["language"][_language(" ".join(message.prose))] += 1


def _end(text: str) -> str:
    return text[-1] if text[-1] in ENDS else ""


def _mood(text: str) -> str:
    if len(text.split()) <= MAX_BARE_WORDS:
        return "whole"
    return next((name for name, pattern in MOODS if pattern.match(text)), "state")


def _language(text: str) -> str:
    """The prose's language, told by its script or its commonest words, where the phrases know it; else English."""
    plain = re.sub(r"`[^`]*`", " ", text).lower()
    for name, pattern in SCRIPTS.items():
        if re.search(pattern, plain):
            return name
    counts = {name: len(set(re.findall(pattern, plain))) for name, pattern in FOREIGN.items()}
    english = len(set(re.findall(r"\b(?:the|is|and|it|to|of|in|now|a|that)\b", plain)))
    name = max(counts, key=lambda one: counts[one])
    is_foreign = counts[name] >= MIN_FOREIGN_WORDS and counts[name] > english
    return name if is_foreign and name in phrases()["foreign"] else "en"


def _markers(seen: HabitCounts, strange: Sequence[str]) -> None:
    """The lines that are neither the original's nor the result's: markers, remarks, and lines quoted otherwise."""
    words = [match.group(1) for line in strange if (match := SIGNS.match(line))]
    found = [text for text in words if STANDS_FOR.search(text) and len(text.split()) <= MOST]
    seen.note("markers", bool(found))
    seen.note("remark", any(REMARK.match(text) for text in words if text not in found))
    seen.note("abridged", any(text not in found and not REMARK.match(text) for text in words))
    if not found:
        return
    seen.note("canonical", all(CANONICAL.match(text) for text in found))
    if len(found) > 1:
        seen.note("same markers", len(set(found)) == 1)
    seen.counts["marker form"][_form(found[0])] += 1


def _skips(fence: Sequence[str], result: str) -> bool:
    """Whether a fence shows lines beside each other that aren't beside each other in the result."""
    lines, filled = ([line.strip() for line in text if line.strip()] for text in (fence, result.split("\n")))
    return not set(pairwise(lines)) <= set(pairwise(filled))


def _form(words: str) -> str:
    """The form of a marker: its signs around the words."""
    for form in FORMS:
        pattern = re.escape(form).replace(re.escape("{w}"), r"\w[^.…]*?")
        if re.fullmatch(pattern, words):
            return form
    return "... {w} ..."


def _shows_declarations(result: str, language: str, told: set[str], original: set[str]) -> bool:
    """Whether a function or class that was there before is shown whole."""
    lines = result.split("\n")
    for declaration in outline(result, language).declarations:
        own = [line.strip() for line in lines[declaration.header_line : declaration.end_line] if line.strip()]
        if (
            declaration.kind in ("function", "class")
            and len(own) >= MIN_DECLARED
            and own[0] in original
            and told >= set(own)
        ):
            return True
    return False


def _fence(seen: HabitCounts, lines: Sequence[str], old: set[str], new: set[str], original: str) -> None:
    """Notes how much a fence shows around what it changes, and how it begins and ends."""
    kinds = [_kind(line.strip(), old, new) for line in lines]
    for segment in _segments(kinds):
        if "N" in segment:
            filled = segment.replace("B", "")
            seen.counts["above"][str(min(MOST, filled.index("N")))] += 1
            seen.counts["below"][str(min(MOST, len(filled) - 1 - filled.rindex("N")))] += 1
    if "M" in kinds:
        seen.note("top", kinds[0] == "M")
        seen.note("bottom", kinds[-1] == "M")
        beside = [pair for pair in pairwise(kinds) if "M" in pair]
        seen.note("blanks", any("B" in pair for pair in beside))
    kept = [line for line, kind in zip(lines, kinds, strict=True) if kind == "K"]
    if kept:
        indented = dict[str, int]()
        for line in original.split("\n"):
            indented[line.strip()] = min(width_of(line), indented.get(line.strip(), FURTHEST_IN))
        seen.note("framed", width_of(kept[0]) < max(width_of(line) for line in kept) and kinds[0] in "KM")
        seen.note("closed", kinds[-1] == "K" and width_of(kept[-1]) <= width_of(kept[0]))
        if indented.get(kept[0].strip(), 0):
            seen.note("flush", width_of(kept[0]) == 0)


def _kind(line: str, old: set[str], new: set[str]) -> str:
    """K: kept; N: new; B: blank; M: neither the original's nor the result's."""
    if not line:
        return "B"
    return "M" if line not in new else "K" if line in old else "N"


def _segments(kinds: Sequence[str]) -> Iterator[str]:
    return (part.strip("B") for part in "".join(kinds).split("M") if part.strip("B"))


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


if __name__ == "__main__":
    sys.exit(main())
