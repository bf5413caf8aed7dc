"""python -m evals.applybench discriminator: can written messages be told from generated ones?

A logistic model of the characters that follow one another tells ApplyBench's training messages (lazy edits of one file)
from those that the project's generator writes, by other messages of each. Lines of code that stand in the file or the
result are masked: what is left is the manner, not the matter. 50 % would mean that nobody can tell.

Told are whole messages, their prose alone, and what is shown in their fences alone, which is all that a target sees;
once of the same changes (the split's, which the generator tells anew) and once of changes that it makes of other files,
which differ in languages and kinds of changes as well.
"""

from __future__ import annotations

import argparse
import json
import random
import sysconfig
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evals.accuracy.report import machine
from evals.applybench.records import DATA
from fastedit.edits.model import Format
from fastedit.training.cases import WrittenCase, read_cases
from fastedit.training.synthesis import Tier, generate, rendered_sample
from fastedit.training.synthesis.written.measure import taken_apart

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float32]

WIDTHS = (2, 3, 4)  # of the runs of characters that are counted
NUM_BUCKETS = 1 << 13
FOLDS = 5
STEPS, RATE, PENALTY = 300, 2.0, 1e-4
MASK = "\0"
FENCE = "\1"
PARTS = ("whole messages", "prose", "fences")
TIERS = {"written": (Tier.WRITTEN,), "careful": (Tier.CLEAR, Tier.SLOPPY, Tier.HARD)}

Grouped = tuple[str, str]  # the package that a message is about, and its masked text


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m evals.applybench discriminator",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--sources", type=Path, nargs="+", default=[Path(sysconfig.get_path("stdlib"))])
    parser.add_argument("--count", type=int, default=600, metavar="N", help="messages of each kind, at most")
    parser.add_argument("--manner", choices=tuple(TIERS), default="written", help="how the generator writes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    tiers = TIERS[options.manner]
    cases = sorted(read_cases(DATA / "train.jsonl.gz"), key=lambda one: zlib.crc32(one.message.encode()))
    same = _retold(cases, tiers, options.count, random.Random(options.seed))
    made = generate(options.sources, seed=options.seed, n=options.count, tiers=tiers, formats=(Format.LAZY,))
    others = [(str(number), masked(one.edit, one.original + one.expected)) for number, one in enumerate(made)]
    found: dict[str, Any] = {"manner": options.manner}
    found["same changes"] = told_by_parts([written for written, _ in same], [generated for _, generated in same])
    found["other changes"] = told_by_parts([_masked_case(case) for case in cases], others)
    text = json.dumps(found | {"machine": machine("evals.applybench")}, indent=1) + "\n"
    if options.json:
        options.json.write_text(text, "utf-8")
    print(text, end="")
    return 0


def _retold(
    cases: Sequence[WrittenCase], tiers: Sequence[Tier], count: int, rng: random.Random
) -> list[tuple[Grouped, Grouped]]:
    """Messages of the split, each with one that the generator writes about the same change."""
    found: list[tuple[Grouped, Grouped]] = []
    for case in cases:
        if len(found) == count:
            break
        sample = rendered_sample(case.change, rng.choice(tiers), Format.LAZY, rng) if case.change is not None else None
        if sample is not None:
            own = masked(sample.edit, case.original + "\n" + case.result)
            found.append((_masked_case(case), (case.package, own)))
    return found


def _masked_case(case: WrittenCase) -> Grouped:
    return case.package, masked(case.message, case.original + "\n" + case.result)


def told_by_parts(written: Sequence[Grouped], generated: Sequence[Grouped]) -> dict[str, Any]:
    """What `told_apart` says of whole messages and of their parts."""
    return {
        part: told_apart(*([(group, _part(text, part)) for group, text in one] for one in (written, generated)))
        for part in PARTS
    }


def _part(text: str, part: str) -> str:
    if part == PARTS[0]:
        return text
    message = taken_apart(text)
    return FENCE.join(message.prose) if part == "prose" else FENCE.join("\n".join(lines) for _, lines in message.fences)


def masked(message: str, known: str) -> str:
    """The message with a sign in place of each line that stands in a file, whatever its indentation."""
    lines = {line.strip() for line in known.split("\n")} - {""}
    return "\n".join(MASK if line.strip() in lines else line.strip() for line in message.split("\n"))


def told_apart(written: Sequence[tuple[str, str]], generated: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """How many messages of each kind are told for what they are, by a model of the others.

    written, generated: (group, text); a group is never on both sides.
    """
    count = min(len(written), len(generated))
    if not count:
        return {"messages": 0}
    both = [*written[:count], *generated[:count]]
    is_written = np.arange(len(both)) < count
    values = np.stack([_counts(text) for _, text in both])
    folds = np.array([zlib.crc32(group.encode()) % FOLDS for group, _ in both])
    likeness = values @ values.T
    is_right = np.zeros(len(both), bool)
    for fold in set(folds.tolist()):
        is_out = folds == fold
        shares, offset = _fitted(likeness[np.ix_(~is_out, ~is_out)], is_written[~is_out].astype(np.float32))
        is_right[is_out] = (likeness[np.ix_(is_out, ~is_out)] @ shares + offset > 0) == is_written[is_out]
    return {
        "messages": len(both),
        "told": round(float(is_right.mean()), 4),
        "written_told": int(is_right[:count].sum()),
        "generated_told": int(is_right[count:].sum()),
    }


def _counts(text: str) -> Numbers:
    """(NUM_BUCKETS,): how often runs of characters occur, by their hash; of length 1."""
    data = np.frombuffer(text.encode(), np.uint8).astype(np.uint64)
    found = np.zeros(NUM_BUCKETS)
    for width in WIDTHS:
        runs = np.full(max(0, len(data) - width + 1), width, np.uint64)
        for at in range(width):
            runs = runs * np.uint64(257) + data[at : at + len(runs)]
        found += np.bincount((runs * np.uint64(2654435761) >> np.uint64(16)) % NUM_BUCKETS, minlength=NUM_BUCKETS)
    counts = np.log1p(found)
    return (counts / max(1e-9, float(np.linalg.norm(counts)))).astype(np.float32)


def _fitted(likeness: Numbers, wanted: Numbers) -> tuple[Numbers, float]:
    """The messages' shares in the weights of a logistic model, and its offset, by descent with momentum.

    likeness: [M, M], products of the messages' counts. The weights are sums of these counts, so that the descent needs
    no others.
    """
    shares, speed, offset = np.zeros(len(wanted), np.float32), np.zeros(len(wanted), np.float32), 0.0
    for _ in range(STEPS):
        slope = 1 / (1 + np.exp(-(likeness @ shares + offset))) - wanted
        speed = 0.9 * speed - RATE * (slope / len(wanted) + PENALTY * shares)
        shares, offset = shares + speed, offset - RATE * float(slope.mean())
    return shares, offset
