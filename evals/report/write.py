"""Pages from files of results."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evals.report.page import ReportError, Section, render
from evals.report.readers import READERS, Reader

_SVG = re.compile(r"<svg.*?</svg>", re.DOTALL)
RESULTS = "results"  # the folder of an eval's results, where it has one


class UnknownKind(ReportError):
    """A file holds no result of a kind that has a reader."""


def write_page(sources: Sequence[Path], out: Path, title: str) -> list[Section]:
    """Writes one page over these files of results, in their order, and answers its sections. Raises ReportError."""
    sections = [read_section(path) for path in sources]
    if not sections:
        raise ReportError("there are no results to show")
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(render(title, sections), "utf-8")
    return sections


def is_current(sources: Sequence[Path], out: Path, title: str) -> bool:
    """Whether a page shows what these files hold, its drawings apart (they differ between versions of matplotlib)."""
    page = render(title, [read_section(path) for path in sources])
    return out.exists() and _SVG.sub("", out.read_text("utf-8")) == _SVG.sub("", page)


def read_section(path: Path) -> Section:
    """The section of a file of results. Raises ReportError where it can't be read, or is of no known kind."""
    reader, data = _reader_of(path)
    return reader.read(name_of(path), data, machine_of(data))


def _reader_of(path: Path) -> tuple[Reader, dict[str, Any]]:
    """What reads a file, and what the file holds."""
    try:
        data = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ReportError(f"{path} can't be read: {error}") from error
    for reader in READERS:
        if isinstance(data, dict) and reader.keys <= data.keys():
            return reader, data
    raise UnknownKind(f"{path} is no result of these evals (known: {', '.join(r.kind for r in READERS)})")


def known(sources: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """The files that can be shown, and those of no known kind. Raises ReportError where one can't be read."""
    shown: list[Path] = []
    unknown: list[Path] = []
    for path in sources:
        try:
            _reader_of(path)
            shown.append(path)
        except UnknownKind:
            unknown.append(path)
    return shown, unknown


def name_of(path: Path) -> str:
    """What a section is called on the page: by the file, and the eval's folder that it lies in."""
    folder = path.resolve().parent
    return f"{folder.parent.name if folder.name == RESULTS else folder.name}-{path.stem}"


def machine_of(data: Mapping[str, Any]) -> dict[str, str]:
    """What a result was measured on, flat; the command is told apart from it."""
    machine = dict(data.get("machine", {}))
    machine.pop("command", None)
    versions = machine.pop("versions", {})
    return {str(name): str(value) for name, value in {**machine, **versions}.items()}
