"""Languages without a grammar."""

from __future__ import annotations

import pytest

from fastedit.syntax import outline

CASES: dict[str, tuple[str, str, list[str]]] = {
    "markdown, closed headings": ("markdown", "# A #\n## B##\n### C\n# # #\n", ["A", "B##", "C", "#"]),
    "markdown, code": (
        "markdown",
        "# A\n```\n# no\n~~~\n# no\n```\n# B\n~~~~\n# no\n~~~\n# no\n~~~~\n# C\n",
        ["A", "B", "C"],
    ),
    "markdown, unclosed code": ("markdown", "# A\n```\n# no\n", ["A"]),
    "markdown, front matter": ("markdown", "---\ntitle: x\n---\n# A\n\nB\n---\n", ["A", "B"]),
    "markdown, no headings": ("markdown", "#no\n    # no\n- a\n---\n\n| a |\n---\ntext\ntext\n===\n", []),
    "sql, quoted": ("sql", "SELECT ';' FROM a;\nINSERT INTO b VALUES ('it''s; x');\n", ["SELECT", "INSERT INTO b"]),
    "sql, dollar quotes": (
        "sql",
        "CREATE FUNCTION f() AS $x$\nBEGIN; END;\n$x$;\nDROP TABLE a;\n",
        ["f", "DROP TABLE a"],
    ),
    "sql, blocks": (
        "sql",
        "CREATE PROCEDURE p()\nBEGIN\n  SELECT 1;\n  IF a THEN\n    SELECT 2;\n  END IF;\nEND;\nSELECT 3;\n",
        ["p", "SELECT"],
    ),
    "sql, transaction": ("sql", "BEGIN;\nUPDATE a SET b = 1;\nCOMMIT;\n", ["UPDATE a"]),
    "sql, unfinished": ("sql", "CREATE TABLE a (\n  b INT", ["a"]),
    "make, variables": ("make", "A ::= 1\nB ?= 2\nexport C = 3\n%.o: %.c\n\tcc\n", ["A", "B", "C", "%.o"]),
    "docker, stages": ("dockerfile", "FROM a\nRUN x\nFROM --platform=l b AS c\nENV D=1\n", ["a", "c", "D"]),
    "ini, quoted": ("ini", '[a "b"]\nc = d = e\n;f = g\n', ['a "b"', "c"]),
    "braces, control flow": ("dart", "void f() {\n  if (a) {\n  } else {\n  }\n  for (;;) {\n  }\n}\n", ["f"]),
    "braces, strings": ("dart", "void f() {\n  print('}{');\n  // }\n}\nvoid g() {\n}\n", ["f", "g"]),
    "braces, members of a protocol buffer": (
        "proto",
        "service S {\n  rpc Get(A) returns (B);\n}\nmessage A {\n  map<string, B> all = 1;\n  reserved 2;\n}\n",
        ["S", "Get", "A", "all"],
    ),
    "braces, unclosed": ("less", ".a {\n  .b {\n", [".a", ".b"]),
    "braces, too many": ("less", "}}\n.a {\n}\n", [".a"]),
    "cmake, nested": ("cmake", "function(a)\n  macro(b)\n  endmacro()\nendfunction()\n", ["a", "b"]),
}


@pytest.mark.parametrize("case", CASES)
def test_names(case: str) -> None:
    language, text, names = CASES[case]
    assert [declaration.name for declaration in outline(text, language).declarations] == names


def test_sections_end_before_the_comment_of_the_next() -> None:
    found = outline("[a]\nx = 1\n\n; about b\n[b]\ny = 1\n", "ini").declarations
    assert [(d.start_line, d.header_line, d.end_line) for d in found if d.kind == "section"] == [(0, 0, 2), (3, 4, 6)]


def test_a_recipe_goes_on_over_blank_lines() -> None:
    found = outline("a:\n\techo 1\n\n\techo 2\n\n# about b\nb:\n\techo 3\n", "make").declarations
    assert [(d.name, d.start_line, d.header_line, d.end_line) for d in found] == [("a", 0, 0, 4), ("b", 5, 6, 8)]


def test_levels_of_markdown_nest() -> None:
    found = outline("# A\n### B\n## C\n### D\n# E\n", "markdown").declarations
    assert [(d.name, d.depth, d.end_line) for d in found] == [
        ("A", 0, 4),
        ("B", 1, 2),
        ("C", 1, 4),
        ("D", 2, 4),
        ("E", 0, 5),
    ]
