from __future__ import annotations

from fastedit.edits import parse_message
from fastedit.verify.excerpts import excerpts_of
from fastedit.verify.windows import LineChange, plan_windows, whole_file

FILE = [f"line {number}\n" for number in range(200)]
TWO_CHANGES = [LineChange(20, 21, ("first\n",)), LineChange(150, 151, ("second\n",))]
LAZY = """```
# ... existing code ...
line 19
first
line 21
# ... existing code ...
line 149
second
# ... existing code ...
```
"""
DIFF = """```diff
--- a/x
+++ b/x
@@ -20,3 +20,3 @@
 line 19
-line 20
+first
 line 21
@@ -150,3 +150,3 @@
 line 149
-line 150
+second
 line 151
```
"""


def excerpts(message, windows):
    (edit,) = parse_message(message)
    return excerpts_of(edit, windows, FILE)


def test_an_only_window_is_shown_the_whole_edit():
    (excerpt,) = excerpts(LAZY, [whole_file(FILE, TWO_CHANGES, [])])
    assert excerpt.text == LAZY.split("```")[1].lstrip("\n")
    assert excerpt.runs == ("line 19\nfirst\nline 21\n", "line 149\nsecond\n")


def test_what_is_elided_is_told_without_its_indentation():
    message = "```python\nclass A:\n    # ... existing code ...\n    x = 1\n```\n\n```python\ny = 2\n```\n"
    (excerpt,) = excerpts(message, [whole_file(FILE, TWO_CHANGES, [])])
    assert [excerpt.text[start:end] for start, end in excerpt.elisions] == ["# ... existing code ...", "..."]
    assert excerpt.text == "class A:\n    # ... existing code ...\n    x = 1\n...\ny = 2\n"


def test_each_window_is_shown_what_lies_between_its_neighbours():
    first, second = excerpts(LAZY, plan_windows(FILE, TWO_CHANGES, []))
    marker = "# ... existing code ...\n"
    assert first.text == f"{marker}line 19\nfirst\nline 21\n{marker}"
    assert second.text == f"{marker}line 149\nsecond\n{marker}"


def test_hunks_are_shown_with_their_signs():
    first, second = excerpts(DIFF, plan_windows(FILE, TWO_CHANGES, []))
    assert first.text == " line 19\n-line 20\n+first\n line 21\n"
    assert first.runs == ("line 19\nfirst\nline 21\n",)
    assert second.text == " line 149\n-line 150\n+second\n line 151\n"


def test_hunks_for_one_window_are_set_apart():
    (excerpt,) = excerpts(DIFF, [whole_file(FILE, TWO_CHANGES, [])])
    assert excerpt.text.count("...\n") == 1


def test_a_deletion_that_leaves_no_line_of_the_edit_is_shown_all_of_it():
    changes = [LineChange(20, 21, ("first\n",)), LineChange(150, 151, ())]
    message = "```\n# ... existing code ...\nline 19\nfirst\n# ... existing code ...\n# removed: line 150\n```\n"
    first, second = excerpts(message, plan_windows(FILE, changes, []))
    assert "# removed" in second.text
    assert first.text.startswith("# ... existing")


def test_blank_lines_tie_nothing_to_a_window():
    lines = [*FILE[:100], "\n", *FILE[100:]]
    changes = [LineChange(20, 21, ("first\n",)), LineChange(151, 152, ("second\n", "\n"))]
    first, second = excerpts("```\nfirst\n\n# ... existing code ...\n\nsecond\n```\n", plan_windows(lines, changes, []))
    assert "second" not in first.text
    assert "first" not in second.text


def test_lines_that_lie_outside_a_window_are_left_out():
    message = "```\nline 3\n# ... existing code ...\nline 19\nfirst\nline 21\n# ... existing code ...\nline 150\n```\n"
    (excerpt,) = excerpts(message, plan_windows(FILE, TWO_CHANGES[:1], []))
    assert excerpt.text == "...\nline 19\nfirst\nline 21\n# ... existing code ...\n"
    assert [excerpt.text[start:end] for start, end in excerpt.elisions] == ["...", "# ... existing code ..."]
    assert excerpt.codes == (None, "line 19", "first", "line 21", None)


def test_hunks_elsewhere_are_left_out():
    changes = [LineChange(20, 21, ("first\n",)), LineChange(150, 151, ())]
    deleting = DIFF.replace("+second\n", "")
    _, second = excerpts(deleting, plan_windows(FILE, changes, []))
    assert second.text == " line 149\n-line 150\n line 151\n"


def test_a_line_that_is_new_in_a_window_is_shown_there_wherever_else_it_stands():
    changes = [LineChange(20, 20, ("line 150\n",)), LineChange(150, 151, ())]
    (excerpt,) = excerpts("```\nline 19\nline 150\nline 20\n```\n", plan_windows(FILE, changes[:1], []))
    assert excerpt.text == "line 19\nline 150\nline 20\n"


def test_an_edit_none_of_whose_lines_lie_in_the_window_is_shown_whole():
    (excerpt,) = excerpts("```\nline 1\nline 3\n```\n", plan_windows(FILE, TWO_CHANGES[1:], []))
    assert excerpt.text == "line 1\nline 3\n"
