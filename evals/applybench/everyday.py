"""python -m evals.applybench everyday: edits that everybody writes, made from the files of a split.

One of several siblings (elements of a list, members, keys) is put back or changed below a marker for the others, see
`fastedit.training.alignment.siblings`. The files are those of validation and test, whose packages no fit has seen; the
messages are made, so nobody reads anything. Written edits vary more, and have fewer of these than users send.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from evals.accuracy.report import machine
from evals.applybench.records import DATA, SPLITS, BadRecord, Record, read
from evals.applybench.score import OWN, print_tables, scored, summed_up, write_json
from fastedit.syntax import language_of
from fastedit.training.alignment.siblings import sibling_edit

COUNT = 400
KINDS = ("added", "changed")  # siblings that are put back, and those that change


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 0 whatever the scores, 1 where no edit could be made."""
    parser = argparse.ArgumentParser(
        prog="python -m evals.applybench everyday",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--split", choices=SPLITS, nargs="+", default=["validation", "test"])
    parser.add_argument("--count", type=int, default=COUNT, help=f"edits (default: {COUNT}, fewer where files are few)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1, help="edits side by side")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the splits")
    options = parser.parse_args(arguments)
    chance = random.Random(options.seed)
    records = list(everyday_records(options.split, options.data, options.count, chance))
    if not records:
        print(f"applybench everyday: no edits from {', '.join(options.split)}", file=sys.stderr)
        return 1
    systems = [OWN + "structural"]
    rows = scored(records, systems, workers=options.workers)
    kinds = {kind: Counter(row.outcome.value for row in rows if f"-{kind}-" in row.id) for kind in KINDS}
    result = summed_up(rows, systems) | {
        "kinds": kinds,
        "machine": machine("evals.applybench"),
        "settings": {"split": options.split, "count": options.count, "seed": options.seed},
    }
    print_tables(result)
    if options.json:
        write_json(result, options.json)
    for kind, counts in kinds.items():
        print(kind, *(f"{name}={count}" for name, count in sorted(counts.items())))
    print(result["summary"])
    return 0


def everyday_records(
    splits: Sequence[str], folder: Path, count: int, chance: random.Random
) -> Iterator[tuple[str, Record]]:
    """Yields at most `count` edits, each with the split that its file is from; of every file at most three."""
    found = [(split, one) for split in splits for one in read(split, folder) if not isinstance(one, BadRecord)]
    tries = [entry for entry in found for _ in range(3)]
    chance.shuffle(tries)
    num = 0
    for split, record in tries:
        if num == count:
            return
        name, text = chance.choice(sorted(record.files.items()))
        language = language_of(name, text)
        edit = sibling_edit(text.split("\n")[:-1], language, chance) if "\r" not in text else None
        if edit is None or edit.original == edit.result:
            continue
        num += 1
        message = "\n".join((edit.words, "", f"```{language}", *edit.shown, "```", ""))
        original, expected = ("".join(f"{line}\n" for line in lines) for lines in (edit.original, edit.result))
        kind = KINDS[len(edit.original) == len(edit.result)]
        yield split, Record(
            f"everyday-{kind}-{num}", language, "clear", "markers", "lazy", name, {name: original}, message,
            {name: expected}, (), record.source, record.package, record.licence, record.writer, None, None,
            f"a sibling is {kind}",
        )  # fmt: skip
