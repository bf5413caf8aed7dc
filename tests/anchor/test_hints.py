"""What the words around the code say: hints in prose, remarks in comments, words that say that code goes or stays."""

from __future__ import annotations

import re

import pytest

from fastedit import apply
from fastedit.anchor.cues import CUES, CueKind, cue_at
from fastedit.anchor.hints import gone_in, hints_of, prose_of
from support.applying import fenced, lazily

CALC = """import math


def area(radius):
    return math.pi * radius**2


def edge(radius):
    return 2 * math.pi * radius


def name(radius):
    return f"circle of {radius}"
"""


@pytest.mark.parametrize(
    ("prose", "removed"),
    [
        ("I removed `edge` and `name()`.", {"edge", "name"}),
        ("Deletes `edge`. Keeps `area`.", {"edge"}),
        ("- drop old_edge\n- add new_edge", {"old_edge"}),
        ("The method `Circle.edge` is gone; `area` is faster.", {"edge"}),
        ("`area` is faster now.", set()),
        ("The `re` import and the unused `timedelta`/`timezone` names all go away:", {"re", "timedelta", "timezone"}),
        ("I dropped `edge` from `shapes` and from `__all__`.", {"edge"}),
        ("`area` only escapes, so `edge` is deleted (it stood above `name`).", {"edge"}),
        ("`edge` isn't used anywhere, so I removed it.", {"edge"}),
        ("No longer needed:\n\n- `edge` in `shapes`\n- the old `name`\n\nAdd `area`.", {"edge", "name"}),
        ("I removed what was deprecated: `edge()`, and `name`.", {"edge", "name"}),
        ("Gone are `edge` and `name`, together with `area`.", {"edge", "name", "area"}),
        ("Drop `edge` (mind `area`), and the `name` helper.", {"edge", "name"}),
        ("Drop `edge`; `name` is still needed.", {"edge"}),
        ("`remove` now returns what it removed.", set()),
        ("It goes right after `area`, and `edge` can go through `name`.", set()),
        ("When `area` is removed, `edge` logs it. `name` was never dropped.", set()),
        ("Ich habe `edge` und `name` entfernt, `area` bleibt.", {"edge", "name"}),
        ("`edge` et `name` disparaissent de `shapes`.", {"edge", "name"}),
        ("He eliminado `edge` de `shapes`.", {"edge"}),
        ("Ho tolto `edge`, `name` non serve più.", {"edge", "name"}),
        ("`edge` i `name` znikają z `shapes`.", {"edge", "name"}),
        ("Функция `edge` больше не нужна, `name` я удалил.", {"edge", "name"}),
        ("删除 `edge` 和 `name`，`area` 保留。", {"edge", "name"}),
        ("`edge`と`name`を削除しました。", {"edge", "name"}),
        ("`edge`는 삭제했습니다.", {"edge"}),
    ],
)
def test_what_the_words_say_is_gone(prose: str, removed: set[str]):
    assert hints_of(prose).removed == removed


def test_the_same_is_only_what_stays_where_no_thing_follows() -> None:
    assert hints_of("Delete `edge`, `name` and `area` from the same list.").removed == {"edge", "name", "area"}
    assert hints_of("Delete `edge`; `name` is the same.").removed == {"edge"}
    assert hints_of("Out go `edge` and `name`.").removed == {"edge", "name"}


def test_whole_lines_and_names_with_dashes_are_quoted():
    hints = hints_of('The line `from math import log` goes. Drop `docs-llm` and the "last chance" comment.')
    assert hints.removed == frozenset()
    assert hints.gone == ("from math import log", "docs-llm", '"last chance"')


@pytest.mark.parametrize(
    ("prose", "imports"),
    [
        ("The two imports that only they used are gone.", True),
        ("Der Import fällt weg.", True),
        ("The import goes below `math`.", False),
        ("`edge` is gone.", False),
    ],
)
def test_imports_may_be_gone_without_a_name(prose: str, imports: bool):
    assert hints_of(prose).imports is imports


@pytest.mark.parametrize(
    ("note", "gone"),
    [
        ("removed: edge", ("edge",)),
        ("edge and area are gone, see below", ("edge", "area")),
        ("[delete edge and the whole table]", ("edge",)),
        ("tolto: edge", ("edge",)),
        ("edge stays", ()),
    ],
)
def test_a_note_may_name_what_is_gone_without_backticks(note: str, gone: tuple[str, ...]):
    assert gone_in(note, {"edge", "area"}.__contains__) == gone


def test_names_are_in_backticks_or_written_like_code():
    assert hints_of("Use `area`, edge_of and nameOf in the file.").mentioned == {"area", "edge_of", "nameOf"}


def test_only_prose_is_read():
    message = "Above.\n\n```python\n# remove `edge`\n```\n\nBetween.\n\n~~~\n`name` is gone\n```\n~~~\nBelow."
    assert prose_of(message).split() == ["Above.", "Between.", "Below."]
    assert hints_of(message).removed == frozenset()


