"""Everyday edits that put a part of a real file where it was: a method, a key, an import, a comment, a line of a block.

The part is taken out of a file that a change led to; what is left is the original, the file itself the result. So all
of it is as somebody wrote it, and only the message is made here: in the shapes that assistants use for small edits.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from fastedit.anchor.lazy.keys.entries import Entry
from fastedit.anchor.lazy.keys.trees import JSON, LANGUAGES, entries_of
from fastedit.syntax import comment_syntax, outline
from fastedit.syntax.model import Declaration

MAX_LINES = 700
MAX_UNIT = 30  # lines of what is put in
MAX_SHOWN = 6  # lines of a neighbour that is shown whole
MAX_BLOCK = 16  # lines of a block that is shown whole
MAX_TRIES = 6
MAX_PLACES = 3  # of a name that tells where something goes
MIN_TELLING = 6  # characters of a line that is put back
LAST = 0.4  # the share of additions that are drawn from what ends a block
BARE = 0.15  # of those that only words place, where they can
OWN = frozenset({"function", "class", "value"})
_MARKERS = (
    "... existing code ...", "... existing code ...", "... existing code ...", "...", "... rest unchanged ...",
    "... rest of the code ...", "... unchanged ...", "(existing code)", "… existing code …", "... (unchanged) ...",
)  # fmt: skip
_INNER = (
    "... existing code ...", "... existing methods ...", "...", "... other methods ...", "... rest of the class ...",
    "... existing members ...", "... unchanged ...",
)  # fmt: skip
_KEPT = ("... existing {} ...", "...", "... other {} ...", "... existing entries ...", "... rest unchanged ...")
_NOTHING = ("", "", "", "Here is the change:", "Sure, here it is:", "Updated:")
_CLOSER = re.compile(r"\s*[)\]}]+[;,]*$")
_PARENTHESES = re.compile(r"\(([^()]*)\)")
_COMMENTED = ("#", "//", "--", ";", "%")


@dataclass(frozen=True, slots=True)
class Addition:
    """A message and what comes of it. shown: the lines of its only fence."""

    original: list[str]
    words: str
    shown: list[str]
    result: list[str]


@dataclass(frozen=True, slots=True)
class _Unit:
    """Lines [start, end) of a file that are a whole, with the ones around them.

    headers: the lines that open the blocks that it stands in, outermost first. before, behind: its neighbours, None at
    the ends of the block. closers: the lines that end these blocks, innermost first. name, owner: of it and its block.
    """

    start: int
    end: int
    headers: tuple[tuple[int, int], ...]
    closers: tuple[int, ...]
    before: tuple[int, int] | None
    behind: tuple[int, int] | None
    name: str
    owner: str

    @property
    def gap(self) -> int:
        """The number of blank lines between the unit and a neighbour."""
        if self.before:
            return self.start - self.before[1]
        return self.behind[0] - self.end if self.behind else 0


def addition_to(lines: Sequence[str], language: str, chance: random.Random) -> Addition | None:
    """One edit for a file; None where none of the tried ones is possible. Its lines come without line ends."""
    if len(lines) > MAX_LINES or len(lines) < 6 or any("```" in line for line in lines):
        return None
    kinds: Sequence[Callable[[Sequence[str], str, random.Random], Addition | None]]
    kinds = [_put_back, _put_back, _put_back, _signed, _taken_out, _remarked, _in_block, _in_block]
    if language in JSON | LANGUAGES:
        kinds = [_put_back, _valued, _valued, _in_block, _taken_out]
    for _ in range(MAX_TRIES):
        made = chance.choice(kinds)(lines, language, chance)
        if made is not None and made.original != made.result:
            return made
    return None


def marker_line(language: str, indent: str, text: str) -> str:
    """The words of a marker as a comment of the language."""
    signs = comment_syntax(language)
    if language in JSON or signs.line:
        return f"{indent}{'//' if language in JSON else signs.line[0]} {text}"
    opening, closing = signs.block[0] if signs.block else ("", "")
    return f"{indent}{opening} {text} {closing}".rstrip()


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _dedented(lines: Sequence[str]) -> list[str]:
    least = min((len(_indent(line)) for line in lines if line.strip()), default=0)
    return [line[least:] if line.strip() else "" for line in lines]


# ---- what is put back ------------------------------------------------------------------------------------------------


def _units(lines: Sequence[str], language: str) -> Iterator[_Unit]:
    """Yields the declarations, members and keys of a file with their neighbours."""
    if language in LANGUAGES:
        root = entries_of(lines, language)
        if root is not None:
            yield from _entries(root, (), ())
        return
    found = outline("\n".join(lines), language)
    declared = [one for one in found.declarations if one.kind in OWN or one.parent < 0]
    for parent in {one.parent for one in declared}:
        block = None if parent < 0 else found.declarations[parent]
        if block is not None and (block.kind != "class" or block.depth > 1 or block.parent >= 0):
            continue
        kin = [one for one in found.declarations if one.parent == parent]
        headers = ((block.header_line, block.body_line),) if block is not None else ()
        closes = block is not None and _CLOSER.match(lines[block.end_line - 1])
        closers = (block.end_line - 1,) if block is not None and closes else ()
        for at, one in enumerate(kin):
            if one.kind in OWN and one.name:
                before = _span(kin[at - 1]) if at else None
                behind = _span(kin[at + 1]) if at + 1 < len(kin) else None
                owner = block.name if block is not None else ""
                yield _Unit(*_span(one), headers, closers, before, behind, one.name.rpartition(".")[2], owner)


def _span(one: Declaration) -> tuple[int, int]:
    return one.start_line, one.end_line


def _entries(block: Entry, headers: tuple[tuple[int, int], ...], closers: tuple[int, ...]) -> Iterator[_Unit]:
    """Yields the entries below a block. headers, closers: of the blocks that it is in, and its own."""
    spans = [None, *((one.start, one.end) for one in block.children), None]
    for at, one in enumerate(block.children):
        if not one.is_item and one.key:
            before, behind = spans[at], spans[at + 2]
            yield _Unit(one.start, one.end, headers, closers, before, behind, one.key.strip("\"'"), block.key)
        if one.is_block and one.inner and not one.is_item:
            inner = (*headers, (one.head, max(one.head + 1, one.inner[0])))
            closing = (one.end - 1, *closers) if one.end - 1 >= one.inner[1] else closers
            yield from _entries(one, inner, closing)


def _put_back(lines: Sequence[str], language: str, chance: random.Random) -> Addition | None:
    """Takes one of several units of a block out; the message shows where it goes."""
    units = [
        one
        for one in _units(lines, language)
        if one.end - one.start <= MAX_UNIT and (one.before or one.behind) and _stands_apart(lines, one)
    ]
    if not units:
        return None
    last = [one for one in units if not one.behind] if chance.random() < LAST else []
    unit = chance.choice(last or units)
    start, end = (unit.start - unit.gap, unit.end) if unit.before else (unit.start, unit.end + unit.gap)
    original = [*lines[:start], *lines[end:]]
    shown = _bare(lines, unit, chance) or _shown_unit(lines, language, unit, chance)
    return None if shown is None else Addition(original, *shown, list(lines))


def _stands_apart(lines: Sequence[str], unit: _Unit) -> bool:
    """Whether a unit's brackets are closed, and only blank lines, as many on both sides, are beside it."""
    own = "\n".join(lines[unit.start : unit.end])
    if any(own.count(a) != own.count(b) for a, b in ("()", "[]", "{}")):
        return False
    before = lines[unit.before[1] : unit.start] if unit.before else []
    behind = lines[unit.end : unit.behind[0]] if unit.behind else []
    if any(line.strip() for line in (*before, *behind)):
        return False
    return not (unit.before and unit.behind) or len(before) == len(behind)


