"""Does exact mode keep its promise on this device, and how often does fast mode differ?

    python -m fastedit_kernels.bench.exactness [--out FILE.json] [--layers N]

The same tokens go through a decoder with random weights in one pass of 128 rows, and again a few at a time. In exact
mode, where every pass is padded to 128 rows, their hidden states have to agree bit for bit. In fast mode, with small
row buckets, the rows whose argmax differs are counted, with their top-2 margins. Random weights leave flat logits, so
that this flip rate is an upper bound for a trained model's.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch
from torch import Tensor

from fastedit_kernels import EXACT, FAST, Mode
from fastedit_kernels.bench.cases import QWEN_7B, TINY, Place
from fastedit_kernels.bench.whole_pass import Stack
from fastedit_kernels.reference.verify import plain_logits

TOKENS = 128
PIECES = (1, 16, 64)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One way to feed the tokens, against one exact pass over all. margins: top-2, of the rows that flipped."""

    mode: str
    piece: int
    rows: int
    differing_rows: int
    flipped_tokens: int
    margins: tuple[float, ...]


def comparisons(stack: Stack, place: Place, length: int) -> list[Comparison]:
    """Exact and fast mode at every piece size; `length` keys are cached before."""
    x = place.randn(TOKENS, stack.shape.width)
    whole = fed(stack, place, x, length, TOKENS, EXACT)
    logits = plain_logits(whole, stack.lm_head)
    top = logits.topk(2, dim=-1).values
    found = []
    for mode in (EXACT, FAST):
        for piece in PIECES:
            hidden = fed(stack, place, x, length, piece, mode)
            is_flipped = plain_logits(hidden, stack.lm_head).argmax(-1) != logits.argmax(-1)
            differing = int((hidden != whole).any(-1).sum())
            margins = (top[:, 0] - top[:, 1])[is_flipped].tolist()
            found.append(Comparison(mode.name, piece, TOKENS, differing, int(is_flipped.sum()), tuple(margins)))
    return found


def fed(stack: Stack, place: Place, x: Tensor, length: int, piece: int, mode: Mode) -> Tensor:
    """The hidden states of all tokens, fed `piece` at a time, each pass padded to the mode's row bucket."""
    hidden = []
    for start in range(0, len(x), piece):
        chunk = x[start : start + piece]
        padding = mode.row_bucket(len(chunk)) - len(chunk)
        padded = torch.cat((chunk, place.randn(padding, x.shape[1])))
        index = (place.index(0, len(chunk)), place.index(0), place.index(length + start))
        hidden.append(stack.hidden(padded, index, TOKENS, mode)[: len(chunk)])
    return torch.cat(hidden)


def moved_rows(stack: Stack, place: Place) -> dict[str, int]:
    """For each product of a layer: rows, of 128, that change when they stand elsewhere among other rows."""
    layer = stack.layers[0]
    changed = {}
    for name in ("qkv", "output", "gate_up", "down"):
        weight = getattr(layer, name)
        x = place.randn(TOKENS, weight.shape[1])
        order = torch.randperm(TOKENS).to(place.device)
        mixed = torch.where(
            (torch.arange(TOKENS, device=place.device) % 2 == 0)[:, None], x[order], place.randn(*x.shape)
        )
        differs = ((mixed @ weight.T) != (x @ weight.T)[order]).any(-1)
        changed[name] = int(differs[::2].sum())
    return changed


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, metavar="FILE.json")
    parser.add_argument("--layers", type=int, default=8)
    options = parser.parse_args(arguments)
    is_gpu = torch.cuda.is_available()
    if not is_gpu:
        print("NO GPU: these are the torch references at toy sizes, which promise no bits.")
    place = Place(torch.device("cuda"), torch.bfloat16) if is_gpu else Place(torch.device("cpu"), torch.float32)
    shape = replace(QWEN_7B, num_layers=options.layers) if is_gpu else TINY
    length = 1500 if is_gpu else 50
    stack = Stack.random(place, shape, slot_len=length + 2 * TOKENS)
    changed = moved_rows(stack, place)
    print(f"rows of {TOKENS} that change when moved among others: {changed}")
    found = comparisons(stack, place, length)
    for row in found:
        widest = max(row.margins, default=0.0)
        print(
            f"{row.mode} by {row.piece}: {row.differing_rows} of {row.rows} hidden states differ, "
            f"{row.flipped_tokens} tokens flip (widest margin {widest:.3g})"
        )
    if options.out:
        held = {"moved_rows": changed, "comparisons": [asdict(row) for row in found]}
        options.out.write_text(json.dumps(held, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
