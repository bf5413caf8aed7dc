"""Finds what a message's words say beyond its code: what goes, what is called or reads otherwise, what has moved."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cached_property

from fastedit.anchor.hints import Hints, name_of
from fastedit.anchor.lazy.identity import (
    columns_of,
    entry_key,
    identity_of,
    imported_names,
    is_entry,
    is_named,
    object_key_of,
    source_of,
    used_of,
    without_name,
)
from fastedit.anchor.lazy.keys.gone import GoneEntries
from fastedit.anchor.lazy.lines import CLOSER, Lines
from fastedit.anchor.lazy.proposals.beside import Beside, LostBeside
from fastedit.anchor.lazy.proposals.cut import without_part
from fastedit.anchor.lazy.proposals.ends import FileEnds
from fastedit.anchor.lazy.proposals.proposals import PROPOSALS, Outlived, ProposedLoss
from fastedit.anchor.lazy.proposals.reworded import Rewording
from fastedit.anchor.lazy.proposals.together import GoneEverywhere, GoneTogether
from fastedit.anchor.lazy.words.compound import CONTROL, compound_at, control_word
from fastedit.anchor.lazy.words.shapes import TEXTS
from fastedit.anchor.lazy.words.spoken import Unit, likeliest_of
from fastedit.syntax.model import Outline

MAX_PROPOSALS = 18
MAX_SPOKEN = 8
MAX_GROUPS = 3
MAX_PLACES = 4  # a name that more lines are about says nothing of any
MAX_REPEATS = 4
MIN_NAME = 2  # characters of a name that lines are about
MIN_QUOTED = 4  # characters of a quote that is the beginning of a line
MIN_MOVED_LINES = 3
MIN_WRITTEN_ANEW = 10  # characters of a line that is written anew elsewhere in its block
MIN_MOVED_SHARE = 0.6
# Languages whose keys are merged by their own rules.
BY_KEY = ("json", "yaml", "toml", "ini")
_USED = PROPOSALS.index("removes_used")
# What may stand behind an entry's name: `"name>=1.2",`.
_VERSION = r"(?:[<>=!~;@^\[][^(){}]*)?[\"',;]*$"


def proposals_for(
    lines: Sequence[str],
    origins: Sequence[int | None],
    original: Sequence[str],
    found: Outline,
    hints: Hints,
    spoken: Sequence[Unit] = (),
    reworded: Sequence[Rewording] = (),
    beside: Beside | None = None,
    entries: Sequence[GoneEntries] = (),
    ends: FileEnds | None = None,
    together: Sequence[GoneTogether] = (),
    everywhere: Sequence[GoneEverywhere] = (),
    outlived: Outlived | None = None,
) -> list[ProposedLoss]:
    """Proposes what could go from a result, or change in it, because words say so or because it stands elsewhere now.

    found: the original's outline. spoken, reworded: what sentences may mean that speak of going, or quote a change.
    beside: what may go with it. entries: those of a file of keys that clauses say are gone. ends: what may go at the
    file's top and end. together: names that one clause says are gone; everywhere: lines that go wherever they are.
    outlived: what stays beside lines that may have taken its place.
    """
    shown = beside.shown if beside else frozenset()
    finder = _Finder(lines, origins, original, found, shown)
    said = _said(hints)
    for quoted in said:
        finder.add_said(quoted, said)
    if hints.imports:
        finder.add_imports()
    finder.add_entries(entries)
    if ends is not None:
        finder.add_ends(ends)
    finder.add_everywhere(everywhere)
    finder.add_repeats()
    finder.add_moved()
    finder.add_written_anew()
    finder.add_reworded(reworded)
    finder.add_spoken(spoken)
    finder.add_together(together, spoken)
    if beside is not None:
        finder.add_beside(beside)
    if outlived is not None:
        finder.add_outlived(outlived)
    return finder.result[:MAX_PROPOSALS]


def _said(hints: Hints) -> list[str]:
    """All that the words say is gone, in their order and then by name."""
    names = {name_of(text) for text in hints.gone}
    return [*hints.gone, *sorted(hints.removed - names)]


class _Finder:
    """Finds what could go from a result; nothing twice.

    shown: the snippets' lines without white space. written: the result's new lines.
    """

    def __init__(
        self,
        lines: Sequence[str],
        origins: Sequence[int | None],
        original: Sequence[str],
        found: Outline,
        shown: frozenset[str] = frozenset(),
    ) -> None:
        self.lines, self.origins, self.original, self.found = lines, origins, original, found
        self.shown = shown
        self.written = [lines[line] for line, origin in enumerate(origins) if origin is None]
        self.covered: set[int] = set()
        self.result: list[ProposedLoss] = []
        self.by_word: dict[str, list[ProposedLoss]] = {}  # what is proposed because of a quote or a name

    @cached_property
    def kept(self) -> set[int]:
        """The original's lines that stand in the result."""
        return {origin for origin in self.origins if origin is not None}

    def _is_free(self, whole: range) -> bool:
        return bool(whole) and not self.covered.intersection(whole) and all(line in self.kept for line in whole)

    def _holds_covered(self, whole: range) -> bool:
        """Whether a compound statement is still there whole, though less of it may go for other reasons."""
        is_whole = len(whole) > 1 and all(line in self.kept for line in whole) and not self.covered >= set(whole)
        return is_whole and self._compound(whole.start) == whole

    def _propose(self, gone: Sequence[int], name: str = "", **values: float) -> None:
        """Adds a proposal. name: what the lines are about; it counts whether the others still use it."""
        self.covered.update(gone)
        if name:
            values["used"] = float(self._is_used(name, set(gone)))
        values["spoken_shown" if "spoken_any" in values else "shown"] = self._share_shown(gone[:1])
        told = tuple(values.get(one.removeprefix("removes_"), 0.0) for one in PROPOSALS)
        self.result.append(ProposedLoss(tuple(gone), told))

    def _share_shown(self, gone: Sequence[int]) -> float:
        """The share of lines that the snippets show."""
        keys = ["".join(self.original[line].split()) for line in gone]
        return sum(key in self.shown for key in keys) / max(1, len(keys))

    def _is_used(self, name: str, gone: set[int]) -> bool:
        alone = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
        rest = (line for line, origin in zip(self.lines, self.origins, strict=True) if origin not in gone)
        return any(name in line and alone.search(line) for line in rest)

    # ---- what the words name -----------------------------------------------------------------------------------------

    def add_said(self, quoted: str, said: Sequence[str] = ()) -> None:
        """Adds what goes where a quote or a name is gone. said: all that are."""
        num_before = len(self.result)
        if quoted not in CONTROL:
            self._add_told(quoted, said)
        self.by_word.setdefault(_bare(quoted), []).extend(self.result[num_before:])

    def _add_told(self, quoted: str, said: Sequence[str]) -> None:
        name = name_of(quoted)
        is_name = bool(name) and not re.search(r"\s", quoted)
        if not is_name and self._add_quoted(quoted):
            return
        told = name if is_name else quoted.strip("\"'` ,;")
        self._add_declarations(told)
        if len(told) < MIN_NAME:
            return
        places = [line for line in self._lines_about(told) if self._is_free(range(line, line + 1))]
        if len(places) <= MAX_PLACES:
            used = float(self._is_used(told, set(places)))
            for line in places:
                self._propose((line,), line=1.0, used=used, among=float(len(places) - 1))
        if is_name:
            self._add_parts(told, [other for one in said if (other := name_of(one)) and other != told])

    def add_entries(self, clauses: Sequence[GoneEntries]) -> None:
        """Adds what clauses say is gone of a file of keys, as far as it is there; others may say so too."""
        for one in clauses:
            gone = tuple(line for line in one.lines if self._is_free(range(line, line + 1)))
            gone = tuple(line for line in gone if line not in self._written_into)
            if gone:
                values = one.values | {"shown": self._share_shown(gone), "lines": math.log(len(gone))}
                told = {f"entries_{name}": value for name, value in values.items()}
                self.result.append(ProposedLoss(gone, tuple(told.get(name, 0.0) for name in PROPOSALS)))

    @cached_property
    def _written_into(self) -> frozenset[int]:
        """The lines that open and close what a result has new lines in: `"a": {` can't go where these stay."""
        result: set[int] = set()
        opened: list[tuple[int | None, bool]] = []  # each bracket's line, and whether new lines stand in it
        for line, origin in zip(self.lines, self.origins, strict=True):
            bare = line.strip().rstrip(",;")
            if bare[:1] in ("}", "]", ")") and opened:
                start, is_written = opened.pop()
                if is_written:
                    result.update(one for one in (start, origin) if one is not None)
            if origin is None and bare:
                opened = [(start, True) for start, _ in opened]
            if bare[-1:] in ("{", "[", "("):
                opened.append((origin, False))
        return frozenset(result)

    def add_spoken(self, units: Sequence[Unit]) -> None:
        """Adds units that sentences may mean."""
        for unit in units[:MAX_SPOKEN]:
            whole = range(unit.start, unit.end)
            if unit.values.get("span"):
                self._add_span(whole, unit)
            if not self._is_free(whole) and not self._holds_covered(whole):
                continue
            gone = _with_blanks(whole, self.original, self.kept) if len(whole) > 1 else tuple(whole)
            self._propose(gone, unit.name, **{f"spoken_{name}": value for name, value in unit.values.items()})
            self.by_word.setdefault(_bare(unit.word), []).append(self.result[-1])

    def add_together(self, clauses: Sequence[GoneTogether], units: Sequence[Unit]) -> None:
        """Adds what the names of a clause mean as one proposal. units: what sentences may mean, see `add_spoken`."""
        groups = [one for clause in clauses if (one := self._joined(clause, units)) is not None]
        self.result[:0] = groups[:MAX_GROUPS]

    def _joined(self, clause: GoneTogether, units: Sequence[Unit]) -> ProposedLoss | None:
        """All that the names of a clause mean; None where that is but one thing."""
        joins: list[ProposedLoss] = []
        gone: set[int] = set()
        changed: dict[int, str] = {}
        missing = num_more = used = 0
        for name in clause.names:
            told = self.by_word.get(_bare(name), [])
            meant = [] if told else likeliest_of(name, units)
            joins += told
            own = {line for one in told for line in one.gone} | {
                line
                for unit in meant
                for line in _with_blanks(range(unit.start, unit.end), self.original, self.kept)
                if line in self.kept
            }
            gone |= own
            changed |= {line: text for one in told for line, text in one.changed if line not in changed}
            missing += not own and not any(one.changed for one in told)
            num_more += max(0, len(told) + len(meant) - 1)
            used += any(one.values[_USED] for one in told)
        if not gone or missing == len(clause.names) - 1 + bool(changed):
            return None
        changed = {line: text for line, text in changed.items() if line not in gone}
        count = len(clause.names)
        values = clause.values | {
            "missing": missing / count,
            "others": math.log1p(num_more),
            "used": used / count,
            "shown": self._share_shown([line for line in sorted(gone) if self.original[line].strip()]),
        }
        told_of = tuple(
            values.get(name.removeprefix("together_"), 0.0) if name.startswith("together_") else 0.0
            for name in PROPOSALS
        )
        return ProposedLoss(tuple(sorted(gone)), told_of, tuple(changed.items()), joins=tuple(joins))

    def add_everywhere(self, clauses: Sequence[GoneEverywhere]) -> None:
        """Adds lines that go wherever they are, as far as they are still there."""
        for clause in clauses:
            gone = tuple(line for line in clause.lines if line in self.kept)
            if gone:
                told = {f"together_{name}": value for name, value in clause.values.items()}
                self.result.append(ProposedLoss(gone, tuple(told.get(name, 0.0) for name in PROPOSALS)))

    def _add_span(self, whole: range, unit: Unit) -> None:
        """Adds what a result still has of lines between two that are named, but for those that a snippet shows."""
        gone = [line for line in whole if line in self.kept and "".join(self.original[line].split()) not in self.shown]
        if any(self.original[line].strip() for line in gone):
            self._propose(gone, "", **{f"spoken_{name}": value for name, value in unit.values.items()})

    def add_reworded(self, changes: Sequence[Rewording]) -> None:
        """Adds lines that the words want otherwise, as far as they stand as they were, and lines that they add."""
        taken = set(self.covered)
        of_quote: dict[str, list[tuple[int, ProposedLoss]]] = {}
        for one in sorted(changes, key=lambda change: change.rank):
            # Of two ways to change a line, both are proposed.
            free = tuple(new for new in one.lines if new[0] in self.kept and new[0] not in taken)
            has_rest = all(line in self.kept for line in one.gone)
            added = tuple(new for new in one.added if new[0] < 0 or new[0] in self.kept)
            if (free and has_rest) or added:
                self.covered.update(line for line, _ in free)
                told = {f"{one.group}_{name}": value for name, value in one.values.items()}
                values = tuple(told.get(name, 0.0) for name in PROPOSALS)
                others = of_quote.setdefault(one.quote, []) if one.quote else []
                instead = tuple(other for rank, other in others if rank < one.rank)
                self.result.append(ProposedLoss(one.gone, values, free, added, joins=instead))
                others.append((one.rank, self.result[-1]))

    def add_beside(self, beside: Beside) -> None:
        """Adds comments, blank lines and ends of the file beside what changes or goes, where words speak of such."""
        if beside.told:
            parents = {line: one for one in self.result for line in one.gone}
            kept = self.kept - set(parents)
            changed = {line for line in range(len(self.original)) if line not in kept} | self._beside_new()
            for lost in beside.comments(self.kept, changed):
                self.add_lost(lost, parents.get(lost.lines[-1] + 1))
            for one in [one for one in self.result if one.gone and one.after is None]:
                for lost in beside.blanks(one.gone, self.kept):
                    self.add_lost(lost, one)
        for lost in beside.trailing(self.lines, self.origins):
            self.add_lost(lost)
        for lost in beside.edges(self.lines, self.origins):
            self.add_lost(lost)

    def add_ends(self, ends: FileEnds) -> None:
        """Adds what words say goes at the file's top and end, as far as it is still there."""
        for lost in ends.of_result(self.lines, self.origins):
            gone = tuple(line for line in lost.lines if line in self.kept)
            if any(self.original[line].strip() for line in gone):
                told = {f"ends_{name}": value for name, value in lost.values.items()}
                self.result.append(ProposedLoss(gone, tuple(told.get(name, 0.0) for name in PROPOSALS)))

    def add_outlived(self, outlived: Outlived) -> None:
        """Adds statements that stay beside new lines which may have taken their place."""
        added: dict[range, ProposedLoss] = {}
        for unit in sorted(outlived.units(self.lines, self.origins), key=lambda one: one.values["more"]):
            if unit.nearer is not None and unit.nearer not in added:
                continue
            told = {f"outlived_{name}": value for name, value in unit.values.items()}
            after = None if unit.nearer is None else added[unit.nearer]
            added[unit.lines] = _loss(unit.lines, told, after)
        self.result += added.values()

    def _beside_new(self) -> set[int]:
        """The original's lines right behind new ones."""
        pairs = zip(self.origins, self.origins[1:], strict=False)
        return {behind for before, behind in pairs if before is None and behind is not None}

    def add_lost(self, lost: LostBeside, after: ProposedLoss | None = None) -> None:
        """Adds lines that could go. after: with what else only."""
        told = {f"beside_{name}": value for name, value in lost.values.items()}
        self.result.append(_loss(lost.lines, told, after))

    def _add_declarations(self, name: str) -> None:
        if not name:
            return
        for one in self.found.declarations:
            short = re.split(r"[.:\s]+", one.name)[-1] if one.name else ""
            if (name not in (short, one.name) and one.name.strip("\"'") != name) or one.kind == "import":
                continue
            whole = range(one.start_line, min(len(self.original), one.end_line))
            if self._is_free(whole):
                is_block = len(whole) > 1
                gone = _with_blanks(whole, self.original, self.kept) if is_block else tuple(whole)
                self._propose(gone, name, block=float(is_block), line=float(not is_block))

    def _add_quoted(self, quoted: str) -> bool:
        """Adds the lines that a quote is, or begins; returns whether there are any."""
        key = "".join(quoted.split()).rstrip(".…,;")
        if len(key) < MIN_QUOTED:
            return False
        keys = ["".join(line.split()) for line in self.original]
        bare = key.strip("\"'")
        same = [n for n, one in enumerate(keys) if one.rstrip(",;") == key or one.strip("\"',;") == bare]
        begun = [n for n, one in enumerate(keys) if one.startswith(key)] if not same else []
        places = same or (begun if len(begun) == 1 else [])
        if not places or len(places) > MAX_PLACES:
            return False
        added = False
        for line in places:
            whole = self._whole(line)
            if self._is_free(whole):
                self._propose(tuple(whole), quoted=1.0, among=float(len(places) - 1))
                added = True
        return added

    def _whole(self, line: int) -> range:
        """The declaration that a line begins, or the statement."""
        for one in self.found.declarations:
            if one.header_line == line and one.end_line > line + 1 and one.kind != "import":
                return range(one.start_line, min(len(self.original), one.end_line))
        compound = self._compound(line)
        if compound.start == line and compound:
            return compound
        end = min(len(self.original), line + 40)
        return range(line, line + max(1, Lines(self.original[line:end]).statement_span(0)))

    def _compound(self, line: int) -> range:
        """The compound statement that a line opens with a control word, or is a branch of."""
        return compound_at(line, self.before) if control_word(self.original[line].strip()) else range(0)

    @cached_property
    def before(self) -> Lines:
        """The original's lines, ready to compare."""
        return Lines(self.original)

    def _lines_about(self, name: str) -> list[int]:
        """The lines that import, assign, key or list just this name."""
        listed = re.compile(rf"^[\s\"'`*+-]*(?:- \w+:\s*)?{re.escape(name)}(?![\w-])\s*{_VERSION}")
        result = []
        for number, line in enumerate(self.original):
            if name not in line:
                continue
            text = line.strip().rstrip(",;")
            is_entry = text.strip("\"'`*- ") == name or (not text.startswith(name) and listed.match(line) is not None)
            if is_entry or is_named(name, line):
                result.append(number)
        return result

    def _add_parts(self, name: str, others: Sequence[str] = ()) -> None:
        """Adds the lines that have a name among others: `from a import b, c`; what else is gone goes from them too."""
        places = []
        for line in sorted(self.kept - self.covered):
            less = without_part(self.original[line], name) if name in self.original[line] else None
            if less is not None:
                places.append((line, less))
        if len(places) > MAX_PLACES:
            return
        for line, less in places:
            used = float(self._is_used(name, {line}))
            told: list[str] = []
            for other in dict.fromkeys(others):
                without = without_part(less, other) if other in less else None
                if without is not None:
                    less, told = without, [*told, other]
            self._change(line, less, part=1.0, used=used, among=float(len(places) - 1))
            for other in told:
                self.by_word.setdefault(_bare(other), []).append(self.result[-1])

    def _change(self, line: int, less: str, **values: float) -> None:
        self.covered.add(line)
        told = tuple(values.get(one.removeprefix("removes_"), 0.0) for one in PROPOSALS)
        self.result.append(ProposedLoss((), told, ((line, less),)))

    # ---- what the words don't name -----------------------------------------------------------------------------------

    def add_imports(self) -> None:
        """Adds imports that nothing uses any more, or that the new lines declare themselves."""
        written = (identity_of(line.strip()) for line in self.written)
        declared = {found.name for found in written if found is not None and found.kind == "decl"}
        is_import = [self._imports(line) for line in self.original]
        names = {name for bound in is_import for name in bound}
        before = used_of(names, (line for line, bound in zip(self.original, is_import, strict=True) if not bound))
        after = used_of(names, (line for line in self.lines if not self._imports(line)))
        anew = {(source_of(line)[0], name) for line in self.written for name in self._imports(line)}
        for line in sorted(self.kept - self.covered):
            bound = is_import[line]
            if bound and all((source_of(self.original[line])[0], name) in anew for name in bound):
                self._propose((line,), imported=1.0, repeat=1.0)  # at another column, as in a `try`
                continue
            idle = [name for name in bound if name in declared or name in before - after]
            if idle and len(idle) == len(bound):
                self._propose((line,), imported=1.0)
            elif idle:
                less: str | None = self.original[line]
                for name in idle:
                    less = without_name(less, name) if less is not None else None
                if less is not None:
                    self._change(line, less, part=1.0, imported=1.0)

    def _imports(self, line: str) -> list[str]:
        return imported_names(line, self.found.language)

    def add_repeats(self) -> None:
        """Adds entries of lists that are written anew elsewhere in the list, and imports of what is imported anew."""
        written = [number for number, origin in enumerate(self.origins) if origin is None]
        entries = {entry_key(self.lines[n]): n for n in written if is_entry(self.lines[n])}
        # A text's samples stand for themselves: each has its own imports.
        is_text = self.found.language in TEXTS
        imports = ((n, name) for n in written for name in ([] if is_text else self._imports(self.lines[n])))
        imported = {(*source_of(self.lines[n]), name) for n, name in imports}
        self._add_keyed_anew(written)
        if not entries and not imported:
            return
        places = []
        for number, origin in enumerate(self.origins):
            if origin is None or origin in self.covered:
                continue
            line = self.lines[number]
            other = entries.get(entry_key(line)) if entries else None
            is_repeat = other is not None and self._are_in_one_list(*sorted((number, other)))
            bound = self._imports(line) if imported else []
            if is_repeat or (bound and all((*source_of(line), name) in imported for name in bound)):
                places.append(origin)
        for place in places[:MAX_REPEATS]:
            self._propose((place,), repeat=1.0)

    def _add_keyed_anew(self, written: Sequence[int]) -> None:
        """Adds entries of an object whose key is written anew elsewhere in it."""
        keyed: dict[tuple[str, int], int] = {}
        for number in written:
            name = object_key_of(self.lines[number])
            if name:
                keyed[name, columns_of(self.lines[number])] = number
        if not keyed or self.found.language in (*TEXTS, *BY_KEY):
            return
        found = []
        for number, origin in enumerate(self.origins):
            name = object_key_of(self.lines[number]) if origin is not None and origin not in self.covered else ""
            other = keyed.get((name, columns_of(self.lines[number]))) if name else None
            if other is not None and origin is not None and self._are_in_one_block(*sorted((number, other))):
                found.append(self._whole(origin))
        for whole in found[:MAX_REPEATS]:
            if self._is_free(whole):
                self._propose(tuple(whole), repeat=1.0, rekeyed=1.0)

    def add_written_anew(self) -> None:
        """Adds lines that a result has once more, new, elsewhere in their block, where the block has no other."""
        if self.found.language in (*TEXTS, "json", "yaml"):
            return
        new: dict[str, int] = {}
        for number, origin in enumerate(self.origins):
            text = self.lines[number].strip() if origin is None else ""
            if len(text) >= MIN_WRITTEN_ANEW and text[-1] not in "{([:" and text[0] not in "})]/*#":
                new[text] = -1 if text in new else number
        found: dict[str, list[int]] = {}
        for number, origin in enumerate(self.origins) if new else ():
            text = self.lines[number].strip()
            other = new.get(text, -1) if origin is not None else -1
            is_level = other >= 0 and columns_of(self.lines[number]) == columns_of(self.lines[other])
            if origin is not None and is_level and self._are_in_one_block(*sorted((number, other))):
                found.setdefault(text, []).append(origin)
        free = [own[0] for own in found.values() if len(own) == 1 and own[0] not in self.covered]
        for line in free[:MAX_REPEATS]:
            self._propose((line,), repeat=1.0, again=1.0)

    def _are_in_one_block(self, first: int, last: int) -> bool:
        """Whether no line between two is further out."""
        column = columns_of(self.lines[first])
        return all(not line.strip() or columns_of(line) >= column for line in self.lines[first:last])

    def _are_in_one_list(self, first: int, last: int) -> bool:
        """Whether two entries have neither blank lines nor lines further out between them."""
        between = self.lines[first : last + 1]
        column = columns_of(between[0])
        if columns_of(between[-1]) != column:
            return False
        return all(line.strip() and columns_of(line) >= column for line in between)

    def add_moved(self) -> None:
        """Adds declarations that were written elsewhere with much the same lines."""
        keys = {"".join(line.split()) for line in self.written if line.strip()}
        if len(keys) < MIN_MOVED_LINES:
            return
        original = self.original
        for one in self.found.declarations:
            whole = range(one.start_line, min(len(original), one.end_line))
            header = "".join(original[one.header_line].split()) if one.header_line < len(original) else ""
            if header not in keys or len(header) <= 6:
                continue
            told = ["".join(original[line].split()) for line in whole if original[line].strip()]
            if len(told) < MIN_MOVED_LINES or not self._is_free(whole):
                continue
            share = sum(key in keys for key in told) / len(told)
            if share >= MIN_MOVED_SHARE:
                gone = _with_blanks(whole, original, self.kept)
                self._propose(gone, move=1.0, quoted=float(share > 0.95))


