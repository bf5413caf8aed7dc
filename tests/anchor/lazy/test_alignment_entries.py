"""Partial YAML, TOML, INI and style sheets merged key by key."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastedit.anchor.lazy.keys import KEYS, MergedKeys, merged_by_keys
from fastedit.anchor.lazy.keys.entries import Entry
from fastedit.anchor.lazy.keys.placing import Sibling, Way, names_of, sorted_place, told_place
from fastedit.anchor.lazy.keys.trees import LANGUAGES, entries_of
from fastedit.anchor.lazy.lines import Lines
from support.aligning import lines_of
from support.examples import examples

WORKFLOW = """\
name: CI

on:
  push:
    branches: [main]

jobs:
  # style
  lint:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - name: Python
        uses: actions/setup-python@v5
        with:
          python-version: "3.12"  # newest
      - run: make lint

  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: |
          make build

          make test
    env:
    - a
    - b
"""

PROJECT = """\
[build-system]
requires = ["hatchling"]

# the package
[project]
name = "shop"
version = "1.0"  # bumped by hand
dependencies = [
    "attrs>=22",
    "click>=8",  # the command line
    "httpx"
]

[tool.mypy]
strict = true

[[tool.mypy.overrides]]
module = "one"
"""

SETUP = """\
[metadata]
name = shop

[options]
packages = find:
install_requires =
    attrs
    click

[mypy]
disallow_any = true
warn_unused = true
"""

STYLE = """\
@import "base";

:root {
  --gap: 4px;
  --radius: 2px;
}

/* The card */
.card,
.panel {
  color: red;
  // keep
  margin: 0;

  &:hover {
    color: blue;
  }
}

@media (min-width: 600px) {
  .card { padding: 0; }
}

