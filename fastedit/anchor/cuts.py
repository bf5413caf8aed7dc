"""Where a snippet breaks off: what it shows next to a unit, and what its markers and ends leave out."""

from __future__ import annotations

import re

from fastedit.anchor.text import is_closer, opens_bracket
from fastedit.anchor.units import Unit, UnitTree
from fastedit.edits.lazy import LineKind

_WORD = re.compile(r"[A-Za-z_$][\w$]+")
_OPENER = re.compile(r"[{(\[:,]\s*(?:#.*|//.*)?$")


class Cuts:
    """Answers for one snippet's units."""

    def __init__(self, snippet: UnitTree) -> None:
        self.snippet = snippet
        self.mine = snippet.table

    def is_cut_above(self, unit: Unit) -> bool:
        """Whether a marker of its own line ends what the snippet shows above the unit."""
        return self.ends_in_marker(unit.start)

    def ends_in_marker(self, line: int) -> bool:
        """Whether the last line above `line` is a marker of its own: then it doesn't show what follows it."""
        shown = self.snippet.shown
        above = line - 1
        while above >= 0 and not self.mine.keys[above]:
            above -= 1
        return shown is not None and above >= 0 and shown[above].kind is LineKind.MARKER and not shown[above].is_part

    def named_above(self, line: int) -> set[str]:
        """The words of the marker that is the last line above `line`; none where that is no marker."""
        shown = self.snippet.shown
        if shown is None or not self.ends_in_marker(line):
            return set()
        above = next(number for number in range(line - 1, -1, -1) if self.mine.keys[number])
        return set(_WORD.findall(shown[above].note))

    def is_cut_block(self, mine: Unit) -> bool:
        """Whether the snippet shows only the header of a block, its body cut off or elided."""
        if not _OPENER.search(self.mine.lines[mine.body - 1]) and not self.breaks_off(mine):
            return False
        following = mine.end
        while following < len(self.mine) and not self.mine.keys[following]:
            following += 1
        shown = self.snippet.shown
        is_code = following < len(self.mine) and (shown is None or shown[following].kind is LineKind.CODE)
        return not (
            is_code and self.mine.columns[following] == mine.columns and not is_closer(self.mine.lines[following])
        )

    def follows_marker(self, mine: Unit) -> bool:
        kinds = self.snippet.kinds
        return kinds is not None and mine.start > 0 and kinds[mine.start - 1] is LineKind.MARKER

    def follows_code(self, unit: Unit) -> bool:
        """Whether the snippet shows code above the unit, blank lines apart."""
        for line in range(unit.start - 1, -1, -1):
            if self.mine.keys[line]:
                return not self.snippet.kinds or self.snippet.kinds[line] is LineKind.CODE
        return False

    def breaks_off(self, unit: Unit) -> bool:
        """Whether the snippet ends inside the unit with a bracket open."""
        return opens_bracket("".join(self.mine.keys[unit.head : unit.end]))

    def goes_on(self, unit: Unit) -> bool:
        """Whether code follows the unit in the snippet, so that its end is shown."""
        for line in range(unit.end, len(self.mine)):
            if self.mine.keys[line]:
                return not self.snippet.kinds or self.snippet.kinds[line] is LineKind.CODE
        return False

    def is_last(self, unit: Unit) -> bool:
        """Whether nothing at all follows the unit in the snippet."""
        return not any(self.mine.keys[unit.end :])

    def is_cut_off(self, unit: Unit) -> bool:
        """Whether a block ends in a marker and is never closed: what the marker stands for may go beyond it."""
        while unit.has_body and unit.end == unit.close:
            children = self.snippet.children(unit)
            if not children or children[-1].is_marker:
                return bool(children)
            unit = children[-1]
        return False

    def is_stub(self, unit: Unit, line: int) -> bool:
        """Whether a bare `...` is all there is in a Python body: then it is code, as in a protocol."""
        return (
            line < unit.end
            and self.mine.lines[line].strip() == "..."
            and self.mine.lines[unit.body - 1].rstrip().endswith(":")
            and not any(self.mine.keys[other] for other in range(line + 1, unit.close))
        )

    def adds_comma(self, mine: Unit, my_keys: str, their_keys: str) -> bool:
        """Whether the snippet's closing line has a comma more, and code behind it that needs one."""
        if my_keys != their_keys + ",":
            return False
        kinds = self.snippet.kinds
        for line in range(mine.end, len(self.mine)):
            if self.mine.keys[line]:
                return (not kinds or kinds[line] is LineKind.CODE) and not is_closer(self.mine.lines[line])
        return False
