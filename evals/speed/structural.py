"""python -m evals.speed.structural: the time and memory that structural apply takes, beside one parse of the same file.

Everything is measured in one run on one machine, so the ratios stand where the milliseconds don't.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median

import fastedit
from evals.accuracy.report import machine
from evals.speed.long_files import SUFFIXES, long_text
from fastedit.edits.model import Format
from fastedit.syntax.parse import parse
from fastedit.training.synthesis import Sample, Tier, rendered_sample
from fastedit.training.synthesis.changes import draw_change
from fastedit.training.synthesis.changes.common import Site
from fastedit.training.synthesis.corpus import gather
from fastedit.training.synthesis.document import read_document

RESULTS = Path(__file__).parent / "results" / "structural.json"
NUM_LINES = 1000
SIZES = (100, 300, 1000, 3000, 5000, 10_000, 20_000, 50_000)
GROWTH_LANGUAGES = ("python", "typescript")
MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Timing:
    """Apply and parse of one kind of file and edit. worst_ms: of all runs of all edits; ratio: of the medians."""

    language: str
    format: str
    num_lines: int
    edits: int
    exact: int
    apply_ms: float
    worst_ms: float
    parse_ms: float

    @property
    def ratio(self) -> float:
        return self.apply_ms / self.parse_ms if self.parse_ms else float("inf")


@dataclass(frozen=True, slots=True)
class Growth:
    """One size of file in a process of its own. peak_mib: resident memory with the interpreter and the edit;
    base_mib: the same before the edit was applied."""

    language: str
    num_lines: int
    apply_ms: float
    parse_ms: float
    base_mib: float
    peak_mib: float


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m evals.speed.structural", description=__doc__)
    parser.add_argument("--edits", type=int, default=6, help="edits for each language and format")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each edit")
    parser.add_argument("--max-lines", type=int, default=SIZES[-1], help="largest file of the growth table")
    parser.add_argument("--json", type=Path, default=RESULTS, metavar="FILE")
    options = parser.parse_args(arguments)
    timings = list(time_thousand_lines(options.edits, options.repeats))
    print_timings(timings)
    sizes = [size for size in SIZES if size <= options.max_lines]
    growth = [grow(language, size, options.repeats) for language in GROWTH_LANGUAGES for size in sizes]
    print_growth(growth)
    cold = cold_starts(max(7, options.repeats))
    print(f"\nfastedit apply, cold: median {median(cold):.3f} s, worst {max(cold):.3f} s of {len(cold)}")
    write_json(options.json, timings, growth, cold)
    print(summary(timings, growth, cold))
    return 0


def draw_samples(language: str, num_lines: int, count: int, formats: Sequence[Format], seed: int = 1) -> list[Sample]:
    """`count` clear edits of a long file; fewer where the file has no place for more."""
    text = long_text(language, num_lines)
    document = read_document(f"shelves.{SUFFIXES[language]}", language, text)
    if document is None:
        raise ValueError(f"the units of {language} mix line ends")
    rng, pools = random.Random(seed), gather([document])
    samples: list[Sample] = []
    for _ in range(count * 20):
        change = draw_change(Site(document, pools[language], rng))
        sample = rendered_sample(change, Tier.CLEAR, rng.choice(formats), rng) if change else None
        if sample is not None:
            samples.append(sample)
        if len(samples) == count:
            break
    return samples


def time_thousand_lines(num_edits: int, repeats: int) -> Iterator[Timing]:
    """One row for each language and format, over several edits."""
    for language in SUFFIXES:
        for format in (Format.LAZY, Format.UDIFF, Format.SEARCH_REPLACE, Format.V4A):
            samples = draw_samples(language, NUM_LINES, num_edits, [format])
            if samples:
                yield time_samples(samples, format, repeats)


def time_samples(samples: Sequence[Sample], format: Format, repeats: int) -> Timing:
    text, language = samples[0].original, samples[0].language
    runs: list[float] = []
    parses: list[float] = []
    for sample in samples:
        both = timed((partial(applied, sample), partial(parse, text, language)), repeats)
        runs += [apply_ms for apply_ms, _ in both]
        parses += [parse_ms for _, parse_ms in both]
    exact = sum(applied(sample) == sample.expected for sample in samples)
    lines = text.count("\n")
    return Timing(language, format.value, lines, len(samples), exact, median(runs), max(runs), median(parses))


def applied(sample: Sample) -> str | None:
    """The result, or None where the edit is refused (which takes its time, too)."""
    try:
        return fastedit.apply(sample.original, sample.edit, path=sample.path, mode="structural").text
    except fastedit.EditRefused:
        return None


def timed(works: Sequence[Callable[[], object]], repeats: int) -> list[tuple[float, ...]]:
    """Milliseconds of all the works in each of `repeats` rounds, after a round that isn't counted.

    One after the other in each round: a busy machine slows them down alike, so that their ratio stands.
    """
    result = []
    for _ in range(repeats + 1):
        times = []
        for work in works:
            started = time.perf_counter()
            work()
            times.append((time.perf_counter() - started) * 1000)
        result.append(tuple(times))
    return result[1:]


def grow(language: str, num_lines: int, repeats: int) -> Growth:
    """Time and memory for one size, measured in a fresh process."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_grow_here, language, num_lines, repeats).result()


def _peak_kib() -> int:
    """The most memory that this process has had, in KiB.

    On Linux from its own status, because `getrusage` starts with what the parent had when it forked.
    """
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM:")).split()[1])


