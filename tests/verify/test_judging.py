"""Close readings of an edit, judged by a target: what it is asked, how its word counts, and which text is applied."""

from __future__ import annotations

import math
import time
from concurrent.futures import CancelledError
from dataclasses import replace

import pytest
import torch

from fastedit import EditRefused, apply
from fastedit.apply import apply_edits
from fastedit.decode.api import shared_engine
from fastedit.edits import parse_message
from fastedit.errors import Code
from fastedit.guard import Original
from fastedit.guard.verdict import VERIFIED_CERTAINTY
from fastedit.merged import Choice, close_drafts, merge
from fastedit.syntax import outline
from fastedit.targets import Target
from fastedit.targets.templates import NOTHING, Word
from fastedit.verify import judging
from fastedit.verify.asking import DecodeOptions
from support.scripted import script
from support.tiny_targets import make_tiny
from support.unclear import just_too_much

FILE = """\
def area(width, height):
    area = width * height
    return area


def volume(width, height, depth):
    volume = width * height * depth
    return volume
"""
MESSAGE = "```python\n# ...\n    return round(area * volume, 2)\n```\n"
FIRST = FILE.replace("return volume\n", "return round(area * volume, 2)\n")
STEPS = "".join(f"step_{n} = {n}\n" for n in range(90))
FAR = FILE.replace("\n\ndef volume", f"\n\n{STEPS}\n\ndef volume")
SECOND = FILE.replace("return area\n", "return round(area * volume, 2)\n")
LEAST = just_too_much(FILE, MESSAGE)  # together its readings have more
JUDGES = Word(readings=1.0)
TOLD = {"path": "a.py", "certainty": LEAST}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_tiny(tmp_path_factory.mktemp("target"), "qwen3", vocabulary=400)


@pytest.fixture(scope="module")
def loaded(folder):
    return Target.load(folder, template="plain")


@pytest.fixture
def judge(loaded):
    return replace(loaded, word=JUDGES)


def parts(certainty=LEAST):
    original = Original(FILE, "python", outline(FILE, "python"))
    (edit,) = parse_message(MESSAGE)
    merged = merge(original, edit, MESSAGE, None, Choice(certainty))
    return original, edit, merged


def refused(target, **how):
    with pytest.raises(EditRefused) as caught:
        apply(FILE, MESSAGE, target=target, **TOLD | how)
    return caught.value


def apply_with(options, target, mode="auto"):
    edits = parse_message(MESSAGE)
    choice = Choice(LEAST)
    return apply_edits(
        FILE, edits, path="a.py", message=MESSAGE, mode=mode, target=target, options=options, choice=choice
    )


# -- what a target is asked --------------------------------------------------------------------------------------------


def test_the_readings_are_drafts_of_the_same_prompts_which_show_all_their_places(loaded):
    original, edit, merged = parts()
    drafts = close_drafts(original, edit, merged, MESSAGE)
    assert [draft.text for draft in drafts] == [FIRST, SECOND]
    (asked,) = judging.drafts_for(loaded, original, edit, drafts, "auto")
    assert [loaded.codec.text(output[:-1]) for output in asked.outputs] == [FIRST, SECOND]
    assert FILE in loaded.codec.text(asked.prompt)
    first, second = asked.requests
    assert first.prompt == second.prompt
    assert FIRST.startswith(loaded.codec.text(first.prompt[len(asked.prompt) :]))
    assert first.scored[0] != second.scored[0]


