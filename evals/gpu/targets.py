"""The numbers that the kernels are built for, read off a run's results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

LIBRARY_ROWS = (16, 64, 128, 192, 256)


@dataclass(frozen=True, slots=True)
class Finding:
    """One target. `value` is None where nothing was measured."""

    target: str
    value: float | None
    bound: float
    is_met: bool


def findings(results: dict[str, Any]) -> list[Finding]:
    """Every target against what a run's results.json holds."""
    return [_checks(results), *_verify(results), *_attention(results), *_whole_pass(results), *_exactness(results)]


def as_text(found: Iterable[Finding]) -> str:
    lines = []
    for finding in found:
        if finding.value is None:
            lines.append(f"---- {finding.target}: not measured (bound {finding.bound:g})")
        else:
            met = "ok  " if finding.is_met else "MISS"
            lines.append(f"{met} {finding.target}: {finding.value:.3g} (bound {finding.bound:g})")
    return "\n".join(lines)


def _checks(results: dict[str, Any]) -> Finding:
    outcomes = [
        outcome
        for name, section in results.items()
        if name.startswith("checks")
        for outcome in section.get("data") or ()
    ]
    failed = float(sum(bool(outcome["problem"]) for outcome in outcomes)) if outcomes else None
    return Finding("checks that fail against float64", failed, 0, failed == 0)


def _verify(results: dict[str, Any]) -> Iterator[Finding]:
    rows = _bench(results, "bench-verify")
    for count in LIBRARY_ROWS:
        case = f"qwen2.5-7b rows={count}"
        ours, usual = _best(rows, case, "kernel"), _best(rows, case, "torch argmax")
        yield _at_least(f"verify {count} rows: cuBLAS + argmax time / ours", _ratio(usual, ours, "milliseconds"), 0.95)
        yield _at_most(f"verify {count} rows: share of its extra memory", _ratio(ours, usual, "extra_bytes"), 0.05)
        sampled = f"{case} sampled"
        ours, usual = _best(rows, sampled, "kernel"), _best(rows, sampled, "torch softmax")
        yield _at_least(f"verify {count} rows sampled: usual time / ours", _ratio(usual, ours, "milliseconds"), 1.2)


def _attention(results: dict[str, Any]) -> Iterator[Finding]:
    rows, case = _bench(results, "bench-attention"), "qwen2.5-7b B=1 K=128 keys=4096"
    ours, flash = _best(rows, case, "kernel exact"), _best(rows, case, "torch flash")
    yield _at_least(
        "chunk_attention K=128, 4k keys: FlashAttention time / ours", _ratio(flash, ours, "milliseconds"), 2
    )


def _whole_pass(results: dict[str, Any]) -> Iterator[Finding]:
    ours = _best(_bench(results, "bench-pass"), "qwen2.5-7b K=128 keys=4096", "kernel")
    value = None if ours is None else ours["milliseconds"] / ours["floor_ms"]
    yield _at_most("7B pass, K=128: time / one stream of the weights", value, 1.35)


def _exactness(results: dict[str, Any]) -> Iterator[Finding]:
    rows = (_data(results, "exactness") or {}).get("comparisons", ())
    differing = sum(row["differing_rows"] for row in rows if row["mode"] == "exact") if rows else None
    yield _at_most("exact mode: hidden states that differ between chunkings", differing, 0)
    fast = [row for row in rows if row["mode"] == "fast"]
    rate = sum(row["flipped_tokens"] for row in fast) / sum(row["rows"] for row in fast) if fast else None
    yield Finding("fast mode: flip rate, random weights (for information)", rate, 1, rate is not None)


def _data(results: dict[str, Any], section: str) -> Any:
    return results.get(section, {}).get("data")


def _bench(results: dict[str, Any], section: str) -> list[dict[str, Any]]:
    return [row for row in (_data(results, section) or {}).get("results", ()) if row["milliseconds"] is not None]


def _best(rows: list[dict[str, Any]], case: str, way: str) -> dict[str, Any] | None:
    fitting = [row for row in rows if row["case"] == case and row["way"].startswith(way)]
    return min(fitting, key=_milliseconds, default=None)


def _milliseconds(row: dict[str, Any]) -> float:
    return float(row["milliseconds"])


def _ratio(above: dict[str, Any] | None, below: dict[str, Any] | None, key: str) -> float | None:
    return None if above is None or below is None or not below[key] else above[key] / below[key]


def _at_least(target: str, value: float | None, bound: float) -> Finding:
    return Finding(target, value, bound, value is not None and value >= bound)


def _at_most(target: str, value: float | None, bound: float) -> Finding:
    return Finding(target, value, bound, value is not None and value <= bound)
