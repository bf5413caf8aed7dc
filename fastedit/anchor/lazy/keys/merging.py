"""Partial files of keys merged key by key: what a snippet shows of them changes, what it doesn't show stays.

`{"compilerOptions": {"strict": true}}`, two jobs of a workflow, three sections of a `pyproject.toml`, the rules of a
stylesheet that change: no marker says that the rest stays, keys stand in any order, and one key is like another, so
rows tell little. Besides the search, readings are made from two trees: entries with the same key in the same place are
one, values that differ are replaced, and new entries are put where `placing` finds a place. Where that is open there
are several such readings; what speaks for each is counted, see `KEYS`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fastedit.anchor.lazy.keys.braced import selector
from fastedit.anchor.lazy.keys.entries import Entry
from fastedit.anchor.lazy.keys.matching import target_of
from fastedit.anchor.lazy.keys.merger import EntryMerger, Unmerged
from fastedit.anchor.lazy.keys.objects import merged_objects
from fastedit.anchor.lazy.keys.placing import Placer, Way
from fastedit.anchor.lazy.keys.trees import BRACED, LANGUAGES, entries_of
from fastedit.anchor.lazy.keys.writing import EntryWriter, steps_of
from fastedit.anchor.lazy.lines import DOTS, Lines
from fastedit.anchor.lazy.rows import Row, rows_of

KEYS = (
    "keys_matched", "keys_new", "keys_unsorted", "keys_apart", "keys_last", "keys_dropped", "keys_joined", "keys_more",
    "keys_marked", "keys_shown", "keys_hidden", "keys_kept",
    "keys_kept_little", "keys_kept_marked", "keys_same",
)  # fmt: skip
JSON = frozenset({"json", "jsonc", "json5"})
MAX_LINES = 20_000
FEW = 2  # lines that were likelier deleted than just not shown
_ROLES = ("elide", "where", "new", "gone")
_MORE = re.compile(r"\b(?:more|another|add(?:s|ed)?|additional|appends?|extra|at the end of|join)\b", re.IGNORECASE)
_ONE_LINE_RULE = re.compile(r"^(?P<indent>\s*)(?P<head>[^{}\s][^{}]*?)\s*\{\s*(?P<body>[^{}]*[^{}\s])\s*\}\s*$")


@dataclass(frozen=True, slots=True)
class MergedKeys:
    """A merged file by lines. counts: what speaks for and against it, named as in `KEYS` but for the first word."""

    lines: tuple[str, ...]
    counts: Counter[str]

    def features(self, num_kept: int) -> tuple[float, ...]:
        """A number for each of `KEYS`. num_kept: lines that the result has, but not the best one by lines."""
        found = self.counts
        shown = found["matched"] + found["new"]
        values = {
            "keys_hidden": 0.0 if found["marked"] else math.log1p(found["hidden"]),
            "keys_kept_little": float(0 < num_kept <= FEW),
            "keys_kept": 0.0 if found["marked"] else math.log1p(num_kept),
            "keys_kept_marked": math.log1p(num_kept) if found["marked"] else 0.0,
            "keys_matched": found["matched"] / max(1, shown),
            "keys_new": math.log1p(found["new"]),
            "keys_unsorted": min(3, found["unsorted"]),
            "keys_apart": min(3, found["apart"]),
            "keys_last": min(3, found["last"]),
            "keys_dropped": math.log1p(found["dropped"]),
            "keys_joined": math.log1p(found["joined"]),
            "keys_marked": float(found["marked"] > 0),
            "keys_more": float(found["more"] > 0 and found["joined"] > 0),
            "keys_shown": 0.0 if found["marked"] else found["shown"] / 100,
            "keys_same": found["same"] / max(1, shown),
        }
        return tuple(values[name] for name in KEYS)


def merged_by_keys(
    original: Lines, shown: Sequence[str], language: str, said: str = "", prose: str = ""
) -> list[MergedKeys]:
    """The ways to merge a partial file of keys into the original, each with another result.

    None where the snippet is no such thing, or nothing in it is known. said: the words of the message; prose: those
    directly above the snippet.
    """
    if language not in LANGUAGES | JSON or len(original) > MAX_LINES:
        return []
    snippet = ShownKeys.of(shown, original, language)
    if not snippet.texts:
        return []
    mine = entries_of(original.texts, language)
    result: dict[tuple[str, ...], MergedKeys] = {}
    for way in Way:
        for joins in (False, True):
            placer = Placer(way, said)
            if language in JSON:
                lines = merged_objects(original, snippet.texts, snippet.elided, placer, joins=joins)
            else:
                lines = None if mine is None else _merged_entries(original, mine, snippet, prose, placer, joins=joins)
            if lines is None:
                continue
            placer.counts["marked"] = len(snippet.elided)
            placer.counts["more"] = bool(_MORE.search(prose))
            merged = MergedKeys(tuple(lines), placer.counts)
            result.setdefault(merged.lines, merged)
    return list(result.values())


@dataclass(frozen=True, slots=True)
class ShownKeys:
    """A snippet without what only speaks to its reader.

    texts: its lines. notes: what was said above a line, or in the one before. elided: the lines that something is left
    out before.
    """

    texts: tuple[str, ...]
    notes: dict[int, str]
    elided: frozenset[int]
    language: str

    @classmethod
    def of(cls, shown: Sequence[str], original: Lines, language: str) -> ShownKeys:
        texts: list[str] = []
        notes: dict[int, str] = {}
        elided: set[int] = set()
        for row in rows_of(shown, original, language):
            if not _is_note(row, original):
                texts.append(row.text)
                continue
            notes[len(texts)] = f"{notes.get(len(texts), '')} {row.note}".strip()
            if row.role("elide") >= max(row.role(name) for name in _ROLES):
                elided.add(len(texts))
        return cls(tuple(texts), notes, frozenset(elided), language)


def _is_note(row: Row, original: Lines) -> bool:
    """Whether a row stands for code, or speaks to the reader."""
    if row.note is None or (not row.is_dots and "".join(row.text.split()) in original.places):
        return False
    return row.is_dots or DOTS.search(row.note) is not None or max(row.role(name) for name in _ROLES) > row.role("code")


def _merged_entries(
    original: Lines, mine: Entry, snippet: ShownKeys, prose: str, placer: Placer, *, joins: bool
) -> list[str] | None:
    if snippet.language in BRACED:
        snippet = _unfolded(snippet, mine, original)
    shown = entries_of(snippet.texts, snippet.language)
    if shown is None:
        return None
    target = target_of(mine, shown, prose)
    if target is None:
        return None
    lines = Lines(snippet.texts)
    writer = EntryWriter(original, lines, snippet.language, steps_of(original, lines, target, shown))
    merger = EntryMerger(writer, snippet.elided, snippet.notes, placer, joins)
    try:
        merger.merge(target, shown)
    except Unmerged:
        return None
    return merger.lines()


def _unfolded(snippet: ShownKeys, mine: Entry, original: Lines) -> ShownKeys:
    """The snippet with rules in one line written over several, where the original has them so."""
    known = {block.key for block in mine.blocks()}
    unit = original.indent_unit
    texts: list[str] = []
    places: list[int] = []
    for text in snippet.texts:
        places.append(len(texts))
        found = _ONE_LINE_RULE.match(text)
        if found is None or selector(found["head"]) not in known:
            texts.append(text)
            continue
        inside = [part.strip() for part in re.split(r";\s*(?![^()]*\))", found["body"]) if part.strip()]
        texts += [f"{found['indent']}{found['head']} {{", *(f"{found['indent']}{unit}{one};" for one in inside)]
        texts.append(found["indent"] + "}")
    places.append(len(texts))
    notes = {places[line]: note for line, note in snippet.notes.items()}
    return replace(snippet, texts=tuple(texts), notes=notes, elided=frozenset(places[line] for line in snippet.elided))
