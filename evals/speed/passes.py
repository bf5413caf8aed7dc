"""How many passes drafts save, counted without any model: `python -m evals.speed.passes [--cases FOLDER]`.

The output of every pair is known, so the drafters can be followed along it as decoding would: each pass takes what is
right of a proposal of at most `--chunk` tokens and one token more. That is where the drafters' priors come from
(`fastedit.decode.controller`), and the answer to whether verifying several candidates in one pass would pay.
"""

from __future__ import annotations

import argparse
import difflib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evals.speed.pairs import Pair, load_pairs
from fastedit.decode.controller import Acceptance
from fastedit.decode.passes import accepted_length
from fastedit.draft import (
    Cascade,
    Codec,
    Draft,
    Kind,
    NgramDrafter,
    Proposal,
    SnippetDrafter,
    SuffixDrafter,
    TextDrafter,
    Transcript,
)
from fastedit.targets import TokenizerCodec
from fastedit.targets.synthetic import make_tokenizer

CHUNK = 256  # beyond it a pass costs more than a token on a data-centre GPU, and nearly everything is copied before it
VOCABULARY = 8192


@dataclass
class Tally:
    """first: proposals whose first token was right, by kind; later ones diverged in `diverged` of `tokens`."""

    asked: int = 0
    first: int = 0
    tokens: int = 0
    diverged: int = 0


@dataclass
class Count:
    """num_least: passes that a perfect draft needs. num_places: where the edited text departs from the original."""

    passes: int = 0
    num_least: int = 0
    num_places: int = 0
    divergences: int = 0
    tokens: int = 0
    kinds: dict[Kind, Tally] = field(default_factory=lambda: defaultdict(Tally))

    @property
    def passes_per_place(self) -> float:
        """Passes more than a perfect draft needs, for each place where the text changes."""
        return (self.passes - self.num_least) / max(1, self.num_places)


def count_passes(
    pairs: Sequence[Pair], codec: Codec, chunk: int = CHUNK, num_branches: int = 1, use_lookups: bool = True
) -> Count:
    """Follow every pair's edited text from its bare original. num_branches: candidates verified in one pass."""
    total = Count()
    for pair in pairs:
        output = [*codec.encode(pair.edited), 0]
        _follow(pair, output, codec, chunk, num_branches, use_lookups, total)
        total.tokens += len(output)
        total.num_least += -(-len(output) // (chunk + 1))
        total.num_places += changed_places(pair)
    return total


def changed_places(pair: Pair) -> int:
    """Runs of lines that differ between original and edited text."""
    matcher = difflib.SequenceMatcher(None, pair.original.split("\n"), pair.edited.split("\n"), autojunk=False)
    return sum(operation[0] != "equal" for operation in matcher.get_opcodes())


def _follow(
    pair: Pair, output: list[int], codec: Codec, chunk: int, num_branches: int, use_lookups: bool, total: Count
) -> None:
    transcript, acceptance = Transcript(codec), Acceptance()
    cascade = Cascade(
        [TextDrafter(Draft(pair.original, Kind.ORIGINAL), codec, transcript, (0,))],
        _lookups(pair, codec, transcript) if use_lookups else (),
        acceptance.worth,
    )
    at = 0
    while at < len(output):
        candidates = cascade.candidates(chunk)[:num_branches]
        rest = output[at : at + chunk + 1]
        accepted = [_num_right(candidate, rest) for candidate in candidates]
        for candidate, num_right in zip(candidates, accepted, strict=True):
            _tally(total.kinds[candidate.kind], candidate, num_right)
        best = max(accepted, default=0)
        total.divergences += bool(candidates) and best < min(len(candidates[0].tokens), len(rest) - 1)
        total.passes += 1
        transcript.extend(output[at : at + best + 1])
        at += best + 1


def _lookups(pair: Pair, codec: Codec, transcript: Transcript) -> tuple[SnippetDrafter, SuffixDrafter, NgramDrafter]:
    def sources() -> list[list[int]]:
        return [codec.encode(text) for text in (*pair.snippets, pair.original)]

    return (
        SnippetDrafter(pair.snippets, pair.original, codec, transcript),
        SuffixDrafter(sources, transcript),
        NgramDrafter(sources, transcript),
    )


def _num_right(proposal: Proposal, rest: list[int]) -> int:
    draft = proposal.tokens[: len(rest)]
    return accepted_length(rest, draft)


def _tally(tally: Tally, proposal: Proposal, num_right: int) -> None:
    tally.asked += 1
    tally.first += num_right > 0
    tally.tokens += max(0, num_right - 1)
    tally.diverged += 0 < num_right < len(proposal.tokens)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cases", type=Path, help="folder of cases (default: ../shared/apply_cases/cases)")
    parser.add_argument("--chunk", type=int, default=CHUNK)
    options = parser.parse_args()
    pairs, source = load_pairs(options.cases)
    pairs = [pair for pair in pairs if pair.changed_share < 0.3]
    codec = TokenizerCodec(make_tokenizer((pair.original for pair in pairs), VOCABULARY).backend_tokenizer)
    print(f"{len(pairs)} pairs: {source}; chunk {options.chunk}")
    rows = {
        "original and look-up": count_passes(pairs, codec, options.chunk),
        "2 candidates a pass": count_passes(pairs, codec, options.chunk, num_branches=2),
        "3 candidates a pass": count_passes(pairs, codec, options.chunk, num_branches=3),
        "original alone": count_passes(pairs, codec, options.chunk, use_lookups=False),
    }
    for name, count in rows.items():
        print(
            f"{name:22} {count.tokens} tokens in {count.passes} passes, perfect drafts {count.num_least}: "
            f"{count.passes_per_place:.2f} more for each of {count.num_places} changed places"
        )
    for kind, tally in sorted(rows["original and look-up"].kinds.items()):
        print(
            f"  {kind:16} asked {tally.asked:5}  first token right {tally.first / tally.asked:.2f}  "
            f"then diverged at {tally.diverged / max(1, tally.tokens):.4f} of the tokens"
        )


if __name__ == "__main__":
    main()