@pytest.mark.parametrize("prose", ["I left out the docstrings.", "Docstrings are unchanged."])
def test_docstrings_may_only_be_left_out(prose: str):
    original = CALC.replace("def area(radius):\n", 'def area(radius):\n    """Square units."""\n')
    message = prose + "\n\n" + fenced("def area(radius):\n    return math.pi * radius * radius")
    applied = apply(original, message, path="a.py", mode="structural")
    assert applied.text == original.replace("radius**2", "radius * radius")


@pytest.mark.parametrize(
    "remark", ["# edge", "# area()", "# calc/circle.py", "# in area", "# after area()", "# [see above]"]
)
def test_a_remark_that_only_locates_is_no_code(remark: str):
    code = f"{remark}\n\ndef edge(radius):\n    return math.tau * radius"
    expected = CALC.replace("2 * math.pi * radius", "math.tau * radius")
    assert lazily(CALC, code, "circle.py").text == expected


@pytest.mark.parametrize("remark", ["# units: metres", "# the perimeter is cheaper this way"])
def test_a_remark_that_says_something_is_code(remark: str):
    code = f"def edge(radius):\n    {remark}\n    return math.tau * radius"
    expected = CALC.replace("    return 2 * math.pi * radius", f"    {remark}\n    return math.tau * radius")
    assert lazily(CALC, code, "circle.py").text == expected


def test_a_quoted_comment_is_one_however_it_is_punctuated():
    hints = hints_of('I removed the comment `// What parts them (as a rule: "/")`. The rest stays.')
    assert hints.gone == ('// What parts them (as a rule: "/")',)


@pytest.mark.parametrize("prose", ["still comes first", "still has to come first there", "stays", "is unchanged"])
def test_lines_that_the_words_keep_are_told_without_white_space(prose: str):
    hints = hints_of(f"`filled.close( )` {prose}. `total( 1 )` is gone.")
    assert hints.kept == {"filled.close()"}


@pytest.mark.parametrize(
    "prose",
    [
        "The docstring of `edge` is gone.",
        "I removed the docstring of `edge`, too.",
        "The docstrings of `area` and `edge` go.",
        "`remove_task` already says so in its docstring.",
    ],
)
def test_docstrings_that_go_take_no_declaration_along(prose: str):
    assert hints_of(prose).removed == frozenset()


def test_a_docstring_goes_where_the_words_say_so():
    original = CALC.replace("def edge(radius):\n", 'def edge(radius):\n    """The way around."""\n')
    code = fenced("# ...\n\ndef edge(radius):\n    return 2 * math.pi * radius\n\n# ...")
    kept = apply(original, code, path="a.py", mode="structural").text
    gone = apply(original, f"The docstring of `edge` is gone.\n\n{code}", path="a.py", mode="structural").text
    assert (kept, gone) == (original, CALC)


def cues(text: str) -> list[tuple[str, CueKind]]:
    """All cues of a text from its first character on, each behind the one before."""
    found: list[tuple[str, CueKind]] = []
    at = 0
    while at < len(text):
        cue = cue_at(text, at)
        if cue is None:
            at += 1
            continue
        kind, end = cue
        found.append((text[at:end], kind))
        at = end
    return found


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("remove", CueKind.REMOVES),
        ("Dropped", CueKind.REMOVED),
        ("no longer needed", CueKind.GOES),
        ("isn't used", CueKind.GOES),
        ("isn\u2019t used", CueKind.GOES),
        ("and", CueKind.AND),
        ("from", CueKind.PLACE),
        ("if", CueKind.IF),
    ],
)
def test_an_english_word_is_a_cue_however_it_is_written(word: str, kind: CueKind) -> None:
    for written in (word, word.upper(), word.capitalize()):
        assert cue_at(written, 0) == (kind, len(word))


@pytest.mark.parametrize("text", ["removed_items", "removeAll", "remove()", "$remove", "unremoved", "remove-all"])
def test_a_part_of_a_name_is_no_cue(text: str) -> None:
    start = text.lower().index("remove")
    assert cue_at(text, start) is None


def test_a_cue_of_several_words_is_read_whole() -> None:
    assert cues("x is no longer needed here") == [("is", CueKind.VERB), ("no longer needed", CueKind.GOES)]
    assert CueKind.GOES not in [kind for _, kind in cues("no longer needed for y")]


@pytest.mark.parametrize("text", ["entfernt", "gel\u00f6scht", "supprim\u00e9", "eliminado"])
def test_other_languages_are_read(text: str) -> None:
    assert cue_at(text, 0) == (CueKind.REMOVED, len(text))


def test_languages_without_blanks_are_read_amid_other_letters() -> None:
    assert cues("\u6211\u5220\u9664\u4e86\u5b83") == [("\u5220\u9664", CueKind.REMOVED)]


def test_each_entry_is_an_expression_and_kinds_have_some() -> None:
    for entries in CUES.values():
        assert entries
        for entry in entries:
            re.compile(entry)
