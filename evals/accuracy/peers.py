"""python -m evals.accuracy peers: unified diffs, as models write them, given to fastedit and to what people use today.

Every tool gets the diff alone, without the prose around it; where a diff doesn't name its file, the names are put in
front of it, since git and patch need them, and -p is what fits the names. A tool that ends with an error has refused,
even where it left half of its work behind.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from evals.accuracy.compare import Peer, compared, in_mode, summed_up, told
from evals.accuracy.mine import mined_samples
from evals.accuracy.sources import add_sources, default_sources
from fastedit.edits.model import Format
from fastedit.training.synthesis import BY_CARE, Sample, Tier, generate

NUM_EDITS = 400
TIMEOUT_S = 30
TITLE = "Diffs, beside git apply and patch"
PATCH = ("patch", "{level}", "--batch", "--forward", "--quiet", "--reject-file=-")
# git and patch as people call them: strictly, and with what they are told to add when that fails.
COMMANDS: dict[str, tuple[str, ...]] = {
    "git apply": ("git", "apply", "{level}", "-"),
    "git apply, lenient": ("git", "apply", "{level}", "--recount", "--ignore-whitespace", "--unidiff-zero", "-C1", "-"),
    "patch": PATCH,
    "patch, fuzz 3": (*PATCH, "--fuzz=3", "--ignore-whitespace"),
}  # fmt: skip
FENCE = re.compile(r"^(`{3,})[^\n]*\n(.*?)^\1[ \t]*$", re.MULTILINE | re.DOTALL)


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 0 whatever the scores."""
    options = _parser().parse_args(arguments)
    tiers, formats = [Tier(tier) for tier in options.tier], [Format.UDIFF]
    if options.repo:
        samples = mined_samples(options.repo, options.seed, tiers, formats)
        source = "written from the real changes of git histories"
    else:
        samples = generate(
            options.sources or default_sources(), seed=options.seed, n=options.n, tiers=tiers, formats=formats
        )
        source = "written from generated changes of the standard library and installed packages"
    peers = {"fastedit": in_mode("structural")} | {name: _tool(command) for name, command in COMMANDS.items()}
    results = list(compared(islice(samples, options.n), peers))
    source = f"unified diffs, {source}, given to each tool as they were written"
    told(summed_up(results, title=TITLE, source=source), options.json)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m evals.accuracy peers", description=__doc__)
    parser.add_argument("--n", type=int, default=NUM_EDITS, help=f"how many diffs (default {NUM_EDITS})")
    add_sources(parser)
    parser.add_argument("--repo", type=Path, nargs="+", help="git repositories: take their real changes instead")
    parser.add_argument("--seed", type=int, default=1)
    tiers = [tier.value for tier in BY_CARE]
    parser.add_argument("--tier", nargs="+", choices=tiers, default=tiers)
    parser.add_argument("--json", type=Path, metavar="FILE")
    return parser


def _tool(command: Sequence[str]) -> Peer:
    """A peer that is a program: it finds the file under its path, and the diff on its input."""

    def run(sample: Sample) -> str | None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, sample.path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(sample.original.encode("utf-8"))
            env = {"PATH": os.environ.get("PATH", os.defpath), "GIT_CEILING_DIRECTORIES": str(Path(folder).parent)}
            text = bare_diff(sample.edit, sample.path)
            words = [word.format(level=level_of(text, sample.path)) for word in command]
            try:
                subprocess.run(
                    words,
                    cwd=folder,
                    env=env,
                    input=text.encode("utf-8"),
                    capture_output=True,
                    check=True,
                    timeout=TIMEOUT_S,
                )
            except subprocess.SubprocessError:
                return None
            return file.read_bytes().decode("utf-8", "replace")

    return run


def bare_diff(message: str, path: str) -> str:
    """What stands in the message's fences, or all of it; the file's names are put in front where they are missing."""
    fences = [match.group(2) for match in FENCE.finditer(message)]
    text = "".join(fences) if fences else message
    if not re.search(r"^\+\+\+ ", text, re.MULTILINE):
        text = f"--- a/{path}\n+++ b/{path}\n{text}"
    return text if text.endswith("\n") else text + "\n"


def level_of(diff: str, path: str) -> str:
    """The -p option that fits the diff's names: whether they start in `a/` and `b/`."""
    return "-p0" if re.search(rf"^\+\+\+ {re.escape(path)}\s*$", diff, re.MULTILINE) else "-p1"
