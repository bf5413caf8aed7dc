"""Edits altered in ways that their answer doesn't depend on."""

from __future__ import annotations

import random
from dataclasses import replace

from fastedit.lines import changed_lines
from fastedit.training.alignment.altered import Blocks, altered, blocks_of
from fastedit.training.alignment.cases import Case, Laid, laid

FILE = """\
import os

LIMIT = 3


def load(path):
    with open(path) as file:
        return file.read()


def save(path, text):
    check(path)
    with open(path, "w") as file:
        file.write(text)
    return True


class Store:
    def first(self):
        return self.items[0]

    def last(self):
        return self.items[-1]


def main():
    print(load("x"))
"""
RESULT = FILE.replace("    check(path)\n", "    check(path, text)\n    log(path)\n")
SHOWN = '# ...\ndef save(path, text):\n    check(path, text)\n    log(path)\n    with open(path, "w") as file:\n# ...'
FOREIGN = blocks_of([("python", "def other(value):\n    return value\n\n\nx = 1\n".split("\n"))])


def edit(shown: str = SHOWN, result: str = RESULT, prose: str = "Logs it.") -> Laid:
    found = laid(Case("one", "one", "store.py", FILE, f"{prose}\n\n```python\n{shown}\n```\n", result))
    assert found is not None
    return found


def variants(given: Laid, prose: str = "Logs it.", blocks: Blocks = FOREIGN, count: int = 60) -> list[Laid]:
    found = (altered(given, prose, blocks, random.Random(seed)) for seed in range(count))
    return [one for one in found if one is not None]


def changes(given: Laid) -> list[tuple[tuple[str, ...], list[str]]]:
    assert given.goal is not None
    return [(given.lines[start:end], new) for start, end, new in changed_lines(given.lines, given.goal)]


def test_what_changes_stays_the_same() -> None:
    given = edit()
    found = variants(given)
    assert len({(one.lines, one.snippets) for one in found}) > 20
    assert all(changes(one) == changes(given) for one in found)
    assert any(len(one.lines) < len(given.lines) for one in found)
    assert any("def other(value):" in one.lines for one in found)


def test_the_outline_is_the_altered_files() -> None:
    names = [{one.name for one in found.found.declarations} for found in variants(edit())]
    assert all("save" in theirs for theirs in names)
    assert any("main" not in theirs or "load" not in theirs or "Store" not in theirs for theirs in names)


def test_what_the_words_name_is_left_alone() -> None:
    found = variants(edit(), "Logs it, unlike `load`; see `Store` and `main`.", {})
    assert all({"def load(path):", "class Store:"} <= set(one.lines) for one in found)


def test_a_snippet_shows_more_or_fewer_neighbours() -> None:
    shown = SHOWN.replace("# ...\ndef", "def").replace("# ...", "        file.write(text)")
    snippets = {one.snippets[0].lines for one in variants(edit(shown), count=200)}
    ends = {lines[-1].strip() for lines in snippets}
    assert {'with open(path, "w") as file:', "file.write(text)", "return True"} <= ends
    # The header is the only line above the change: without it nothing tells where that is.
    assert all(any("def save" in line for line in lines) for lines in snippets)


def test_markers_at_the_ends_and_columns_may_go() -> None:
    snippets = [one.snippets[0].lines for one in variants(edit(), count=200)]
    assert any("..." not in "".join(lines) for lines in snippets)
    assert any(lines[0].startswith("  ") for lines in snippets)


def test_a_snippet_with_tabs_isnt_moved() -> None:
    given = edit()
    tabbed = replace(given.snippets[0], lines=(*given.snippets[0].lines, "\tx = 1"))
    found = variants(replace(given, snippets=(tabbed,)))
    assert all(line.startswith("def save") for one in found for line in one.snippets[0].lines if "def save" in line)
