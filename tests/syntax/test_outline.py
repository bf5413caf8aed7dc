"""What an outline says where a file isn't as tidy as the samples."""

from __future__ import annotations

import time

import pytest

from fastedit.syntax import outline
from fastedit.syntax.model import Declaration, Outline
from support.timing import took


def named(text: str, language: str) -> dict[str, Declaration]:
    return {declaration.name: declaration for declaration in outline(text, language).declarations}


def names(text: str, language: str) -> list[str]:
    return [declaration.name for declaration in outline(text, language).declarations]


def lines_of(declaration: Declaration) -> tuple[int, int, int, int]:
    return declaration.start_line, declaration.header_line, declaration.body_line, declaration.end_line


def test_an_unknown_language_has_an_empty_outline() -> None:
    assert outline("def f(): pass", "no such language") == Outline("", ())
    assert outline("x", "") == Outline("", ())


def test_a_blank_line_parts_a_comment_from_a_declaration() -> None:
    found = named("# far\n\n# near\n# by\ndef f():\n    pass\n", "python")
    assert lines_of(found["f"]) == (2, 4, 5, 6)


def test_a_comment_behind_code_belongs_to_that_code() -> None:
    found = named("x = 1  # about x\ndef f():\n    pass\n", "python")
    assert found["f"].start_line == 1


def test_a_shebang_belongs_to_no_declaration() -> None:
    assert named("#!/usr/bin/env python\nimport os\n", "python")["os"].start_line == 1


def test_the_comments_that_are_a_whole_python_body_belong_to_it() -> None:
    found = named(
        "class A:\n    def f(self):\n        # one\n\n        # two\n\n    # of g\n    def g(self):\n        # x\n",
        "python",
    )
    assert lines_of(found["f"]) == (1, 1, 2, 5)
    assert lines_of(found["g"]) == (6, 7, 8, 9)
    assert found["A"].end_line == 9


def test_local_values_are_not_declared_but_local_functions_are() -> None:
    assert names("def f():\n    x = 1\n    import os\n    def g():\n        y = 1\n", "python") == ["f", "g"]
    assert names("function f() {\n  const x = 1;\n  const g = () => 1;\n}\n", "javascript") == ["f", "g"]
    assert names("items.map((x) => {\n  const y = x;\n});\n", "javascript") == []


def test_the_function_in_a_call_names_the_value_only_where_it_wraps_it() -> None:
    text = "function App() {\n  const rows = items.map((x) => x);\n  const go = useCallback(() => {\n  }, []);\n}\n"
    assert names(text, "tsx") == ["App", "go"]


def test_a_lone_brace_belongs_to_the_signature() -> None:
    found = named("int f(int a,\n      int b)\n{\n    return a;\n}\n", "c")
    assert lines_of(found["f"]) == (0, 0, 3, 5)
    assert found["f"].signature == "int f(int a, int b)"


def test_attributes_lead_and_the_header_follows() -> None:
    found = named("/// Doc.\n#[inline]\n#[must_use]\npub fn f() {}\n", "rust")
    assert lines_of(found["f"]) == (0, 3, 4, 4)
    found = named("class A {\n    @Override\n    // why\n    @Deprecated public\n    void f() {\n    }\n}\n", "java")
    assert lines_of(found["f"]) == (1, 3, 5, 6)


def test_what_is_exported_starts_at_its_export() -> None:
    found = named("@A()\nexport class B {\n}\nexport default {\n  go() {\n  },\n};\n", "typescript")
    assert lines_of(found["B"]) == (0, 1, 2, 3)
    assert lines_of(found["default"]) == (3, 3, 4, 7)
    assert lines_of(found["go"]) == (4, 4, 5, 6)


def test_declarations_of_one_statement_share_no_range_that_one_alone_has() -> None:
    found = named("const a = 1,\n  f = () => {\n    return 1;\n  };\n", "javascript")
    assert lines_of(found["a"]) == (0, 0, 1, 1)
    assert lines_of(found["f"]) == (1, 1, 2, 4)


def test_comments_further_out_than_an_item_belong_to_what_follows() -> None:
    text = "steps:\n  - name: a\n    run: |\n      x\n\n  # About b.\n  - name: b\n    run: y\n\n"
    text += "# The end.\nend:\n  - 1\n"
    found = {(d.kind, d.name): d for d in outline(text, "yaml").declarations}
    assert lines_of(found["block", "a"]) == (1, 1, 2, 4)
    assert lines_of(found["block", "b"]) == (5, 6, 7, 8)
    assert lines_of(found["block", "end"]) == (9, 10, 11, 12)


