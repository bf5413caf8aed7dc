"""More of what a partial file of keys leaves open: blocks replaced, values rewritten, items known by their names."""

from __future__ import annotations

from collections import Counter

from fastedit.anchor.lazy.keys import KEYS, merged_by_keys
from fastedit.anchor.lazy.lines import Lines


def merged(original: str, shown: str, language: str, said: str = "", lead: str = "") -> dict[str, dict[str, float]]:
    """The results of merging, each with its features by name."""
    found = merged_by_keys(
        Lines(original.rstrip("\n").split("\n")), shown.rstrip("\n").split("\n"), language, f"{lead}\n{said}", lead
    )
    return {"\n".join(one.lines) + "\n": dict(zip(KEYS, one.features(0), strict=True)) for one in found}


JOBS = """\
- job:
    name: early
    run: a.yaml

- job:
    name: wait
    run: b.yaml
"""


def test_items_that_hold_one_block_are_known_by_its_name():
    """`- job:` with a name below it is the job of that name; a further one stands behind the others."""
    assert JOBS.replace("b.yaml", "c.yaml") in merged(JOBS, "- job:\n    name: wait\n    run: c.yaml\n", "yaml")
    new = "- job:\n    name: late\n    run: l.yaml\n"
    assert JOBS + "\n" + new in merged(JOBS, new, "yaml", lead="And the new job:")


def test_a_plain_item_becomes_a_block():
    """A name in a list may get keys."""
    original = "check:\n  jobs:\n    - lint\n    - tests\n    - docs\n"
    shown = "check:\n  jobs:\n    - tests:\n        voting: false\n"
    assert original.replace("- tests", "- tests:\n        voting: false") in merged(original, shown, "yaml")


def test_words_say_what_takes_the_place_of_a_key():
    """However little two keys are alike, words may say that one is the other's new form."""
    original = '[tool]\nsrc = ["a"]\nshow-source = true\nwidth = 79\n'
    shown = '[tool]\nformat = "full"\n'
    found = merged(original, shown, "toml", "`format` replaces `show-source`.")
    assert found[original.replace("show-source = true", 'format = "full"')]["keys_renamed_said"] == 1
    assert all(not values["keys_renamed_said"] for values in merged(original, shown, "toml", "Without more.").values())
    package = '{\n  "main": "a.js",\n  "dependencies": {\n    "b": "1"\n  },\n  "engines": {}\n}\n'
    said = "`types` takes the place of `dependencies`, which is deleted."
    wanted = '{\n  "main": "a.js",\n  "types": "a.d.ts",\n  "engines": {}\n}\n'
    shown = '{\n  "main": "a.js",\n  "types": "a.d.ts"\n}\n'
    assert wanted in merged(package, shown, "json", said)


def test_a_block_goes_for_one_that_has_no_key_in_common_with_it():
    """Whether it goes or is joined is a question with two answers."""
    schema = '{\n  "parts": {\n    "type": "array",\n    "size": 1\n  },\n  "name": {}\n}\n'
    shown = '{\n  "parts": {\n    "$ref": "#/parts"\n  }\n}\n'
    found = merged(schema, shown, "json", "The array is replaced by the reference.")
    replaced = found['{\n  "parts": {\n    "$ref": "#/parts"\n  },\n  "name": {}\n}\n']
    assert (replaced["keys_replaced"], replaced["keys_replaced_said"]) == (1, 1)
    assert len(found) == 2
    service = "spec:\n  replicas: 1\n  selector:\n    app: a\n"
    labelled = "spec:\n  selector:\n    matchLabels:\n      app: a\n"
    assert service.replace("    app: a", "    matchLabels:\n      app: a") in merged(service, labelled, "yaml")


def test_values_may_be_written_as_shown_though_they_say_the_same():
    """Only the writing differs: that is left as it is, or taken over."""
    original = '[project]\nlicense = {file = "L"}\nname = "a"\n'
    shown = '[project]\nlicense = { file = "L" }\nname = "b"\n'
    found = merged(original, shown, "toml", "Formatted with pyproject-fmt.")
    assert found[shown]["keys_rewritten"] > 0
    assert found[shown]["keys_rewritten_said"] == 1
    assert original.replace('"a"', '"b"') in found


