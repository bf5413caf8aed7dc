"""Readings of an edit: all its snippets, each result once, with probabilities."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastedit.anchor.lazy.readings as lazy_readings
from fastedit.anchor.lazy.certainty import align_lazy
from fastedit.anchor.lazy.reading import MAX_READINGS, NAMES, WHOLE, Reading, probabilities, weights
from fastedit.anchor.lazy.readings import readings_of
from fastedit.anchor.model import SegmentKind
from fastedit.edits.model import Snippet
from fastedit.syntax import outline
from support.aligning import WEIGHTS, applied, lines_of
from support.examples import examples

STORE = """\
import os


def load(path):
    return open(path)


def save(path):
    return path


def main():
    return load("a")
"""


def readings(
    original: str, *snippets: str, message: str = "", weights: dict[str, float] | None = None
) -> list[Reading]:
    shown = [Snippet(tuple(lines_of(text))) for text in snippets]
    found = outline(original, "python")
    return readings_of(lines_of(original), shown, "python", message, found, known_weights=weights or WEIGHTS)


def text_of(reading: Reading) -> str:
    return "\n".join(reading.lines) + "\n"


def test_a_snippet_that_shows_what_another_one_wrote_may_still_be_about_the_original(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Both have a new line that is the same: nothing is found by reading the second one behind the first."""
    ways, original = lazy_readings._ways, lines_of(STORE)
    monkeypatch.setattr(lazy_readings, "_ways", lambda task: ways(task) if task.base.lines.texts == original else [])
    shown = [f"def {name}(path):\n    check_that_it_is_there(path)\n    return" for name in ("load", "save")]
    best = readings(STORE, f"{shown[0]} open(path)", f"{shown[1]} path")[0]
    assert text_of(best) == STORE.replace("(path):\n", "(path):\n    check_that_it_is_there(path)\n")


def test_one_snippet() -> None:
    best = readings(STORE, "def load(path):\n    return open(path, 'rb')")[0]
    assert text_of(best) == STORE.replace("open(path)", "open(path, 'rb')")


def test_several_snippets_are_read_one_after_the_other() -> None:
    best = readings(STORE, "import os\nimport re", "def save(path):\n    return None")[0]
    assert text_of(best) == STORE.replace("import os", "import os\nimport re").replace("return path", "return None")
    assert len(best.parts) == 2


def test_a_snippet_may_show_what_an_earlier_one_wrote() -> None:
    best = readings(STORE, "import os\nimport re", "import os\nimport re\nimport sys")[0]
    assert text_of(best) == STORE.replace("import os", "import os\nimport re\nimport sys")


TWINS = """\
def one(path):
    return parse(path, deep=True)


def two(path):
    return parse(path, deep=False)
"""


def test_two_snippets_change_two_lines() -> None:
    shown = ("    return parse(path, deep=True, strict=True)", "    return parse(path, deep=True, strict=None)")
    found = readings(TWINS, *shown, weights={**WEIGHTS, "rewritten": -2.0})
    assert "strict=True" in text_of(found[0])
    assert "strict=None" in text_of(found[0])
    assert "rewritten" not in told_of(found[0])
    # The second one changing what the first one wrote is possible too, and its weight counts against it.
    assert [told_of(one)["rewritten"] for one in found if "strict=True" not in text_of(one)][:1] == [1]


def test_a_snippet_for_lines_that_are_changed_already_isnt_dropped() -> None:
    first = "def save(path):\n    check(path)\n    return path.name"
    second = "def save(path):\n    return path.stem"
    found = readings(STORE, first, second)
    assert all(len(one.parts) == 2 for one in found)
    on_top = STORE.replace("    return path\n", "    check(path)\n    return path.stem\n")
    assert on_top in [text_of(one) for one in found]


RIVERS = """\
from rivers import amber
from rivers import indigo


def mix():
    return amber, indigo
"""


def test_what_a_reading_breaks_counts_before_all_snippets_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lazy_readings, "MAX_CARRIED", 1)
    monkeypatch.setattr(lazy_readings, "MAX_BY_STEPS", 0, raising=False)
    monkeypatch.setattr(lazy_readings, "MAX_AS_SHOWN", 0)
    shown = ("from rivers import violet", "def mix():\n    return amber, indigo, violet")
    found = readings(RIVERS, *shown, weights={**WEIGHTS, "unbound": -8.0})
    assert "import amber" in text_of(found[0])
    assert "import indigo" in text_of(found[0])
    assert not any(reading.outlook for reading in readings(RIVERS, *shown, weights={**WEIGHTS, "num_changed": 4.0}))


