"""What goes with a result and can't have been meant: each sign is there where it should be, and not elsewhere.

In files of keys and in texts too; and the parts of texts that words speak of.
"""

from __future__ import annotations

import difflib
from textwrap import dedent

import pytest

from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.readings import readings_of
from fastedit.anchor.lazy.result.coherence import COHERENCE
from fastedit.anchor.lazy.result.losses import LOSSES, MARKUP, losses_of, markup_of
from fastedit.anchor.lazy.search.grid import Context, Grid
from fastedit.anchor.lazy.search.rows import rows_of
from fastedit.anchor.lazy.words.shapes import is_title, kind_of, shapes_at, shapes_said
from fastedit.edits.model import Snippet
from fastedit.syntax import outline
from support.aligning import WEIGHTS, lines_of
from support.results import result_of


def told(before: str, after: str, *, shown: str = "", prose: str = "", language: str = "python") -> dict[str, float]:
    original, changes, message = result_of(before, after, shown, prose)
    return dict(zip(LOSSES, losses_of(original, changes, message, language), strict=True))


GETTERS = """
    def width(self):
        return self.items.get("width")

    def height(self):
        return self.items.get("height")

    def depth(self):
        return self.items.get("depth")
"""


def test_a_result_that_is_the_original_says_nothing() -> None:
    assert not any(told(GETTERS, GETTERS).values())


def test_half_a_pair_of_brackets() -> None:
    before = "load(\n    a,\n    b,\n)\nsave(a)"
    assert told(before, "load(\n    a,\n)\nsave(a)")["unbalanced"] == 0
    assert told(before, "load(\n    a,\n    b,\nsave(a)")["unbalanced"] == 1
    assert told(before, "load(\n    a,\n    b,\n    # ) or so\n)\nsave(a)")["unbalanced"] == 0


def test_a_comment_without_its_beginning_and_a_directive_without_its_end() -> None:
    before = "/**\n * Loads.\n */\n#if defined(A)\nint a;\n#endif\n"
    assert told(before, before.replace("/**\n", ""), language="c")["comment_torn"] == 1
    assert told(before, before.replace("#if defined(A)\n", ""), language="c")["directives"] == 1
    assert told(before, "int a;", language="c")["comment_torn"] == 0
    assert told(before, "int a;", language="c")["directives"] == 0
    # In Python it is only a comment that begins with an "if".
    assert told("# if so\na = 1", "a = 1")["directives"] == 0


def test_declarations_lost_by_whether_the_words_have_their_names() -> None:
    result = GETTERS.replace('    def height(self):\n        return self.items.get("height")\n\n', "")
    assert told(GETTERS, result)["lost_decl_unsaid"] == 1
    assert told(GETTERS, result, prose="`height` goes.")["lost_decl_said"] == 1
    # That a snippet shows the name says nothing about what becomes of it.
    assert told(GETTERS, result, shown="height")["lost_decl_unsaid"] == 1
    changed = GETTERS.replace("def height(self):", "def height(self, unit):")
    assert not any(value for name, value in told(GETTERS, changed).items() if name.startswith("lost"))


def test_a_name_bound_twice_in_a_block() -> None:
    before = "int load(const char *path) {\n    long size;\n    int rows;\n\n    return read(path);\n}\n"
    left = before.replace("    long size;\n", "    size_t size;\n    long size;\n")
    assert told(before, left, language="c")["bound_twice"] == 1
    assert told(before, before.replace("long size", "size_t size"), language="c")["bound_twice"] == 0
    # What the snippet shows beside it is meant to stay, and other blocks have names of their own.
    assert told(before, left, shown="    long size;", language="c")["bound_twice"] == 0
    block = "    if (rows) {\n        size_t size;\n    }\n"
    other = before.replace("    return", f"{block}    return")
    assert told(before, other, language="c")["bound_twice"] == 0