def _bare(lines: Sequence[str], unit: _Unit, chance: random.Random) -> tuple[str, list[str]] | None:
    """Words that place a unit behind the one before it, and nothing but the unit; None where they wouldn't do."""
    previous = _name_at(lines, unit.before) if unit.before else ""
    is_known = sum(previous in line for line in lines) > MAX_PLACES or unit.name in "\n".join(lines[: unit.start])
    if not previous or is_known or chance.random() > BARE:
        return None
    own = list(lines[unit.start : unit.end])
    where = f" of `{unit.owner}`" if unit.owner else ""
    words = chance.choice(("Add this after `{}`{}:", "Add a new one right behind `{}`{}:", "Below `{}`{} add:"))
    return words.format(previous, where), own if chance.random() < 0.5 else _dedented(own)


def _shown_unit(
    lines: Sequence[str], language: str, unit: _Unit, chance: random.Random
) -> tuple[str, list[str]] | None:
    """The words of a message that adds a unit, and what its fence shows; None where it would be in doubt."""
    is_code, headed = language not in LANGUAGES, chance.random()
    inside = _beside_unit(lines, language, unit, chance)
    if not inside:
        return None
    place = f" to `{unit.owner}`" if unit.owner and chance.random() < 0.6 else ""
    words = chance.choice((*_NOTHING, f"I added `{unit.name}`{place}.", f"Add `{unit.name}`{place}:"))
    headers = [line for first, last in unit.headers for line in lines[first:last]]
    if not headers or (is_code and headed < 0.1):
        return words, inside
    outer = marker_line(language, "", chance.choice(_MARKERS))
    tail = [lines[line] for line in unit.closers] if chance.random() < 0.9 else []
    tail += ["", outer] if is_code and chance.random() < 0.3 else []
    lead = [outer, ""] if is_code and chance.random() < 0.3 else []
    return words, [*lead, *headers, *inside, *tail]


