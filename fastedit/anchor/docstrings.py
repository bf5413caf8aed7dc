"""Docstrings that a snippet leaves out: they stay where the snippet shows the rest of what they belong to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastedit.anchor.scope import Frame, Scope
from fastedit.anchor.units import Unit
from fastedit.edits.lazy import comment_text

if TYPE_CHECKING:
    from fastedit.anchor.lazy import LazyAligner
    from fastedit.anchor.marked import Gap

_DOCSTRING = re.compile(r"^[rRuU]?(\"\"\"|'''|\"|')")
_DOCSTRING_NOTE = re.compile(r"\b(?:docstring|doc string|license|licence|copyright|shebang)\b", re.IGNORECASE)
_OTHER_NOTE = re.compile(
    r"\b(?:imports?|code|body|rest|everything|methods?|functions?|class(?:es)?|fields?|attributes?|properties|above|below"
    r"|checks?|constants?|setup|statements?)\b",
    re.IGNORECASE,
)
MIN_SHOWN_OVERLAP = 0.3


class Docstrings:
    """Keeps the docstring of the declaration that a level stands in."""

    def __init__(self, aligner: LazyAligner, scope: Scope, frame: Frame) -> None:
        self.aligner = aligner
        self.scope = scope
        self.frame = frame
        self.owner = frame.theirs
        self.theirs = aligner.theirs
        self.mine = aligner.mine

    def keep(self, gap: Gap, new: list[Unit]) -> None:
        """A docstring that the snippet doesn't show stays, as the lead does."""
        if gap.before is not None or self.owner is None or self.owner.declares not in ("function", "class"):
            return
        if new and _DOCSTRING.match(self.mine.lines[new[0].head].strip()):
            return
        hints = self.aligner.hints
        if self.owner.name in hints.without_docstring or (not hints.keeps_docstrings and self._is_rewritten()):
            return
        self._keep_opening_string(gap)

    def _is_rewritten(self) -> bool:
        """Whether the snippet shows another body altogether rather than this one without its docstring."""
        mine = self.frame.mine
        return (
            mine is not None
            and self.owner is not None
            and (self.aligner.similarity.overlap(mine, self.owner) < MIN_SHOWN_OVERLAP)
        )

    def keep_named(self, gap: Gap) -> bool:
        """Keeps what a marker stands for that names nothing but a docstring or a licence; whether there is one."""
        marker = gap.units[0] if gap.units and gap.units[0].is_marker else None
        if marker is None or gap.before is not None or not _DOCSTRING_NOTE.search(marker.note):
            return False
        return not _OTHER_NOTE.search(marker.note) and self._keep_opening_string(gap)

    def _keep_opening_string(self, gap: Gap) -> bool:
        """Keeps comments and the string that the gap begins with; whether there is such a string."""
        comments = 0
        while comments < len(gap.content) and comment_text(self.theirs.lines[gap.content[comments].head]) is not None:
            comments += 1
        first = gap.content[comments] if comments < len(gap.content) else None
        match = _DOCSTRING.match(self.theirs.lines[first.head].strip()) if first else None
        if first is None or match is None or self._is_shown(first):
            return False
        end = first.head + 1
        quotes = match.group(1)
        if len(quotes) == 3 and self.theirs.lines[first.head].count(quotes) == 1:
            while end < gap.end and quotes not in self.theirs.lines[end]:
                end += 1
            end = min(end + 1, gap.end)
        self.aligner.writer.keep(end, self.scope)
        gap.my_before = None
        return True

    def _is_shown(self, docstring: Unit) -> bool:
        """Whether the snippet shows the docstring elsewhere in what it stands in."""
        mine = self.frame.mine
        lines = self.mine.places.get(self.theirs.keys[docstring.head], ())
        return mine is not None and any(mine.body <= line < mine.close for line in lines)
