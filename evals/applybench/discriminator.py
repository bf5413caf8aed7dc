"""python -m evals.applybench discriminator: can written messages be told from generated ones?

A logistic model of the characters that follow one another tells ApplyBench's training messages (lazy edits of one file)
from those that the project's generator writes, by other messages of each. Lines of code that stand in the file or the
result are masked: what is left is the manner, not the matter. 50 % would mean that nobody can tell.
"""

from __future__ import annotations

import argparse
import json
import sysconfig
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evals.accuracy.report import machine
from evals.applybench.records import load
from fastedit.edits.model import Format
from fastedit.training.synthesis import generate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

WIDTHS = (2, 3, 4)  # of the runs of characters that are counted
NUM_BUCKETS = 1 << 13
FOLDS = 5
STEPS, RATE, PENALTY = 300, 2.0, 1e-4
MASK = "\0"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m evals.applybench discriminator", description=__doc__)
    parser.add_argument("--sources", type=Path, nargs="+", default=[Path(sysconfig.get_path("stdlib"))])
    parser.add_argument("--count", type=int, default=600, metavar="N", help="messages of each kind, at most")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    written = list(_written())[: options.count]
    samples = generate(options.sources, seed=options.seed, n=options.count, formats=(Format.LAZY,))
    generated = [(str(n), masked(one.edit, one.original + one.expected)) for n, one in enumerate(samples)]
    found = told_apart(written, generated) | {"machine": machine("evals.applybench")}
    text = json.dumps(found, indent=1) + "\n"
    if options.json:
        options.json.write_text(text, "utf-8")
    print(text, end="")
    return 0


def _written() -> Iterator[tuple[str, str]]:
    """Packages and masked messages, in an order that has nothing to do with them."""
    lazy = [one for one in load("train") if one.format == "lazy" and one.file is not None]
    for record in sorted(lazy, key=lambda one: zlib.crc32(one.id.encode())):
        known = "\n".join([*record.files.values(), *(record.expected or {}).values()])
        yield record.package or record.id, masked(record.message, known)


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
    is_right = np.zeros(len(both), bool)
    for fold in set(folds.tolist()):
        is_out = folds == fold
        weights, offset = _fitted(values[~is_out], is_written[~is_out].astype(float))
        is_right[is_out] = (values[is_out] @ weights + offset > 0) == is_written[is_out]
    return {
        "messages": len(both),
        "told": round(float(is_right.mean()), 4),
        "written_told": int(is_right[:count].sum()),
        "generated_told": int(is_right[count:].sum()),
    }


def _counts(text: str) -> Numbers:
    """(NUM_BUCKETS,): how often runs of characters occur, by their hash; of length 1."""
    data = text.encode()
    found = np.zeros(NUM_BUCKETS)
    for width in WIDTHS:
        for at in range(len(data) - width + 1):
            found[zlib.crc32(data[at : at + width]) % NUM_BUCKETS] += 1
    counts = np.log1p(found)
    return counts / max(1e-9, float(np.linalg.norm(counts)))


def _fitted(values: Numbers, wanted: Numbers) -> tuple[Numbers, float]:
    """Weights and offset of a logistic model, by descent with momentum."""
    weights, speed, offset = np.zeros(values.shape[1]), np.zeros(values.shape[1]), 0.0
    for _ in range(STEPS):
        slope = 1 / (1 + np.exp(-(values @ weights + offset))) - wanted
        speed = 0.9 * speed - RATE * (values.T @ slope / len(wanted) + PENALTY * weights)
        weights, offset = weights + speed, offset - RATE * float(slope.mean())
    return weights, offset