def test_windows_in_which_the_readings_are_the_same_are_not_asked_about(loaded):
    far = "\n\n".join(f"def step_{n}():\n    return {n}\n" for n in range(60))
    original = Original(FILE + far, "python", outline(FILE + far, "python"))
    told = MESSAGE.replace("round(area * volume, 2)", "round(result, 2)")
    message = told.removesuffix("```\n") + "\n# ...\n\ndef step_50():\n    return 'fifty'\n```\n"
    (edit,) = parse_message(message)
    drafts = close_drafts(original, edit, merge(original, edit, message, None, Choice(1.0)), message)
    assert len(drafts) > 1
    for one in judging.drafts_for(loaded, original, edit, drafts, "windows"):
        assert len(set(one.outputs)) > 1
        assert "step_50" not in loaded.codec.text(one.prompt)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_likelihoods_are_those_of_a_plain_forward_pass(folder, end, monkeypatch):
    target = replace(Target.load(folder, template="plain"), word=JUDGES)
    reference = Target.load(folder, template="plain").model
    seen = []
    monkeypatch.setattr(Word, "shares", lambda _, before, found: seen.append(found) or list(before))
    text = FILE.replace("\n", end)
    original = Original(text, "python", outline(text, "python"))
    (edit,) = parse_message(MESSAGE)
    merged = merge(original, edit, MESSAGE, None, Choice(LEAST))
    judged = judging.judge(target, original, edit, merged, "auto", words=MESSAGE)
    assert judged is not None
    (asked,) = judging.drafts_for(target, original, edit, close_drafts(original, edit, merged, MESSAGE), "auto")
    assert "\r" not in target.codec.text(asked.prompt)
    expected = []
    for output in asked.outputs:
        with torch.inference_mode():
            logits = reference(input_ids=torch.tensor([[*asked.prompt, *output]])).logits[0, len(asked.prompt) - 1 : -1]
        expected.append(float(logits.log_softmax(-1).gather(-1, torch.tensor(output)[:, None]).sum()))
    (found,) = seen
    assert found[1] - found[0] == pytest.approx(expected[1] - expected[0], abs=1e-3)
    _, stats = judged
    assert (stats.readings_judged, stats.completion_tokens) == (2, 0)
    assert stats.cached_tokens >= len(asked.prompt)  # the second has the prompt from the first
    assert stats.passes == 2


def test_what_a_constraint_writes_is_certain():
    class Every:
        start = ()

        def choose(self, state, own):
            return own, () if state else ("more",)

    asked = judging.Drafts((1,), ((5, 6, 7, 8), (5, 9, 9, 8)), Every())
    assert asked.num_shared == 1
    assert asked.likelihoods([[-1.0, -2.0, -4.0], [-8.0, -16.0, -32.0]]) == [-2.0, -16.0]
    free = replace(asked, constraint=None)
    assert free.likelihoods([[-1.0, -2.0, -4.0], [-8.0, -16.0, -32.0]]) == [-7.0, -56.0]


# -- how its word is joined --------------------------------------------------------------------------------------------


def test_probabilities_are_shifted_by_the_weighted_likelihoods_and_their_sum_stays():
    before = [0.4, 0.2, 0.1]
    after = Word(readings=0.5).shares(before, [-10.0, -6.0, -10.0])
    assert sum(after) == pytest.approx(0.7)
    assert after[1] / after[0] == pytest.approx(0.5 * math.exp(0.5 * 4))
    assert after[2] / after[0] == pytest.approx(0.25)
    assert NOTHING.shares(before, [-1000.0, 0.0, 0.0]) == pytest.approx(before)
    assert Word(readings=1.0).shares([0.0, 0.5], [-1e5, -2e5]) == pytest.approx([0.5, 0.0])


def test_the_draft_keeps_its_certainty_and_the_others_have_what_is_left_at_most():
    original, edit, merged = parts()
    first, second = close_drafts(original, edit, merged, MESSAGE)
    assert first is merged
    own, other = (draft.alignment for draft in (first, second))
    assert other.share == pytest.approx(own.share * other.portion / own.portion)
    sure = replace(merged, alignment=replace(merged.alignment, share=0.99))
    _, other = close_drafts(original, edit, sure, MESSAGE)
    assert other.alignment.share == pytest.approx(0.01)