def _bare(quoted: str) -> str:
    """A quote without white space and without what stands around names in lists."""
    return "".join(quoted.split()).strip("\"'`,;:()")


def _loss(lines: Sequence[int], told: dict[str, float], after: ProposedLoss | None) -> ProposedLoss:
    """A proposal that lines go. told: what speaks for it, by the names in `PROPOSALS`."""
    return ProposedLoss(tuple(lines), tuple(told.get(name, 0.0) for name in PROPOSALS), after=after)


def _with_blanks(whole: range, original: Sequence[str], kept: set[int]) -> tuple[int, ...]:
    """The lines with the blank ones before them, or behind them where nothing precedes."""
    start, end = whole.start, whole.stop
    before = start
    while before > 0 and not original[before - 1].strip() and before - 1 in kept:
        before -= 1
    behind = end
    while behind < len(original) and not original[behind].strip() and behind in kept:
        behind += 1
    if behind == end and before < start and end < len(original):
        is_closer = CLOSER.match(original[end].strip()) is not None
        if not is_closer and columns_of(original[end]) == columns_of(original[start]):
            return tuple(whole)  # what follows keeps its distance to what is before
    if behind > end and (before == start or start - before >= behind - end):
        return tuple(range(start, behind)) if before < start or start == 0 or behind - end else tuple(whole)
    return tuple(range(before, end))
