"""Folded originals: what stays, what changes become, and that large files are read as small ones are, in time."""

from __future__ import annotations

import random
import time

import pytest

from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.reading import Reading
from fastedit.anchor.lazy.readings import readings_of
from fastedit.anchor.lazy.search import grid
from fastedit.anchor.lazy.search.fold import GAP, MIN_LINES, fold_of, outline_after
from fastedit.anchor.lazy.search.grid import Clock
from fastedit.edits.model import Snippet
from fastedit.errors import Code, InputRefused
from fastedit.syntax import outline

WORDS = "amber basalt cedar delta ember fjord garnet harbor indigo jasper kelp lagoon meadow nectar onyx pebble".split()


def made_up(num_classes: int, seed: int = 7) -> list[str]:
    """A module of classes with methods of several lines; about 34 lines a class."""
    rng = random.Random(seed)
    lines = ['"""Shelves."""', "", "import json", "import logging", "", ""]
    for number in range(num_classes):
        lines += [f"class Shelf{number}:", f'    """Keeps {rng.choice(WORDS)}."""', "", f"    limit = {number * 3}", ""]
        for verb in ("take", "give", "count", "clear"):
            first, second = rng.sample(WORDS, 2)
            lines += [
                f"    def {verb}_{number}(self, {first}):",
                f"        found = self.{second}_{number}.get({first})",
                "        if found is None:",
                "            return None",
                f"        self.log('{first} {verb} {number}', found)",
                f"        return found.{verb}_{number}",
                "",
            ]
        lines.append("")
    return lines


def read(lines: list[str], shown: list[str], *, is_folded: bool, monkeypatch: pytest.MonkeyPatch) -> list[Reading]:
    found = outline("\n".join(lines) + "\n", "python")
    with monkeypatch.context() as patch:
        if not is_folded:
            patch.setattr("fastedit.anchor.lazy.parts.MIN_LINES", len(lines) + 1)
        return readings_of(lines, [Snippet(tuple(shown))], "python", "", found)


def local_edit(lines: list[str], rng: random.Random) -> tuple[list[str], list[str]]:
    """A snippet that changes one method, or adds a line to it, and the lines it should give."""
    starts = [n for n, line in enumerate(lines) if line.startswith("    def ")]
    at = rng.choice(starts)
    method = lines[at : at + 6]
    header = next(n for n in range(at, -1, -1) if lines[n].startswith("class "))
    log = method[4].replace(", found)", ", found, self)")
    written = method[:4] + ([log] if rng.random() < 0.5 else [method[4], "        self.dirty = True"]) + method[5:]
    shown = [lines[header], "    # ... existing code ...", "", *written, "", "    # ... existing code ..."]
    return shown, [*lines[:at], *written, *lines[at + 6 :]]


@pytest.mark.parametrize("seed", range(6))
def test_a_local_edit_is_read_as_in_the_whole_file(seed: int, monkeypatch: pytest.MonkeyPatch):
    lines = made_up(50, seed)
    assert len(lines) > MIN_LINES
    shown, expected = local_edit(lines, random.Random(seed))
    folded = read(lines, shown, is_folded=True, monkeypatch=monkeypatch)
    whole = read(lines, shown, is_folded=False, monkeypatch=monkeypatch)
    assert folded[0].parts[0].grid.num_lines < len(lines) / 2
    assert folded[0].lines == whole[0].lines == tuple(expected)


@pytest.mark.parametrize("seed", range(6))
def test_every_line_outside_of_the_changes_stays(seed: int, monkeypatch: pytest.MonkeyPatch):
    lines = made_up(60, seed)
    shown, _ = local_edit(lines, random.Random(seed + 100))
    for reading in read(lines, shown, is_folded=True, monkeypatch=monkeypatch):
        assert not any(GAP in line for line in reading.lines)
        changes = reading.changes(lines)
        assert sum(end - start for start, end, _ in changes) < 100
        result: list[str] = []
        at = 0
        for start, end, new in changes:
            result += [*lines[at:start], *new]
            at = end
        assert (*result, *lines[at:]) == reading.lines


def test_a_fold_keeps_the_places_of_the_snippets_lines():
    lines = made_up(80)
    at = next(line for line, text in enumerate(lines) if "def give_40(" in text)
    found = outline("\n".join(lines), "python")
    fold = fold_of(Lines(lines), [lines[at], "        # ...", lines[at + 4]], found)
    assert fold is not None
    assert len(fold.lines) < len(lines) / 3
    assert "class Shelf40:" in fold.lines.texts
    assert lines[at] in fold.lines.texts
    assert fold.starts[-1] == len(lines)
    for line, text in enumerate(fold.lines.texts):
        if line in fold.gaps:
            assert GAP in text
            assert fold.starts[line + 1] - fold.starts[line] == fold.gaps[line]
        else:
            assert text == lines[fold.starts[line]]
    for one in fold.outline.declarations:
        assert 0 <= one.start_line <= one.header_line < one.end_line <= len(fold.lines)
        assert one.parent < fold.outline.declarations.index(one)


