"""Tables for people, JSON for programs, and the last line."""

from __future__ import annotations

import json
import platform
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from statistics import median
from typing import Any

from evals.accuracy.outcomes import JudgedSegment, Outcome, Row
from evals.accuracy.reliability import SURE, Bin, curve, share_of_sure

TIERS = ("clear", "sloppy", "hard", "refuse")
KEYS = ("tier", "format", "language", "kind", "size", "changed")
PACKAGES = ("fastedit-apply", "rapidfuzz", "tree-sitter", "tree-sitter-python")


def print_tables(title: str, rows: Sequence[Row], keys: Sequence[str]) -> None:
    """Counts and shares of the outcomes by each key."""
    for key in keys:
        table = by(rows, lambda row, key=key: str(getattr(row, key)))  # type: ignore[misc]
        print(f"\n{title} by {key:<12} {'n':>6} {'exact':>8} {'wrong':>8} {'refused':>8} {'error':>8}")
        for name in sorted(
            table, key=lambda name: (TIERS.index(name) if name in TIERS else 9, -len(table[name]), name)
        ):
            counts = Counter(row.outcome for row in table[name])
            shares = " ".join(f"{counts[outcome] / len(table[name]):8.2%}" for outcome in Outcome)
            print(f"  {name or '(none)':<26} {len(table[name]):>6} {shares}")


def by(rows: Iterable[Row], key: Callable[[Row], str]) -> dict[str, list[Row]]:
    table: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        table[key(row)].append(row)
    return dict(table)


def print_failures(rows: Iterable[Row], *, with_diff: bool, most: int = 200) -> None:
    """What is not exact, wrong answers first, and on request how they differ."""
    failures = sorted(
        (row for row in rows if row.outcome is not Outcome.EXACT), key=lambda row: row.outcome != Outcome.WRONG
    )
    for row in failures[:most]:
        title = f"{row.outcome.value:8} {row.tier:7} {row.format:14} {row.kind:20} {row.name}"
        print(title, row.note, ", ".join(row.habits), sep="  ")
        if with_diff and row.diff:
            print("\n".join("    | " + line for line in row.diff.split("\n")))


def print_times(rows: Sequence[Row]) -> None:
    times = sorted(row.elapsed_ms for row in rows)
    if times:
        most = times[int(len(times) * 0.95)]
        print(f"\nmedian {median(times):.1f} ms, 95 % under {most:.1f} ms, worst {times[-1]:.1f} ms")


def all_segments(rows: Iterable[Row], *, only_changes: bool = False) -> list[JudgedSegment]:
    return [s for row in rows for s in row.segments if not (only_changes and s.kind == "keep")]


def print_reliability(rows: Sequence[Row]) -> None:
    """The reliability table over all segments and over those that change something."""
    everything, changes = all_segments(rows), all_segments(rows, only_changes=True)
    print(f"\n{'certainty':<16} {'segments':>9} {'right':>8}   {'changing':>9} {'right':>8}")
    for whole, part in zip(curve(everything), curve(changes), strict=True):
        if whole.count:
            print(f"  {_range(whole):<14} {whole.count:>9} {whole.share:8.2%}   {part.count:>9} {part.share:8.2%}")
    for name, segments in (("all", everything), ("changing", changes)):
        count, share = share_of_sure(segments)
        print(f"certainty >= {SURE}, {name} segments: {count}, right {share:.2%}")


def _range(entry: Bin) -> str:
    return f"{entry.low:g} .. {entry.high:g}" if entry.high > entry.low else f"{entry.low:g}"


def share(rows: Sequence[Row], outcome: Outcome, *, tier: str = "") -> float | None:
    """The share of an outcome among the rows (of one tier), or None where there are no such rows."""
    chosen = [row for row in rows if not tier or row.tier == tier]
    return sum(row.outcome is outcome for row in chosen) / len(chosen) if chosen else None


def target_line(rows: Sequence[Row]) -> str:
    """`acceptance=`: accepted of the drafted tokens; `tokens_per_pass=`: written in one; nothing without a target."""
    passes, drafted = sum(row.stats.passes for row in rows), sum(row.stats.drafted for row in rows)
    if not passes:
        return ""
    accepted, written = sum(row.stats.accepted for row in rows), sum(row.stats.completion_tokens for row in rows)
    return f" acceptance={accepted / max(drafted, 1):.4f} tokens_per_pass={written / passes:.1f}"


def last_line(cases: Sequence[Row], generated: Sequence[Row]) -> str:
    """`clear=` to `refuse=`: exact cases of the tier; `wrong=`: of all cases; `generated_…=`: of the clear edits."""
    values = {tier: share(cases, Outcome.EXACT, tier=tier) for tier in TIERS}
    values["wrong"] = share(cases, Outcome.WRONG)
    values["generated_exact"] = share(generated, Outcome.EXACT, tier="clear")
    values["generated_wrong"] = share(generated, Outcome.WRONG, tier="clear")
    scores = " ".join(f"{name}={'n/a' if value is None else format(value, '.3f')}" for name, value in values.items())
    return scores + target_line([*cases, *generated])


def machine(module: str) -> dict[str, Any]:
    """What the numbers were measured on and with, and the command of the running module."""
    return {
        "platform": platform.platform(),
        "processor": _processor(),
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in PACKAGES},
        "command": " ".join([f"python -m {module}", *sys.argv[1:]]),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").split("\n")
    except OSError:
        return platform.processor()
    return next(
        (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.processor()
    )


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"


def write_json(
    path: Path,
    cases: Sequence[Row],
    generated: Sequence[Row],
    settings: dict[str, Any],
    summary: str = "",
) -> None:
    """Everything that the tables show, with the rows that didn't come out exact, without diffs and segments.

    summary: the last line, where that is another one than ours.
    """
    result = {
        "machine": machine("evals.accuracy"),
        "settings": settings,
        "summary": summary or last_line(cases, generated),
        "cases": [_plain(row) for row in cases],
        "generated": {key: _counts(generated, key) for key in (*KEYS, "strategy")},
        "not_exact": [_plain(row) for row in generated if row.outcome is not Outcome.EXACT],
        "reliability": {
            "all": [asdict(entry) for entry in curve(all_segments(generated))],
            "changing": [asdict(entry) for entry in curve(all_segments(generated, only_changes=True))],
        },
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=1) + "\n", "utf-8")


def _counts(rows: Sequence[Row], key: str) -> dict[str, dict[str, int]]:
    """value of the key → outcome → how many rows."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        counts.setdefault(getattr(row, key), Counter())[row.outcome.value] += 1
    return {value: dict(outcomes) for value, outcomes in sorted(counts.items())}


def _plain(row: Row) -> dict[str, Any]:
    return {
        "name": row.name, "tier": row.tier, "format": row.format, "language": row.language, "kind": row.kind,
        "outcome": row.outcome.value, "ms": round(row.elapsed_ms, 2), "note": row.note, "habits": list(row.habits),
        "strategy": row.strategy,
    }  # fmt: skip
