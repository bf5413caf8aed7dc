"""How deep lines stand where their columns say nothing, and which lines are text inside of strings."""

from __future__ import annotations

import pytest

from fastedit.anchor.depth import depths_of
from fastedit.anchor.strings import strings_of
from fastedit.anchor.text import LineTable
from fastedit.edits.lazy import LineKind, classify_lines


def spans(text: str, language: str, kinds: list[LineKind] | None = None) -> list[tuple[int, int]]:
    return [(span.start, span.stop) for span in strings_of(text.split("\n"), language, kinds)]


def depths(text: str, language: str) -> list[int]:
    return depths_of(LineTable(text.split("\n"), language), language, None)


def snippet_depths(text: str, language: str) -> list[int]:
    kinds = [line.kind for line in classify_lines(text.split("\n"), lambda _: False)]
    return depths_of(LineTable(text.split("\n"), language, kinds), language, kinds)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("python", 'x = """a\nb\n"""\ny = 1', [(1, 3)]),
        ("python", "x = '''a\n\"\"\"\n'''\ny = 1", [(1, 3)]),
        ("python", 'x = "\'\'\'"  # """\ny = \'"""\'\nz = 1', []),
        ("python", 'x = """a""" + """b\nc"""\ny', [(1, 2)]),
        ("python", 'x = """never closed\ny = 1', []),
        ("javascript", "const a = `one\n${b}\n`;\nconst c = `d`;", [(1, 3)]),
        ("xml", '<path d="M 0 0\nL 1 1\n" style="x"/>\n<a b="c">\ntext\n</a>', [(1, 3)]),
        ("bash", "cat <<EOF\nif text\nEOF\necho", [(1, 3)]),
        ("ruby", "class << self\n  x = <<~SQL\n select\n  SQL\nend", [(2, 4)]),
        ("c", 'char *a = """;\nint b;\n""";', []),
    ],
)
def test_lines_inside_of_strings(language: str, text: str, expected: list[tuple[int, int]]):
    assert spans(text, language) == expected


def test_a_string_may_end_where_a_marker_stands():
    text = 'x = """a\n# ...\ny = 1\nz = """b\nc\n"""'
    kinds = [line.kind for line in classify_lines(text.split("\n"), lambda _: False)]
    assert spans(text, "python", kinds) == [(4, 6)]


def test_text_at_the_margin_belongs_to_its_statement():
    assert depths('def f():\n    x = """\na\n    b\n"""\n    return x', "python") == [0, 4, 5, 5, 5, 4]


def test_text_that_is_indented_with_its_code_keeps_its_columns():
    assert depths('def f():\n    """A\n\n      b\n    """', "python") == [0, 4, 0, 6, 4]


def test_a_comment_at_the_margin_is_as_deep_as_the_code_behind_it():
    assert depths("def f():\n    a()\n#   b()\n    c()\n# about g\ndef g():", "python") == [0, 4, 4, 4, 0, 0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("void f() {\n#ifdef A\n  a();\n#endif\n}\n#endif", [0, 1, 2, 1, 0, 0]),
        ("#if A\n    #error b\n#endif\nint c;", [0, 4, 0, 0]),
        ("  a();\n#ifdef B\n  b();", [2, 2, 2]),
    ],
)
def test_a_directive_is_as_deep_as_its_code(text: str, expected: list[int]):
    assert depths(text, "c") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f():\n# ...\n    return 1", [0, 4, 4]),
        ("rows = [\n    1,\n# ...\n]", [0, 4, 1, 0]),
        ("def f():\n    a()\n# ...\ndef g():", [0, 4, 0, 0]),
        ("def f():\n# ...\n\ndef g():", [0, 0, 0, 0]),
        ("def f():\n    # then:\n    # ...\n        b()\n    c()", [0, 4, 4, 8, 4]),
    ],
)
def test_a_marker_at_the_margin_may_be_inside_of_a_block(text: str, expected: list[int]):
    assert snippet_depths(text, "python") == expected
