"""The questions that a partial file of keys leaves open, each with the answer that a reading takes."""

from __future__ import annotations

import pytest

from fastedit.anchor.hints import hints_of
from fastedit.anchor.lazy.keys import KEYS, MergedKeys, merged_by_keys
from fastedit.anchor.lazy.keys.gone import gone_entries
from fastedit.anchor.lazy.keys.merging import complete_keys
from fastedit.anchor.lazy.keys.placing import Sibling, kin_place, names_of, told_end, told_place
from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.proposals.finder import proposals_for
from fastedit.anchor.lazy.proposals.proposals import PROPOSALS
from fastedit.syntax import outline
from support.aligning import lines_of

PROJECT = """\
[project]
name = "shop"
classifiers = [
    "Framework :: Web :: 1.0",
    "Framework :: Web :: 2.0",
    "Language :: 3.11",
    "Language :: 3.12",
    "Topic :: Shops",
]
dependencies = [
    "attrs>=22",
    "click>=8",
    "httpx",
]

[dependency-groups]
dev = [
    "click>=8",
    "ruff",
]

[tool.sort]
known = ["a"]
"""

PACKAGE = """\
{
  "version": "1.0.0",
  "exports": {
    ".": "./index.js",
    "./dist/*": "./dist/*.js"
  },
  "dependencies": {
    "chalk": "^5",
    "zod": "^3"
  },
  "prettier": {
    "jsxBracketSameLine": true,
    "semi": false
  }
}
"""

STYLE = """\
:host {
  --gap: 4px;
}

:focus {
  outline: auto;
}

.nav {
  gap: 2px;
  margin: 0;
}

.mixed {
  top: 0; left: 0;
}
"""

NAV = """\
nav:
  - Home: index.md
  - Guide:
      - Start: guide/start.md
      - Usage: guide/usage.md
matrix:
  - os: linux
    python: "3.11"
"""


def candidates(original: str, shown: str, language: str, said: str = "", prose: str = "") -> list[MergedKeys]:
    return merged_by_keys(Lines(lines_of(original)), shown.rstrip("\n").split("\n"), language, said, prose)


def features(merged: MergedKeys, num_kept: int = 0) -> dict[str, float]:
    return dict(zip(KEYS, merged.features(num_kept), strict=True))


def reading(
    original: str, shown: str, language: str, *changes: tuple[str, str], said: str = "", prose: str = ""
) -> dict[str, float]:
    """The features of the reading that makes these changes, each of a text that the original has once."""
    expected = original
    for old, new in changes:
        assert expected.count(old) == 1, old
        expected = expected.replace(old, new)
    found = candidates(original, shown, language, said, prose)
    texts = ["\n".join(one.lines) + "\n" for one in found]
    assert expected in texts, "\n====\n".join(texts)
    return features(found[texts.index(expected)])


# ---- items without the key of their list -----------------------------------------------------------------------------


def test_an_item_alone_goes_into_the_list_that_has_its_place() -> None:
    new = ('3.12",', '3.12",\n    "Language :: 3.13",')
    shown = '"Language :: 3.13",'
    told = reading(PROJECT, shown, "toml", new, said="After 3.12 add")
    assert (told["keys_items"], told["keys_told"]) == (1, 1)
    assert reading(PROJECT, shown, "toml", new)["keys_unkin"] == 0  # behind the version before it
    assert reading(PROJECT, shown + "\n]", "toml", new)["keys_items"] == 1  # with the end of its list


def test_items_that_lists_have_change_where_they_stand() -> None:
    reading(PROJECT, '"httpx>=1",', "toml", ('"httpx"', '"httpx>=1"'))
    both = PROJECT.replace('"click>=8"', '"click>=9"').replace('"httpx"', '"httpx>=1"').replace('"ruff"', '"ruff>=1"')
    found = candidates(PROJECT, '"click>=9",\n"httpx>=1",\n"ruff>=1",', "toml")
    assert both in {"\n".join(one.lines) + "\n" for one in found}


def test_a_note_behind_an_item_tells_its_place() -> None:
    new = ('    "attrs>=22",', '    "attrs>=22",\n    "boto",')
    reading(PROJECT, '"click>=8",\n"boto",  # new, after attrs', "toml", new)


