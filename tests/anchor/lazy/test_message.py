"""What a message shows and says, how far results bear it out, and changes meant for every place."""

from __future__ import annotations

import pytest

from fastedit.anchor.hints import hints_of
from fastedit.anchor.lazy import readings
from fastedit.anchor.lazy.lines import Change, Lines
from fastedit.anchor.lazy.parts import ReadText
from fastedit.anchor.lazy.reading import NAMES, Reading
from fastedit.anchor.lazy.readings import readings_of
from fastedit.anchor.lazy.result.columns import indent_ratio
from fastedit.anchor.lazy.result.message import FULFILLED, TOLD, fulfilled_by, shown_of, told_by
from fastedit.anchor.lazy.words.repeated import (
    Repetition,
    Words,
    declared_in,
    repetitions,
    says_everywhere,
    told_counts,
)
from fastedit.edits.model import Snippet
from fastedit.syntax import outline
from support.aligning import WEIGHTS, lines_of
from support.results import result_of


def told(before: str, after: str, *, shown: str = "", prose: str = "") -> dict[str, float]:
    original, changes, message = result_of(before, after, shown, prose)
    return dict(zip(FULFILLED, fulfilled_by(original, changes, message), strict=True))


LOOP = """
def load(path):
    rows = read(path)
    for row in rows:
        check(row)  # may raise
    return rows
"""


def test_a_result_that_is_the_original_says_nothing() -> None:
    assert not any(told(LOOP, LOOP, shown=LOOP).values())


def test_shown_lines_that_the_result_lacks() -> None:
    shown = "    for row in rows:\n        check(row)\n        count += 1\n    # ...\n    return rows"
    assert told(LOOP, LOOP, shown=shown)["shown_lost"] > 0
    # Notes don't count, neither those of the snippet nor those behind the file's code.
    result = LOOP.replace("# may raise\n", "# may raise\n        count += 1\n")
    assert told(LOOP, result, shown=shown)["shown_lost"] == 0


def test_a_blank_line_that_only_the_snippet_has() -> None:
    shown = "    rows = read(path)\n    log(rows)\n\n    for row in rows:"
    new = "    rows = read(path)\n    log(rows)\n"
    assert told(LOOP, LOOP.replace("    rows = read(path)\n", new), shown=shown)["blank_lost"] == 1
    assert told(LOOP, LOOP.replace("    rows = read(path)\n", f"{new}\n"), shown=shown)["blank_lost"] == 0


def test_lines_shown_together_that_the_result_has_apart() -> None:
    shown = "    rows = read(path)\n    total = len(rows)\n    # ...\n    return rows"
    right = LOOP.replace("read(path)\n", "read(path)\n    total = len(rows)\n")
    assert told(LOOP, right, shown=shown)["shown_apart"] == 0
    apart = told(LOOP, LOOP.replace("    return", "    total = len(rows)\n    return"), shown=shown)
    assert apart["shown_apart"] == apart["shown_apart_marked"] > 0
    assert apart["shown_turned"] == 0
    turned = told(LOOP, LOOP.replace("    rows =", "    total = len(rows)\n    rows ="), shown=shown)
    assert turned["shown_turned"] == 1
    # Without a marker less is sure.
    unmarked = told(LOOP, LOOP, shown="    rows = read(path)\n    return rows")
    assert unmarked["shown_apart"] > 0 == unmarked["shown_apart_marked"]
    # Blank lines between them don't count, and a line that isn't there stands apart from nothing.
    assert told(LOOP, right.replace("    total", "\n    total"), shown=shown)["shown_apart"] == 0
    assert told(LOOP, LOOP, shown=shown)["shown_apart"] == 0


def test_lines_indented_otherwise_against_each_other() -> None:
    shown = "for row in rows:\n    log(row)\n    note(row)"
    even = LOOP.replace("        check", "        log(row)\n        note(row)\n        check")
    assert told(LOOP, even, shown=shown)["uneven"] == told(LOOP, even, shown=shown)["uneven_kept"] == 0
    turned = told(LOOP, even.replace("        log(row)", "    log(row)"), shown=shown)
    assert turned["uneven_kept"] == turned["uneven"] == 1
    assert turned["uneven_turned"] == 2
    further = even.replace("        log(row)", "            log(row)").replace("        note", "            note")
    deeper = told(LOOP, further, shown=shown)
    assert (deeper["uneven_kept"], deeper["uneven"], deeper["uneven_turned"]) == (1, 0, 0)


