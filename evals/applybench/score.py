"""python -m evals.applybench score: FastEdit, and other tools beside it, on a split of the benchmark.

An answer is exact where all files have the expected bytes (in the tier `refuse`: where it was refused and nothing
changed), wrong where they don't, refused where there was none, and an error otherwise. Validation and test are for
being measured on: what their messages and files say is shown only by --show-held-out.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import json
import random
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import fastedit
from evals.accuracy.outcomes import Outcome
from evals.accuracy.reliability import Bin
from evals.accuracy.report import machine
from evals.applybench import curves
from evals.applybench.peers import PEERS, Answer, ask, close_all
from evals.applybench.records import DATA, FORMATS, SPLITS, TIERS, BadRecord, Record, read
from fastedit.errors import EngineUnavailable, SettingsError

MODES = ("structural", "model", "auto")
KEYS = ("tier", "style", "language", "format", "writer")
OWN = "fastedit-"  # and a mode: the name of FastEdit among its peers
NUM_QUICK, QUICK_S = 60, 17.0
LEAST = (0.0, 0.8, 0.85, 0.9, 0.95)  # certainties to ask for; 0: every likeliest result, answered or withheld


class OutOfTime(BaseException):
    """The time is over. No Exception, so that nothing on the way takes it for an error of its own."""


@dataclass(frozen=True, slots=True)
class Row:
    """What a system made of a record.

    certainty: what it claimed for its answer, or for the one that it withheld; is_right: whether that answer is right,
    None where there is none to look at. note: the refusal's code, or what broke. diff: how a wrong answer differs.
    """

    id: str
    split: str
    system: str
    tier: str
    style: str
    language: str
    format: str
    writer: str
    outcome: Outcome
    ms: float
    certainty: float | None = None
    is_right: bool | None = None
    is_answered: bool = False
    note: str = ""
    diff: str = ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 0 whatever the scores, 1 where there was nothing to score, 2 where a file of words can't be read."""
    options = _parser().parse_args(arguments)
    records = list(chosen(options.split, options.data, options.only, options.format, is_quick=options.quick))
    if options.idle:
        try:
            records = _with_idle(records, options.idle)
        except SettingsError as error:
            print(f"applybench score: {error}", file=sys.stderr)
            return 2
    if not records:
        print(f"applybench score: no records in {', '.join(options.split)}", file=sys.stderr)
        return 1
    systems = [OWN + options.mode, *usable(name for name in options.peer if name != OWN + options.mode)]
    shown = {split for split in SPLITS if (options.show if split == "train" else options.show_held_out)}
    rows = scored(records, systems, options.target, options.workers, shown, is_quick=options.quick)
    if not rows:
        return 1
    result = summed_up(rows, systems) | {
        "machine": machine("evals.applybench"),
        "settings": {"split": options.split, "mode": options.mode, "target": options.target, "quick": options.quick,
                     "only": options.only, "format": options.format, "idle": options.idle and options.idle.name},
    }  # fmt: skip
    _print_failures(rows, shown)
    print_tables(result)
    if options.json:
        write_json(result, options.json)
    if options.plot:
        _draw(result, options.plot)
    print(result["summary"])
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m evals.applybench score",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--split", choices=SPLITS, nargs="+", default=["validation"])
    parser.add_argument("--mode", choices=MODES, default="structural")
    parser.add_argument("--target", help="for auto and model: a registered name or a folder")
    parser.add_argument(
        "--peer", action="append", default=[], metavar="NAME",
        help=f"another tool beside it, again for each: {', '.join([OWN + mode for mode in MODES] + list(PEERS))}",
    )  # fmt: skip
    parser.add_argument("--quick", action="store_true", help=f"a fixed sample of {NUM_QUICK}, and 20 s at most")
    parser.add_argument("--only", default="", metavar="TEXT", help="records with this text in their id")
    parser.add_argument("--format", choices=FORMATS, help="records of this format")
    parser.add_argument("--idle", type=Path, metavar="FILE", help="words that say nothing, put around each message")
    parser.add_argument("--show", action="store_true", help="how wrong answers differ, in train")
    parser.add_argument("--show-held-out", action="store_true", help="the same in validation and test")
    parser.add_argument("--workers", type=int, default=1, help="records side by side (times are best with 1)")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--plot", type=Path, metavar="PNG", help="reliability and risk-coverage (needs matplotlib)")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the splits")
    return parser


def _with_idle(records: Sequence[tuple[str, Record]], path: Path) -> list[tuple[str, Record]]:
    """The records with words around their messages that say nothing of the edit; without fences they stay."""
    from fastedit.training.alignment.idle import idle_around, read_idle

    idle, result = read_idle(path), []
    for split, record in records:
        told = record.file and idle_around(record.message, record.file, idle, random.Random(record.id))
        result.append((split, replace(record, message=told) if told else record))
    return result


