"""How a lazy snippet is read: one test or more for each of the rules that a careful reader follows."""

from __future__ import annotations

import pytest

from fastedit import apply
from fastedit.errors import Code
from support.applying import lazily, refusal, replaced

SHOP = '''"""A shop."""

import json
import logging
import os

LIMIT = 20
RATE = 0.19


class Basket:
    """What a customer wants."""

    def __init__(self, owner):
        self.owner = owner
        self.items = []

    def add(self, item):
        self.items.append(item)

    def total(self):
        net = sum(item.price for item in self.items)
        return net * (1 + RATE)

    def clear(self):
        self.items = []


class Order:
    """What a customer has bought."""

    def __init__(self, basket):
        self.basket = basket

    def total(self):
        return self.basket.total()

    def clear(self):
        raise ValueError("an order stays")


def load(path):
    # the encoding is always UTF-8
    with open(path, encoding="utf-8") as handle:
        return json.load(handle)


def save(path, data):
    with open(path, "w", encoding="utf-8") as handle:
        json.dump(data, handle)


def main():
    logging.info("at most %d", LIMIT)
    print(load(os.environ["SHOP"]))
'''

WORDINGS = [
    "# ... existing code ...",
    "# ...",
    "# …",
    "...",
    "# rest of the file unchanged",
    "# (unchanged)",
    "# [ ... other definitions ... ]",
    "# --- snip ---",
    "# Existing code here",
    "# ... (imports, constants, Basket) ...",
    "<... the other classes and functions stay ...>",
    "# remaining code stays the same",
    "# everything else stays as it is",
    "// ... existing code ...",
    "/* ... */",
    "<!-- ... existing code ... -->",
]


# -- a marker stands for everything between its neighbours, whatever words it uses ------------------


@pytest.mark.parametrize("marker", WORDINGS)
def test_a_marker_stands_for_what_lies_between_its_neighbours(marker: str):
    snippet = f"""
{marker}

def save(path, data):
    with open(path, "w", encoding="utf-8") as handle:
        json.dump(data, handle, indent=2)

{marker}
"""
    assert lazily(SHOP, snippet).text == SHOP.replace("json.dump(data, handle)", "json.dump(data, handle, indent=2)")


@pytest.mark.parametrize("marker", ["# ...", "# ... other methods ...", "# same as before"])
def test_a_marker_inside_a_class_stands_for_its_other_methods(marker: str):
    snippet = f"""
class Basket:
    {marker}

    def add(self, item):
        self.items.append(item)
        logging.debug("added %s", item)

    {marker}
"""
    line = "        self.items.append(item)\n"
    assert lazily(SHOP, snippet).text == SHOP.replace(line, f'{line}        logging.debug("added %s", item)\n')


def test_a_marker_inside_a_function_stands_for_the_lines_before_the_shown_one():
    snippet = """
def save(path, data):
    # ... existing code ...
        json.dump(data, handle)
        handle.write("\\n")
"""
    line = "        json.dump(data, handle)\n"
    assert lazily(SHOP, snippet).text == SHOP.replace(line, line + '        handle.write("\\n")\n')


def test_a_marker_in_the_place_of_a_body_keeps_the_body():
    snippet = """
def load(path, *, strict=True):
    # ... existing code ...
"""
    assert lazily(SHOP, snippet).text == SHOP.replace("def load(path):", "def load(path, *, strict=True):")


def test_dots_on_the_line_of_the_header_keep_the_body():
    snippet = """
def load(path: str) -> dict: ...

def save(path: str, data: dict) -> None: ...
"""
    expected = replaced(
        SHOP,
        ("def load(path):", "def load(path: str) -> dict:"),
        ("def save(path, data):", "def save(path: str, data: dict) -> None:"),
    )
    assert lazily(SHOP, snippet).text == expected


@pytest.mark.parametrize("marker", WORDINGS)
def test_markers_never_come_into_the_result(marker: str):
    snippet = f"""
{marker}
LIMIT = 30
{marker}
"""
    assert lazily(SHOP, snippet).text == SHOP.replace("LIMIT = 20", "LIMIT = 30")


