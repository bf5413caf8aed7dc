from __future__ import annotations

from fastedit.syntax.parse import PageErrors, embedded_in

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
