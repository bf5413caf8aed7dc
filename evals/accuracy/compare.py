"""The same edits given to several ways of applying them."""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import fastedit
from evals.accuracy import report
from evals.accuracy.outcomes import Outcome
from fastedit.training.synthesis import Sample

KEYS = ("tier", "language", "kind")

Peer = Callable[[Sample], str | None]  # the new file, or None where it refuses


@dataclass(frozen=True, slots=True)
class Compared:
    """One edit and what each peer made of it: outcome and milliseconds by the peer's name."""

    sample: Sample
    outcomes: Mapping[str, tuple[Outcome, float]]


def compared(samples: Iterable[Sample], peers: Mapping[str, Peer]) -> Iterator[Compared]:
    """The samples with all peers' outcomes."""
    for sample in samples:
        outcomes = {}
        for name, peer in peers.items():
            started = time.perf_counter()
            text = peer(sample)
            elapsed_ms = (time.perf_counter() - started) * 1000
            outcome = Outcome.REFUSED if text is None else Outcome.EXACT if text == sample.expected else Outcome.WRONG
            outcomes[name] = outcome, elapsed_ms
        yield Compared(sample, outcomes)


def in_mode(mode: str) -> Peer:
    """fastedit itself, in one of its modes."""

    def run(sample: Sample) -> str | None:
        try:
            return fastedit.apply(sample.original, sample.edit, path=sample.path, mode=mode).text
        except fastedit.EditRefused:
            return None

    return run


def summed_up(results: Sequence[Compared], *, title: str, source: str) -> dict[str, Any]:
    """The counts by peer, and by peer and each of KEYS."""
    by: dict[str, dict[str, dict[str, Counter[str]]]] = {key: {} for key in KEYS}
    peers: dict[str, dict[str, Any]] = {}
    for name in results[0].outcomes if results else ():
        times = [result.outcomes[name][1] for result in results]
        counts = Counter(result.outcomes[name][0].value for result in results)
        peers[name] = {"counts": dict(counts), "median_ms": round(median(times), 2)}
        for key in KEYS:
            for result in results:
                table = by[key].setdefault(str(getattr(result.sample, key)), defaultdict(Counter))
                table[name][result.outcomes[name][0].value] += 1
    machine = report.machine("evals.accuracy")
    return {"machine": machine, "title": title, "source": source, "edits": len(results), "peers": peers, "by": by}


def told(summary: Mapping[str, Any], path: Path | None) -> None:
    """Prints a line for each peer, and writes the summary to `path`."""
    for peer, found in summary["peers"].items():
        counts = " ".join(f"{end}={found['counts'].get(end, 0) / summary['edits']:.3f}" for end in Outcome)
        print(f"{peer:28} {counts} median_ms={found['median_ms']:.1f}")
    print(f"edits={summary['edits']}")
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(summary, indent=1) + "\n", "utf-8")
