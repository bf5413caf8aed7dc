"""The comparison of vLLM's drafters, as far as it goes without vLLM."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from transformers import AutoModelForCausalLM

from evals.speed.drafters import __main__ as drafters
from evals.speed.drafters.cases import load_cases
from evals.speed.drafters.checkpoints import DRAFT_LAYERS, make
from evals.speed.drafters.ways import WAYS
from fastedit.errors import Code, EngineUnavailable
from fastedit.targets import Target

ROW = {
    "seconds": [1.0, 2.0],
    "batch_size": 1,
    "counts": {"passes": 4.0, "drafted": 10.0, "accepted": 5.0},
    "outputs": [[1, 2], [3, 4]],
}


def row(**changes):
    return {**ROW, "median_step_ms": None, "max_step_ms": None, **changes}


def test_without_vllm_it_says_loudly_that_it_was_skipped(monkeypatch, capsys):
    monkeypatch.setattr(drafters, "find_spec", lambda name: None)
    monkeypatch.setattr(sys, "argv", ["drafters", "--check"])
    assert drafters.main() == 0
    assert capsys.readouterr().out.startswith("SKIPPED: vLLM isn't installed")


def test_the_last_line_counts_what_differs_and_what_does_not_run():
    none, ours = row(), row(seconds=[0.5, 0.5], outputs=[[1, 2], [3, 5]])
    rows = {"none": none, "fastedit": ours, "medusa": {"reason": "no such thing"}}
    for name in ("none", "fastedit"):
        drafters.compare(rows[name], none, none)
    assert drafters.summed_up(rows) == (
        "tests=5 failed=2 lossless=3/4 accepted_share=0.50 speedup_over_none=3.00 speedup_over_ngram=-"
    )
    assert drafters.line_of("fastedit", ours) == (
        "fastedit        1/2 lossless, 1.0 tokens a pass, accepted 0.50, speedup 3.00"
    )
    assert drafters.line_of("medusa", rows["medusa"]) == "medusa          doesn't run: no such thing"


def test_what_runs_several_at_once_is_compared_by_its_whole_time():
    none, ours = row(), row(seconds=[0.0, 0.5], batch_size=8)
    drafters.compare(ours, none, none)
    assert ours["speedup"] == 6.0


def test_ways_are_added_without_times_and_those_that_are_there_stay(tmp_path):
    path = tmp_path / "drafters.json"
    path.write_text(json.dumps({"ways": {"none": {"speedup": 1.0}, "medusa": {"reason": "no heads"}}}))
    rows = {"none": row(), "medusa": row(), "eagle": {"reason": "no layers"}}
    for name in ("none", "medusa"):
        drafters.compare(rows[name], rows["none"], rows["none"])
    drafters.add(path, rows, 2)
    ways = json.loads(path.read_bytes())["ways"]
    assert ways["none"] == {"speedup": 1.0}
    assert ways["eagle"] == {"reason": "no layers", "edits": 2, "times": "not taken"}
    assert (ways["medusa"]["lossless"], ways["medusa"]["times"]) == (2, "not taken")
    assert not ways["medusa"].keys() & {"reason", "speedup", "seconds", "outputs"}


def test_a_way_that_does_not_run_has_its_reason(monkeypatch, tmp_path):
    def refused(trial, environment, limit_s):
        words = dict(zip(trial.words, trial.words[1:], strict=False))
        config = json.loads(words["--speculative-config"])
        raise EngineUnavailable(Code.TARGET_UNAVAILABLE, f"{Path(config['model']).name} has no heads")

    monkeypatch.setattr(drafters, "run_trial", refused)
    (way,) = (way for way in WAYS if way.name == "medusa")
    assert drafters.run(way, [((1, 2), 3)], tmp_path) == {"reason": "medusa has no heads"}


def test_the_cases_are_prompts_of_different_edits():
    cases = load_cases(Target.load("embedded", "cpu"), 30)
    assert len({case.name for case in cases}) == len({case.prompt for case in cases}) == 30
    assert all(len(case.prompt) + case.max_tokens <= 4096 for case in cases)


def test_a_draft_model_is_the_targets_first_layers(tmp_path):
    model = AutoModelForCausalLM.from_pretrained(make("draft_model", tmp_path))
    assert len(model.model.layers) == DRAFT_LAYERS


@pytest.mark.parametrize("kind", ["medusa", "eagle", "eagle3", "mlp_speculator", "int8"])
def test_the_other_checkpoints_have_weights_and_name_their_kind(kind, tmp_path):
    folder = make(kind, tmp_path)
    config = json.loads((folder / "config.json").read_bytes())
    assert config["architectures"]
    assert (folder / "model.safetensors").stat().st_size > 1_000_000