def _beside_unit(lines: Sequence[str], language: str, unit: _Unit, chance: random.Random) -> list[str]:
    """A unit with what tells its place in its block: a marker, or a neighbour; empty where there is nothing."""
    own, blanks = list(lines[unit.start : unit.end]), [""] * unit.gap
    texts = _KEPT if language in LANGUAGES else _INNER if unit.headers else _MARKERS
    marker = marker_line(language, _indent(own[0]), chance.choice(texts).format(unit.owner or "keys"))
    before, behind = _neighbours(lines, language, unit, chance)
    spaced = blanks if chance.random() < 0.8 else []
    way = chance.random()
    if not unit.behind and way < 0.55:
        return [marker, *spaced, *own]
    if not unit.before and way < 0.4:
        return [*own, *spaced, marker]
    if before is not None and way < 0.8:
        lead = [marker] if chance.random() < 0.6 else []
        tail = [*blanks[:1], marker] if unit.behind and chance.random() < 0.6 else []
        return [*lead, *before, *blanks, *own, *tail]
    return [*own, *blanks, *behind] if behind is not None else []


def _neighbours(
    lines: Sequence[str], language: str, unit: _Unit, chance: random.Random
) -> tuple[list[str] | None, list[str] | None]:
    """A unit's neighbours, whole where they are short, else with their bodies left out; None where there is none."""
    result: list[list[str] | None] = []
    for span in (unit.before, unit.behind):
        if span is None:
            result.append(None)
            continue
        shown = list(lines[span[0] : span[1]])
        if len(shown) > MAX_SHOWN or (len(shown) > 3 and chance.random() < 0.5):
            first = next((at for at, line in enumerate(shown) if line.rstrip().endswith((":", "{"))), None)
            if first is None or first + 1 >= len(shown):
                result.append(None)
                continue
            inner = _indent(shown[first + 1]) or _indent(shown[first])
            tail = [shown[-1]] if _CLOSER.match(shown[-1]) else []
            shown = [
                *shown[: first + 1],
                marker_line(language, inner, chance.choice(("...", "... unchanged ..."))),
                *tail,
            ]
        result.append(shown)
    return result[0], result[1]


def _name_at(lines: Sequence[str], span: tuple[int, int]) -> str:
    text = next((line for line in lines[span[0] : span[1]] if "(" in line and line.strip()[0].isalpha()), "")
    found = re.search(r"([A-Za-z_]\w{2,})\s*\(", text)
    return found[1] if found else ""


# ---- what is changed -------------------------------------------------------------------------------------------------


def _functions(lines: Sequence[str], language: str) -> list[Declaration]:
    """The short functions of a file whose names stand there once, each with its header in one line."""
    found = outline("\n".join(lines), language).declarations
    names = [one.name.rpartition(".")[2] for one in found]
    return [
        one
        for one, name in zip(found, names, strict=True)
        if one.kind == "function" and names.count(name) == 1 and 2 < one.end_line - one.header_line <= MAX_BLOCK
        and one.body_line == one.header_line + 1
    ]  # fmt: skip


