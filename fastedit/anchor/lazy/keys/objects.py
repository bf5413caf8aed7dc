"""Partial JSON objects merged pair by pair, by their bytes: objects may stand in one line, commas depend on others.

What a snippet shows of one is read without remarks, with the commas it lacks, closed where it is open.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from textwrap import dedent
from typing import Any

from rapidfuzz import fuzz
from tree_sitter import Node

from fastedit.anchor.lazy.keys.matching import told_renamed
from fastedit.anchor.lazy.keys.placing import MergeRules, Placer, Sibling, in_order, names_of, place_beside
from fastedit.anchor.lazy.lines import Lines
from fastedit.syntax.parse import parse_bytes

IDENTITIES = ("id", "name", "path", "key", "package", "package-ecosystem", "url", "title", "label", "src", "type")
MIN_ALIKE = 75.0  # of 100: a key that may be another's new form
GAP = '"..."'
_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_BEFORE_CLOSING = re.compile(r'("(?:[^"\\\n]|\\.)*")|,(\s*[}\]])')
_STRING = r'"(?:[^"\\\n]|\\.)*"'
# What is left out inside of a line: values that are nothing but dots, or that are none, and dots outside of strings.
_LEFT_OUT = re.compile(rf'({_STRING}\s*:)[ \t]*(?:"…"|\.{{3}}|…|(?=[,}}\n]|$))|({_STRING})|\.{{3}}|…')
_BRACKET = re.compile(rf"{_STRING}|[\[\]{{}}]")
_OPENED = re.compile(r"([{\[]\s*),")
_BETWEEN = re.compile(r'([}\]"\w])([ \t]*\n\s*")')


def merged_objects(
    original: Lines, shown: Sequence[str], elided: Collection[int], placer: Placer, rules: MergeRules
) -> list[str] | None:
    """The original's lines with a partial object merged in; None where the snippet is no such thing or nothing fits.

    elided: the lines of the snippet that something is left out before.
    """
    source = "\n".join(original.texts).encode()
    root = object_of(source)
    text, part = read_snippet(dedent(with_gaps(shown, elided)).strip().rstrip(","))
    if root is None or part is None:
        return None
    target = _target(source, root, text, part)
    if target is None:
        return None
    placer.counts["root"] += target.id == root.id
    has_braces = next((line for line in shown if line.strip()), "").strip() == "{"
    placer.counts["braced"] += target.id == root.id and has_braces
    merger = _Merger(source, text, original.indent_unit, Lines(text.decode().split("\n")).indent_unit, placer, rules)
    for owner, pairs in _owners(source, root, target, text, part, placer, scatters=rules.scatters):
        merger.merge(owner, pairs)
    for start, end, new in sorted(merger.edits, key=lambda edit: edit[:2], reverse=True):
        source = source[:start] + new + source[end:]
    return source.decode().split("\n")


def _target(source: bytes, root: Node, text: bytes, part: Node) -> Node | None:
    """The object that the snippet shows a part of: the file's, or the one below it that has most of the keys."""
    if _num_shared(source, root, text, part):
        return root
    for in_lists in (False, True):
        numbers = [(_num_shared(source, node, text, part), node) for node in _objects(root, in_lists=in_lists)]
        most = max((number for number, _ in numbers), default=0)
        found = [node for number, node in numbers if number == most]
        if most and len(found) == 1:
            return found[0]
    return None