def test_new_lines_stand_beside_the_neighbour_that_the_snippet_shows_them_with():
    above = """
# ...
LIMIT = 20
CURRENCY = "EUR"
# ...
"""
    below = """
# ...
CURRENCY = "EUR"
LIMIT = 20
# ...
"""
    assert lazily(SHOP, above).text == SHOP.replace("LIMIT = 20\n", 'LIMIT = 20\nCURRENCY = "EUR"\n')
    assert lazily(SHOP, below).text == SHOP.replace("LIMIT = 20\n", 'CURRENCY = "EUR"\nLIMIT = 20\n')


# -- a comment that was already in the original stays -----------------------------------------------


def test_a_comment_of_the_original_stays_even_where_it_sounds_like_a_marker():
    original = SHOP.replace("# the encoding is always UTF-8", "# same as before: the encoding is always UTF-8")
    snippet = """
def load(path):
    # same as before: the encoding is always UTF-8
    with open(path, encoding="utf-8") as handle:
        return json.loads(handle.read())
"""
    expected = original.replace("json.load(handle)", "json.loads(handle.read())")
    assert lazily(original, snippet).text == expected


def test_a_new_comment_that_says_something_is_code():
    snippet = """
# ...
LIMIT = 20
# the German rate, see the tax office's table of 2024
RATE = 0.19
# ...
"""
    comment = "# the German rate, see the tax office's table of 2024\n"
    assert lazily(SHOP, snippet).text == SHOP.replace("RATE = 0.19\n", comment + "RATE = 0.19\n")


# -- neighbours in the snippet that aren't neighbours in the original -------------------------------


def test_what_lay_between_two_anchors_without_a_marker_is_deleted():
    snippet = """
import json
import os

LIMIT = 20
# ...
"""
    assert lazily(SHOP, snippet).text == SHOP.replace("import logging\n", "")


def test_what_lay_between_two_anchors_is_replaced_by_the_new_lines_between_them():
    snippet = """
    def total(self):
        gross = 0
        for item in self.items:
            gross += item.price * (1 + RATE)
        return round(gross, 2)

    def clear(self):
        self.items = []
"""
    old = "        net = sum(item.price for item in self.items)\n        return net * (1 + RATE)\n"
    new = (
        "        gross = 0\n        for item in self.items:\n"
        "            gross += item.price * (1 + RATE)\n        return round(gross, 2)\n"
    )
    assert lazily(SHOP, snippet).text == SHOP.replace(old, new)


def test_a_method_between_two_shown_ones_is_deleted():
    snippet = """
class Basket:
    # ...

    def add(self, item):
        self.items.append(item)

    def clear(self):
        self.items = []


class Order:
    # ...
"""
    method = """    def total(self):
        net = sum(item.price for item in self.items)
        return net * (1 + RATE)

"""
    assert lazily(SHOP, snippet).text == SHOP.replace(method, "")


def test_a_comment_that_says_what_goes_deletes_it():
    snippet = """
# ... existing code ...

def load(path):
    # ... existing code ...


# removed: save


def main():
    # ... existing code ...
"""
    function = (
        'def save(path, data):\n    with open(path, "w", encoding="utf-8") as handle:\n'
        "        json.dump(data, handle)\n\n\n"
    )
    assert lazily(SHOP, snippet).text == SHOP.replace(function, "")


# -- declarations -----------------------------------------------------------------------------------


def test_a_whole_declaration_replaces_the_one_of_that_name():
    snippet = """
def load(path):
    text = Path(path).read_text("utf-8")
    return json.loads(text)
"""
    old = (
        "    # the encoding is always UTF-8\n"
        '    with open(path, encoding="utf-8") as handle:\n        return json.load(handle)\n'
    )
    new = '    text = Path(path).read_text("utf-8")\n    return json.loads(text)\n'
    assert lazily(SHOP, snippet).text == SHOP.replace(old, new)


