from __future__ import annotations

import random
import tracemalloc
from pathlib import Path

import pytest

from fastedit.syntax import LANGUAGES
from fastedit.syntax.parse import ErrorCounter, PageErrors, count_error_nodes, embedded_in, grammar, has_grammar, parse
from support.timing import took

GRAMMARS = [info.name for info in LANGUAGES if info.grammar]
ODD_TEXTS = {
    "empty": "",
    "nul": "\x00" * 100,
    "lone carriage returns": "a\rb\r\rc",
    "no newline": "x",
    "form feeds": "a\x0cb\u2028c\x85\n",
    "astral": "\U0001f600 = '\U0001f600'\n" * 10,
    "lone surrogate": "x = '\ud800'\n",
    "byte order mark": "\ufeffx = 1\n",
    "long line": "a + " * 4_000,
    "opening brackets": "([{<" * 2_000,
    "closing brackets": ")]}>" * 1_000,
    "quotes": "\"'`" * 600,
    "blanks": " \t\n" * 1_000,
}


@pytest.mark.parametrize("language", GRAMMARS)
def test_every_grammar_reads_odd_texts(language: str) -> None:
    for text in ODD_TEXTS.values():
        tree = parse(text, language, budget_s=1.0)
        assert tree is None or tree.root_node.end_byte <= len(text.encode("utf-8", "replace"))


def test_a_language_without_grammar_has_no_tree() -> None:
    assert parse("x", "no such language") is None
    assert parse("x", "") is None
    assert grammar("ini") is None


def test_a_grammar_that_is_not_installed_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> object:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr("fastedit.syntax.parse.import_module", missing)
    grammar.cache_clear()
    try:
        assert not has_grammar("python")
        assert parse("x = 1", "python") is None
    finally:
        grammar.cache_clear()


def test_the_budget_is_kept() -> None:
    text = "x = [" + "1, " * 2_000_000 + "]\n"
    assert took(lambda: parse(text, "python", budget_s=0.1)) < 60
    assert parse(text, "python", budget_s=0.1) is None
    assert parse("x = 1", "python", budget_s=0) is None


@pytest.mark.parametrize("text", ["- " * 2_000, "".join(" " * depth + "a:\n" for depth in range(300)), "a:\n" * 40_000])
def test_yaml_that_would_overflow_the_grammars_scanner_is_not_parsed(text: str) -> None:
    assert parse(text, "yaml") is None


def test_yaml_of_usual_depth_is_parsed() -> None:
    text = "".join("  " * depth + f"key{depth}:\n" for depth in range(60)) + "  " * 60 + "- a: [1, 2]\n"
    tree = parse(text, "yaml")
    assert tree is not None
    assert count_error_nodes(tree.root_node) == 0


def test_errors_and_missing_nodes_are_counted() -> None:
    def errors(text: str) -> int:
        tree = parse(text, "javascript")
        assert tree is not None
        return count_error_nodes(tree.root_node)

    assert errors("f();\n") == 0
    assert errors("f(;\n") == 1
    assert errors("class A { f() { g(; } }\nh(;\n") >= 2


def test_no_grammar_is_loaded_before_it_is_asked_for() -> None:
    source = Path(__file__).parents[2] / "fastedit" / "syntax"
    assert not [path for path in source.rglob("*.py") if "import tree_sitter_" in path.read_text()]


def test_nothing_of_a_text_stays_in_memory() -> None:
    text = "def f(a):\n    return a + 1\n\n\n" * 2000
    parse(text, "python")
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for number in range(10):
            parse(f"{text}# {number}\n", "python")
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < len(text)


PAGE = [
    "<template>",
    "  <p>{{ total }}</p>",
    "</template>",
    "<script>",
    "export default {",
    "  data() {",
    "    return { total: 0 };",
    "  }",
    "};",
    "</script>",
]
NOTES = ["# Notes", "", "```json", '{"depth": 2}', "```", "", "```", "{{", "```"]


def test_a_script_is_found_with_its_language() -> None:
    assert list(embedded_in(PAGE, "vue")) == [(4, 9, "javascript")]
    typed = ['<script lang="ts">', "let a: number;", "</script>"]
    assert list(embedded_in(typed, "svelte")) == [(1, 2, "typescript")]
    assert list(embedded_in(['<script type="text/x-template">', "<p>", "</script>"], "html")) == []
    assert list(embedded_in(PAGE, "python")) == []


def test_samples_are_found_between_fences_that_name_a_language() -> None:
    assert list(embedded_in(NOTES, "markdown")) == [(3, 4, "json")]


def test_a_lost_bracket_in_a_script_is_an_error_of_the_page() -> None:
    errors = PageErrors(PAGE, "vue")
    assert errors.count == 0
    assert errors.after([(6, 7, ["    return { total: 1 };"])]) == 0
    assert errors.after([(7, 8, [])]) > 0
    assert errors.after([(1, 2, ["  <p>{{ sum }}</p>", "  <p></p>"])]) == 0


def test_changes_over_the_edge_of_a_script_are_read_anew() -> None:
    errors = PageErrors(PAGE, "vue")
    assert errors.after([(2, 5, ["</template>", "<script>", "export default {"])]) == 0
    assert errors.after([(2, 5, ["</template>", "<script>", "export default {{"])]) > 0
    assert errors.after([(8, 10, ["};", "</script>", "<script>", "let a = ;", "</script>"])]) > 0


def test_a_text_without_a_grammar_has_the_errors_of_its_samples() -> None:
    errors = PageErrors(NOTES, "markdown")
    assert errors.count == 0
    assert errors.after([(3, 4, ['{"depth": 2,}'])]) > 0
    assert PageErrors(["# Notes"], "markdown").count is None


PLAIN = {
    "python": "def {0}(value):\n    return [value]\n\n\n@dataclass\nclass {0}s:\n    size: int = 1\n\n\n",
    "go": "func {0}(value int) int {{\n\treturn value + 1\n}}\n\ntype {0}s struct {{\n\tsize int\n}}\n\n",
    "typescript": "export function {0}(value: number) {{\n  return [value];\n}}\n\nconst {0}s = {{ size: 1 }};\n\n",
    "java": "class {0} {{\n  int size() {{\n    return 1;\n  }}\n}}\n\n",
}
PIECES = (
    ["    return {"],
    ["}"],
    ["]"],
    ['"""'],
    ["/*"],
    ["x = 1"],
    ["`"],
    [""],
    ["@one"],
    ["    else:"],
    ["{", "}"],
    [],
)


@pytest.mark.parametrize("language", PLAIN)
def test_a_stretch_parsed_by_itself_says_what_the_whole_file_says(language: str) -> None:
    start = "package main\n\n" if language == "go" else ""
    lines = (start + "".join(PLAIN[language].format(f"one{n}") for n in range(12))).split("\n")
    errors = ErrorCounter(lines, language)
    assert errors.count == 0
    draw = random.Random(7)
    for _ in range(400):
        first, second = sorted(draw.sample(range(len(lines) + 1), 2))
        changes = [(first, min(first + draw.randrange(3), second), draw.choice(PIECES))]
        if draw.random() < 0.3:
            changes.append((second, second, draw.choice(PIECES)))
        changed = list(lines)
        for at, end, new in reversed(changes):
            changed[at:end] = new
        assert (errors.after(changes) == 0) == (ErrorCounter(changed, language).count == 0), changes