def test_items_of_yaml_go_where_the_words_say() -> None:
    said = "The page goes between Start and Usage:"
    new = ("      - Usage", "      - More: guide/more.md\n      - Usage")
    reading(NAV, "- More: guide/more.md", "yaml", new, said=said)
    last = ('python: "3.11"', 'python: "3.11"\n  - os: mac\n    python: "3.12"')
    reading(NAV, '- os: mac\n  python: "3.12"', "yaml", last, prose="at the end of `matrix`:", said="at its end")


def test_items_that_nothing_places_go_nowhere() -> None:
    assert candidates(PROJECT, '"unknown",', "toml") == []


# ---- what is shown complete ------------------------------------------------------------------------------------------


def test_a_block_that_is_said_to_be_complete_loses_what_it_does_not_show() -> None:
    shown = '{"version": "1.1.0", "exports": {".": "./index.js"}}'
    said = "The new `exports` (that object is complete):"
    whole = [
        ('"1.0.0"', '"1.1.0"'),
        ('{\n    ".": "./index.js",\n    "./dist/*": "./dist/*.js"\n  }', '{".": "./index.js"}'),
    ]
    assert reading(PACKAGE, shown, "json", *whole, said=said)["keys_whole"] > 0
    kept = reading(PACKAGE, shown, "json", whole[0], said=said)
    assert kept["keys_whole"] == 0
    assert len(candidates(PACKAGE, shown, "json")) == 1


def test_complete_keys() -> None:
    said = "`a` and `b` are the complete new objects. `c` changes. The matrix below is given in full."
    assert complete_keys(said) == {"a", "b", "matrix"}
    assert "matrix" in complete_keys("and the matrix below is complete")


def test_words_for_complete_lists_speak_for_replacing_them() -> None:
    shown = '[dependency-groups]\ndev = [\n    "ruff",\n    "ty",\n]'
    replaced = ('    "click>=8",\n    "ruff",\n', '    "ruff",\n    "ty",\n')
    assert reading(PROJECT, shown, "toml", replaced, said="The arrays are complete.")["keys_full"] == 1
    assert reading(PROJECT, shown, "toml", replaced)["keys_full"] == 0


# ---- new names -------------------------------------------------------------------------------------------------------


def test_a_new_name_may_take_over_an_old_one() -> None:
    change = ('"jsxBracketSameLine"', '"bracketSameLine"')
    assert reading(PACKAGE, '{"prettier": {"bracketSameLine": true}}', "json", change)["keys_renamed"] == 1
    shown = ":focus:where(:not(iframe)) {\n  outline: auto;\n}\n.nav {\n  gap: 2px;\n}"
    assert reading(STYLE, shown, "css", (":focus", ":focus:where(:not(iframe))"))["keys_renamed"] == 1
    shown = ":host,\n:root {\n  --gap: 5px;\n}\n.nav {\n  gap: 2px;\n}"
    reading(STYLE, shown, "css", (":host", ":host,\n:root"), ("4px", "5px"))


def test_a_rule_that_holds_several_in_a_line_leaves_the_others_readable() -> None:
    reading(STYLE, ".nav {\n  gap: 3px;\n}", "css", ("gap: 2px", "gap: 3px"))


# ---- keys of other blocks --------------------------------------------------------------------------------------------


def test_keys_shown_side_by_side_change_where_they_stand() -> None:
    shown = '"version": "1.1.0",\n"chalk": "^6",\n"execa": "^9"'
    changes = [('"1.0.0"', '"1.1.0"'), ('"chalk": "^5"', '"chalk": "^6",\n    "execa": "^9"')]
    assert reading(PACKAGE, shown, "json", *changes)["keys_scattered"] > 0
    shown = 'dependencies = [\n    "attrs>=23",\n    "click>=8",\n    "httpx",\n]\n\n[tool.sort]\nknown = ["b"]'
    changes = [("attrs>=22", "attrs>=23"), ('["a"]', '["b"]')]
    assert reading(PROJECT, shown, "toml", *changes)["keys_scattered"] > 0