# -- which text counts -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wanted", [FIRST, SECOND])
def test_an_ambiguous_refusal_is_lifted_for_the_reading_that_the_target_finds_likeliest(judge, wanted):
    structural = refused(None, mode="structural")
    assert (structural.code, len(structural.candidates)) == (Code.ANCHOR_AMBIGUOUS, 2)
    runner = script(judge, lambda original, edit: wanted)
    applied = apply(FILE, MESSAGE, target=judge, **TOLD)
    assert (applied.text, applied.strategy, applied.warnings) == (wanted, "structural", ())
    assert applied.stats.readings_judged == 2
    assert LEAST <= applied.stats.certainty < VERIFIED_CERTAINTY
    assert applied.stats.passes == runner.num_passes == 2
    assert applied.stats.completion_tokens == 0


def test_a_target_that_was_trained_to_prefer_a_reading_chooses_it_if_its_word_has_weight(folder):
    target = Target.load(folder, template="plain")
    original, edit, merged = parts()
    drafts = close_drafts(original, edit, merged, MESSAGE)
    (asked,) = judging.drafts_for(target, original, edit, drafts, "auto")
    prompt, output = asked.prompt, asked.outputs[1]
    ids = torch.tensor([[*prompt, *output]])
    labels = torch.tensor([[*[-100] * len(prompt), *output]])
    steps = torch.optim.Adam(target.model.parameters(), lr=3e-3)
    for _ in range(12):
        steps.zero_grad()
        target.model(input_ids=ids, labels=labels).loss.backward()
        steps.step()
    weights = {0.0: None, 1e-6: FIRST, 1.0: SECOND}
    for weight, expected in weights.items():
        told = replace(target, word=Word(readings=weight))
        judged = judging.judge(told, original, edit, merged, "auto", words=MESSAGE) if weight else None
        assert (judged[0].text if judged else None) == expected
    assert apply(FILE, MESSAGE, target=replace(target, word=Word(readings=1.0)), **TOLD).text == SECOND
    assert refused(replace(target, word=Word(readings=0.0))).code == Code.ANCHOR_AMBIGUOUS


def test_a_target_whose_likelihoods_were_not_measured_is_not_asked_about_places_alike(loaded):
    runner = script(loaded, lambda original, edit: SECOND)
    refusal = refused(loaded)
    assert (refusal.code, runner.asked) == (Code.ANCHOR_AMBIGUOUS, [])


def test_where_no_reading_is_likely_enough_a_verifiers_refusal_has_them_in_their_new_order(judge):
    verifier = replace(judge, only_verifies=True)
    runner = script(verifier, lambda original, edit: SECOND)
    before, after = refused(None, mode="structural", certainty=0.8), refused(verifier, certainty=0.8)
    assert [one.choice for one in before.candidates[:2]] == [1, 2]
    assert [one.choice for one in after.candidates[:2]] == [2, 1]
    assert (after.code, after.candidates[0].start_line) == (Code.ANCHOR_AMBIGUOUS, before.candidates[1].start_line)
    assert before.certainty < after.certainty < 0.8
    assert runner.num_passes == 2  # it isn't asked to write, too
    assert apply(FILE, MESSAGE, path="a.py", choose=after.candidates[0].choice).text == SECOND


def test_where_no_reading_is_likely_enough_a_larger_target_is_asked_for_its_own_text(judge):
    judge = replace(judge, word=replace(JUDGES, agrees=1000.0))
    runner = script(judge, lambda original, edit: SECOND)
    applied = apply(FILE, MESSAGE, path="a.py", target=judge, certainty=0.8)
    assert (applied.text, applied.strategy) == (SECOND, "model")
    assert applied.stats.readings_judged == 2
    assert applied.stats.certainty < 0.8  # its agreement isn't counted beside its likelihoods
    assert applied.stats.completion_tokens > 0
    assert all("def area" in original and "def volume" in original for original, _ in runner.asked)
    other = FILE.replace("    return volume\n", "    return round(area * volume, 2)\n    return volume\n")
    script(judge, lambda original, edit: other)
    assert apply(FILE, MESSAGE, path="a.py", target=judge, certainty=0.8).text == other


