"""python -m evals.house: figures on the code itself, as a table.

Files are counted as entered where at least one of their functions is called, once everything is loaded: by
`fastedit.apply` for one structural edit, and by `POST /v1/apply` for one edit that the embedded target verifies. The
service has its structural half done in another process; the files of the structural edit stand for those there.
"""

from __future__ import annotations

import argparse
import ast
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from statistics import median, quantiles
from types import FrameType
from typing import TYPE_CHECKING

import fastedit

if TYPE_CHECKING:
    from fastapi.testclient import TestClient

PACKAGE = Path(fastedit.__file__).parent
OK, NOT_READY = 200, 503
LOADING_S = 300.0
QUESTIONS = frozenset({"what", "which", "where", "whose", "how", "who"})
ORIGINAL = "def area(width, height):\n    return width * height\n\n\ndef name():\n    return 'shape'\n"
EDIT = "# ... existing code ...\n\ndef name():\n    return 'solid'\n"
Documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
Function = (ast.FunctionDef, ast.AsyncFunctionDef)


def main(arguments: list[str] | None = None) -> int:
    """Prints the table; exit status 0."""
    parser = argparse.ArgumentParser(prog="python -m evals.house", description=__doc__)
    parser.add_argument("--static", action="store_true", help="run no edit: only what the files say")
    options = parser.parse_args(arguments)
    if not options.static:
        structural = entered(_structural, PACKAGE)
        _print_entered("one structural edit", structural)
        _print_entered("one verified edit over HTTP", entered(_verified, PACKAGE) | structural)
    for name, figure in static_figures(PACKAGE).items():
        print(f"{name:<44}{figure}")
    print("\nroom                  files   lines")
    for room, (files, lines) in sorted(rooms(PACKAGE).items()):
        print(f"{room:<20}{files:>7}{lines:>8}")
    return 0


def static_figures(package: Path) -> dict[str, str]:
    """The table's rows that need no run, by name."""
    lengths = sorted(
        node.end_lineno - node.lineno + 1
        for tree in trees(package).values()
        for node in ast.walk(tree)
        if isinstance(node, Function) and node.end_lineno
    )
    folders = Counter(path.parent for path in trees(package))
    largest, count = folders.most_common(1)[0]
    num_docstrings = sum(1 for tree in trees(package).values() for _ in docstrings(tree))
    shared = shared_class_names(package)
    return {
        "largest folder": f"{largest.relative_to(package.parent)}, {count} files",
        "lines of a function: median, 90 %": f"{median(lengths):.0f}, {quantiles(lengths, n=10)[-1]:.0f}",
        "docstrings that open with a question word": f"{len(question_docstrings(package))} of {num_docstrings}",
        "public class names that stand for several": f"{len(shared)} {' '.join(shared)}".strip(),
    }


def rooms(package: Path) -> dict[str, tuple[int, int]]:
    """(files, lines) of each folder directly in the package, those below it included; `.` is the package's top."""
    result: dict[str, tuple[int, int]] = {}
    for path in trees(package):
        parts = path.relative_to(package).parts
        room = parts[0] if len(parts) > 1 else "."
        files, lines = result.get(room, (0, 0))
        result[room] = files + 1, lines + len(path.read_text(encoding="utf-8").splitlines())
    return result


def shared_class_names(package: Path) -> dict[str, list[str]]:
    """Places (`file:line`) of public classes by name, for the names that stand for several."""
    found: dict[str, list[str]] = defaultdict(list)
    for path, tree in trees(package).items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(f"{path.relative_to(package)}:{node.lineno}")
    return {name: places for name, places in sorted(found.items()) if len(places) > 1}


def question_docstrings(package: Path) -> list[str]:
    """`file:line: opening` of each docstring that opens with a question word."""
    return [
        f"{path.relative_to(package)}:{line}: {text.splitlines()[0]}"
        for path, tree in trees(package).items()
        for line, text in docstrings(tree)
        if text.split()[0].strip(",.:;").removesuffix("'s").lower() in QUESTIONS
    ]


def docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """(line, text) of each docstring of a module, class or function, and of each string behind an assignment."""
    for node in ast.walk(tree):
        if isinstance(node, Documented) and (text := ast.get_docstring(node)):
            yield node.body[0].lineno, text
        if isinstance(node, ast.Module | ast.ClassDef):
            for one, behind in pairwise(node.body):
                if isinstance(one, ast.Assign | ast.AnnAssign) and (text := _text_of(behind)):
                    yield behind.lineno, text


def _text_of(node: ast.stmt) -> str:
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    return ast.literal_eval(node.value).strip() if is_text and isinstance(node, ast.Expr) else ""


@cache
def trees(package: Path) -> dict[Path, ast.Module]:
    """The package's modules by path, parsed."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(package.rglob("*.py"))}


def entered(run: Callable[[Callable[[], None]], None], package: Path) -> set[tuple[str, str]]:
    """(file, function) of each of the package's functions that `run` calls, on new threads too.

    run: gets a function to call when everything is loaded; calls before that don't count.
    """
    seen: set[tuple[str, str]] = set()
    top = str(package)

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(top) and frame.f_code.co_name != "<module>":
            seen.add((frame.f_code.co_filename, frame.f_code.co_qualname))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        run(seen.clear)
        return set(seen)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def _print_entered(what: str, seen: set[tuple[str, str]]) -> None:
    print(f"{what:<44}{len({path for path, _ in seen})} files, {len(seen)} functions", flush=True)


def _structural(begin: Callable[[], None]) -> None:
    for _ in range(2):
        begin()
        fastedit.apply(ORIGINAL, EDIT, path="shapes.py", mode="structural")


def _verified(begin: Callable[[], None]) -> None:
    """Raises RuntimeError where the target's word wasn't asked for or isn't the draft's."""
    from fastapi.testclient import TestClient

    from fastedit.server.app import create_app
    from fastedit.server.settings import ServerSettings

    app = create_app(ServerSettings(target="embedded", structural_workers=1))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        for _ in range(2):
            _wait_until_ready(client)
            begin()
            body = {"original": ORIGINAL, "edit": EDIT, "path": "shapes.py", "mode": "model"}
            answer = client.post("/v1/apply", json=body).json()
            if answer.get("strategy") not in ("verified", "model"):
                raise RuntimeError(f"the target wasn't asked: {answer}")


def _wait_until_ready(client: TestClient) -> None:
    until = time.monotonic() + LOADING_S
    while (answer := client.get("/readyz")).status_code != OK:
        if answer.status_code != NOT_READY or time.monotonic() > until:
            raise RuntimeError(f"the service isn't ready: {answer.text}")
        time.sleep(0.2)


if __name__ == "__main__":
    sys.exit(main())
