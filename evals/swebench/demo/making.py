"""Repositories with bugs in them, and the instances that take the bugs out.

Nothing is assumed of a bug: its instance's tests are run before and after the fix, and it is taken only where some fail
before, and where those and others pass after.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice, pairwise, zip_longest
from pathlib import Path

from evals.swebench.demo.mutations import mutated
from evals.swebench.demo.subjects import DemoError, Library, Subject, library_of, read_subject, subjects_of
from evals.swebench.environments import Environments
from evals.swebench.git import git, git_text
from evals.swebench.instances import Instance, load_instances
from evals.swebench.logs import Status
from evals.swebench.recipes import Recipe, Recipes
from evals.swebench.sandbox import Sandbox
from evals.swebench.tests_run import Tester
from evals.swebench.trees import Store, Stores

NUM_INSTANCES, NUM_QUICK = 40, 12
TRIES = 12
MAX_CHANGED_LINES = 400
RECIPE = Recipe(test="python -m unittest -v {tests}", names="modules", log="unittest", timeout_s=20, memory_mib=2048)
DATE = {"GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z"}


@dataclass(frozen=True, slots=True)
class Draft:
    """An instance whose tests are not known yet: files before and after, tests."""

    name: str
    subject: Subject
    before: dict[str, str]
    version: str


def make_demo(options: argparse.Namespace) -> tuple[list[Instance], Path, Recipes]:
    """The demo's instances, the folder of their clones, and their recipes. Raises DemoError, KeyboardInterrupt.

    They are made once for a folder of results and the same options.
    """
    wanted = options.n if options.n is not None else NUM_QUICK if options.quick else NUM_INSTANCES
    libraries = [library_of(python) for python in options.releases or ()]
    own = library_of(sys.executable)
    folder: Path = options.out.resolve() / "demo"
    settings = [wanted, options.seed, own.version, [library.version for library in libraries]]
    recipes = Recipes({library.version: replace(RECIPE, python=library.python) for library in (*libraries, own)})
    recipes = Recipes({f"stdlib/{name}@{version}": recipe for version, recipe in recipes.table.items()
                       for name in _names(own, libraries)})  # fmt: skip
    if not _is_made(folder, settings):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _make(folder, options, wanted, own, libraries)
        (folder / "made.json").write_text(json.dumps(settings) + "\n", "utf-8")
    instances = load_instances(str(folder / "instances.jsonl"))
    if not instances:
        raise DemoError("no instance could be made: neither the library's test package nor examples are there")
    return instances, folder / "repos", recipes


def _names(own: Library, libraries: Sequence[Library]) -> list[str]:
    return sorted({subject.name for library in (own, *libraries) for subject in subjects_of(library)})


def _is_made(folder: Path, settings: Sequence[object]) -> bool:
    mark = folder / "made.json"
    return mark.exists() and json.loads(mark.read_text("utf-8")) == list(settings)


def _make(folder: Path, options: argparse.Namespace, wanted: int, own: Library, libraries: list[Library]) -> None:
    sandbox = Sandbox()
    work = folder / "work"
    maker = Maker(folder / "repos", Stores(folder / "repos", work / "stores"),
                  Environments(work / "environments", sandbox), Tester(work, sandbox))  # fmt: skip
    subjects = subjects_of(own)[:wanted]
    share = -(-wanted // max(1, len(subjects)))
    jobs: list[Callable[[], list[Instance]]] = [
        partial(maker.from_bugs, own, subject, share, f"{options.seed}:{subject.name}") for subject in subjects
    ]
    for older, newer in pairwise(libraries):
        jobs += [partial(maker.from_release, older, newer, subject) for subject in subjects_of(newer)]
    print(f"making instances from {len(subjects)} modules", file=sys.stderr, flush=True)
    with ThreadPoolExecutor(max(1, options.workers), "subject") as pool:
        try:
            made = list(pool.map(lambda job: job(), jobs))
        except BaseException:
            sandbox.close()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    # The first of each subject, then the second of each: a cut takes from all of them alike.
    bugs = [i for i in chain.from_iterable(zip_longest(*made[: len(subjects)])) if i is not None][:wanted]
    instances = [*bugs, *chain.from_iterable(made[len(subjects) :])]
    rows = "".join(json.dumps(instance.as_row()) + "\n" for instance in instances)
    (folder / "instances.jsonl").write_text(rows, "utf-8")
    shutil.rmtree(work, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Maker:
    """clones: where the repositories come to be."""

    clones: Path
    stores: Stores
    environments: Environments
    tester: Tester

    def from_bugs(self, library: Library, subject: Subject, count: int, seed: str) -> list[Instance]:
        """Up to `count` instances of bugs put into a module."""
        rng = random.Random(seed)
        drafts = _bugs(library, subject, rng)
        candidates = (self._instance(draft, library) for draft in islice(drafts, count * TRIES))
        return list(islice((instance for instance in candidates if instance is not None), count))

    def from_release(self, older: Library, newer: Library, subject: Subject) -> list[Instance]:
        """What changed in a module from one release to the next, where the next one's tests tell the two apart."""
        before = read_subject(older, subject.name) if older.has_tests else None
        if before is None or not newer.has_tests or before.files == subject.files:
            return []
        name = f"release-{older.version}-{newer.version}"
        instance = self._instance(Draft(name, subject, before.files, newer.version), newer)
        return [instance] if instance is not None else []

    def _instance(self, draft: Draft, library: Library) -> Instance | None:
        """The instance with the tests that tell, or None where none do."""
        repo = f"stdlib/{draft.subject.name}"
        commit = self._commit(self.clones / repo.replace("/", "__"), draft)
        store = self.stores.of(repo)
        base = store.tree_of(commit)
        gold, tests = (_with(store, base, files) for files in (draft.subject.files, draft.subject.tests))
        patch, test_patch = store.diff(base, gold), store.diff(base, tests)
        if sum(line.startswith(("+", "-")) for line in patch.split("\n")) > MAX_CHANGED_LINES:
            return None
        before, after = (
            self._run(draft, library, store, tree) for tree in (tests, _with(store, gold, draft.subject.tests))
        )
        passing = {name for name, status in after.items() if status is Status.PASSED}
        failing = sorted(name for name in passing if before.get(name) is not Status.PASSED)
        staying = sorted(passing - set(failing))
        if not failing or not staying:
            return None
        return Instance(
            instance_id=f"{repo.replace('/', '__')}-{draft.name}",
            repo=repo,
            base_commit=commit,
            patch=patch,
            test_patch=test_patch,
            fail_to_pass=tuple(failing),
            pass_to_pass=tuple(staying),
            version=draft.version,
        )

    def _run(self, draft: Draft, library: Library, store: Store, tree: str) -> dict[str, Status]:
        recipe = replace(RECIPE, python=library.python)
        environment = self.environments.of(recipe, store, tree)
        name = f"{draft.subject.name}-{draft.name}"
        return dict(
            self.tester.run(store, tree, recipe, environment, recipe.tests(list(draft.subject.tests)), name).found
        )

    def _commit(self, clone: Path, draft: Draft) -> str:
        """A commit with the files before, kept under a branch of its own."""
        if not clone.exists():
            clone.mkdir(parents=True)
            git(clone, "init", "--quiet")
        for path in clone.iterdir():
            if path.name != ".git":
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        for name, text in {**draft.before, "tests/__init__.py": ""}.items():
            path = clone / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("utf-8"))
        git(clone, "add", "--all", "--force")
        git(clone, "commit", "--quiet", "--allow-empty", "-m", f"{draft.subject.name} as it was", env=DATE)
        commit = git_text(clone, "rev-parse", "HEAD")
        git(clone, "branch", "--force", draft.name, commit)
        return commit


def _bugs(library: Library, subject: Subject, rng: random.Random) -> Iterator[Draft]:
    """Drafts of bugs in one of the subject's files, or now and then in two, without end."""
    seen: set[str] = set()
    names = [name for name, text in subject.files.items() if text.count("\n") > 50]
    for number in range(1, 10_000):
        before = dict(subject.files)
        kinds: list[str] = []
        for name in rng.sample(names, min(len(names), rng.choice((1, 1, 2)))):
            found = mutated(subject.files[name], rng)
            if found is not None:
                before[name], some = found
                kinds += some
        if kinds and repr(before) not in seen:
            seen.add(repr(before))
            yield Draft(f"{number}-{'-'.join(dict.fromkeys(kinds))}", subject, before, library.version)


def _with(store: Store, tree: str, files: dict[str, str]) -> str:
    """The tree with these files in it."""
    return store.with_files(tree, {name: text.encode("utf-8") for name, text in files.items()})