def test_keys_of_which_the_file_has_none_go_where_words_say():
    """Words behind a snippet, or those that name a part of a key, are enough."""
    sheet = ".menu {\n  width: 1px;\n}\n\n.other {\n  width: 2px;\n}\n"
    rule = ".menu tr {\n  color: red;\n}\n"
    found = merged(sheet, rule, "css", "(after the `.menu` rule)")
    assert found[sheet.replace("}\n\n.other", f"}}\n\n{rule}\n.other")]["keys_placed"] == 1
    assert not merged(sheet, rule, "css", "Centred.")
    project = '[project]\nname = "a"\n'
    table = "[tool.ruff]\nwidth = 79\n"
    assert f"{project}\n{table}" in merged(project, table, "toml", "and ruff gets its settings at the end of the file")


def test_words_before_a_snippet_say_first_or_last():
    """What leads to a snippet tells the place of its new keys without a name."""
    schema = '{\n  "properties": {\n    "main": 1,\n    "other": 2\n  }\n}\n'
    shown = '{\n  "properties": {\n    "assets": 0\n  }\n}\n'
    wanted = schema.replace('    "main"', '    "assets": 0,\n    "main"')
    assert wanted in merged(schema, shown, "json", lead="In the schema, as the first property:")
    assert wanted not in merged(schema, shown, "json", lead="In the schema:")


def test_an_object_in_a_list_is_found_by_its_keys():
    """Where no object outside of lists has them, and only one inside of them."""
    template = '{\n  "resources": [\n    {\n      "osProfile": {\n        "name": "a"\n      }\n    }\n  ]\n}\n'
    shown = '"osProfile": {\n    "data": "b"\n}\n'
    wanted = template.replace('"name": "a"', '"name": "a",\n        "data": "b"')
    assert wanted in merged(template, shown, "json")


FILE = '    {\n      "path": "%s.css",\n      "size": %d\n    }'


def test_objects_of_a_list_are_known_by_a_key():
    """Those that aren't shown may stay; new ones go where a quoted part of their name tells."""
    original, shown = (
        '{\n  "files": [\n' + ",\n".join(FILE % one for one in files) + "\n  ]\n}\n"
        for files in ((("core", 1), ("extra", 2), ("pages", 3)), (("core", 9), ("light", 4)))
    )
    new = '    {\n      "path": "light.css",\n      "size": 4\n    },\n'
    wanted = original.replace('"size": 1', '"size": 9')
    at = wanted.index('    {\n      "path": "pages.css"')
    found = merged(original, shown, "json", "The `light` file is new and sits before the pages one.")
    assert found[wanted[:at] + new + wanted[at:]]["keys_joined"] > 0


def test_an_object_that_is_left_open_is_read():
    """Brackets that are missing at the end are closed; keys all shown in another order stand in that order."""
    original = '{\n  "exports": {\n    ".": {\n      "import": "a",\n      "types": "b"\n    },\n    "c": "c"\n  }\n}\n'
    shown = '  "exports": {\n    ".": {\n      "types": "b",\n      "import": "a"\n    },\n'
    found = merged(original, shown, "json")
    wanted = original.replace('"import": "a",\n      "types": "b"', '"types": "b",\n      "import": "a"')
    assert found[wanted]["keys_moved"] == 1
    assert not merged(original, '    "a": 1\n  }\n  "exports": {}\n', "json")


def test_a_remark_behind_a_value_is_taken_either_way():
    """Where its words leave a doubt: for the file, or for the reader."""
    original = "with:\n  python: 3\n  cache: pip\n"
    shown = "with:\n  cache: uv  # was pip before, only in this job\n"
    found = merged(original, shown, "yaml")
    with_remark = Counter("#" in text for text in found)
    assert set(with_remark) == {True, False}
    assert any(values["keys_flipped"] or values["keys_noted"] for values in found.values())
