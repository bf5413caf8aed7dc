"""What words say of a piece of a line: as it is to be, the value of a key, or that it goes."""

from __future__ import annotations

import numpy as np
import pytest

from fastedit.anchor.hints import Hints, hints_of
from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.proposals.cut import without_part
from fastedit.anchor.lazy.proposals.finder import proposals_for
from fastedit.anchor.lazy.proposals.proposals import combinations
from fastedit.anchor.lazy.proposals.reworded import Rewording, spoken_changes
from fastedit.anchor.lazy.proposals.values import with_value
from fastedit.anchor.lazy.result.message import shown_of
from fastedit.anchor.lazy.words.repeated import declared_in
from fastedit.syntax import outline
from support.aligning import lines_of

PAIR = """\
class Pair:
    def first(self):
        return bool(self.items & [a.old, a.new])

    def second(self):
        return bool(self.others & [a.old, a.new])
"""


def changes(prose: str, original: str, language: str = "python") -> list[Rewording]:
    shown = shown_of([], hints_of(prose), prose)
    return spoken_changes(shown, Lines(lines_of(original)), declared_in(outline(original, language)))


def made(prose: str, original: str) -> list[tuple[tuple[int, str], ...]]:
    """The lines that become others, in each way to follow the words."""
    return [one.lines for one in changes(prose, original)]


# ---- a piece as it is to be ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("quote", "line", "result"),
    [
        ("`is_of(x, (Old, New))`", "if x and not is_of(x, Old):", "if x and not is_of(x, (Old, New)):"),
        ("`https://b.example/new/x?y=1`", "[![a](https://b.example/x)](https://c.example/d)",
         "[![a](https://b.example/new/x?y=1)](https://c.example/d)"),
        ('"Runs on Windows"', 'echo "Run on Windows" >&2', 'echo "Runs on Windows" >&2'),
    ],
)  # fmt: skip
def test_a_quote_is_a_piece_of_a_line(quote: str, line: str, result: str) -> None:
    found = [one for one in changes(f"The check now says {quote}.", f"a = 1\n{line}\n") if one.rank]
    assert [one.lines for one in found] == [((1, result),)]
    assert found[0].values["line_like"] > 0.6


def test_a_piece_changes_in_all_that_the_words_name() -> None:
    both = "In `first` and `second`, `& [a.new]` is enough."
    assert (
        (2, "        return bool(self.items & [a.new])"),
        (5, "        return bool(self.others & [a.new])"),
    ) in made(both, PAIR)


def test_a_line_changes_in_all_that_the_words_name() -> None:
    original = (
        "def a(\n    size: Union[int, str] = None,\n):\n    pass\n\n\ndef b(\n    size: int = None,\n):\n    pass\n"
    )
    both = "`size: Size = None` in `a` and `b`."
    assert ((1, "    size: Size = None,"), (7, "    size: Size = None,")) in made(both, original)


def test_the_closest_way_to_follow_a_quote_stands_for_the_others() -> None:
    original = lines_of('<img src="https://x.example/logo.png">\n<script src="https://x.example/a"></script>\n')
    prose = "The `src` becomes `https://x.example/a@3`."
    told = changes(prose, "\n".join(original))
    found = proposals_for(original, [0, 1], original, outline("\n".join(original), "html"), Hints(), reworded=told)
    value = next(
        one for one in found if one.changed == ((1, '<script src="https://x.example/a@3"></script>'),) and one.joins
    )
    ways = combinations(found, np.ones(len(found[0].values)))
    assert all(not (value in way and joined in way) for way in ways for joined in value.joins)


