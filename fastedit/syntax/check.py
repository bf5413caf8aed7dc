"""How much of a text does not parse, and whether a change made that worse."""

from __future__ import annotations

import time

from fastedit.syntax.parse import DEFAULT_BUDGET_S, DIALECTS, count_error_nodes, parse


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
    """How many more errors `after` has than `before`; 0 where that can't be told."""
    deadline = time.monotonic() + budget_s
    num_after = count_errors(after, language, budget_s=budget_s)
    if not num_after:
        return 0
    num_before = count_errors(before, language, budget_s=deadline - time.monotonic())
    return 0 if num_before is None else max(0, num_after - num_before)
