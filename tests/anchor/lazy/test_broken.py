from __future__ import annotations

from dataclasses import replace

from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.parts import Base
from fastedit.anchor.lazy.proposals.proposals import still_named
from fastedit.anchor.lazy.reading import Reading
from fastedit.anchor.lazy.readings import _broken
from fastedit.syntax import outline

ORIGINAL = ("const limits = {", "  low: 1,", "  high: 9,", "};")


def reading_with(line: str) -> tuple[Reading, Base]:
    lines = (*ORIGINAL[:2], line, *ORIGINAL[2:])
    reading = Reading(lines, (0, 1, None, 2, 3), 0.0, proposals=(still_named(1),))
    return reading, Base(Lines(ORIGINAL), outline("\n".join(ORIGINAL), "javascript"))


def test_what_words_alone_say_is_seen_to_break_the_file() -> None:
    for line, is_broken in (('  kind="hidden",', True), ("  middle: 5,", False)):
        reading, base = reading_with(line)
        assert (_broken(reading, reading.changes(ORIGINAL), base)[0] > 0) is is_broken


def test_without_such_words_nothing_is_counted() -> None:
    reading, base = reading_with('  kind="hidden",')
    reading = replace(reading, proposals=())
    assert _broken(reading, reading.changes(ORIGINAL), base) == (0, 0)
