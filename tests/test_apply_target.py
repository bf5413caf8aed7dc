"""`apply` with a target in the loop: who is asked what, whose text counts, and what happens where it fails."""

from __future__ import annotations

import sys
import time
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from fastedit import EditRefused, apply
from fastedit.apply import apply_edits
from fastedit.decode import EditRequest, engine, submit
from fastedit.decode.request import Group
from fastedit.draft.model import Draft, Kind
from fastedit.edits import parse_message
from fastedit.errors import Code
from fastedit.guard import verdict
from fastedit.guard.verdict import CERTAIN_PASSES
from fastedit.targets import Target, registry
from fastedit.targets import default as default_targets
from fastedit.targets.marks import has_marks, mark, without_marks
from fastedit.targets.templates import PLAIN, Word
from fastedit.verify.asking import Cancellation, DecodeOptions
from support.scripted import script
from support.tiny_targets import make_tiny

FILE = "".join(f"def step_{n}(value):\n    total = value + {n}\n    return total\n\n\n" for n in range(60))
EDIT = """```python
# ... existing code ...

def step_7(value):
    total = value * 7
    return total

# ... existing code ...

def step_50(value):
    total = value * 50
    return total

# ... existing code ...
```
"""
EXPECTED = FILE.replace("value + 7\n", "value * 7\n").replace("value + 50\n", "value * 50\n")
UNKNOWN_PLACE = "```python\n# ... existing code ...\n    seen = set()\n# ... existing code ...\n```\n"
SMALL = """\
class Store:
    def add(self, item):
        self.items.append(item)

    def clear(self):
        del self.items[:]
"""
DIFF = """```diff
--- a/a.py
+++ b/a.py
@@ -36,2 +36,2 @@
 def step_7(value):
-    total = value + 7
+    total = value * 7
```
"""


def edited(original: str, edit: str) -> str:
    return original.replace("value + 7\n", "value * 7\n").replace("value + 50\n", "value * 50\n")


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    return make_tiny(tmp_path_factory.mktemp("target"), "qwen3", vocabulary=400)


@pytest.fixture(scope="module")
def target(checkpoint):
    return Target.load(checkpoint, template="plain")


LIKELY = Word(agrees=1000.0, differs=0.5)  # agrees with hardly any wrong draft
JUDGING = Word(readings=1.0)


@pytest.fixture
def trusted(target):
    """One whose word was measured."""
    return replace(target, word=LIKELY)


def codes(applied):
    return [warning.code for warning in applied.warnings]


def refused(*arguments, **named):
    with pytest.raises(EditRefused) as caught:
        apply(*arguments, **named)
    return caught.value


def apply_with(options, target, mode="model", edit=EDIT, original=FILE):
    return apply_edits(
        original, parse_message(edit), path="a.py", message=edit, mode=mode, target=target, options=options
    )


# -- who is asked what ---------------------------------------------------------------------------------------------


def test_windows_are_all_that_the_target_sees(trusted):
    runner = script(trusted, edited)
    applied = apply(FILE, EDIT, path="a.py", target=trusted)
    assert (applied.text, applied.strategy, codes(applied)) == (EXPECTED, "verified", [])
    (first, first_edit), (second, second_edit) = runner.asked
    assert "step_7(" in first
    assert "step_50(" not in first + first_edit
    assert "step_50(" in second
    assert "step_7(" not in second + second_edit
    assert len(first) + len(second) < len(FILE) / 3


def test_the_whole_file_is_shown_on_request(target):
    runner = script(target, edited, slot_len=16384)
    applied = apply(FILE, EDIT, path="a.py", scope="file", target=target)
    assert applied.text == EXPECTED
    shown = EDIT.split("```python\n")[1].split("```")[0]
    assert runner.asked == [(FILE, shown.replace("# ... existing code ...", str(PLAIN.elision)))]


