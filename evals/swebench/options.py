"""The command line of `python -m evals.swebench`."""

from __future__ import annotations

import argparse
from pathlib import Path

from evals.swebench.appliers import MODES
from fastedit.edits.model import Format
from fastedit.training.synthesis import BY_CARE, Tier

SERVER = "server"
OUT = Path("build/swebench")


def read_options(arguments: list[str] | None = None) -> argparse.Namespace:
    """The options of one of the commands run, demo and report; usage errors end the process with status 2."""
    parser = argparse.ArgumentParser(prog="python -m evals.swebench", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="apply edits to instances and run their tests")
    run.add_argument(
        "--instances", required=True, help=".jsonl, .json or .parquet file, or a Hub data set (name:split)"
    )
    edits = run.add_mutually_exclusive_group(required=True)
    edits.add_argument("--edits", type=Path, help="an agent's answers: JSON lines with instance_id and message")
    edits.add_argument(
        "--from-gold", action="store_true", help="the gold patches, written as an assistant writes edits"
    )
    run.add_argument("--repos", type=Path, required=True, help="folder of local clones or mirrors")
    run.add_argument("--recipes", type=Path, help="TOML file of recipes over the built-in ones")
    run.add_argument("--only", nargs="+", metavar="ID", help="these instances alone")
    run.add_argument("--skip-gold", action="store_true", help="don't run the gold patches' tests")
    _add_common(run)
    demo = commands.add_parser("demo", help="make instances from the standard library, and run them")
    demo.add_argument("--quick", action="store_true", help="fewer instances: a minute or two")
    demo.add_argument("--n", type=int, help="how many instances of made bugs")
    demo.add_argument(
        "--releases",
        nargs="*",
        metavar="PYTHON",
        help="interpreters, older first (3.11, or a path): what changed in the library from each to the next makes "
        "further instances",
    )
    _add_common(demo)
    report = commands.add_parser("report", help="write the page of a finished or unfinished run anew")
    report.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args(arguments)
    if options.command != "report":
        _check_apply(parser, options)
    return options


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, default=OUT, help="folder of results; a run that was killed goes on there")
    parser.add_argument(
        "--apply", nargs="+", default=["structural"], metavar=("HOW", "URL"), help=f"{', '.join(MODES)}, or server URL"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="where else to write the summary")
    parser.add_argument("--target", help="a registered target or a folder, for auto and model")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--timeout", type=float, help="seconds for each test run, over the recipes'")
    parser.add_argument("--memory", type=int, help="MiB for each process of a test run, over the recipes'")
    parser.add_argument("--name", default="fastedit", help="model_name_or_path of the predictions")
    parser.add_argument("--format", choices=[format.value for format in Format], default=Format.LAZY.value)
    parser.add_argument("--tier", choices=[tier.value for tier in BY_CARE], default=Tier.CLEAR.value)
    parser.add_argument("--habit", default="", help="a habit that rendered edits show where they can")
    parser.add_argument("--seed", type=int, default=1)


def _check_apply(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    how, *rest = options.apply
    if how == SERVER and len(rest) == 1:
        return
    if how not in MODES or rest:
        parser.error(f"--apply must be one of {', '.join(MODES)}, or server URL")
