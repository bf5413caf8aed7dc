"""python -m fastedit.training.alignment: fits what reads lazy edits, and stores it where they are read."""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import shlex
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import fastedit
from fastedit.anchor.lazy import FITTED
from fastedit.anchor.lazy.reading import NAMES
from fastedit.errors import SettingsError
from fastedit.training.alignment.asking import fit_asking
from fastedit.training.alignment.cases import (
    Case,
    ProcessMap,
    changes_of,
    cut_cases,
    read_cases,
    read_changes,
    workers,
)
from fastedit.training.alignment.certainty import fit_certainty
from fastedit.training.alignment.everyday import everyday_cases, generated_cases, twin_cases
from fastedit.training.alignment.forecast import fit_forecast, use_those, use_words
from fastedit.training.alignment.idle import fit_steadily, read_idle
from fastedit.training.alignment.mentions import fit_mentions, read_roles
from fastedit.training.alignment.weights import Weights, fit_weights, mean_weights, read_weights, write_weights
from fastedit.training.alignment.wordings import fit_wordings, read_wordings

WORDINGS = Path(fastedit.__file__).parent / "training" / "data" / "wordings.jsonl.gz"
MENTIONS = WORDINGS.with_name("mentions.jsonl.gz")
IDLE = WORDINGS.with_name("idle.tsv")
# Weights as one would guess them, before anything is fitted.
PRIOR = Path(fastedit.__file__).parent / "training" / "data" / "prior.json"
# Only a checkout of the repository has it.
BENCHMARK = Path(fastedit.__file__).parents[1] / "evals" / "applybench" / "data"
# Edits of the changes' files that certainty is fitted to as well; the last fit several places alike.
EVERYDAY, CUT_OUT, TWINS = 1600, 60, 100
# Made edits that the forecast is fitted to as well: cut out, of a plain kind, and told anew as assistants do.
NUM_MADE = (2000, 10_000, 2000)
STAGES = ("comments", "mentions", "asking", "forecast", "weights", "certainty", "idle")
LIBRARIES = ("numpy", "rapidfuzz", "torch", "tree-sitter")