def test_one_of_several_like_lines_that_new_kin_took_the_place_of() -> None:
    replaced = GETTERS.replace('"height"', '"length"').replace("def height", "def length")
    values = told(GETTERS, replaced, prose="Adds `length`.")
    assert values["sibling_gone"] == values["sibling_unsaid"] == 1
    assert told(GETTERS, replaced, prose="`height` is `length` now.")["sibling_unsaid"] == 0
    new = '    def length(self):\n        return self.items.get("length")\n\n'
    added = GETTERS.replace("    def depth", f"{new}    def depth")
    assert told(GETTERS, added)["sibling_gone"] == 0


def test_a_part_of_a_comment_that_the_snippet_shows_as_one() -> None:
    before = "# Copyright\n# Licensed under\n# the Apache License\n#\n# Purpose: none\na = 1\n"
    result = "# Copyright\n# SPDX: Apache\n#\n# Purpose: none\na = 1\n"
    values = told(before, result, shown="# Copyright\n# SPDX: Apache\n#\n# Purpose: none")
    assert values["comment_cut"] == values["comment_cut_inside"] == 1
    assert values["comment_cut_lines"] > 0
    # With a gap behind what is new the rest may well stay.
    assert told(before, result, shown="# Copyright\n# SPDX: Apache\n# ...\n# Purpose: none")["comment_cut"] == 0


def test_what_goes_though_markers_show_what_stays() -> None:
    result = GETTERS.replace('    def height(self):\n        return self.items.get("height")\n\n', "")
    values = told(GETTERS, result, shown="    def width(self):\n    # ... existing code ...\n    def depth(self):")
    assert values["marked_lines"] > 0
    assert (values["marked_bare"], values["marked_fewer"]) == (1, 0)
    shorter = GETTERS.replace('    def height(self):\n        return self.items.get("height")\n', "    height = 1\n")
    values = told(GETTERS, shorter, shown="    ...\n    height = 1")
    assert (values["marked_bare"], values["marked_fewer"]) == (0, 1)
    # A message without any may leave out what goes.
    without = told(GETTERS, result, shown="    def width(self):\n    def depth(self):")
    assert without["marked_lines"] == without["marked_bare"] == 0


def test_a_bracket_that_moves_away_from_the_line_that_opens_it() -> None:
    before = 'func first() int {\n\tif ok {\n\t\treturn f("}")\n\t}\n\treturn 1\n}\n'
    moved = before.replace("\n}", "\n\t}")
    assert told(before, moved, language="go")["closer_askew"] == 1
    assert told(moved, before, language="go")["closer_askew"] == 0
    assert told(before, before.replace("return 1\n}", "return 2\n}"), language="go")["closer_askew"] == 0
    wrapped = before.replace("first() int {", "first(\n\t\ta int,\n\t) int {").replace("return 1\n}", "return 2\n}")
    assert told(before, wrapped, language="go")["closer_askew"] == 0
    assert told(wrapped, wrapped.replace("\n}", "\n\t\t}"), language="go")["closer_askew"] == 1


def test_lines_that_new_ones_take_out_of_their_block() -> None:
    load = "    def load(self):\n        self.path = 1\n        self.items = []\n"
    clear = "    def clear(self):\n        pass\n"
    before = f"class Store:\n{load}\n    def size(self):\n        pass"
    assert told(before, before.replace("        self.items", f"{clear}        self.items"))["captured"] == 1
    assert told(before, before.replace(load, f"{load}\n{clear}"))["captured"] == 0
    # A header that takes the place of another one, and a branch, leave the lines where they were.
    assert told(before, before.replace("def load(self)", "def load(self, path)"))["captured"] == 0
    branch = "if a:\n    one()\n    two()\nthree()"
    assert told(branch, "if a:\n    one()\nelse:\n    two()\nthree()")["captured"] == 0


def test_a_closing_bracket_below_another_one_at_its_column() -> None:
    before = '{\n  "a": {\n    "b": 1\n  }\n}'
    assert told(before, before.replace("\n}", "\n  }"), language="json")["closer_off"] == 1
    assert told(before, before.replace("1\n  }", "1,\n  }"), language="json")["closer_off"] == 0
    more = before.replace("  }\n}", '  },\n  "c": {\n    "d": 1\n  }\n}')
    assert told(before, more, language="json")["closer_off"] == 0


