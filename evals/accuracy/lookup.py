"""python -m evals.accuracy lookup: lazy edits given to fastedit, and to the same target without it.

The target alone is what people have without fastedit: it gets the whole file and the edit, and writes the whole file
with transformers' own `generate`, greedily, with prompt look-up. Its answer counts as it stands.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import fastedit
from evals.accuracy.compare import Peer, compared, in_mode, summed_up, told
from evals.accuracy.sources import add_sources, default_sources
from fastedit.edits import parse_message
from fastedit.edits.model import Format
from fastedit.lines import split_lines
from fastedit.targets.default import choose_default
from fastedit.training.synthesis import BY_CARE, Sample, Tier, generate
from fastedit.verify.excerpts import Excerpt, excerpts_of
from fastedit.verify.windows import whole_file

if TYPE_CHECKING:
    from transformers import PreTrainedModel

    from fastedit.targets import Target

NUM_EDITS, MAX_LINES = 40, 200
LOOKUP_TOKENS = 64
MAX_TOKENS = 2**20  # of prompt and answer: no limit
TITLE = "Lazy edits, beside the target alone"


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 0 whatever the scores; 1 where there is no such target."""
    options = _parser().parse_args(arguments)
    choose_default(options.target)
    try:
        alone = target_alone(options.target)
    except fastedit.EditRefused as refusal:
        print(f"evals.accuracy.lookup: {refusal}", file=sys.stderr)
        return 1
    drawn = generate(
        options.sources or default_sources(),
        seed=options.seed,
        n=options.n * 20,
        tiers=[Tier(tier) for tier in options.tier],
        formats=[Format.LAZY],
    )
    samples = islice((one for one in drawn if one.original.count("\n") <= options.max_lines), options.n)
    modes = {f"fastedit, {mode}": in_mode(mode) for mode in ("structural", "auto", "model")}
    results = list(compared(samples, {**modes, "target alone": alone}))
    source = f"lazy edits of files up to {options.max_lines} lines; target: {options.target}"
    told(summed_up(results, title=TITLE, source=source), options.json)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m evals.accuracy lookup", description=__doc__)
    parser.add_argument("--n", type=int, default=NUM_EDITS, help=f"how many edits (default {NUM_EDITS})")
    parser.add_argument("--max-lines", type=int, default=MAX_LINES, help="the longest original")
    parser.add_argument("--target", default="embedded", help="a registered name or a folder")
    add_sources(parser)
    parser.add_argument("--seed", type=int, default=1)
    tiers = [tier.value for tier in BY_CARE]
    parser.add_argument("--tier", nargs="+", choices=tiers, default=tiers)
    parser.add_argument("--json", type=Path, metavar="FILE")
    return parser


def target_alone(name: str) -> Peer:
    """A peer that is the target itself, loaded now. Raises EngineUnavailable."""
    from transformers import AutoModelForCausalLM

    from fastedit.targets import Target
    from fastedit.targets.registry import folder_of

    target = Target.load(name)
    # Another copy: the target's own has FastEdit's attention in it.
    model: PreTrainedModel = AutoModelForCausalLM.from_pretrained(
        folder_of(name), dtype=target.dtype, attn_implementation="sdpa", local_files_only=True
    )
    model.to(target.device)  # type: ignore[arg-type]
    model.train(False)

    def run(sample: Sample) -> str | None:
        return _answer(target, model, sample)

    return run


def _answer(target: Target, model: PreTrainedModel, sample: Sample) -> str | None:
    """The file that the target writes, or None where it doesn't write a whole one."""
    import torch

    from fastedit.decode import EditRequest, decode_request
    from fastedit.decode.request import extract_answer

    shown = _excerpt(sample)
    asked = EditRequest(sample.original, shown.text, (), (), shown.elisions, shown.codes)
    request = decode_request(target, asked, MAX_TOKENS)
    prompt = list(request.prompt)
    with torch.inference_mode():
        output = model.generate(  # type: ignore[operator]
            torch.tensor([prompt], device=model.device),
            do_sample=False,
            max_new_tokens=request.max_new_tokens,
            prompt_lookup_num_tokens=LOOKUP_TOKENS,
            eos_token_id=list(target.stop_tokens),
            pad_token_id=target.stop_tokens[0],
        )
    tokens = [token for token in output[0, len(prompt) :].tolist() if token not in target.stop_tokens]
    try:
        return extract_answer(target.codec.text(tokens), target.template, sample.original)
    except fastedit.EditRefused:
        return None


def _excerpt(sample: Sample) -> Excerpt:
    """The edit as the target is used to see it, for the whole file."""
    window = whole_file(split_lines(sample.original), (), ())
    text, elisions, codes = "", list[tuple[int, int]](), list[str | None]()
    for edit in parse_message(sample.edit):
        (excerpt,) = excerpts_of(edit, [window], window.lines)
        elisions += [(len(text) + start, len(text) + end) for start, end in excerpt.elisions]
        text += excerpt.text
        codes += excerpt.codes
    return Excerpt(text, (), tuple(elisions), tuple(codes))
