"""The new file out of a target's output: what stands between the template's tags, and nothing else."""

from __future__ import annotations

import re

from fastedit.errors import Code, ResultRefused
from fastedit.targets.templates import PromptTemplate

FENCED = re.compile(r"\A\s*(?P<fence>`{3,}|~{3,})[^\n`]*\n(?P<body>.*?)^(?P=fence)\s*\Z", re.DOTALL | re.MULTILINE)


def extract_answer(output: str, template: PromptTemplate, original: str) -> str:
    """The new file that `output` holds.

    Prose around the tags, a fence around everything, and a newline that only sets off the tags are taken away.
    ResultRefused(TRUNCATION_DETECTED) where the opening or the closing tag is missing: half an answer is none.
    """
    answer = _between_tags(output, template)
    if not _FENCE_START.match(original):
        fenced = FENCED.match(answer)
        answer = fenced["body"] if fenced else answer
    return _without_offset_newlines(answer, template, original)


_FENCE_START = re.compile(r"\A\s*(```|~~~)")


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
    """Gives the new file out as the output comes in, holding back what may still turn out to be a tag.

    Fences aren't taken away here: the final text is `extract_answer`'s.
    """

    def __init__(self, template: PromptTemplate) -> None:
        self._opening = template.answer_open
        self._closing = template.answer_close
        self._held = ""
        self._is_open = not self._opening

    def feed(self, text: str) -> str:
        """What of the new file is certain to follow what was given out before."""
        self._held += text
        if not self._is_open:
            start = self._held.find(self._opening)
            if start < 0:
                return ""
            self._held = self._held[start + len(self._opening) :]
            self._is_open = True
        keep = self._num_held_back()
        given, self._held = self._held[: len(self._held) - keep], self._held[len(self._held) - keep :]
        return given

    def _num_held_back(self) -> int:
        """The length from the last closing tag on, or of what may become one."""
        if not self._closing:
            return 0
        found = self._held.rfind(self._closing)
        if found >= 0:
            return len(self._held) - found
        longest = min(len(self._closing) - 1, len(self._held))
        return next((n for n in range(longest, 0, -1) if self._closing.startswith(self._held[-n:])), 0)
