"""A run put together from its options."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from evals.swebench.appliers import Applier, InProcess, Server
from evals.swebench.edits import Message, answer_of, read_answers
from evals.swebench.environments import Environments
from evals.swebench.evaluate import Evaluation, Messages
from evals.swebench.gold import Habit, gold_messages
from evals.swebench.instances import Instance, InstancesError
from evals.swebench.options import SERVER
from evals.swebench.recipes import Recipes
from evals.swebench.sandbox import Sandbox
from evals.swebench.tests_run import Tester
from evals.swebench.trees import Store, Stores
from fastedit.edits.model import Format
from fastedit.training.synthesis import Tier


def chosen(instances: Sequence[Instance], only: Sequence[str] | None) -> list[Instance]:
    """The instances of these names, or all. Raises InstancesError for a name that isn't there."""
    if only is None:
        return list(instances)
    missing = set(only) - {instance.instance_id for instance in instances}
    if missing:
        raise InstancesError(f"there are no instances {', '.join(sorted(missing))}")
    return [instance for instance in instances if instance.instance_id in only]


def make_evaluation(options: argparse.Namespace, clones: Path, recipes: Recipes, sandbox: Sandbox) -> Evaluation:
    """What judges the instances of a run. Raises InstancesError for answers that can't be read, EditRefused for a
    target that can't be loaded."""
    work = (options.out / "work").resolve()
    return Evaluation(
        stores=Stores(clones, work / "stores"),
        work=work,
        recipes=with_limits(recipes, options.timeout, options.memory),
        environments=Environments(work / "environments", sandbox),
        tester=Tester(work, sandbox),
        messages=_messages(options),
        applier=_applier(options),
        with_gold=not getattr(options, "skip_gold", False),
    )


def with_limits(recipes: Recipes, timeout_s: float | None, memory_mib: int | None) -> Recipes:
    """The recipes with limits of the command line over their own."""
    changes: dict[str, Any] = {}
    if timeout_s is not None:
        changes["timeout_s"] = timeout_s
    if memory_mib is not None:
        changes["memory_mib"] = memory_mib
    return Recipes({name: replace(recipe, **changes) for name, recipe in recipes.table.items()})


def settings_of(options: argparse.Namespace, instances: Sequence[Instance], recipes: Recipes) -> dict[str, Any]:
    """What the results depend on: a run in the same folder goes on only where all of it is the same."""
    answers = getattr(options, "edits", None)
    wanted = repr([instance.as_row() for instance in instances]) + repr(sorted(recipes.table.items()))
    return {
        "instances": _digest(wanted.encode("utf-8", "replace")),
        "edits": _digest(answers.read_bytes()) if answers else "from gold",
        "apply": options.apply,
        "target": options.target,
        "habit": [options.format, options.tier, options.habit, options.seed] if not answers else None,
        "limits": [options.timeout, options.memory],
        "with_gold": not getattr(options, "skip_gold", False),
        "name": options.name,
    }


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _messages(options: argparse.Namespace) -> Messages:
    path = getattr(options, "edits", None)
    if path:
        return partial(_answered, read_answers(path))
    return partial(_from_gold, Habit(Format(options.format), Tier(options.tier), options.habit, options.seed))


def _answered(
    answers: Mapping[str, str], instance: Instance, store: Store, base: str, gold: str
) -> tuple[Message, ...]:
    return answer_of(answers, instance)


def _from_gold(habit: Habit, instance: Instance, store: Store, base: str, gold: str) -> tuple[Message, ...]:
    return gold_messages(store, base, gold, habit, instance.instance_id)


def _applier(options: argparse.Namespace) -> Applier:
    how, *rest = options.apply
    if how == SERVER:
        return Server(rest[0])
    if how == "structural" or not options.target:
        return InProcess(how)
    from fastedit.targets import Target

    return InProcess(how, Target.load(options.target))