def _signed(lines: Sequence[str], language: str, chance: random.Random) -> Addition | None:
    """A function is shown whole with one parameter more, bare or with its indentation."""
    functions = [one for one in _functions(lines, language) if _PARENTHESES.search(lines[one.header_line])]
    if not functions:
        return None
    one = chance.choice(functions)
    header = lines[one.header_line]
    more = {"python": "strict=False", "go": "strict bool", "java": "boolean strict", "rust": "strict: bool"}
    extra = more.get(language, "strict")
    new = _PARENTHESES.sub(lambda found: f"({', '.join(filter(str.strip, (found[1], extra)))})", header, count=1)
    shown = [new, *lines[one.body_line : one.end_line]]
    if one.end_line - one.body_line > 3 and chance.random() < 0.3:
        last = [shown[-1]] if _CLOSER.match(shown[-1]) else []
        shown = [new, marker_line(language, _indent(shown[1]), chance.choice(_MARKERS)), *last]
    if chance.random() < 0.4:
        shown = _dedented(shown)
    name = one.name.rpartition(".")[2]
    words = chance.choice((*_NOTHING, f"`{name}` takes a flag now:", f"Update `{name}`:"))
    return Addition(list(lines), words, shown, [*lines[: one.header_line], new, *lines[one.body_line :]])


def _remarked(lines: Sequence[str], language: str, chance: random.Random) -> Addition | None:
    """A function is shown whole with a comment inside that its original lacks."""
    functions = _functions(lines, language)
    places = [
        at
        for one in functions
        for at in range(one.body_line, one.end_line)
        if lines[at].strip().startswith(_COMMENTED) and "..." not in lines[at]
        and not lines[at - 1].strip().startswith(_COMMENTED) and not lines[at + 1].strip().startswith(_COMMENTED)
    ]  # fmt: skip
    if not places:
        return None
    at = chance.choice(places)
    one = next(one for one in functions if one.body_line <= at < one.end_line)
    shown = list(lines[one.header_line : one.end_line])
    words = chance.choice((*_NOTHING, "I added a comment.", "With a comment on why:"))
    return Addition([*lines[:at], *lines[at + 1 :]], words, shown, list(lines))


def _taken_out(lines: Sequence[str], language: str, chance: random.Random) -> Addition | None:
    """A unit goes: the words name it, or a comment stands where it was; its neighbours are shown."""
    units = [
        one for one in _units(lines, language)
        if one.end - one.start <= MAX_UNIT and one.before and one.behind and _stands_apart(lines, one)
    ]  # fmt: skip
    unit = chance.choice(units) if units else None
    if unit is None or unit.before is None or unit.behind is None:
        return None
    before, behind = _neighbours(lines, language, unit, chance)
    if before is None or behind is None or sum(unit.name in line for line in lines) > 2:
        return None
    gap = unit.gap
    result = [*lines[: unit.start - gap], *lines[unit.end :]]
    headers = [line for first, last in unit.headers for line in lines[first:last]]
    note = [marker_line(language, _indent(before[0]), f"removed: {unit.name}")] if chance.random() < 0.25 else []
    shown = [*before, *[""] * gap, *note, *([""] * gap if note else []), *behind]
    if headers and chance.random() < 0.5:
        shown = [*headers, marker_line(language, _indent(before[0]), "..."), *shown]
    words = chance.choice((f"Remove `{unit.name}`.", f"`{unit.name}` is gone:", f"I removed `{unit.name}`:"))
    return Addition(list(lines), words, shown, result)


def _in_block(lines: Sequence[str], language: str, chance: random.Random) -> Addition | None:
    """A line inside a block is put back; the block is shown whole, dedented or without the comma behind it."""
    blocks = []
    for first, line in enumerate(lines):
        if line.rstrip().endswith(("{", "[", "(")) and lines.count(line) == 1:
            indent = _indent(line)
            below = range(first + 1, min(len(lines), first + MAX_BLOCK))
            last = next((at for at in below if _ends(lines[at], indent)), 0)
            if last - first > 3 and _CLOSER.match(lines[last]):
                blocks.append((first, last))
    if not blocks:
        return None
    first, last = chance.choice(blocks)
    inner = [at for at in range(first + 2, last - 1) if _is_telling(lines, at)]
    if not inner:
        return None
    at = chance.choice(inner)
    shown = list(lines[first : last + 1])
    if chance.random() < 0.6:
        shown[-1] = shown[-1].rstrip(",;")
    if chance.random() < 0.5:
        shown = _dedented(shown)
    words = chance.choice((*_NOTHING, "One more line:", "Add that here:"))
    return Addition([*lines[:at], *lines[at + 1 :]], words, shown, list(lines))