PACKAGE = """\
{
  "name": "shop",
  "version": "1.0",
  "scripts": {
    "test": "poku"
  }
}
"""
PAGE = """\
Shop
====

It sells things. Some of
them are cheap.

- books
  of all kinds
- pens

Prices
------

| Thing | Price |
|-------|-------|
| book  | 9     |
| pen   | 2     |

Contact
-------

Write to us.
"""


def signs(before: str, after: str, language: str, told: str = "", *, marked: bool = False) -> dict[str, float]:
    old, new = lines_of(before), lines_of(after)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    changes = [(a, b, new[c:d]) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"]
    words = frozenset(told.split())
    found = markup_of(Lines(old), changes, words, language, marked=marked, full="whole" in words)
    return {name: value for name, value in found.items() if value}


def test_they_are_signs_of_results() -> None:
    assert set(MARKUP) <= set(COHERENCE)
    assert markup_of(Lines(["a = 1"]), [(0, 1, [])], frozenset(), "python", marked=False, full=False) == {}


def test_keys_that_go_unasked() -> None:
    less = PACKAGE.replace('  "name": "shop",\n', "")
    assert set(signs(PACKAGE, less, "json")) == {"entry_gone"}
    assert set(signs(PACKAGE, less, "json", "the name goes")) == set()
    assert set(signs(PACKAGE, less, "json", marked=True)) == {"entry_gone_marked"}
    assert set(signs(PACKAGE, less, "json", "the whole object")) == {"entry_gone", "entry_gone_full"}
    assert signs(PACKAGE, PACKAGE.replace("1.0", "1.1"), "json") == {}


def test_headers_that_go() -> None:
    assert set(signs("[a]\nb = 1\n\n[c]\nd = 1\n", "[a]\nb = 1\nd = 1\n", "toml")) == {"table_gone"}


def test_a_key_stands_twice_in_one_block_only() -> None:
    before = "[a]\nlicense = 1\nname = 2\n\n[b]\nname = 3\n"
    assert signs(before, before.replace("[a]\n", "[a]\nlicense = 4\n"), "toml") == {"twice": 1}
    assert "twice" not in signs(before, before.replace("[b]\n", "[b]\nlicense = 4\n"), "toml")
    assert "twice" not in signs(before, before.replace("[b]\n", "[c]\nlicense = 4\n\n[b]\n"), "toml")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("Prices\n------\n", "Prices\n~~~~~~\n------\n", {"underline_short"}),
        ("Prices\n------\n", "All the prices\n------\n", {"underline_short"}),
        ("Prices\n------\n", "All the prices\n--------------\n", set()),
        ("Write to us.\n", "- Write\n", {"kind_other"}),
        ("them are cheap.\n", "them are cheap.\nMore\n----\n", {"glued"}),
    ],
)
def test_texts_that_were_changed_by_half(old: str, new: str, expected: set[str]) -> None:
    assert set(signs(PAGE, PAGE.replace(old, new), "rst")) == expected


def test_the_kinds_of_lines_of_texts() -> None:
    lines = ["## A", "1. a", "| a |", "> a", "[a]: b", ".. note:: a", "```", "----", "<p>", "a b"]
    kinds = ["heading", "item", "row", "quote", "reference", "directive", "fence", "underline", "tag", ""]
    assert [kind_of(line) for line in lines] == kinds


# ---- shapes ----------------------------------------------------------------------------------------------------------


def shape(kind: str, begun: str, text: str = PAGE) -> str | None:
    lines = lines_of(text)
    line = next(at for at, one in enumerate(lines) if one.strip().startswith(begun))
    found = next(shapes_at(line, Lines(lines), frozenset({kind})), None)
    return None if found is None else "\n".join(lines[found[0] : found[1]])


def test_the_words_for_shapes() -> None:
    assert shapes_said("The bullet and its paragraph go") == {"item", "paragraph"}
    assert shapes_said("`row` goes".replace("`row`", "it")) == frozenset()