def chosen(
    splits: Iterable[str], folder: Path, only: str, format: str | None, *, is_quick: bool
) -> Iterator[tuple[str, Record]]:
    """The records to score, each with its split; a line is printed for each that is none."""
    found: list[tuple[str, Record]] = []
    for split in splits:
        try:
            for record in read(split, folder):
                if isinstance(record, BadRecord):
                    print(f"applybench score: left out {record}", file=sys.stderr)
                elif only in record.id and format in (None, record.format):
                    found.append((split, record))
        except FileNotFoundError:
            print(f"applybench score: there is no split {split} yet", file=sys.stderr)
    if is_quick:  # the same records on every machine, whatever their order
        found.sort(key=lambda entry: hashlib.sha256(entry[1].id.encode()).digest())
        del found[NUM_QUICK:]
    yield from found


def usable(names: Iterable[str]) -> list[str]:
    """The systems that can be asked; a line is printed for each that can't."""
    found = []
    for name in dict.fromkeys(names):
        if name in {OWN + mode for mode in MODES}:
            reason = ""
        else:
            reason = PEERS[name].missing() if name in PEERS else "there is no such peer"
        if reason:
            print(f"PEER {name}: {reason}", file=sys.stderr)
        else:
            found.append(name)
    return found


def scored(
    records: Sequence[tuple[str, Record]],
    systems: Sequence[str],
    target: str | None = None,
    workers: int = 1,
    shown: Iterable[str] = (),
    *,
    is_quick: bool = False,
) -> list[Row]:
    """A row for each record and each system that reads it."""
    score = partial(_rows_of, systems=tuple(systems), shown=frozenset(shown))
    if workers > 1 and not is_quick:
        with ProcessPoolExecutor(workers, initializer=_prepare, initargs=(target, tuple(systems))) as pool:
            return [row for rows in pool.map(score, records, chunksize=4) for row in rows]
    started = time.monotonic()
    rows: list[Row] = []
    num_done = 0
    try:
        with _time_limit(QUICK_S if is_quick else None):
            _prepare(target, systems)
            for entry in records:
                rows += score(entry)
                num_done += 1
    except OutOfTime:
        spent = time.monotonic() - started
        print(f"applybench score: stopped after {spent:.0f} s, {num_done} of {len(records)} records", file=sys.stderr)
    finally:
        close_all()
    return rows


@contextmanager
def _time_limit(seconds: float | None) -> Iterator[None]:
    """Raises OutOfTime inside it when the seconds are over."""
    if seconds is None:
        yield
        return

    def stop(*_: object) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _prepare(target: str | None, systems: Sequence[str]) -> None:
    """Loads the target where one may be asked, so that no record pays for it."""
    if target is None and not set(systems) & {OWN + "model", OWN + "auto"}:
        return
    from fastedit.targets.default import choose_default, default_target

    if target is not None:
        choose_default(target)
    try:
        default_target(is_required=False)
    except EngineUnavailable as error:
        print(f"applybench score: {error}", file=sys.stderr)


def _rows_of(entry: tuple[str, Record], systems: Sequence[str], shown: frozenset[str]) -> list[Row]:
    split, record = entry
    readers = [name for name in systems if name not in PEERS or PEERS[name].reads(record)]
    return [score_record(record, split, name, with_diff=split in shown) for name in readers]


def score_record(record: Record, split: str, system: str, *, with_diff: bool = False) -> Row:
    """What one system makes of one record."""
    # What another tool or an exception says may quote the file, and held-out files aren't shown.
    may_quote = split == "train" or with_diff
    about = (record.id, split, system, record.tier, record.style, record.language, record.format, str(record.writer))
    started = time.perf_counter()
    try:
        answer = ask(PEERS[system], record) if system in PEERS else _own_answer(record, system.removeprefix(OWN))
    except Exception as error:  # noqa: BLE001 - a traceback is an outcome here
        told = f"{type(error).__name__}: {error}"[:160] if may_quote else type(error).__name__
        return Row(*about, Outcome.ERROR, _ms_since(started), note=told)
    elapsed_ms = _ms_since(started)
    if system in PEERS and not may_quote:
        answer = replace(answer, note="")
    if answer.note in _ENGINE_CODES:
        return Row(*about, Outcome.ERROR, elapsed_ms, note=answer.note)
    wanted = record.result
    if answer.files is None:
        withheld = _withheld(record, system.removeprefix(OWN)) if answer.certainty is not None else None
        is_right = None if withheld is None else withheld == wanted
        outcome = Outcome.EXACT if wanted is None else Outcome.REFUSED
        return Row(*about, outcome, elapsed_ms, answer.certainty, is_right, note=answer.note)
    is_right = answer.files == wanted
    diff = _difference(wanted, answer.files) if with_diff and not is_right else ""
    outcome = Outcome.EXACT if is_right else Outcome.WRONG
    return Row(*about, outcome, elapsed_ms, answer.certainty, is_right, True, answer.note, diff)


