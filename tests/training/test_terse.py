from __future__ import annotations

import random

from fastedit.training.pairs import Pair
from fastedit.training.terse import terse

ORIGINAL = "import os\n\ndef load(path):\n    return path.read()\n\ndef store(path, text):\n    path.write(text)\n"


def lazy(edit: str, merged: str) -> Pair:
    lines = edit.split("\n")[:-1]
    starts = [sum(len(line) + 1 for line in lines[:at]) for at in range(len(lines))]
    elisions = tuple((start, start + 3) for start, line in zip(starts, lines, strict=True) if line == "...")
    codes = tuple(None if line == "..." else line for line in lines)
    return Pair(ORIGINAL, edit, merged, "a.py", "made", "lazy", elisions, codes)


def edits_of(pair: Pair) -> set[str]:
    return {terse(pair, random.Random(seed)).edit for seed in range(30)}


def test_a_line_that_tells_where_it_goes_needs_nothing_around_it():
    changed = "def load(path, mode):\n"
    pair = lazy(f"...\n\n{changed}    return path.read()\n...\n", ORIGINAL.replace("def load(path):\n", changed))
    assert edits_of(pair) == {
        pair.edit,
        f"...\n{changed}    return path.read()\n...\n",
        f"...\n\n{changed}...\n",
        f"...\n{changed}...\n",
    }
    shorter = terse(pair, random.Random(1))
    assert [shorter.edit[start:end] for start, end in shorter.elisions] == ["..."] * shorter.edit.count("...")
    assert (shorter.original, shorter.merged) == (pair.original, pair.merged)


def test_an_insertion_keeps_the_line_before_it():
    merged = ORIGINAL.replace("import os\n", "import os\nimport sys\n")
    assert edits_of(lazy("import os\nimport sys\n\ndef load(path):\n...\n", merged)) == {
        "import os\nimport sys\n\ndef load(path):\n...\n",
        "import os\nimport sys\n...\n",
    }


def test_a_line_that_is_like_two_keeps_its_context():
    twice = ORIGINAL.replace("path.write(text)", "return path.read(text)")
    edit = "...\ndef store(path, text):\n    return path.read(1)\n"
    merged = ORIGINAL.replace("path.write(text)", "return path.read(1)")
    pair = lazy(edit, merged)
    assert edits_of(Pair(twice, edit, merged, "a.py", "made", "lazy", pair.elisions, pair.codes)) == {edit}


def test_what_has_nothing_to_leave_out_stays():
    pair = lazy("...\nnew()\n", ORIGINAL + "new()\n")
    assert terse(pair, random.Random(0)) is pair