@pytest.mark.parametrize("step", ["  ", "\t", "        "])
def test_steps_of_another_width_are_the_files(step: str) -> None:
    """A snippet in two blanks a level, of a file in four: its lines are even where they stand by the file's."""
    shown = "for row in rows:\n    check(row)  # may raise\n    if row:\n        log(row)\n    note(row)".replace(
        "    ", step
    )
    new = "\n        if row:\n            log(row)\n        note(row)\n"
    even = LOOP.replace("raise\n", f"raise{new}")
    by_file = told(LOOP, even, shown=shown)
    assert by_file["uneven"] == by_file["uneven_kept"] == 0
    if step != "\t":  # which is four columns, as the file's steps are
        as_shown = told(LOOP, even.replace("            log", f"        {step}log"), shown=shown)
        assert as_shown["uneven"] > 0


def test_a_snippet_in_the_steps_of_the_file_is_not_scaled() -> None:
    original = Lines(("a:", "    b: 1", "    c:", "        d: 2"))
    assert indent_ratio(original, Lines(("c:", "  d: 2", "  e: 3"))) == 2
    assert indent_ratio(original, Lines(("c:", "    d: 2", "      e: 3"))) == 1  # its step is the file's
    assert indent_ratio(original, Lines(("c:", "  e: 3"))) == 1  # nothing tells
    assert indent_ratio(Lines(("a", "b")), Lines(("f:", "  g: 2"))) == 1


def test_dots_that_are_written() -> None:
    assert told(LOOP, LOOP.replace("check(row)", "check(...)"))["dots_written"] == 1
    assert told(LOOP, LOOP.replace("check(row)", "check(row, 1)"))["dots_written"] == 0


def test_notes_that_are_written_behind_code() -> None:
    noted = told(LOOP, LOOP.replace("return rows", "return rows  # was None before"))
    assert noted["notes_written"] == 1
    assert noted["talk_written"] > 0
    added = told(LOOP, LOOP.replace("    return rows", "    log(rows)  # new\n    return rows"))
    assert added["notes_written"] == 0
    assert added["talk_written"] > 0
    assert told(LOOP, LOOP.replace("return rows", "return [*rows]"))["talk_written"] == 0


def test_names_that_go_though_they_are_spoken_of() -> None:
    result = LOOP.replace("        check(row)  # may raise\n", "        pass\n")
    assert told(LOOP, result, prose="Add `log` behind `check`.")["said_gone"] == 1
    assert told(LOOP, result, prose="I removed `check`.")["said_gone_asked"] == 1
    assert told(LOOP, LOOP, prose="Add `log` behind `check`.")["said_gone"] == 0
    stays = told(LOOP, LOOP.replace("    rows = read(path)\n", ""), prose="`rows` stays, and `check` does.")
    assert (stays["stays_gone"], stays["said_gone"]) == (1, 0)
    assert told(LOOP, LOOP.replace("rows = read", "rows = load"), prose="Keep `rows`.")["stays_gone"] == 0


def test_names_that_go_though_a_note_has_them() -> None:
    result = LOOP.replace("        check(row)  # may raise\n", "        pass\n")
    assert told(LOOP, result, shown="    # ... check as before ...")["noted_gone"] == 1
    assert told(LOOP, result, shown="    # removed: check")["noted_gone_asked"] == 1
    # A note that is written isn't one.
    written = LOOP.replace("        check(row)  # may raise\n", "        # no check\n")
    assert told(LOOP, written, shown="        # no check")["noted_gone"] == 0


def test_lines_that_go_though_a_note_names_what_they_are_about() -> None:
    before = "sizes = {\n    'width': 1,\n    'height': 2,\n}\nprint(sizes['height'])"
    result = before.replace("    'height': 2,\n", "")
    assert told(before, result, shown="    # width, height")["noted_line_gone"] == 1
    assert told(before, before, shown="    # width, height")["noted_line_gone"] == 0


BEFORE = "<Overlay>\n<Input size='s'/>\n</Overlay>"
AFTER = "<Overlay>\n<Input size='l'/>\n</Overlay>"


