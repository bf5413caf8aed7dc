"""A page of results as data, and as one HTML file that needs nothing beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

TEMPLATES = Path(__file__).parent
TEMPLATE = "page.html"

Cell = str | int | float | None


class ReportError(Exception):
    """The page can't be made: a package is missing, or there is nothing to show."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that may be quoted. note: what it says, in a few words."""

    name: str
    value: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """rows: as many cells as `head` has; numbers are set to the right, None is shown as a dash."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""
    is_folded: bool = False


@dataclass(frozen=True, slots=True)
class Plot:
    """svg: the drawing itself."""

    title: str
    svg: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """A text as it stands, such as a diff; shown when it is asked for."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """One result. name: of the file it was read from; command: reruns it; machine: what it was measured on."""

    title: str
    name: str
    intro: str
    figures: Sequence[Figure] = ()
    parts: Sequence[Table | Plot | Listing] = ()
    command: str = ""
    machine: Mapping[str, str] = field(default_factory=dict)

    @property
    def tables(self) -> list[Table]:
        return [part for part in self.parts if isinstance(part, Table)]

    @property
    def plots(self) -> list[Plot]:
        return [part for part in self.parts if isinstance(part, Plot)]

    @property
    def listings(self) -> list[Listing]:
        return [part for part in self.parts if isinstance(part, Listing)]


def render(title: str, sections: Sequence[Section]) -> str:
    """The page as HTML. Raises ReportError where jinja2 is not installed."""
    try:
        from jinja2 import Environment, FileSystemLoader
    except ImportError as error:
        raise ReportError("the page needs jinja2 (pip install 'fastedit-apply[evals]')") from error
    environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["cell"] = shown
    environment.tests["numeric"] = is_numeric
    return environment.get_template(TEMPLATE).render(title=title, sections=sections) + "\n"


def shown(cell: Cell) -> str:
    """A cell as text: numbers with three telling digits, thousands apart."""
    if cell is None:
        return "–"
    if isinstance(cell, float):
        return f"{cell:,.0f}" if abs(cell) >= 1000 else f"{cell:.3g}"
    return f"{cell:,}" if isinstance(cell, int) and not isinstance(cell, bool) else str(cell)


def is_numeric(cell: Cell) -> bool:
    return isinstance(cell, int | float) or (isinstance(cell, str) and cell.endswith("%") and cell[:1].isdigit())
