"""python -m evals.accuracy.peers: unified diffs, as models write them, given to fastedit and to what people use today.

Every tool gets the diff alone, without the prose around it; where a diff doesn't name its file, the names are put in
front of it, since git and patch need them, and -p is what fits the names. A tool that ends with an error has refused,
even where it left half of its work behind.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

import fastedit
from evals.accuracy import report
from evals.accuracy.__main__ import default_sources
from evals.accuracy.mine import mined_samples
from evals.accuracy.outcomes import Outcome
from fastedit.edits.model import Format
from fastedit.training.synthesis import Sample, Tier, generate

NUM_EDITS = 400
TIMEOUT_S = 30
KEYS = ("tier", "language", "kind")
PATCH = ("patch", "{level}", "--batch", "--forward", "--quiet", "--reject-file=-")
# git and patch as people call them: strictly, and with what they are told to add when that fails.
COMMANDS: dict[str, tuple[str, ...]] = {
    "git apply": ("git", "apply", "{level}", "-"),
    "git apply, lenient": ("git", "apply", "{level}", "--recount", "--ignore-whitespace", "--unidiff-zero", "-C1", "-"),
    "patch": PATCH,
    "patch, fuzz 3": (*PATCH, "--fuzz=3", "--ignore-whitespace"),
}  # fmt: skip
FENCE = re.compile(r"^(`{3,})[^\n]*\n(.*?)^\1[ \t]*$", re.MULTILINE | re.DOTALL)

Peer = Callable[[Sample], str | None]


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 0 whatever the scores."""
    options = _parser().parse_args(arguments)
    tiers, formats = [Tier(tier) for tier in options.tier], [Format.UDIFF]
    if options.repo:
        samples = mined_samples(options.repo, options.seed, tiers, formats)
        source = "written from the real changes of git histories"
    else:
        samples = generate(
            options.sources or default_sources(), seed=options.seed, n=options.n, tiers=tiers, formats=formats
        )
        source = "written from generated changes of the standard library and installed packages"
    results = list(compared(islice(samples, options.n)))
    summary = summed_up(results, source)
    for peer, found in summary["peers"].items():
        counts = " ".join(f"{outcome}={found['counts'].get(outcome, 0) / len(results):.3f}" for outcome in Outcome)
        print(f"{peer:20} {counts} median_ms={found['median_ms']:.1f}")
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(summary, indent=1) + "\n", "utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m evals.accuracy.peers", description=__doc__)
    parser.add_argument("--n", type=int, default=NUM_EDITS, help=f"how many diffs (default {NUM_EDITS})")
    parser.add_argument(
        "--sources", type=Path, nargs="+", help="folders of originals (default: standard library, packages)"
    )
    parser.add_argument("--repo", type=Path, nargs="+", help="git repositories: take their real changes instead")
    parser.add_argument("--seed", type=int, default=1)
    tiers = [tier.value for tier in Tier]
    parser.add_argument("--tier", nargs="+", choices=tiers, default=tiers)
    parser.add_argument("--json", type=Path, metavar="FILE")
    return parser


class Compared:
    """One diff and what each peer made of it: outcome and milliseconds by the peer's name."""

    def __init__(self, sample: Sample, outcomes: Mapping[str, tuple[Outcome, float]]) -> None:
        self.sample = sample
        self.outcomes = outcomes


def compared(samples: Iterator[Sample]) -> Iterator[Compared]:
    """The samples with all peers' outcomes."""
    peers: dict[str, Peer] = {"fastedit": _fastedit} | {name: _tool(command) for name, command in COMMANDS.items()}
    for sample in samples:
        outcomes = {}
        for name, peer in peers.items():
            started = time.perf_counter()
            text = peer(sample)
            elapsed_ms = (time.perf_counter() - started) * 1000
            outcome = Outcome.REFUSED if text is None else Outcome.EXACT if text == sample.expected else Outcome.WRONG
            outcomes[name] = outcome, elapsed_ms
        yield Compared(sample, outcomes)


def _fastedit(sample: Sample) -> str | None:
    try:
        return fastedit.apply(sample.original, sample.edit, path=sample.path, mode="structural").text
    except fastedit.EditRefused:
        return None


def _tool(command: Sequence[str]) -> Peer:
    """A peer that is a program: it finds the file under its path, and the diff on its input."""

    def run(sample: Sample) -> str | None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, sample.path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(sample.original.encode("utf-8"))
            env = {"PATH": os.environ.get("PATH", os.defpath), "GIT_CEILING_DIRECTORIES": str(Path(folder).parent)}
            text = bare_diff(sample.edit, sample.path)
            words = [word.format(level=level_of(text, sample.path)) for word in command]
            try:
                subprocess.run(
                    words,
                    cwd=folder,
                    env=env,
                    input=text.encode("utf-8"),
                    capture_output=True,
                    check=True,
                    timeout=TIMEOUT_S,
                )
            except subprocess.SubprocessError:
                return None
            return file.read_bytes().decode("utf-8", "replace")

    return run


def bare_diff(message: str, path: str) -> str:
    """What stands in the message's fences, or all of it; the file's names are put in front where they are missing."""
    fences = [match.group(2) for match in FENCE.finditer(message)]
    text = "".join(fences) if fences else message
    if not re.search(r"^\+\+\+ ", text, re.MULTILINE):
        text = f"--- a/{path}\n+++ b/{path}\n{text}"
    return text if text.endswith("\n") else text + "\n"


def level_of(diff: str, path: str) -> str:
    """The -p option that fits the diff's names: whether they start in `a/` and `b/`."""
    return "-p0" if re.search(rf"^\+\+\+ {re.escape(path)}\s*$", diff, re.MULTILINE) else "-p1"


def summed_up(results: Sequence[Compared], source: str) -> dict[str, Any]:
    """The counts by peer, and by peer and each of KEYS."""
    names = list(results[0].outcomes) if results else ["fastedit", *COMMANDS]
    by: dict[str, dict[str, dict[str, Counter[str]]]] = {key: {} for key in KEYS}
    peers: dict[str, dict[str, Any]] = {}
    for name in names:
        times = [result.outcomes[name][1] for result in results]
        counts = Counter(result.outcomes[name][0].value for result in results)
        peers[name] = {"counts": dict(counts), "median_ms": round(median(times), 2) if times else 0.0}
        for key in KEYS:
            for result in results:
                table = by[key].setdefault(str(getattr(result.sample, key)), defaultdict(Counter))
                table[name][result.outcomes[name][0].value] += 1
    machine = report.machine("evals.accuracy.peers")
    return {"machine": machine, "source": source, "edits": len(results), "peers": peers, "by": by}


if __name__ == "__main__":
    sys.exit(main())
