"""One vLLM, measured over requests in a process of its own: python -P -m fastedit.vllm.trial JOB.json RESULT.json

The process has vLLM; whoever starts it needs none.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from fastedit.engines.child import following
from fastedit.errors import Code, EngineUnavailable

MODULE = "fastedit.vllm.trial"
COUNTERS = {
    "drafted": "vllm:spec_decode_num_draft_tokens",
    "accepted": "vllm:spec_decode_num_accepted_tokens",
    "passes": "vllm:iteration_tokens_total",  # one entry a pass, those that read prompts included
}
# One process, whose processor time is then the engine's. What every round reads again must cost each the same.
ENVIRONMENT = {"VLLM_ENABLE_V1_MULTIPROCESSING": "0", "VLLM_NO_USAGE_STATS": "1", "VLLM_LOGGING_LEVEL": "WARNING"}
UNCACHED = "--no-enable-prefix-caching"
RAISED = re.compile(r"\w*(?:Error|Exception)\b: \S.*|error: \S.*")
INVALID = re.compile(r"ValidationError: \d+ validation errors? for ")
MAX_REASON = 300


@dataclass(frozen=True, slots=True)
class Trial:
    """A vLLM and what it is to do.

    words: its server's options, the model's folder among them. requests: of each the prompt, in tokens, and how many
    tokens it may write. batch_sizes: so many requests run at once, in one round after the other. repeats: of each
    round, of which the fastest counts.
    """

    words: Sequence[str]
    requests: Sequence[tuple[Sequence[int], int]]
    batch_sizes: Sequence[int] = (1,)
    repeats: int = 1


@dataclass(frozen=True, slots=True)
class Round:
    """All requests, `batch_size` of them at once, without sampling.

    outputs: tokens, by request. seconds: on the clock from the end of one request to that of the next, in the order in
    which they ended, which is their own where they run one by one; processor_seconds: of the engine's process. counts:
    tokens drafted and accepted, and passes of the target. *_step_ms: FastEdit's proposer's processor time for one
    request in one pass.
    """

    batch_size: int
    outputs: list[list[int]]
    seconds: list[float]
    processor_seconds: list[float]
    counts: dict[str, int]
    median_step_ms: float | None
    max_step_ms: float | None

    @property
    def num_tokens(self) -> int:
        return sum(map(len, self.outputs))


@dataclass(frozen=True, slots=True)
class TrialOutcome:
    """The results of a trial. engine: name, version and device of what ran. rounds: one for each batch size."""

    engine: str
    rounds: list[Round]


def run_trial(
    trial: Trial, python: str = sys.executable, environment: Mapping[str, str] | None = None, limit_s: float = 7200.0
) -> TrialOutcome:
    """The trial's rounds. EngineUnavailable(TARGET_UNAVAILABLE), with vLLM's reason, where it fails.

    environment: variables besides this process's own.
    """
    with tempfile.TemporaryDirectory() as scratch:
        job, result = Path(scratch, "job.json"), Path(scratch, "result.json")
        job.write_text(json.dumps(asdict(trial)), "utf-8")
        try:
            done = subprocess.run(
                following([python, "-P", "-m", MODULE, str(job), str(result)]),
                env={**os.environ, **ENVIRONMENT, **(environment or {})},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=limit_s,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise EngineUnavailable(Code.TARGET_UNAVAILABLE, f"not ready after {limit_s:g} s") from error
        if not result.is_file():
            raise EngineUnavailable(Code.TARGET_UNAVAILABLE, reason_of(done.stderr))
        made = json.loads(result.read_bytes())
        return TrialOutcome(made["engine"], [Round(**fields) for fields in made["rounds"]])


def reason_of(log: str) -> str:
    """The line that says what went wrong: the last error that has a message, of pydantic's the first problem."""
    lines = [line.strip() for line in log.split("\n") if line.strip()]
    raised = [
        lines[index + 1].partition(" [type=")[0] if INVALID.search(line) and index + 1 < len(lines) else found[0]
        for index, line in enumerate(lines)
        if (found := RAISED.search(line)) and "raise " not in line
    ]
    return (raised or lines or ["it ended without a word"])[-1][:MAX_REASON]