@pytest.mark.parametrize(
    ("owner", "old", "new"),
    [
        ("Basket", "        self.items = []\n\n\nclass", "        self.items.clear()\n\n\nclass"),
        ("Order", '        raise ValueError("an order stays")\n', "        self.items.clear()\n"),
    ],
)
def test_a_method_is_that_of_the_class_it_is_shown_in(owner: str, old: str, new: str):
    snippet = f"""
class {owner}:
    # ...

    def clear(self):
        self.items.clear()
"""
    assert lazily(SHOP, snippet).text == replaced(SHOP, (old, new))


def test_a_method_without_its_class_is_the_only_one_of_that_name():
    snippet = """
def add(self, item, count=1):
    self.items.extend([item] * count)
"""
    expected = replaced(
        SHOP,
        ("    def add(self, item):", "    def add(self, item, count=1):"),
        ("        self.items.append(item)", "        self.items.extend([item] * count)"),
    )
    assert lazily(SHOP, snippet).text == expected


def test_a_method_without_its_class_is_told_by_its_body():
    snippet = """
def total(self):
    net = sum(item.price for item in self.items)
    return round(net * (1 + RATE), 2)
"""
    assert lazily(SHOP, snippet).text == SHOP.replace("return net * (1 + RATE)", "return round(net * (1 + RATE), 2)")


@pytest.mark.parametrize(
    ("snippet", "old"),
    [
        ("# ...\n\ndef save(path, data):\n    # ...\n\n{new}\n\ndef main():\n    # ...\n", "def main"),
        ("# ...\n\n{new}\n\ndef main():\n    # ...\n", "def main"),
        ("def load(path):\n    # ...\n\n{new}\n\ndef save(path, data):\n    # ...\n", "def save"),
    ],
)
def test_a_new_declaration_goes_where_its_neighbours_say(snippet: str, old: str):
    new = "def remove(path):\n    os.unlink(path)"
    assert lazily(SHOP, snippet.format(new=new)).text == SHOP.replace(old, f"{new}\n\n\n{old}")


def test_a_new_method_goes_behind_the_one_it_is_shown_behind():
    snippet = """
class Order:
    # ...

    def total(self):
        return self.basket.total()

    def owner(self):
        return self.basket.owner

    # ...
"""
    method = "        return self.basket.total()\n"
    new = "\n    def owner(self):\n        return self.basket.owner\n"
    assert lazily(SHOP, snippet).text == SHOP.replace(method, method + new)


# -- what the snippet doesn't reach -----------------------------------------------------------------


@pytest.mark.parametrize("top", ["", "# ...\n"])
@pytest.mark.parametrize("bottom", ["", "# ...\n"])
def test_what_the_snippet_does_not_reach_stays_marker_or_not(top: str, bottom: str):
    snippet = f"""{top}
    def clear(self):
        raise ValueError("an order is final")


def load(path):
{bottom}"""
    assert lazily(SHOP, snippet).text == SHOP.replace("an order stays", "an order is final")


def test_functions_that_are_not_mentioned_stay_between_those_that_are():
    snippet = """
def load(path):
    # the encoding is always UTF-8
    with open(path, encoding="utf-8") as handle:
        return json.loads(handle.read())

def main():
    logging.info("up to %d", LIMIT)
    print(load(os.environ["SHOP"]))
"""
    expected = replaced(SHOP, ("json.load(handle)", "json.loads(handle.read())"), ('"at most %d"', '"up to %d"'))
    assert lazily(SHOP, snippet).text == expected


# -- context that is quoted slightly wrong is context -----------------------------------------------

NOTES = """settings = read()
timeout = settings.get("timeout", 30)  # seconds
result = connect(settings.host, settings.port, timeout=timeout, retries=3)
report = {
    "host": settings.host,
    "result": result,
}
send(report)
"""


