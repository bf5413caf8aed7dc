"""What words say is gone or has moved, as lines that could go."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from fastedit.anchor.hints import Hints, hints_of
from fastedit.anchor.lazy.identity import without_name
from fastedit.anchor.lazy.keys.gone import GoneEntries
from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.proposals.beside import Beside
from fastedit.anchor.lazy.proposals.finder import MAX_PLACES, MAX_PROPOSALS, proposals_for
from fastedit.anchor.lazy.proposals.proposals import (
    PROPOSALS,
    Outlived,
    OutlivedUnit,
    ProposedLoss,
    combinations,
    followed,
)
from fastedit.anchor.lazy.reading import NAMES
from fastedit.anchor.lazy.readings import readings_of
from fastedit.edits.model import Snippet
from fastedit.syntax import outline
from support.aligning import lines_of

STORE = """\
import os
import json

LIMIT = 3


def load(path):
    with open(path) as file:
        return json.load(file)


def save(path, value):
    with open(path, "w") as file:
        json.dump(value, file)


def main():
    save("a", load("b"))
"""


def proposed(original: str, *removed: str, lines: Sequence[str] | None = None) -> list[ProposedLoss]:
    """What is proposed for a result that is the original, or other lines with what is left of it at the top."""
    old = lines_of(original)
    new = old if lines is None else [*lines, *old]
    origins = [None] * (len(new) - len(old)) + list(range(len(old)))
    return proposals_for(new, origins, old, outline(original, "python"), Hints(removed=frozenset(removed)))


def left(original: str, hints: Hints, language: str = "python", written: Sequence[str] = ()) -> list[str]:
    """What each proposal leaves of a result that is new lines above the original, those lines excepted."""
    old = lines_of(original)
    origins = [*([None] * len(written)), *range(len(old))]
    found = proposals_for([*written, *old], origins, old, outline(original, language), hints)
    return ["\n".join(followed([*written, *old], origins, [one], language)[0][len(written) :]) for one in found]


def values(one: ProposedLoss) -> set[str]:
    return {name for name, value in zip(PROPOSALS, one.values, strict=True) if value}


def test_a_named_declaration_goes_with_the_blank_lines_beside_it() -> None:
    (one,) = proposed(STORE, "save")
    rest = [line for number, line in enumerate(lines_of(STORE)) if number not in one.gone]
    assert "\n".join(rest).replace("\n\n\n", "\n\n").count("\n\n") == 3
    assert not any(line.startswith("def save") for line in rest)
    assert "        return json.load(file)" in rest
    assert values(one) == {"removes_block", "removes_used"}  # `main` still calls it


def test_a_declaration_that_nothing_uses_any_more() -> None:
    (one,) = proposed(STORE, "main")
    assert values(one) == {"removes_block"}
    gone = [lines_of(STORE)[line] for line in one.gone]
    assert [line for line in gone if line] == [
        "def main():",
        '    save("a", load("b"))',
    ]


def test_a_named_line_goes() -> None:
    ((one, *rest), (other,)) = proposed(STORE, "LIMIT"), proposed(STORE, "os")
    assert not rest
    assert (one.gone, values(one)) == ((3,), {"removes_line"})
    assert (other.gone, values(other)) == ((0,), {"removes_line"})
    (used,) = proposed(STORE, "json")
    assert (used.gone, values(used)) == ((1,), {"removes_line", "removes_used"})


def test_lines_between_blank_ones_leave_no_gap() -> None:
    original = "a = 1\n\nbb = 2\ncc = 3\n\nd = 4\n"
    some = proposed(original, "bb", "cc")
    assert followed(lines_of(original), range(6), some)[0] == ("a = 1", "", "d = 4")
    assert followed(lines_of(original), range(6), some[:1])[0] == ("a = 1", "", "cc = 3", "", "d = 4")
    assert followed(lines_of("bb = 2\n\nd = 4\n"), range(3), proposed("bb = 2\n\nd = 4\n", "bb"))[0] == ("d = 4",)


def test_of_several_lines_about_a_name_each_may_go() -> None:
    assert [values(one) for one in proposed("'aa'\n'bb'\n", "aa")] == [{"removes_line"}]
    several = proposed("'aa'\n'bb'\n'aa'\n", "aa")
    assert [one.gone for one in several] == [(0,), (2,)]
    assert all("removes_among" in values(one) for one in several)
    assert proposed("'aa'\n" * (MAX_PLACES + 1), "aa") == []
    assert proposed(STORE, "unheard_of") == []
    assert proposed(STORE) == []


def test_what_is_gone_already_is_not_proposed() -> None:
    old = lines_of(STORE)
    kept = [line for line in range(len(old)) if not 11 <= line < 14]
    new = [old[line] for line in kept]
    assert proposals_for(new, kept, old, outline(STORE, "python"), Hints(removed=frozenset({"save"}))) == []


def test_a_declaration_written_elsewhere_has_moved() -> None:
    again = ["def save(path, value):", '    with open(path, "w") as file:', "        json.dump(value, file)"]
    (one,) = proposed(STORE, lines=again)
    assert set(range(11, 14)) <= set(one.gone)
    assert values(one) == {"removes_move", "removes_quoted"}
    (changed,) = proposed(STORE, lines=[*again[:2], "        json.dump(value, file, indent=2)"])
    assert values(changed) == {"removes_move"}
    assert proposed(STORE, lines=again[:2]) == []  # too little to tell


def test_no_more_than_a_few_are_tried() -> None:
    names = [f"name_{number}" for number in range(MAX_PROPOSALS + 3)]
    original = "".join(f"{name} = 1\n" for name in names)
    assert len(proposed(original, *names)) == MAX_PROPOSALS


def test_the_first_declaration_goes_without_leaving_a_gap() -> None:
    original = "def first():\n    b()\n\n\ndef c():\n    d()\n"
    (one,) = proposed(original, "first")
    rest = [line for number, line in enumerate(lines_of(original)) if number not in one.gone]
    assert rest == ["def c():", "    d()"]


def test_a_quoted_line_goes_with_the_rest_of_its_statement() -> None:
    original = "import a\n\nfrom b import c\n\nx = call(\n    1,\n)\ny = 2\n"
    assert left(original, Hints(gone=("from b import c",))) == ["import a\n\nx = call(\n    1,\n)\ny = 2"]
    assert left(original, Hints(gone=("x = call(…",))) == ["import a\n\nfrom b import c\n\ny = 2"]
    assert left(original, Hints(gone=("from z import c",))) == []


def test_entries_go_by_what_they_begin_with() -> None:
    toml = '[project]\ndependencies = [\n  "numpy >=1.2",\n  "numpy-extra",\n]\n'
    assert left(toml, Hints(gone=("numpy",)), "toml") == [toml.replace('  "numpy >=1.2",\n', "").rstrip("\n")]
    assert left(toml, Hints(gone=("numpy-extra",)), "toml") == [toml.replace('  "numpy-extra",\n', "").rstrip("\n")]


def test_the_last_entry_of_json_takes_the_comma_before_it_along() -> None:
    original = '{\n  "a": 1,\n  "b-c": 2\n}\n'
    assert left(original, Hints(gone=("b-c",)), "json") == ['{\n  "a": 1\n}']
    origins = range(len(lines_of(original)))
    assert followed(lines_of(original), origins, [], "json")[0] == tuple(lines_of(original))


def test_one_of_several_names_on_a_line_goes() -> None:
    original = "from a import bb, cc\n\n__all__ = ['bb', 'cc']\n"
    assert left(original, Hints(removed=frozenset({"cc"}))) == [
        "from a import bb\n\n__all__ = ['bb', 'cc']",
        "from a import bb, cc\n\n__all__ = ['bb']",
    ]


@pytest.mark.parametrize(
    ("line", "less"),
    [
        ("import { b, type c, d } from 'a'", "import { b, d } from 'a'"),
        ("import { c, d } from 'a'", "import { d } from 'a'"),
        ("export { b, c as d };", "export { b };"),
        ("use a::{b, c};", "use a::{b};"),
        ("private :b, :c", "private :b"),
        ("from a import c", None),
        ("from a import b, cc", None),
        ("call(b, c.d)", None),
    ],
)
def test_a_line_without_one_of_its_names(line: str, less: str | None) -> None:
    assert without_name(line, "c") == less


def test_imports_that_nothing_uses_any_more_go_where_the_words_speak_of_imports() -> None:
    original = "import os\nfrom a import b, c\n\n\ndef d():\n    return c(os)\n\n\ndef e():\n    return b\n"
    old = lines_of(original)
    kept = [line for line in range(len(old)) if line != 5]
    lines = [old[line] for line in kept]
    found = proposals_for(lines, kept, old, outline(original, "python"), Hints(imports=True))
    assert [followed(lines, kept, [one])[0][:2] for one in found] == [
        ("from a import b, c", ""),
        ("import os", "from a import b"),
    ]
    assert proposals_for(lines, kept, old, outline(original, "python"), Hints()) == []


def test_an_entry_that_is_written_elsewhere_in_its_list_may_have_moved() -> None:
    old = ["__all__ = [", "    'first',", "    'last',", "    'second',", "]", "", "other = [", "    'first',", "]"]
    lines, origins = [old[0], "    'second',", *old[1:]], [0, None, *range(1, 9)]
    found = proposals_for(lines, origins, old, outline("\n".join(old), "python"), Hints())
    assert [(one.gone, values(one)) for one in found] == [((3,), {"removes_repeat"})]
    apart = ["    'second',", *old], [None, *range(9)]
    assert proposals_for(*apart, old, outline("\n".join(old), "python"), Hints()) == []


def test_an_import_of_what_is_imported_anew_may_go() -> None:
    original = "from a import b\nfrom a import c\nfrom d import b\n"
    assert left(original, Hints(), written=["from a import b, e"]) == ["from a import c\nfrom d import b"]
    assert left(original, Hints(), written=["from e import b"]) == []


def test_the_best_proposals_are_tried_together_and_each_alone() -> None:
    some = proposed("aa = 1\nbb = 1\ncc = 1\n", "aa", "bb", "cc")
    worth = np.array([float(name == "removes_line") for name in PROPOSALS])
    tried = {frozenset(one.gone[0] for one in chosen) for chosen in combinations(some, worth)}
    assert tried >= {frozenset(), frozenset({0}), frozenset({1}), frozenset({0, 1, 2}), frozenset({0, 1})}
    assert combinations([], worth) == [()]


def test_what_a_snippet_shows_is_less_likely_meant_to_go() -> None:
    original = lines_of("[list]\nalpha\nbeta\n")
    found = outline("\n".join(original), "ini")
    gone = [GoneEntries((1, 2), {"gone": 1.0})]
    beside = Beside(Lines(original), (), frozenset({"beta"}))
    (one,) = proposals_for(original, range(3), original, found, hints_of(""), beside=beside, entries=gone)
    told = dict(zip(PROPOSALS, one.values, strict=True))
    assert (told["entries_shown"], told["entries_lines"]) == (0.5, pytest.approx(0.693, abs=1e-3))
    repeated = proposals_for(original, range(3), original, found, hints_of("`beta` is gone."), beside=beside)
    assert [dict(zip(PROPOSALS, one.values, strict=True))["removes_shown"] for one in repeated] == [1.0]


def test_an_entry_of_an_object_goes_where_its_key_is_written_anew() -> None:
    old = ["const it = {", "  top: 1,", "  size: () => 2,", "};", "", "const other = {", "  size: 3,", "};"]
    lines, origins = [old[0], "  size() {", *old[1:]], [0, None, *range(1, 8)]
    lines[1] = "  size: (of) => {"
    found = proposals_for(lines, origins, old, outline("\n".join(old), "javascript"), Hints())
    assert [(one.gone, values(one)) for one in found] == [((2,), {"removes_repeat", "removes_rekeyed"})]


def test_an_import_that_is_written_inside_a_block_may_go_where_imports_are_said_to() -> None:
    original = "import os\nimport tty\n"
    written = ["try:", "    import tty", "except ImportError:", "    pass"]
    assert left(original, Hints(imports=True), written=written) == ["import os"]
    assert left(original, Hints(), written=written) == []


# ---- what stays beside lines that may have taken its place ----------------------------------------------------------


def outlived(original: str, start: int, end: int, new: str, *snippets: str, language: str = "") -> list[OutlivedUnit]:
    """What may be outlived where lines [start, end), counted from 0, have become new ones."""
    old, written = lines_of(original), lines_of(new)
    origins = [*range(start), *([None] * len(written)), *range(end, len(old))]
    keys = [["".join(line.split()) for line in lines_of(snippet)] for snippet in snippets]
    return Outlived(Lines(old), keys, language).units([*old[:start], *written, *old[end:]], origins)


def about(unit: OutlivedUnit) -> tuple[int, int, set[str]]:
    """The unit's lines, and which facts speak for it."""
    facts = {"next", "flow", "torn", "bare", "named"} & {name for name, value in unit.values.items() if value}
    return unit.lines.start, unit.lines.stop, facts