def test_a_second_edit_of_a_file_reads_it_from_the_cache(checkpoint):
    target = Target.load(checkpoint, template="plain")  # nothing is scripted: its own engine, its own KV rows
    edits = [f"def area(w, h):\n    return {what}\n" for what in ("w * h", "h * w")]
    original = "def area(w, h):\n    return 0\n"
    first, second = (apply(original, edit, path="a.py", scope="file", target=target).stats for edit in edits)
    shared = len(target.prompt(original, "")) - 1  # without what ends an edit
    assert (first.cached_tokens, first.prompt_tokens > shared) == (0, True)
    assert shared <= second.cached_tokens < second.prompt_tokens


def test_one_pass_does_it_where_the_target_agrees(target):
    script(target, edited)
    stats = apply(FILE, EDIT, path="a.py", target=target).stats
    assert (stats.divergences, stats.accepted) == (0, stats.drafted)
    assert stats.passes <= 4  # two windows
    assert stats.completion_tokens > 100
    assert stats.total_ms > 0


def test_all_windows_are_in_the_first_pass(target):
    runner = script(target, edited)
    apply(FILE, EDIT, path="a.py", target=target)
    assert runner.crowds[0] == 2


def test_edits_of_a_group_are_in_the_first_pass(target, monkeypatch):
    monkeypatch.setattr(engine, "LONGEST_WAIT_S", 20.0)
    runner, group = script(target, edited, num_slots=8), Group(2)

    def apply_one(number):
        time.sleep(0.05 * number)
        return apply_with(DecodeOptions(place=group.place()), target, original=f"# {number}\n{FILE}").text

    with ThreadPoolExecutor(2) as threads:
        texts = list(threads.map(apply_one, range(2)))
    assert texts == [f"# {number}\n{EXPECTED}" for number in range(2)]
    assert runner.crowds[0] == 4


def test_what_a_format_says_exactly_is_no_question(target):
    runner = script(target, edited)
    assert apply(FILE, DIFF, path="a.py", target=target).strategy == "structural"
    assert runner.asked == []
    assert apply(FILE, DIFF, path="a.py", target=target, mode="model").strategy == "model"
    assert "-    total = value + 7\n+    total = value * 7\n" in runner.asked[0][1]


def test_a_draft_that_the_target_repeats_is_judged_once(target, monkeypatch):
    script(target, edited)
    monkeypatch.setattr(verdict, "inspect", lambda *_: pytest.fail("the guard has seen it"))
    applied = apply(FILE, EDIT, path="a.py", mode="model", target=target)
    assert (applied.text, applied.strategy, codes(applied)) == (EXPECTED, "model", [])


def test_an_edit_that_is_in_the_file_is_no_question(target):
    runner = script(target, edited)
    assert codes(apply(EXPECTED, EDIT, path="a.py", target=target)) == ["NO_CHANGE"]
    assert runner.asked == []


def test_line_ends_outlive_a_target_that_knows_only_one(trusted):
    runner = script(trusted, edited)
    applied = apply(FILE.replace("\n", "\r\n"), EDIT, path="a.py", target=trusted)
    assert (applied.text, applied.strategy) == (EXPECTED.replace("\n", "\r\n"), "verified")
    assert "\r" not in runner.asked[0][0]


# -- whose text counts ---------------------------------------------------------------------------------------------


def test_a_certain_draft_stands_against_a_target_that_puts_it_otherwise(target):
    edit = EDIT.replace("    total = value * 7\n", "    total = value + 7\n    print(total)\n")
    expected = EXPECTED.replace("    total = value * 7\n", "    total = value + 7\n    print(total)\n")
    other = "    print(total)\n    total = value + 7\n"
    script(target, lambda original, _: edited(original, "").replace("    total = value * 7\n", other))
    applied = apply(FILE, edit, path="a.py", target=target)
    assert (applied.text, applied.strategy, codes(applied)) == (expected, "structural", ["TARGET_DISAGREES"])


def test_a_target_that_never_ends_is_told_and_not_waited_for(target):
    runner = script(target, lambda original, edit: edited(original, edit) + "".join(map(str, range(1000))))
    applied = apply(FILE, EDIT, path="a.py", target=target)
    assert (applied.text, applied.strategy, codes(applied)) == (EXPECTED, "structural", ["TARGET_DISAGREES"])
    assert runner.num_passes <= 2 * CERTAIN_PASSES
    assert refused(FILE, EDIT, path="a.py", mode="model", target=target).code == Code.TRUNCATION_DETECTED


