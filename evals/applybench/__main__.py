"""python -m evals.applybench COMMAND: an open benchmark for merging the edits that assistants write.

The commands are
    pairs   two releases of a package → the files that differ a little, as originals and results
    build   folders of cases → the splits
    check   is every record fit to be in the benchmark?
    score   FastEdit, and other tools beside it, on a split
    everyday  FastEdit on plain edits that are made from the files of a split
    peers   which other tools there are, and `peers install NAME`
    judging  what a target's word on the edits of a split is worth
    discriminator  can written messages be told from generated ones?
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from evals.applybench.records import DATA, SPLITS

COMMANDS = ("pairs", "build", "score", "everyday", "peers", "judging", "discriminator")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command's exit status; 2 for a wrong call."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words and words[0] in COMMANDS:
        return int(import_module(f"evals.applybench.{words[0]}").main(words[1:]))
    parser = argparse.ArgumentParser(
        prog="python -m evals.applybench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=(*COMMANDS, "check"))
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the splits")
    options = parser.parse_args(words)
    return _check(options.data)


def _check(folder: Path) -> int:
    """Prints a line for each doubt; exit status 1 where there is one."""
    from evals.applybench.check import check_splits

    counts, doubts = check_splits(folder)
    for doubt in doubts:
        print(doubt)
    told = " ".join(f"{split}={counts.get(split, 'none')}" for split in SPLITS)
    print(f"{told} doubts={len(doubts)}")
    return 1 if doubts else 0


if __name__ == "__main__":
    sys.exit(main())
