"""How much of a text does not parse, and whether a change made that worse."""

from __future__ import annotations

import time

from fastedit.syntax.parse import DEFAULT_BUDGET_S, count_error_nodes, parse


def count_errors(text: str, language: str, *, budget_s: float = DEFAULT_BUDGET_S) -> int | None:
    """ERROR and missing nodes of the text; None where there is no grammar or the budget ran out."""
    tree = parse(text, language, budget_s=budget_s)
    return None if tree is None else count_error_nodes(tree.root_node)


def added_errors(before: str, after: str, language: str, *, budget_s: float = DEFAULT_BUDGET_S) -> int:
    """How many more errors `after` has than `before`; 0 where that can't be told."""
    deadline = time.monotonic() + budget_s
    num_after = count_errors(after, language, budget_s=budget_s)
    if not num_after:
        return 0
    num_before = count_errors(before, language, budget_s=deadline - time.monotonic())
    return 0 if num_before is None else max(0, num_after - num_before)
