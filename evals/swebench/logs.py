"""What test runners print, read: the name of each test and what became of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import StrEnum

_PYTEST_LINE = re.compile(r"^(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\s+(\S.*?)\s*$", re.MULTILINE)
_PYTEST_SUMMARY = re.compile(r"^=+ short test summary info =+$", re.MULTILINE)
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")

_UNITTEST_START = re.compile(r"^(\w+ \([\w.<>]*\))(?: \.\.\. ?(.*))?$")
_UNITTEST_END = re.compile(
    r"(?:^|\.\.\. )(ok|FAIL|ERROR|expected failure|unexpected success|skipped\b.*)$", re.IGNORECASE
)
_UNITTEST_GLUED = re.compile(r"(ok)$")  # behind what a test has printed without a line end
_UNITTEST_PROBLEM = re.compile(r"^(?:FAIL|ERROR): (\w+ \([\w.<>]*\))", re.MULTILINE)
_BARE_LINE = re.compile(r"^(\w+) +(ok|[fF]|E|s|X)(?: *\[.*\])?$", re.MULTILINE)


class Status(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


_WORDS = {
    "passed": Status.PASSED,
    "xfail": Status.PASSED,
    "ok": Status.PASSED,
    "expected failure": Status.PASSED,
    "x": Status.PASSED,
    "skipped": Status.SKIPPED,
    "s": Status.SKIPPED,
}  # everything else has failed


def _status(word: str) -> Status:
    return _WORDS.get("skipped" if word.lower().startswith("skipped") else word.lower(), Status.FAILED)


def _read_pytest(text: str) -> dict[str, Status]:
    """The lines of `-rA`. Names are also known by their first word, as SWE-bench has them: passed where all have."""
    text = _ANSI.sub("", text)
    summaries = list(_PYTEST_SUMMARY.finditer(text))
    found: dict[str, Status] = {}
    for match in _PYTEST_LINE.finditer(text, summaries[-1].end() if summaries else 0):
        word, rest = match.groups()
        name = rest if word in ("PASSED", "XPASS") else rest.split(" - ")[0]
        status = _status(word)
        found[name] = status
        first = name.split()[0]
        if first != name and found.get(first) is not Status.FAILED:
            found[first] = status
    return found


def _read_unittest(text: str) -> dict[str, Status]:
    """The lines of `-v`, also where a test prints between its name and its end, or shows its docstring."""
    found: dict[str, Status] = {}
    pending = ""
    lines = _ANSI.sub("", text).split("\n")
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        start = _UNITTEST_START.match(line)
        if start:
            pending = start.group(1)
            if start.group(2) is None:
                continue  # the docstring comes on the next line
        end = _UNITTEST_END.search(line)
        if end is None and (not following or _UNITTEST_START.match(following)):
            end = _UNITTEST_GLUED.search(line)
        if pending and end:
            found[pending] = _status(end.group(1))
            pending = ""
    for match in _UNITTEST_PROBLEM.finditer(text):
        found[match.group(1)] = Status.FAILED
    return found


def _read_bare(text: str) -> dict[str, Status]:
    """`test_name ok`, as sympy's own runner prints it."""
    return {name: _status(word) for name, word in _BARE_LINE.findall(_ANSI.sub("", text))}


READERS: dict[str, Callable[[str], dict[str, Status]]] = {
    "pytest": _read_pytest,
    "unittest": _read_unittest,
    "bare": _read_bare,
}


def not_passed(names: tuple[str, ...], found: Mapping[str, Status]) -> list[str]:
    """Those of the named tests that did not pass, or are not in the log at all."""
    return [name for name in names if found.get(name) is not Status.PASSED]
