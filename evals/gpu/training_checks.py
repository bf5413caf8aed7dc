"""Does what training does only on a GPU give what is done elsewhere? A few seconds, before a run spends minutes on it.

python -m evals.gpu.training_checks [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from evals.gpu.bare import make_importable

make_importable()

import torch  # noqa: E402
from torch import Tensor, nn  # noqa: E402

from fastedit.training.attention import bounds_in_one_call, packed_attention, takes_one_call  # noqa: E402
from fastedit.training.muon import BatchedMuon  # noqa: E402

LENGTHS = (1, 700, 64, 2048, 129, 333, 128, 17)
HEADS, HEAD_DIM = 8, 64
NUM_PADDING = 300
WIDTH, INTERMEDIATE, LAYERS = 512, 1024, 7
ATTENTION_TOLERANCE = 0.02  # of the largest value: bfloat16 keeps eight bits
MUON_TOLERANCE = 0.05  # of a step: both work in bfloat16, and round elsewhere
REPEATS = 5


@dataclass(frozen=True, slots=True)
class Check:
    """problem: what is wrong, or empty. milliseconds: of the way that is used on a GPU, and of the other one."""

    name: str
    problem: str
    milliseconds: float
    other_milliseconds: float


def check_attention(device: torch.device, lengths: Sequence[int] = LENGTHS) -> Check:
    """All documents of a row in one call, against one call each: results and gradients."""
    name = "attention in one call"
    if not takes_one_call(device):
        return Check(name, f"torch {torch.__version__} can't on {device.type}", 0.0, 0.0)
    torch.manual_seed(0)
    num_tokens = sum(lengths) + NUM_PADDING
    shape = (1, HEADS, num_tokens, HEAD_DIM)
    inputs = [torch.randn(shape, device=device, dtype=torch.bfloat16, requires_grad=True) for _ in range(3)]
    query, key, value = inputs
    bounds = torch.tensor([0, *lengths]).cumsum(0)
    together = bounds_in_one_call(bounds, num_tokens, max(lengths)).to(device)

    def passed(bounds: Tensor, longest: int | None) -> list[Tensor]:
        out, _ = packed_attention(nn.Identity(), query, key, value, None, packed_bounds=bounds, packed_longest=longest)
        shown = out[:, : sum(lengths)]
        return [out.detach(), *torch.autograd.grad(shown.square().sum(), inputs)]

    ways = (together, max(lengths)), (bounds, None)
    found, expected = (passed(*way) for way in ways)
    problems = [] if all(x.isfinite().all() for x in found) else ["not all finite"]
    names = ("result", "query gradient", "key gradient", "value gradient")
    pairs = [(found[0][:, : sum(lengths)], expected[0][:, : sum(lengths)]), *zip(found[1:], expected[1:], strict=True)]
    for what, (mine, other) in zip(names, pairs, strict=True):
        error = float((mine - other).abs().max() / other.abs().max())
        if not error <= ATTENTION_TOLERANCE:
            problems.append(f"{what} off by {error:.3g}")
    times = [milliseconds(partial(passed, *way), device) for way in ways]
    return Check(name, ", ".join(problems), *times)


def check_muon(device: torch.device) -> Check:
    """A step of all matrices of one shape together, against torch's own, one by one."""
    torch.manual_seed(0)
    shapes = [(WIDTH, WIDTH)] * 4 * LAYERS + [(INTERMEDIATE, WIDTH)] * 2 * LAYERS + [(WIDTH, INTERMEDIATE)] * LAYERS
    own = [nn.Parameter(torch.zeros(shape, device=device)) for shape in shapes]
    for weight in own:
        weight.grad = torch.randn_like(weight)
    theirs = deepcopy(own)
    for weight, source in zip(theirs, own, strict=True):
        weight.grad = source.grad
    options = {"lr": 1.0, "weight_decay": 0.0, "adjust_lr_fn": "original"}
    optimizers = BatchedMuon(own, **options), torch.optim.Muon(theirs, **options)  # type: ignore[arg-type]
    for optimizer in optimizers:
        optimizer.step()
    errors = [float((a - b).detach().norm() / b.detach().norm()) for a, b in zip(own, theirs, strict=True)]
    problem = "" if max(errors) <= MUON_TOLERANCE else f"a step off by {max(errors):.3g}"
    return Check("muon together", problem, *(milliseconds(optimizer.step, device) for optimizer in optimizers))


def milliseconds(done: Callable[[], object], device: torch.device) -> float:
    """The shortest of a few runs, what the device computes included."""
    times = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        done()
        if device.type == "cuda":
            torch.cuda.synchronize()
        times.append(time.perf_counter() - started)
    return round(1000 * min(times), 3)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(arguments)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    checks = [asdict(check(device)) for check in (check_attention, check_muon)]
    print(json.dumps(checks, indent=1))
    if options.out:
        options.out.write_text(json.dumps(checks) + "\n", "utf-8")
    return int(any(check["problem"] for check in checks))


if __name__ == "__main__":
    sys.exit(main())