def test_a_statement_is_outlived_where_the_snippet_goes_on_behind_it() -> None:
    original = "def close(self):\n    self.inner.close()\n    self.outer.close()\n    self.log.flush()\n"
    new = "    for pipe in self.pipes:\n        pipe.close()\n"
    snippet = f"def close(self):\n    self.inner.close()\n{new}    self.log.flush()\n"
    assert about(outlived(original, 2, 2, new, snippet, language="python")[0]) == (2, 3, {"next"})
    assert not outlived(original, 2, 2, new, language="python")


def test_what_words_name_as_a_place_is_hardly_outlived() -> None:
    old = ["def load(path):", "    return read(path)"]
    new = ["def load_all(path):", "    return [read(path)]"]
    keys = [["".join(line.split()) for line in new]]
    for beside, expected in (("load",), 1.0), ((), 0.0):
        units = Outlived(Lines(old), keys, "python", beside).units([*old, *new], [0, 1, None, None])
        assert [unit.values["placed"] for unit in units] == [expected]


def test_the_rest_of_a_block_is_outlived_by_what_took_its_header_s_place() -> None:
    original = "enum Colour {\n  RED = 'red',\n  BLUE = 'blue',\n}\n\nexport const size = 3;\n"
    new = "const RED = 'red';\nconst BLUE = 'blue';\n"
    assert [about(unit) for unit in outlived(original, 0, 1, new, language="typescript")] == [(1, 4, {"torn"})]


