"""Bugs put into real code, in the ways in which people make them: one rule a row, found in the syntax tree."""

from __future__ import annotations

import ast
import random
import re
import threading
from collections.abc import Callable, Iterator
from typing import NamedTuple

BODY_FIELDS = ("body", "orelse", "finalbody")
LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
OPERATORS = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "is not": "is", "not in": "in", "in": "not in",
}  # fmt: skip
OPERATOR = re.compile(r"is not\b|not in\b|\bin\b|<=|>=|==|!=|<|>")
MAX_REMOVED_LINES = 40
_PARSING = threading.Lock()  # two threads at once now and then get a SystemError: python/cpython#106905


class Mutation(NamedTuple):
    """Bytes [start, end) of a source become `text`."""

    start: int
    end: int
    text: str
    kind: str


class Source:
    """A module's text with its tree. Offsets are in UTF-8 bytes, as the tree has them."""

    def __init__(self, text: str) -> None:
        self.data = text.encode("utf-8")
        with _PARSING:
            self.tree = ast.parse(text)
        self._starts = [0]
        for line in self.data.split(b"\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)

    def start(self, node: ast.expr | ast.stmt) -> int:
        return self._starts[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr | ast.stmt) -> int:
        return self._starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)

    def between(self, left: ast.expr, right: ast.expr) -> tuple[int, str]:
        """Where the text between two expressions starts, and the text."""
        start = self.end(left)
        return start, self.data[start : self.start(right)].decode("utf-8")

    def without_lines(self, first: int, last: int, kind: str) -> Mutation:
        """Lines first to last (1-based, both included) removed, with the blank lines behind them."""
        end = last
        while self._line(end).strip() == b"" and self._line(first - 2).strip() == b"" and end < len(self._starts) - 2:
            end += 1
        return Mutation(self._starts[first - 1], min(self._starts[end], len(self.data)), "", kind)

    def _line(self, index: int) -> bytes:
        """A line by its 0-based index; nothing outside the text."""
        return self.data[self._starts[index] : self._starts[index + 1]] if 0 <= index < len(self._starts) - 1 else b"x"


def _comparisons(node: ast.AST, source: Source) -> Iterator[Mutation]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        start, text = source.between(node.left, node.comparators[0])
        match = OPERATOR.search(text)
        if match and match.group() in OPERATORS:
            changed = text[: match.start()] + OPERATORS[match.group()] + text[match.end() :]
            yield Mutation(start, start + len(text.encode("utf-8")), changed, "comparison")


def _connectives(node: ast.AST, source: Source) -> Iterator[Mutation]:
    if isinstance(node, ast.BoolOp) and len(node.values) == 2:
        old, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        start, text = source.between(node.values[0], node.values[1])
        changed = re.sub(rf"\b{old}\b", new, text, count=1)
        if changed != text:
            yield Mutation(start, start + len(text.encode("utf-8")), changed, "connective")


def _numbers(node: ast.AST, source: Source) -> Iterator[Mutation]:
    if isinstance(node, ast.Constant) and type(node.value) is int and node.value < 1000:
        yield Mutation(source.start(node), source.end(node), str(node.value + 1), "number")


def _negations(node: ast.AST, source: Source) -> Iterator[Mutation]:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        start = source.start(node)
        if source.data[start : start + 4] == b"not ":
            yield Mutation(start, start + 4, "", "negation")


def _arguments(node: ast.AST, source: Source) -> Iterator[Mutation]:
    if isinstance(node, ast.Call) and len(node.args) >= 2 and all(isinstance(arg, ast.Name) for arg in node.args[:2]):
        first, second = node.args[:2]
        left, right = (source.data[source.start(arg) : source.end(arg)].decode("utf-8") for arg in (first, second))
        if left != right:
            _, between = source.between(first, second)
            yield Mutation(source.start(first), source.end(second), right + between + left, "arguments")


def _statements(node: ast.AST, source: Source) -> Iterator[Mutation]:
    """Guards, statements and whole functions that are missing, where something else stays in their block."""
    for field in BODY_FIELDS:
        block = getattr(node, field, None)
        if not isinstance(block, list) or len(block) < 2:
            continue
        for statement in block:
            kind = _removable(statement)
            first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", ()))])
            last = statement.end_lineno or statement.lineno
            if kind and last - first < MAX_REMOVED_LINES and _stand_alone(statement, block):
                yield source.without_lines(first, last, kind)


def _removable(statement: ast.AST) -> str:
    match statement:
        case ast.If(orelse=[], body=body) if isinstance(body[-1], LEAVES):
            return "guard"
        case ast.FunctionDef(name=name) if not name.startswith("__"):
            return "function"
        case ast.AugAssign() | ast.Expr(value=ast.Call()) | ast.Assign(targets=[ast.Attribute()]):
            return "statement"
    return ""


def _stand_alone(statement: ast.stmt, block: list[ast.stmt]) -> bool:
    """Whether no other statement of the block shares a line with this one."""
    lines = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
    return not any(other is not statement and (other.lineno in lines or other.end_lineno in lines) for other in block)


def _branches(node: ast.AST, source: Source) -> Iterator[Mutation]:
    """An `elif` or `else` that is missing."""
    if isinstance(node, ast.If) and node.orelse:
        first, last = (node.body[-1].end_lineno or 0) + 1, node.orelse[-1].end_lineno or 0
        if last - first < MAX_REMOVED_LINES:
            yield source.without_lines(first, last, "branch")


RULES: tuple[Callable[[ast.AST, Source], Iterator[Mutation]], ...] = (
    _comparisons,
    _connectives,
    _numbers,
    _negations,
    _arguments,
    _statements,
    _branches,
)


def find_mutations(text: str) -> list[Mutation]:
    """What can be broken in a module's functions and classes, in the order of the text."""
    source = Source(text)
    found: set[Mutation] = set()
    for top in source.tree.body:
        if isinstance(top, ast.FunctionDef | ast.ClassDef):
            for node in ast.walk(top):
                for rule in RULES:
                    found.update(rule(node, source))
    return sorted(found)


def mutated(text: str, rng: random.Random) -> tuple[str, tuple[str, ...]] | None:
    """The module with one to three bugs in it and their kinds, each kind as likely as the others; None where none
    compiles."""
    found = find_mutations(text)
    kinds = sorted({mutation.kind for mutation in found})
    chosen: list[Mutation] = []
    for _ in range(rng.choice((1, 1, 2, 3)) if kinds else 0):
        kind = rng.choice(kinds)
        mutation = rng.choice([mutation for mutation in found if mutation.kind == kind])
        if all(mutation.end <= other.start or other.end <= mutation.start for other in chosen):
            chosen.append(mutation)
    data = text.encode("utf-8")
    for mutation in sorted(chosen, reverse=True):
        data = data[: mutation.start] + mutation.text.encode("utf-8") + data[mutation.end :]
    changed = data.decode("utf-8")
    if changed == text or not _compiles(changed):
        return None
    return changed, tuple(dict.fromkeys(mutation.kind for mutation in sorted(chosen)))


def _compiles(text: str) -> bool:
    try:
        compile(text, "mutated", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True
