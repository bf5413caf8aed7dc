from __future__ import annotations

import pytest

from fastedit.syntax import snippet_outline
from support.timing import took

# language, snippet, (kind, name, start, header, body, end, parent) of what it declares
CASES = {
    "method without its class": (
        "python",
        "    @property\n    def a(self):\n        # ...\n\n    def b(self):\n        return 1",
        [("function", "a", 0, 1, 2, 3, -1), ("function", "b", 4, 4, 5, 6, -1)],
    ),
    "class with elisions": (
        "python",
        "class A:\n    # ...\n\n    def b(self):\n        return 1\n\n    # ...",
        [("class", "A", 0, 0, 1, 7, -1), ("function", "b", 3, 3, 4, 5, 0)],
    ),
    "method behind a top-level line": (
        "python",
        "import os\n# ...\n\n    def a(self):\n        pass",
        [("import", "os", 0, 0, 1, 1, -1), ("function", "a", 3, 3, 4, 5, -1)],
    ),
    "first line without its indentation": (
        "python",
        "def a(self):\n        return 1\n\n    def b(self):\n        return 2",
        [("function", "a", 0, 0, 1, 2, -1), ("function", "b", 3, 3, 4, 5, -1)],
    ),
    "methods": (
        "javascript",
        "  a(x) {\n    // ...\n  }\n\n  async b() {\n    return 1;\n  }",
        [("function", "a", 0, 0, 1, 3, -1), ("function", "b", 4, 4, 5, 7, -1)],
    ),
    "end of one method, then another": (
        "javascript",
        "    return x;\n  }\n\n  b() {\n    // ...\n  }\n}",
        [("function", "b", 3, 3, 4, 6, -1)],
    ),
    "cut off": (
        "typescript",
        "export class A {\n  b(): void {\n    if (x) {\n      go();",
        [("class", "A", 0, 0, 1, 4, -1), ("function", "b", 1, 1, 2, 4, 0)],
    ),
    "members of an object": (
        "typescript",
        "  get: (a: string) => {\n    return a;\n  },\n  post() {\n  },",
        [("function", "get", 0, 0, 1, 3, -1), ("function", "post", 3, 3, 4, 5, -1)],
    ),
    "members of an interface": (
        "typescript",
        "  a: number;\n  b?: string;",
        [("value", "a", 0, 0, 1, 1, -1), ("value", "b", 1, 1, 2, 2, -1)],
    ),
    "constructor": (
        "java",
        "    private final int x;\n\n    @Inject\n    public A(int x) {\n        this.x = x;\n    }",
        [("value", "x", 0, 0, 1, 1, -1), ("function", "A", 2, 3, 4, 6, -1)],
    ),
    "property": (
        "csharp",
        "    public int A\n    {\n        get { return 1; }\n    }",
        [("value", "A", 0, 0, 2, 4, -1)],
    ),
    "php without its tag": (
        "php",
        "    public function a($x)\n    {\n        // ...\n    }",
        [("function", "a", 0, 0, 2, 4, -1)],
    ),
    "access specifiers": (
        "cpp",
        "  A(int x) : x_(x) {}\n\n private:\n  int x_;",
        [("function", "A", 0, 0, 1, 1, -1), ("value", "x_", 3, 3, 4, 4, -1)],
    ),
    "fields": (
        "go",
        '\tName string `json:"name"`\n\tAge  int',
        [("value", "Name", 0, 0, 1, 1, -1), ("value", "Age", 1, 1, 2, 2, -1)],
    ),
    "end of an impl, then another": (
        "rust",
        "    fn a(&self) {}\n}\n\nimpl B for C {\n    // ...\n}",
        [("function", "a", 0, 0, 1, 1, -1), ("class", "B for C", 3, 3, 4, 6, -1)],
    ),
    "members of an object in JSON": (
        "json",
        '  "a": {\n    // ...\n    "b": [\n      1\n    ]\n  },',
        [("block", "a", 0, 0, 1, 6, -1), ("block", "b", 1, 2, 3, 5, 0)],
    ),
    "script of a component": (
        "vue",
        "const a = ref(0)\nfunction b() {\n}",
        [("value", "a", 0, 0, 1, 1, -1), ("function", "b", 1, 1, 2, 3, -1)],
    ),
    "statements": ("javascript", "if (a) {\n  // ...\n} else {\n  b();\n}", []),
    "cases": ("java", "case 1:\n    go();\n    break;\ndefault:\n    stop();", []),
    "nothing": ("python", "", []),
    "elision alone": ("python", "    # ...", []),
    "no grammar": ("ini", "[a]\nb = 1", [("section", "a", 0, 0, 1, 2, -1), ("value", "b", 1, 1, 2, 2, 0)]),
}


@pytest.mark.parametrize("case", CASES)
def test_what_a_snippet_declares(case: str) -> None:
    language, text, expected = CASES[case]
    found = snippet_outline(text.split("\n"), language)
    rows = [
        (d.kind, d.name, d.start_line, d.header_line, d.body_line, d.end_line, d.parent) for d in found.declarations
    ]
    assert rows == expected
    assert found.num_errors == 0


def test_nothing_of_a_frame_shows() -> None:
    found = snippet_outline(["  a() {", "  }"], "java")
    assert [(d.name, d.parent, d.depth) for d in found.declarations] == [("a", -1, 0)]


def test_a_snippet_is_read_quickly() -> None:
    lines = ["  a(x) {", "    return (;", "  }"] * 100
    snippet_outline(lines, "typescript")
    assert took(lambda: snippet_outline(lines, "typescript")) < 50


def test_php_needs_no_opening_to_be_code() -> None:
    found = snippet_outline("    public function a()\n    {\n        return 1;\n    }".split("\n"), "php")
    assert [declaration.name for declaration in found.declarations] == ["a"]
