"""One way, in a process of its own: python -m evals.speed.drafters.child JOB.json RESULT.json

The time is this process's processor time: on a machine that does other work the clock on the wall tells nothing.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

COUNTERS = {
    "drafted": "vllm:spec_decode_num_draft_tokens",
    "accepted": "vllm:spec_decode_num_accepted_tokens",
    "passes": "vllm:iteration_tokens_total",  # one entry a pass, those that read prompts included
}


def main() -> None:
    job = json.loads(Path(sys.argv[1]).read_bytes())
    from vllm import LLM, SamplingParams

    engine: Any = LLM(**job["options"])
    prompts = [{"prompt_token_ids": prompt} for prompt, _ in job["cases"]]
    limits = [SamplingParams(temperature=0.0, max_tokens=limit) for _, limit in job["cases"]]
    engine.generate(prompts[:1], limits[:1], use_tqdm=False)  # the first one compiles
    before = counts_of(engine)
    steps_ms = watch_proposer()
    groups = [range(len(prompts))] if job["is_batch"] else [range(index, index + 1) for index in range(len(prompts))]
    outputs, seconds, wall = list[list[int]](), list[float](), list[float]()
    for group in groups:
        started_s, started_wall_s = time.process_time(), time.perf_counter()
        written = engine.generate([prompts[i] for i in group], [limits[i] for i in group], use_tqdm=False)
        seconds.append(time.process_time() - started_s)
        wall.append(time.perf_counter() - started_wall_s)
        outputs += [list(one.outputs[0].token_ids) for one in written]
    after = counts_of(engine)
    result = {
        "outputs": outputs,
        "seconds": seconds,
        "wall_seconds": wall,
        "counts": {name: after[name] - before[name] for name in after},
        "median_step_ms": median(steps_ms) if steps_ms else None,
        "max_step_ms": max(steps_ms) if steps_ms else None,
    }
    Path(sys.argv[2]).write_text(json.dumps(result), "utf-8")


def watch_proposer() -> list[float]:
    """Has FastEdit's proposer note the processor time of each call, in milliseconds for each of its rows."""
    from fastedit.vllm import Proposer

    taken: list[float] = []
    plain = Proposer.propose

    def watched(self: Proposer, sampled: Any, *rest: Any, **named: Any) -> list[list[int]]:
        started_s = time.thread_time()
        drafts = plain(self, sampled, *rest, **named)
        taken.append(1000 * (time.thread_time() - started_s) / max(1, len(sampled)))
        return drafts

    setattr(Proposer, "propose", watched)  # noqa: B010 assigned in this way no types are compared
    return taken


def counts_of(engine: Any) -> dict[str, float]:
    """The engine's counters so far."""
    found = {metric.name: metric for metric in engine.get_metrics()}
    counts = {}
    for name, known in COUNTERS.items():
        metric = found.get(known)
        counts[name] = float(getattr(metric, "value", None) or getattr(metric, "count", None) or 0)
    return counts


if __name__ == "__main__":
    main()
