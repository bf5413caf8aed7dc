"""What holds of every lazy edit, however odd the file and the message are."""

from __future__ import annotations

import random
from string import ascii_lowercase

from hypothesis import assume, example, given
from hypothesis import strategies as st

from fastedit import Applied, EditRefused, apply
from support.applying import fenced, lazily
from support.examples import examples

MARKER = "# ... existing code ..."
PATHS = st.sampled_from(["a.py", "a.ts", "a.go", "a.yaml", "a.html", "a.sql", "a.zzz", None])
LINES = st.sampled_from(
    [
        "",
        "x = 1",
        "y = 2  # two",
        "def f(a, b):",
        "    return a",
        "    if a:",
        "        return b",
        "class C:",
        "    def f(self):",
        "        pass",
        "function f() {",
        "  return 1;",
        "}",
        "\tx := 1",
        "key: value",
        "  - item",
        "<div>",
        "</div>",
        "# ... existing code ...",
        "...",
        "// unchanged",
        "# removed: f",
        "def f(a, ...): ...",
        "@decorator",
        '"""',
        "(((",
        "SELECT *",
        "\x0c",
    ]
)
FILES = st.lists(LINES, max_size=14).map("\n".join)


@st.composite
def related(draw: st.DrawFn) -> tuple[str, str]:
    """A file and a snippet that quotes parts of it, with other lines and markers in between."""
    lines = draw(st.lists(LINES, min_size=1, max_size=16))
    snippet: list[str] = []
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(lines) - 1))
        snippet += lines[start : start + draw(st.integers(1, 5))]
        snippet += draw(st.lists(st.one_of(LINES, st.just(MARKER)), max_size=2))
    return "\n".join(lines), "\n".join(snippet)


ENDS = st.sampled_from(["", "\n", "\n\n"])


def squeezed(text: str) -> str:
    return "".join(text.split())


def attempt(original: str, message: str, path: str | None, **options: str) -> Applied | None:
    """The answer, None for a refusal; anything else that is raised fails the test."""
    try:
        return apply(original, message, path=path, mode="structural", **options)
    except EditRefused:
        return None


@examples(250)
@given(st.one_of(st.tuples(FILES, FILES), related()), PATHS, ENDS)
def test_any_snippet_is_applied_or_refused(texts: tuple[str, str], path: str | None, end: str):
    original, snippet = texts
    attempt(original + end, fenced(snippet), path, format="lazy")


@examples(120)
@given(st.text(max_size=60), st.text(max_size=60), PATHS, st.sampled_from(["auto", "lazy", "whole"]))
@example("a", "\r", None, "lazy")
def test_any_text_is_applied_or_refused(original: str, message: str, path: str | None, format: str):
    attempt(original, message, path, format=format)


@examples(250)
@given(related(), PATHS)
def test_every_line_of_the_result_is_from_the_file_or_from_the_edit(texts: tuple[str, str], path: str | None):
    original, snippet = texts
    applied = attempt(original, fenced(snippet), path, format="lazy")
    if applied is None:
        return
    known = {squeezed(line) for text in (original, snippet) for line in text.split("\n")}
    # An elided body or parameter leaves the original's part in the edit's line: a line of neither.
    # A note behind code stays out of the file.
    known |= {squeezed(line.split("#")[0]) for line in snippet.split("\n")}
    elided = [squeezed(line.split("(")[0]) for line in snippet.split("\n") if "..." in line and "(" in line]
    for line in map(squeezed, applied.text.split("\n")):
        assert not line or line in known or any(line.startswith(head) for head in elided)


@examples(150)
@given(related(), PATHS)
def test_the_diff_and_the_counts_agree_with_the_text(texts: tuple[str, str], path: str | None):
    original, snippet = texts
    applied = attempt(original, fenced(snippet), path, format="lazy")
    if applied is None:
        return
    changes = applied.changes
    assert (applied.text == original) == (applied.diff == "") == (changes.total == 0)
    assert (applied.text == original) == ("NO_CHANGE" in [warning.code for warning in applied.warnings])
    assert 0 <= applied.stats.certainty <= 1