@pytest.mark.parametrize(
    "context",
    [
        'timeout = settings.get("timeout", 30)\n'
        "result = connect(settings.host, settings.port, timeout=timeout, retries=3)",
        'timeout  =  settings.get( "timeout",30 )  # seconds\n'
        "result = connect(settings.host, settings.port, timeout = timeout, retries = 3)",
        'timeout = settings.get("timeout", 30)  # seconds\n'
        "result = connect(\n    settings.host,\n    settings.port,\n    timeout=timeout,\n    retries=3,\n)",
    ],
)
def test_the_originals_bytes_win_over_misquoted_context(context: str):
    snippet = f"""
# ...
{context}
log(result)
# ...
"""
    assert lazily(NOTES, snippet).text == NOTES.replace("report = {", "log(result)\nreport = {")


def test_lines_that_really_are_changed_are_the_edits():
    snippet = """
# ...
timeout = settings.get("timeout", 60)  # seconds
# ...
"""
    assert lazily(NOTES, snippet).text == NOTES.replace("30", "60")


def test_keys_that_a_partial_object_does_not_show_stay():
    package = (
        '{\n  "name": "seedlist",\n  "version": "0.0.9",\n  "scripts": {\n    "test": "jest"\n  },\n'
        '  "dependencies": {\n    "express": "^4.0.0",\n    "pg": "^8.0.0"\n  },\n'
        '  "devDependencies": {\n    "jest": "^29.0.0"\n  }\n}\n'
    )
    shown = (
        '{\n  "scripts": {\n    "test": "vitest run"\n  },\n  "dependencies": { ... },\n'
        '  "devDependencies": {\n    "jest": "^29.0.0",\n    "vitest": "^1.4.0"\n  }\n}\n'
    )
    merged = apply(package, f"```json\n{shown}```\n", path="package.json", mode="structural", certainty=0.3)
    assert merged.text == package.replace('"test": "jest"', '"test": "vitest run"').replace(
        '"^29.0.0"\n', '"^29.0.0",\n    "vitest": "^1.4.0"\n'
    )


def test_context_joined_to_one_line_is_context():
    snippet = """
# ...
report = {"host": settings.host, "result": result}
send(report, urgent=True)
"""
    assert lazily(NOTES, snippet).text == NOTES.replace("send(report)", "send(report, urgent=True)")


# -- the file's manner wins over the snippet's ------------------------------------------------------


def test_line_ends_of_the_file_win():
    original = SHOP.replace("\n", "\r\n")
    expected = SHOP.replace("LIMIT = 20\n", "LIMIT = 20\nMINIMUM = 1\n").replace("\n", "\r\n")
    assert lazily(original, "# ...\nLIMIT = 20\nMINIMUM = 1\n# ...\n").text == expected


def test_tabs_of_the_file_win():
    original = SHOP.replace("    ", "\t")
    snippet = """
class Basket:
    # ...

    def add(self, item):
        if item is not None:
            self.items.append(item)

    # ...
"""
    line = "\t\tself.items.append(item)\n"
    assert lazily(original, snippet).text == original.replace(line, f"\t\tif item is not None:\n\t{line}")


@pytest.mark.parametrize("unit", ["  ", "\t", " "])
def test_the_step_of_indentation_of_the_file_wins(unit: str):
    snippet = """
class Order:
    # ...

    def total(self):
        if self.basket is None:
            return 0
        return self.basket.total()

    # ...
""".replace("    ", unit)
    line = "        return self.basket.total()\n"
    new = "        if self.basket is None:\n            return 0\n"
    assert lazily(SHOP, snippet).text == SHOP.replace(line, new + line)


@pytest.mark.parametrize("columns", [0, 2, 4, 6, 8])
def test_a_method_may_be_shown_at_any_depth(columns: int):
    lines = ["def add(self, item):", "    if item:", "        self.items.append(item)"]
    snippet = "\n".join(" " * columns + line for line in lines)
    line = "        self.items.append(item)\n"
    assert lazily(SHOP, snippet).text == SHOP.replace(line, f"        if item:\n    {line}")


