"""Finds the entries of a file of keys that the words say are gone: "3.9 and 3.10 go", "out go `a` and `b-*`"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from fastedit.anchor.lazy.keys.entries import value_name
from fastedit.anchor.lazy.keys.trees import KEYED
from fastedit.anchor.lazy.lines import Lines
from fastedit.patterns import pattern

# gone: a clause says so. quoted: the share of its names that are quoted. owner: what they stand in is named too.
# others: how many more entries than names it may mean. stays: the clause also says that something stays. but: it names
# those that stay of a block. shown: the share of their lines that snippets show. lines: the logarithm of how many.
GONE = ("gone", "quoted", "owner", "others", "stays", "but", "shown", "lines")
MAX_ENTRIES = 24
MAX_MEANT = 4  # entries that one name may mean, but for one with a wildcard
_CLAUSE = pattern(
    r"(?<=[.;!?])\s+|,\s+(?![`\"\d]|which\b|that\b|all\b|both\b|and\b|so\b)|\s*[()]\s*|\n\s*\n|\n(?=\s*[-*]\s)"
)
_GOES = pattern(
    r"\b(?:remov\w+|delet\w+|drop\w*|gone|goes|go|leaves?|out|no|no longer|unused|obsolete|kill\w*|takes? out|replac\w+"
    r"|loses?|without|away|entfern\w*|entfällt|supprim\w*|retir\w*|elimin\w*|quit\w*|удал\w*|убра\w*)\b",
    re.IGNORECASE,
)
_STAYS = pattern(r"\b(?:stays?|keeps?|remains?|untouched|unchanged|still)\b", re.IGNORECASE)
_STAYS_ITSELF = pattern(
    r"\s+(?:(?:is|are)\s+(?:still|kept|unchanged|untouched)|stays?|remains?|keeps?)\b", re.IGNORECASE
)
_NAME = pattern(r"`([^`\n]+)`|\"([^\"\n]+)\"|(?<![\w.])(\d+\.\d+(?:\.\d+)*)(?![\w.]*\d)|(?<![\w.])([A-Z]+\d{2,})\b")
_PLACE = pattern(
    r"\b(?:in|from|of|to|into|at|on|above|below|before|after|between|behind|beside|inside|under|with|by|follows?"
    r"|and\s+add|add|adds|put)\s+(?:the\s+|its\s+|both\s+|all\s+)?$",
    re.IGNORECASE,
)
_BUT = pattern(r"\b(?:everything|all(?: keys| entries| else)?)\s+(?:but|except(?: for)?)\b", re.IGNORECASE)
_IS_WHOLE = pattern(
    r"\b(?:is|are|shown|listed|given)\s+(?:now\s+|here\s+)*(?:the\s+|in\s+|its\s+|their\s+)?"
    r"(?:complete|full|entire|whole)\b",
    re.IGNORECASE,
)
_TOP_LEVEL = pattern(r"\b(?:top[- ]level|outermost|root(?:'s)?)\s+$", re.IGNORECASE)
_AROUND = " \t\"',;"
_KEY = re.compile(r"""^(?:-\s+)?(?:"([^"]+)"|'([^']+)'|([\w@$.*/-]+))\s*[:=](?!:)""")
_DESCRIBED = pattern(r"\b(?:the|no|its)\s+([\w.-]+)\s+(?:one|line|entry|item|classifier|pin)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class GoneEntries:
    """Lines of the original that one clause says are gone, and what speaks for that; see `GONE`."""

    lines: tuple[int, ...]
    values: dict[str, float]


def gone_entries(prose: str, original: Lines, language: str) -> list[GoneEntries]:
    """The entries that the words say are gone, those of each clause together."""
    if language not in KEYED or len(original) > 5_000:
        return []
    result = []
    for clause in _CLAUSE.split(prose):
        if clause and _GOES.search(re.sub(r"`[^`\n]*`", "`", clause)):
            found = _meant_by(clause, original)
            if found is not None:
                result.append(found)
    return result


def _all_but(clause: str, original: Lines) -> GoneEntries | None:
    """The entries of a block that a clause names, but for those that it excepts: "in `a` everything but `b` goes"."""
    found = _BUT.search(clause)
    if found is None:
        return None
    kept = {one[1].strip() for one in _NAME.finditer(clause, found.end()) if one[1]}
    owners = [one[1].strip() for one in _NAME.finditer(clause) if one[1] and one[1].strip() not in kept]
    opened = [line for name in owners for line in _entries_called(name, original)]
    if len(opened) != 1 or not kept:
        return None
    start, end = opened[0], _end(opened[0], original)
    inside = [line for line in range(start + 1, end) if original.columns[line] >= 0]
    if not inside:
        return None
    column = min(original.columns[line] for line in inside[: len(inside) - 1] or inside)
    heads = [line for line in inside if original.columns[line] == column and original.stripped[line][0] not in "}])"]
    names = {line: _key_of(original.stripped[line]) or original.stripped[line].strip("\"',") for line in heads}
    gone = [line for line in heads if names[line] not in kept]
    lines = tuple(sorted(line for at in gone for line in range(at, min(end, _end(at, original)))))
    values = {"gone": 1.0, "quoted": 1.0, "owner": 1.0, "others": 0.0, "stays": 0.0, "but": 1.0}
    return GoneEntries(lines, values) if lines and len(gone) < len(heads) else None


def _meant_by(clause: str, original: Lines) -> GoneEntries | None:
    if _BUT.search(clause):
        return _all_but(clause, original)
    names = [
        (next(filter(None, one.groups())), one[1] or one[2], _TOP_LEVEL.search(clause[: one.start()]) is not None)
        for one in _NAME.finditer(clause, _end_of_wholes(clause))
        if not _PLACE.search(clause[: one.start()]) and not _STAYS_ITSELF.match(clause, one.end())
    ]
    found: list[set[int]] = []
    num_quoted = 0
    owners: set[int] = set()
    for name, quoted, is_outermost in names:
        meant = set(_entries_called(name.strip(), original))
        if is_outermost and meant:
            least = min(original.columns[line] for line in meant)
            meant = {line for line in meant if original.columns[line] == least}
        inside = {line: owner for line in meant if (owner := _owner(line, original, clause)) is not None}
        meant = set(inside) or meant
        if meant and (len(meant) <= MAX_MEANT or "*" in name):
            found.append(meant)
            owners.update(inside.values())
            num_quoted += bool(quoted)
    found += [_entries_described(one[1], original) for one in _DESCRIBED.finditer(clause)]
    found = [meant - owners for meant in found if meant - owners]
    lines = set().union(*found)
    if not lines or len(lines) > MAX_ENTRIES:
        return None
    values = {
        "gone": 1.0,
        "quoted": num_quoted / len(found),
        "owner": float(bool(owners)),
        "others": float(max(0, len(lines) - len(found)) if not any("*" in name for name, *_ in names) else 0),
        "stays": float(_STAYS.search(clause) is not None),
        "but": 0.0,
    }
    return GoneEntries(tuple(sorted(line for at in lines for line in range(at, _end(at, original)))), values)


def _end_of_wholes(clause: str) -> int:
    """The end of the words that say what is shown whole, where what goes follows: "`a` is complete, so `b` is gone"."""
    found = _IS_WHOLE.search(clause)
    return found.end() if found is not None and _GOES.search(clause, found.end()) else 0


def _entries_called(name: str, original: Lines) -> Iterator[int]:
    """Yields the lines of keys and items of this name; a number is the version at an item's end."""
    bare = value_name(name).strip("\"'")
    whole = name.strip(_AROUND)
    has_words = " " in whole  # the end of an item then tells enough: `Python :: 3.7`
    is_version = re.fullmatch(r"\d+(?:\.\d+)+", bare) is not None
    is_literal = "*" in bare and any(_key_of(text) == bare for text in original.stripped)
    for line, text in enumerate(original.stripped):
        if not text or original.is_comment(line) or text[0] in "{}[]()":
            continue
        key = _key_of(text)
        if is_version:
            if not key and re.search(rf"(?<![\w.]){re.escape(bare)}$", text.rstrip(",").strip("\"'")):
                yield line
            continue
        called = key or value_name(text.removeprefix("- "))
        is_alike = "*" in bare and len(bare) > 2 and not is_literal and fnmatchcase(called, bare)
        is_end = (
            has_words and not key and re.search(rf"(?<![\w.-]){re.escape(whole)}$", text.strip(_AROUND)) is not None
        )
        if called == bare or is_alike or is_end or (bare[:1] == "@" and called.startswith(f"{bare}/")):
            yield line


def _entries_described(word: str, original: Lines) -> set[int]:
    """The item of a list that has this word, whatever its case, where there is but one."""
    found = re.compile(rf"(?<![\w.]){re.escape(word).replace('ence', 'en[cs]e')}(?![\w.])", re.IGNORECASE)
    lines = [
        line for line, text in enumerate(original.stripped) if found.search(text) and not original.is_comment(line)
    ]
    items = [line for line in lines if not _key_of(original.stripped[line]) and original.stripped[line][-1:] in ",\"'"]
    return set(items) if len(items) == 1 else set()


def _key_of(text: str) -> str:
    """The key that a line gives a value; '' for items."""
    found = _KEY.match(text)
    return next(filter(None, found.groups()), "") if found else ""


def _owner(line: int, original: Lines, clause: str) -> int | None:
    """The line of the key that a line stands under, where the clause names that; else None."""
    for above in range(line - 1, -1, -1):
        if original.keys[above] and original.columns[above] < original.columns[line]:
            key = _key_of(original.stripped[above])
            is_named = key and re.search(rf"(?<![\w-]){re.escape(key)}(?![\w-])", clause, re.IGNORECASE)
            return above if is_named else None
    return None


def _end(line: int, original: Lines) -> int:
    """The line behind an entry."""
    end = line + 1
    while end < len(original) and original.keys[end] and original.columns[end] > original.columns[line]:
        end += 1
    is_open = original.stripped[line].endswith(("{", "[", "("))
    return end + 1 if is_open and end < len(original) and original.stripped[end][:1] in ("}", "]", ")") else end
