"""Lines that a snippet shows together and that each change another place."""

from __future__ import annotations

from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.reading import NAMES
from fastedit.anchor.lazy.readings import readings_of
from fastedit.anchor.lazy.scattered import SCATTERED, Scattered, scattered_over
from fastedit.anchor.lazy.search.rows import rows_of
from fastedit.edits.model import Snippet
from fastedit.syntax import outline

PINS = """\
[lint]
deps =
    black==19.10
    isort

[types]
deps =
    mypy==0.782
    {[lint]deps}

[docs]
deps =
    Sphinx==3.0.1
"""
SAMPLE = """\
# Name of the member.
name: default

# Where the data are.
data-dir:

# How many threads.
# threads: 1

server:
  # Key.
  key:

peer:
  # Key.
  key:
"""


def scattered(original: str, shown: str) -> tuple[str, Scattered] | None:
    """The result of reading each line as the new form of another, with what speaks for it; None where there is none."""
    lines = Lines(original.rstrip("\n").split("\n"))
    found = scattered_over(lines, rows_of(shown.rstrip("\n").split("\n"), lines))
    if found is None:
        return None
    texts = list(lines.texts)
    for start, end, new in reversed(found.changes):
        texts[start:end] = new
    return "\n".join(texts) + "\n", found


def test_each_line_changes_the_one_it_is_like():
    """Lines below each other change three places, in their own indentation."""
    result = scattered(PINS, "black==20.8\nmypy==0.790\nSphinx==3.4.3\n")
    assert result is not None
    text, found = result
    assert text == PINS.replace("19.10", "20.8").replace("0.782", "0.790").replace("3.0.1", "3.4.3")
    assert (found.values["scattered_together"], found.values["scattered_apart"]) == (0, 1)
    assert set(found.values) == set(SCATTERED)


def test_the_order_of_the_file_tells_keys_apart():
    """Of two blocks with the same keys each gets its own; what is commented out there is taken for its key."""
    result = scattered(SAMPLE, "name: a\ndata-dir: /b\nthreads: 4\nserver:\n  key: c\npeer:\n  key: d\n")
    assert result is not None
    wanted = SAMPLE.replace("default", "a").replace("data-dir:", "data-dir: /b").replace("# threads: 1", "threads: 4")
    assert result[0] == wanted.replace("key:", "key: c", 1).replace("key:\n", "key: d\n")
    assert result[1].values["scattered_uncommented"] > 0


def test_a_line_that_several_are_as_like_as_each_other_is_told():
    """Then nothing says which one is meant."""
    twice = "a:\n  size: 10\nb:\n  size: 10\nc:\n  name: old\n"
    result = scattered(twice, "size: 12\nname: new\n")
    assert result is not None
    assert result[1].values["scattered_rivalled"] == 1


def test_a_row_that_is_like_nothing_leaves_no_such_reading():
    """New code isn't scattered over the file, and neither is a single line."""
    assert not scattered(PINS, "import os\n\ndef load(path):\n    return open(path)\n")
    assert not scattered(PINS, "mypy==0.790\n")


def test_it_is_among_the_readings():
    """The whole way: the lines are changed where they stand."""
    shown = "    black==20.8\n    mypy==0.790\n    Sphinx==3.4.3\n"
    lines = PINS.rstrip("\n").split("\n")
    found = readings_of(lines, [Snippet(tuple(shown.rstrip("\n").split("\n")))], "ini", "", outline(PINS, "ini"))
    wanted = PINS.replace("19.10", "20.8").replace("0.782", "0.790").replace("3.0.1", "3.4.3").rstrip("\n")
    (reading,) = [one for one in found if "\n".join(one.lines) == wanted]
    assert reading.features()[NAMES.index("scattered_any")] == 1
