"""The declarations of a text: `outline`."""

from __future__ import annotations

import time

from fastedit.syntax.found import Found, settle
from fastedit.syntax.model import Outline
from fastedit.syntax.parse import DEFAULT_BUDGET_S, count_error_nodes, has_grammar, parse_bytes
from fastedit.syntax.scanners import can_scan, scan
from fastedit.syntax.walk import Walk


def outline(text: str, language: str, *, budget_s: float = DEFAULT_BUDGET_S) -> Outline:
    """The declarations of `text`, an empty outline where the language has neither grammar nor scanner.

    Never raises for odd text: what is whole in broken code is there.
    """
    if not _can_read(language):
        return Outline("", ())
    deadline = time.monotonic() + budget_s
    source = text.encode("utf-8", "replace")
    found: list[Found] = []
    num_errors, is_complete = _collect(source, language, found, deadline)
    return Outline(language if has_grammar(language) else "", settle(found), num_errors, is_complete)


def _can_read(language: str) -> bool:
    return can_scan(language) or has_grammar(language)


def _collect(
    source: bytes, language: str, found: list[Found], deadline: float, first_row: int = 0, parent: int = -1
) -> tuple[int, bool]:
    """Add what the source declares to `found`; its parse errors, and whether all of it was read."""
    num_errors, is_complete = 0, True
    if can_scan(language):
        _add_scanned(source, language, found, first_row, parent)
        return 0, True

    def inject(part: bytes, part_language: str, part_row: int, part_parent: int) -> None:
        nonlocal num_errors, is_complete
        if _can_read(part_language):
            part_errors, is_part_complete = _collect(part, part_language, found, deadline, part_row, part_parent)
            num_errors, is_complete = num_errors + part_errors, is_complete and is_part_complete

    tree = parse_bytes(source, language, budget_s=deadline - time.monotonic())
    if tree is None:
        return 0, False
    is_walked = Walk(source, language, found, inject, deadline, first_row, parent).run(tree)
    return num_errors + count_error_nodes(tree.root_node), is_complete and is_walked


def _add_scanned(source: bytes, language: str, found: list[Found], first_row: int, parent: int) -> None:
    """Add what the language's scanner finds."""
    first_index = len(found)
    for item in scan(source.decode("utf-8"), language):
        item.start_line += first_row
        item.header_line += first_row
        item.body_line += first_row
        item.end_line += first_row
        item.parent = parent if item.parent < 0 else first_index + item.parent
        found.append(item)
