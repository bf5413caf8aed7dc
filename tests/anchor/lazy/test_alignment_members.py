"""Classes, types and objects of which a snippet shows some members: those change, what isn't shown stays."""

from __future__ import annotations

import pytest

from fastedit.anchor.lazy.keys import merged_by_keys
from fastedit.anchor.lazy.keys.trees import CODE, entries_of
from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.reading import NAMES, Reading
from fastedit.anchor.lazy.readings import readings_of
from fastedit.edits.model import Snippet
from fastedit.syntax import outline

TYPES = """\
type Options = {
  scope?: string;
  keydown?: boolean;
  splitKey?: string;
};

interface Keys {
  (key: string): void;
  getScope(): string;
  deleteScope(name: string): void;

  keyMap: Record<string, number>;
}
"""
COMPONENT = """\
<template>
  <p>{{ value }}</p>
</template>

<script>
import load from './load'

export default {
  name: 'Field',
  props: {
    rows: [Number, String],
    limit: { type: Number }
  },
  data () {
    return { value: load({ limit: 3 }) }
  }
}
</script>
"""
CLASSES = """\
import attr


@attr.s(frozen=True)
class Macro:
    \"\"\"A macro.\"\"\"

    # how it is called
    name: str = attr.ib(default="")

    value: str = attr.ib(
        default="",
    )

    def size(self):
        return len(self.value)


def load():
    pass
"""
CLEAR = "    def clear(self):\n        pass"


def merged(original: str, edit: str, language: str, said: str = "") -> list[str]:
    found = merged_by_keys(Lines(original.rstrip("\n").split("\n")), edit.split("\n"), language, said, said)
    return ["\n".join(one.lines) + "\n" for one in found]


def test_members_that_are_not_shown_stay_and_headers_are_as_shown() -> None:
    edit = (
        "type Options = {\n  keydown?: boolean | null;\n  capture?: boolean;\n  splitKey?: string;\n}\n\n"
        "export interface Keys {\n  deleteScope(name: string, other?: string): void;\n}"
    )
    expected = TYPES.replace("keydown?: boolean;", "keydown?: boolean | null;\n  capture?: boolean;")
    expected = expected.replace("interface", "export interface")
    expected = expected.replace("name: string)", "name: string, other?: string)")
    assert merged(TYPES, edit, "typescript")[0] == expected


def test_objects_get_the_commas_that_they_need() -> None:
    edit = "export default {\n  props: {\n    limit: { type: Number },\n    size: {\n      type: Number\n    }\n  },\n}"
    expected = COMPONENT.replace(
        "limit: { type: Number }\n", "limit: { type: Number },\n    size: {\n      type: Number\n    }\n"
    )
    assert merged(COMPONENT, edit, "vue")[0] == expected


def test_a_new_import_goes_behind_the_others_and_a_method_is_one_member() -> None:
    edit = "import save from './save'\n\nexport default {\n  data () {\n    return { value: save() }\n  }\n}"
    expected = COMPONENT.replace("'./load'\n", "'./load'\nimport save from './save'\n")
    expected = expected.replace("load({ limit: 3 })", "save()")
    assert merged(COMPONENT, edit, "vue")[0] == expected


@pytest.mark.parametrize(
    ("shown", "behind"),
    [
        (["    # ...", CLEAR], "return len(self.value)\n"),
        ([CLEAR, "    # ..."], '"""A macro."""\n'),
        (["    # ...", '    name: str = ""\n    # ...', CLEAR], "return len(self.value)\n"),
        (['    name: str = attr.ib(default="")', CLEAR, "    # ..."], 'name: str = attr.ib(default="")\n'),
    ],
)
def test_a_new_member_goes_where_a_marker_shows_it(shown: list[str], behind: str) -> None:
    result = merged(CLASSES, "class Macro:\n" + "\n\n".join(shown), "python")[0]
    assert f"{result.partition(CLEAR)[0].rstrip()}\n".endswith(behind)


def test_classes_of_python_are_read_by_columns() -> None:
    edit = '@dataclass(frozen=True)\nclass Macro:\n    name: str\n    value: str = ""'
    expected = CLASSES.replace("@attr.s", "@dataclass").replace('name: str = attr.ib(default="")', "name: str")
    expected = expected.replace('attr.ib(\n        default="",\n    )', '""')
    assert merged(CLASSES, edit, "python")[0] == expected


@pytest.mark.parametrize(
    "edit",
    [
        "class Macro:\n    def size(self):\n        check()\n        # ...\n        return 3",  # a part is left out
        "class Macro:\n    def length(self):\n        return 3\n        # ...\n\n    # ...",
        "def load():\n    return 3",  # no members
        "class Other:\n    name: str",  # unknown
        "class Macro:\n    name: str = f(",  # not closed
    ],
)
def test_other_code_is_no_part_of_a_class(edit: str) -> None:
    assert merged(CLASSES, edit, "python") == []


STAYS = "Everything else in `Lock` and `Request` stays."


@pytest.mark.parametrize(("words", "told"), [(STAYS, 1), ("The new method.", 0)])
def test_a_merge_by_members_is_a_reading_and_told_where_the_words_say_that_the_rest_stays(
    words: str, told: int
) -> None:
    right = _merged_and_found(words)[0]
    values = dict(zip(NAMES, right.features(), strict=True))
    assert (values["keys_code"], values["keys_code_stays"]) == (1, told)


def test_where_words_say_that_the_rest_stays_nothing_comes_before_a_merge_by_members() -> None:
    right, first = _merged_and_found(STAYS)
    assert right is first


def _merged_and_found(words: str) -> tuple[Reading, Reading]:
    """The reading that merges the members of a service and of a message, and the likeliest one."""
    edit = "service Lock {\n  rpc Try(Request) returns (Response);\n}\n\nmessage Request {\n  string owner = 3;\n}"
    original = (
        'syntax = "proto3";\n\nservice Lock {\n  rpc Lock(Request) returns (Response);\n}\n\n'
        "message Request {\n  bytes name = 1;\n  int64 lease = 2;\n}"
    )
    lines = original.split("\n")
    shown = [Snippet(tuple(edit.split("\n")), prose=STAYS)]
    expected = original.replace(";\n}\n\nmessage", ";\n  rpc Try(Request) returns (Response);\n}\n\nmessage")
    expected = expected.replace("lease = 2;", "lease = 2;\n  string owner = 3;")
    found = readings_of(lines, shown, "proto", words, outline(original, "proto"))
    return next(one for one in found if "\n".join(one.lines) == expected), found[0]


@pytest.mark.parametrize("language", sorted(CODE))
@pytest.mark.parametrize("text", ["", "}", "class A {", "a = (\n", '"""', "`\n`", "{\n}\n}\n{", "@a\n", "x\n)"])
def test_what_is_no_such_code_gives_no_tree(language: str, text: str) -> None:
    root = entries_of(text.split("\n"), language)
    assert root is None or all(one.head < one.end for one in root.children)