@pytest.mark.parametrize("end", ["", "\n", "\n\n\n"])
@pytest.mark.parametrize("snippet_end", ["", "\n"])
def test_the_final_newline_of_the_file_wins(end: str, snippet_end: str):
    original = SHOP.rstrip("\n") + end
    snippet = f'```python\ndef main():\n    print(load(os.environ["SHOP"]), LIMIT){snippet_end}\n```'
    old = '    logging.info("at most %d", LIMIT)\n    print(load(os.environ["SHOP"]))'
    expected = original.replace(old, '    print(load(os.environ["SHOP"]), LIMIT)')
    assert apply(original, snippet, path="sample.py", mode="structural").text == expected


# -- blank lines ------------------------------------------------------------------------------------


def test_blank_lines_follow_the_snippet_inside_what_it_shows():
    snippet = """
def main():
    logging.info("at most %d", LIMIT)

    data = load(os.environ["SHOP"])

    print(data)
"""
    old = '    print(load(os.environ["SHOP"]))\n'
    new = '\n    data = load(os.environ["SHOP"])\n\n    print(data)\n'
    assert lazily(SHOP, snippet).text == SHOP.replace(old, new)


def test_blank_lines_follow_the_original_around_markers():
    snippet = """
import json
# ...
class Order:
    # ...
    def total(self):
        return self.basket.total() - self.discount
    # ...
# ...
def main():
    # ...
"""
    expected = SHOP.replace("return self.basket.total()", "return self.basket.total() - self.discount")
    assert lazily(SHOP, snippet).text == expected


# -- several snippets, and what is moved or wrapped -------------------------------------------------


def test_several_fences_are_applied_one_after_the_other():
    message = (
        "First the limit:\n\n```python\nLIMIT = 30\n```\n\nthen its message:\n\n```python\ndef main():\n"
        '    logging.info("up to %d", LIMIT)\n    # ...\n```\n'
    )
    expected = replaced(SHOP, ("LIMIT = 20", "LIMIT = 30"), ('"at most %d"', '"up to %d"'))
    assert apply(SHOP, message, path="sample.py", mode="structural").text == expected


def test_elided_lines_move_with_the_block_that_they_come_to_stand_in():
    snippet = """
def save(path, data):
    if data is not None:
        with open(path, "w", encoding="utf-8") as handle:
            # ...
"""
    old = '    with open(path, "w", encoding="utf-8") as handle:\n        json.dump(data, handle)\n'
    new = (
        '    if data is not None:\n        with open(path, "w", encoding="utf-8") as handle:\n'
        "            json.dump(data, handle)\n"
    )
    assert lazily(SHOP, snippet).text == SHOP.replace(old, new)


def test_an_edit_that_is_in_the_file_already_changes_nothing_and_says_so():
    snippet = """
# ...
def save(path, data):
    with open(path, "w", encoding="utf-8") as handle:
        json.dump(data, handle)
# ...
"""
    applied = lazily(SHOP, snippet)
    assert applied.text == SHOP
    assert (applied.changes.total, applied.diff) == (0, "")
    assert [warning.code for warning in applied.warnings] == ["NO_CHANGE"]


COUNTING = """class Counter:
    def step(self, value):
        if value > 0:
            return self.step(value - 1)
        return self.end(value)

    def end(self, value):
        return value


class Other:
    def end(self, value):
        return -value
"""


@pytest.mark.parametrize(
    "code",
    [
        "class Counter:\n    def walk(self, value):\n        if value > 0:\n            return self.walk(value - 1)\n"
        "        return self.end(value)\n\n    def end(self, value):\n        # ...\n\n# ...",
        "class Counter:\n    def walk(self, value):\n        if value > 0:\n            return self.walk(value - 1)\n"
        "        # ...\n\n    # ...\n\n# ...",
    ],
)
def test_a_method_that_calls_itself_is_known_under_another_name(code: str):
    assert lazily(COUNTING, code).text == COUNTING.replace("step(", "walk(")


def test_a_comment_stays_where_what_it_stands_above_is_replaced():
    original = "# Settings\nimport json\nimport os\n\nLIMIT = 1\n"
    assert lazily(original, "# Settings\nimport yaml\nimport os\n\n# ...").text == replaced(original, ("json", "yaml"))