@pytest.mark.parametrize(
    ("kind", "begun", "expected"),
    [
        ("paragraph", "them are", "It sells things. Some of\nthem are cheap."),
        ("item", "of all kinds", "- books\n  of all kinds"),
        ("section", "Contact", "Contact\n-------\n\nWrite to us."),
        ("row", "| pen", "| pen   | 2     |"),
        ("row", "It sells", None),
        ("section", "It sells", None),
        ("item", "It sells", None),
    ],
)
def test_the_parts_of_a_text(kind: str, begun: str, expected: str | None) -> None:
    assert shape(kind, begun) == expected


def test_a_section_has_all_that_is_below_it() -> None:
    found = shape("section", "Shop")
    assert found == PAGE.rstrip("\n")
    headings = "# A\n\n## B\n\nb\n\n```sh\n# no heading\n```\n\n## C\n"
    assert shape("section", "## B", headings) == "## B\n\nb\n\n```sh\n# no heading\n```"


def test_rows_of_a_grid_go_with_their_rules() -> None:
    grid = "+---+---+\n| a | b |\n+===+===+\n| c | d |\n+---+---+\n"
    assert shape("row", "| c", grid) == "| c | d |\n+---+---+"


def test_blocks() -> None:
    template = "{% block nav %}\n  <p>\n  </p>\n{% endblock %}\n{% block body %}\n"
    assert shape("block", "{% block nav", template) == "{% block nav %}\n  <p>\n  </p>\n{% endblock %}"
    sheet = ".a,\n.b {\n  top: 0;\n}\n.c {}\n"
    assert shape("block", ".a", sheet) == shape("block", ".b", sheet) == ".a,\n.b {\n  top: 0;\n}"
    assert shape("block", ".. note", ".. note:: a\n   b\n\nc\n") == ".. note:: a\n   b"


def test_titles() -> None:
    lines = Lines(lines_of(PAGE + "\n## More\n"))
    assert [line for line in range(len(lines)) if is_title(lines, line)] == [0, 10, 18, 23]


# ---- readings --------------------------------------------------------------------------------------------------------


def merged(original: str, snippet: str, language: str, message: str = "", *, is_fitted: bool = False) -> list[str]:
    snippets = [Snippet(tuple(lines_of(dedent(snippet))), prose=message)]
    found = outline(original, language)
    used = None if is_fitted else WEIGHTS
    readings = readings_of(lines_of(original), snippets, language, message, found, known_weights=used)
    return ["\n".join(one.lines) + "\n" for one in readings]


def test_an_underline_of_another_sign_takes_the_place_of_the_old_one() -> None:
    wanted = PAGE.replace("Contact\n-------\n", "Contact\n~~~~~~~\n")
    assert wanted in merged(PAGE, "Contact\n~~~~~~~\n\nWrite to us.\n", "rst")


def test_a_fence_may_get_another_language() -> None:
    page = "# Sea\n\nFirst:\n\n```\ntide(1);\n```\n\nThen:\n\n```\nebb(2);\nebb(3);\n```\n"
    wanted = page.replace("```\nebb(2)", "```js\nebb(2)")
    assert merged(page, "```js\nebb(2);\n", "markdown", is_fitted=True)[0] == wanted
    assert merged(wanted, "```ts\nebb(2);\n", "markdown", is_fitted=True)[0] == wanted.replace("```js", "```ts")


def test_a_command_may_take_the_place_of_one_written_otherwise() -> None:
    text = Lines(lines_of("Test it with pytest:\n\n    $ py.test\n    $ npm ci\n"))
    rows = rows_of(lines_of("$ pytest\n"), text, "rst")
    grid = Grid(text, rows, outline("\n".join(text.texts), "rst"), Context())
    assert sorted(grid.pairs[0].lines.tolist()) == [0, 2]


def test_a_new_title_stands_off_from_the_text_before_it() -> None:
    page = "# A\n\nText.\n\n## B\n\nMore.\n"
    wanted = page + "\n## C\n\nNew.\n"
    assert wanted in merged(page, "## C\n\nNew.\n", "markdown", "At the very end of the document:", is_fitted=True)


def test_what_set_off_the_end_of_a_file_goes_with_it() -> None:
    sheet = ".a {\n    top: 0;\n}\n\n@keyframes b {\n    0% {\n        top: 1;\n    }\n}\n"
    snippet = ".a {\n    top: 2;\n}\n"
    wanted = ".a {\n    top: 2;\n}\n"
    assert wanted in merged(sheet, snippet, "css", "I deleted `@keyframes b`.")


