"""What words say goes at the two ends of a file."""

from __future__ import annotations

import pytest

from fastedit.anchor.hints import Hints
from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.proposals.ends import FileEnds, LostEnd
from fastedit.anchor.lazy.proposals.finder import proposals_for
from fastedit.anchor.lazy.readings import readings_of
from fastedit.anchor.lazy.words.repeated import declared_in
from fastedit.edits.model import Snippet
from fastedit.syntax import outline
from support.aligning import lines_of

SCRIPT = """\
#!/usr/bin/env python
# -*- coding: utf-8 -*-
# Copyright: nobody.
# All rights given away.
\"\"\"Tells the time.

In one zone.
\"\"\"
import time


def tell(zone):
    return time.time() + zone


def main():
    print(tell(0))


if __name__ == "__main__":
    main()
"""


def found(prose: str, *snippets: str, text: str = SCRIPT) -> list[LostEnd]:
    """What could go from a file; the words stand before the first snippet."""
    lines = lines_of(text)
    keys = [["".join(line.split()) for line in lines_of(snippet)] for snippet in snippets]
    ends = FileEnds(Lines(lines), declared_in(outline(text, "python")), [prose, *[""] * len(snippets)], keys)
    return list(ends.of_result(lines, range(len(lines))))


def spans(prose: str, *snippets: str, text: str = SCRIPT) -> list[tuple[int, int]]:
    """The lines [start, end) that could go from a file."""
    return [(one.lines.start, one.lines.stop) for one in found(prose, *snippets, text=text)]


@pytest.mark.parametrize(
    ("prose", "lines"),
    [
        ("The shebang goes.", [(0, 1)]),
        ("I dropped the shebang and the coding line.", [(0, 1), (1, 2)]),
        ("The licence header is gone.", [(2, 4)]),
        ("The header has moved. Remove it with its blank line.", [(2, 4)]),
        ("I removed the stale module docstring.", [(4, 8)]),
        ("The shebang stays.", []),
        ("The header tells the time.", []),
        ("The imports are gone, only the header stays.", []),
        ("The header goes, the rest stays.", [(2, 4)]),
    ],
)
def test_the_top_of_a_file_is_known_by_words_for_it(prose: str, lines: list[tuple[int, int]]) -> None:
    assert spans(prose) == lines


def test_a_comment_between_marks_and_one_above_a_directive_are_headers() -> None:
    text = "/* Made by hand.\n   Not by a tool. */\nexport const a = 1;\n"
    assert spans("The banner goes.", text=text) == [(0, 2)]
    text = '// Types for clock 1.0\n// By: nobody\n\n/// <reference types="node" />\n'
    assert spans("Drop the old comment block.", text=text) == [(0, 2)]


def test_a_snippet_that_begins_below_a_header_speaks_for_its_going() -> None:
    [one] = found("Drop the header so that the file begins with", '"""Tells the time.\n')
    assert one.values["header"] == one.values["opens"] == one.values["starts"] == 1
    [one] = found("Drop the header.", "# Copyright: nobody.\n# All rights given away.\nimport time\n")
    assert one.values["opens"] == 0
    assert one.values["shown"] == 1


@pytest.mark.parametrize(
    ("prose", "start"),
    [
        ("`main` is the last function in the file now.", 19),
        ("Nothing comes after `tell` any more.", 15),
        ("main is now the end of the file.", 19),
        ("This is the last step in the file.", None),
        ("`main` is the last function that I touched.", None),
    ],
)
def test_what_stands_behind_the_last_part_of_a_file_goes(prose: str, start: int | None) -> None:
    starts = [one.lines.start for one in found(prose) if one.values["tail"]]
    assert starts == ([] if start is None else [start])


def test_a_file_ends_where_a_snippet_does() -> None:
    [one] = found("The file ends with", "def main():\n    print(tell(0))\n")
    assert (one.lines.start, one.lines.stop) == (17, 21)
    assert found("The file ends with", 'if __name__ == "__main__":\n    main()\n') == []


def test_what_goes_at_the_ends_is_proposed() -> None:
    lines, outlined = lines_of(SCRIPT), outline(SCRIPT, "python")
    ends = FileEnds(Lines(lines), declared_in(outlined), ["The shebang goes."], [])
    proposed = proposals_for(lines, range(len(lines)), lines, outlined, Hints(), ends=ends)
    assert [one.gone for one in proposed] == [(0,)]


def test_a_header_goes_with_its_blank_line_where_words_say_so() -> None:
    text = "// Types for clock 1.0\n// By: nobody\n\nexport interface Clock {\n    time: number;\n}\n"
    prose = "I'm dropping the header comment and loosening `time`:"
    snippet = Snippet(("export interface Clock {", "    time: number | undefined;", "}"), prose=prose)
    message = f"{prose}\n\n```ts\n" + "\n".join(snippet.lines) + "\n```\n"
    best = readings_of(lines_of(text), [snippet], "typescript", message, outline(text, "typescript"))[0]
    assert best.lines == ("export interface Clock {", "    time: number | undefined;", "}")