def test_a_variant_may_have_a_copy_of_the_comment_above_its_neighbour():
    original = "# one step\ndef step():\n    go()\n\n\ndef end():\n    pass\n"
    code = "def step():\n    # ...\n\n\n# one step\ndef leap():\n    go(2)\n\n\ndef end():\n    pass"
    new = "# one step\ndef leap():\n    go(2)\n\n\n"
    assert lazily(original, code).text == original.replace("def end", new + "def end")


def test_nothing_comes_in_behind_what_ends_a_block():
    original = "def find(rows, key):\n    if not key:\n        raise KeyError(key)\n    a = rows[key]\n    return a\n"
    code = "def find(rows, key):\n    # ...\n    if not key:\n        return None\n\n\ndef other():\n    pass"
    new = "def find(rows, key):\n    if not key:\n        return None\n\n\ndef other():\n    pass\n"
    assert lazily(original, code).text == new


def test_a_declaration_of_an_inner_class_has_not_moved():
    original = (
        "class A:\n    def f(self):\n        class B:\n            def __hash__(self):\n                return 1\n\n"
        "            def __eq__(self, other):\n                return True\n        return B()\n\n"
        "    def g(self):\n        pass\n"
    )
    new = "    def __hash__(self):\n        return 1\n\n"
    code = f"class A:\n    def f(self):\n        # ...\n        return B()\n\n{new}    def g(self):\n        # ..."
    assert lazily(original, code).text == original.replace("    def g", new + "    def g")


def test_the_tail_of_a_file_is_not_taken_for_its_end():
    original = "import a\nimport b\n\nx = f(\n    a,\n)\n\nif x:\n    run(\n        x,\n    )\n"
    code = "import a\nimport c\nimport b\n\nx = f(\n    a,\n)"
    assert lazily(original, code).text == original.replace("import b", "import c\nimport b")


def test_steps_of_indentation_are_those_of_blocks():
    original = (
        "namespace a {\n\ninline bool small(const T &self, int n) {\n  return self.size(n) <= 4096;\n}\n\n"
        "void sort(\n    T key,\n    T value,\n    int n);\n\nvoid find(\n    T key,\n    int n);\n\n} // namespace a\n"
    )
    code = (
        "// ...\n\ninline bool small(const T &self, int n) {\n  try {\n    return self.size(n) <= 4096;\n"
        "  } catch (...) {\n    return false;\n  }\n}\n\n// ..."
    )
    new = "  try {\n    return self.size(n) <= 4096;\n  } catch (...) {\n    return false;\n  }\n"
    assert lazily(original, code, "a.cpp").text == original.replace("  return self.size(n) <= 4096;\n", new)


def test_a_call_that_is_cut_off_keeps_its_arguments():
    original = "f(a PROPERTIES\n  NAME one\n  )\n\ng(b , 1)\n\nf(b PROPERTIES\n  NAME two\n  )\n"
    code = "f(a PROPERTIES\n  NAME one\n  )\n\ng(b , 2)\n\nf(b PROPERTIES"
    assert lazily(original, code, "a.cmake").text == original.replace("g(b , 1)", "g(b , 2)")


LOADS = "# ...\n\n\ndef load(path):\n    # ...\n\n\ndef main():\n    print('here')\n    # ...\n"
GREETED = SHOP.replace("def main():\n", "def main():\n    print('here')\n")


def test_what_follows_a_declaration_that_ends_in_a_marker_is_left_out_with_it():
    assert lazily(SHOP, LOADS).text == GREETED
    constants = SHOP.replace("def main", "EMPTY = []\nFULL = [\n    1,\n]\n\n\ndef main")
    assert lazily(constants, LOADS).text == constants.replace("def main():\n", "def main():\n    print('here')\n")