UNCERTAIN_FILE, UNCERTAIN_EDIT, UNCERTAIN_RESULT = (
    (Path(__file__).parents[1] / "examples" / "lazy-python" / name).read_text("utf-8")
    for name in ("original/inventory.py", "edit.md", "expected/inventory.py")
)


@pytest.mark.parametrize("slip", ["# never\n" * 500, "total = 0\n"])
def test_a_target_that_is_of_no_use_leaves_a_warning_on_an_uncertain_draft(target, slip, monkeypatch):
    monkeypatch.setattr(verdict, "TRUSTED_CERTAINTY", 1.0)
    script(target, lambda original, edit: original + slip)
    applied = apply(UNCERTAIN_FILE, UNCERTAIN_EDIT, path="inventory.py", target=target)
    assert applied.stats.certainty < verdict.TRUSTED_CERTAINTY
    assert (applied.text, applied.strategy) == (UNCERTAIN_RESULT, "structural")
    assert codes(applied) == ["TARGET_DISAGREES"]


def test_the_draft_is_checked_at_once_however_dear_wide_passes_seem(trusted, monkeypatch):
    monkeypatch.setattr("support.scripted.COSTS", {1: 1e-5, 2**16: 1e3})
    script(trusted, edited, slot_len=16384)
    applied = apply(FILE, EDIT, path="a.py", scope="file", target=trusted)
    assert applied.strategy == "verified"
    assert applied.stats.drafted > 0.9 * applied.stats.completion_tokens


def test_a_target_in_error_leaves_a_certain_draft_with_a_warning(target):
    script(target, lambda original, edit: edited(original, edit).replace("value * 7\n", "value * 77\n"))
    applied = apply(FILE, EDIT, path="a.py", target=target)
    assert (applied.text, applied.strategy, codes(applied)) == (EXPECTED, "structural", ["TARGET_DISAGREES"])
    assert applied.stats.divergences > 0


def test_in_model_mode_the_target_has_the_word_and_warnings_say_what_is_odd(target):
    script(target, lambda original, edit: edited(original, edit).replace("return total", "return  total + 0"))
    applied = apply(FILE, EDIT, path="a.py", mode="model", target=target)
    assert applied.strategy == "model"
    assert "return  total + 0" in applied.text
    assert codes(applied) == ["BLAST_RADIUS_EXCEEDED"]


def test_a_faithful_target_finds_the_place_that_the_alignment_cant_tell(target):
    structural = refused(SMALL, UNKNOWN_PLACE, path="a.py", mode="structural")
    wanted = SMALL.replace("    def add", "    seen = set()\n\n    def add", 1)
    script(target, lambda original, edit: wanted)
    applied = apply(SMALL, UNKNOWN_PLACE, path="a.py", target=target)
    assert (applied.text, applied.strategy) == (wanted, "model"), structural


def test_a_target_that_only_verifies_never_stands_for_a_draft(target):
    verifier = replace(target, only_verifies=True)
    wanted = SMALL.replace("    def clear", "    seen = set()\n\n    def clear", 1)
    script(verifier, lambda original, edit: wanted)
    structural = refused(SMALL, UNKNOWN_PLACE, path="a.py", mode="structural")
    assert refused(SMALL, UNKNOWN_PLACE, path="a.py", target=verifier).code == structural.code
    assert apply(SMALL, UNKNOWN_PLACE, path="a.py", target=verifier, mode="model").text == wanted
    assert Target.load("embedded").only_verifies
    assert not target.only_verifies


@pytest.fixture
def stricter(monkeypatch):
    """More is asked of what is called verified than the draft of `EDIT` alone has."""
    monkeypatch.setattr(verdict, "VERIFIED_CERTAINTY", 0.998)


