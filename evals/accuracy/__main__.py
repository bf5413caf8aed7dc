"""python -m evals.accuracy: score the installed fastedit on the apply cases and on generated edits.

`mine --repo PATH` scores the real changes of git histories instead; `peers` sets git apply and patch beside fastedit,
and `lookup` the target alone.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from evals.accuracy import report
from evals.accuracy.cases import find_cases, score_case
from evals.accuracy.generated import score_samples
from evals.accuracy.outcomes import Row
from evals.accuracy.reliability import curve, draw
from evals.accuracy.sources import add_sources, default_sources
from fastedit.edits.model import Format
from fastedit.targets.default import NO_TARGET, choose_default
from fastedit.training.synthesis import BY_CARE, Tier, generate, generate_from_histories

CASES = Path(__file__).resolve().parents[2].parent / "shared" / "apply_cases" / "cases"
COMMANDS = ("mine", "peers", "lookup")
NUM_EDITS, NUM_QUICK_EDITS = 3000, 700


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 0 whatever the scores: the numbers are the result."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words and words[0] in COMMANDS:
        return int(import_module(f"evals.accuracy.{words[0]}").main(words[1:]))
    options = _parser().parse_args(words)
    target = NO_TARGET if options.mode == "structural" else options.target
    choose_default(target)
    cases = _score_cases(options.cases, options.mode)
    generated = _score_generated(options, target) if options.n != 0 else []
    report.print_failures([*cases, *generated], with_diff=options.diff)
    if cases:
        report.print_tables("cases", cases, ("tier", "format", "strategy"))
        report.print_times(cases)
    if generated:
        report.print_tables("generated", generated, (*report.KEYS, "strategy"))
        report.print_times(generated)
        report.print_reliability(generated)
    if options.plot and generated:
        _draw(generated, options.plot)
    if options.json:
        settings = {"mode": options.mode, "target": target, "seed": options.seed, "n": len(generated)}
        report.write_json(options.json, cases, generated, settings)
    print(report.last_line(cases, generated))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m evals.accuracy", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--quick", action="store_true", help=f"{NUM_QUICK_EDITS} generated edits: under a minute on two cores"
    )
    parser.add_argument("--mode", choices=("structural", "auto", "model"), default="structural")
    parser.add_argument("--target", default="embedded", help="for auto and model: a registered name or a folder")
    parser.add_argument(
        "--cases", type=Path, default=CASES, help="folder of apply cases (default: ../shared/apply_cases/cases)"
    )
    add_sources(parser)
    parser.add_argument("--history", type=Path, nargs="+", help="git repositories: score their real changes instead")
    parser.add_argument("--n", type=int, help=f"generated edits (default {NUM_EDITS}; 0 for none)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--tier", nargs="+", choices=[tier.value for tier in Tier], default=[tier.value for tier in BY_CARE]
    )
    parser.add_argument("--format", nargs="+", choices=[f.value for f in Format], default=[f.value for f in Format])
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument(
        "--plot", type=Path, metavar="PNG", help="where to draw the reliability curve (needs matplotlib)"
    )
    parser.add_argument("--diff", action="store_true", help="show the message and the difference for each wrong answer")
    return parser


def _score_cases(folder: Path, mode: str) -> list[Row]:
    if not folder.is_dir():
        print(f"NO APPLY CASES: {folder} does not exist; only generated edits are scored", file=sys.stderr)
        return []
    return [score_case(case, mode) for case in find_cases(folder)]


def _score_generated(options: argparse.Namespace, target: str) -> list[Row]:
    wanted = options.n if options.n is not None else NUM_QUICK_EDITS if options.quick else NUM_EDITS
    apart = [path for path in options.cases.rglob("*") if path.is_file()] if options.cases.is_dir() else []
    tiers, formats = [Tier(tier) for tier in options.tier], [Format(format) for format in options.format]
    if options.history:
        samples = generate_from_histories(
            options.history, seed=options.seed, n=wanted, tiers=tiers, formats=formats, apart=apart
        )
    else:
        sources = options.sources or default_sources()
        samples = generate(sources, seed=options.seed, n=wanted, tiers=tiers, formats=formats, apart=apart)
    # A target's passes keep all cores busy by themselves.
    processes = None if target == NO_TARGET else 1
    return list(score_samples(samples, options.mode, processes=processes, target=target))


def _draw(rows: Sequence[Row], path: Path) -> None:
    curves = {
        "all segments": curve(report.all_segments(rows)),
        "segments that change": curve(report.all_segments(rows, only_changes=True)),
    }
    try:
        draw(curves, path)
    except ImportError:
        print("NO PLOT: matplotlib is not installed", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
