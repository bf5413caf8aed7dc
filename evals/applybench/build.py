"""python -m evals.applybench build: folders of cases, packed into the splits.

A case is a folder ID/ with case.json, original/, edit.md and expected/. Writers belong to splits by a mapping, and
packages go where their writers' cases are: one that would be in two splits is told, and nothing is written. Cases of
the writers that are found take the place of those that these writers had; other writers' stay.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from evals.applybench.check import OWN, check_between
from evals.applybench.records import DATA, FIRST_WRITER, SPLITS, BadRecord, Record, load, packed, path_of, record_of

MAPPING = Path(__file__).parent / "splits.json"
CONFIGURATION = frozenset(
    "cmake conf css dockerfile dotenv hcl html ini json less makefile markdown nginx rst sass scss sql toml xml "
    "yaml".split()
)
SPELLINGS = {"bash": "shell", "sh": "shell", "make": "makefile", "js": "javascript", "ts": "typescript", "py": "python"}
PATCHES = frozenset({"udiff", "search_replace", "v4a"})
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})", re.MULTILINE)
_ELISION = re.compile(r"\.\.\.|…|existing|unchanged|rest of|as before", re.IGNORECASE)
_LICENCE = re.compile(r"\(([^()]*)\)\s*$")


class BuildError(Exception):
    """The splits can't be made of these cases; nothing was written."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 1 where a case can't be packed, 2 where the splits can't be made."""
    parser = argparse.ArgumentParser(
        prog="python -m evals.applybench build",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--cases", type=Path, nargs="+", required=True, metavar="DIR")
    parser.add_argument("--split-by", type=Path, default=MAPPING, metavar="FILE", help="which writer is in which split")
    parser.add_argument("--out", type=Path, default=DATA, help="folder of the splits")
    options = parser.parse_args(arguments)
    try:
        records, bad = gathered(options.cases)
        splits = assigned(records, mapping(options.split_by), options.out)
    except BuildError as error:
        print(f"applybench build: {error}", file=sys.stderr)
        return 2
    for problem in bad:
        print(f"applybench build: left out {problem}", file=sys.stderr)
    options.out.mkdir(parents=True, exist_ok=True)
    for split, chosen in splits.items():
        if chosen or path_of(split, options.out).exists():
            path_of(split, options.out).write_bytes(packed(chosen))
    print(" ".join(f"{split}={len(splits[split])}" for split in SPLITS))
    return 1 if bad else 0


def mapping(path: Path) -> dict[int, str]:
    """The split of each writer. Raises BuildError."""
    try:
        writers = json.loads(path.read_text("utf-8"))["writers"]
        found = {int(writer): str(split) for writer, split in writers.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BuildError(f"{path.name} doesn't say which writer is in which split: {error!r}") from error
    for writer, split in found.items():
        if split not in SPLITS:
            raise BuildError(f"{path.name} puts writer {writer} into {split!r}, which is no split")
    return found


def gathered(folders: Iterable[Path]) -> tuple[list[Record], list[BadRecord]]:
    """The cases below the folders, and why some can't be read. Raises BuildError where a folder holds none."""
    records: list[Record] = []
    bad: list[BadRecord] = []
    for folder in folders:
        paths = sorted(path.parent for path in folder.rglob("case.json"))
        if not paths:
            raise BuildError(f"there are no cases in {folder}")
        for path in paths:
            try:
                records.append(read_case(path))
            except BadRecord as error:
                bad.append(error)
    return records, bad


def assigned(records: Sequence[Record], writers: Mapping[int, str], folder: Path) -> dict[str, list[Record]]:
    """The records of each split, sorted, with those that other writers have in the folder. Raises BuildError."""
    homeless = sorted({record.writer for record in records} - writers.keys())
    if homeless:
        raise BuildError(f"no split is named for writer {', '.join(map(str, homeless))}")
    new = {record.writer for record in records}
    splits: dict[str, list[Record]] = {}
    for split in SPLITS:
        try:
            old = [record for record in load(split, folder) if record.writer not in new]
        except FileNotFoundError:
            old = []
        except BadRecord as error:
            raise BuildError(f"the split as it is can't be read: {error}") from error
        chosen = [record for record in records if writers[record.writer] == split]
        splits[split] = sorted((*old, *chosen), key=lambda record: record.id)
    for doubt in check_between(splits):
        raise BuildError(str(doubt))
    return splits


def read_case(folder: Path) -> Record:
    """The record of a case's folder. What `case.json` doesn't say is told from the rest. Raises BadRecord."""
    try:
        case = json.loads((folder / "case.json").read_text("utf-8"))
        message = (folder / "edit.md").read_bytes().decode("utf-8")
        files, expected = _tree(folder / "original"), _tree(folder / "expected")
    except (OSError, ValueError) as error:
        raise BadRecord(f"{folder.name}: {error}") from error
    if not isinstance(case, dict) or not isinstance(case.get("source"), str) or "tier" not in case:
        raise BadRecord(f"{folder.name}: case.json has no source or no tier")
    if case.get("id") != folder.name:
        raise BadRecord(f"{folder.name}: case.json calls it {case.get('id')!r}")
    is_refusal = not (folder / "expected").exists()
    names_files = bool(case.get("files") or case.get("creates"))
    package = case.get("package", _package_of(case["source"]))
    data = {
        "id": case["id"],
        "language": SPELLINGS.get(str(case.get("language")), case.get("language")),
        "tier": case["tier"],
        "style": case.get("style") or style_of(case, message),
        "format": case.get("format"),
        "file": None if names_files or case.get("format") == "multi_file" else case.get("file"),
        "files": files,
        "message": message,
        "expected": None if is_refusal else {n: text for n, text in expected.items() if files.get(n) != text},
        "deletes": case.get("deletes", []),
        "source": case["source"],
        "package": None if package == OWN else package,
        "licence": case.get("licence", _licence_of(case["source"])),
        "writer": case.get("writer", FIRST_WRITER),
        "checker": case.get("checker"),
        "checked": case.get("checked"),
        "why": case.get("why"),
        "refusal": case.get("refusal"),
    }
    return record_of(data, folder.name)


def _tree(root: Path) -> dict[str, str]:
    """The texts below a folder by their relative paths, every byte kept."""
    paths = sorted(path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes().decode("utf-8") for path in paths}


def _package_of(source: str) -> str | None:
    """`celery` of `celery==5.4.0 celery/beat.py (BSD-3-Clause)`; None where there is no version."""
    name, version, _ = source.partition("==")
    return name.strip() if version else None


def _licence_of(source: str) -> str:
    """The SPDX expression at a source's end; where a file's is another than its package's, the file's."""
    if source.startswith(OWN):
        return OWN
    match = _LICENCE.search(source)
    text = match.group(1) if match else ""
    own = re.search(r"this file ([\w.+-]+)", text)
    return own.group(1) if own else text.replace("/", " OR ")


def style_of(case: Mapping[str, Any], message: str) -> str:
    """The style of a message that nobody named, by its format, its fences and its markers."""
    if case["tier"] == "refuse":
        return "refuse"
    if case.get("format") in PATCHES:
        return "patch"
    if case.get("format") == "whole":
        return "other"
    num_fences = len(_FENCE.findall(message)) // 2
    if not num_fences:
        return "agent"
    if case.get("language") in CONFIGURATION:
        return "config" if _ELISION.search(message) else "partial"
    if sum(character.isalpha() and not character.isascii() for character in message) > len(message) // 50:
        return "foreign"
    return "markers" if num_fences == 1 and _ELISION.search(message) else "chat"