def _owners(
    source: bytes, root: Node, target: Node, text: bytes, part: Node, placer: Placer, *, scatters: bool
) -> list[tuple[Node, list[Node]]]:
    """The objects that the pairs of a shown one belong to: the target, or others that alone have such a key.

    What no object has goes with the pair before it.
    """
    homes: dict[str, list[Node]] = {}
    for node in (root, *_objects(root)):
        for pair in _pairs(node):
            homes.setdefault(_key(source, pair), []).append(node)
    known = {_key(source, pair) for pair in _pairs(target)}
    result: list[tuple[Node, list[Node]]] = [(target, [])]
    for pair in _pairs(part):
        key = _key(text, pair)
        alone = key not in known and len(homes.get(key, ())) == 1
        placer.counts["strays"] += alone
        placer.counts["scattered"] += alone and scatters
        owner = homes[key][0] if alone and scatters else target if key in known or not scatters else result[-1][0]
        if owner.id != result[-1][0].id:
            result.append((owner, []))
        result[-1][1].append(pair)
    return [(owner, pairs) for owner, pairs in result if pairs or owner.id == target.id]


def _objects(node: Node, *, in_lists: bool = False) -> Iterator[Node]:
    """The objects below one. in_lists: also those that are items of lists."""
    values = [pair.child_by_field_name("value") for pair in _pairs(node)] if node.type == "object" else _items(node)
    for value in values:
        if value is None:
            continue
        if value.type == "object":
            yield value
        if value.type == "object" or (in_lists and value.type == "array"):
            yield from _objects(value, in_lists=in_lists)


def _items(node: Node) -> list[Node]:
    return [child for child in node.named_children if child.type != "comment"]


def _pairs(node: Node) -> list[Node]:
    return [child for child in node.named_children if child.type == "pair"]


def _key(source: bytes, pair: Node) -> str:
    key = pair.child_by_field_name("key")
    return "" if key is None else source[key.start_byte : key.end_byte].decode()


def _num_shared(source: bytes, mine: Node, text: bytes, part: Node) -> int:
    return len({_key(source, pair) for pair in _pairs(mine)} & {_key(text, pair) for pair in _pairs(part)})


def _value(source: bytes, node: Node) -> Any:
    try:
        return json.loads(source[node.start_byte : node.end_byte])
    except ValueError:
        return source[node.start_byte : node.end_byte]


def _indent_at(source: bytes, node: Node) -> str:
    """The indentation of the line that a node begins in."""
    start = source.rfind(b"\n", 0, node.start_byte) + 1
    line = source[start : node.start_byte].decode()
    return line[: len(line) - len(line.lstrip())]


def _named(text: bytes, item: Node, kind: str) -> Any:
    """The text that an item of a list has for the key of this name; None where it has none."""
    found = next((pair for pair in _pairs(item) if _key(text, pair) == f'"{kind}"'), None)
    value = None if found is None else found.child_by_field_name("value")
    return _value(text, value) if value is not None and value.type == "string" else None


def _identity(*lists: Sequence[tuple[bytes, Node]]) -> str | None:
    """The key that tells the objects of lists apart; None where none does."""
    for kind in IDENTITIES:
        named = [[_named(text, one, kind) for text, one in items] for items in lists]
        if all(items and None not in items and len(set(items)) == len(items) for items in named):
            return kind
    return None