def main(arguments: Sequence[str] | None = None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    options = _parser().parse_args(given)
    if options.rounds < 1 or options.processes < 1:
        return _failed("--rounds and --processes are numbers from 1 on")
    try:
        _fit(options, _Output(options.out, shlex.join(["python", "-m", "fastedit.training.alignment", *given])))
    except SettingsError as error:
        return _failed(str(error))
    finally:
        use_those(FITTED)
    return 0


@dataclass(frozen=True, slots=True)
class _Output:
    """The folder that the fits are stored in, with `fitted.json`, which says how each of them came about."""

    folder: Path
    command: str

    def store(self, stage: str, told: dict[str, Any]) -> None:
        """Notes how one of the fits came about; what is known of the others stays."""
        path = self.folder / "fitted.json"
        known = json.loads(path.read_text("utf-8")) if path.exists() else {}
        known[stage] = {
            "date": datetime.now(UTC).date().isoformat(),
            "command": self.command,
            "versions": _versions(),
            **told,
        }
        path.write_text(json.dumps(known, indent=1) + "\n", "utf-8")

    def fill(self) -> None:
        """Copies the installed fits into the folder where it has none, so that all stages read from there."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for installed in FITTED.iterdir():
            if installed.is_file() and installed.name != "fitted.json" and not (self.folder / installed.name).exists():
                shutil.copy(installed, self.folder)


def _fit(options: argparse.Namespace, output: _Output) -> None:
    train = {path: read_cases(path) for path in options.train}
    calibration = read_cases(options.calibrate)
    wordings = read_wordings(options.wordings)
    cases = [case for found in train.values() for case in found]
    changes = [*changes_of(cases), *(read_changes(options.pairs) if options.pairs else ())]
    free = _named(options.free) if options.free else NAMES
    told = {"seed": options.seed, "records": {path.name: _counts(found) for path, found in train.items()}}
    output.fill()
    stages = options.only or STAGES
    if "comments" in stages:
        fitted = fit_wordings(wordings, cases, output.folder / "comments.npz", options.seed)
        output.store("comments", told | fitted)
        _say("comments", fitted)
    if "mentions" in stages:
        with workers(options.processes, use_words, output.folder) as ready:
            fitted = fit_mentions(
                read_roles(options.mentions), cases, output.folder / "mentions.npz", options.seed, ready
            )
        output.store("mentions", told | fitted)
        _say("mentions", fitted)
    if "asking" in stages:
        with workers(options.processes, use_words, output.folder) as ready:
            fitted = fit_asking(cases, read_idle(options.idle), output.folder / "asking.npz", options.seed, ready)
        output.store("asking", told | fitted)
        _say("asking", fitted)
    phrases = [one.text for one in wordings if one.roles == ("elide",)]
    if "forecast" in stages:
        chance = random.Random(f"{options.seed} forecast")
        num_cut, num_plain, num_anew = NUM_MADE
        made = cut_cases(changes, phrases, num_cut, chance) + everyday_cases(changes, num_plain, chance)
        made += generated_cases(changes, num_anew, chance)
        with workers(options.processes, use_words, output.folder) as ready:
            fitted = fit_forecast([*cases, *made], output.folder / "forecast.npz", options.seed, ready)
        output.store("forecast", told | {"changes": len(made)} | fitted)
        _say("forecast", fitted)
    with workers(options.processes, use_those, output.folder) as ready:
        if options.mean:
            write_weights(mean_weights(options.mean), output.folder / "weights.json")
        elif "weights" in stages:
            start = read_weights(output.folder / "weights.json")
            report = _reporter(output, told | {"changes": len(changes)})
            fit_weights(cases, changes, phrases, start, options.rounds, options.seed, ready, report, free)
        if "certainty" in stages:
            told["records"] = told["records"] | {options.calibrate.name: _counts(calibration)}
            chance = random.Random(f"{options.seed} certainty")
            plain = [*everyday_cases(changes, EVERYDAY, chance), *cut_cases(changes, phrases, CUT_OUT, chance)]
            plain += twin_cases(changes, TWINS, chance)
            _fit_certainty([*cases, *plain], calibration, output, told | {"changes": len(plain)}, ready)
        if "idle" in stages:
            known = read_weights(output.folder / "weights.json")
            fitted = fit_steadily(cases, read_idle(options.idle), known, output.folder, options.seed, ready)
            output.store("idle", told | fitted)
            _say("idle", fitted)


def _named(beginnings: Sequence[str]) -> list[str]:
    """The names of the weights that begin with any of these. Raises SettingsError where one begins none."""
    idle = [one for one in beginnings if not any(name.startswith(one) for name in NAMES)]
    if idle:
        raise SettingsError(f"no weight's name begins with {idle[0]!r}")
    return [name for name in NAMES if name.startswith(tuple(beginnings))]


def _reporter(output: _Output, told: dict[str, Any]) -> Callable[[Weights, dict[str, Any]], None]:
    """A function that stores the best weights so far after each round, and how they came about."""
    rounds: list[dict[str, Any]] = []

    def report(best: Weights, found: dict[str, Any]) -> None:
        rounds.append(found)
        write_weights(best, output.folder / "weights.json")
        output.store("weights", told | {"exact": max(one["exact"] for one in rounds), "rounds": rounds})
        _say("weights", found)

    return report


def _fit_certainty(
    cases: Sequence[Case], calibration: Sequence[Case], output: _Output, told: dict[str, Any], ready: ProcessMap
) -> None:
    weights, prior = read_weights(output.folder / "weights.json"), read_weights(PRIOR)
    certainty = fit_certainty(cases, calibration, weights, prior, ready, told["seed"])
    certainty.save(output.folder)
    output.store("certainty", told | certainty.scores)
    _say("certainty", certainty.scores)


def _counts(cases: Sequence[Case]) -> dict[str, int]:
    refused = sum(case.expected is None for case in cases)
    return {"apply": len(cases) - refused, "refuse": refused}


def _versions() -> dict[str, str]:
    return {
        "fastedit": fastedit.__version__,
        "python": platform.python_version(),
        **{name: version(name) for name in LIBRARIES},
    }


def _say(stage: str, found: dict[str, Any]) -> None:
    print(stage, json.dumps(found), flush=True)  # noqa: T201 how far a command of many minutes is


def _failed(message: str) -> int:
    print(f"error: {message}", file=sys.stderr)  # noqa: T201
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m fastedit.training.alignment", description=__doc__)
    add = parser.add_argument
    add("--train", type=Path, nargs="+", default=[BENCHMARK / "train.jsonl.gz"], help="records to fit to")
    add("--calibrate", type=Path, default=BENCHMARK / "validation.jsonl.gz", help="records for the table of certainty")
    add("--pairs", type=Path, help="more changes to write edits for: JSON lines of file, original and result")
    add("--idle", type=Path, default=IDLE, help="words that say nothing of an edit: lines of a kind, a tab and words")
    add("--wordings", type=Path, default=WORDINGS, help="comments with their roles: JSON lines of text and label")
    add("--mentions", type=Path, default=MENTIONS, help="names in messages with their roles: JSON lines, by case")
    add("--mean", type=Path, nargs="+", help="stored weights, whose mean is taken instead of fitting new ones")
    add("--rounds", type=int, default=4, help="how often the weights are fitted (default: 4)")
    add("--free", nargs="+", metavar="NAME", help="fit only the weights whose names begin so; the others stay")
    add("--processes", type=int, default=os.cpu_count() or 1, help="default: one for each core")
    add("--out", type=Path, default=FITTED, help="default: where they are read, fastedit/anchor/lazy/fitted")
    add("--seed", type=int, default=0)
    add("--only", action="append", choices=STAGES, help="fit one part again, with the others as they are (repeatable)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
