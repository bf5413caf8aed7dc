"""What lines open and close, and the search for results in which both go together."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastedit.anchor.lazy.features import FEATURES
from fastedit.anchor.lazy.identity import opens
from fastedit.anchor.lazy.readings import readings_of
from fastedit.anchor.lazy.search.paths import num_opened, plan_of
from fastedit.anchor.lazy.search.search import Search
from fastedit.edits.model import Snippet
from fastedit.syntax import outline
from support.aligning import grid_of, lines_of
from support.examples import examples

LINES = st.sampled_from(
    ["call(", "    x,", ")", "f(x)", "for (a of b) {", "    g({", "    })", "}", "{", "", "// ...", "}}"]
)
TEXTS = st.lists(LINES, max_size=9)


@pytest.mark.parametrize(
    ("text", "language", "count"),
    [
        ("load(a, {", "javascript", 2),
        ("}, [])", "javascript", -2),
        ('print("(" + f(x))', "python", 0),
        ("call('(', `{`)", "javascript", 0),
        ("// as in f(", "javascript", 0),
        ("f(x); // as in g(", "javascript", 0),
        ("#if defined(A)", "c", 1),
        ("#endif  // A", "c", -1),
        ("# if so (", "python", 0),
        ("def load(path)", "ruby", 1),
        ("items.each do |one|", "ruby", 1),
        ("return if items.empty?", "ruby", 0),
        ("end", "ruby", -1),
        ("", "c", 0),
    ],
)
def test_what_a_line_opens(text: str, language: str, count: int) -> None:
    assert opens(text, language) == count


@examples(60)
@given(TEXTS, TEXTS, st.integers(0, 10_000), st.sampled_from((-1.5, 0.5, 2.0)))
def test_a_tilted_search_pays_for_what_a_path_opens(
    original: list[str], edit: list[str], seed: int, tilt: float
) -> None:
    chance = random.Random(seed)
    grid = grid_of("\n".join(original), "\n".join(edit))
    search = Search(grid, {name: chance.uniform(-2, 2) for name in FEATURES}, tilt=tilt)
    for path in search.best(12, beam=30):
        plan = plan_of(path, grid)
        if plan is not None:
            paid = path.score - float(search.features(path) @ search.weights)
            assert paid == pytest.approx(tilt * num_opened(grid, plan), abs=1e-2)


WALK = """\
function walk(items, visit) {
  for (const item of items) {
    if (item.items) {
      walk(item.items, visit);
    }
    visit(item);
  }
}
"""


def test_a_reading_that_closes_what_it_opens_is_found() -> None:
    shown = "  for (const item of items) {\n    if (!item.items) {\n      visit(item);\n      continue;\n    }"
    found = outline(WALK, "javascript")
    readings = readings_of(lines_of(WALK), [Snippet(tuple(shown.split("\n")))], "javascript", "", found)
    texts = ["\n".join(reading.lines) for reading in readings]
    assert any(text.count("{") == text.count("}") for text in texts)