@dataclass(slots=True)
class _Merger:
    """Collects what changes in the original's bytes."""

    source: bytes
    text: bytes
    unit: str
    shown_unit: str
    placer: Placer
    rules: MergeRules
    edits: list[tuple[int, int, bytes]] = field(default_factory=list)

    def merge(self, target: Node, shown: Sequence[Node]) -> None:
        """Merges pairs that are shown into an object of the file."""
        pairs = _pairs(target)
        known = {_key(self.source, pair): number for number, pair in enumerate(pairs)}
        counts = self.placer.counts
        numbers = [known.get(_key(self.text, pair)) for pair in shown]
        counts["matched"] += sum(number is not None for number in numbers)
        counts["new"] += numbers.count(None)
        found = len(set(numbers) - {None})
        if target.parent is not None and target.parent.type == "pair" and 0 < found < len(pairs):
            counts["shown"] = max(counts["shown"], round(100 * found / len(pairs)))
            counts["hidden"] += len(pairs) - found
        numbers = self._renamed(pairs, shown, numbers)
        new: dict[int, list[Node]] = {}
        siblings = [Sibling(key.strip('"'), names_of(key)) for key in known]
        has_key = target.parent is not None and target.parent.type == "pair"
        owner = _key(self.source, target.parent).strip('"') if has_key and target.parent is not None else ""
        before: int | None = None
        for at, (pair, number) in enumerate(zip(shown, numbers, strict=True)):
            value = pair.child_by_field_name("value")
            if value is None:
                continue
            if number is None:
                after = next((other for other in numbers[at:] if other is not None), None)
                beside = place_beside(before, after)
                place = self.placer.place(siblings, _key(self.text, pair).strip('"'), beside, owner=owner)
                new.setdefault(place, []).append(pair)
                continue
            before = number
            mine = pairs[number].child_by_field_name("value")
            if mine is not None:
                self._change(pairs[number], mine, value)
        keys = [one.key for one in siblings]
        for place, inserted in new.items():
            order = in_order(keys, place, [_key(self.text, pair).strip('"') for pair in inserted])
            self._insert(target, pairs, place, [inserted[number] for number in order])

    def _renamed(self, pairs: Sequence[Node], shown: Sequence[Node], numbers: Sequence[int | None]) -> list[int | None]:
        """Gives new keys the places of old ones that are much like them, where that is asked for."""
        result = list(numbers)
        keys, new = [_key(self.source, pair) for pair in pairs], [_key(self.text, pair) for pair in shown]
        free = [number for number in range(len(pairs)) if number not in result]
        unknown = [at for at, number in enumerate(numbers) if number is None]
        told = told_renamed([keys[number] for number in free], [new[at] for at in unknown], self.rules.said)
        for one, other in told.items():
            self.placer.counts["like"] += 1
            if self.rules.renames:
                self.placer.counts["renamed_said"] += 1
                result[unknown[one]] = free[other]
                self._rename(pairs[free[other]], new[unknown[one]])
        for at, pair in enumerate(shown):
            key = _key(self.text, pair)
            old = [number for number in range(len(pairs)) if number not in result]
            best = max(old, key=lambda number: fuzz.ratio(_key(self.source, pairs[number]), key), default=None)
            if result[at] is None and best is not None and fuzz.ratio(_key(self.source, pairs[best]), key) >= MIN_ALIKE:
                self.placer.counts["like"] += 1
                if self.rules.renames:
                    self.placer.counts["renamed"] += 1
                    result[at] = best
                    self._rename(pairs[best], key)
        return result

    def _rename(self, pair: Node, key: str) -> None:
        """Gives a pair another key."""
        name = pair.child_by_field_name("key")
        if name is not None:
            self.edits.append((name.start_byte, name.end_byte, key.encode()))

    def _change(self, pair: Node, mine: Node, value: Node) -> None:
        if _value(self.text, value) == json.loads(GAP):
            return  # it isn't shown
        key = _key(self.source, pair).strip('"')
        if mine.type == value.type == "object" and _pairs(mine) and key not in self.rules.whole:
            is_other = bool(_pairs(value)) and not _num_shared(self.source, mine, self.text, value)
            is_moved = self._is_moved(mine, value)
            self.placer.counts["replaceable"] += is_other
            if not is_moved and not (is_other and self.rules.replaces):
                self.merge(mine, _pairs(value))
                return
            self.placer.counts["replaced" if is_other else "moved"] += 1
            self.edits.append((mine.start_byte, mine.end_byte, self._written(value, _indent_at(self.source, pair))))
            return
        if mine.type == value.type == "array" and (self._merge_items(mine, value) or self._merge_list(mine, value)):
            return
        if _value(self.source, mine) == _value(self.text, value):
            self.placer.counts["same"] += 1
            return
        if mine.type == value.type == "object":
            lost = {_key(self.source, one) for one in _pairs(mine)} - {_key(self.text, one) for one in _pairs(value)}
            self.placer.counts["whole"] += len(lost)
        self.edits.append((mine.start_byte, mine.end_byte, self._written(value, _indent_at(self.source, pair))))

    def _is_moved(self, mine: Node, shown: Node) -> bool:
        """Whether a shown object has all keys of the file's, in another order."""
        keys = [_key(self.text, pair) for pair in _pairs(shown)]
        known = [_key(self.source, pair) for pair in _pairs(mine)]
        return set(known) <= set(keys) and [key for key in keys if key in known] != known

    def _merge_items(self, mine: Node, shown: Node) -> bool:
        """Merges the objects of a list into those of the same name, where what isn't shown stays; whether it does."""
        lists = _items(mine), _items(shown)
        kind = _identity([(self.source, one) for one in lists[0]], [(self.text, one) for one in lists[1]])
        if kind is None:
            return False
        known, names = (
            [_named(text, one, kind) for one in items]
            for text, items in zip((self.source, self.text), lists, strict=True)
        )
        numbers = [known.index(name) if name in known else None for name in names]
        lost = len(known) - len(set(numbers) - {None})
        if not lost or not any(number is not None for number in numbers):
            return False
        self.placer.counts["joined" if self.rules.joins else "dropped"] += lost
        if not self.rules.joins:
            return False
        siblings = [Sibling(str(name), names_of(str(name))) for name in known]
        new: dict[int, list[Node]] = {}
        before: int | None = None
        for at, (one, number) in enumerate(zip(lists[1], numbers, strict=True)):
            if number is None:
                after = next((other for other in numbers[at:] if other is not None), None)
                place = self.placer.place(siblings, str(names[at]), place_beside(before, after))
                new.setdefault(place, []).append(one)
            else:
                before = number
                self.merge(lists[0][number], _pairs(one))
        for place, inserted in new.items():
            self._insert(mine, lists[0], place, inserted)
        return True

    def _merge_list(self, mine: Node, shown: Node) -> bool:
        """Joins two lists, where the snippet's has gaps or holds single values; whether that is what was to be done."""
        values, new = (
            [(_value(text, child), child) for child in node.named_children if child.type != "comment"]
            for text, node in ((self.source, mine), (self.text, shown))
        )
        is_part = any(value == json.loads(GAP) for value, _ in new)
        new = [one for one in new if one[0] != json.loads(GAP)]
        if not values or not (new or is_part):
            return is_part  # what isn't shown of a list that the file has empty is nowhere to be found
        if not is_part:
            lost = sum(all(value != other for other, _ in new) for value, _ in values)
            if not lost or any(isinstance(value, dict | list) for value, _ in (*values, *new)):
                return False
            self.placer.counts["joined" if self.rules.joins else "dropped"] += lost
            if not self.rules.joins:
                return False
        last = values[-1][1]
        is_inline = mine.start_point[0] == last.start_point[0]
        gap = b", " if is_inline else b",\n" + _indent_at(self.source, last).encode()
        added = [self._written(node, "") for value, node in new if all(value != other for other, _ in values)]
        if added:
            self.edits.append((last.end_byte, last.end_byte, gap + gap.join(added)))
        return True

    def _written(self, node: Node, indent: str) -> bytes:
        """A node's text with its later lines indented as the file does."""
        first, *rest = self.text[node.start_byte : node.end_byte].decode().split("\n")
        base = len(_indent_at(self.text, node))
        step = max(1, len(self.shown_unit))
        lines = [first]
        for line in rest:
            columns = len(line) - len(line.lstrip()) - base
            if line.strip():
                lines.append((indent + self.unit * round(columns / step) if columns > 0 else indent) + line.strip())
        return "\n".join(lines).encode()

    def _insert(self, target: Node, pairs: Sequence[Node], place: int, new: Sequence[Node]) -> None:
        """Puts pairs in front of the one with the number `place`, or behind the last."""
        if not pairs:
            indent = _indent_at(self.source, target)
            gap = f"\n{indent}{self.unit}".encode()
            body = (b"," + gap).join(self._written(pair, indent + self.unit) for pair in new)
            self.edits.append((target.start_byte, target.end_byte, b"{" + gap + body + f"\n{indent}}}".encode()))
            return
        is_inline = target.start_point[0] == pairs[0].start_point[0]
        indent = _indent_at(self.source, pairs[0])
        gap = b"," + (b" " if is_inline else b"\n" + indent.encode())
        written = [self._written(pair, indent) for pair in new]
        if not place:
            self.edits.append((pairs[0].start_byte, pairs[0].start_byte, gap.join([*written, b""])))
            return
        # In front of the comma that follows, if one does: it is the last new pair's then.
        at = pairs[place - 1].end_byte
        self.edits.append((at, at, gap + gap.join(written)))