def _grow_here(language: str, num_lines: int, repeats: int) -> Growth:
    text = long_text(language, num_lines)
    edit, path = growth_edit(language, text), f"shelves.{SUFFIXES[language]}"
    base = _peak_kib()
    works = partial(fastedit.apply, text, edit, path=path, mode="structural"), partial(parse, text, language)
    both = timed(works, repeats)
    peak = _peak_kib()
    apply_ms, parse_ms = (median(times) for times in zip(*both, strict=True))
    return Growth(language, text.count("\n"), apply_ms, parse_ms, base * 1024 / MIB, peak * 1024 / MIB)


def growth_edit(language: str, text: str) -> str:
    """A lazy edit in the middle and near the end of a long file, the same for every size."""
    last = text.count("class Shelf")
    middle, end = max(1, last // 2), max(2, last - 1)
    comment = "#" if language == "python" else "//"
    parts = [f"{comment} ... existing code ..."]
    for number in (middle, end):
        parts += ["", *_changed_unit(language, number), "", f"{comment} ... existing code ..."]
    return "\n".join([f"```{language}", *parts, "```", ""])


def _changed_unit(language: str, number: int) -> list[str]:
    if language == "python":
        return [
            f"class Shelf{number}:",
            "    # ... existing code ...",
            "",
            f"    def take_{number}(self, label):",
            "        found = self.items.pop(label, None)",
            "        if found is None:",
            "            return None",
            f'        self.log("taken from shelf {number}", label)',
            "        return found",
        ]
    return [
        f"export class Shelf{number} {{",
        "  // ... existing code ...",
        "",
        f"  take{number}(label: string): Item | undefined {{",
        "    const found = this.items.get(label);",
        "    if (found === undefined) return undefined;",
        f"    this.log('taken from shelf {number}', label);",
        "    return found;",
        "  }",
        "}",
    ]


def cold_starts(repeats: int) -> list[float]:
    """Seconds of `fastedit apply FILE EDIT --stdout` as a process, for a file of 300 lines."""
    command = shutil.which("fastedit", path=str(Path(sys.executable).parent)) or shutil.which("fastedit")
    if command is None:
        raise FileNotFoundError("the fastedit command is not installed")
    text = long_text("python", 300)
    with tempfile.TemporaryDirectory() as folder:
        file, edit = Path(folder, "shelves.py"), Path(folder, "edit.md")
        file.write_text(text, "utf-8")
        edit.write_text(growth_edit("python", text), "utf-8")
        result = []
        for _ in range(repeats + 1):
            started = time.perf_counter()
            subprocess.run([command, "apply", str(file), str(edit), "--stdout"], check=True, capture_output=True)
            result.append(time.perf_counter() - started)
    return result[1:]


def print_timings(timings: Sequence[Timing]) -> None:
    counts = f"{'lines':>6} {'edits':>6} {'exact':>6}"
    print(f"{'language':<12} {'format':<15} {counts} {'apply ms':>9} {'worst':>8} {'parse ms':>9} {'ratio':>6}")
    for row in timings:
        print(
            f"{row.language:<12} {row.format:<15} {row.num_lines:>6} {row.edits:>6} {row.exact:>6} {row.apply_ms:>9.2f}"
            f" {row.worst_ms:>8.2f} {row.parse_ms:>9.2f} {row.ratio:>6.2f}"
        )


def print_growth(growth: Sequence[Growth]) -> None:
    print(
        f"\n{'language':<12} {'lines':>7} {'apply ms':>9} {'parse ms':>9} {'ratio':>6} {'base MiB':>9} {'peak MiB':>9}"
    )
    for row in growth:
        ratio = row.apply_ms / row.parse_ms
        print(
            f"{row.language:<12} {row.num_lines:>7} {row.apply_ms:>9.2f} {row.parse_ms:>9.2f} {ratio:>6.2f}"
            f" {row.base_mib:>9.1f} {row.peak_mib:>9.1f}"
        )


def growth_factor(growth: Sequence[Growth], small: int = 5000, large: int = 50_000) -> float | None:
    """How many times longer the large file takes than the small one, worst language; None where one is missing."""
    factors = []
    for language in {row.language for row in growth}:
        times = {
            size: [r.apply_ms for r in growth if r.language == language and r.num_lines // size == 1]
            for size in (small, large)
        }
        if times[small] and times[large]:
            factors.append(times[large][0] / times[small][0])
    return max(factors, default=None)


def summary(timings: Sequence[Timing], growth: Sequence[Growth], cold: Sequence[float]) -> str:
    """The last line: medians over the rows of a thousand lines, growth, memory, cold start."""
    factor = growth_factor(growth)
    return (
        f"median_ms={median(row.apply_ms for row in timings):.2f} worst_ms={max(row.worst_ms for row in timings):.2f}"
        f" parse_ratio={median(row.ratio for row in timings):.2f} worst_ratio={max(row.ratio for row in timings):.2f}"
        f" growth={'n/a' if factor is None else f'{factor:.1f}'} peak_mib={max(row.peak_mib for row in growth):.0f}"
        f" cold_s={median(cold):.3f}"
    )


def write_json(path: Path, timings: Sequence[Timing], growth: Sequence[Growth], cold: Sequence[float]) -> None:
    result = {
        "machine": machine("evals.speed.structural"),
        "summary": summary(timings, growth, cold),
        "thousand_lines": [asdict(row) | {"ratio": round(row.ratio, 3)} for row in timings],
        "growth": [asdict(row) for row in growth],
        "cold_s": [round(value, 4) for value in cold],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