def _ms_since(started: float) -> float:
    return (time.perf_counter() - started) * 1000


def _own_answer(record: Record, mode: str) -> Answer:
    """What FastEdit makes of a record. A refusal may say how certain it was of what it withheld."""
    try:
        if record.file is None:
            return _own_patch(record, mode)
        applied = fastedit.apply(record.files[record.file], record.message, path=record.file, mode=mode)
    except fastedit.EditRefused as refusal:
        return Answer(None, refusal.code.value, refusal.certainty)
    return Answer({**record.files, record.file: applied.text}, applied.strategy, applied.stats.certainty)


def _withheld(record: Record, mode: str) -> dict[str, str] | None:
    """The files as FastEdit would have made them, had no certainty been asked for; None where it refuses them still."""
    if record.file is None:
        return None
    try:
        applied = fastedit.apply(record.files[record.file], record.message, path=record.file, mode=mode, certainty=0.0)
    except fastedit.EditRefused:
        return None
    return {**record.files, record.file: applied.text}


def _own_patch(record: Record, mode: str) -> Answer:
    """The same for a message that names its files. Raises EditRefused, RuntimeError where a refusal touched files."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "tree")
        root.mkdir()
        for name, text in record.files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("utf-8"))
        try:
            changes = fastedit.apply_patch(record.message, root, mode=mode)
        except fastedit.EditRefused as refusal:
            if _tree(root) != dict(record.files) or list(Path(folder).iterdir()) != [root]:
                return Answer(_tree(root), f"{refusal.code.value}, but files were touched")
            raise
        applied = [change.applied for change in changes if change.applied is not None]
        certainty = min((one.stats.certainty for one in applied), default=None)
        return Answer(_tree(root), "+".join(sorted({one.strategy for one in applied})), certainty)


def _tree(root: Path) -> dict[str, str]:
    paths = sorted(path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes().decode("utf-8", "replace") for path in paths}


_ENGINE_CODES = frozenset({"OVERLOADED", "TIMEOUT", "TARGET_UNAVAILABLE", "ENGINE_ERROR"})


def _difference(wanted: Mapping[str, str] | None, got: Mapping[str, str]) -> str:
    if wanted is None:
        return "applied what should have been refused"
    parts: list[str] = []
    for name in sorted(wanted.keys() | got.keys()):
        old, new = (files.get(name, "").split("\n") for files in (wanted, got))
        parts += difflib.unified_diff(old, new, f"expected/{name}", f"got/{name}", lineterm="")
    return "\n".join(parts)


def summed_up(rows: Sequence[Row], systems: Sequence[str]) -> dict[str, Any]:
    """Everything that the tables show, by system, and a line for each row without what it says."""
    first = {row.id: row for row in rows if row.system == systems[0]}
    found: dict[str, Any] = {}
    for name in systems:
        own = [row for row in rows if row.system == name]
        if own:
            found[name] = _summary(own) | {"beside": _counts(first[row.id] for row in own)}
    return {
        "applybench": dict(Counter(row.split for row in first.values())),
        "summary": _last_line(found[systems[0]]),
        "systems": found,
        "rows": [_plain(row) for row in rows],
    }


def _summary(rows: Sequence[Row]) -> dict[str, Any]:
    times = sorted(row.ms for row in rows)
    claims = [(row.certainty, row.is_right) for row in rows if row.certainty is not None and row.is_right is not None]
    lazy = [
        (row.certainty, row.outcome is Outcome.EXACT)
        for row in rows
        if row.is_answered and row.certainty is not None and row.format == "lazy"
    ]
    bins, points = curves.reliability(lazy), curves.risk_coverage(claims, len(rows))
    return {
        "cases": len(rows),
        "counts": _counts(rows),
        "by": {key: _by(rows, key) for key in KEYS},
        "median_ms": round(median(times), 2),
        "p95_ms": round(times[min(int(len(times) * 0.95), len(times) - 1)], 2),
        "ece": curves.calibration_error(bins),
        "coverage_at_1": curves.coverage_at(points) if claims else None,
        "likeliest": {f"{least:g}": _right_and_wrong(claims, least) for least in LEAST},
        "reliability": [asdict(entry) for entry in bins],
        "risk_coverage": [asdict(point) for point in points],
    }


def _right_and_wrong(claims: Iterable[tuple[float, bool]], least: float) -> dict[str, int]:
    """How many of the likeliest results are right and how many wrong, of those that are at least so certain."""
    counts = Counter(is_right for certainty, is_right in claims if certainty >= least)
    return {"right": counts[True], "wrong": counts[False]}


def _counts(rows: Iterable[Row]) -> dict[str, int]:
    counts = Counter(row.outcome.value for row in rows)
    return {outcome.value: counts[outcome.value] for outcome in Outcome}


def _by(rows: Sequence[Row], key: str) -> dict[str, dict[str, int]]:
    table: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        table[getattr(row, key)].append(row)
    order = sorted(table, key=lambda name: (TIERS.index(name) if key == "tier" else 0, -len(table[name]), name))
    return {name: _counts(table[name]) for name in order}


def _plain(row: Row) -> dict[str, Any]:
    certainty = None if row.certainty is None else round(row.certainty, 4)
    told = {key: getattr(row, key) for key in ("id", "split", "system", *KEYS)}
    return told | {
        "outcome": row.outcome.value, "ms": round(row.ms, 1), "certainty": certainty, "is_right": row.is_right,
        "note": row.note,
    }  # fmt: skip


def _last_line(found: Mapping[str, Any]) -> str:
    """`exact=` and its kin are shares of all cases."""
    cases, counts = found["cases"], found["counts"]
    shares = " ".join(f"{name}={counts[name] / cases:.3f}" for name in ("exact", "wrong", "refused"))
    return f"cases={cases} {shares} ece={_number(found['ece'])} coverage_at_1={_number(found['coverage_at_1'])}"


def _number(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.3f}"


def _print_failures(rows: Iterable[Row], shown: set[str]) -> None:
    """Which answers of the splits that may be shown aren't exact, and how wrong ones differ."""
    for row in rows:
        if row.split in shown and row.outcome is not Outcome.EXACT:
            told = f"{row.outcome.value:8} {row.tier:7} {row.style:8} {row.format:14} {row.id}  {row.note}"
            print(told if row.certainty is None else f"{told} {row.certainty:.3f}", f"({row.system})")
            if row.diff:
                print("\n".join("    | " + line for line in row.diff.split("\n")))