# ---- what a snippet shows of an object -------------------------------------------------------------------------------


def with_gaps(shown: Sequence[str], elided: Collection[int]) -> str:
    """The snippet's text with a sign as an item wherever something of a list is left out."""
    lines: list[str] = []
    opened: list[str] = []
    for number, line in enumerate((*shown, "")):
        if number in elided and opened and opened[-1] == "[":
            if lines and lines[-1].rstrip()[-1:] not in "[,":
                lines[-1] += ","
            lines.append(GAP + ("" if line.strip()[:1] in ("]", "") else ","))
        lines.append(line)
        for sign in re.findall(r"[\[\]{}]", _COMMENT.sub("", line)):
            if sign in "[{":
                opened.append(sign)
            elif opened:
                opened.pop()
    return "\n".join(lines[:-1])


def read_snippet(snippet: str) -> tuple[bytes, Node | None]:
    """The snippet's text, in braces where it has none, and its object; None where it doesn't parse.

    Where it doesn't as it is, remarks in it are left out, and commas that are missing beside them or left over; then
    values that aren't shown have a sign in their place, too.
    """
    plain = _COMMENT.sub(lambda found: found[0] if found[0].startswith('"') else "", snippet).strip()
    plain = _BEFORE_CLOSING.sub(lambda found: found[1] or found[2], _BETWEEN.sub(r"\1,\2", plain)).rstrip(",")
    less = _LEFT_OUT.sub(lambda found: f"{found[1]} {GAP}" if found[1] else found[2] or "", plain)
    less = _OPENED.sub(r"\1", _BEFORE_CLOSING.sub(lambda found: found[1] or found[2], _BETWEEN.sub(r"\1,\2", less)))
    for one in (snippet, plain, less.strip().rstrip(","), _closed(less)):
        for text in (one, "{\n" + one + "\n}"):
            encoded = text.encode()
            found = object_of(encoded)
            if found is not None and found.start_byte == 0 and found.end_byte == len(encoded):
                return encoded, found
    return b"", None


def _closed(snippet: str) -> str:
    """A snippet with what it leaves open closed, or without closing signs too many at its end; "" for any other."""
    opened: list[str] = []
    end = len(snippet)
    for found in _BRACKET.finditer(snippet):
        if found[0] in "[{":
            opened.append(found[0])
        elif found[0] in "]}" and opened:
            opened.pop()
        elif found[0] in "]}":
            end = found.start()
            break
    if snippet[end:].strip("]}, \t\n"):
        return ""
    text = snippet[:end].strip().rstrip(",")
    for sign in reversed(opened if end == len(snippet) else []):
        if text[-1] == "[":
            return ""
        text += f",\n{GAP}]" if sign == "[" else "\n}"
    return text


def object_of(source: bytes) -> Node | None:
    """The object that a text is; None where it is none, or has remarks beside it."""
    tree = parse_bytes(source, "json")
    if tree is None or tree.root_node.has_error:
        return None
    nodes = tree.root_node.named_children
    values = [node for node in nodes if node.type != "comment"]
    if len(values) != 1 or values[0].type != "object" or any(node.type == "comment" for node in nodes):
        return None
    return values[0]
