"""A tree's tests, really run: checkout, preparation, test command, log."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.swebench.environments import Environment, ending
from evals.swebench.logs import READERS, Status
from evals.swebench.recipes import Recipe
from evals.swebench.sandbox import Limits, Sandbox
from evals.swebench.trees import Store


@dataclass(frozen=True, slots=True)
class TestRun:
    """found: what became of each test. problem: why the run isn't whole ("" where it is)."""

    __test__ = False  # not a test of pytest's

    found: Mapping[str, Status]
    problem: str = ""
    elapsed_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Tester:
    """Runs tests. folder: for checkouts, scratch and logs."""

    folder: Path
    sandbox: Sandbox

    def run(
        self, store: Store, tree: str, recipe: Recipe, environment: Environment, tests: Sequence[str], name: str
    ) -> TestRun:
        """Runs the named test files of a tree. name: of the log, and of the checkout. Raises GitFailed, Interrupted."""
        scratch = self.folder / "scratch" / name
        log = self.folder / "logs" / f"{name}.txt"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(parents=True)
        limits = Limits(recipe.timeout_s, recipe.memory_mib)
        try:
            with store.checkout(tree, self.folder / "trees" / name) as checkout:
                variables = environment.variables(checkout.path, recipe, scratch)
                words = " ".join(shlex.quote(test) for test in tests)
                for number, line in enumerate((*recipe.prepare, recipe.test.replace("{tests}", words))):
                    is_test = number == len(recipe.prepare)
                    done = self.sandbox.run(
                        ["sh", "-c", line],
                        cwd=checkout.path,
                        env=variables,
                        limits=limits,
                        log=log if is_test else log.with_suffix(f".prepare-{number}.txt"),
                        is_offline=True,
                    )
                    if done.is_timed_out or (done.exit_status and not is_test):
                        what = "the tests were" if is_test else f"{line}:"
                        return TestRun({}, f"{what} {ending(done, recipe.timeout_s)}", done.elapsed_s)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        found = READERS[recipe.log](log.read_bytes().decode("utf-8", "replace"))
        problem = "" if found else f"the log names no test (exit status {done.exit_status})"
        return TestRun(found, problem, done.elapsed_s)
