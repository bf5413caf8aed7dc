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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from rapidfuzz import fuzz

from fastedit.anchor.lazy.comments import split_trailing
from fastedit.anchor.lazy.entries import BRACED, LANGUAGES, Entry, entries_of, plain, selector
from fastedit.anchor.lazy.lines import DOTS, NAME, Lines
from fastedit.anchor.lazy.objects import merged_objects
from fastedit.anchor.lazy.placing import Placer, Sibling, Way, in_order, names_of, told_place
from fastedit.anchor.lazy.rows import Row, rows_of
from fastedit.syntax import comment_syntax

KEYS = (
    "keys_matched", "keys_new", "keys_unsorted", "keys_apart", "keys_last", "keys_dropped", "keys_joined", "keys_more",
    "keys_marked", "keys_shown", "keys_hidden", "keys_kept",
    "keys_kept_little", "keys_kept_marked", "keys_same",
)  # fmt: skip
JSON = frozenset({"json", "jsonc", "json5"})
MAX_LINES = 20_000
FEW = 2  # lines that were likelier deleted than just not shown
SIMILAR = 60.0  # of 100: a comment that is another's new form
IMPORTS = ("@use", "@import", "@forward", "@charset")
_ROLES = ("elide", "where", "new", "gone")
_MORE = re.compile(r"\b(?:more|another|add(?:s|ed)?|additional|appends?|extra|at the end of|join)\b", re.IGNORECASE)
_ASSIGNED = re.compile(r"^(\s*(?:-\s+)*[^:=]*?\s*[:=]\s*)(.*)$", re.DOTALL)
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


# ---- by lines --------------------------------------------------------------------------------------------------------


def _merged_entries(
    original: Lines, mine: Entry, snippet: ShownKeys, prose: str, placer: Placer, *, joins: bool
) -> list[str] | None:
    if snippet.language in BRACED:
        snippet = _unfolded(snippet, mine, original)
    shown = entries_of(snippet.texts, snippet.language)
    if shown is None:
        return None
    target = _target(mine, shown, prose)
    if target is None:
        return None
    merger = _Merger(original, Lines(snippet.texts), snippet, placer, joins)
    merger.steps = _steps(original, merger.shown, target, shown)
    try:
        merger.merge(target, shown)
    except _Unmerged:
        return None
    return merger.lines()


class _Unmerged(Exception):
    """Raised where what the snippet shows can't be put into the file this way."""


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


def _target(root: Entry, shown: Entry, prose: str) -> Entry | None:
    """The entry of the file that the snippet is part of: where most of its keys are known; None where that is open."""
    numbers = {id(one): _num_known(one, shown) for one in (root, *root.blocks())}
    most = max(numbers.values())
    if most and numbers[id(root)] == most:
        return root
    found = [one for one in root.blocks() if numbers[id(one)] == most and one.children]
    found = [one for one in found if one.children[0].is_item == shown.children[0].is_item]
    column = shown.children[0].column
    quoted = {name.strip("\"'[]") for name in re.findall(r"`([^`\n]+)`", prose)}
    for narrowed in (
        [one for one in found if one.key.strip("[]") in quoted],
        [one for one in found if most and column and one.children[0].column == column],
    ):
        if len(found) > 1 and narrowed:
            found = narrowed
    is_told = most or (bool(found) and found[0].key.strip("[]") in quoted)
    return found[0] if len(found) == 1 and is_told else None


def _num_known(mine: Entry, shown: Entry) -> int:
    return sum(number is not None for number in matched(mine.children, shown.children))


def matched(mine: Sequence[Entry], shown: Sequence[Entry]) -> list[int | None]:
    """For each entry that is shown the one of the file that it is; items of a list by what tells them apart."""
    result: list[int | None] = [None] * len(shown)
    free = dict.fromkeys(range(len(mine)))
    names: dict[str, list[int]] = {}
    for number, one in enumerate(mine):
        names.setdefault(one.key, []).append(number)
    for number, one in enumerate(shown):
        found = [other for other in names.get(one.key, ()) if other in free and mine[other].is_item == one.is_item]
        if found:
            result[number] = _likest(mine, found, one)
            del free[result[number] or 0]
    for number, one in enumerate(shown):
        if result[number] is None and one.marks:
            found = [other for other in free if _is_same_item(mine[other], one)]
            if found:
                result[number] = _likest(mine, found, one)
                del free[result[number] or 0]
    return result


