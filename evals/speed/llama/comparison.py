"""Ways to decode the same case, timed in turn, and what the times come to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from evals.speed.baselines import Timing
from evals.speed.decode import Case

OURS, PLAIN, LOOKUP = "FastEdit", "llama.cpp", "llama.cpp, look-up of "
Way = Callable[[Case], Sequence[Timing]]  # a timing for each window


@dataclass(frozen=True, slots=True)
class Taken:
    """A way over all windows of a case."""

    seconds: float
    passes: int


def in_turn(ways: Mapping[str, Way], case: Case, rounds: int) -> dict[str, Taken]:
    """Each way's median over the rounds; in a round every way runs once, so that a busy machine is as busy for all."""
    runs: dict[str, list[Taken]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            timings = way(case)
            runs[name].append(
                Taken(sum(timing.seconds for timing in timings), sum(timing.passes for timing in timings))
            )
    return {name: Taken(median(run.seconds for run in taken), taken[0].passes) for name, taken in runs.items()}


def row_of(case: Case, taken: Mapping[str, Taken]) -> dict[str, Any]:
    """lookup_s: of the case's best setting of prompt look-up."""
    return {
        **case.described(),
        "fastedit_s": taken[OURS].seconds,
        "llama_s": taken[PLAIN].seconds,
        "lookup_s": min(way.seconds for name, way in taken.items() if name.startswith(LOOKUP)),
        "ways": {name: asdict(way) for name, way in taken.items()},
    }


def ratios(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """How many times as long llama.cpp takes as FastEdit: medians over the rows."""
    return {
        "engine_x_llama": median(row["llama_s"] / row["fastedit_s"] for row in rows),
        "engine_x_llama_lookup": median(row["lookup_s"] / row["fastedit_s"] for row in rows),
    }


def by_scope(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """The ratios of windows and of whole files, and how long their outputs are."""
    scopes = dict.fromkeys(row["scope"] for row in rows)
    of_scope = {scope: [row for row in rows if row["scope"] == scope] for scope in scopes}
    return {
        scope: {"cases": len(some), "output_tokens": median(row["output_tokens"] for row in some), **ratios(some)}
        for scope, some in of_scope.items()
    }


def line_of(row: Mapping[str, Any]) -> str:
    ours_s, llama_s, lookup_s = row["fastedit_s"], row["llama_s"], row["lookup_s"]
    return (
        f"{row['case'][:44]:44} {row['scope']:7} {row['prompt_tokens']:5}+{row['output_tokens']:5} tokens | "
        f"FastEdit {ours_s:6.3f} s in {row['ways'][OURS]['passes']:2} | llama.cpp {llama_s:6.3f} "
        f"({llama_s / ours_s:4.1f}x), look-up {lookup_s:6.3f} ({lookup_s / ours_s:4.1f}x)"
    )