# -- files whose lines are all different: there is one right answer, and it is given -------------------

FORMS = {"a.py": "{} = {}()", "a.ts": "const {} = {}();", "a.toml": '{} = "{}"', "a.zzz": "set {} to {}"}


def distinct_lines(generator: random.Random, count: int, path: str) -> list[str]:
    """Statements of words that no other has, nor any like them."""
    words = ["".join(generator.choices(ascii_lowercase, k=12)) for _ in range(2 * count)]
    return [FORMS[path].format(*pair) for pair in zip(words[::2], words[1::2], strict=True)]


@st.composite
def edits(draw: st.DrawFn) -> tuple[str, str, str, str]:
    """A file, a snippet with two lines of context on both sides, what it has to give, and the file's name.

    One place or two, at least six lines apart, where lines are replaced, inserted or deleted.
    """
    path = draw(st.sampled_from(sorted(FORMS)))
    generator = random.Random(draw(st.integers(0, 2**32)))
    lines = distinct_lines(generator, draw(st.integers(12, 60)), path)
    fresh = distinct_lines(generator, 6, path)
    marker = "// ... existing code ..." if path == "a.ts" else MARKER
    places = sorted({draw(st.integers(2, len(lines) - 4)) for _ in range(draw(st.integers(1, 2)))})
    places = [at for number, at in enumerate(places) if not number or at - places[number - 1] >= 8]
    result, snippet, at = list[str](), [marker], 0
    for place in places:
        kind = draw(st.sampled_from(["replace", "insert", "delete"]))
        num_gone = 0 if kind == "insert" else draw(st.integers(1, 2))
        num_new = 0 if kind == "delete" else draw(st.integers(1, 3))
        new, fresh = fresh[:num_new], fresh[num_new:]
        after = place + num_gone
        snippet += [*lines[place - 2 : place], *new, *lines[after : after + 2], marker]
        result += [*lines[at:place], *new]
        at = after
    result += lines[at:]
    return "\n".join(lines) + "\n", "\n".join(snippet), "\n".join(result) + "\n", path


READ = 0.2  # the reading is what is tested; whether it is certain enough is a question of its own


@examples(200)
@given(edits())
def test_an_edit_of_distinct_lines_is_exact(edit: tuple[str, str, str, str]):
    original, snippet, expected, path = edit
    assert lazily(original, snippet, path, READ).text == expected


@examples(60)
@given(edits(), st.sampled_from(["\r\n", "\n"]), st.booleans())
def test_line_ends_and_the_final_newline_make_no_difference(edit: tuple[str, str, str, str], end: str, has_end: bool):
    original, snippet, expected, path = edit
    if not has_end:
        original, expected = original[:-1], expected[:-1]
    assert lazily(original.replace("\n", end), snippet, path, READ).text == expected.replace("\n", end)


@examples(60)
@given(edits())
def test_the_second_time_changes_nothing(edit: tuple[str, str, str, str]):
    _, snippet, expected, path = edit
    again = lazily(expected, snippet, path, READ)
    assert again.text == expected
    assert [warning.code for warning in again.warnings] == ["NO_CHANGE"]


@examples(60)
@given(edits(), st.lists(st.sampled_from(["\x0c", "# \u2028", "\t \t", "# lone \r return"]), min_size=1, max_size=4))
def test_what_is_far_from_the_change_stays_byte_for_byte(edit: tuple[str, str, str, str], odd: list[str]):
    original, snippet, expected, path = edit
    head, tail = "\n".join(odd) + "\n" * 3, "\n" * 3 + "\n".join(odd)
    assert lazily(head + original + tail, snippet, path, READ).text == head + expected + tail


@examples(60)
@given(edits())
def test_without_markers_at_its_ends_the_snippet_means_the_same(edit: tuple[str, str, str, str]):
    original, snippet, expected, path = edit
    assume(path != "a.toml")  # what a part of a table without markers doesn't show, stays
    inner = "\n".join(snippet.split("\n")[1:-1])
    assert lazily(original, inner, path, READ).text == expected