def test_dots_and_quotes_in_code_are_no_underlines() -> None:
    lines = Lines(lines_of("def save(path):\n    ...\n"))
    rows = rows_of(lines_of('def load(path):\n    """\n'), lines, "python")
    grid = Grid(lines, rows, outline("\n".join(lines.texts), "python"), Context())
    assert grid.pairs[1].lines.tolist() == []
    text = Lines(lines_of("Old title\n=========\n"))
    rows = rows_of(lines_of("New title\n~~~~~~~~~\n"), text, "rst")
    grid = Grid(text, rows, outline("\n".join(text.texts), "rst"), Context())
    assert grid.pairs[1].lines.tolist() == [1]


# ---- swapped for one of its kind -------------------------------------------------------------------------------------

SERVICES = """
SERVICES = [
    "billing",
    "catalog",
    "delivery",
    "gateway",
    "orders",
    "search",
    "users",
]
"""
ONE_MORE = '# ...\n    "catalog",\n    "deliverynote",\n# ...'


def test_a_line_between_its_kin_that_goes_for_another_one() -> None:
    swapped = SERVICES.replace('"delivery"', '"deliverynote"')
    added = SERVICES.replace('"catalog",\n', '"catalog",\n    "deliverynote",\n')
    assert told(SERVICES, swapped, shown=ONE_MORE)["swapped_kin"] == 1
    assert told(SERVICES, added, shown=ONE_MORE)["swapped_kin"] == 0
    # A snippet that shows both lines beside it leaves no doubt; nor does a line that still says what the old one did.
    whole = '# ...\n    "catalog",\n    "deliverynote",\n    "gateway",\n# ...'
    assert told(SERVICES, swapped, shown=whole)["swapped_kin"] == 0
    settings = "A = {\n    'width': 1,\n    'height': 2,\n    'depth': 3,\n}"
    shown = "# ...\n    'width': 1,\n    'height': 5,\n# ..."
    assert told(settings, settings.replace("2", "5"), shown=shown)["swapped_kin"] == 0


def test_the_only_line_that_goes_for_another_where_all_else_is_added() -> None:
    added = SERVICES
    for after in ("billing", "gateway", "orders"):
        added = added.replace(f'    "{after}",\n', f'    "{after}",\n    "{after}x",\n')
    swapped = added.replace('"delivery"', '"deliverynote"')
    assert told(SERVICES, swapped)["swapped_odd"] == 1
    assert told(SERVICES, added)["swapped_odd"] == 0
    assert told(SERVICES, swapped.replace('"users"', '"user"'))["swapped_odd"] == 0  # it isn't the only one
    assert told(SERVICES, SERVICES.replace('"delivery"', '"deliverynote"'))["swapped_odd"] == 0


PLUGINS = "plugins = [\n    {\n        'name': 'ale',\n    },\n    {\n        'name': 'gitsigns',\n    },\n]\n"


def test_another_one_where_a_marker_stands_for_the_last() -> None:
    shown = "plugins = [\n    # ... existing plugins ...\n    {\n        'name': 'surround',\n    },\n]\n"
    swapped = PLUGINS.replace("gitsigns", "surround")
    values = told(PLUGINS, swapped, shown=shown)
    assert values["marked_swapped"] == values["marked_swapped_unsaid"] == 1
    said = told(PLUGINS, swapped, shown=shown, prose="`gitsigns` gives way to another plugin.")
    assert (said["marked_swapped"], said["marked_swapped_unsaid"]) == (1, 0)
    added = PLUGINS.replace("]\n", "    {\n        'name': 'surround',\n    },\n]\n")
    assert told(PLUGINS, added, shown=shown)["marked_swapped"] == 0
    # What the snippet shows behind a line that stands once in the file doesn't stand for that of the marker.
    shown = shown.replace("    {\n", "    {\n        'name': 'ale',\n    },\n    {\n", 1)
    assert told(PLUGINS, swapped, shown=shown)["marked_swapped"] == 0
