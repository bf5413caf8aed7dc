"""What a run came to: counts, a table for people, the last line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from evals.swebench.results import Applied, Result

ALWAYS = ("instances", "applied", "exact", "resolved", "gold_resolved")


def last_line(results: Sequence[Result]) -> str:
    """`instances=… applied=… resolved=… gold_resolved=…`; the last is n/a where gold patches weren't run."""
    has_gold = any(result.gold_resolved is not None for result in results)
    gold = sum(result.gold_resolved is True for result in results)
    return (
        f"instances={len(results)} applied={sum(result.is_applied for result in results)}"
        f" resolved={sum(result.resolved is True for result in results)}"
        f" gold_resolved={gold if has_gold or not results else 'n/a'}"
    )


def counts(results: Sequence[Result]) -> dict[str, int]:
    """The numbers of the summary by their names."""
    applied = Counter(result.applied for result in results)
    return {
        "instances": len(results),
        "applied": sum(result.is_applied for result in results),
        "exact": applied[Applied.EXACT],
        "differs": applied[Applied.DIFFERS],
        "refused": applied[Applied.REFUSED],
        "error": applied[Applied.ERROR],
        "missing": applied[Applied.MISSING],
        "resolved": sum(result.resolved is True for result in results),
        "gold_resolved": sum(result.gold_resolved is True for result in results),
        "broken": sum(bool(result.problem) for result in results),
    }


def written_as(results: Sequence[Result]) -> dict[str, int]:
    """How many messages were written in each way."""
    return dict(Counter(way for result in results for way in result.written_as).most_common())


def lost(results: Sequence[Result]) -> list[Result]:
    """The instances that are broken, and those that the gold patch resolves (as far as it was run) and the applied edit
    doesn't."""
    return [
        result
        for result in results
        if result.problem or (result.gold_resolved is not False and result.resolved is not True)
    ]


def reason(result: Result) -> str:
    """Why an instance isn't resolved, in a line."""
    parts = [result.problem, result.note, *result.failing[:3]]
    text = "; ".join(part for part in parts if part) or result.applied.value
    return text if len(text) <= 300 else text[:297] + "..."


def print_summary(results: Sequence[Result], console: Console | None = None) -> None:
    """A table by repository, and the instances that were lost."""
    console = console or Console()
    every = counts(results)
    shown = [name for name, count in every.items() if count or name in ALWAYS]
    table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    table.add_column("repository", no_wrap=True)
    for name in shown:
        table.add_column(name.replace("_", " "), justify="right")
    for repo in sorted({result.repo for result in results}):
        own = counts([result for result in results if result.repo == repo])
        table.add_row(repo, *(str(own[name]) for name in shown))
    table.add_section()
    table.add_row("all", *(str(every[name]) for name in shown))
    console.print(table)
    for way, count in written_as(results).items():
        console.print(f"{count} messages written as {way}", highlight=False)
    for result in lost(results):
        line = f"not resolved: {result.instance_id} ({result.applied.value}): {reason(result)}"
        console.print(line, highlight=False, markup=False, soft_wrap=True)
