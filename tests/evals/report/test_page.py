"""The page: everything that was given stands in it, as text, and it needs nothing beside it."""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from evals.report import plots
from evals.report.page import Figure, Listing, Plot, ReportError, Section, Table, render, shown

VOID = {"meta", "link", "br", "path", "use", "img", "rect", "circle", "line"}


class Balanced(HTMLParser):
    """Notes the tags that are open, and everything that would be loaded."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.loaded += [value for name, value in attrs if name in ("src", "href") and value and value[0] != "#"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


def section() -> Section:
    drawing = plots.bars(["a", "b"], {"one": [1.0, 2.0], "two": [3.0, 4.0]}, label="count")
    return Section(
        "Speed & more", "speed", "An <intro>.", [Figure("ratio", "3.2", "times faster")],
        [Table("Rows", ("name", "ms"), [("<x>", 1234.5), ("y", None)]), Plot("Drawn", drawing, "a note"),
         Listing("A diff", "-old <b>\n+new"), Table("Folded", ("n",), [(1,)], is_folded=True)],
        "python -m evals.speed", {"processor": "two cores"},
    )  # fmt: skip


def test_a_page_is_whole_and_loads_nothing() -> None:
    page = render("Results", [section()])
    reader = Balanced()
    reader.feed(page)
    assert reader.open == []
    assert reader.loaded == []
    assert "<script" not in page


def test_all_of_a_section_is_shown_as_text() -> None:
    page = render("Results", [section()])
    for text in ("Speed &amp; more", "An &lt;intro&gt;.", "ratio", "3.2", "times faster", "&lt;x&gt;", "1,234", "–",
                 "a note", "-old &lt;b&gt;\n+new", "python -m evals.speed", "two cores"):  # fmt: skip
        assert text in page
    assert page.count("<details>") == 2
    assert '<td class="n">1,234</td>' in page


@pytest.mark.parametrize(
    ("cell", "text"),
    [(None, "–"), (0.123456, "0.123"), (12.3456, "12.3"), (98765.4, "98,765"), (1234567, "1,234,567"), ("1.5", "1.5")],
)
def test_cells_show_three_digits(cell: str | float | None, text: str) -> None:
    assert shown(cell) == text


def test_charts_are_the_same_for_the_same_numbers() -> None:
    series = {"x": [(1.0, 2.0), (2.0, 3.0)], "y": [(1.0, 1.0), (2.0, 9.0)]}
    for draw in (plots.lines, plots.points):
        first, again = (draw(series, x_label="a", y_label="b", is_log=True) for _ in range(2))
        assert first == again
        assert first.startswith("<svg")
        assert first.endswith("</svg>")
        assert not re.search(r"<\?xml|<!DOCTYPE|<metadata", first)
    stacked = plots.bars(["a"], {"one": [1.0], "two": [2.0]}, label="n", is_stacked=True)
    assert stacked != plots.bars(["a"], {"one": [1.0], "two": [2.0]}, label="n")


@pytest.mark.parametrize(("package", "work"), [
    ("jinja2", lambda: render("Results", [])),
    ("matplotlib.figure", lambda: plots.bars(["a"], {"one": [1.0]}, label="n")),
])  # fmt: skip
def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, package: str, work: object) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    assert callable(work)
    with pytest.raises(ReportError, match=package.partition(".")[0]):
        work()


def test_templates_lie_beside_the_code() -> None:
    from evals.report import page

    assert (page.TEMPLATES / page.TEMPLATE).is_file()
    assert Path(page.__file__).parent == page.TEMPLATES