def test_a_snippet_like_others_may_be_one_more_beside_them() -> None:
    original = RIVERS.replace("from rivers import amber", "from a import amber").replace("from rivers", "from i")
    shown = ("from c import cobalt", "def mix():\n    return amber, cobalt, indigo")
    found = readings(original, *shown, weights=dict(weights()))
    expected = original.replace("amber\nfrom", "amber\nfrom c import cobalt\nfrom").replace("r, i", "r, cobalt, i")
    assert expected in [text_of(reading) for reading in found]


SETUP = """\
setup(
    name="brook",
    version="1.4.0",
    license="MIT",
    author="Ann Lee",
    url="https://example.org/brook",
    packages=["brook"],
    python_requires=">=3.8",
    zip_safe=False,
    classifiers=[
        "Programming Language :: Python :: 3.8",
        "Programming Language :: Python :: 3.9",
    ],
)
"""


def test_what_is_left_out_in_several_places_may_stay_in_all_of_them() -> None:
    shown = (
        'setup(\n    name="brook",\n    version="1.5.0",\n    url="https://example.org/brook",\n    zip_safe=True,\n)'
    )
    found = readings(SETUP, shown, message="The release:", weights=dict(weights()))
    expected = SETUP.replace("1.4.0", "1.5.0").replace("zip_safe=False", "zip_safe=True")
    assert expected in [text_of(reading) for reading in found]


def test_a_snippet_that_goes_up_again_is_told() -> None:
    down = readings(STORE, "    return open(path, 'rb')", "    return load('b')")[0]
    up = readings(STORE, "    return load('b')", "    return open(path, 'rb')")[0]
    assert down.lines == up.lines
    assert "upwards" not in told_of(down)
    assert told_of(up)["upwards"] == 1


def test_joined_features_have_their_weights() -> None:
    shown = ("    return load('b')", "    return open(path, 'rb')")
    plain = readings(STORE, *shown)[0]
    shunned = readings(STORE, *shown, weights={**WEIGHTS, "upwards": -0.1})[0]
    assert shunned.lines == plain.lines
    assert shunned.score == pytest.approx(plain.score - 0.1)


def told_of(reading: Reading) -> dict[str, float]:
    return {name: value for name, value in zip(NAMES, reading.features(), strict=True) if value}


def test_snippets_may_come_in_another_order() -> None:
    best = readings(STORE, "def save(path):\n    return None", "import os\nimport re")[0]
    assert text_of(best) == STORE.replace("import os", "import os\nimport re").replace("return path", "return None")


def test_a_snippet_without_code_changes_nothing() -> None:
    assert readings(STORE, "") == readings(STORE) == []
    (first, *_) = readings(STORE, "", "import os\nimport re")
    assert text_of(first) == STORE.replace("import os", "import os\nimport re")


def test_each_result_comes_once_and_the_likeliest_first() -> None:
    found = readings(STORE, "    return None")
    assert 1 < len(found) <= MAX_READINGS
    assert len({one.lines for one in found}) == len(found)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


def test_words_bring_readings_in_which_something_is_gone() -> None:
    message = "I removed `save`."
    best, *_ = readings(STORE, "import os\nimport re", message=message, weights={**WEIGHTS, "removes_block": 20.0})
    assert "def save" not in text_of(best)
    assert len(best.proposals) == 1
    kept, *_ = readings(STORE, "import os\nimport re", message=message, weights={**WEIGHTS, "removes_block": -20.0})
    assert "def save" in text_of(kept)


def test_a_taste_has_its_weight() -> None:
    edit = "def load(path):\n    return open(path, 'rb')  # <- binary"
    left_out, *_ = readings(STORE, edit, weights={**WEIGHTS, "keeps_notes": -20.0})
    assert "binary" not in text_of(left_out)
    kept, *_ = readings(STORE, edit, weights={**WEIGHTS, "keeps_notes": 20.0})
    assert "binary" in text_of(kept)


def test_json_is_also_read_by_keys() -> None:
    original = '{\n  "a": 1,\n  "b": {\n    "c": 2\n  }\n}\n'
    shown = [Snippet(('{"b": {"c": 3}}',))]
    found = outline(original, "json")
    weights = {**WEIGHTS, "by_keys": 50.0}
    best, *_ = readings_of(lines_of(original), shown, "json", "", found, known_weights=weights)
    assert text_of(best) == original.replace("2", "3")
    assert best.parts[0].taste.by_keys


# ---- what holds of all of them ---------------------------------------------------------------------------------------

TEXTS = st.lists(
    st.sampled_from(
        ["class A:", "    def f(self):", "        return 1", "    x = 1", "", "# ...", "y = 2  # NEW", "f(", ")"]
    ),
    max_size=8,
).map("\n".join)


