"""A text read in one go: `read`."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from fastedit.syntax.found import Found, settle
from fastedit.syntax.model import Outline
from fastedit.syntax.parse import DIALECTS, count_error_nodes, has_grammar, parse_bytes
from fastedit.syntax.scanners import can_scan, scan
from fastedit.syntax.walk import Walk


def can_read(language: str) -> bool:
    """Whether there is a grammar or a scanner for the language."""
    return can_scan(language) or has_grammar(language)


def read(text: str, language: str, *, budget_s: float) -> Outline:
    """Reads what the text declares, as far as its grammar or scanner sees it; nothing for a language without either.

    Where a dialect's grammar finds fewer errors, it is that reading that counts.
    """
    if not can_read(language):
        return Outline("", ())
    source, deadline = text.encode("utf-8", "replace"), time.monotonic() + budget_s
    reader = _Reader(deadline)
    reader.add(source, language, 0, -1)
    if reader.num_errors and reader.is_complete and language in DIALECTS:
        other = _Reader(deadline)
        other.add(source, DIALECTS[language], 0, -1)
        if other.is_complete and other.num_errors < reader.num_errors:
            reader = other
    name = language if has_grammar(language) else ""
    return Outline(name, settle(reader.found), reader.num_errors, reader.is_complete)


@dataclass(slots=True)
class _Reader:
    """Collects what a text declares, and what the texts in other languages inside it do."""

    deadline: float
    found: list[Found] = field(default_factory=list)
    num_errors: int = 0
    is_complete: bool = True

    def add(self, source: bytes, language: str, first_row: int, parent: int) -> None:
        """Reads a text that starts on `first_row` and belongs to the declaration with the index `parent`."""
        if can_scan(language):
            self._scan(source, language, first_row, parent)
            return
        tree = parse_bytes(source, language, budget_s=self.deadline - time.monotonic())
        if tree is None:
            self.is_complete = self.is_complete and not has_grammar(language)
            return
        is_walked = Walk(source, language, self.found, self.add, self.deadline, first_row, parent).run(tree)
        self.is_complete = self.is_complete and is_walked
        self.num_errors += count_error_nodes(tree.root_node)

    def _scan(self, source: bytes, language: str, first_row: int, parent: int) -> None:
        first_index = len(self.found)
        for item in scan(source.decode("utf-8"), language):
            item.start_line += first_row
            item.header_line += first_row
            item.body_line += first_row
            item.end_line += first_row
            item.parent = parent if item.parent < 0 else first_index + item.parent
            self.found.append(item)