# ---- values -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "value", "line", "result"),
    [
        ("width", "90", '<img width="80" alt="x">', '<img width="90" alt="x">'),
        ("attrs", ">=24.1", '    "attrs >=22.0",', '    "attrs >=24.1",'),
        ("attrs", "24.1", "    attrs[dev]==22.0", "    attrs[dev]==24.1"),
        ("Guide", "/docs/new", "See the [Guide](/old) first.", "See the [Guide](/docs/new) first."),
        ("size", "4", "size = 3", "size = 4"),
    ],
)
def test_a_value_is_set_where_the_key_has_one(key: str, value: str, line: str, result: str) -> None:
    assert with_value(key, value, [0], Lines([line])) == (0, result)


def test_the_likest_of_several_values_is_meant() -> None:
    lines = Lines(['<img src="/static/logo.png">', '<script src="/static/app.js">'])
    assert with_value("src", "/static/app.min.js", [0, 1], lines) == (1, '<script src="/static/app.min.js">')
    assert with_value("src", "none", [0, 1], lines) is None


def test_a_link_goes_to_what_is_quoted_behind_its_title() -> None:
    assert ((0, "[Setup](/guide/setup) is short."),) in made(
        'The "Setup" link goes to `/guide/setup`.', "[Setup](/s) is short.\n"
    )


@pytest.mark.parametrize(
    ("old", "new", "line", "result"),
    [
        ("tools/save@v3", "@v4", "- uses: tools/save@v3", "- uses: tools/save@v4"),
        ("python:3.11", ":3.12", "FROM python:3.11", "FROM python:3.12"),
        ("attrs==22.1", "==24.1", "attrs==22.1", "attrs==24.1"),
    ],
)
def test_what_stands_before_a_separator_stays(old: str, new: str, line: str, result: str) -> None:
    assert ((0, result),) in made(f"`{old}` becomes `{new}`.", line + "\n")


def test_names_listed_before_the_old_one_end_in_the_new_one_too() -> None:
    prose = "`tools/save@v3` and `tools/load@v3` become `@v4`."
    assert set(made(prose, "- tools/load@v3\n- tools/save@v3\n- tools/run@v3\n")[0]) == {
        (0, "- tools/load@v4"),
        (1, "- tools/save@v4"),
    }


# ---- what goes ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "name", "result"),
    [
        ("ignore = E1,E2,E3", "E2", "ignore = E1,E3"),
        ("ignore = E1, E2", "E1", "ignore = E2"),
        ("branches: [main, dev]", "dev", "branches: [main]"),
        ("ignore = E1", "E1", None),
        ('return a || kind === "X" || b;', "X", "return a || b;"),
        ("return a && X;", "X", "return a;"),
        ("if X or b:", "X", "if b:"),
        ("if (done(X) && b) {", "X", "if (b) {"),
        ("a = b && X || c", "X", None),
        ("return X(1);", "X", None),
    ],
)
def test_a_line_without_a_part(line: str, name: str, result: str | None) -> None:
    assert without_part(line, name) == result


def test_several_names_go_from_one_line_together() -> None:
    original = lines_of("[style]\nignore = E1,E22,E33,E4\n")
    hints = hints_of("Drop `E22` and `E33` from its `ignore`.")
    found = proposals_for(original, [0, 1], original, outline("\n".join(original), "ini"), hints)
    assert ((1, "ignore = E1,E4"),) in [one.changed for one in found]


def test_a_quoted_piece_goes_from_the_one_line_that_has_it() -> None:
    original = "usage: tool [--fast] [--out <file>] [--in <file>]\nother\n"
    prose = "Drop `[--fast]` from the synopsis."
    assert ((0, "usage: tool [--out <file>] [--in <file>]"),) in made(prose, original)


def test_a_quoted_piece_goes_from_the_lines_that_are_quoted_beside_it() -> None:
    calls = ("self.kind.field(name, value)", "self.kind.size(name, value)", "b = one.two()")
    original = "".join(f"    {call}  # no: check\n" for call in calls)
    prose = "Drop the `# no: check` from the `kind.field(…)` and `kind.size(…)` lines."
    assert ((0, "    self.kind.field(name, value)"), (1, "    self.kind.size(name, value)")) in made(prose, original)
