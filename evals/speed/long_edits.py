"""Time against file size: the same 5-line edit in files of 100 to 20,000 lines, by windows and by whole file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from evals.speed.bench import Bench, stdlib_texts
from fastedit.lines import split_lines
from fastedit.verify.windows import LineChange, Window, plan_windows, whole_file

if TYPE_CHECKING:
    from evals.speed.replay import Trace

LARGEST_WHOLE_FILE = 3000  # lines; beyond, a whole file takes minutes on a CPU and shows nothing new
NEW_LINES = 5


def time_against_size(bench: Bench, sizes: Sequence[int]) -> list[dict[str, Any]]:
    """A row for each size: seconds by windows, and for the whole file (None where that is left out)."""
    rows = []
    for size in sizes:
        lines = file_of(size)
        changes, functions = edit_in_the_middle(lines)
        windows = list(plan_windows(lines, changes, functions))
        whole = [whole_file(lines, changes, functions)] if size <= LARGEST_WHOLE_FILE else None
        row = {
            "num_lines": size,
            "windows_s": _best(bench, windows),
            "file_s": _best(bench, whole) if whole else None,
            "window_lines": sum(window.end - window.start for window in windows),
        }
        rows.append(row)
        print(
            f"{size:6} lines: windows of {row['window_lines']} lines {row['windows_s']:.3f} s"
            + (f", whole file {row['file_s']:.3f} s" if whole else ""),
            flush=True,
        )
    return rows


def file_of(num_lines: int) -> list[str]:
    """So many lines of the standard library."""
    lines = [line for text in stdlib_texts(400) for line in split_lines(text)]
    while len(lines) < num_lines:
        lines += lines
    return lines[:num_lines]


def edit_in_the_middle(lines: Sequence[str]) -> tuple[list[LineChange], list[tuple[int, int]]]:
    """Five new lines in the function nearest to the middle, and where the functions of column 0 lie."""
    starts = [index for index, line in enumerate(lines) if line.startswith(("def ", "class "))]
    functions = list(zip(starts, [*starts[1:], len(lines)], strict=True))
    middle = len(lines) // 2
    usual = [start for start, end in functions if 20 <= end - start <= 40] or [start for start, _ in functions]
    place = 1 + min(usual, key=lambda line: abs(line - middle))
    new = tuple(f"    checked_{index} = validate(value_{index}, strict=True)\n" for index in range(NEW_LINES))
    return [LineChange(place, place, new)], functions


def _best(bench: Bench, windows: list[Window]) -> float:
    traced: list[tuple[Window, Trace]] = [(window, bench.trace(window)) for window in windows]
    runs = [bench.fastedit(traced, with_merged_draft=True) for _ in range(2)]
    return min(sum(measured.seconds for measured in run) for run in runs)
