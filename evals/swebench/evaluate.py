"""One instance, from checkout to verdict."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from evals.swebench.appliers import AppliedFile, Applier
from evals.swebench.edits import Message
from evals.swebench.environments import EnvironmentFailed, Environments
from evals.swebench.git import GitFailed
from evals.swebench.gold import NotRendered
from evals.swebench.instances import Instance
from evals.swebench.logs import not_passed
from evals.swebench.recipes import Recipe, Recipes
from evals.swebench.results import Applied, Result
from evals.swebench.sandbox import Interrupted
from evals.swebench.tests_run import Tester, TestRun
from evals.swebench.trees import RepositoryMissing, Store, Stores
from fastedit.errors import EditRefused

MAX_FAILING = 20
MAX_DIFFERENCE = 4000  # characters
BROKEN = (GitFailed, RepositoryMissing, EnvironmentFailed, NotRendered)

Messages = Callable[[Instance, Store, str, str], tuple[Message, ...]]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What all instances of a run share.

    messages: an instance's messages, from its store and the trees before and after the gold patch.
    with_gold: whether the gold patch's tests are run, too.
    """

    stores: Stores
    work: Path
    recipes: Recipes
    environments: Environments
    tester: Tester
    messages: Messages
    applier: Applier
    with_gold: bool = True

    def __call__(self, instance: Instance) -> Result:
        """The instance's result; whatever is broken about it stands in `problem`. Raises Interrupted."""
        result = Result(instance.instance_id, instance.repo, Applied.NONE)
        try:
            trees = _trees(instance, self.stores.of(instance.repo))
            result, tree = self._applied(instance, trees, result)
            return self._tested(instance, trees, result, tree)
        except BROKEN as error:
            return replace(result, problem=str(error))
        except Interrupted:
            raise
        except Exception as error:  # noqa: BLE001 - one broken instance must not end the run
            return replace(result, problem=f"{type(error).__name__}: {error}")

    def _applied(self, instance: Instance, trees: _Trees, result: Result) -> tuple[Result, str | None]:
        """The result of applying, with the diff that came of it, and the tree, or None where nothing was applied."""
        messages = self.messages(instance, trees.store, trees.base, trees.gold)
        result = replace(
            result,
            written_as=tuple(message.written_as for message in messages),
            habits=tuple(dict.fromkeys(habit for message in messages for habit in message.habits)),
        )
        if not messages:
            return replace(result, applied=Applied.MISSING), None
        files: list[AppliedFile] = []
        with trees.store.checkout(trees.base, self.work / "trees" / f"{instance.instance_id}.edit") as checkout:
            started = time.perf_counter()
            try:
                for message in messages:
                    files += self.applier(checkout.path, message)
            except EditRefused as refusal:
                return replace(result, applied=Applied.REFUSED, note=str(refusal)), None
            except Exception as error:  # noqa: BLE001 - a traceback is an outcome here
                return replace(result, applied=Applied.ERROR, note=f"{type(error).__name__}: {error}"), None
            apply_ms = (time.perf_counter() - started) * 1000
            tree = checkout.tree_now()
        result = replace(
            result,
            applied=Applied.DIFFERS if trees.store.changed(tree, trees.gold) else Applied.EXACT,
            difference=trees.store.diff(trees.gold, tree)[:MAX_DIFFERENCE],
            files=tuple(asdict(file) for file in files),
            model_patch=trees.store.diff(trees.base, tree),
            apply_ms=round(apply_ms, 2),
        )
        return result, tree

    def _tested(self, instance: Instance, trees: _Trees, result: Result, tree: str | None) -> Result:
        """The result with the verdicts of the tests. Equal files have equal verdicts and are tested once."""
        recipe = self.recipes.of(instance)
        result = replace(result, num_changed_lines=_changed_lines(instance.patch))
        ours = gold = None
        if tree is not None:
            ours = self._run(instance, trees, tree, recipe, "edited")
        if self.with_gold:
            is_same = ours is not None and result.applied is Applied.EXACT
            gold = ours if is_same else self._run(instance, trees, trees.gold, recipe, "gold")
        failing = _failing(instance, ours)
        return replace(
            result,
            resolved=ours is not None and not failing,
            gold_resolved=not _failing(instance, gold) if gold is not None else None,
            failing=tuple(failing[:MAX_FAILING]),
            # Tests that come to no end with the gold patch say something of the instance, otherwise of the edit.
            problem=gold.problem if gold is not None else "",
            note=ours.problem if ours is not None and ours is not gold else result.note,
            tests_s=round(sum(run.elapsed_s for run in {id(run): run for run in (ours, gold) if run}.values()), 2),
        )

    def _run(self, instance: Instance, trees: _Trees, tree: str, recipe: Recipe, side: str) -> TestRun:
        environment = self.environments.of(recipe, trees.store, trees.base)
        tests = trees.store.changed(trees.base, trees.tests)
        names = recipe.tests([file.path for file in tests if file.new is not None])
        tested = trees.store.overlaid(tree, tests)
        return self.tester.run(trees.store, tested, recipe, environment, names, f"{instance.instance_id}.{side}")


@dataclass(frozen=True, slots=True)
class _Trees:
    """base: before; gold: with the gold patch; tests: `base` with the test patch."""

    store: Store
    base: str
    gold: str
    tests: str


def _trees(instance: Instance, store: Store) -> _Trees:
    try:
        base = store.tree_of(instance.base_commit)
    except GitFailed as error:
        raise GitFailed(f"the clone of {instance.repo} has no commit {instance.base_commit}") from error
    gold = _patched(store, base, instance.patch, "the gold patch")
    return _Trees(store, base, gold, _patched(store, base, instance.test_patch, "the test patch"))


def _patched(store: Store, tree: str, patch: str, name: str) -> str:
    try:
        return store.patched(tree, patch)
    except GitFailed as error:
        raise GitFailed(f"{name} doesn't apply: {error}") from error


def _failing(instance: Instance, run: TestRun | None) -> list[str]:
    if run is None:
        return []
    names = instance.fail_to_pass + instance.pass_to_pass
    return not_passed(names, run.found) or ([run.problem] if run.problem else [])


def _changed_lines(patch: str) -> int:
    """Added and removed lines of a diff."""
    return sum(line.startswith(("+", "-")) and not line.startswith(("+++", "---")) for line in patch.split("\n"))