.last { color: red; }
"""


def candidates(original: str, shown: str, language: str, said: str = "", prose: str = "") -> list[MergedKeys]:
    return merged_by_keys(Lines(lines_of(original)), shown.rstrip("\n").split("\n"), language, said, prose)


def check(original: str, shown: str, language: str, *changes: tuple[str, str], said: str = "", prose: str = "") -> None:
    """Checks that the first way to merge makes these changes, each of a text that the original has once."""
    expected = original
    for old, new in changes:
        assert expected.count(old) == 1
        expected = expected.replace(old, new)
    found = candidates(original, shown, language, said, prose)
    assert found
    assert "\n".join(found[0].lines) + "\n" == expected


@pytest.mark.parametrize(
    ("shown", "changes"),
    [
        ("name: Build", [("name: CI", "name: Build")]),
        ("jobs:\n  test:\n    runs-on: macos-latest\n", [("test:\n    runs-on: ubuntu", "test:\n    runs-on: macos")]),
        # steps are known by what they use; keys beside stay, and so does the comment behind a value
        (
            "jobs:\n  lint:\n    steps:\n    - uses: actions/setup-python@v6\n"
            "      with:\n        python-version: '3.13'\n",
            [("setup-python@v5", "setup-python@v6"), ('"3.12"  # newest', "'3.13'  # newest")],
        ),
        ("on:\n  push:\n    branches: [ main ]\n  pull_request:\n", [("[main]\n", "[main]\n  pull_request:\n")]),
        ("jobs:\n  lint:\n    needs: x\n", [("      - run: make lint\n", "      - run: make lint\n    needs: x\n")]),
        (
            "jobs:\n  lint:\n    runs-on: ubuntu-latest\n    needs: x\n",
            [("lint:\n    runs-on: ubuntu-latest\n", "lint:\n    runs-on: ubuntu-latest\n    needs: x\n")],
        ),
        # jobs are set off by a blank line
        (
            "jobs:\n  test:\n    env:\n      - a\n      - b\n  # out\n  ship:\n    steps:\n    - run: x\n",
            [("    - a\n    - b\n", "    - a\n    - b\n\n  # out\n  ship:\n    steps:\n    - run: x\n")],
        ),
        ("jobs:\n  test:\n    env:\n    - b\n    - c\n", [("    - a\n    - b\n", "    - b\n    - c\n")]),
        ("jobs:\n  # style\n  lint:\n    runs-on: x", [("lint:\n    runs-on: ubuntu-latest", "lint:\n    runs-on: x")]),
        (
            "jobs:\n  lint:\n    steps:\n      # after Python\n      - name: Cache\n        uses: actions/cache@v4\n",
            [("      - run: make l", "      - name: Cache\n        uses: actions/cache@v4\n      - run: make l")],
        ),
        ("    branches: [main, dev]", [("[main]", "[main, dev]")]),
        ("jobs:\n  lint:\n    # runs-on\n    steps:\n      - run: make lint\n", []),  # the comment only names a key
        ("jobs:\n  lint:\n    # ...\n    if: x", [("      - run: make lint\n", "      - run: make lint\n    if: x\n")]),
    ],
)
def test_yaml(shown: str, changes: list[tuple[str, str]]) -> None:
    check(WORKFLOW, shown, "yaml", *changes)


@pytest.mark.parametrize(
    ("shown", "changes"),
    [
        ('[project]\nversion = "1.1"\n', [('"1.0"', '"1.1"')]),
        ("[project]\nversion='1.0'\n", []),
        ('version = "2"', [('"1.0"', '"2"')]),
        ("[tool.mypy]\nstrict = true\npretty = true\n", [("strict = true", "strict = true\npretty = true")]),
        # lists are replaced; what stays keeps its comment, commas are as the file has them
        (
            '[project]\ndependencies = [\n  "attrs>=23",\n  "click>=8",\n  "rich",\n]\n',
            [('    "attrs>=22"', '    "attrs>=23"'), ('"httpx"', '"rich"')],
        ),
        (
            '[project]\ndependencies = ["attrs"]\n',
            [(PROJECT[PROJECT.index("dep") : PROJECT.index("]\n\n[tool.mypy]")], 'dependencies = ["attrs"')],
        ),
        (
            "[tool.mypy]\nstrict = true\n\n[tool.ruff]\nline-length = 100\n",
            [("strict = true\n", "strict = true\n\n[tool.ruff]\nline-length = 100\n")],
        ),
        ('[build-system]\nrequires = ["hatchling>=1"]\n', [('["hatchling"]', '["hatchling>=1"]')]),
    ],
)
def test_toml(shown: str, changes: list[tuple[str, str]]) -> None:
    check(PROJECT, shown, "toml", *changes)


@pytest.mark.parametrize(
    ("shown", "changes"),
    [
        ("[metadata]\nname = shop\nversion = 1\n", [("name = shop", "name = shop\nversion = 1")]),
        ("[mypy]\nwarn_unused = false\n", [("unused = true", "unused = false")]),
        ("[mypy]\ndisallow_any = true\npretty = true\n", [("any = true", "any = true\npretty = true")]),
        ("[options]\ninstall_requires =\n\tattrs\n\tclick\n\trich\n", [("    click\n", "    click\n    rich\n")]),
    ],
)
def test_ini(shown: str, changes: list[tuple[str, str]]) -> None:
    check(SETUP, shown, "ini", *changes)


@pytest.mark.parametrize(
    ("shown", "changes"),
    [
        (":root { --radius: 10px; }", [("2px", "10px")]),
        (":root { --radius: 10px; --new: url(a;b); }", [("2px;", "10px;\n  --new: url(a;b);")]),
        (".card, .panel {\n    margin: 1px;\n}", [("margin: 0", "margin: 1px")]),
        (
            ".card,.panel {\n    &:hover {\n        color: green;\n        top: 0;\n    }\n}",
            [("color: blue;", "color: green;\n    top: 0;")],
        ),
        (
            ".card,\n.panel {\n  // why\n  color: green;\n}",
            [(".panel {\n  color: red;", ".panel {\n  // why\n  color: green;")],
        ),
        (".card,\n.panel {\n  // keep\n  margin: 1px;\n}", [("margin: 0", "margin: 1px")]),
        (
            "/* A card */\n.card,\n.panel {\n  margin: 1px;\n}",
            [("/* The card */", "/* A card */"), ("margin: 0", "margin: 1px")],
        ),
        (".last { color: green; }", [(".last { color: red; }", ".last { color: green; }")]),
        (
            "@media (min-width:600px) {\n  .card { padding: 1px; }\n}",
            [(".card { padding: 0; }", ".card { padding: 1px; }")],
        ),
        (
            ":root {\n  --gap: 4px;\n}\n.new {\n  top: 0;\n}",
            [("--radius: 2px;\n}\n", "--radius: 2px;\n}\n\n.new {\n  top: 0;\n}\n")],
        ),
        ("&:hover {\n  color: green;\n}", [("color: blue", "color: green")]),
    ],
)
@pytest.mark.parametrize("language", ["scss", "less"])
def test_styles(shown: str, changes: list[tuple[str, str]], language: str) -> None:
    check(STYLE, shown, language, *changes)


@pytest.mark.parametrize(
    ("original", "shown", "language"),
    [
        (WORKFLOW, "nothing: known", "yaml"),
        (WORKFLOW, "runs-on: x", "yaml"),  # of which job isn't told
        (WORKFLOW, "", "yaml"),
        (WORKFLOW, "# ...", "yaml"),
        (WORKFLOW, "name: CI", "python"),
        ("a: 1\n---\na: 2\n---\nb: 1\n", "a: 3", "yaml"),
        (PROJECT, "[tool.other]\na = 1", "toml"),
        (PROJECT, "not toml", "toml"),
        (STYLE, ".card {", "scss"),
        (STYLE, ".none { top: 0; }", "scss"),
        (STYLE, "}", "scss"),
        (STYLE, ".last {\n  top: 0;\n}", "scss"),  # whether the color stays isn't told
        ("a { x: 1; }\n} b {}\n", "a { x: 2; }", "css"),
        ("a {\n  x: 1; y: 2;\n}\n", "a {\n  x: 2;\n}", "css"),
        ("jobs:\n  a:\n    b: 1\n", "jobs:\n  c:\n    b: 1\n    # ... as above ...\n    d: 2\n", "yaml"),
    ],
)
def test_what_is_no_part_of_the_file(original: str, shown: str, language: str) -> None:
    assert candidates(original, shown, language) == []


def test_words_and_notes_tell_places() -> None:
    shown = "[mypy]\npretty = true\n"
    check(SETUP, shown, "ini", ("any = true", "any = true\npretty = true"), said="Put `pretty` behind `disallow_any`.")
    check(SETUP, shown, "ini", ("disallow_any", "pretty = true\ndisallow_any"), said="It goes before `disallow_any`.")
    said = "`pretty` goes between `disallow_any` and `warn_unused`."
    check(SETUP, shown, "ini", ("any = true", "any = true\npretty = true"), said=said)
    said = "`other` follows `disallow_any`."
    check(SETUP, shown, "ini", ("unused = true", "unused = true\npretty = true"), said=said)
    noted = "jobs:\n  # new, before lint\n  first:\n    steps: []\n"
    check(WORKFLOW, noted, "yaml", ("  # style", "  first:\n    steps: []\n\n  # style"))
    prose = "More entries of `env`, at its end:"
    found = candidates(WORKFLOW, "- c", "yaml", prose=prose)
    joined = WORKFLOW.replace("    - b\n", "    - b\n    - c\n")
    assert joined in {"\n".join(one.lines) + "\n" for one in found}
    assert candidates(WORKFLOW, "- c", "yaml") == []


def test_of_two_with_one_key_it_is_the_likest() -> None:
    original = ".a {\n  width: 10px;\n  width: calc(1rem + 2px);\n}\n"
    check(original, ".a {\n  width: calc(1rem + 3px);\n}", "css", ("2px", "3px"))
    check(original, ".a {\n  width: 11px;\n}", "css", ("10px", "11px"))


def test_lists_are_replaced_or_joined() -> None:
    replaced, joined, *_ = candidates(PROJECT, '[project]\ndependencies = [\n  "click>=8",\n  "rich",\n]', "toml")
    assert '[\n    "click>=8",  # the command line\n    "rich"\n]' in "\n".join(replaced.lines)
    assert '"attrs>=22",\n    "click>=8",  # the command line\n    "rich",\n    "httpx"\n]' in "\n".join(joined.lines)
    assert dict(zip(KEYS, replaced.features(0), strict=True))["keys_dropped"] > 0
    assert dict(zip(KEYS, joined.features(0), strict=True))["keys_joined"] > 0


def test_new_keys_stand_beside_their_neighbour_in_order_or_last() -> None:
    original = "a: 1\nc: 2\ne: 3\n"
    found = candidates(original, "a: 1\nd: 0\n", "yaml")
    assert ["".join(line[0] for line in one.lines) for one in found] == ["adce", "acde", "aced"]
    beside, ordered, last = (dict(zip(KEYS, one.features(0), strict=True)) for one in found)
    assert (beside["keys_unsorted"], ordered["keys_unsorted"], last["keys_unsorted"]) == (1, 0, 1)
    assert (beside["keys_apart"], ordered["keys_apart"], last["keys_apart"]) == (0, 1, 1)


def test_placing() -> None:
    siblings = [Sibling(key, names_of(key)) for key in ("@a", "b", "c")]
    assert told_place(siblings, "x", "after `a`") == 1
    assert told_place(siblings, "x", "below the c") == 3
    assert told_place(siblings, "x", "in front of `b`") == 1
    assert told_place(siblings, "x", "between b and c") == 2
    assert told_place(siblings, "x", "after all") is None
    assert told_place(siblings, "b", "after `b`") is None
    assert sorted_place(["a", "B", "c"], "bb") == 2
    assert sorted_place(["b", "a", "c"], "bb") is None
    assert sorted_place(["a", "b"], "c") is None
    assert len(Way) == 4


# ---- what holds of all of them ---------------------------------------------------------------------------------------

TEXTS = st.lists(
    st.sampled_from(
        "a:|  b: 1|  - c|- d: 1|    e: >||# note|# ...|[x]|y = 1|z = [|  'q',|]|.k {|  top: 0;|}|@x: 1;|.m { n: 1 }|"
        "/*|*/|  v: (|);|'|---|\tw: 1|} @else {".split("|")
    ),
    max_size=10,
)


def check_lines(entry: Entry, first: int, last: int) -> None:
    assert first <= entry.start <= entry.head < entry.end <= last or (not entry.key and not entry.children)
    for child in entry.children:
        assert entry.inner is not None
        check_lines(child, entry.start, entry.end)
    for one, other in zip(entry.children, entry.children[1:], strict=False):
        assert one.end <= other.start


@examples(300)
@given(TEXTS, st.sampled_from(sorted(LANGUAGES)))
def test_entries_keep_to_their_lines(texts: list[str], language: str) -> None:
    root = entries_of(texts, language)
    if root is not None:
        check_lines(root, 0, len(texts))


@examples(300)
@given(TEXTS, TEXTS, st.sampled_from(sorted(LANGUAGES)))
def test_any_text_can_be_shown_of_any_other(texts: list[str], shown: list[str], language: str) -> None:
    """No text breaks it, and what a file shows of itself changes nothing."""
    for one in merged_by_keys(Lines(texts), shown, language):
        assert all("\n" not in line for line in one.lines)
        assert len(one.features(3)) == len(KEYS)
    for one in merged_by_keys(Lines(texts), texts, language):
        assert [line.strip() for line in one.lines if line.strip()] == [line.strip() for line in texts if line.strip()]
