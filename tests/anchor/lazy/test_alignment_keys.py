"""Partial files merged key by key: JSON here, the languages that are read by lines in `test_alignment_entries`."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastedit.anchor.lazy.keys import merged_by_keys
from fastedit.anchor.lazy.lines import Lines
from support.aligning import lines_of
from support.examples import examples

PACKAGE = """\
{
  "name": "store",
  "scripts": {
    "build": "tsc",
    "test": "jest"
  },
  "dependencies": {
    "chalk": "^5",
    "got": "^12",
    "zod": "^3"
  },
  "files": [],
  "extra": {}
}
"""


def merged(original: str, shown: str, language: str = "json") -> str | None:
    result = merged_by_keys(Lines(lines_of(original)), shown.split("\n"), language)
    return "\n".join(result[0].lines) + "\n" if result else None


def changed(old: str, new: str) -> str:
    assert PACKAGE.count(old) == 1
    return PACKAGE.replace(old, new)


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ('{"name": "shop"}', changed('"store"', '"shop"')),
        ('"name": "shop"', changed('"store"', '"shop"')),
        ('"name": "shop",', changed('"store"', '"shop"')),
        ('{"scripts": {"test": "vitest"}}', changed('"jest"', '"vitest"')),
        ('{"build": "tsc -b"}', changed('"tsc"', '"tsc -b"')),  # of the one object that has such a key
        ('{"files": ["a"]}', changed("[]", '["a"]')),
        ('{"name": "store"}', PACKAGE),
        ('{"name": "store", "scripts": {}}', PACKAGE),  # an empty object says nothing of its keys
        ('{"extra": {"a": 1}}', changed('"extra": {}', '"extra": {"a": 1}')),
        # new keys: behind the one shown before them, in their order, last
        ('{"name": "store", "version": "1"}', changed('"store",', '"store",\n  "version": "1",')),
        ('{"name": "store", "a": 1, "b": 2}', changed('"store",', '"store",\n  "a": 1,\n  "b": 2,')),
        ('{"name": "shop", "a": 1}', changed('"store",', '"shop",\n  "a": 1,')),
        ('{"dependencies": {"execa": "^8"}}', changed('"^5",', '"^5",\n    "execa": "^8",')),
        ('{"dependencies": {"zx": "^7"}}', changed('"zod": "^3"', '"zod": "^3",\n    "zx": "^7"')),
        ('{"dependencies": {"ava": "^6"}}', changed('"chalk"', '"ava": "^6",\n    "chalk"')),
        ('{"scripts": {"lint": "eslint"}}', changed('"jest"', '"jest",\n    "lint": "eslint"')),
        ('{"scripts": {"a": "b"}}', changed('"jest"', '"jest",\n    "a": "b"')),  # two keys are no order
    ],
)
def test_a_partial_object_changes_what_it_shows(shown: str, expected: str) -> None:
    assert merged(PACKAGE, shown) == expected


def test_several_new_keys_before_the_first_keep_the_order() -> None:
    expected = changed('"chalk"', '"aa": "1",\n    "bb": "2",\n    "chalk"')
    assert merged(PACKAGE, '{"dependencies": {"aa": "1", "bb": "2"}}') == expected
    assert merged(PACKAGE, '{"dependencies": {"bb": "2", "aa": "1"}}') == expected


def test_values_of_several_lines_are_indented_as_the_file_does() -> None:
    shown = '{\n    "scripts": {\n        "deploy": {\n            "to": "here"\n        }\n    }\n}'
    expected = changed('"jest"', '"jest",\n    "deploy": {\n      "to": "here"\n    }')
    assert merged(PACKAGE, shown) == expected


@pytest.mark.parametrize(
    ("original", "shown", "expected"),
    [
        ('{"a": 1, "b": 2}\n', '{"b": 3}', '{"a": 1, "b": 3}\n'),
        ('{"a": 1, "b": 2}\n', '{"a": 1, "c": 3}', '{"a": 1, "c": 3, "b": 2}\n'),
        ('{"a": {"x": 1}, "b": 2}\n', '{"a": {"y": 2}}', '{"a": {"x": 1, "y": 2}, "b": 2}\n'),
        ('{\n\t"a": 1\n}\n', '{"a": 1, "b": {\n  "c": 1\n}}', '{\n\t"a": 1,\n\t"b": {\n\t\t"c": 1\n\t}\n}\n'),
    ],
)
def test_objects_in_one_line_and_tabs(original: str, shown: str, expected: str) -> None:
    assert merged(original, shown) == expected


@pytest.mark.parametrize(
    ("original", "shown", "language"),
    [
        (PACKAGE, '{"nothing": "known"}', "json"),
        (PACKAGE, '"files": [', "json"),
        (PACKAGE, "{ ... }", "json"),
        (PACKAGE, "[1, 2]", "json"),
        (PACKAGE, "", "json"),
        ("[1, 2]\n", '{"a": 1}', "json"),
        ("{}\n", '{"a": 1}', "json"),
        ("", '{"a": 1}', "json"),
        (PACKAGE, '{"name": "shop"}', "python"),
        ('{"a": {"x": 1}, "b": {"x": 2}}\n', '{"x": 3}', "json"),  # which of the two isn't told
    ],
)
def test_what_is_no_partial_object_of_the_file(original: str, shown: str, language: str) -> None:
    assert merged(original, shown, language) is None


def test_comments_stay() -> None:
    original = '{\n  // the name\n  "name": "store", // short\n  "size": 1\n}\n'
    assert merged(original, '{"name": "shop"}', "jsonc") == original.replace('"store"', '"shop"')


KEYS = st.sampled_from(list("abcdefgh"))
VALUES = st.recursive(
    st.one_of(st.integers(0, 9), st.booleans(), st.just("x, }"), st.lists(st.integers(0, 3), max_size=2)),
    lambda inner: st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=8,
)
OBJECTS = st.dictionaries(KEYS, VALUES, min_size=1, max_size=6)


def updated(old: object, new: object) -> object:
    if not (isinstance(old, dict) and isinstance(new, dict)) or not old:
        return new
    return {**old, **{key: updated(old[key], value) if key in old else value for key, value in new.items()}}


@examples(150)
@given(OBJECTS, OBJECTS, st.sampled_from([None, 2, 4]), st.sampled_from([None, 2, 4]))
def test_any_object_is_merged_into_any_other(
    old: dict, new: dict, indent: int | None, shown_indent: int | None
) -> None:
    """The result parses, has what the two say, and keeps the order of the file's keys."""
    text = merged(json.dumps(old, indent=indent) + "\n", json.dumps(new, indent=shown_indent))
    if old.keys() & new.keys():
        assert text is not None
        result = json.loads(text)
        assert result == updated(old, new)
        assert [key for key in result if key in old] == list(old)
    if text is not None and indent is None and shown_indent is None:
        assert text.count("\n") <= 1
