"""python -m evals.report: one page over all results that are committed, or over the files that are named."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from evals.report.page import ReportError
from evals.report.write import is_current, known, write_page

EVALS = Path(__file__).resolve().parents[1]
PAGE = EVALS / "report" / "index.html"
TITLE = "FastEdit: what was measured"
# Where committed results lie, in the order of the page.
PLACES = ("applybench/results/*.json", "accuracy/*.json", "accuracy/results/*.json", "swebench/results/*.json",
          "speed/results/*.json")  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 1 where a file can't be shown (the page is not written then), or where --check finds another page."""
    parser = argparse.ArgumentParser(prog="python -m evals.report", description=__doc__)
    parser.add_argument("results", type=Path, nargs="*", help="files of results (default: all that are committed)")
    parser.add_argument("--out", type=Path, default=PAGE)
    parser.add_argument("--check", action="store_true", help="write nothing: tell whether the page shows these results")
    options = parser.parse_args(arguments)
    try:
        sources = options.results or committed()
        if options.check:
            return _check(sources, options.out)
        sections = write_page(sources, options.out, TITLE)
    except ReportError as error:
        print(f"evals.report: {error}", file=sys.stderr)
        return 1
    for section in sections:
        figures = " ".join(f"{figure.name}={figure.value}" for figure in section.figures)
        print(f"{section.name}: {figures}")
    return 0


def _check(sources: Sequence[Path], page: Path) -> int:
    if is_current(sources, page, TITLE):
        return 0
    print(f"evals.report: {page.name} doesn't show these results: run python -m evals.report", file=sys.stderr)
    return 1


def committed() -> list[Path]:
    """The files of results in the repository; those of no kind that has a reader are told and left out."""
    shown, unknown = known([path for place in PLACES for path in sorted(EVALS.glob(place))])
    for path in unknown:
        print(f"evals.report: left out {path.relative_to(EVALS)}, which is of no known kind", file=sys.stderr)
    return shown


if __name__ == "__main__":
    sys.exit(main())
