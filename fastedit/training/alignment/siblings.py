"""Everyday edits among siblings: elements of a list, members of a class, keys of an object, elements of markup.

One of several is put back where it was, or changed, and a marker stands for the others. What a reader goes by is
whether the one that is shown is one that the file has, changed, or another one of its kind.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from typing import TYPE_CHECKING

from fastedit.lines import indent_of
from fastedit.syntax.parse import parse
from fastedit.training.alignment.additions import Addition, marker_line

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_LINES = 700
MAX_UNIT, MAX_HEADER = 24, 4  # lines of a sibling, and of what opens their block
MIN_SIBLINGS = 3
MAX_DEPTH, MAX_CHILDREN = 60, 400
WHOLE = 0.6  # the share of files that stay whole; of others only the outermost block around the siblings is left
TEXTS = frozenset({"markdown", "rst"})
_BARE = frozenset({"comment", "line_comment", "block_comment", "expression_statement", "Comment", "text", "paragraph"})
_MARKERS = (
    "... existing {} ...", "existing {}", "... existing code ...", "...", "rest unchanged", "other {} unchanged",
    "... the {} you have ...", "(existing {})", "keep the {}", "... {} ...", "same as before",
)  # fmt: skip
_ADDED = (
    "", "", "Add `{name}`:", "Adds `{name}`.", "One more:", "Here it is with `{name}` added:", "Adding {name}.",
    "Done, `{name}` is in.", "New: `{name}`.", "This adds `{name}` to the {noun}.", "Update the {noun}:",
)  # fmt: skip
_LAST = ("", " It goes last.", " At the end:", " Behind the others.")
_CHANGED = ("", "Updated:", "Here is the change:", "`{name}` changes:", "Change `{name}`:", "Fix for `{name}`.")
_NOUNS = {"definition": "definitions", "declaration": "declarations", "pair": "keys", "property": "keys"}
_WORD, _NUMBER = re.compile(r"[A-Za-z_][\w.-]{2,}"), re.compile(r"\d+")
_CHANGEABLE = re.compile(r"(?<![<\w/])[a-z]{4,}(?![\w=(>:])")
_CLOSING = re.compile(r"\s*(?:[\])}]|</|end\b|\*/)")


class _Way(Enum):
    LAST = "last"
    FIRST = "first"
    BETWEEN = "between"
    CHANGED = "changed"


_WAYS = {_Way.LAST: 0.5, _Way.FIRST: 0.1, _Way.BETWEEN: 0.15, _Way.CHANGED: 0.25}


@dataclass(frozen=True, slots=True)
class _Siblings:
    """Lines [start, end) of each sibling, of what opens their block and of what closes it; kind: of their nodes.

    around: of the outermost block that they stand in.
    """

    spans: tuple[tuple[int, int], ...]
    header: tuple[int, int]
    closer: tuple[int, int]
    around: tuple[int, int]
    kind: str


def sibling_edit(lines: Sequence[str], language: str, chance: random.Random) -> Addition | None:
    """One edit for a file; None where it has no siblings. Its lines come without line ends."""
    if len(lines) > MAX_LINES or any("```" in line for line in lines):
        return None
    groups: defaultdict[str, list[_Siblings]] = defaultdict(list)
    for one in _groups(lines, language):
        groups[one.kind].append(one)
    if not groups:
        return None
    group = chance.choice(groups[chance.choice(sorted(groups))])
    whole = lines if chance.random() < WHOLE else lines[slice(*group.around)]
    if whole is not lines:
        group = _shifted(group, group.around[0])
    way = chance.choices(list(_WAYS), list(_WAYS.values()))[0]
    return (
        _changed(whole, language, group, chance) if way is _Way.CHANGED else _added(whole, language, group, way, chance)
    )


def _shifted(group: _Siblings, by: int) -> _Siblings:
    def moved(span: tuple[int, int]) -> tuple[int, int]:
        return span[0] - by, span[1] - by

    return _Siblings(tuple(map(moved, group.spans)), moved(group.header), moved(group.closer), (0, 0), group.kind)


def _added(lines: Sequence[str], language: str, group: _Siblings, way: _Way, chance: random.Random) -> Addition | None:
    """The sibling at an end, or between two that are shown, is put back."""
    spans, last = group.spans, len(group.spans) - 1
    at = {_Way.LAST: last, _Way.FIRST: 0}.get(way, chance.randrange(1, last))
    (start, end), own = spans[at], list(lines[slice(*spans[at])])
    if at < last:
        original = [*lines[:start], *lines[spans[at + 1][0] :]]
    else:
        original = [*lines[: spans[at - 1][1]], *lines[end:]]
        above = original[spans[at - 1][1] - 1]
        if above.endswith(",") and not own[-1].endswith(","):
            original[spans[at - 1][1] - 1] = above[:-1]
    name = _name_of(own, [line for number, span in enumerate(spans) if number != at for line in lines[slice(*span)]])
    if name is None:
        return None
    before, behind = _gap(lines, group, at), _gap(lines, group, at + 1)
    noun = _noun(lines[group.header[0]], group.kind)
    marker = _marker(language, lines[start], chance.choice(_MARKERS).format(noun))
    near = list(lines[slice(*spans[at - 1])]) if at else []
    if way is _Way.LAST:
        shown = [marker, *before, *own]
    elif way is _Way.FIRST:
        shown = [*own, *behind, marker]
    else:
        others = [marker, *_gap(lines, group, at - 1)] if at > 1 else []
        shown = [*others, *near, *before, *own, *behind, marker]
    told = chance.choice(_ADDED) + (chance.choice(_LAST) if way is _Way.LAST else "")
    if way is _Way.FIRST:
        told += chance.choice(("", " It goes first.", " At the top:"))
    return Addition(original, told.format(name=name, noun=noun), _framed(lines, group, shown, chance), list(lines))


def _changed(lines: Sequence[str], language: str, group: _Siblings, chance: random.Random) -> Addition | None:
    """A sibling with another number, or another word, in one of its lines."""
    spans, last = group.spans, len(group.spans) - 1
    at = last if chance.random() < 0.6 else chance.randrange(last)
    start, end = spans[at]
    places = [
        (line, found)
        for line in range(start, end)
        for found in (*_NUMBER.finditer(lines[line]), *_CHANGEABLE.finditer(lines[line]))
    ]
    if not places or (end - start == 1 and len(lines[start].split()) < 2):  # of one word little would be left
        return None
    line, found = chance.choice(places)
    text = found.group()
    new = str(int(text) + 1) if text.isdigit() else f"{text}_{chance.choice(('next', 'more', 'v2'))}"
    changed = lines[line][: found.start()] + new + lines[line][found.end() :]
    result = [*lines[:line], changed, *lines[line + 1 :]]
    noun = _noun(lines[group.header[0]], group.kind)
    marker = _marker(language, lines[start], chance.choice(_MARKERS).format(noun))
    before, behind = _gap(lines, group, at), _gap(lines, group, at + 1)
    shown = [*([marker, *before] if at else []), *result[start:end], *([*behind, marker] if at < last else [])]
    name = _name_of(list(lines[start:end]), [])
    return Addition(
        list(lines), chance.choice(_CHANGED).format(name=name), _framed(lines, group, shown, chance), result
    )


def _gap(lines: Sequence[str], group: _Siblings, at: int) -> list[str]:
    """The blank lines before a sibling; none before the first one, nor behind the last one."""
    if not 0 < at < len(group.spans):
        return []
    between = range(group.spans[at - 1][1], group.spans[at][0])
    return [""] * sum(not lines[line].strip() for line in between)


def _framed(lines: Sequence[str], group: _Siblings, shown: Sequence[str], chance: random.Random) -> list[str]:
    """The lines shown between those that open and close the block, sometimes moved to the left."""
    framed = [*lines[slice(*group.header)], *shown, *lines[slice(*group.closer)]]
    indent = indent_of(framed[0])
    if indent and chance.random() < 0.25 and all(line.startswith(indent) for line in framed if line.strip()):
        return [line[len(indent) :] if line.strip() else "" for line in framed]
    return framed


def _marker(language: str, beside: str, text: str) -> str:
    return f"{indent_of(beside)}{text}" if language in TEXTS else marker_line(language, indent_of(beside), text)


def _noun(header: str, kind: str) -> str:
    """The name of what siblings are in, or of what they are."""
    words = _WORD.findall(header)
    if words and words[-1].endswith("s") and words[-1].isalpha():
        return str(words[-1]).lower()
    last = kind.rpartition("_")[2] if "_" in kind else kind
    return _NOUNS.get(last, "entries")


def _name_of(own: Sequence[str], others: Sequence[str]) -> str | None:
    """The first word of a sibling that no other one has; None where there is none."""
    theirs = {word for line in others for word in _WORD.findall(line)}
    return next((word for line in own for word in _WORD.findall(line) if word not in theirs), None)


# ---- groups ----------------------------------------------------------------------------------------------------------


def _groups(lines: Sequence[str], language: str) -> Iterator[_Siblings]:
    """Yields what a file has of siblings that stand on lines of their own, below a header that stands there once."""
    tree = parse("\n".join(lines), language)
    if tree is None:
        return
    counts: defaultdict[str, int] = defaultdict(int)
    for line in lines:
        counts["".join(line.split())] += 1
    waiting: list[tuple[Node, tuple[Node, ...]]] = [(tree.root_node, (tree.root_node,))]
    while waiting:
        node, around = waiting.pop()
        children = node.named_children
        if len(around) < MAX_DEPTH and len(children) <= MAX_CHILDREN:
            waiting += [(child, (*around, child)) for child in children]
        for group in _among(children, around, lines):
            if counts["".join(lines[group.header[0]].split())] == 1:
                yield group


def _among(children: Sequence[Node], around: Sequence[Node], lines: Sequence[str]) -> Iterator[_Siblings]:
    """Yields the group that children of a node are, if they are one."""
    kind, count = Counter(child.type for child in children).most_common(1)[0] if children else ("", 0)
    at = [number for number, child in enumerate(children) if child.type == kind]
    if count < MIN_SIBLINGS or kind in _BARE or at[-1] - at[0] + 1 != count:  # another kind only stands at the ends
        return
    children = children[at[0] : at[-1] + 1]
    spans = [_rows(child, lines) for child in children]
    if None in spans:
        return
    found = [span for span in spans if span is not None]
    if any(end > start for (_, end), (start, _) in pairwise(found)):
        return
    if any(lines[at].strip() for (_, end), (start, _) in pairwise(found) for at in range(end, start)):
        return
    first, behind = found[0][0], found[-1][1]
    head = _head_of(around, first, lines)
    if head is None:
        return
    end = next((line for line in range(behind, len(lines)) if lines[line].strip()), len(lines))
    is_closed = end < len(lines) and _CLOSING.match(lines[end]) is not None
    closer = (end, end + 1) if is_closed else (behind, behind)
    top = around[1] if len(around) > 1 else around[0]
    outermost = min(head, top.start_point.row), min(len(lines), max(end + is_closed, top.end_point.row + 1))
    yield _Siblings(tuple(found), (head, first), closer, outermost, kind)


def _head_of(around: Sequence[Node], first: int, lines: Sequence[str]) -> int | None:
    """The line that the statement begins in which opens a block; None where it is far above the first line in it."""
    opener = next((one for one in reversed(around) if one.start_point.row < first), None)
    if opener is None:
        return None
    head = opener.start_point.row
    if _is_inside(opener, lines):
        head = next((one.start_point.row for one in reversed(around) if not _is_inside(one, lines)), head)
    return head if 0 <= first - head <= MAX_HEADER and lines[head].strip() else None


def _is_inside(node: Node, lines: Sequence[str]) -> bool:
    """Whether anything stands before a node on its first line."""
    return bool(lines[node.start_point.row][: node.start_point.column].strip())


def _rows(node: Node, lines: Sequence[str]) -> tuple[int, int] | None:
    """The lines [start, end) of a node that stands alone on them, None where it doesn't, or they are many."""
    start, last = node.start_point.row, node.end_point.row
    if node.end_point.column == 0 and last > start:
        last -= 1
    if last - start >= MAX_UNIT or last >= len(lines) or _is_inside(node, lines):
        return None
    rest = lines[last].encode()[node.end_point.column :] if node.end_point.row == last else b""
    return (start, last + 1) if rest.strip() in (b"", b",", b";") else None