@examples(40)
@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=2))
def test_probabilities_and_origins(original: str, snippets: list[str]) -> None:
    lines = lines_of(original)
    found = readings(original, *snippets)
    assert not found or sum(one.probability for one in found) == pytest.approx(1)
    for one in found:
        assert 0 < one.probability <= found[0].probability
        told = [origin for origin in one.origins if origin is not None]
        assert told == sorted(set(told))
        assert all(
            line == lines[origin] for line, origin in zip(one.lines, one.origins, strict=True) if origin is not None
        )
        assert applied(lines, one.changes(lines)) == list(one.lines)
        assert one.features().shape == (len(NAMES),)
        worth = np.array([WEIGHTS.get(name, 0.0) for name in NAMES])
        assert float(one.features() @ worth) == pytest.approx(one.score, abs=2e-2)


@given(st.lists(st.floats(-30, 30), min_size=1, max_size=6))
def test_probabilities_follow_the_scores(scores: list[float]) -> None:
    found = probabilities([Reading((str(number),), (None,), score) for number, score in enumerate(scores)])
    assert sum(one.probability for one in found) == pytest.approx(1)
    for one, other in itertools.pairwise(found):
        assert math.log(one.probability / other.probability) == pytest.approx(one.score - other.score, abs=1e-6)


def test_no_readings_have_no_probabilities() -> None:
    assert probabilities([]) == []


# ---- as alignments ---------------------------------------------------------------------------------------------------


@examples(25)
@given(TEXTS, TEXTS)
def test_alignments_cover_the_original(original: str, edit: str) -> None:
    lines = lines_of(original)
    aligned = align_lazy(lines, [Snippet(tuple(lines_of(edit)))], "python", "", outline(original, "python"))
    assert sum(one.share for one in aligned) <= 1 + 1e-6
    for one in aligned:
        at = 0
        for segment in one.segments:
            assert segment.start == at
            assert segment.end >= at
            is_change = segment.kind is not SegmentKind.KEEP
            assert is_change or not segment.lines
            assert (segment.kind is SegmentKind.INSERT) == (is_change and segment.start == segment.end)
            at = segment.end
        assert at == len(lines)
        assert 0 <= one.certainty <= 1


def test_what_is_quoted_and_what_is_anchored() -> None:
    def first(edit: str) -> tuple[bool, bool]:
        snippets = [Snippet(tuple(lines_of(edit)))]
        best = align_lazy(lines_of(STORE), snippets, "python", "", outline(STORE, "python"))[0]
        return best.is_anchored, best.is_quoted

    assert first("def load(path):\n    return open(path)") == (True, True)
    assert first("def load(path):\n    return open(path, 'rb')") == (True, False)
    assert first("zebra = crossing(9)") == (False, False)


def test_a_blank_more_in_a_text_is_a_change() -> None:
    """Such an edit once counted as one that is in the file already."""
    lines = [
        "def fail():",
        "    raise TypeError(",
        '        "takes no filters, as the"',
        '        "data is fixed"',
        "    )",
    ]
    for shown, is_quoted in ((lines, True), ([line.replace('"data', '" data') for line in lines], False)):
        found = align_lazy(lines, [Snippet(tuple(shown))], "python", "", outline("\n".join(lines), "python"))
        assert any(one.is_quoted and not one.changes for one in found) is is_quoted


def test_code_without_a_fence_is_no_prose() -> None:
    code = "def load(path):\n    drop(path)\n    return open(path)"
    message = f"I will let `load` check its path.\n\n{code}\n"
    shown = [Snippet(tuple(lines_of(code)))]
    found = readings_of(lines_of(STORE), shown, "python", message, outline(STORE, "python"), known_weights=WEIGHTS)
    told = found[0].shown
    assert told is not None
    assert told.prose.strip() == "I will let `load` check its path."
    assert not told.asks_gone


def test_keys_that_a_snippet_passes_over_are_not_taken_for_an_edit_applied_before() -> None:
    names = "alpha bravo delta gamma kappa lambda omega sigma theta zeta".split()
    lines = [f'{name} = "{name}-value"' for name in names]
    shown = ("# ... existing code ...", *lines[1:3], *lines[5:7], "# ... existing code ...")
    message = "\n".join(("```toml", *shown, "```"))
    found = outline("\n".join(lines), "toml")
    for one in align_lazy(lines, [Snippet(shown)], "toml", message, found):
        changes = [segment for segment in one.segments if segment.kind is not SegmentKind.KEEP]
        assert changes or not one.is_quoted


def test_a_note_that_something_is_gone_counts_as_words_that_say_so() -> None:
    lines = ["def load():", "    return 1", "", "", "def save():", "    return 2", "", "", "def main():", "    load()"]
    shown = ("def load():", "    return 1", "", "# removed: save", "", "def main():", "    load()")
    readings = readings_of(lines, [Snippet(shown)], "python", "", outline("\n".join(lines), "python"))
    gone = [dict(zip(WHOLE, one.whole, strict=True)) for one in readings if "def save():" not in one.lines]
    assert gone
    assert all(one["gone_asked"] >= one["gone_unasked"] == 0 for one in gone)
    assert any(one["gone_asked"] for one in gone)