def test_half_written_code_keeps_what_is_whole() -> None:
    text = "def a():\n    return 1\n\ndef b(x, y\n\ndef c():\n    return 3\n"
    assert {"a", "c"} <= set(names(text, "python"))
    text = "class A {\n  f() {\n    return 1;\n  }\n\n  g(a, {\n    return 2;\n  }\n\n  h() {\n    return 3;\n  }\n}\n"
    assert {"A", "f", "h"} <= set(names(text, "javascript"))
    text = "void a() {\n    x();\n}\n\nvoid b() {\n    if (x {\n}\n\nvoid c() {\n    y();\n}\n"
    assert "a" in names(text, "cpp")
    assert outline(text, "cpp").num_errors > 0


def test_conflict_markers_do_not_hide_the_rest() -> None:
    text = (
        "def a(): pass\n\n<<<<<<< HEAD\ndef b():\n    pass\n=======\ndef c():\n    pass\n>>>>>>> x\n\ndef d(): pass\n"
    )
    assert {"a", "b", "c", "d"} <= set(names(text, "python"))


def test_a_script_inside_markup_is_read_in_its_own_language() -> None:
    found = named('<script lang="ts">\nfunction f(a: number) {\n  return a;\n}\n</script>\n', "vue")
    assert lines_of(found["f"]) == (1, 1, 2, 4)
    assert found["f"].parent == 0
    assert found["f"].depth == 1
    assert "x" not in names('<script type="text/template">\nx = 1\n</script>\n', "html")


def test_a_word_that_no_function_can_have_for_a_name_may_be_a_key() -> None:
    assert names("if:\n  a: always()\nfor:\n  b: x\n", "yaml") == ["if", "for"]
    assert names("MACRO_BEGIN\nnamespace a\n{\nvoid f() {}\n}\n", "cpp")[-1] == "f"
    assert "namespace" not in names("MACRO_BEGIN\nnamespace a\n{\nvoid f() {}\n}\n", "cpp")


def test_types_in_javascript_are_read_by_the_dialects_grammar() -> None:
    found = outline("function f(a: number): string {\n  return g(a);\n}\nfunction h() {}\n", "javascript")
    assert found.language == "javascript"
    assert found.num_errors == 0
    assert [declaration.name for declaration in found.declarations] == ["f", "h"]


DEEP = 10_000
NESTED = {
    "javascript": ("function f() {\n", "}\n"),
    "json": ('{"a":\n', "}\n"),
    "rust": ("mod a {\n", "}\n"),
    "css": ("a {\n", "}\n"),
    "scss": ("a {\n", "}\n"),
    "html": ('<div id="a">\n', "</div>\n"),
    "php": ("<?php function f() {\n", "}\n"),
}


@pytest.mark.parametrize("language", NESTED)
def test_ten_thousand_levels_are_no_problem(language: str) -> None:
    opening, closing = NESTED[language]
    found = outline(opening * DEEP + closing * DEEP, language, budget_s=20)
    if language != "html":  # its grammar forgets the tags around the innermost thousand
        assert len(found.declarations) >= DEEP - 1
        assert found.declarations[-1].depth >= DEEP - 2


def test_a_budget_that_runs_out_shows() -> None:
    text = "def f(a):\n    return a\n\n" * 40_000
    assert took(lambda: outline(text, "python", budget_s=0.05)) < 20
    assert not outline(text, "python", budget_s=0.05).is_complete
    assert not outline("x = 1\n", "python", budget_s=0).is_complete


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", ["def f(a):\n    return a\n\n\n", "# c\nx = 1\n", "@d\nclass A:\n    def f(self): pass\n"]
)
def test_the_time_is_near_linear_in_the_length(unit: str) -> None:
    def seconds(num_units: int) -> float:
        start = time.process_time()
        assert outline(unit * num_units, "python", budget_s=60).is_complete
        return time.process_time() - start

    seconds(100)
    short = min(seconds(2_000) for _ in range(3))
    assert seconds(16_000) < 8 * short * 4


def test_an_attribute_with_a_comment_behind_it_belongs_to_what_follows() -> None:
    text = "#[test]\n#[cfg(unix)] // not everywhere\n#[should_panic]\nfn a() {\n}\n"
    (found,) = outline(text, "rust").declarations
    assert lines_of(found) == (0, 3, 4, 5)


def test_what_stands_on_one_line_of_a_data_file_is_not_outlined() -> None:
    assert names('{\n  "a": 1,\n  "b": {"c": 2},\n  "d": {\n    "e": 3\n  }\n}\n', "json") == ["d"]
    assert names("a: 1\nb:\n  c: 2\n", "yaml") == ["b"]


def test_an_element_without_an_end_tag_ends_where_it_stands() -> None:
    text = '<form>\n  <input id="a">\n  <label>b</label>\n  <input id="c">\n  <!-- d -->\n</form>\n'
    found = {d.name: lines_of(d) for d in outline(text, "html").declarations}
    assert found["input#a"] == (1, 1, 2, 2)
    assert found["input#c"] == (3, 3, 4, 4)