def print_tables(result: Mapping[str, Any]) -> None:
    systems = result["systems"]
    name, own = next(iter(systems.items()))
    for key, table in own["by"].items():
        print(f"\n{name} by {key:<11} {'n':>6} {'exact':>8} {'wrong':>8} {'refused':>8} {'error':>8}")
        for value, counts in table.items():
            print(f"  {value:<26} {sum(counts.values()):>6} {_shares(counts)}")
    print(f"\n{'certainty':<14} {'lazy answers':>13} {'claimed':>9} {'right':>9}")
    for entry in own["reliability"]:
        if entry["count"]:
            told = f"{entry['low']:.1f} .. {entry['high']:.1f}"
            print(f"  {told:<12} {entry['count']:>13} {entry['claimed']:9.2%} {entry['right'] / entry['count']:9.2%}")
    print(f"\n{'at certainty':<14} {'right':>13} {'wrong':>9}")
    for least, counts in own["likeliest"].items():
        print(f"  {least:<12} {counts['right']:>13} {counts['wrong']:>9}")
    for name, found in systems.items():
        print(f"\n{name:<24} {'n':>6} {'exact':>8} {'wrong':>8} {'refused':>8} {'error':>8}", end="")
        print(f"   median {found['median_ms']:.1f} ms, 95 % under {found['p95_ms']:.1f} ms")
        print(f"  {'what it reads':<22} {found['cases']:>6} {_shares(found['counts'])}")
        if found is not own:
            print(f"  {next(iter(systems)) + ' there':<22} {found['cases']:>6} {_shares(found['beside'])}")
    print()


def _shares(counts: Mapping[str, int]) -> str:
    total = sum(counts.values())
    return " ".join(f"{counts[outcome.value] / total:8.2%}" for outcome in Outcome)


def write_json(result: Mapping[str, Any], path: Path) -> None:
    """Writes the result with a line for each row."""
    rest = json.dumps({name: value for name, value in result.items() if name != "rows"}, indent=1)
    rows = ",\n".join(f"  {json.dumps(row)}" for row in result["rows"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'{rest[:-2]},\n "rows": [\n{rows}\n ]\n}}\n', "utf-8")


def _draw(result: Mapping[str, Any], path: Path) -> None:
    drawn = {
        name: (
            [Bin(**entry) for entry in found["reliability"]],
            [curves.Point(**point) for point in found["risk_coverage"]],
        )
        for name, found in result["systems"].items()
        if found["risk_coverage"]
    }
    try:
        curves.draw(drawn, path)
    except ImportError:
        print("NO PLOT: matplotlib is not installed", file=sys.stderr)
