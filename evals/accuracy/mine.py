"""python -m evals.accuracy mine: the real changes of local git histories, written as edits and applied.

Each change of a single file with 3 to 120 changed lines is written once, in a tier and a format drawn from the seed.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from evals.accuracy import report
from evals.accuracy.generated import score_samples
from evals.accuracy.outcomes import Outcome, Row
from fastedit.edits.model import Format
from fastedit.targets.default import NO_TARGET
from fastedit.training.synthesis import BY_CARE, Change, Sample, Tier, rendered_sample
from fastedit.training.synthesis.generate import FORMAT_WEIGHTS
from fastedit.training.synthesis.history import HistoryError, mine

LEAST_CHANGED, MOST_CHANGED = 3, 120
NUM_EDITS = 500


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 0 whatever the scores; 1 where a history can't be read."""
    options = _parser().parse_args(arguments)
    target = NO_TARGET if options.mode == "structural" else options.target
    samples = mined_samples(
        options.repo, options.seed, [Tier(tier) for tier in options.tier], [Format(name) for name in options.format]
    )
    try:
        rows = list(score_samples(islice(samples, options.n), options.mode, target=target))
    except HistoryError as error:
        print(f"evals.accuracy.mine: {error}", file=sys.stderr)
        return 1
    report.print_failures(rows, with_diff=options.diff)
    report.print_tables("mined", rows, ("tier", "format", "language", "size", "changed"))
    report.print_times(rows)
    if options.json:
        settings = {
            "mode": options.mode,
            "target": target,
            "seed": options.seed,
            "n": len(rows),
            "from": "git histories",
        }
        report.write_json(options.json, [], rows, settings, summary=last_line(rows))
    print(last_line(rows))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m evals.accuracy mine", description=__doc__)
    parser.add_argument("--repo", type=Path, nargs="+", required=True, help="local git repositories")
    parser.add_argument("--n", type=int, default=NUM_EDITS, help=f"how many edits at most (default {NUM_EDITS})")
    parser.add_argument("--mode", choices=("structural", "auto", "model"), default="structural")
    parser.add_argument("--target", default="embedded", help="for auto and model: a registered name or a folder")
    parser.add_argument("--seed", type=int, default=1)
    tiers, formats = [tier.value for tier in BY_CARE], [format.value for format in Format]
    parser.add_argument("--tier", nargs="+", choices=tiers, default=tiers)
    parser.add_argument("--format", nargs="+", choices=formats, default=formats)
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--diff", action="store_true", help="show the message and the difference for each wrong answer")
    return parser


def mined_samples(
    repositories: Sequence[Path], seed: int, tiers: Sequence[Tier], formats: Sequence[Format]
) -> Iterator[Sample]:
    """The edits of all histories, newest changes first. Raises HistoryError."""
    rng = random.Random(seed)
    weights = [FORMAT_WEIGHTS[format] for format in formats]
    for repository in repositories:
        for change in mine(repository, most_changed=MOST_CHANGED):
            if num_changed(change) >= LEAST_CHANGED:
                sample = rendered_sample(change, rng.choice(tiers), rng.choices(formats, weights)[0], rng)
                if sample is not None:
                    yield sample


def num_changed(change: Change) -> int:
    """Lines that come, go or are replaced, each place counted by its longer side."""
    return sum(max(len(splice.lines), splice.end - splice.start) for splice in change.splices)


def last_line(rows: Sequence[Row]) -> str:
    """`edits=… exact=… wrong=… refused=… error=…`, the shares of all mined edits."""
    counts = Counter(row.outcome for row in rows)
    shares = " ".join(
        f"{outcome.value}={counts[outcome] / len(rows):.3f}" if rows else f"{outcome.value}=n/a" for outcome in Outcome
    )
    return f"edits={len(rows)} {shares}"
