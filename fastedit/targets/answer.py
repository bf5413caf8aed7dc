"""Takes the new file out of a target's output: what stands between the template's tags, and nothing else."""

from __future__ import annotations

import re

from fastedit.errors import Code, ResultRefused
from fastedit.targets.marks import without_marks
from fastedit.targets.templates import PromptTemplate

FENCED = re.compile(r"\A\s*(?P<fence>`{3,}|~{3,})[^\n`]*\n(?P<body>.*?)^(?P=fence)\s*\Z", re.DOTALL | re.MULTILINE)


def extract_answer(output: str, template: PromptTemplate, original: str) -> str:
    """The new file that `output` holds.

    Prose around the tags, a fence around everything, and a newline that only sets off the tags are taken away.
    ResultRefused(TRUNCATION_DETECTED) where the opening or the closing tag is missing: half an answer is none.
    """
    answer = _between_tags(without_marks(output) if template.has_marks else output, template)
    if not _FENCE_START.match(original):
        fenced = FENCED.match(answer)
        answer = fenced["body"] if fenced else answer
    return _without_offset_newlines(answer, template, original)


_FENCE_START = re.compile(r"\A\s*(```|~~~)")
_MAY_BECOME_FENCE = re.compile(r"\A\s*(`{0,2}\Z|~{0,2}\Z|```|~~~)")


def _between_tags(output: str, template: PromptTemplate) -> str:
    opening, closing = template.answer_open.strip(), template.answer_close.strip()
    start = output.find(opening)
    # The last closing tag: the file may hold such tags itself.
    end = output.rfind(closing) if closing else len(output)
    if start < 0 or end < start + len(opening):
        missing = opening if start < 0 else closing
        raise ResultRefused(Code.TRUNCATION_DETECTED, f"The target's answer has no {missing}.")
    return output[start + len(opening) : end]


def _without_offset_newlines(answer: str, template: PromptTemplate, original: str) -> str:
    """The answer without a newline right inside the tags that the original doesn't have there."""
    if template.answer_open and answer.startswith("\n") and not original.startswith("\n"):
        answer = answer[1:]
    if template.answer_close and answer.endswith("\n") and original and not original.endswith("\n"):
        answer = answer[:-1]
    return answer


class AnswerStream:
    """Gives the new file out as the output comes in, holding back whatever `extract_answer` may take away."""

    def __init__(self, template: PromptTemplate, original: str) -> None:
        self._has_marks = template.has_marks
        self._opening = template.answer_open.strip()
        self._closing = template.answer_close.strip()
        self._may_be_fenced = not _FENCE_START.match(original)
        self._drops_first_newline = bool(template.answer_open) and not original.startswith("\n")
        self._drops_last_newline = bool(template.answer_close) and bool(original) and not original.endswith("\n")
        self._held = ""
        self._is_open = not self._opening
        self._is_begun = False

    def feed(self, text: str) -> str:
        """Takes more of the output in, and gives the text of the new file that is certain to come next."""
        self._held += without_marks(text) if self._has_marks else text
        if not self._is_open:
            start = self._held.find(self._opening)
            if start < 0:
                return ""
            self._held = self._held[start + len(self._opening) :]
            self._is_open = True
        if not self._is_begun and not self._begin():
            return ""
        keep = self._num_held_back()
        given, self._held = self._held[: len(self._held) - keep], self._held[len(self._held) - keep :]
        return given

    def _begin(self) -> bool:
        """Whether anything may be given out: not as long as a fence or a newline in front may have to go."""
        if self._may_be_fenced and _MAY_BECOME_FENCE.match(self._held):
            return False
        if not self._held:
            return False
        if self._drops_first_newline:
            self._held = self._held.removeprefix("\n")
        self._is_begun = True
        return True

    def _num_held_back(self) -> int:
        """The length from the last closing tag on, or of what may become one, and of a newline before it."""
        end = len(self._held) - self._num_closing()
        if self._drops_last_newline and self._held[:end].endswith("\n"):
            end -= 1
        return len(self._held) - end

    def _num_closing(self) -> int:
        if not self._closing:
            return 0
        found = self._held.rfind(self._closing)
        if found >= 0:
            return len(self._held) - found
        longest = min(len(self._closing) - 1, len(self._held))
        return next((n for n in range(longest, 0, -1) if self._closing.startswith(self._held[-n:])), 0)
