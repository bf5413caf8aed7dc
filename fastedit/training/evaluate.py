"""python -m fastedit.training.evaluate: how a target stands on edits of files that it was not trained on.

Every answer is decoded greedily by the engine, the true merged text as its draft: what is counted as exact is what an
application would get.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from fastedit.decode import EditRequest, verify_draft
from fastedit.draft.model import Draft, Kind
from fastedit.errors import EditRefused
from fastedit.training.pairs import Pair
from fastedit.training.prepare import held_out_pairs
from fastedit.training.settings import read_settings

if TYPE_CHECKING:
    from fastedit.targets import Target

LIMITS = (512, 1024, 2048)
SEED = 1_000_003  # no run's own


@dataclass(frozen=True, slots=True)
class Result:
    """One answer. num_tokens: of prompt and true answer. refusal: the code, or empty."""

    source: str
    kind: str
    format: str
    num_tokens: int
    is_exact: bool
    passes: int = 0
    drafted: int = 0
    accepted: int = 0
    completion_tokens: int = 0
    refusal: str = ""


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    from fastedit.targets import Target

    target = Target.load(options.target)
    settings = read_settings(options.config)
    results = list(results_of(target, islice(held_out_pairs(settings, options.seed), options.n), LIMITS[-1]))
    for lower, limit in zip((0, *LIMITS), LIMITS, strict=False):
        _print(f"{lower + 1}-{limit} tokens", [one for one in results if lower < one.num_tokens <= limit])
    for format in sorted({one.format for one in results}):
        _print(format, [one for one in results if one.format == format])
    _print("all", results)
    if options.json:
        options.json.write_text("".join(json.dumps(asdict(one)) + "\n" for one in results), "utf-8")
    return 0


def results_of(target: Target, pairs: Iterable[Pair], max_tokens: int) -> Iterator[Result]:
    """The target's results on the pairs of at most `max_tokens` tokens."""
    for pair in pairs:
        num_answer = len(target.codec.encode(pair.merged)) + 1
        num_tokens = len(target.prompt(pair.original, pair.edit, elisions=pair.elisions)) + num_answer
        if num_tokens <= max_tokens:
            yield _result(target, pair, num_tokens)


def _result(target: Target, pair: Pair, num_tokens: int) -> Result:
    draft = Draft(pair.merged, Kind.MERGED)
    asked = EditRequest(pair.original, pair.edit, (draft,), elisions=pair.elisions, codes=pair.codes)
    try:
        answer = verify_draft(target, asked)
    except EditRefused as refusal:
        return Result(pair.source, pair.kind, pair.format, num_tokens, False, refusal=refusal.code.value)
    stats = answer.stats
    return Result(
        pair.source,
        pair.kind,
        pair.format,
        num_tokens,
        answer.text == pair.merged,
        stats.passes,
        stats.drafted,
        stats.accepted,
        stats.completion_tokens,
    )


def _print(name: str, results: Sequence[Result]) -> None:
    if not results:
        return
    exact = sum(one.is_exact for one in results) / len(results)
    accepted = sum(one.accepted for one in results) / max(1, sum(one.drafted for one in results))
    per_pass = sum(one.completion_tokens for one in results) / max(1, sum(one.passes for one in results))
    print(  # noqa: T201 what the command is for
        f"{name:16} n={len(results):4} exact={exact:.3f} acceptance={accepted:.4f} tokens_per_pass={per_pass:.1f}",
        flush=True,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m fastedit.training.evaluate", description=__doc__)
    parser.add_argument("--config", type=Path, required=True, help="the run's configuration, for its sources")
    parser.add_argument("--target", default="embedded", help="a registered name or a folder")
    parser.add_argument("--n", type=int, default=200, help="how many edits")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--json", type=Path, help="where each answer's row goes")
    return parser


if __name__ == "__main__":
    sys.exit(main())
