"""Samples of written messages: the cases of a split of ApplyBench, and their changes told anew.

The changes are real ones, of two releases of a package. Whole packages are held out, told by their names.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from pathlib import Path

from rapidfuzz.distance import Indel

from fastedit.edits.model import Format
from fastedit.errors import SettingsError
from fastedit.lines import split_lines
from fastedit.syntax import language_of
from fastedit.training.synthesis.document import read_document
from fastedit.training.synthesis.generate import rendered_sample
from fastedit.training.synthesis.model import Change, Sample, Splice, Tier, make_change

KIND = "case"
SHARE_AS_WRITTEN = 0.5  # the others are the same changes in other words


@dataclass(frozen=True)
class WrittenCase:
    """One lazy edit of one file. package: what its files are from, or the case's own name."""

    package: str
    path: str
    original: str
    message: str
    result: str

    @property
    def sample(self) -> Sample:
        """The message as it was written."""
        language = language_of(self.path, self.original)
        return Sample(
            self.path, language, self.original, self.message, self.result, Tier.WRITTEN, Format.LAZY, KIND, ()
        )

    @cached_property
    def change(self) -> Change | None:
        """The change that the message is about; None where the generator can't tell it."""
        return change_between(self.path, self.original, self.result)


def read_cases(path: Path) -> Iterator[WrittenCase]:
    """The lazy edits of one file that a split (or any file of its shape) has. SettingsError where it can't be read."""
    try:
        with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
            records = [json.loads(line) for line in lines]
    except (OSError, ValueError) as error:
        raise SettingsError(f"data.cases: {path.name} can't be read: {error}") from error
    for record in records:
        file = record["file"]
        result = (record["expected"] or {}).get(file)
        if record["format"] == Format.LAZY.value and result is not None and result != record["files"][file]:
            package = record["package"] or record["id"]
            yield WrittenCase(package, file, record["files"][file], record["message"], result)


def case_samples(cases: Sequence[WrittenCase], rng: random.Random) -> Iterator[Sample]:
    """Samples without end: the messages themselves, and their changes rendered in the generator's words."""
    if not cases:
        raise SettingsError("data.cases has no lazy edit of one file")
    for _ in count():
        for case in rng.sample(cases, len(cases)):
            if rng.random() < SHARE_AS_WRITTEN or case.change is None:
                yield case.sample
            elif (sample := rendered_sample(case.change, Tier.WRITTEN, Format.LAZY, rng)) is not None:
                yield sample


def change_between(path: str, original: str, result: str) -> Change | None:
    """The change that makes one text of another; None where it is none that the generator can tell."""
    language = language_of(path, original)
    before, after = (read_document(path, language, text) for text in (original, result))
    if before is None or after is None or not split_lines(original):
        return None
    splices: list[Splice] = []
    for step in Indel.opcodes(before.lines, after.lines):
        if step.tag == "equal":
            continue
        splice = Splice(step.src_start, step.src_end, after.lines[step.dest_start : step.dest_end])
        if splices and splices[-1].end == splice.start:
            last = splices.pop()
            splice = Splice(last.start, splice.end, last.lines + splice.lines)
        splices.append(splice)
    return make_change(before, splices, KIND)