def told_of(
    prose: str, before: str = BEFORE, after: str = AFTER, snippet: str = "<Input size='l'/>"
) -> dict[str, float]:
    shown = shown_of([snippet.split("\n")], hints_of(prose), prose)
    changes = [
        (number, number + 1, [new])
        for number, (old, new) in enumerate(zip(before.split("\n"), after.split("\n"), strict=True))
        if old != new
    ]
    return told_by(shown, Lines(before.split("\n")), changes)


def test_every_fact_has_its_name() -> None:
    assert tuple(told_of("")) == TOLD


@pytest.mark.parametrize(
    ("prose", "count"),
    [
        ("Change `<Overlay>` to `<Overlay2>`.", 1),
        ("`<Overlay>` becomes `<Overlay2>`.", 1),
        ("Use `<Overlay2>` instead of `<Overlay>`.", 1),
        ("`size='s'` → `size='l'`", 0),
    ],
)
def test_one_for_another_that_the_result_does_not_have(prose: str, count: int) -> None:
    found = told_of(prose)
    assert found["renamed"] == 1
    assert found["renamed_not"] == count


def test_code_in_the_prose_that_is_nowhere() -> None:
    assert told_of("Call `prepare(value)` first.")["missing"] == 1
    assert told_of("The size is `size='l'` now.")["missing"] == 0


def test_lines_of_a_snippet_that_the_result_does_not_have() -> None:
    assert told_of("", snippet="<Input size='l'/>\n<Button kind='a'/>")["lost"] > told_of("")["lost"] == 0


def test_a_snippet_that_changes_nothing_is_idle() -> None:
    assert told_of("", snippet="</Overlay>")["idle"] == 1
    assert told_of("")["idle"] == 0


ORIGINAL = """\
def first(day):
    month = calendar.weeks(day)
    return month[0]


def last(day):
    if day:
        month = calendar.weeks(day)
    return month[-1]
"""
NEW = "    month = FIXED.weeks(day)"


@pytest.mark.parametrize("words", ["In both functions:", "each of them becomes", "En ambas", "在所有地方", "обе"])
def test_words_speak_of_several_places(words: str) -> None:
    assert says_everywhere(words)


@pytest.mark.parametrize("words", ["", "In `first`:", "Ändert den Monat."])
def test_words_speak_of_one_place(words: str) -> None:
    assert not says_everywhere(words)


def made(change: Change, words: str = "", original: str = ORIGINAL) -> list[Repetition]:
    declared = declared_in(outline(original, "python"))
    return repetitions([change], Lines(lines_of(original)), [Words(words)], declared)


def test_a_change_is_made_where_the_same_line_stands() -> None:
    [one] = made((1, 2, [NEW]))
    assert one.changes == [(1, 2, [NEW]), (7, 8, ["    " + NEW])]
    assert not any(one.values.values())


def test_other_lines_short_ones_and_insertions_are_left() -> None:
    assert made((2, 3, ["    return month"])) == []
    assert made((3, 4, ["# more"])) == []
    assert made((1, 1, [NEW])) == []


def test_the_number_of_places_counts() -> None:
    assert made((1, 2, [NEW]), "In both functions:")[0].values["count"] == 1
    assert made((1, 2, [NEW]), "In all three functions:")[0].values["count"] == 0


def test_named_declarations_count() -> None:
    assert made((1, 2, [NEW]), "In `first` and `last`:")[0].values["named"] == 1
    third = ORIGINAL + "\n\ndef third(day):\n    month = calendar.weeks(day)\n    return month\n"
    everywhere, inside = made((1, 2, [NEW]), "In `first` and `last`:", third)
    assert (everywhere.values["named"], everywhere.values["unnamed"]) == (0.5, 0.5)
    assert [start for start, _, _ in inside.changes] == [1, 7]


def test_a_declaration_with_the_change_itself_is_not_meant_as_another_place() -> None:
    original = ORIGINAL.replace("    if day:\n", "    month = calendar.weeks(day)\n    if day:\n")
    declared = declared_in(outline(original, "python"))
    changes = [(2, 3, ["    return month[0] + 1"]), (6, 7, [NEW])]
    told = [Words("In `last`:")]
    [everywhere] = repetitions(changes, Lines(lines_of(original)), told, declared)
    assert [start for start, _, _ in everywhere.changes] == [1, 2, 6, 8]
    assert everywhere.values["named"] == 0


