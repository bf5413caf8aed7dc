"""Sentences that speak of going or quote a change: what they may mean, and what is said of it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from fastedit.anchor.hints import hints_of
from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.proposals.quoted import new_quoted_lines
from fastedit.anchor.lazy.proposals.reworded import Rewording, spoken_changes
from fastedit.anchor.lazy.readings import readings_of
from fastedit.anchor.lazy.result.message import shown_of
from fastedit.anchor.lazy.words.mentions import ROLES, Mention, Mentioned, mention_tokens
from fastedit.anchor.lazy.words.repeated import declared_in
from fastedit.anchor.lazy.words.spoken import Unit, noted_units, speaking_of_going, spoken_units
from fastedit.edits.model import Snippet
from fastedit.syntax import outline
from support.aligning import WEIGHTS, lines_of

MODULE = """\
from __future__ import absolute_import
import os

def load(path):
    return path

def save(path):
    check(path)
    return load(path)
"""
PROJECT = """\
classifiers = [
  "License :: OSI Approved :: MIT License",
  "Programming Language :: Python :: 3.9",
  "Programming Language :: Python :: 3.11",
]

[testenv:debug]
commands = debug

[testenv:docs]
commands = docs
"""


def units(prose: str, original: str, language: str) -> dict[str, Unit]:
    """The first line of each unit that the words may mean → the unit."""
    lines = lines_of(original)
    found = spoken_units(prose, Lines(lines), declared_in(outline(original, language)))
    return {lines[one.start]: one for one in found}


def test_a_name_in_a_sentence_about_going_is_its_declaration() -> None:
    found = units("`save` can go, nobody calls it.", MODULE, "python")
    one = found["def save(path):"]
    assert (one.start, one.end) == (6, 9)
    assert one.values["named"] == one.values["by_quote"] == one.values["block"] == 1


def test_plain_words_count_too() -> None:
    found = units("No __future__ import any more.", MODULE, "python")
    assert found["from __future__ import absolute_import"].values["by_quote"] == 0


@pytest.mark.parametrize(
    ("prose", "line"),
    [
        ("Classifiers: the MIT one goes, 3.9 goes too.", '  "License :: OSI Approved :: MIT License",'),
        ("Classifiers: the MIT one goes, 3.9 goes too.", '  "Programming Language :: Python :: 3.9",'),
        ("And kill the leftovers: `[testenv:debug]`.", "[testenv:debug]"),
    ],
)
def test_entries_and_tables(prose: str, line: str) -> None:
    found = units(prose, PROJECT, "ini")
    assert line in found
    assert '  "Programming Language :: Python :: 3.11",' not in found


def test_a_table_goes_with_what_is_in_it() -> None:
    one = units("kill `[testenv:debug]`", PROJECT, "ini")["[testenv:debug]"]
    assert (one.start, one.end) == (6, 8)


def test_a_word_behind_one_for_a_place_says_so() -> None:
    found = units("Remove the check from `save`.", MODULE, "python")
    assert found["def save(path):"].values["place"] == 1


def test_sentences_about_other_things_mean_nothing() -> None:
    assert units("Adds a mode to `save`. Uses `load`.", MODULE, "python") == {}


def test_a_word_that_many_lines_have_means_none() -> None:
    many = "".join(f"use(thing, {number})\n" for number in range(9))
    assert units("`thing` goes.", many, "python") == {}


def test_the_nearer_word_for_going_counts() -> None:
    prose = "Drop `load`; everybody who reads this file by hand has to call open instead of `save`."
    found = units(prose, MODULE, "python")
    assert found["def load(path):"].values["near"] > found["def save(path):"].values["near"]


# ---- changes that only the words make ----------------------------------------------------------------------------


def changes(prose: str, original: str, *snippets: str) -> list[Rewording]:
    shown = shown_of([lines_of(one) for one in snippets], hints_of(prose), prose)
    return spoken_changes(shown, Lines(lines_of(original)), declared_in(outline(original, "python")))


def test_one_name_for_another_wherever_it_stands() -> None:
    [one] = changes("`load` becomes `read`.", MODULE)
    assert one.lines == ((3, "def read(path):"), (8, "    return read(path)"))
    assert one.values["rename"] == 1


@pytest.mark.parametrize(
    "prose",
    [
        "`queue.push()` hides the one of lists, so both calls of it are `queue.pushAll()` now.",
        "The `queue.push()` of the first line should be `queue.pushAll()`.",
    ],
)
def test_one_name_becomes_another_that_is_like_it(prose: str) -> None:
    original = "queue.push()\ntotal = 1\nqueue.push()\n"
    found = next(one for one in changes(prose, original) if one.values.get("rename"))
    assert found.lines == ((0, "queue.pushAll()"), (2, "queue.pushAll()"))
    assert found.values["rename_became"] == 1


@pytest.mark.parametrize(
    "prose", ["Bump `pip==1.2.0` to `1.3.0`.", "Sube `pip==1.2.0` a `1.3.0`.", "`pip==1.2.0` wird zu `1.3.0`."]
)
def test_a_version_takes_the_place_of_the_one_that_a_name_ends_in(prose: str) -> None:
    found = next(one for one in changes(prose, "run: pip==1.2.0\nx: pip==1.2.0\n") if one.values.get("rename"))
    assert found.lines == ((0, "run: pip==1.3.0"), (1, "x: pip==1.3.0"))


def test_alike_names_side_by_side_become_each_other_in_any_language() -> None:
    [one] = changes("Zamień proszę `load_all` na `load_any`.", "load_all()\n")
    assert (one.lines, one.values["rename_paired"]) == (((0, "load_any()"),), 1)
    # Both are there, so that nothing says that one becomes the other.
    assert not changes("Zobacz `load_all` oraz `load_any`.", "load_all()\nload_any()\n")


def test_of_two_unlike_names_none_becomes_the_other() -> None:
    prose = "`queue.push()` needs more than a name, so its argument is `entry`."
    assert not shown_of([], hints_of(prose), prose).became


def test_a_part_of_another_name_is_not_that_name() -> None:
    assert changes("`path` becomes `file`.", "pathlib.path_of(x)\n") == []


def test_a_line_that_the_words_quote_with_another_value() -> None:
    original = "[tox]\nenvlist = py39\nskip = 1\n"
    [one] = changes("`envlist = py310,pep8` at the top.", original)
    assert one.lines == ((1, "envlist = py310,pep8"),)
    assert one.values["line_among"] == one.values["line_shown"] == 0


def test_the_comma_and_the_column_stay() -> None:
    [one] = changes('The release is `"version": "2.0"` now.', '{\n  "version": "1.0",\n  "main": "a"\n}\n')
    assert one.lines == ((1, '  "version": "2.0",'),)


def test_a_quote_of_what_is_there_changes_nothing() -> None:
    assert changes("It has `skip = 1` already.", "[tox]\nskip = 1\n") == []


def test_a_reading_makes_the_changes_of_the_words_too() -> None:
    original = "timeout = 10\n\n\ndef load(path):\n    return path\n"
    message = "Longer: `timeout = 30`.\n\n```python\ndef load(path):\n    return open(path)\n```\n"
    shown = [Snippet(("def load(path):", "    return open(path)"))]
    asked = (lines_of(original), shown, "python", message, outline(original, "python"))
    found = readings_of(*asked, known_weights=WEIGHTS | {"reworded_line": 3.0})
    assert "\n".join(found[0].lines) == "timeout = 30\n\n\ndef load(path):\n    return open(path)"
    assert any("timeout = 10" in one.lines for one in found)


# ---- what a sentence names more closely --------------------------------------------------------------------------

SCRIPT = """\
define( [
    "./core"
], function( jQuery ) {

"use strict";

/**
 * TODO(#7): check it.
 */
function fix(a) {
  // Replaces the first
  const b = a;
  return b;
}

/**
 * TODO(#7): measure it.
 */
function other(a) {
  useHandler(() => {
    return a;
  });
}
"""


@pytest.mark.parametrize(
    ("prose", "span"),
    [
        ('The head (instead of everything up to and including "use strict"):', (0, 5)),
        ("Replace everything from `const b =` to the end of the function:", (11, 13)),
        ("It takes the place of what is between `function fix(a) {` and `return b;`:", (10, 12)),
        ('Replace everything from the "Replaces the first" comment to the end of `fix`.', (10, 13)),
    ],
)
def test_the_first_and_the_last_of_lines_that_go(prose: str, span: tuple[int, int]) -> None:
    declared = declared_in(outline(SCRIPT, "javascript"))
    found = [one for one in spoken_units(prose, Lines(lines_of(SCRIPT)), declared) if one.values.get("span")]
    assert [(one.start, one.end) for one in found] == [span]


def test_a_sentence_that_names_a_declaration_means_what_is_in_it_or_above() -> None:
    declared = declared_in(outline(SCRIPT, "javascript"))
    found = spoken_units("The `TODO(#7)` line above other is done, delete it.", Lines(lines_of(SCRIPT)), declared)
    scoped = {one.start: one.values["scoped"] for one in found}
    assert (scoped[7], scoped[16]) == (0, 1)


def test_a_quote_with_dots_is_what_begins_so() -> None:
    found = units("Take out the `useHandler(...)` call.", SCRIPT, "javascript")
    assert found["  useHandler(() => {"].end == 22


def test_same_for_another_goes_too() -> None:
    assert "    check(path)" not in units("Uses `load`. Same for `check(path)`.", MODULE, "python")
    assert "    check(path)" in units("`load` goes. Same for `check(path)`.", MODULE, "python")


# ---- lines that only the words have ------------------------------------------------------------------------------


def test_a_quote_becomes_the_line_that_it_is_most_alike() -> None:
    original = "// Experimental\n//\n// All of this may change.\nint x;\n"
    [one] = changes("The rest is gofmt, i.e. `// # Experimental` in the doc.", original)
    assert one.lines == ((0, "// # Experimental"),)
    assert one.values["line_far"] == 1


def test_a_sign_of_a_comment_stays_before_a_quote() -> None:
    original = "/**\n * @param {AbstractEncoder} encoder\n * @param {number} offset\n */\n"
    [one] = changes("It needs `@param {EncoderV1 | EncoderV2} encoder` too.", original)
    assert one.lines == ((1, " * @param {EncoderV1 | EncoderV2} encoder"),)


def test_a_quote_takes_the_place_of_a_wrapped_statement() -> None:
    original = 'def f():\n    raise NotImplementedError(\n        "f is not implemented"\n    )\n'
    [one] = changes('One line now:\n\n    raise NotImplementedError("f is not implemented")\n', original)
    assert (one.lines, one.gone) == (((1, '    raise NotImplementedError("f is not implemented")'),), (2, 3))


def test_a_new_line_goes_behind_what_the_words_name() -> None:
    original = "timeout = 3\n\nimport org.jruby.ThreadContext;\nimport org.w3c.dom.Node;\n"
    found = changes("with `import java.util.Objects;` after the `ThreadContext` import.", original)
    told = [one for one in found if one.values.get("insert_told")]
    assert [one.added for one in told] == [((2, "import java.util.Objects;"),)]


def test_a_new_line_goes_where_the_order_puts_it() -> None:
    original = 'tags = [\n  "Framework :: Django :: 4.2",\n  "Framework :: Django :: 5.0",\n  "Topic :: Internet",\n]\n'
    found = changes('Add `"Framework :: Django :: 5.1"` to the classifiers.', original)
    assert ((2, '  "Framework :: Django :: 5.1",'),) in [one.added for one in found]


def test_two_names_for_two() -> None:
    shown = shown_of([], hints_of(""), "Change `<Overlay` / `</Overlay>` to `<Overlay2` / `</Overlay2>`.")
    assert set(shown.renamed) == {("<Overlay", "<Overlay2"), ("</Overlay>", "</Overlay2>")}


def test_what_was_before_in_brackets() -> None:
    assert shown_of([], hints_of(""), "The last line is `} );` (was `} ) );`).").renamed == (("} ) );", "} );"),)


def test_a_renaming_in_what_the_words_name_only() -> None:
    original = "def a():\n    return res\n\n\ndef b():\n    return res\n\n\ndef c():\n    return res\n"
    found = changes("Change `return res` to `return this` in both `a` and `b`.", original)
    assert [[line for line, _ in one.lines] for one in found if one.values.get("rename")] == [[1, 5, 9], [1, 5]]


@pytest.mark.parametrize(
    "prose",
    [
        "Both ask `cache.get(key)`; make that `store.get(key)`.",
        "`cache.get(key)` (it is asked twice) turns into `store.get(key)`.",
        "Replace `cache.get(key)` by `store.get(key)`.",
        "- `cache.get(key)` in `read` → `store.get(key)`",
        'It says "cache.get(key)", make it "store.get(key)".',
    ],
)
def test_a_word_for_becoming_joins_two_quotes(prose: str) -> None:
    assert shown_of([], hints_of(""), prose).stated == (("cache.get(key)", "store.get(key)"),)


@pytest.mark.parametrize("prose", ["Add `cache.get(key)` to `read`.", "`cache` and `store`"])
def test_other_words_between_quotes_are_none_for_becoming(prose: str) -> None:
    assert not shown_of([], hints_of(""), prose).stated


def test_a_quote_keeps_the_dot_that_it_begins_with() -> None:
    assert shown_of([], hints_of(""), "`main` turns into `.page`.").stated == (("main", ".page"),)


def test_a_renaming_is_made_where_a_line_is_nothing_but_the_quote_too() -> None:
    original = "def warn(error)\n  log(\n    text,\n    error)\nfail(a, error)\n"
    found = changes("The warning ends with `cause or error)` rather than `error)`.", original)
    named = {tuple(line for line, _ in one.lines): one.values for one in found if one.values.get("rename")}
    assert named[(3,)]["rename_whole"] == 1
    assert named[(0, 3, 4)].get("rename_whole", 0) == 0


@pytest.mark.parametrize(
    ("line", "prose", "expected"),
    [
        ('  "version": "1.4.0",', "`version` becomes `2.0.0`.", '  "version": "2.0.0",'),
        ('  "moment": "^2.2.1"', '`moment` becomes `"^2.3.0"`.', '  "moment": "^2.3.0"'),
        ("retries = 3  # each", "`retries` becomes `5`.", "retries = 5  # each"),
        ("  debug: true", "`debug` becomes `false`.", "  debug: false"),
        ("kind: fast", "`kind` becomes `sort`.", None),  # another name, or another value
        ("old2: fast", "`old2` becomes `new2`.", None),
        ("retries = [", "`retries` becomes `5`.", None),
    ],
)
def test_a_key_that_becomes_a_number_or_flag_gets_another_value(line: str, prose: str, expected: str | None) -> None:
    found = [one for one in changes(prose, f"{line}\nother\n") if one.values.get("rename_value")]
    assert [one.lines for one in found] == ([] if expected is None else [((0, expected),)])


def test_of_two_lines_with_a_key_neither_gets_another_value() -> None:
    found = changes("`size` becomes `3`.", "size = 1\n[b]\nsize = 2\n")
    assert not any(one.values.get("rename_value") for one in found)


def test_a_common_name_is_renamed_in_what_the_words_name() -> None:
    body = "".join(f"    use(nil, {number})\n" for number in range(15))
    original = f"def a():\n{body}\n\ndef b():\n    use(nil)\n"
    found = changes("Change `nil` to `none` in `b`.", original)
    assert [[line for line, _ in one.lines] for one in found if one.values.get("rename")] == [[19]]


def test_the_number_of_places_that_words_tell_speaks_for_a_renaming() -> None:
    [both] = [
        one for one in changes("Both `check` turn into `test`.", "check()\ncheck()\n") if one.values.get("rename")
    ]
    [three] = [
        one for one in changes("All three `check` become `test`.", "check()\ncheck()\n") if "rename" in one.values
    ]
    assert (both.values["rename_count"], three.values["rename_count"]) == (1, 0)


TEMPLATE = """\
{% block head %}
{% endblock %}
{% block nav %}
  <p>home</p>
{% endblock %}
{% block body %}
{% endblock %}
"""


def test_a_block_is_told_by_its_two_ends() -> None:
    declared = declared_in(outline(TEMPLATE, "html"))
    found = spoken_units("The `{% block nav %}` … `{% endblock %}` goes.", Lines(lines_of(TEMPLATE)), declared)
    assert [(one.start, one.end) for one in found if one.values.get("span")] == [(2, 5)]


def test_a_sentence_names_the_kind_of_what_goes() -> None:
    page = "* *mailer* - Sends\n\n* *pip* - Scans files\n  and more\n\nText about\nthe mailer.\n"
    found = spoken_units("mailer is gone, delete its bullet", Lines(lines_of(page)), {})
    told = {(one.start, one.end): one.values for one in found}
    assert told[0, 1]["shape"] == 1
    assert told[6, 7]["shape"] == 0
    assert (told[0, 1]["leads"], told[6, 7]["leads"]) == (1, 0)
    found = spoken_units("The paragraph about `the mailer` goes", Lines(lines_of(page)), {})
    assert [(one.start, one.end) for one in found if one.values["shape"]] == [(5, 7)]


@pytest.mark.parametrize(
    ("prose", "line"),
    [
        ('Put `"Language :: 3.12",` at the top of `classifiers`.', 0),
        ('`"Language :: 3.12",` is new, the last entry of `classifiers`.', 3),
        ('`"Programming Language :: Python :: 3.12",` follows 3.11.', 3),
    ],
)
def test_a_new_item_goes_where_its_list_is_named(prose: str, line: int) -> None:
    added = [one.added for one in changes(prose, PROJECT) if one.values.get("insert_told")]
    assert [(at, text[:2]) for ((at, text),) in added] == [(line, "  ")]


def test_a_blank_line_that_stays_says_nothing_of_what_goes() -> None:
    said = "Drop `save` and the line after it, so one blank line stays."
    assert units(said, MODULE, "python")["def save(path):"].values["stays"] == 0


def test_a_block_quote_is_a_paragraph_as_it_is_now() -> None:
    page = "Title\n\nThe old words that stand\nhere are three lines of\ntext.\n\nOther words stand here.\n"
    prose = "The paragraph, rewrapped:\n\n> The old words that stand here\n> are two lines of text."
    [one] = [one for one in changes(prose, page) if one.values.get("line_paragraph")]
    assert one.lines == ((2, "The old words that stand here"), (3, "are two lines of text."))
    assert (one.gone, one.added) == ((4,), ())
    longer = prose.replace("> are two", "> are,\n> as was said,\n> two")
    [one] = [one for one in changes(longer, page) if one.values.get("line_paragraph")]
    assert (one.gone, one.added) == ((), ((4, "two lines of text."),))


def test_a_quoted_item_of_a_block_quote_keeps_its_sign() -> None:
    page = "> - [one](http://a.org/one/two/three)\n> - [two](http://b.org)\n"
    found = changes("The dead link:\n\n> - [one](http://c.org/one/two/three)\n", page)
    assert ((0, "> - [one](http://c.org/one/two/three)"),) in [one.lines for one in found]


@pytest.mark.parametrize(
    "prose",
    [
        "The `return load(path)` in line 9 must be `return read(path)` by the way.",
        'In `save` "load(path)" should read "read(path)".',
    ],
)
def test_what_should_be_otherwise_is_a_renaming(prose: str) -> None:
    [one] = [one for one in changes(prose, MODULE) if one.values.get("rename_wanted")][:1]
    assert one.lines[-1] == (8, "    return read(path)")


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("from shop import cart, stock", "from shop import cart, stock, price"),
        ('import { cart, stock } from "shop";', 'import { cart, stock, price } from "shop";'),
        ("use shop::{cart, stock};", "use shop::{cart, stock, price};"),
    ],
)
def test_a_name_that_words_say_is_imported_joins_the_import_that_they_tell(text: str, joined: str) -> None:
    found = changes("`price` comes from `shop` too, append it to that import.", f"{text}\nfrom bag import cart\n")
    [one] = [one for one in found if one.values.get("import")]
    assert one.lines == ((0, joined),)
    assert (one.values["import_said"], one.values["import_adds"]) == (1, 1)


@pytest.mark.parametrize(
    "prose", ["`cart` comes from `shop` too.", "`price` is new in `shop`.", "Imports `price` only."]
)
def test_no_import_is_joined_by_known_names_or_without_a_place(prose: str) -> None:
    assert not [one for one in changes(prose, "from shop import cart\n") if one.values.get("import")]


def test_an_import_is_no_part_of_another() -> None:
    found = changes("Needs `import scope` above `import scope.signal`.", "import os\nimport scope.signal\n")
    [one] = [one for one in found if one.values.get("insert_told")]
    assert one.added == ((0, "import scope"),)
    assert one.values["insert_agreed"] == 1


def test_an_import_does_not_become_one_of_something_else() -> None:
    found = changes("It needs `import java.util.Set;` now.", "import java.util.Map;\nimport java.util.List;\n")
    assert {one.values["line_import"] for one in found if one.values.get("line")} == {1.0}


def test_an_import_goes_below_the_docstring() -> None:
    original = '"""Loads.\n\nAnd saves.\n"""\n\nNAME = "a"\n'
    found = changes("`import base64` goes on the line below the module docstring.", original)
    assert [one.added for one in found if one.values.get("insert_told")] == [((3, "import base64"),)]


def added_by(words: Mapping[str, str], original: str, *snippets: str) -> list[tuple[list[str], list[str]]]:
    """Tells what a sentence adds whose names have roles: the new lines, and those that become others.

    words: a sentence, its parts with the role of the name that each ends in, "" for none.
    """
    piece, text = "".join(words), Lines(lines_of(original))
    end, mentions, roles = 0, list[Mention](), list[str]()
    for part, role in words.items():
        end += len(part)
        start = end - len(part) + part.find("`")
        if role:
            name = part[part.find("`") :]
            mentions.append(Mention(0, start, end, name.strip("`"), True, False, name.strip("`") in original))
            roles.append(role)
    chances = np.array([[float(one == role) for one in ROLES] for role in roles], np.float32)
    named = Mentioned(mentions, mention_tokens(mentions, [piece], [[]]), chances)
    shown = shown_of([lines_of(one) for one in snippets], hints_of(piece), piece)
    found = new_quoted_lines(shown, text, declared_in(outline(original, "python")), named, [piece])
    told = [one for one in found if one.values.get("insert_role")]
    return [([f"{line}:{new}" for new, line in one.added], [new for new, _ in one.changed]) for one in told]


@pytest.mark.parametrize(
    ("words", "original", "result"),
    [
        (
            {"Needs `import os`": "new", ", after `functools`": "after"},
            "import functools\nimport re\n",
            ["0:import os"],
        ),
        ({"Add `py314`": "new", " behind `py313`": "after"}, "names:\n  py312\n  py313\n", ["2:  py314"]),
        ({"`'d'`": "new", " precedes `c`": "before"}, "a = [\n    'b',\n    'c'\n]\n", ["1:    'd',"]),
        (
            {"`<vector>`": "new", " under `<atomic>`": "after"},
            "#include <a>\n#include <atomic>\n",
            ["1:#include <vector>"],
        ),
        (
            {"`from pathlib import Path`": "new", " under the `from os import …`": "after"},
            "from os import path\nimport re\n",
            ["0:from pathlib import Path"],
        ),
    ],
)
def test_what_is_new_by_its_role_goes_beside_the_place(words: dict[str, str], original: str, result: list[str]) -> None:
    assert (result, []) in added_by(words, original)


def test_the_last_entry_of_a_list_gets_a_comma_for_a_new_one() -> None:
    words = {"`'d'`": "new", " follows `'c'`": "after"}
    assert added_by(words, "a = [\n    'b',\n    'c'\n]\n") == [(["2:    'd'"], ["    'c',"])]


@pytest.mark.parametrize(
    ("words", "result"),
    [
        ({"`PCG64`": "new", " between `MT19937`": "after"}, "from numpy.random import MT19937, PCG64, Generator"),
        ({"`PCG64`": "new", " before `MT19937`": "before"}, "from numpy.random import PCG64, MT19937, Generator"),
        ({"`PCG64`": "new", " at the end, after `Generator`": "after"},
         "from numpy.random import MT19937, Generator, PCG64"),
    ],
)  # fmt: skip
def test_a_new_name_joins_a_list_in_a_line(words: dict[str, str], result: str) -> None:
    assert added_by(words, "from numpy.random import MT19937, Generator\n") == [([], [result])]


@pytest.mark.parametrize(
    ("words", "original"),
    [
        ({"`dev`": "new", " after `docs`": "after"}, "docs: {\n  a: 1\n}\n"),  # a line that opens a block
        ({"`dev`": "new", " after `docs`": "after"}, "# the docs, and more\nx = 1\n"),  # a comment
        ({"`dev`": "other", " after `docs`": "after"}, "docs\nmore\n"),  # nothing new
        ({"`dev`": "new", " by `docs`": "stays"}, "docs\nmore\n"),  # no place
    ],
)
def test_nothing_is_added_without_a_place_for_an_entry(words: dict[str, str], original: str) -> None:
    assert added_by(words, original) == []


def test_a_new_entry_that_a_snippet_shows_is_not_added_by_words() -> None:
    words = {"Add `py314`": "new", " behind `py313`": "after"}
    assert added_by(words, "names:\n  py312\n  py313\n", "  py313\n  py314\n") == []


def test_an_import_goes_in_order_among_those_of_its_column() -> None:
    original = "import abc\nimport sys\n\n\ndef load():\n    import json\n"
    found = changes("It needs `import os` now.", original)
    assert [one.added for one in found if one.values.get("insert_sorted")] == [((0, "import os"),)]


def test_a_quote_of_one_letter_parts_no_others() -> None:
    shown = shown_of([], hints_of(""), "`t` is `import typing as t`, and `b: c` is new.")
    assert shown.quotes == ("import typing as t", "b: c")


def test_a_line_once_more_where_the_words_say() -> None:
    original = (
        "def save(self):\n    self.check(1)\n    self.write()\n\n\ndef load(self):\n    self.read()\n    self.close()\n"
    )
    found = changes("`load` forgot one: `self.check(1)` after its call of `read`.", original)
    [one] = [one for one in found if one.values.get("insert_again")]
    assert one.added == ((6, "    self.check(1)"),)


def test_a_note_in_a_snippet_speaks_of_going_too() -> None:
    original = "import os\nimport platform\n\n\ndef load(path):\n    return path\n"
    notes = ('drop "import platform", nobody needs it', "nothing else changes here")
    assert speaking_of_going(notes) == notes[:1]
    [one] = noted_units(notes[:1], Lines(lines_of(original)), declared_in(outline(original, "python")))
    assert (one.start, one.end, one.values["noted"]) == (1, 2, 1)


def test_an_import_of_just_a_name_is_about_it() -> None:
    original = "from typing import Any\n\n\ndef load(path: Any) -> Any:\n    return path\n"
    found = units("`Any` is gone.", original, "python")
    assert list(found) == ["from typing import Any"]


def test_a_sentence_about_imports_means_imports() -> None:
    one = units("No __future__ import any more.", MODULE, "python")["from __future__ import absolute_import"]
    assert (one.values["import"], one.values["place"]) == (1, 0)
    assert units("`load` goes, like its import.", MODULE, "python")["def load(path):"].values["import"] == 0