def _likest(mine: Sequence[Entry], found: Sequence[int], shown: Entry) -> int:
    """The number of the entry that has most in common with the shown one, among those found; the first of several."""
    keys = {child.key for child in shown.children}

    def likeness(number: int) -> tuple[float, int]:
        one = mine[number]
        if one.is_block or not shown.text:
            return sum(child.key in keys for child in one.children), -number
        return fuzz.ratio(one.text, shown.text), -number

    return found[0] if len(found) == 1 else max(found, key=likeness)


def _is_same_item(mine: Entry, shown: Entry) -> bool:
    ours, theirs = dict(mine.marks), dict(shown.marks)
    kinds = [kind for kind in ours if kind in theirs]
    return bool(kinds) and ours[kinds[0]] == theirs[kinds[0]]


def _steps(original: Lines, snippet: Lines, mine: Entry, shown: Entry) -> tuple[int, str]:
    """(columns, text): how many columns of the snippet are one level of the original, and how that is written."""
    for one, inside in _nested(mine, shown):
        step, shown_step = (entry.children[0].column - entry.column for entry in (one, inside))
        if step > 0 and shown_step > 0:
            written = original.texts[one.children[0].head][one.column : one.children[0].column]
            return shown_step, written if written.isspace() else " " * step
    unit, shown_unit = original.indent_unit, len(snippet.indent_unit)
    if "\t" not in unit and (snippet.indent_unit == "\t" or shown_unit in original.columns):
        return 1, "\t" if snippet.indent_unit == "\t" else " "
    return shown_unit, unit


def _nested(mine: Entry, shown: Entry) -> Iterator[tuple[Entry, Entry]]:
    """The blocks that both have and that hold something in both."""
    for one, number in zip(shown.children, matched(mine.children, shown.children), strict=True):
        if number is not None and one.children and mine.children[number].children:
            yield mine.children[number], one
            yield from _nested(mine.children[number], one)