def test_in_a_named_declaration_the_line_that_is_most_alike_counts() -> None:
    original = ORIGINAL.replace("        month = calendar.weeks(day)", "        month = calendar.weeks(day, 1)")
    [one] = made((1, 2, [NEW]), "In `first` and `last`:", original)
    assert one.changes == [(1, 2, [NEW]), (7, 8, ["    " + NEW])]
    assert one.values["like"] == 1
    assert made((1, 2, [NEW]), "In both:", original) == []


def test_only_the_lines_of_a_snippet_whose_words_say_so() -> None:
    original = "\n".join([ORIGINAL, ORIGINAL.replace("first", "second").replace("last", "least")])
    changes = [(1, 2, [NEW]), (2, 3, ["    return month[0] + 1"])]
    told = [Words(""), Words("In all three:", frozenset({"".join(NEW.split())}), is_part=True)]
    found = repetitions(changes, Lines(lines_of(original)), told, {})
    assert [(one.values["part"], len(one.changes)) for one in found] == [(0, 6), (1, 5)]
    assert found[1].values["said"] == 1


LISTS = "test:\n- lint\n- unit\n- docs\n\nrelease:\n- lint\n- unit\n- wheel\n"


def of_lists(shown: str, at: int, words: str = "In both jobs:") -> list[Repetition]:
    told = Words(words, frozenset("".join(line.split()) for line in shown.split("\n")), is_part=True)
    return repetitions([(at, at, ["- types"])], Lines(lines_of(LISTS)), [told], {})


def test_new_lines_go_where_the_lines_around_them_stand_again() -> None:
    [one] = of_lists("- lint\n- types\n- unit", 2)
    assert [start for start, _, _ in one.changes] == [2, 7]
    assert (one.values["count"], one.values["fits"]) == (1, 1)


def test_new_lines_that_show_nothing_of_one_side_stand_once() -> None:
    assert of_lists("- lint\n- types", 2) == []


def test_one_line_that_tells_enough_is_enough_where_words_speak_of_several_places() -> None:
    original = LISTS.replace("lint", "lint-everything")
    told = Words("In test as well as in release:", frozenset({"-lint-everything", "-types"}), is_part=True)
    [one] = repetitions([(2, 2, ["- types"])], Lines(lines_of(original)), [told], {})
    assert [start for start, _, _ in one.changes] == [2, 7]
    assert one.values["count"] == 1
    silent = Words("", told.keys, is_part=True)
    assert repetitions([(2, 2, ["- types"])], Lines(lines_of(original)), [silent], {}) == []


def test_what_only_goes_goes_elsewhere_where_words_speak_of_several_places() -> None:
    original = "a = 1\n\n# since 1.0\nb = 2\n\n# since 1.0\nc = 3\n\n# since 1.1\n"
    [one] = made((1, 3, []), "The remark goes, in both:", original)
    assert one.changes == [(1, 3, []), (4, 6, [])]
    assert made((1, 3, []), "The remark goes:", original) == []


def test_each_of_several_changes_may_have_its_own_number_of_places() -> None:
    original = "up: v1.0\ndown: v2.0\nup: v1.0\ndown: v2.0\ndown: v2.0\n"
    changes = [(0, 1, ["up: v1.1"]), (1, 2, ["down: v2.1"])]
    for words, counted in (("Both of the first, all three of the others:", 1), ("In both:", 0)):
        [one] = repetitions(changes, Lines(lines_of(original)), [Words(words)], {})
        assert (len(one.changes), one.values["count"]) == (5, counted)


def test_a_number_may_have_one_more_beside_it() -> None:
    assert told_counts("in all three overloads and in the implementation") == {3, 4}
    assert told_counts("in both") == {2}


def test_what_a_snippet_shows_beside_its_change_may_stand_there_only() -> None:
    keys = ("deffirst(day):", "".join(NEW.split()), "returnmonth")
    values = [
        repetitions([(1, 2, [NEW])], Lines(lines_of(ORIGINAL)), [Words("In both:", frozenset(shown), is_part=True)], {})
        for shown in (keys[1:2], keys)
    ]
    assert [one.values["fits"] for [one] in values] == [1, 0]


def test_a_change_outside_of_all_that_words_name_speaks_against_it() -> None:
    third = ORIGINAL + "\n\ndef third(day):\n    month = calendar.weeks(day)\n    return month\n"
    assert [one.values["outside"] for one in made((1, 2, [NEW]), "In `last` and `third`:", third)] == [1]
    assert {one.values["outside"] for one in made((1, 2, [NEW]), "In `first` and `last`:", third)} == {0}


