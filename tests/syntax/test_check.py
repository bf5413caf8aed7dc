from __future__ import annotations

import pytest

from fastedit.syntax import added_errors, count_errors

WHOLE = {
    "python": "def f(a):\n    return g(a)\n\n\nclass A:\n    x = [1, 2]\n",
    "typescript": "export class A {\n  f(a: number): number {\n    return g(a);\n  }\n}\n",
    "go": "package a\n\nfunc F(a int) int {\n\treturn g(a)\n}\n",
    "rust": "fn f(a: u32) -> u32 {\n    g(a)\n}\n",
    "java": "class A {\n    int f(int a) {\n        return g(a);\n    }\n}\n",
    "json": '{\n  "a": [1, 2],\n  "b": {}\n}\n',
    "css": "a {\n  color: red;\n}\n",
    "toml": "[a]\nb = [1, 2]\n",
}


@pytest.mark.parametrize("language", WHOLE)
def test_a_lost_bracket_is_an_added_error(language: str) -> None:
    text = WHOLE[language]
    assert count_errors(text, language) == 0
    for bracket in ")]}":
        at = text.rfind(bracket)
        if at >= 0:
            broken = text[:at] + text[at + 1 :]
            assert added_errors(text, broken, language) > 0, broken
            assert added_errors(broken, text, language) == 0
            assert added_errors(broken, broken, language) == 0


def test_where_nothing_can_be_told_nothing_is_added() -> None:
    assert count_errors("((((", "ini") is None
    assert added_errors("a", "((((", "ini") == 0
    assert count_errors("x = (", "python", budget_s=0) is None
    assert added_errors("x = 1", "x = (", "python", budget_s=0) == 0


def test_errors_in_a_script_inside_markup_are_no_errors_of_the_markup() -> None:
    assert count_errors("<script>\nf(;\n</script>\n", "html") == 0
