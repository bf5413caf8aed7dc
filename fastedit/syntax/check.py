"""Counts what does not parse in a text, and tells whether a change made that worse."""

from __future__ import annotations

import time
from collections.abc import Sequence

from tree_sitter import Parser

from fastedit.syntax.parse import DEFAULT_BUDGET_S, DIALECTS, count_error_nodes, grammar, parse, parse_bytes


def count_errors(text: str, language: str, *, budget_s: float = DEFAULT_BUDGET_S) -> int | None:
    """ERROR and missing nodes of the text; None where there is no grammar or the budget ran out.

    Of a language that has a dialect, the fewer of the two.
    """
    deadline = time.monotonic() + budget_s
    tree = parse(text, language, budget_s=budget_s)
    if tree is None:
        return None
    num_errors = count_error_nodes(tree.root_node)
    if not num_errors or language not in DIALECTS:
        return num_errors
    tree = parse(text, DIALECTS[language], budget_s=deadline - time.monotonic())
    return num_errors if tree is None else min(num_errors, count_error_nodes(tree.root_node))


def added_errors(before: str, after: str, language: str, *, budget_s: float = DEFAULT_BUDGET_S) -> int:
    """The number of errors that `after` has more than `before`; 0 where that can't be told."""
    deadline = time.monotonic() + budget_s
    num_after = count_errors(after, language, budget_s=budget_s)
    if not num_after:
        return 0
    num_before = count_errors(before, language, budget_s=deadline - time.monotonic())
    return 0 if num_before is None else max(0, num_after - num_before)


class ErrorCounter:
    """Counts the parse errors of one text's variants, each read anew only where it differs from the text.

    lines: the text's, without line ends. count: ERROR and missing nodes of the text; None where it can't be parsed.
    """

    def __init__(self, lines: Sequence[str], language: str) -> None:
        self._lines = [line.encode("utf-8", "replace") + b"\n" for line in lines]
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))
        self._language = language
        source = b"".join(self._lines)
        self._tree = parse_bytes(source, language) if language else None
        self.count = None if self._tree is None else count_error_nodes(self._tree.root_node)
        if self.count and language in DIALECTS:
            tree = parse_bytes(source, DIALECTS[language])
            if tree is not None and count_error_nodes(tree.root_node) < self.count:
                self._language, self._tree = DIALECTS[language], tree
                self.count = count_error_nodes(tree.root_node)

    def after(self, changes: Sequence[tuple[int, int, Sequence[str]]]) -> int | None:
        """The errors once lines [start, end) have become others, for each change; they ascend and don't overlap."""
        known = grammar(self._language)
        if self._tree is None or known is None:
            return None
        tree = self._tree.copy()
        lines = list(self._lines)
        for start, end, new in reversed(changes):
            written = [line.encode("utf-8", "replace") + b"\n" for line in new]
            lines[start:end] = written
            first = self._starts[start]
            tree.edit(
                start_byte=first,
                old_end_byte=self._starts[end],
                new_end_byte=first + sum(map(len, written)),
                start_point=(start, 0),
                old_end_point=(end, 0),
                new_end_point=(start + len(written), 0),
            )
        return count_error_nodes(Parser(known).parse(b"".join(lines), tree).root_node)
