"""Which lines start inside of a string, in languages that write strings over several lines."""

from __future__ import annotations

import pytest

from fastedit.lines import strings_of


@pytest.mark.parametrize(
    ("language", "text", "strings"),
    [
        ("python", 'a = """\nb\n"""\nc = 1', [range(1, 3)]),
        ("python", "a = '''b\nc''' + '''d\ne'''", [range(1, 2), range(2, 3)]),
        ("python", '# it\'s """\na = \'b """ c\'\nd', []),
        ("javascript", "const a = `b\nc ${d}\n`;\nconst e = `f`;", [range(1, 3)]),
        ("go", "a := `b\nc`\n// a ` in a comment\nd", [range(1, 2)]),
        ("bash", "cat <<EOF\na\nEOF\nb", [range(1, 3)]),
        ("ruby", "a = <<~TEXT\n  b\nTEXT\nc", [range(1, 3)]),
        ("html", '<a title="b\nc">\n<p>"d</p>', [range(1, 2)]),
        ("python", 'a = """\nnever closed', []),
        ("c", 'a = """\nb\n"""', []),
    ],
)
def test_the_lines_that_start_inside_of_a_string(language: str, text: str, strings: list[range]) -> None:
    assert list(strings_of(text.split("\n"), language)) == strings
