"""python -m evals.swebench: apply edits to repositories and run the repositories' tests."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from evals.report.page import ReportError
from evals.swebench.demo import DemoError, make_demo
from evals.swebench.instances import Instance, InstancesError, load_instances
from evals.swebench.options import read_options
from evals.swebench.recipes import RecipeError, Recipes, load_recipes
from evals.swebench.report import write_report
from evals.swebench.results import Result, Results, ResultsError
from evals.swebench.runner import run_instances
from evals.swebench.sandbox import Sandbox
from evals.swebench.setup import chosen, make_evaluation, settings_of
from evals.swebench.summary import last_line, print_summary
from fastedit.errors import EditRefused

FAILURES = (DemoError, InstancesError, RecipeError, ResultsError, ReportError, EditRefused)
MODEL_NAME = "fastedit"


def main(arguments: list[str] | None = None) -> int:
    """Exit status 0 whatever the verdicts are; 1 where the run couldn't be made, 130 where it was interrupted."""
    options = read_options(arguments)
    try:
        if options.command == "report":
            return _report(options.out)
        if options.command == "demo":
            instances, clones, recipes = make_demo(options)
        else:
            instances = chosen(load_instances(options.instances), options.only)
            clones, recipes = options.repos.resolve(), load_recipes(options.recipes)
        return _run(options, instances, clones, recipes)
    except FAILURES as error:
        print(f"evals.swebench: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("evals.swebench: interrupted; the same command goes on where it was", file=sys.stderr)
        return 130


def _run(options: argparse.Namespace, instances: Sequence[Instance], clones: Path, recipes: Recipes) -> int:
    sandbox = Sandbox()
    results = Results(options.out, options.name)
    with results.opened(settings_of(options, instances, recipes)):
        evaluation = make_evaluation(options, clones, recipes, sandbox)
        with _Shown(len(instances)) as shown:
            done = run_instances(
                instances, evaluation, results, sandbox, num_workers=max(1, options.workers), on_result=shown
            )
        print_summary(done)
        write_report(options.out, done, options)
    print(last_line(done))
    return 0


def _report(out: Path) -> int:
    done = list(Results(out, MODEL_NAME).load().values())
    if not done:
        raise ResultsError(f"{out} has no results")
    print_summary(done)
    write_report(out, done)
    print(last_line(done))
    return 0


class _Shown(Progress):
    """A bar on a terminal, a line for each instance elsewhere."""

    def __init__(self, total: int) -> None:
        super().__init__(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
            console=Console(stderr=True), disable=not sys.stderr.isatty(),
        )  # fmt: skip
        self._task = self.add_task("instances", total=total)
        self._counts = [0, 0]

    def __call__(self, result: Result) -> None:
        self._counts = [self._counts[0] + 1, self._counts[1] + (result.resolved is True)]
        self.update(self._task, completed=self._counts[0], description=f"{self._counts[1]} resolved")
        if self.disable:
            verdict = "resolved" if result.resolved else "broken" if result.problem else "not resolved"
            print(f"{result.instance_id}: {result.applied.value}, {verdict}", file=sys.stderr, flush=True)


def _interrupt(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, _interrupt)
    sys.exit(main())