def test_changes_of_folded_lines_are_those_of_the_whole():
    lines = made_up(80)
    fold = fold_of(Lines(lines), ["class Shelf70:"], outline("\n".join(lines), "python"))
    assert fold is not None
    at = fold.lines.texts.index("class Shelf70:")
    gap = next(iter(fold.gaps))
    full = lines.index("class Shelf70:")
    assert fold.unfolded([(at, at + 1, ["x"])]) == [(full, full + 1, ["x"])]
    assert fold.unfolded([(gap, gap + 1, [])]) is None
    assert fold.unfolded([(at, at, [fold.lines.texts[gap]])]) is None
    # Before a gap and behind it are two places.
    assert fold.unfolded([(gap, gap, ["x"]), (gap + 1, gap + 1, ["y"])]) == [
        (fold.starts[gap], fold.starts[gap], ["x"]),
        (fold.starts[gap + 1], fold.starts[gap + 1], ["y"]),
    ]


def test_small_originals_are_not_folded():
    lines = made_up(20)
    assert len(lines) <= MIN_LINES
    found = outline("\n".join(lines), "python")
    readings = readings_of(lines, [Snippet(("class Shelf7:", "    limit = 5"))], "python", "", found)
    assert readings[0].parts[0].grid.fold is None


def test_equal_lines_are_kept_where_most_of_the_others_are():
    lines = made_up(60)
    shown = ["class Shelf33:", "        if found is None:", "            return None"]
    fold = fold_of(Lines(lines), shown, outline("\n".join(lines), "python"))
    assert fold is not None
    assert len(fold.lines) < 400
    assert "class Shelf33:" in fold.lines.texts


def test_two_snippets_are_both_read_in_a_large_file():
    lines = made_up(60)
    first, second = (lines.index(f"    limit = {number * 3}") for number in (10, 50))
    found = outline("\n".join(lines), "python")
    snippets = [
        Snippet(("class Shelf10:", "    # ...", "    limit = 1000", "    # ...")),
        Snippet(("class Shelf50:", "    # ...", "    limit = 2000", "    # ...")),
    ]
    expected = list(lines)
    expected[first], expected[second] = "    limit = 1000", "    limit = 2000"
    assert readings_of(lines, snippets, "python", "", found)[0].lines == tuple(expected)


def test_an_outline_follows_its_lines():
    lines = made_up(3)
    found = outline("\n".join(lines), "python")
    origins = [None, None, *range(len(lines))]
    moved = outline_after(found, origins, len(lines))
    assert [(one.name, one.start_line, one.end_line) for one in moved.declarations] == [
        (one.name, one.start_line + 2, one.end_line + 2) for one in found.declarations
    ]
    gone = next(one for one in found.declarations if one.name == "Shelf1")
    kept = [line for line in range(len(lines)) if not gone.start_line <= line < gone.end_line]
    assert "Shelf1" not in {one.name for one in outline_after(found, kept, len(lines)).declarations}


def test_too_many_cells_are_refused():
    Clock.check_size(1000, 1000)
    with pytest.raises(InputRefused) as refused:
        Clock.check_size(5000, 5001)
    assert refused.value.code is Code.TOO_LARGE
    assert "5000" in refused.value.message
    assert "5001" in refused.value.message


def test_what_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(grid, "MAX_SECONDS", -1.0)
    lines = made_up(3)
    snippets = [Snippet(("class Shelf1:", "    limit = 5"))]
    with pytest.raises(InputRefused) as refused:
        readings_of(lines, snippets, "python", "", outline("\n".join(lines), "python"))
    assert refused.value.code is Code.TOO_LARGE


def seconds(lines: list[str], shown: list[str]) -> float:
    """Processor time of reading a snippet, for which a busy machine matters little."""
    found = outline("\n".join(lines), "python")
    started = time.process_time()
    try:
        readings_of(lines, [Snippet(tuple(shown))], "python", "", found)
    except InputRefused as refused:
        assert refused.code is Code.TOO_LARGE
    return time.process_time() - started


def test_a_large_file_takes_little_longer_than_a_small_one():
    small, large = made_up(30), made_up(600)
    shown = ["class Shelf20:", "    # ...", "    limit = 1000", "    # ..."]
    seconds(small, shown)
    assert seconds(large, shown) < 40 * seconds(small, shown) + 1


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        (["x = 1"] * 4000, ["x = 1"] * 40 + ["y = 2"]),
        (made_up(600), [f"new_{number} = other({number})" for number in range(1000)]),
        ([" " * depth + "if x:" for depth in range(1500)], ["if x:", "    y()"]),
        (made_up(3), ["# ...", "import json"] * 400),
    ],
    ids=["equal lines", "unmatched lines", "deep blocks", "markers"],
)
def test_odd_texts_are_read_in_bounded_time(lines: list[str], shown: list[str]):
    assert seconds(lines, shown) < 2 * grid.MAX_SECONDS


def test_of_places_that_are_equally_good_those_of_the_words_shown_first_stay() -> None:
    lines = [f"value_{number} = {number}" for number in range(3000)]
    for number, word in enumerate(WORDS):
        lines[100 + number * 150] = f"use({word})"
    fold = fold_of(Lines(lines), [f"call({', '.join(WORDS)})"], outline("\n".join(lines), "python"))
    assert fold is not None
    assert [word for word in WORDS if f"use({word})" in fold.lines.texts] == WORDS[:6]
