"""What goes with a result and can't have been meant: each sign is there where it should be, and not elsewhere."""

from __future__ import annotations

from fastedit.anchor.lazy.losses import LOSSES, losses_of
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
