"""Merges the entries that a snippet shows into a file's: values change, blocks are merged, new ones are put in.

They are written as the file writes its own: indentation, comments, commas and blank lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from rapidfuzz import fuzz

from fastedit.anchor.lazy.keys.entries import Entry, plain
from fastedit.anchor.lazy.keys.matching import matched, name_in, renamed, siblings_in, told_renamed
from fastedit.anchor.lazy.keys.placing import MergeRules, Placer, in_order, place_beside, told_place
from fastedit.anchor.lazy.keys.trees import BRACED, CODE, SECTIONED, entries_of
from fastedit.anchor.lazy.keys.writing import EntryWriter, comment_text
from fastedit.anchor.lazy.lines import DOTS, NAME, WORD

SIMILAR = 60.0  # of 100: a comment that is another's new form
DOCSTRING = re.compile(r"\s*[rRuU]?(?:\"{3}|'{3})")
IMPORTS = ("@use", "@import", "@forward", "@charset", "import ", "from ", "use ", "using ")


class Unmerged(Exception):
    """Raised where what the snippet shows can't be put into the file this way."""


@dataclass(slots=True)
class EntryMerger:
    """Collects what changes in the original's lines.

    elided: the lines of the snippet that something is left out before. notes: what was said above a line or behind it.
    odds: of comments, columns: of what stands for what is left out, see `ShownKeys`.
    """

    writer: EntryWriter
    elided: frozenset[int]
    notes: dict[int, str]
    placer: Placer
    rules: MergeRules
    odds: dict[int, int] = field(default_factory=dict)
    columns: dict[int, int] = field(default_factory=dict)
    changes: list[tuple[int, int, list[str]]] = field(default_factory=list)

    def lines(self) -> list[str]:
        """The original's lines with all changes; those at one place in the order that they were found in."""
        result: list[str] = []
        at = 0
        for start, end, new in sorted(self.changes, key=lambda change: change[:2]):
            if start < at:
                raise Unmerged
            result += [*self.writer.original.texts[at:start], *new]
            at = end
        return result + self.writer.original.texts[at:]

    def merge(self, mine: Entry, shown: Entry) -> None:
        """Merges what is shown of an entry into the file's."""
        numbers = self._numbers(mine, shown)
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
        if (mine.column >= 0 or self.elided) and not self._is_part(shown) and 0 < num_shown < len(mine.children):
            counts["shown"] = max(counts["shown"], round(100 * num_shown / len(mine.children)))
            counts["hidden"] += len(mine.children) - num_shown
        for one, number in zip(shown.children, numbers, strict=True):
            if number is not None:
                self.writer.remarks.update(self._remarks(mine, one))
                self._change(mine.children[number], one)
        self._insert(mine, *self._without_strays(mine, shown, numbers))

    def _without_strays(self, mine: Entry, shown: Entry, numbers: list[int | None]) -> tuple[Entry, list[int | None]]:
        """The rest of a file's new keys when those change that one section alone has, where that is asked for."""
        if mine.column >= 0 or self.writer.language not in SECTIONED:
            return shown, numbers
        kept: list[int] = []
        for at, one in enumerate(shown.children):
            found = [
                child
                for block in mine.children
                if block.is_block and not one.key.startswith("[")
                for child in block.children
                if child.key == one.key and not child.is_item
            ]
            is_stray = numbers[at] is None and len(found) == 1
            self.placer.counts["strays"] += is_stray
            if is_stray and self.rules.scatters:
                self.placer.counts["scattered"] += 1
                self._change(found[0], one)
            else:
                kept.append(at)
        return replace(shown, children=tuple(shown.children[at] for at in kept)), [numbers[at] for at in kept]

    def _numbers(self, mine: Entry, shown: Entry) -> list[int | None]:
        """For each entry that is shown the one of the file that it is, under another name where that is asked for."""
        numbers = matched(mine.children, shown.children)
        if None in numbers:
            for at, number in renamed(mine.children, shown.children, numbers).items():
                self.placer.counts["like"] += 1
                if self.rules.renames:
                    numbers[at] = number
                    self.placer.counts["renamed"] += 1
            new = [at for at, number in enumerate(numbers) if number is None]
            old = [number for number in range(len(mine.children)) if number not in numbers]
            keys = [name_in(mine.children[number]) for number in old]
            told = told_renamed(keys, [name_in(shown.children[at]) for at in new], self.rules.said)
            for one, other in told.items():
                self.placer.counts["like"] += 1
                if self.rules.renames:
                    numbers[new[one]] = old[other]
                    self.placer.counts["renamed_said"] += 1
        return numbers

    def _is_whole(self, mine: Entry, shown: Entry) -> bool:
        """Whether a block is said to be shown complete."""
        named = mine.key.strip("\"'[]") in self.rules.whole
        return named and bool(shown.children) and not mine.is_list and not self._is_part(shown)

    def _is_replaced(self, mine: Entry, shown: Entry) -> bool:
        """Whether a block goes for one that has nothing in common with it, where that is asked for."""
        if not mine.children or not shown.children or mine.children[0].is_item or self._is_part(shown):
            return False
        if any(number is not None for number in matched(mine.children, shown.children)):
            return False
        self.placer.counts["replaceable"] += 1
        is_renamed = self.rules.renames and mine.key != shown.key and not mine.is_item
        return self.rules.replaces or is_renamed

    def _is_part(self, shown: Entry) -> bool:
        """Whether something is left out of a shown block."""
        return any(shown.head < line <= shown.end for line in self.elided)

    def _remarks(self, mine: Entry, shown: Entry) -> Iterator[int]:
        """The lines of comments above a shown entry that do nothing but name keys that the snippet leaves out."""
        known = {one.key for one in mine.children}
        for line in range(shown.start, shown.head):
            words = NAME.findall(self.writer.shown.texts[line])
            if words and all(word in known or word == "and" for word in words):
                yield line

    def _change(self, mine: Entry, shown: Entry) -> None:
        if mine.is_block and shown.is_block:
            self._add_comments(mine, shown)
            if self._is_replaced(mine, shown):
                self.placer.counts["replaced"] += 1
                self.changes.append((mine.head, mine.end, self.writer.written(shown, self.writer.prefix(mine))))
            elif self._is_whole(mine, shown):
                lost = set(range(len(mine.children))) - set(matched(mine.children, shown.children))
                self.placer.counts["whole"] += len(lost)
                self.changes.append((mine.head, mine.end, self.writer.written(shown, self.writer.prefix(mine))))
            else:
                self._rename(mine, shown)
                if shown.children:
                    self.merge(mine, shown)
            return
        if (shown.is_block and not shown.children) or (mine.is_block and not shown.is_block and self._is_part(shown)):
            return
        if mine.is_block != shown.is_block:
            self._check_whole(mine, shown)
            self._add_comments(mine, shown)
            self.changes.append((mine.head, mine.end, self.writer.written(shown, self.writer.prefix(mine))))
            return
        new = self.writer.value(mine, shown)
        self._check_code(shown, is_changed=new is not None)
        self._add_comments(mine, shown)
        written = self.writer.as_shown(mine, shown)
        if written != (new or self.writer.original.texts[mine.head : mine.end]):
            self.placer.counts["rewritable"] += 1
            if self.rules.rewrites:
                self.placer.counts["rewritten"] += 1
                new = written
        if new is not None:
            self.changes.append((mine.head, mine.end, new))
        else:
            self.placer.counts["same"] += 1

    def _rename(self, mine: Entry, shown: Entry) -> None:
        """Gives a block the header that the snippet shows, where it is called otherwise."""
        is_other = mine.key != shown.key or self._has_other_header(mine, shown)
        if is_other and not mine.is_item and mine.inner and shown.inner:
            header = replace(shown, end=max(shown.head + 1, shown.inner[0]))
            new = self.writer.written(header, self.writer.prefix(mine))
            self.changes.append((mine.head, max(mine.head + 1, mine.inner[0]), new))

    def _has_other_header(self, mine: Entry, shown: Entry) -> bool:
        """Whether the header of a block of code is shown with words that the file's lacks; one cut short has none."""
        if self.writer.language not in CODE or not mine.inner or not shown.inner:
            return False
        ours = WORD.findall(" ".join(self.writer.original.texts[mine.head : mine.inner[0]]))
        return not set(WORD.findall(" ".join(self.writer.shown.texts[shown.head : shown.inner[0]]))) <= set(ours)

    def _check_code(self, shown: Entry, *, is_changed: bool) -> None:
        """Raises Unmerged where a member of code changes that is shown with parts left out."""
        if not is_changed or self.writer.language not in CODE:
            return
        texts = self.writer.shown.texts[shown.head : shown.end]
        if self._is_cut(shown) or any(DOTS.search(text) for text in texts):
            raise Unmerged

    def _is_cut(self, shown: Entry) -> bool:
        """Whether something is left out of an entry; in code by columns at its end too."""
        is_cut_at_end = self.writer.language in CODE and self.columns.get(shown.end, -1) > shown.column
        return is_cut_at_end or any(shown.start < line < shown.end for line in self.elided)

    def _check_whole(self, mine: Entry, shown: Entry) -> None:
        """Raises Unmerged where a block would be replaced of which only a part may be shown."""
        if self.writer.language in BRACED:
            old = "\n".join(self.writer.original.texts[mine.head : mine.end]).partition("{")[2]
            new = plain("\n".join(self.writer.shown.texts[shown.head : shown.end]))
            if mine.is_block or not all(f"{name}:" in new for name in re.findall(r"([\w-]+)\s*:", old)):
                raise Unmerged

    def _add_comments(self, mine: Entry, shown: Entry) -> None:
        """Puts comments above an entry that only the snippet has; new forms of the file's own replace those."""
        if mine.start == mine.head and self.writer.original.texts[mine.head][: mine.column].strip():
            return
        known = {plain(self.writer.original.texts[line]) for line in range(mine.start, mine.head)}
        above = [line for line in range(shown.start, shown.head) if line not in self.writer.remarks]
        prefix = self.writer.prefix(mine)
        new = [prefix + comment_text(self.writer.shown.texts[line]) for line in above]
        old = self.writer.original.texts[max(mine.start, mine.head - len(new)) : mine.head]
        if len(old) == len(new) and fuzz.ratio("\n".join(new), "\n".join(old)) >= SIMILAR:
            if any(plain(one) != plain(other) for one, other in zip(old, new, strict=True)):
                self.changes.append((mine.head - len(new), mine.head, new))
            return
        odds = sum(self.odds.get(at, 0) for at, line in zip(above, new, strict=True) if plain(line) not in known)
        self.placer.counts["comment_odds"] += -odds if self.rules.is_quiet else odds
        new = [line for line in new if plain(line) not in known]
        self.placer.counts["quiet" if self.rules.is_quiet else "comments"] += len(new)
        if new and not self.rules.is_quiet:
            self.changes.append((mine.head, mine.head, new))

    def _insert(self, mine: Entry, shown: Entry, numbers: Sequence[int | None]) -> None:
        """Puts what is new where it goes."""
        places: dict[int, list[int]] = {}
        siblings = siblings_in(mine)
        before: int | None = None
        for number, one in enumerate(shown.children):
            if numbers[number] is not None:
                before = numbers[number]
                continue
            after = next((other for other in numbers[number:] if other is not None), None)
            note = self.notes.get(one.start, "")
            for line in range(one.start, one.head):
                if told_place(siblings, name_in(one), self.writer.shown.texts[line]) is not None:
                    note = f"{note} {self.writer.shown.texts[line]}"
                    self.writer.remarks.add(line)
            is_alone = before is None and (after is None or self.writer.language in CODE)
            place = self._imported(mine, one) if is_alone else None
            if place is None:
                beside = self._beside(shown, number, before, after, len(siblings))
                place = self.placer.place(siblings, name_in(one), beside, note, mine.key)
            if place == 0 and mine.children and self.writer.prefix(mine.children[0]).strip():
                place = 1  # nothing goes between the dash of a list and its entry
            if place == 0 and mine.children and DOCSTRING.match(self.writer.original.texts[mine.children[0].head]):
                place = 1  # nothing goes above a docstring
            if self._is_cut(one):
                raise Unmerged  # what is left out of something new is nowhere to be found
            places.setdefault(place, []).append(number)
        keys = [one.key for one in siblings]
        for place, new in places.items():
            names = [name_in(shown.children[number]) for number in new]
            order = in_order(keys, place, names, self.placer.min_sorted)
            self._insert_at(mine, shown, place, [new[number] for number in order])

    def _beside(self, shown: Entry, number: int, before: int | None, after: int | None, count: int) -> int | None:
        """The place at which a block shows a new entry among `count` siblings; None where it shows none.

        before, after: the nearest siblings that are shown. The new one stands behind what stands for others.
        """
        one, children = shown.children[number], shown.children
        start = children[number - 1].end if number else shown.head + 1
        end = children[number + 1].start if number + 1 < len(children) else shown.end
        while end < len(self.writer.shown) and not self.writer.shown.keys[end]:
            end += 1
        is_behind = any(start <= line <= one.start and self._is_inside(line, shown) for line in self.elided)
        is_ahead = any(one.end <= line <= end and self._is_inside(line, shown) for line in self.elided)
        if before is not None and not is_behind:
            return before + 1
        if after is not None and not is_ahead:
            return after
        if is_behind != is_ahead:
            return count if is_behind else 0
        return place_beside(before, after)

    def _is_inside(self, line: int, shown: Entry) -> bool:
        """Whether what stands for something left out before a line belongs to a block, by its columns."""
        return self.columns.get(line, 0) > shown.column

    def _imported(self, mine: Entry, new: Entry) -> int | None:
        """The place of a new import that no neighbour is shown with: behind the others, or first; None for others."""
        if not new.key.startswith(IMPORTS) or self.writer.language not in BRACED | CODE:
            return None
        others = [number for number, one in enumerate(mine.children) if one.key.startswith(new.key[:4])]
        return others[-1] + 1 if others else 0

    def _insert_at(self, mine: Entry, shown: Entry, place: int, new: Sequence[int]) -> None:
        previous = mine.children[place - 1] if place else None
        prefix = self.writer.inside(mine, previous)
        written: list[str] = []
        for number in new:
            one = shown.children[number]
            lines = self.writer.written(one, prefix, with_comments=True)
            if previous is not None:
                written += [""] * self.writer.gap(mine, previous, shown, number)
            written += lines
            previous = one
        if place:
            at = mine.children[place - 1].end
        elif mine.children:
            at = mine.children[0].start
            written += [""] * self.writer.gap(mine, shown.children[new[-1]], shown, new[-1], mine.children[0])
        else:
            at = (mine.inner or (mine.end, mine.end))[0]
        self.changes.append((at, at, written))

    def _merge_list(self, mine: Entry, shown: Entry, numbers: Sequence[int | None]) -> None:
        """A list as the snippet has it; where lists are joined, with what the snippet doesn't show of the file's."""
        counts = self.placer.counts
        counts["matched"] += sum(number is not None for number in numbers)
        counts["new"] += numbers.count(None)
        inner = shown.inner or (0, 0)
        is_part = any(inner[0] <= line <= inner[1] for line in self.elided)
        lost = len(mine.children) - len(set(numbers) - {None})
        if lost and not is_part:
            is_whole = mine.key in self.rules.whole
            counts["joined" if self.rules.joins else "whole" if is_whole else "dropped"] += lost
        if is_part or self.rules.joins:
            for one, number in zip(shown.children, numbers, strict=True):
                if number is not None:
                    self._change(mine.children[number], one)
            self._insert(mine, shown, numbers)
            self._end_items(mine)
            return
        first, last = mine.children[0].start, mine.children[-1].end
        if self.writer.has_comments(self.writer.shown, shown) or not self.writer.has_comments(
            self.writer.original, mine
        ):
            self.changes.append((first, last, self.writer.written_list(mine, shown)))
            self._end_items(mine, self._shown_end(mine, shown, numbers))
            return
        written: list[str] = []
        prefix = self.writer.inside(mine)
        for one, number in zip(shown.children, numbers, strict=True):
            if number is None:
                written += self.writer.written(one, prefix, with_comments=True)
                continue
            item = mine.children[number]
            written += self.writer.original.texts[item.start : item.head]
            written += self.writer.value(item, one) or self.writer.original.texts[item.head : item.end]
        self.changes.append((first, last, written))
        self._end_items(mine, self._shown_end(mine, shown, numbers))

    def _shown_end(self, mine: Entry, shown: Entry, numbers: Sequence[int | None]) -> bool | None:
        """Whether a list that is shown whole ends in a comma, where that counts; else None."""
        if self.writer.language != "toml" or numbers[-1] == len(mine.children) - 1:
            return None
        has_comma = self.writer.has_comma(self.writer.shown.texts[shown.children[-1].end - 1])
        if has_comma == self.writer.has_comma(self.writer.original.texts[mine.children[-1].end - 1]):
            return None
        self.placer.counts["ends_as_shown" if self.rules.ends_as_shown else "ends"] += 1
        return has_comma if self.rules.ends_as_shown else None

    def add_items(self, mine: Entry, shown: Entry) -> None:
        """Adds items that are shown without the key of their list, and changes those that the list has."""
        numbers = matched(mine.children, shown.children)
        self.placer.counts["items"] = 1
        self.placer.counts["matched"] += len(numbers) - numbers.count(None)
        self.placer.counts["new"] += numbers.count(None)
        for one, number in zip(shown.children, numbers, strict=True):
            if number is not None:
                self._change(mine.children[number], one)
        self._insert(mine, shown, numbers)
        self._end_items(mine)

    def _end_items(self, mine: Entry, shown_end: bool | None = None) -> None:
        """Gives the items of a list of TOML the commas that they need, its last one as the file has it.

        shown_end: whether the last one has one all the same.
        """
        if self.writer.language != "toml":
            return
        first, last = mine.inner or (0, 0)
        ends_so = self.writer.has_comma(self.writer.original.texts[mine.children[-1].end - 1])
        ends_so = ends_so if shown_end is None else shown_end
        new = [change for change in self.changes if first <= change[0] and change[1] <= last]
        if not new:
            return
        others = [change for change in self.changes if change not in new]
        self.changes = new
        inner: list[str] = []
        at = first
        for start, end, lines in sorted(self.changes, key=lambda change: change[:2]):
            inner += [*self.writer.original.texts[at:start], *lines]
            at = end
        inner += self.writer.original.texts[at:last]
        items = entries_of(["x = [", *inner, "]"], "toml") if len(inner) > 1 else None
        children = items.children[0].children if items is not None else ()
        for child in children:
            line = child.end - 2
            wants = child is not children[-1] or ends_so
            inner[line] = self.writer.with_comma(inner[line], wants=wants)
        self.changes = [*others, (first, last, inner)]