def _ends(line: str, indent: str) -> bool:
    return bool(line.strip()) and len(_indent(line)) <= len(indent)


def _is_telling(lines: Sequence[str], at: int) -> bool:
    """Whether a line is a whole one of several at its column, the only one of its kind."""
    line = lines[at]
    is_whole = all(line.count(a) == line.count(b) for a, b in ("()", "[]", "{}")) and line.rstrip().endswith((",", ";"))
    is_only = len(line.strip()) > MIN_TELLING and lines.count(line) == 1
    return is_whole and is_only and _indent(line) == _indent(lines[at - 1])


# ---- keys ------------------------------------------------------------------------------------------------------------


def _valued(lines: Sequence[str], language: str, chance: random.Random) -> Addition | None:
    """A value is another one: shown alone below the keys that it stands in, all else left out without a word."""
    if language in JSON:
        return _valued_json(lines, chance)
    leaves = [
        one for one in _units(lines, language)
        if one.end == one.start + 1 and not re.match(r"\s*- ", lines[one.start]) and _other_value(lines[one.start])
    ]  # fmt: skip
    if not leaves:
        return None
    leaf = chance.choice(leaves)
    new = _other_value(lines[leaf.start])
    headers = [line for start, end in leaf.headers for line in lines[start:end]]
    if any(re.match(r"\s*- ", line) for line in headers):
        return None
    marked = [marker_line(language, _indent(new), "...")] if chance.random() < 0.2 else []
    shown = [*headers, *marked, new, *(lines[line] for line in leaf.closers)]
    words = chance.choice((*_NOTHING, f"Set `{leaf.name}`:", f"Change `{leaf.name}`:"))
    return Addition(list(lines), words, shown, [*lines[: leaf.start], new, *lines[leaf.start + 1 :]])


def _other_value(line: str) -> str:
    """The line with another number in its value, or another word; "" where it has neither."""
    found = list(re.finditer(r"(?<=[ \"'.:=^~])\d+", line))
    if found:
        one = found[-1]
        return f"{line[: one.start()]}{int(one.group()) + 1}{line[one.end() :]}"
    turned = re.sub(r"\b(true|false)\b(?=[^\w]*$)", lambda one: "false" if one[1] == "true" else "true", line)
    return turned if turned != line else ""


def _valued_json(lines: Sequence[str], chance: random.Random) -> Addition | None:
    """The same for JSON, whose blocks need their brackets."""
    leaves = []
    opened: list[int] = []
    for at, line in enumerate(lines):
        text = line.strip()
        if text.endswith(("{", "[")):
            opened.append(at)
        elif _CLOSER.match(line) and opened:
            opened.pop()
        elif re.match(r'"[^"]+":', text) and opened and _other_value(line) and _are_objects(lines, opened):
            leaves.append((at, tuple(opened)))
    if not leaves:
        return None
    at, blocks = chance.choice(leaves)
    new = _other_value(lines[at])
    shown = [*(lines[one] for one in blocks), new.rstrip().rstrip(",")]
    shown += [f"{_indent(lines[one])}}}" for one in reversed(blocks)]
    if chance.random() < 0.25 and len(blocks) > 1:
        shown = _dedented(shown[1:-1])
    words = chance.choice(_NOTHING)
    return Addition(list(lines), words, shown, [*lines[:at], new, *lines[at + 1 :]])


def _are_objects(lines: Sequence[str], opened: Sequence[int]) -> bool:
    """Whether the lines that open blocks of JSON open objects by their keys, but for the outermost one."""
    return all(lines[one].rstrip().endswith('": {') for one in opened[1:]) and lines[opened[0]].strip() == "{"