@dataclass(slots=True)
class _Merger:
    """Collects what changes in the original's lines."""

    original: Lines
    shown: Lines
    snippet: ShownKeys
    placer: Placer
    joins: bool
    changes: list[tuple[int, int, list[str]]] = field(default_factory=list)
    remarks: set[int] = field(default_factory=set)  # lines of the snippet that speak to its reader
    steps: tuple[int, str] = (1, " ")  # columns of one level in the snippet, and what is written for them

    def lines(self) -> list[str]:
        """The original's lines with all changes; those at one place in the order that they were found in."""
        result: list[str] = []
        at = 0
        for start, end, new in sorted(self.changes, key=lambda change: change[:2]):
            if start < at:
                raise _Unmerged
            result += [*self.original.texts[at:start], *new]
            at = end
        return result + self.original.texts[at:]

    def merge(self, mine: Entry, shown: Entry) -> None:
        """Merges what is shown of an entry into the file's."""
        numbers = matched(mine.children, shown.children)
        if mine.children and shown.children and mine.children[0].is_item and shown.children[0].is_item:
            is_new = not any(number is not None for number in numbers)
            has_names = any(one.marks and one.marks[0][0] != "first" for one in mine.children)
            if mine.is_list or (is_new and not has_names):
                self._merge_list(mine, shown, numbers)
                return
        counts = self.placer.counts
        counts["matched"] += sum(number is not None for number in numbers)
        counts["new"] += numbers.count(None)
        num_shown = len(set(numbers) - {None})
        if mine.column >= 0 and 0 < num_shown < len(mine.children):
            counts["shown"] = max(counts["shown"], round(100 * num_shown / len(mine.children)))
            counts["hidden"] += len(mine.children) - num_shown
        for one, number in zip(shown.children, numbers, strict=True):
            if number is not None:
                self.remarks.update(self._remarks(mine, one))
                self._change(mine.children[number], one)
        self._insert(mine, shown, numbers)

    def _remarks(self, mine: Entry, shown: Entry) -> Iterator[int]:
        """The lines of comments above a shown entry that do nothing but name keys that the snippet leaves out."""
        known = {one.key for one in mine.children}
        for line in range(shown.start, shown.head):
            words = NAME.findall(self.shown.texts[line])
            if words and all(word in known or word == "and" for word in words):
                yield line

    def _change(self, mine: Entry, shown: Entry) -> None:
        if mine.is_block and shown.is_block:
            self._add_comments(mine, shown)
            if shown.children:
                self.merge(mine, shown)
            return
        if shown.is_block and not shown.children:
            return
        if mine.is_block != shown.is_block:
            self._check_whole(mine, shown)
            self._add_comments(mine, shown)
            self.changes.append((mine.head, mine.end, self._written(shown, self._prefix(mine))))
            return
        new = self._value(mine, shown)
        self._add_comments(mine, shown)
        if new is not None:
            self.changes.append((mine.head, mine.end, new))
        else:
            self.placer.counts["same"] += 1

    def _check_whole(self, mine: Entry, shown: Entry) -> None:
        """Raises _Unmerged where a block would be replaced of which only a part may be shown."""
        if self.snippet.language in BRACED:
            old = "\n".join(self.original.texts[mine.head : mine.end]).partition("{")[2]
            new = plain("\n".join(self.shown.texts[shown.head : shown.end]))
            if mine.is_block or not all(f"{name}:" in new for name in re.findall(r"([\w-]+)\s*:", old)):
                raise _Unmerged

    def _value(self, mine: Entry, shown: Entry) -> list[str] | None:
        """The lines of a value that differs, in the file's writing; None where it is the same."""
        old = "\n".join(self.original.texts[mine.head : mine.end])[mine.column :]
        new = "\n".join(self.shown.texts[shown.head : shown.end])[shown.column :]
        (old_code, old_note), (new_code, new_note) = self._split(old), self._split(new)
        if plain(old_code) == plain(new_code) and (not new_note or plain(new_note) == plain(old_note)):
            return None
        lines = self._written(shown, self._prefix(mine))
        if mine.end == mine.head + 1 and len(lines) == 1:
            begun, given = _ASSIGNED.match(old_code), _ASSIGNED.match(new_code)
            if begun and given and plain(begun[1]) == plain(given[1]):
                lines = [self._prefix(mine) + begun[1] + given[2]]
            else:
                lines = [self._prefix(mine) + new_code]
            lines[0] = lines[0].rstrip() + (new_note or old_note)
        return lines

    def _split(self, text: str) -> tuple[str, str]:
        """A value and the comment behind it with the space before that; none where it takes several lines."""
        if "\n" in text.rstrip():
            return text, ""
        syntax = comment_syntax(self.snippet.language)
        found = split_trailing(text, (*syntax.line, *(opening for opening, _ in syntax.block)))
        if found is None:
            return text, ""
        code = found[0].rstrip()
        return code, text[len(code) :]

    def _prefix(self, entry: Entry) -> str:
        return self.original.texts[entry.head][: entry.column]

    def _add_comments(self, mine: Entry, shown: Entry) -> None:
        """Puts comments above an entry that only the snippet has; new forms of the file's own replace those."""
        if mine.start == mine.head and self.original.texts[mine.head][: mine.column].strip():
            return
        known = {plain(self.original.texts[line]) for line in range(mine.start, mine.head)}
        above = [line for line in range(shown.start, shown.head) if line not in self.remarks]
        prefix = self._prefix(mine)
        new = [prefix + self.shown.texts[line].strip() for line in above]
        old = self.original.texts[max(mine.start, mine.head - len(new)) : mine.head]
        if len(old) == len(new) and fuzz.ratio("\n".join(new), "\n".join(old)) >= SIMILAR:
            if any(plain(one) != plain(other) for one, other in zip(old, new, strict=True)):
                self.changes.append((mine.head - len(new), mine.head, new))
            return
        new = [line for line in new if plain(line) not in known]
        if new:
            self.changes.append((mine.head, mine.head, new))

    def _insert(self, mine: Entry, shown: Entry, numbers: Sequence[int | None]) -> None:
        """Puts what is new where it goes."""
        places: dict[int, list[int]] = {}
        siblings = [Sibling(one.key, names_of(one.key, (value for _, value in one.marks))) for one in mine.children]
        before: int | None = None
        for number, one in enumerate(shown.children):
            if numbers[number] is not None:
                before = numbers[number]
                continue
            after = next((other for other in numbers[number:] if other is not None), None)
            note = self.snippet.notes.get(one.start, "")
            for line in range(one.start, one.head):
                if told_place(siblings, self._name(one), self.shown.texts[line]) is not None:
                    note = f"{note} {self.shown.texts[line]}"
                    self.remarks.add(line)
            place = self._imported(mine, one) if before is None and after is None else None
            if place is None:
                place = self.placer.place(siblings, self._name(one), before, after, note)
            if place == 0 and mine.children and self._prefix(mine.children[0]).strip():
                place = 1  # nothing goes between the dash of a list and its entry
            if any(one.start < line < one.end for line in self.snippet.elided):
                raise _Unmerged  # what is left out of something new is nowhere to be found
            places.setdefault(place, []).append(number)
        keys = [one.key for one in siblings]
        for place, new in places.items():
            order = in_order(keys, place, [self._name(shown.children[number]) for number in new])
            self._insert_at(mine, shown, place, [new[number] for number in order])

    def _imported(self, mine: Entry, new: Entry) -> int | None:
        """The place of a new import that no neighbour is shown with: behind the others, or first; None for others."""
        if not new.key.startswith(IMPORTS) or self.snippet.language not in BRACED:
            return None
        others = [number for number, one in enumerate(mine.children) if one.key.startswith(new.key[:4])]
        return others[-1] + 1 if others else 0

    @staticmethod
    def _name(entry: Entry) -> str:
        return entry.marks[0][1] if entry.marks else entry.key

    def _insert_at(self, mine: Entry, shown: Entry, place: int, new: Sequence[int]) -> None:
        prefix = self._inside(mine, shown)
        written: list[str] = []
        previous = mine.children[place - 1] if place else None
        for number in new:
            one = shown.children[number]
            lines = self._written(one, prefix, with_comments=True)
            if previous is not None:
                written += [""] * self._gap(mine, previous, shown, number)
            written += lines
            previous = one
        if place:
            at = mine.children[place - 1].end
        elif mine.children:
            at = mine.children[0].start
            written += [""] * self._gap(mine, shown.children[new[-1]], shown, new[-1], mine.children[0])
        else:
            at = (mine.inner or (mine.end, mine.end))[0]
        self.changes.append((at, at, written))

    def _inside(self, mine: Entry, shown: Entry) -> str:
        """The indentation of what stands inside an entry."""
        if not mine.children:
            head = self.original.texts[mine.head] if mine.column >= 0 else ""
            unit = self.original.indent_unit if self.snippet.language not in ("toml", "ini") else ""
            return head[: len(head) - len(head.lstrip())] + unit
        prefix = self._prefix(mine.children[-1])
        return prefix if prefix.isspace() else " " * len(prefix)

    def _gap(self, mine: Entry, previous: Entry, shown: Entry, number: int, following: Entry | None = None) -> int:
        """The number of blank lines between an entry and the new one behind it, or between that and what follows."""
        one = following or shown.children[number]
        if following is not None and number + 1 < len(shown.children) and not _is_large(previous):
            return max(0, shown.children[number + 1].start - shown.children[number].end)
        kind = (_is_large(previous), _is_large(one))
        gaps: dict[tuple[bool, bool], Counter[int]] = {}
        for before, behind in zip(mine.children, mine.children[1:], strict=False):
            if not any(self.original.keys[before.end : behind.start]):
                pair = (_is_large(before), _is_large(behind))
                gaps.setdefault(pair, Counter())[behind.start - before.end] += 1
        for pair in (kind, (True, True)) if any(kind) else (kind,):
            if pair in gaps:
                return max(gaps[pair], key=lambda gap: (gaps[pair][gap], -gap))
        if number and following is None:
            return max(0, shown.children[number].start - shown.children[number - 1].end)
        return int(mine.column < 0 and self.snippet.language != "yaml" and any(kind))

    def _written(self, shown: Entry, prefix: str, *, with_comments: bool = False) -> list[str]:
        """The snippet's lines of an entry, its first one behind the prefix and the others moved with it."""
        indent = prefix if not prefix.strip() else " " * len(prefix)
        shown_step, step = self.steps
        above = range(shown.start, shown.head) if with_comments else ()
        lines = [indent + self.shown.texts[line].strip() for line in above if line not in self.remarks]
        lines.append(prefix + self.shown.texts[shown.head][shown.column :].rstrip())
        for line in range(shown.head + 1, shown.end):
            text = self.shown.texts[line]
            columns = len(text) - len(text.lstrip()) - shown.column
            if not text.strip():
                lines.append("")
            elif columns < 0:
                lines.append(indent[: max(0, len(indent) + columns)] + text.strip())
            else:
                steps, rest = divmod(columns, shown_step)
                lines.append(indent + step * steps + " " * rest + text.strip())
        return lines

    # ---- lists of values ----

    def _merge_list(self, mine: Entry, shown: Entry, numbers: Sequence[int | None]) -> None:
        """A list as the snippet has it; where lists are joined, with what the snippet doesn't show of the file's."""
        counts = self.placer.counts
        counts["matched"] += sum(number is not None for number in numbers)
        counts["new"] += numbers.count(None)
        inner = shown.inner or (0, 0)
        is_part = any(inner[0] <= line <= inner[1] for line in self.snippet.elided)
        lost = len(mine.children) - len(set(numbers) - {None})
        if lost and not is_part:
            counts["joined" if self.joins else "dropped"] += lost
        if is_part or self.joins:
            for one, number in zip(shown.children, numbers, strict=True):
                if number is not None:
                    self._change(mine.children[number], one)
            self._insert(mine, shown, numbers)
            self._end_items(mine)
            return
        first, last = mine.children[0].start, mine.children[-1].end
        if self._has_comments(self.shown, shown) or not self._has_comments(self.original, mine):
            self.changes.append((first, last, self._written_list(mine, shown)))
            self._end_items(mine)
            return
        written: list[str] = []
        prefix = self._inside(mine, shown)
        for one, number in zip(shown.children, numbers, strict=True):
            if number is None:
                written += self._written(one, prefix, with_comments=True)
                continue
            item = mine.children[number]
            written += self.original.texts[item.start : item.head]
            written += self._value(item, one) or self.original.texts[item.head : item.end]
        self.changes.append((first, last, written))
        self._end_items(mine)

    def _has_comments(self, lines: Lines, entry: Entry) -> bool:
        first, last = entry.children[0].start, entry.children[-1].end
        return any(lines.is_comment(line) or self._split(lines.texts[line])[1].strip() for line in range(first, last))

    def _written_list(self, mine: Entry, shown: Entry) -> list[str]:
        """All of a list as the snippet has it, comments and blank lines included."""
        first = shown.children[0]
        whole = replace(first, head=first.start, end=shown.children[-1].end, column=first.column)
        known = {_spaceless(text): text for text in self.original.texts[mine.children[0].start : mine.children[-1].end]}
        return [known.get(_spaceless(line), line) for line in self._written(whole, self._inside(mine, shown))]

    def _end_items(self, mine: Entry) -> None:
        """Gives the items of a list of TOML the commas that they need, its last one as the file has it."""
        if self.snippet.language != "toml":
            return
        first, last = mine.inner or (0, 0)
        ends_so = self._has_comma(self.original.texts[mine.children[-1].end - 1])
        new = [change for change in self.changes if first <= change[0] and change[1] <= last]
        if not new:
            return
        others = [change for change in self.changes if change not in new]
        self.changes = new
        inner: list[str] = []
        at = first
        for start, end, lines in sorted(self.changes, key=lambda change: change[:2]):
            inner += [*self.original.texts[at:start], *lines]
            at = end
        inner += self.original.texts[at:last]
        items = entries_of(["x = [", *inner, "]"], "toml") if len(inner) > 1 else None
        children = items.children[0].children if items is not None else ()
        for child in children:
            line = child.end - 2
            wants = child is not children[-1] or ends_so
            inner[line] = self._with_comma(inner[line], wants=wants)
        self.changes = [*others, (first, last, inner)]

    def _has_comma(self, text: str) -> bool:
        return self._split(text)[0].rstrip().endswith(",")

    def _with_comma(self, text: str, *, wants: bool) -> str:
        code, note = self._split(text)
        return code.rstrip().rstrip(",") + ("," if wants else "") + note


def _spaceless(text: str) -> str:
    return "".join(text.split()).replace("'", '"')


def _is_large(entry: Entry) -> bool:
    """Whether an entry is one that files set off from others."""
    return entry.is_block or entry.end - entry.head > 1