def test_a_header_is_outlived_by_a_block_that_stands_further_out() -> None:
    original = "if sys.version_info > (3, 8):\n    def load():\n        return 1\n\nrun()\n"
    new = "def load():\n    return 1\n"
    assert (0, 1, {"bare"}) in [about(unit) for unit in outlived(original, 1, 3, new, language="python")]


def test_what_a_return_leaves_unreachable_is_outlived_statement_by_statement() -> None:
    original = (
        "def name(self):\n    parts = self.parts\n    # All of them.\n    parts = clean(parts)\n    return parts\n"
    )
    units = outlived(original, 1, 2, "    return self.parts\n", language="python")
    assert [about(unit) for unit in units] == [(2, 4, {"flow"}), (4, 5, {"flow"})]
    assert units[1].nearer == units[0].lines


def test_an_old_form_is_outlived_by_a_new_one_with_its_words() -> None:
    original = "setup()\nsetTimeout(() => {\n  send(node, 'init', { node });\n}, 0);\nwatch(node);\n"
    new = "tick().then(() => {\n  send(node, 'init', { node, setTimeout: 0 });\n});\n"
    (unit,) = outlived(original, 4, 4, new, language="javascript")
    assert about(unit) == (1, 4, set())
    assert unit.values["like"] == 0.5


