"""Parse errors of texts that hold code in other languages: the scripts of pages and components, samples between fences.

The grammar of a page takes a script for plain text, so a lost bracket in it is no error of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fastedit.syntax.languages import language_of_tag
from fastedit.syntax.parse import ErrorCounter, count_errors

Change = tuple[int, int, Sequence[str]]
PAGES = frozenset({"html", "vue", "svelte"})
FENCED = frozenset({"markdown"})
_OPENING = re.compile(r"\s*<script\b(?P<attributes>[^>]*)>\s*$")
_CLOSING = re.compile(r"\s*</script\s*>")
_LANGUAGE = re.compile(r"\b(?:lang|type)\s*=\s*[\"']?(?:text/|application/)?(?P<name>[\w-]+)")
_FENCE = re.compile(r"(?P<margin>\s*)(?P<sign>`{3,}|~{3,})\s*(?P<name>[\w+#-]*)[^`]*$")
_SCRIPTS = {"": "javascript", "javascript": "javascript", "module": "javascript", "ts": "typescript", "tsx": "tsx"}
_SAMPLES = frozenset("json python javascript typescript tsx".split())


def embedded_in(lines: Sequence[str], language: str) -> Iterator[tuple[int, int, str]]:
    """Yields the lines [start, end) of each part in another language that can be parsed, and that language."""
    if language in PAGES:
        yield from _scripts(lines)
    elif language in FENCED:
        yield from _samples(lines)


def _scripts(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    start, language = 0, ""
    for line, text in enumerate(lines):
        if start and _CLOSING.match(text):
            if language:
                yield start, line, language
            start = 0
        elif not start and (found := _OPENING.match(text)):
            named = _LANGUAGE.search(found["attributes"])
            start, language = line + 1, _SCRIPTS.get(named["name"].lower() if named else "", "")


def _samples(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    opened: re.Match[str] | None = None
    start = 0
    for line, text in enumerate(lines):
        found = _FENCE.match(text)
        if found is None:
            continue
        if opened is None:
            opened, start = found, line + 1
        elif found["sign"].startswith(opened["sign"]) and not found["name"]:
            language = language_of_tag(opened["name"].lower()) or ""
            if language in _SAMPLES and not opened["margin"]:
                yield start, line, language
            opened = None


class PageErrors:
    """Counts the parse errors of a text's variants, those in its embedded parts too; see `ErrorCounter`.

    Only parts without any errors are counted: of others nobody can tell what an error would mean.
    """

    def __init__(self, lines: Sequence[str], language: str) -> None:
        self._lines = list(lines)
        self._language = language
        self._whole = ErrorCounter(lines, language)
        counted = (
            (start, end, ErrorCounter(lines[start:end], name)) for start, end, name in embedded_in(lines, language)
        )
        self._parts = [part for part in counted if part[2].count == 0]
        self.count = self._whole.count if self._whole.count is not None or not self._parts else 0

    def after(self, changes: Sequence[Change]) -> int | None:
        """The errors once lines [start, end) have become others, for each change; they ascend and don't overlap."""
        num_errors = self._whole.after(changes)
        if not self._parts:
            return num_errors
        return (num_errors or 0) + self._embedded_after(changes)

    def _embedded_after(self, changes: Sequence[Change]) -> int:
        total = 0
        for start, end, counter in self._parts:
            mine = [one for one in changes if start <= one[0] and one[1] <= end]
            if any(one[0] < end and start < one[1] and one not in mine for one in changes) or _moves_edge(mine):
                return self._read_anew(changes)
            if mine:
                total += counter.after([(first - start, last - start, new) for first, last, new in mine]) or 0
        return total

    def _read_anew(self, changes: Sequence[Change]) -> int:
        """The errors in all parts of the changed text."""
        lines = list(self._lines)
        for start, end, new in reversed(changes):
            lines[start:end] = new
        parts = embedded_in(lines, self._language)
        return sum(count_errors("\n".join(lines[start:end]) + "\n", name) or 0 for start, end, name in parts)


def _moves_edge(changes: Sequence[Change]) -> bool:
    """Whether new lines may begin or end a part."""
    return any(
        _OPENING.match(line) or _CLOSING.match(line) or _FENCE.match(line) for *_, new in changes for line in new
    )