def test_another_number_of_places_than_words_say_speaks_against_it() -> None:
    assert made((1, 2, [NEW]), "In all three functions:")[0].values["miscounted"] == 1
    assert made((1, 2, [NEW]), "In both functions:")[0].values["miscounted"] == 0
    assert made((1, 2, [NEW]), "Everywhere:")[0].values["miscounted"] == 0


def test_each_of_several_snippets_is_made_in_as_many_places_as_its_own_words_say() -> None:
    one = "def {}(day):\n    month = calendar.weeks(day)\n    return store(month)\n"
    original = "\n\n".join(one.format(name) for name in ("first", "second", "third"))
    prose = ("In all three:", "And the result, in `second` only:")
    texts = (NEW, "def second(day):\n    # ...\n    return keep(month)")
    shown = [Snippet(tuple(text.split("\n")), prose=said) for text, said in zip(texts, prose, strict=True)]
    found, weights = outline(original, "python"), {**WEIGHTS, "repeated_part": 3.0}
    best = readings_of(lines_of(original), shown, "python", "\n".join(prose), found, known_weights=weights)[0]
    text = "\n".join(best.lines)
    assert (text.count("FIXED"), text.count("store"), text.count("keep")) == (3, 2, 1)
    told = dict(zip(NAMES, best.features().tolist(), strict=True))
    assert (told["repeated"], told["repeated_part"]) == (1, 1)
    score = sum(value * weights.get(name, 0.0) for name, value in told.items())
    assert best.score == pytest.approx(score, abs=1e-3)


def read(weight: float) -> tuple[Reading, dict[str, float]]:
    words, found = "In both functions:", outline(ORIGINAL, "python")
    weights = {**WEIGHTS, "repeated_said": weight, "next_shift_same": 0.0}
    shown = [Snippet((NEW,), prose=words)]
    return readings_of(lines_of(ORIGINAL), shown, "python", words, found, known_weights=weights)[0], weights


def test_the_words_decide_by_their_weight() -> None:
    once, _ = read(-3.0)
    everywhere, weights = read(3.0)
    assert "\n".join(once.lines).count("FIXED") == 1
    assert "\n".join(everywhere.lines).count("FIXED") == 2
    told = dict(zip(NAMES, everywhere.features().tolist(), strict=True))
    assert told["repeated_said"] == 1
    score = sum(value * weights.get(name, 0.0) for name, value in told.items())
    assert everywhere.score == pytest.approx(score, abs=1e-3)


def test_a_change_shown_once_for_three_of_many_places_is_made_in_them_beside_another_snippet(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ranked: list[list[ReadText]] = []
    outlooks = readings._outlooks

    def seen(ways: list[ReadText], text: Lines, foresight: readings.Foresight) -> list[float]:
        ranked.append(ways)
        return outlooks(ways, text, foresight)

    monkeypatch.setattr(readings, "_outlooks", seen)
    body = "    at = stack[index]\n    names = at.names\n    show(at)\n"
    original = "LIMIT = 3\n\n\n" + "\n\n".join(f"def f{number}(index):\n{body}" for number in range(16))
    first = Snippet(("LIMIT = 4",), prose="The limit:")
    new = "    at = stack[index]\n    if old:\n        names = at.names\n    show(at)"
    second = Snippet(tuple(new.split("\n")), prose="Then, in all three of `f3`, `f5` and `f9`:")
    message = f"The limit:\n\n```\nLIMIT = 4\n```\n\nThen, in all three of `f3`, `f5` and `f9`:\n\n```\n{new}\n```\n"
    lines = lines_of(original)
    found = readings_of(lines, [first, second], "python", message, outline(original, "python"))
    (part, _), *_ = ranked[-1][0]
    assert part.repeated, "what changes in many places isn't among the first ways, whose outlook is told"
    changed = [lines[line] for start, end, _ in found[0].changes(lines) for line in range(start, end)]
    assert changed == ["LIMIT = 3", *["    names = at.names"] * 3]
    assert [start for start, _, _ in found[0].changes(lines)][1:] == [
        lines.index(f"def {name}(index):") + 2 for name in ("f3", "f5", "f9")
    ]
