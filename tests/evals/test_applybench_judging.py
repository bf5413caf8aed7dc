"""What is made of a target's word on drafts and readings whose results are known."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch

from evals.applybench import judging
from evals.applybench.judged import FOLDS, JUDGED_BY, Row, judged, weighed, worded
from fastedit.anchor.lazy.reading import NAMES
from fastedit.edits import parse_message
from fastedit.guard import Original
from fastedit.merged import Choice, close_drafts, merge
from fastedit.syntax import outline
from fastedit.targets import Target
from fastedit.targets.default import EMBEDDED_FOLDER
from fastedit.targets.templates import NOTHING, Word, read_word
from fastedit.verify.judging import Drafts, judge

NO_FEATURES = [0.0] * len(NAMES)


def rows_with(values: list[list[float]], is_right: list[bool], count: int = 40) -> list[Row]:
    return [Row(f"package-{number}", [NO_FEATURES] * len(values), values, is_right) for number in range(count)]


def test_a_target_that_knows_the_right_reading_is_seen_to() -> None:
    knows = [[-9.0, -9.0, -3.0, -5.0], [-1.0, -1.0, 0.0, -0.5]]
    found = judged(rows_with(knows, [False, True]))
    assert found["edits"] == 40
    assert found["alignment alone"]["right"] == 0  # of equal readings the first is taken
    assert found["with the likelihood"] == {"right": 40, "more_than_alignment_95": [40, 40]}


def test_edits_with_nothing_to_choose_are_left_out() -> None:
    told = [[-1.0] * 4, [-2.0] * 4]
    assert judged(rows_with(told, [False, False]) + rows_with(told[:1], [True])) == {"edits": 0}


def drafts(certainty: float, is_right: bool, is_agreed: bool, count: int) -> list[Row]:
    return [Row(f"{is_right}-{n}", [], [], [], certainty, is_right, is_agreed) for n in range(count)]


def test_a_word_is_worth_what_it_adds_to_the_certainty() -> None:
    tells = drafts(0.5, True, True, 90) + drafts(0.5, False, True, 10)
    tells += drafts(0.5, True, False, 40) + drafts(0.5, False, False, 60)
    found = worded(tells)
    assert (found["agreed"], found["differed"]) == ({"right": 90, "wrong": 10}, {"right": 40, "wrong": 60})
    assert found["agrees"] == pytest.approx(9, rel=0.1)
    assert found["differs"] == pytest.approx(2 / 3, rel=0.1)
    assert found["log_loss"]["certainty and word"] < found["log_loss"]["certainty"]


def test_a_word_that_is_known_already_is_worth_nothing() -> None:
    known = drafts(0.9, True, True, 90) + drafts(0.9, False, True, 10)
    assert worded(known)["agrees"] == pytest.approx(1, rel=0.1)
    assert worded([]) == {"drafts": 0}


def test_the_folds_keep_a_package_together() -> None:
    folds = {Row("one", [], [], [], certainty).fold for certainty in (0.1, 0.9)}
    assert len(folds) == 1
    assert folds < set(range(FOLDS))


# -- the weight of likelihoods -----------------------------------------------------------------------------------------


def close(likelihoods: list[float], right: int | None, shares: list[float], count: int) -> list[Row]:
    values = [[one, one, 0.0, 0.0] for one in likelihoods]
    is_right = [number == right for number in range(len(shares))]
    return [Row(f"{right}-{likelihoods}-{n}", [], values, is_right, shares=shares) for n in range(count)]


def test_a_weight_is_what_makes_the_stated_probabilities_true() -> None:
    # Of two readings that are as likely before, the one that the target finds e^10 times as likely is right in 3 of 4.
    rows = close([-10.0, -20.0], 0, [0.4, 0.4], 150) + close([-10.0, -20.0], 1, [0.4, 0.4], 50)
    found = weighed(rows)
    assert found["readings"] == pytest.approx(np.log(3) / 10, rel=0.02)
    assert Word(readings=found["readings"]).shares([0.4, 0.4], [-10.0, -20.0]) == pytest.approx([0.6, 0.2], abs=0.01)
    assert found["gain"]["95"][0] > 0
    assert found["one_is_right"] == {"said": 0.8, "true": 1.0}
    assert found["certainty and likelihoods"]["log_loss"] < found["certainty"]["log_loss"]


def test_a_target_that_tells_nothing_has_no_weight() -> None:
    rows = close([-10.0, -20.0], 0, [0.4, 0.4], 30) + close([-20.0, -10.0], 0, [0.4, 0.4], 30)
    assert weighed(rows)["readings"] == 0.0
    few = close([-10.0, -20.0], 0, [0.4, 0.4], 1) + close([-10.0, -20.0], 1, [0.4, 0.4], 1)
    assert weighed(few)["readings"] == 0.0


def test_a_likelihood_counts_for_no_more_than_it_says() -> None:
    assert weighed(close([-1.0, -1.5], 0, [0.4, 0.4], 100))["fitted"] == pytest.approx(1.0, abs=1e-3)


def test_edits_that_would_not_be_judged_have_no_say() -> None:
    assert weighed(close([-10.0, -20.0], 0, [0.95, 0.05], 50)) == {"edits": 0}
    assert weighed(close([-10.0, -20.0], None, [0.4, 0.4], 50)) == {"edits": 50}
    known = close([-10.0, -20.0], 0, [0.4, 0.4], 50)
    assert weighed(known + close([-10.0, -20.0], 0, [0.95, 0.05], 50)) == weighed(known)


def test_what_was_measured_is_saved_beside_what_was_before(tmp_path: Path) -> None:
    assert read_word(tmp_path) == NOTHING
    judging._save(tmp_path / "word.json", judging._word_file({"edits": 9, "readings": 0.25}, {"drafts": 0}, "train"))
    assert read_word(tmp_path) == Word(readings=0.25)
    measured = judging._word_file({"edits": 0}, {"agrees": 1.5, "differs": 0.5, "drafts": 8}, "validation")
    judging._save(tmp_path / "word.json", measured)
    assert read_word(tmp_path) == Word(1.5, 0.5, 0.25)
    stored = json.loads((tmp_path / "word.json").read_text("utf-8"))
    assert stored["measured"] == "python -m evals.applybench judging --split validation"


def test_the_embedded_target_judges_no_readings() -> None:
    assert read_word(EMBEDDED_FOLDER).readings == 0.0


def test_what_the_target_makes_of_drafts_is_what_one_forward_pass_says() -> None:
    target = Target.load("embedded", dtype="float32")
    prompt = tuple(target.prompt("a = 1\n", "a = 2\n"))
    outputs = tuple((*target.codec.encode(text), target.stop_tokens[0]) for text in ("a = 2\n", "a = 1\na = 2\n"))
    told = judging._likelihoods(target, Drafts(prompt, outputs, None))
    for output, (likelihood, choices, misses, least) in zip(outputs, told, strict=True):
        with torch.inference_mode():
            logits = target.model(input_ids=torch.tensor([[*prompt, *output]])).logits[0, len(prompt) - 1 : -1]
        own = logits.log_softmax(-1).gather(-1, torch.tensor(output)[:, None])[:, 0]
        assert likelihood == choices == pytest.approx(float(own.sum()), abs=1e-3)
        assert least == pytest.approx(float(own.min()), abs=1e-3)
        assert misses == -int((logits.argmax(-1) != torch.tensor(output)).sum())


def test_what_is_measured_is_what_production_judges_by(monkeypatch: pytest.MonkeyPatch) -> None:
    file = "def area(w, h):\n    area = w * h\n    return area\n\n\ndef rim(w, h):\n    rim = w + h\n    return rim\n"
    message = "```python\n# ...\n    return round(area * rim, 2)\n```\n"
    target = Target.load("embedded", dtype="float32")  # with line marks, which leave it few choices
    original = Original(file, "python", outline(file, "python"))
    (edit,) = parse_message(message)
    merged = merge(original, edit, message, None, Choice(certainty=1.0))
    measured = judging._values(
        Target.load("embedded", dtype="float32"), original, edit, close_drafts(original, edit, merged, message)
    )
    seen: list[Sequence[float]] = []
    monkeypatch.setattr(Word, "shares", lambda _, before, found: seen.append(found) or before)
    assert judge(target, original, edit, merged, "auto", words=message) is not None
    ((first, second),) = seen
    assert second - first == pytest.approx(measured[1][JUDGED_BY] - measured[0][JUDGED_BY], abs=1e-2)
    assert abs(second - first) > 0.1