def main() -> None:
    """The process: runs the job's trial and writes its rounds."""
    job, result = map(Path, sys.argv[1:])
    trial = Trial(**json.loads(job.read_bytes()))
    engine, steps_ms = _engine_of(trial.words), _watched_steps()
    _forget_drafts()
    _run_round(engine, trial.requests[:1], 1, [])  # the first one compiles
    rounds = [
        min((_run_round(engine, trial.requests, size, steps_ms) for _ in range(trial.repeats)), key=_total_s)
        for size in trial.batch_sizes
    ]
    made = {"engine": _engine_name(), "rounds": [asdict(one) for one in rounds]}
    result.write_text(json.dumps(made), "utf-8")


def _total_s(one: Round) -> float:
    return sum(one.seconds)


def _engine_of(words: Sequence[str]) -> Any:
    """An engine by the words that vLLM's server takes."""
    from vllm.engine.arg_utils import AsyncEngineArgs, EngineArgs
    from vllm.utils.argparse_utils import FlexibleArgumentParser
    from vllm.v1.engine.llm_engine import LLMEngine

    parser = AsyncEngineArgs.add_cli_args(FlexibleArgumentParser())
    return LLMEngine.from_engine_args(EngineArgs.from_cli_args(parser.parse_args([UNCACHED, *words])))


def _engine_name() -> str:
    import vllm
    from vllm.platforms import current_platform

    return f"vLLM {vllm.__version__}, {current_platform.device_type}"


def _run_round(
    engine: Any, requests: Sequence[tuple[Sequence[int], int]], batch_size: int, steps_ms: list[float]
) -> Round:
    """One round. steps_ms: what the proposer's watch adds to."""
    from vllm import SamplingParams

    steps_ms.clear()
    before, outputs = _counts_of(engine), [list[int]() for _ in requests]
    waiting = deque(enumerate(requests))
    seconds, processor_seconds = list[float](), list[float]()
    last_s, last_processor_s = time.perf_counter(), time.process_time()
    num_running = 0
    while waiting or num_running:
        while waiting and num_running < batch_size:
            index, (prompt, limit) = waiting.popleft()
            sampling = SamplingParams(temperature=0.0, max_tokens=limit)
            engine.add_request(str(index), {"prompt_token_ids": list(prompt)}, sampling)
            num_running += 1
        for output in engine.step():
            if not output.finished:
                continue
            now_s, now_processor_s = time.perf_counter(), time.process_time()
            seconds.append(now_s - last_s)
            processor_seconds.append(now_processor_s - last_processor_s)
            last_s, last_processor_s = now_s, now_processor_s
            outputs[int(output.request_id)] = list(output.outputs[0].token_ids)
            num_running -= 1
    after = _counts_of(engine)
    counts = {name: after[name] - before[name] for name in COUNTERS}
    step_ms = (median(steps_ms), max(steps_ms)) if steps_ms else (None, None)
    return Round(batch_size, outputs, seconds, processor_seconds, counts, *step_ms)


def _counts_of(engine: Any) -> dict[str, int]:
    """The engine's counters so far."""
    found = {metric.name: metric for metric in engine.get_metrics()}
    counts = {}
    for name, known in COUNTERS.items():
        metric = found.get(known)
        counts[name] = int(getattr(metric, "value", None) or getattr(metric, "count", None) or 0)
    return counts


def _forget_drafts() -> None:
    """Has FastEdit's proposer make each draft anew: a prompt comes once in each round."""
    from fastedit.vllm.making import Maker

    Maker.num_kept = 0


def _watched_steps() -> list[float]:
    """A list that FastEdit's proposer's steps are noted in, as milliseconds of processor time for each of its rows."""
    from fastedit.vllm.proposer import Proposer

    taken: list[float] = []
    plain = Proposer.propose

    def watched(self: Proposer, sampled: Any, *rest: Any, **named: Any) -> list[list[int]]:
        started_s = time.thread_time()
        drafts = plain(self, sampled, *rest, **named)
        taken.append(1000 * (time.thread_time() - started_s) / max(1, len(sampled)))
        return drafts

    setattr(Proposer, "propose", watched)  # noqa: B010 assigned in this way no types are compared
    return taken


if __name__ == "__main__":
    main()