def test_tables_of_one_name_are_told_apart_by_what_they_begin_with() -> None:
    original = '[[tool.overrides]]\nmodule = "a"\nfollow = "skip"\n\n[[tool.overrides]]\nmodule = "b"\n'
    second = ('module = "b"', 'module = "b"\n\n[[tool.overrides]]\nmodule = "c"')
    reading(original, '[[tool.overrides]]\nmodule = "c"\n', "toml", second)
    reading(original, '[[tool.overrides]]\nmodule = "a"\nfollow = "no"\n', "toml", ('"skip"', '"no"'))


def test_a_comment_above_a_known_key_may_speak_to_the_reader() -> None:
    shown = ".nav {\n  /* a bit more room */\n  gap: 3px;\n}"
    quiet = reading(STYLE, shown, "css", ("gap: 2px", "gap: 3px"))
    assert (quiet["keys_quiet"], quiet["keys_comments"]) == (1, 0)
    told = reading(STYLE, shown, "css", ("  gap: 2px", "  /* a bit more room */\n  gap: 3px"))
    assert (told["keys_quiet"], told["keys_comments"]) == (0, 1)


# ---- what the words say is gone --------------------------------------------------------------------------------------

LISTS = """\
[project]
classifiers = [
    "License :: Free :: MIT License",
    "Language :: 3.9",
    "Language :: 3.10",
    "Language :: 3.11",
]
dev = [
    'typing-extra >= 3; version < "3.11"',
    "lint-a",
    "lint-b>=2",
]
test = [
    "lint-a",
]
name = "shop"
"""


@pytest.mark.parametrize(
    ("prose", "lines"),
    [
        ("Classifiers: 3.9 and 3.10 go. After 3.11 add", [3, 4]),
        ("Delete the 3.9 line and put these after 3.11:", [3]),
        ("`typing-extra` can leave `dev` now", [8]),
        ("out go `lint-*` of `dev`", [9, 10]),
        ("`lint-a` leaves the test group", [13]),
        ("The MIT one goes.", [2]),
        ("no licence classifier any more", [2]),
        ("`name` stays", []),
        ("In `test` delete everything but `lint-a`", []),
        ("In `dev` delete everything but `lint-a`", [8, 10]),
        ("3.10 comes in", []),
        ("`unknown` is removed", []),
    ],
)
def test_entries_that_the_words_say_are_gone(prose: str, lines: list[int]) -> None:
    found = gone_entries(prose, Lines(lines_of(LISTS)), "toml")
    assert [line for one in found for line in one.lines] == lines


def test_a_gone_object_goes_whole() -> None:
    found = gone_entries("`prettier` is dropped.", Lines(lines_of(PACKAGE)), "json")
    assert [one.lines for one in found] == [(10, 11, 12, 13)]
    assert gone_entries("`prettier` is dropped.", Lines(lines_of(PACKAGE)), "python") == []


# ---- places ----------------------------------------------------------------------------------------------------------


def siblings(*keys: str) -> list[Sibling]:
    return [Sibling(key, names_of(key)) for key in keys]


@pytest.mark.parametrize(
    ("keys", "clause", "place"),
    [
        (["Framework::Web::1.0", "Framework::Web::2.0", "Language::2.0"], "after 2.0", 2),  # the likest of several
        (["--c-stone-1", "--c-stone-2", "--c-black"], "after stone", 2),  # all of a family
        (["--c-stone-1", "--c-stone-2", "--c-black"], "before stone", 0),
        (["a.line_length", "b.line_length"], "right before `b.line_length`", 1),
        (["x", "Open AI", "y"], 'between "Open AI" and y', 2),
        (["[tool.ruff", "[tool.ruff.lint", "[tool.sort"], "between ruff's own tables and `[tool.sort]`", 2),
        (["a", "b"], "after c", None),
        (["10", "1"], "after 0", None),  # a part of a number is none
    ],
)
def test_a_place_may_be_named_by_a_part(keys: list[str], clause: str, place: int | None) -> None:
    assert told_place(siblings(*keys), "Framework::Web::2.1", clause) == place