def test_the_readings_of_a_new_header_have_one_without_the_old_block() -> None:
    original = "import x from 'x';\n\nenum Colour {\n  RED = 'red',\n  BLUE = 'blue',\n}\n\nexport const size = x(3);\n"
    new = ["const RED = 'red';", "const BLUE = 'blue';", "type Colour = typeof RED | typeof BLUE;"]
    old = lines_of(original)
    found = outline(original, "typescript")
    readings = readings_of(old, [Snippet(tuple(new), "Constants for the enum:")], "typescript", "", found)
    (right,) = [one for one in readings if list(one.lines) == [*old[:2], *new, *old[6:]]]
    told = dict(zip(NAMES, right.features(), strict=True))
    assert told["outlived_torn"] == told["outlived_any"] == 1
    assert told["mended"] > 0


def test_outlived_lines_beyond_others_only_go_with_these() -> None:
    near, far = (ProposedLoss((line,), (0.0,) * len(PROPOSALS)) for line in (1, 2))
    far = ProposedLoss(far.gone, far.values, after=near)
    farther = ProposedLoss((3,), far.values, after=far)
    ways = combinations([near, far, farther], np.zeros(len(PROPOSALS)))
    assert {tuple(line for one in way for line in one.gone) for way in ways} == {(), (1,), (1, 2), (1, 2, 3)}
