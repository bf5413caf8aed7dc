"""`fastedit tune`: its measurements and choice, with vLLM played by a function, and once with the real one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from fastedit.errors import Code, EngineUnavailable, InputRefused, SettingsError
from fastedit.vllm import trial
from fastedit.vllm.trial import Round, Trial, reason_of, run_trial
from fastedit.vllm.tune import (
    EXAMPLES,
    NONE,
    SCHEDULE,
    Speculation,
    Trying,
    report_of,
    requests_of,
    speculations,
    tune,
)
from support.command import fastedit

FOUND = find_spec("vllm")  # without an origin it is the folder of these tests
GOLDEN = Path(__file__).parents[1] / "golden"
SIZES = (1, 4, 16)
NUM_TOKENS = 60
EDIT = {
    "path": "shapes.py",
    "original": "def area(w, h):\n    return w * h\n\n\ndef name():\n    return 'shape'\n",
    "edit": "# ... existing code ...\n\ndef name():\n    return 'solid'\n",
}


def round_of(size: int, seconds: float, *, accepted: int = 30, output: tuple[int, ...] = (1, 2, 3)) -> Round:
    outputs = [list(output) * (NUM_TOKENS // 6) for _ in range(2)]
    counts = {"drafted": 40, "accepted": accepted, "passes": NUM_TOKENS // 2}
    return Round(size, outputs, [seconds / 2] * 2, [seconds] * 2, counts, None, None)


def measured(seconds: dict[str, tuple[float, ...] | str]) -> Callable[[Speculation], list[Round]]:
    """vLLM, as far as it is seen: by what a speculation is called, its time at each batch size, or why it ends."""

    def measure(speculation: Speculation) -> list[Round]:
        taken = seconds[str(speculation)]
        if isinstance(taken, str):
            raise EngineUnavailable(Code.TARGET_UNAVAILABLE, taken)
        return [round_of(size, each) for size, each in zip(SIZES, taken, strict=True)]

    return measure


TIMES: dict[str, tuple[float, ...] | str] = {
    "none": (8.0, 4.0, 2.0),
    "fastedit, 8 tokens": (4.0, 1.6, 2.2),
    "fastedit, 127 tokens": (1.0, 2.0, 4.0),
    "ngram, 8 tokens": (2.0, 3.0, 2.0),
    "ngram, 127 tokens": "ValueError: too many",
    "fastedit, 127 tokens from 1 at once on, 8 tokens from 4 at once on, 0 tokens from 16 at once on": (1.0, 1.6, 2.0),
}


def tuned(times=TIMES, drafters=("fastedit", "ngram")):
    said: list[str] = []
    tried, chosen = tune(speculations(drafters, (8, 127)), Trying(measured(times), said.append))
    return tried, chosen, said


def test_each_batch_size_has_its_number_of_tokens_and_none_where_nothing_pays() -> None:
    tried, chosen, said = tuned()
    assert chosen.speculation.config == {
        "method": "custom_class",
        "model": "fastedit.vllm.Proposer",
        "num_speculative_tokens": 127,
        SCHEDULE: [[1, 3, 127], [4, 15, 8], [16, 16, 0]],
    }
    assert chosen.gain == pytest.approx((8 * 2.5 * 1) ** (1 / 3))
    assert chosen.crossover == 16
    assert {size: str(one) for size, (one, _) in chosen.by_batch_size.items()} == {
        1: "fastedit, 127 tokens",
        4: "fastedit, 8 tokens",
        16: NONE,
    }
    assert tried[-1].speculation == chosen.speculation
    assert tried[-1].figures[1].speedup == 2.5
    assert "     doesn't run: ValueError: too many" in said


def test_a_drafter_that_takes_no_schedule_gets_the_number_that_is_best_over_all() -> None:
    schedule = list(TIMES)[-1]
    _, chosen, _ = tuned({**TIMES, schedule: "AssertionError: no schedule"})
    # The means: of 2, 2.5 and 0.91; of 8, 2 and 0.5; of 4, 1.33 and 1.
    assert str(chosen.speculation) == "fastedit, 127 tokens"
    assert chosen.gain == pytest.approx(2.0)
    assert chosen.crossover == 16


def test_one_number_for_all_batch_sizes_needs_no_schedule() -> None:
    _, chosen, _ = tuned({**TIMES, "fastedit, 8 tokens": (4.0, 3.0, 2.0), "fastedit, 127 tokens": (1.0, 1.0, 1.0)})
    assert str(chosen.speculation) == "fastedit, 127 tokens"
    assert chosen.crossover is None


def test_where_nothing_pays_the_service_is_told_to_draft_nothing() -> None:
    # The last one is faster by less than two measurements of the same differ.
    slow: dict[str, tuple[float, ...] | str] = {**dict.fromkeys(TIMES, (8.0, 4.0, 1.95)), NONE: (8.0, 4.0, 2.0)}
    tried, chosen, _ = tuned(slow)
    assert (chosen.speculation, chosen.gain, chosen.crossover) == (Speculation(NONE), 1.0, 1)
    assert report_of(tried, chosen)["chosen"]["engine_args"] == "--speculative-config null"


def test_figures_are_compared_with_no_speculation_at_the_same_batch_size() -> None:
    def measure(speculation: Speculation) -> list[Round]:
        other = (1, 2, 4) if speculation.config else (1, 2, 3)
        seconds = 1.0 if speculation.config else 3.0
        return [round_of(1, seconds), round_of(2, seconds, accepted=10, output=other)]

    (_, ours), _ = tune(speculations(["suffix"], (4,)), Trying(measure, lambda line: None))
    assert [(one.batch_size, one.speedup, one.accepted_share, one.same) for one in ours.figures] == [
        (1, 3.0, 0.75, 2),
        (2, 3.0, 0.25, 0),
    ]
    assert [(one.tokens_per_second, one.tokens_per_pass) for one in ours.figures] == [(60.0, 2.0)] * 2


def test_processor_time_is_counted_where_it_is_asked_for() -> None:
    (plain,), _ = tune([], Trying(measured({"none": (1.0, 1.0, 1.0)}), lambda line: None, is_processor_time=True))
    assert plain.figures[0].tokens_per_second == 30.0


def test_without_a_vllm_that_runs_nothing_is_measured() -> None:
    with pytest.raises(EngineUnavailable, match="no such model"):
        tuned({**TIMES, "none": "OSError: no such model"})


def test_a_configuration_as_json_is_tried_with_its_own_number() -> None:
    given = '{"method": "eagle3", "model": "head", "num_speculative_tokens": 3}'
    assert [str(one) for one in speculations([given, '{"model": "small"}'], (4, 8))] == [
        "eagle3, 3 tokens",
        "small, 4 tokens",
        "small, 8 tokens",
    ]


@pytest.mark.parametrize("text", ["medusa", "[]", '{"tokens": 3}', '{"method": "ngram", "num_speculative_tokens": 0}'])
def test_a_drafter_that_is_none_is_named(text: str) -> None:
    with pytest.raises(SettingsError, match="--drafter"):
        speculations([text], (4,))


def test_requests_are_those_a_service_would_send(tmp_path: Path) -> None:
    edits = tmp_path / "edits.jsonl"
    nowhere = {**EDIT, "edit": "def other():\n    ...\n# ... existing code ...\n    return missing(\n"}
    edits.write_text("".join(json.dumps(one) + "\n" for one in (EDIT, {**EDIT, "edit": ""}, nowhere, EDIT)))
    requests, num_left_out = requests_of(edits, "embedded", "auto", None)
    assert num_left_out >= 1
    assert requests[0] == requests[-1]
    prompt, most_tokens = requests[0]
    assert len(prompt) > 20
    assert most_tokens > 20
    assert requests_of(edits, "embedded", "auto", 1)[0] == requests[:1]


def test_a_file_without_edits_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(InputRefused, match="has no edits"):
        requests_of(tmp_path / "empty.jsonl", "embedded", "auto", None)
    (tmp_path / "refused.jsonl").write_text(json.dumps({**EDIT, "edit": ""}))
    with pytest.raises(InputRefused, match="none of which a target can be asked about"):
        requests_of(tmp_path / "refused.jsonl", "embedded", "auto", None)


def test_the_examples_are_golden_cases() -> None:
    examples = [json.loads(line) for line in EXAMPLES.read_text().splitlines()]
    assert len({one["id"] for one in examples}) == len(examples) >= 30
    for one in examples:
        folder = GOLDEN / one["id"]
        assert (folder / one["path"]).read_bytes().decode() == one["original"]
        assert (folder / "edit.md").read_bytes().decode() == one["edit"]
    _, num_left_out = requests_of(EXAMPLES, "embedded", "auto", None)
    assert num_left_out == 0


def test_a_trial_gives_what_its_process_wrote_or_why_it_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "played.py").write_text(
        "import json, sys\n"
        "job = json.loads(open(sys.argv[1]).read())\n"
        "if job['words'] == ['broken']: raise SystemExit('note\\nValueError: heads do not fit\\nbye')\n"
        "rounds = [dict(batch_size=size, outputs=[[7]], seconds=[1.0], processor_seconds=[2.0], counts={},\n"
        "               median_step_ms=None, max_step_ms=None) for size in job['batch_sizes']]\n"
        "json.dump({'engine': 'played', 'rounds': rounds}, open(sys.argv[2], 'w'))\n"
    )
    monkeypatch.setattr(trial, "MODULE", "played")
    environment = {"PYTHONPATH": str(tmp_path)}
    outcome = run_trial(Trial(["--model", "x"], [((1,), 2)], (1, 2)), environment=environment)
    assert (outcome.engine, [one.batch_size for one in outcome.rounds]) == ("played", [1, 2])
    with pytest.raises(EngineUnavailable, match=r"TARGET_UNAVAILABLE: ValueError: heads do not fit$"):
        run_trial(Trial(["broken"], []), environment=environment)


def test_the_reason_is_the_error_itself() -> None:
    log = "Traceback\n  raise ValueError(x)\n(EngineCore pid=1) ValueError: heads don't fit\nbye\n"
    assert reason_of(log) == "ValueError: heads don't fit"
    assert reason_of("usage: x\nx: error: unrecognized arguments: --fast\n") == "error: unrecognized arguments: --fast"
    invalid = (
        "E: ValidationError: 1 validation error for Config\n  Value error, no such model [type=value_error]\n   For"
    )
    assert reason_of(invalid) == "Value error, no such model"
    assert reason_of("") == "it ended without a word"


@pytest.mark.parametrize(
    ("options", "status", "words"),
    [
        (("--tokens", "8,x"), 2, "isn't whole numbers"),
        (("--batch-sizes", "0"), 2, "must be 1 or more"),
        (("--drafter", "nothing"), 2, "--drafter nothing: neither one of fastedit, ngram, suffix nor"),
        (("--engine-python", "no-such-python"), 2, "there is no Python 'no-such-python' to run vLLM with"),
        (("--engine-args", "--model x"), 2, "--model is set by FastEdit"),
    ],
)
def test_what_cannot_be_asked_for(tmp_path: Path, options: tuple[str, ...], status: int, words: str) -> None:
    outcome = fastedit("tune", *options, cwd=tmp_path)
    assert (outcome.status, outcome.stdout) == (status, b"")
    assert words in outcome.stderr
    assert "Traceback" not in outcome.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(FOUND is not None and FOUND.origin is not None, reason="vLLM is installed here")
def test_without_vllm_it_says_what_to_install(tmp_path: Path) -> None:
    outcome = fastedit("tune", cwd=tmp_path)
    assert outcome.status == 2
    assert "vLLM isn't installed" in outcome.stderr
    assert outcome.stderr.count("\n") == 1


def test_help_ends_with_an_example(tmp_path: Path) -> None:
    outcome = fastedit("tune", "--help", cwd=tmp_path)
    assert outcome.status == 0
    assert "fastedit tune edits.jsonl --target embedded" in outcome.stdout.decode()


@pytest.mark.skipif(FOUND is None or FOUND.origin is None, reason="vLLM isn't installed here")
@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_with_the_real_vllm_and_the_embedded_target(tmp_path: Path) -> None:
    (tmp_path / "edits.jsonl").write_text("".join(EXAMPLES.read_text().splitlines(keepends=True)[:2]))
    words = "edits.jsonl --target embedded --drafter fastedit --tokens 127 --batch-sizes 1,2 --repeats 1"
    done = subprocess.run(
        [sys.executable, "-m", "fastedit", "tune", *words.split(), "--engine-args", "--enforce-eager --dtype float32"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "VLLM_CPU_KVCACHE_SPACE": "1",
             "VLLM_PLUGINS": ""},
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "fastedit serve --engine vllm --target embedded --engine-args" in done.stdout
    report = json.loads((tmp_path / "fastedit-tune.json").read_bytes())
    plain, ours, *_ = report["tried"]
    assert (plain["drafter"], ours["drafter"]) == ("none", "fastedit")
    for figures in ours["figures"]:
        assert figures["same"] == report["requests"] >= 2
        assert figures["tokens_per_pass"] > 5
        assert figures["accepted_share"] > 0.3