def test_a_verifier_is_asked_only_where_its_word_could_change_something(target, stricter):
    hopeless, helpful = replace(target, only_verifies=True), replace(target, only_verifies=True, word=LIKELY)
    asked = {"path": "a.py", "certainty": 0.998}
    structural = refused(FILE, EDIT, mode="structural", **asked)
    assert structural.code == Code.ANCHOR_AMBIGUOUS
    runner = script(hopeless, edited)
    refusal = refused(FILE, EDIT, target=hopeless, **asked)
    assert (refusal.code, refusal.candidates, runner.asked) == (structural.code, structural.candidates, [])
    script(helpful, edited)
    applied = apply(FILE, EDIT, target=helpful, **asked)
    assert (applied.text, applied.strategy) == (EXPECTED, "verified")
    assert applied.stats.certainty > 0.998 > structural.certainty


def test_verified_is_said_only_of_what_is_nearly_certain(target, stricter):
    alone = apply(FILE, EDIT, path="a.py", mode="structural")
    odds = alone.stats.certainty / (1 - alone.stats.certainty)
    # Its agreement goes half the way to what is called verified.
    needed = verdict.VERIFIED_CERTAINTY / (1 - verdict.VERIFIED_CERTAINTY) / odds
    assert needed > 1
    unsure = replace(target, only_verifies=True, word=Word(agrees=needed**0.5))
    script(unsure, edited)
    applied = apply(FILE, EDIT, path="a.py", target=unsure)
    assert (applied.text, applied.strategy, codes(applied)) == (EXPECTED, "structural", [])
    assert alone.stats.certainty < applied.stats.certainty < verdict.VERIFIED_CERTAINTY


def test_of_a_target_whose_word_was_not_measured_nothing_is_called_verified(target, trusted, stricter):
    script(target, edited)
    unmeasured = apply(FILE, EDIT, path="a.py", target=target)
    assert (unmeasured.text, unmeasured.strategy, codes(unmeasured)) == (EXPECTED, "structural", [])
    assert unmeasured.stats.accepted == unmeasured.stats.drafted > 0
    script(trusted, edited)
    assert apply(FILE, EDIT, path="a.py", target=trusted).strategy == "verified"


def test_an_uncertain_draft_that_is_applied_since_the_target_wrote_it_is_the_targets(target):
    draft = apply(SMALL, UNKNOWN_PLACE, path="a.py", mode="structural", certainty=0.0).text
    assert refused(SMALL, UNKNOWN_PLACE, path="a.py", mode="structural").code == Code.ANCHOR_NOT_FOUND
    script(target, lambda original, edit: draft)
    applied = apply(SMALL, UNKNOWN_PLACE, path="a.py", target=target)
    assert (applied.text, applied.strategy) == (draft, "model")


def test_a_verifier_that_differs_makes_a_draft_less_certain_and_is_soon_left(target):
    doubtful = replace(target, only_verifies=True, word=LIKELY)
    runner = script(doubtful, lambda original, edit: edited(original, edit) + "".join(map(str, range(1000))))
    applied = apply(FILE, EDIT, path="a.py", target=doubtful)
    alone = apply(FILE, EDIT, path="a.py", mode="structural")
    assert (applied.text, applied.strategy, codes(applied)) == (EXPECTED, "structural", ["TARGET_DISAGREES"])
    assert applied.stats.certainty < alone.stats.certainty
    assert runner.num_passes <= 2 * verdict.VERIFIERS_PASSES


def test_a_verifier_that_is_late_leaves_the_draft_or_the_refusal_that_was_known(target, monkeypatch):
    late = replace(target, only_verifies=True, word=LIKELY)
    monkeypatch.setattr(sys.modules["fastedit.apply"], "VERIFIERS_S", 1e-9)
    script(late, edited)
    applied = apply(FILE, EDIT, path="a.py", target=late)
    assert (applied.text, applied.strategy, codes(applied)) == (EXPECTED, "structural", ["TIMEOUT"])
    refusal = refused(FILE, EDIT, path="a.py", target=late, certainty=0.998)
    assert refusal.code == Code.ANCHOR_AMBIGUOUS
    assert refusal.candidates


@pytest.mark.parametrize("lost", ["    total = value * 7\n", "def step_8(value):\n"])
def test_what_a_target_loses_is_refused_in_model_mode_too(target, lost):
    script(target, lambda original, edit: edited(original, edit).replace(lost, ""))
    refusal = refused(FILE, EDIT, path="a.py", mode="model", target=target)
    assert refusal.code in (Code.TRUNCATION_DETECTED, Code.SYMBOL_LOST)


