"""Generated edits, scored in as many processes as there are cores (two at most)."""

from __future__ import annotations

import difflib
import multiprocessing
import os
import time
from collections.abc import Iterable, Iterator
from functools import partial

import fastedit
from evals.accuracy.outcomes import JudgedSegment, Outcome, Row
from evals.accuracy.segments import judged_segments
from fastedit.applied import Stats
from fastedit.edits.model import Format
from fastedit.targets.default import NO_TARGET, choose_default
from fastedit.training.synthesis import Sample

MAX_PROCESSES = 2
CHUNK = 8


def score_samples(
    samples: Iterable[Sample], mode: str, *, processes: int | None = None, target: str = NO_TARGET
) -> Iterator[Row]:
    """The samples' rows in their order. target: the one that is asked, by name or folder."""
    wanted = min(MAX_PROCESSES, len(os.sched_getaffinity(0))) if processes is None else processes
    if wanted < 2:
        choose_default(target)
        yield from map(partial(score_sample, mode=mode), samples)
        return
    with multiprocessing.get_context("spawn").Pool(wanted, choose_default, (target,)) as pool:
        yield from pool.imap(partial(score_sample, mode=mode), samples, CHUNK)


def score_sample(sample: Sample, mode: str) -> Row:
    """What comes of one edit."""
    started = time.perf_counter()
    note, diff, got, strategy, stats = "", "", None, "", Stats()
    try:
        applied = fastedit.apply(sample.original, sample.edit, path=sample.path, mode=mode)
        got, strategy, stats = applied.text, applied.strategy, applied.stats
        outcome = Outcome.EXACT if got == sample.expected else Outcome.WRONG
    except fastedit.EditRefused as refusal:
        outcome, note = Outcome.REFUSED, refusal.code.value
    except Exception as error:  # noqa: BLE001 - a traceback is an outcome here
        outcome, note = Outcome.ERROR, f"{type(error).__name__}: {error}"[:160]
    elapsed_ms = (time.perf_counter() - started) * 1000
    if outcome is Outcome.WRONG and got is not None:
        diff = show_wrong(sample, got)
    return Row(
        sample.path,
        sample.tier.value,
        sample.format.value,
        sample.language,
        sample.kind,
        outcome,
        elapsed_ms,
        note,
        diff,
        sample.habits,
        _segments(sample) if outcome is not Outcome.ERROR else (),
        strategy,
        stats,
        sample.original.count("\n"),
        _changed_lines(sample),
    )


def _changed_lines(sample: Sample) -> int:
    """How many lines come, go or are replaced, each place counted by its longer side."""
    old, new = sample.original.split("\n"), sample.expected.split("\n")
    opcodes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return sum(
        max(end - start, new_end - new_start) for tag, start, end, new_start, new_end in opcodes if tag != "equal"
    )


def _segments(sample: Sample) -> tuple[JudgedSegment, ...]:
    """The alignment's segments, judged; none for formats that are not aligned."""
    if sample.format is Format.WHOLE:
        return ()
    try:
        return judged_segments(sample.original, sample.edit, sample.path, sample.expected)
    except fastedit.EditRefused:
        return ()


def show_wrong(sample: Sample, got: str) -> str:
    """The message, and how the result differs from the truth."""
    diff = difflib.unified_diff(sample.expected.split("\n"), got.split("\n"), "expected", "got", lineterm="")
    return "\n".join([sample.edit, *diff])