def test_the_ends_are_places() -> None:
    assert told_end(siblings("a", "b"), "`x` comes first") == 0
    assert told_end(siblings("a", "b"), "at the very end") == 2
    assert told_end(siblings("a", "b"), "the first two change") is None
    said = "`height` comes first, in `.nav` the new line follows `gap`:"
    reading(STYLE, ".nav {\n  height: 1px;\n}", "css", ("  gap: 2px", "  height: 1px;\n  gap: 2px"), said=said)
    reading(STYLE, ".nav {\n  color: red;\n}", "css", ("gap: 2px;", "gap: 2px;\n  color: red;"), said=said)


def test_words_may_be_passed_over() -> None:
    said = "`color` goes after `gap`:"
    unheard = reading(STYLE, ".nav {\n  color: red;\n}", "css", ("margin: 0;", "margin: 0;\n  color: red;"), said=said)
    assert (unheard["keys_told"], unheard["keys_unheard"]) == (0, 1)


def test_kin_stand_by_their_numbers() -> None:
    keys = ["Lang::3.9", "Lang::3.10", "Other", "Lang::3.12"]
    assert kin_place(keys, "Lang::3.11") == 2
    assert kin_place(keys, "Lang::3.13") == 4
    assert kin_place(keys, "Lang::3.8") == 0
    assert kin_place(keys, "Else::3.8") is None
    assert kin_place(keys, "Other") is None


def test_only_what_no_marker_covers_counts_as_hidden() -> None:
    shown = "nav:\n  # ...\n  - Guide:\n      - Usage: guide/all.md\nmatrix:\n  # ..."
    found = candidates(NAV, "# ...\n" + shown, "yaml")
    assert found
    assert all(features(one)["keys_hidden"] == 0 for one in found)


def test_lines_that_no_word_removes() -> None:
    merged = candidates(STYLE, ".nav {\n  gap: 3px;\n}", "css")[0]
    assert features(merged, 3)["keys_kept_unsaid"] > 0
    merged = candidates(STYLE, ".nav {\n  gap: 3px;\n}", "css", said="The margin is gone.")[0]
    assert features(merged, 3)["keys_kept_unsaid"] == 0


def test_words_for_what_stays_speak_for_joining_lists() -> None:
    shown = '[dependency-groups]\ndev = [\n    "ruff>=1",\n    "ty",\n]'
    joined = ('    "ruff",\n', '    "ruff>=1",\n    "ty",\n')
    assert reading(PROJECT, shown, "toml", joined, said="Just these two, the others stay.")["keys_joined_said"] == 1
    assert reading(PROJECT, shown, "toml", joined)["keys_joined_said"] == 0


def test_a_statement_is_known_with_and_without_its_parentheses() -> None:
    original = ".a {\n  @include cell();\n  color: red;\n}\n"
    reading(original, ".a {\n  @include cell;\n}", "scss", ("cell();", "cell;"))


def test_a_clause_is_a_proposal_of_its_own() -> None:
    lines = tuple(lines_of(LISTS))
    found = outline(LISTS, "toml")
    clauses = gone_entries("3.9 and 3.10 go.", Lines(lines), "toml")
    proposed = proposals_for(lines, tuple(range(len(lines))), lines, found, hints_of(""), entries=clauses)
    told = [dict(zip(PROPOSALS, one.values, strict=True)) for one in proposed]
    assert [one.gone for one, values in zip(proposed, told, strict=True) if values["entries_gone"]] == [(3, 4)]


def test_new_tables_go_where_the_words_before_the_snippet_say() -> None:
    snippet = ["[tool.mut]", "paths = 1"]
    lines = Lines(lines_of(PROJECT))
    said = "And append at the end of the file (one blank line before it):"
    [last, *_] = merged_by_keys(lines, ["[project]", 'name = "store"', "", *snippet], "toml", said, said)
    assert last.lines[-3:] == ("", *snippet)
    told = dict(zip(KEYS, last.features(0), strict=True))
    assert (told["keys_root"], told["keys_braced"]) == (1, 0)