def test_it_goes_where_words_or_a_comment_say_so():
    without = replaced(GREETED, (SHOP[SHOP.index("def save") : SHOP.index("def main")], ""))
    applied = apply(SHOP, f"I removed `save`.\n\n```python\n{LOADS}```\n", path="shop.py", mode="structural")
    assert applied.text == without
    assert lazily(SHOP, LOADS.replace("def main", "# removed: save\n\ndef main")).text == without


@pytest.mark.parametrize("body", ["", "# ...\n"])
@pytest.mark.parametrize("last", ["minutes = 180\n", "stages = [\n    1,\n]\n"])
def test_a_table_shown_by_its_header_alone_keeps_what_is_in_it(body: str, last: str):
    original = f"[optimizer]\nrate = 1\n\n[schedule]\nrow_tokens = 4096\n{last}\n[tool.x]\na = 1\n"
    code = f"[optimizer]\nrate = 2\n\n[schedule]\n{body}"
    assert lazily(original, code, "run.toml").text == original.replace("rate = 1", "rate = 2")
    code += "\n[tool.x]\na = 2\n"
    expected = replaced(original, ("rate = 1", "rate = 2"), ("a = 1", "a = 2"))
    assert lazily(original, code, "run.toml").text == expected


def test_the_bracket_that_ends_a_tables_last_setting_is_the_settings():
    original = '[extras]\nmodel = ["torch"]\ndev = [\n    "mypy",\n    "ruff",\n]\n\n[scripts]\nrun = "m"\n'
    code = '# ...\ndev = [\n    "mypy",\n    "pytest",\n    "ruff",\n    "tox",\n]\n\n[scripts]\n# ...'
    expected = original.replace('"mypy",\n', '"mypy",\n    "pytest",\n').replace('"ruff",\n', '"ruff",\n    "tox",\n')
    assert lazily(original, code, "pyproject.toml").text == expected


def test_a_heading_alone_keeps_what_is_below_it():
    original = "# Guide\n\nOne.\nTwo.\n\n## Limits\n\n- none\n- few\n\n## More\n\nThree.\n"
    assert lazily(original, "One.\nTwo, too.\n\n## Limits\n", "guide.md").text == original.replace("Two.", "Two, too.")


def test_stubs_close_together_leave_the_blank_lines_between_them():
    code = "def load(path): ...\ndef save(path, data): ...\ndef main():\n    print('here')\n    # ...\n"
    assert lazily(SHOP, code).text == GREETED


def test_a_declaration_between_two_lines_of_others_goes_where_words_say_so():
    code = "        return net * (1 + RATE)\n\n\nclass Order:\n    # ... the rest ...\n"
    words = "`clear` is gone, since nothing uses it any more."
    applied = apply(SHOP, f"{words}\n\n```python\n{code}```\n", path="shop.py", mode="structural")
    assert applied.text == SHOP.replace("    def clear(self):\n        self.items = []\n\n\n", "\n", 1)
    assert lazily(SHOP, code).text == SHOP
    bracketed = LOADS.replace("def main", "# [save deleted]\n\n\ndef main")
    assert "def save" not in lazily(SHOP, bracketed).text


def test_a_quoted_line_isnt_taken_for_one_that_is_like_it():
    original = (
        "import typing\nfrom collections.abc import Callable\nfrom typing import TYPE_CHECKING\n\n"
        "if TYPE_CHECKING:\n    from collections.abc import Iterable\n\n\n__all__ = [\n    'all',\n    'sum',\n]\n"
    )
    code = "# ...\n    from collections.abc import Iterable\n\n\n__all__ = [\n    # ...\n    'sum',\n    'sum_list',\n]"
    assert lazily(original, code).text == original.replace("    'sum',\n", "    'sum',\n    'sum_list',\n")


def test_a_new_method_that_is_an_elided_one_but_for_the_name_is_refused():
    original = "class A:\n    def draw(self):\n        super().draw()\n        self.blit()\n\n    def blit(self): ...\n"
    code = "class A:\n    def draw_info(self):\n        super().draw_info()\n        self.blit()\n\n    # ...\n"
    assert refusal(original, code).code == Code.ANCHOR_AMBIGUOUS
