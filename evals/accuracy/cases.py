"""The apply cases: whole messages on real files, each with the files that a careful expert gets."""

from __future__ import annotations

import difflib
import json
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

import fastedit
from evals.accuracy.outcomes import Outcome, Row
from fastedit.applied import Applied, Stats

Files = dict[str, bytes]


def find_cases(folder: Path) -> Iterator[Path]:
    """The folders below `folder` that hold a case, sorted."""
    return iter(sorted(path.parent for path in folder.rglob("case.json")))


def score_case(folder: Path, mode: str) -> Row:
    """The case's row. Exactness is of bytes, over all files of the case."""
    case = json.loads((folder / "case.json").read_text("utf-8"))
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch, "tree")
        if (folder / "original").exists():
            shutil.copytree(folder / "original", root)
        else:
            root.mkdir()
        before = read_tree(root)
        started = time.perf_counter()
        try:
            results = _apply(case, (folder / "edit.md").read_bytes().decode("utf-8"), root, mode)
            note = ""
        except fastedit.EditRefused as refusal:
            note, results = refusal.code.value, []
        except Exception as error:  # noqa: BLE001 - a traceback is an outcome here
            return _row(case, Outcome.ERROR, started, f"{type(error).__name__}: {error}"[:160])
        outcome, diff = _judged(folder, case, before, read_tree(root), is_refused=bool(note))
        return _row(case, outcome, started, note, diff, results)


def _apply(case: Mapping[str, Any], message: str, root: Path, mode: str) -> list[Applied]:
    if case["format"] == "multi_file" or case.get("files") or case.get("creates"):
        changes = fastedit.apply_patch(message, root, mode=mode)
        return [change.applied for change in changes if change.applied is not None]
    path = root / case["file"]
    original = path.read_bytes().decode("utf-8")
    applied = fastedit.apply(original, message, path=case["file"], mode=mode)
    path.write_bytes(applied.text.encode("utf-8"))
    return [applied]


def _judged(
    folder: Path, case: Mapping[str, Any], before: Files, got: Files, *, is_refused: bool
) -> tuple[Outcome, str]:
    """The outcome, and for a wrong one how the files differ."""
    is_refusal_right = not (folder / "expected").exists()
    if is_refused:
        if got != before:
            return Outcome.WRONG, "refused, but files were touched\n"
        return (Outcome.EXACT if is_refusal_right else Outcome.REFUSED), ""
    if is_refusal_right:
        return Outcome.WRONG, "applied what should have been refused\n"
    gone = set(case.get("deletes", []))
    wanted = {name: data for name, data in before.items() if name not in gone} | read_tree(folder / "expected")
    return (Outcome.EXACT, "") if got == wanted else (Outcome.WRONG, _differences(wanted, got))


def _row(
    case: Mapping[str, Any],
    outcome: Outcome,
    started: float,
    note: str,
    diff: str = "",
    results: Sequence[Applied] = (),
) -> Row:
    elapsed_ms = (time.perf_counter() - started) * 1000
    return Row(
        case["id"],
        case["tier"],
        case["format"],
        case["language"],
        "",
        outcome,
        elapsed_ms,
        note,
        diff,
        strategy="+".join(sorted({result.strategy for result in results})),
        stats=reduce(Stats.plus, (result.stats for result in results), Stats()),
    )


def read_tree(root: Path) -> Files:
    """The regular files below a folder by their relative paths."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def _differences(wanted: Files, got: Files) -> str:
    parts: list[str] = []
    for name in sorted(wanted.keys() | got.keys()):
        old, new = (data.decode("utf-8", "replace").split("\n") for data in (wanted.get(name, b""), got.get(name, b"")))
        parts += difflib.unified_diff(old, new, f"expected/{name}", f"got/{name}", lineterm="")
    return "\n".join(parts)