@pytest.mark.parametrize(
    "answer",
    [
        SMALL.replace("    def clear", "    seen = list()\n\n    def clear"),  # not what the edit says
        SMALL,  # nothing
        SMALL.split("    def clear")[0] + "    seen = set()\n",  # lost the rest
        SMALL + "    seen = set()\n    # ... existing code ...\n",  # copied a marker
        SMALL.replace("    def clear", "    seen = set(\n\n    def clear"),  # broken
    ],
)
def test_an_unfaithful_target_changes_nothing(target, answer):
    script(target, lambda original, edit: answer)
    structural = refused(SMALL, UNKNOWN_PLACE, path="a.py", mode="structural")
    assert refused(SMALL, UNKNOWN_PLACE, path="a.py", target=target).code == structural.code


@pytest.mark.parametrize(
    ("word", "is_asked"), [(Word(), False), (Word(agrees=2.0), False), (Word(agrees=1e4), True), (JUDGING, True)]
)
def test_two_places_alike_are_a_question_only_for_a_target_that_was_measured_to_tell(target, word, is_asked):
    twice = SMALL + "\n\n" + SMALL.replace("Store", "Shop")
    edit = "```python\n    def add(self, item):\n        self.items.insert(0, item)\n```\n"
    target = replace(target, word=word)
    runner = script(target, lambda original, edit: original)
    refusal = refused(twice, edit, path="a.py", target=target)
    assert refusal.code == Code.ANCHOR_AMBIGUOUS
    assert len(refusal.candidates) > 1
    assert bool(runner.asked) == is_asked


def test_the_guard_judges_the_target_too(target):
    script(target, lambda original, edit: "# ... existing code ...\n" + edited(original, edit))
    assert refused(FILE, EDIT, path="a.py", mode="model", target=target).code == Code.MARKER_LEAKAGE