def test_a_target_measured_to_agree_with_the_right_ones_is_shown_all_places_alike(loaded):
    reliable = replace(loaded, word=Word(agrees=1e4, differs=0.1))
    wanted = FAR.replace("return area\n", "return round(area * volume, 2)\n")
    edited = []

    def answer(original, edit):
        edited.append(original)
        return original.replace("return area\n", "return round(area * volume, 2)\n")

    script(reliable, answer)
    with pytest.raises(EditRefused) as structural:
        apply(FAR, MESSAGE, path="a.py", mode="structural")
    assert len(structural.value.candidates) > 1
    assert apply(FAR, MESSAGE, path="a.py", target=reliable).text == wanted
    shown = "".join(edited)
    assert "return area" in shown
    assert "return volume" in shown
    assert "step_45" not in shown


def test_a_certain_draft_is_not_judged(judge):
    name = "def name(shape):\n    label = shape.label\n    if not label:\n        return 'shape'\n    return label\n"
    file = f"def area(a):\n    return a\n\n\n{name}"
    script(judge, lambda original, edit: file)
    edit = name.replace("'shape'", "'solid'")
    applied = apply(file, f"# ... existing code ...\n\n{edit}", path="a.py", target=judge)
    assert applied.stats.certainty > 0.9
    assert (applied.stats.readings_judged, applied.stats.accepted > 0) == (0, True)


def test_in_model_mode_the_judged_reading_says_which_windows_are_shown(judge):
    answers = {"return area\n": "return area\n", "return volume\n": "return round(area * volume, 2)\n"}

    def answer(original, edit):
        for old, new in answers.items():
            original = original.replace(old, new)
        return original

    runner = script(judge, answer)
    applied = apply(FAR, MESSAGE, path="a.py", target=judge, mode="model", scope="windows")
    assert (applied.strategy, applied.stats.readings_judged) == ("model", 2)
    assert applied.text == FAR.replace("return volume\n", "return round(area * volume, 2)\n")
    assert "def area" not in runner.asked[-1][0]


# -- where it can't say ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("only_verifies", [True, False])
def test_a_deadline_in_the_middle_leaves_the_refusal(judge, only_verifies):
    target = replace(judge, only_verifies=only_verifies)
    runner = script(target, lambda original, edit: SECOND, before_pass=lambda: time.sleep(0.3))
    with pytest.raises(EditRefused) as late:
        apply_with(DecodeOptions(deadline_s=0.2), target)
    # One that writes itself may know the place when it is asked again.
    assert late.value.code == (Code.ANCHOR_AMBIGUOUS if only_verifies else Code.TIMEOUT)
    assert runner.num_passes == 1


def test_a_deadline_in_the_middle_leaves_the_draft_with_a_warning(judge):
    script(judge, lambda original, edit: SECOND, before_pass=lambda: time.sleep(0.3))
    edits = parse_message(MESSAGE)
    applied = apply_edits(
        FILE,
        edits,
        path="a.py",
        message=MESSAGE,
        target=judge,
        options=DecodeOptions(deadline_s=0.2),
        choice=Choice(0.05),
    )
    assert (applied.text, [warning.code for warning in applied.warnings]) == (FIRST, ["TIMEOUT"])


def test_judging_can_be_given_up(judge):
    options = DecodeOptions()
    script(judge, lambda original, edit: SECOND, before_pass=options.cancellation.cancel)
    with pytest.raises(CancelledError):
        apply_with(options, judge)
    engine = shared_engine(judge)
    for _ in range(100):
        if not engine.num_running:
            break
        time.sleep(0.02)
    assert engine.num_running == engine.num_waiting == 0


def test_readings_that_are_too_long_for_the_target_leave_the_refusal(judge):
    script(judge, lambda original, edit: SECOND, slot_len=64)
    assert refused(judge).code == Code.ANCHOR_AMBIGUOUS
