"""Prompts whose lines have marks (`targets.marks`): their texts, and a merged text with the marks that they have."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from fastedit.targets.marks import FIRST, NUM_LINES, NUM_MARKS, LineMarks, end_mark, without_marks
from fastedit.vllm.prompts import SPECIAL

_START = f"{chr(FIRST)}-{chr(FIRST + NUM_LINES - 1)}"
_END = f"{chr(FIRST + NUM_LINES)}-{chr(FIRST + NUM_MARKS - 1)}"
_LINE = re.compile(f"([{_START}]{{1,2}})([^{_START}{_END}]*)[{_END}]")


@dataclass(frozen=True, slots=True)
class MarkedPrompt:
    """A prompt's texts without marks, and what its marks are.

    edit: with words for what it elides. instruction: what stands before the edit's first line. marks: those that the
    prompt has before a line of the edit, by those that `LineMarks` would put there.
    """

    original: str
    edit: str
    instruction: str
    line_marks: LineMarks
    marks: Mapping[str, str]

    @classmethod
    def read(cls, original: str, edit: str, elided: str) -> MarkedPrompt:
        """The prompt whose original and edit are given, as the prompt has them.

        elided: the words for each special token in the edit.
        """
        first = _LINE.search(original)
        start = _first_of(edit)
        instruction, edit = edit[:start], SPECIAL.sub(elided, edit[start:])
        plain, plain_edit = without_marks(original), without_marks(edit)
        elisions = tuple(_lines_that_are(elided, plain_edit))
        number = ord(first[1][0]) - FIRST - 1 if first else 0
        lines = LineMarks(plain, plain_edit, elisions, first=number)
        ours, theirs = _LINE.findall(lines.marked_edit[0]), _LINE.findall(edit)
        marks = {mine[0]: other[0] for mine, other in zip(ours, theirs, strict=False)}
        return cls(plain, plain_edit, instruction, lines, marks)

    def marked_text(self, text: str) -> str:
        """The text as a target would mark it that was shown this prompt."""
        return _LINE.sub(self._marked_line, self.line_marks.marked_text(text))

    def _marked_line(self, line: re.Match[str]) -> str:
        marks = self.marks.get(line[1], line[1])
        return marks + line[2] + end_mark(marks[0])


def _first_of(edit: str) -> int:
    """Offset of the edit's first line or elision."""
    found = [match.start() for pattern in (_LINE, SPECIAL) if (match := pattern.search(edit))]
    return min(found, default=0)


def _lines_that_are(elided: str, text: str) -> list[tuple[int, int]]:
    """(start, end) of each line of the text that is `elided`."""
    return [(found.start(), found.end()) for found in re.finditer(f"^{re.escape(elided)}$", text, re.MULTILINE)]