def test_the_words_right_before_a_snippet_count_more_than_others_that_may_tell_a_place() -> None:
    sheet = ".layout {\n  width: 1px;\n}\n\n.content {\n  width: 2px;\n}\n"
    rule = ["@media print {", "  .layout {", "    width: 3px;", "  }", "}"]
    lead = "Add this at the end of the file:"
    said = f"On paper the menu now sits above the content. {lead}"
    [last, *_] = merged_by_keys(Lines(lines_of(sheet)), rule, "css", said, lead)
    assert last.lines[-len(rule) :] == tuple(rule)


def test_an_elided_value_is_no_marker_for_other_keys() -> None:
    """`"a": { ... }` only tells where the key is; of keys that aren't shown it says no more than their absence does."""
    package = (
        '{\n  "name": "a",\n  "scripts": {\n    "test": "run",\n    "lint": "look"\n  },\n'
        '  "files": {\n    "a": "b"\n  }\n}\n'
    )
    for elided, is_marked in (('  "files": { ... }', 0), ('  "files": {\n    // ...\n  }', 1)):
        shown = ["{", '  "scripts": {', '    "test": "vitest"', "  },", *elided.split("\n"), "}"]
        merged = merged_by_keys(Lines(lines_of(package)), shown, "json")
        kept = [one for one in merged if '  "name": "a",' in one.lines]
        assert kept
        told = dict(zip(KEYS, kept[0].features(0), strict=True))
        assert told["keys_marked"] == is_marked


def test_a_key_takes_the_place_of_another() -> None:
    siblings = [Sibling(one, names_of(one)) for one in ("main", "dependencies", "engines")]
    assert told_place(siblings, "types", "`types` takes the place of `dependencies`") == 2


def test_objects_with_their_braces() -> None:
    [one, *_] = merged_by_keys(Lines(lines_of(PACKAGE)), ["{", '  "version": "2.0.0"', "}"], "json")
    told = dict(zip(KEYS, one.features(0), strict=True))
    assert (told["keys_root"], told["keys_braced"]) == (1, 1)
    [one, *_] = merged_by_keys(Lines(lines_of(PACKAGE)), ['"zod": "^4"'], "json")
    told = dict(zip(KEYS, one.features(0), strict=True))
    assert (told["keys_root"], told["keys_braced"]) == (0, 0)


def test_a_list_shown_whole_ends_as_the_file_or_as_the_snippet() -> None:
    file = Lines(["[project]", "dev = [", '  "a==1"', "]"])
    found = merged_by_keys(file, ["[project]", "dev = [", '  "a==1",', '  "b",', "]"], "toml")
    assert [one.lines[-2] for one in found] == ['  "b"', '  "b",']
    assert [dict(zip(KEYS, one.features(0), strict=True))["keys_ends"] for one in found] == [0, 1]


def test_values_that_are_left_out_stay() -> None:
    snippet = ["{", '"version": ...,', '"dependencies": { "chalk": "^6" ... }', '"prettier": "…"', "}"]
    [one, *_] = merged_by_keys(Lines(lines_of(PACKAGE)), snippet, "json")
    assert "\n".join(one.lines) + "\n" == PACKAGE.replace('"chalk": "^5"', '"chalk": "^6"')


def test_a_quoted_wildcard_that_is_a_key_is_no_wildcard() -> None:
    found = gone_entries("the `./dist/*` wildcard is gone", Lines(lines_of(PACKAGE)), "json")
    assert [one.lines for one in found] == [(4,)]
    found = gone_entries("`ch*` is gone", Lines(lines_of(PACKAGE)), "json")
    assert [one.lines for one in found] == [(7,)]


def test_comments_of_the_file_and_those_for_its_reader() -> None:
    styles = Lines([".a {", "  top: 0;", "}"])
    odds = []
    said = "only this one changes, the rest as before"
    for comment in ("stylelint-disable-next-line declaration-no-important", said):
        shown = [".a {", f"  /* {comment} */", "  top: 1;", "}"]
        found = merged_by_keys(styles, shown, "css")
        told = [dict(zip(KEYS, one.features(0), strict=True)) for one in found]
        odds.append(max((one["keys_comment_odds"] for one in told), default=0.0))
    assert odds[0] > 0
    assert odds[0] > odds[1]