# -- as it comes ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["auto", "model", "structural"])
@pytest.mark.parametrize("answer", [edited, lambda original, edit: edited(original, edit) + "# end\n"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_pieces_join_to_the_result(target, mode, answer, end):
    script(target, answer)
    pieces = []
    options = DecodeOptions(on_text=pieces.append)
    applied = apply_with(options, target, mode, original=FILE.replace("\n", end))
    assert "".join(pieces) == applied.text
    assert all(pieces)
    assert mode == "structural" or len(pieces) > 1


def test_an_edit_can_be_given_up(target):
    options = DecodeOptions(speculate=False)
    script(target, edited, before_pass=options.cancellation.cancel)
    with pytest.raises(CancelledError):
        apply_with(options, target)
    cancelled = Cancellation()
    cancelled.cancel()
    with pytest.raises(CancelledError):
        apply_with(DecodeOptions(cancellation=cancelled), target)


# -- where the target fails ----------------------------------------------------------------------------------------


def test_a_deadline_ends_it(target):
    script(target, edited, before_pass=lambda: time.sleep(0.05))
    with pytest.raises(EditRefused) as late:
        apply_with(DecodeOptions(speculate=False, deadline_s=0.1), target)
    assert late.value.code == Code.TIMEOUT
    applied = apply_with(DecodeOptions(speculate=False, deadline_s=0.1), target, mode="auto")
    assert (applied.text, codes(applied)) == (EXPECTED, ["TIMEOUT"])


def test_a_target_that_falls_over_takes_no_edit_with_it(target):
    script(target, edited, fails_from=1)
    with pytest.raises(EditRefused) as fault:
        apply_with(DecodeOptions(), target)
    assert fault.value.code == Code.ENGINE_ERROR
    script(target, edited, fails_from=1)
    applied = apply_with(DecodeOptions(), target, mode="auto")
    assert (applied.text, codes(applied)) == (EXPECTED, ["ENGINE_ERROR"])
    script(target, edited)
    assert apply_with(DecodeOptions(), target).text == EXPECTED


def test_too_large_for_the_target(target):
    script(target, edited, slot_len=64)
    assert refused(FILE, EDIT, path="a.py", mode="model", target=target).code == Code.TOO_LARGE
    applied = apply(FILE, EDIT, path="a.py", target=target)
    assert (applied.text, codes(applied)) == (EXPECTED, ["TOO_LARGE"])


def test_without_a_target(monkeypatch, tmp_path):
    monkeypatch.setattr(default_targets, "_chosen", default_targets.EMBEDDED)
    monkeypatch.setattr(default_targets, "EMBEDDED_FOLDER", tmp_path / "none")
    assert refused(FILE, EDIT, path="a.py", mode="model").code == Code.TARGET_UNAVAILABLE
    assert apply(FILE, EDIT, path="a.py").strategy == "structural"


def test_a_target_that_was_asked_for_is_never_passed_over(monkeypatch):
    monkeypatch.setattr(default_targets, "_chosen", "no/such-target")
    assert refused(FILE, EDIT, path="a.py").code == Code.TARGET_UNAVAILABLE
    monkeypatch.setattr(default_targets, "_chosen", default_targets.NO_TARGET)
    assert apply(FILE, EDIT, path="a.py").strategy == "structural"


def test_a_damaged_embedded_target_is_told(monkeypatch, tmp_path, caplog):
    monkeypatch.setattr(default_targets, "_chosen", default_targets.EMBEDDED)
    monkeypatch.setattr(default_targets, "EMBEDDED_FOLDER", tmp_path)
    monkeypatch.setitem(registry.REGISTRY, "embedded", registry.Registered(tmp_path, "embedded"))
    monkeypatch.setattr(default_targets, "_loaded", {})
    assert refused(FILE, EDIT, path="a.py", mode="model").code == Code.TARGET_UNAVAILABLE
    assert apply(FILE, EDIT, path="a.py").strategy == "structural"
    assert "config.json" in caplog.text


# -- line marks ----------------------------------------------------------------------------------------------------


def edited_with_marks(original: str, edit: str) -> str:
    """As `edited`, each changed line with its mark in the edit."""
    marks = {without_marks(line).strip(): line[0] for line in edit.splitlines() if has_marks(line[:1])}
    changes = ((line, edited(line, edit)) for line in original.splitlines(keepends=True))
    return "".join(
        line if new == line else marks[without_marks(new).strip()] + without_marks(new) for line, new in changes
    )


def test_marks_are_between_the_target_and_its_draft_alone(checkpoint):
    target = replace(Target.load(checkpoint, template="marked"), word=LIKELY)
    pieces = []
    runner = script(target, edited_with_marks)
    options = DecodeOptions(on_text=pieces.append)
    applied = apply_with(options, target, mode="auto")
    assert (applied.text, applied.strategy, codes(applied)) == (EXPECTED, "verified", [])
    assert applied.text.startswith("".join(pieces))
    assert all(has_marks(line[0]) for original, _ in runner.asked for line in original.splitlines())


def test_of_a_target_that_is_given_up_the_text_is_what_had_been_streamed(checkpoint):
    target = Target.load(checkpoint, template="marked")
    script(target, lambda original, edit: original + f"{mark(0)}x\n" * 500)
    asked = EditRequest(SMALL, "# ...\n", (Draft(SMALL, Kind.MERGED),), max_passes=2)
    handle = submit(target, asked)
    pieces = list(handle.stream())
    result = handle.result()
    assert result.is_given_up
    assert result.text == "".join(pieces)
    assert not has_marks(result.text)
    assert result.text.startswith(SMALL)


def test_a_file_with_marks_of_its_own_is_not_shown_to_such_a_target(checkpoint):
    target = Target.load(checkpoint, template="marked")
    runner = script(target, edited_with_marks)
    original = FILE.replace("value + 7\n", f"value + 7  # {mark(3)}\n")
    applied = apply(original, EDIT, path="a.py", target=target)
    assert (applied.strategy, codes(applied), runner.asked) == ("structural", ["NOT_TEXT"], [])
    assert mark(3) not in applied.text or original.count(mark(3)) == applied.text.count(mark(3))
    assert refused(original, EDIT, path="a.py", target=target, mode="model").code == Code.NOT_TEXT
