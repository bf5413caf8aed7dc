"""Every kernel against the usual torch way and against its roofline.

    python -m fastedit_kernels.bench [--out FOLDER] [--only KERNEL] [--variant NAME] [--plot RESULTS.json]

Writes bench.json and bench.md into FOLDER, and bench.svg where matplotlib is installed; --plot draws an earlier
bench.json again. Without a GPU only the references run, at toy sizes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from functools import partial
from itertools import chain
from pathlib import Path

import torch

from fastedit_kernels import EXACT, FAST
from fastedit_kernels.bench.cases import (
    LLAMA_70B,
    QWEN_7B,
    TINY,
    Case,
    Place,
    Shape,
    attention_cases,
    small_cases,
    verify_cases,
)
from fastedit_kernels.bench.report import Result, plot, read_json, table, write_json
from fastedit_kernels.bench.whole_pass import Stack
from fastedit_kernels.timing import Call, Ceilings, extra_bytes, measured_ceilings, milliseconds

KERNELS = ("verify", "chunk_attention", "small", "pass")
CONTEXT = 4096
PASS_ROWS = (16, 64, 128, 192, 256)


def gpu_place(variants: list[str] | None) -> Place:
    """The GPU, with the named `verify` variants, or all that an engine would try."""
    from fastedit_kernels.gpu.tiles import CUBLAS, START_UP_CANDIDATES, VERIFY_TILES

    names = tuple(variants or (*START_UP_CANDIDATES, CUBLAS))
    sampling = tuple(name for name in names if name == CUBLAS or VERIFY_TILES[name].samples)
    return Place(torch.device("cuda"), torch.bfloat16, names, sampling)


def cases(place: Place, kernel: str) -> Iterator[Case]:
    """The cases of one entry of KERNELS; a pass's are made by `pass_cases`."""
    if place.device.type != "cuda":
        yield from {
            "verify": verify_cases(place, TINY, (4,)),
            "chunk_attention": attention_cases(place, TINY, ((2, 8, 100),)),
            "small": small_cases(place, TINY, (8,)),
        }.get(kernel, iter(()))
        return
    yield from {
        "verify": chain(
            verify_cases(place, QWEN_7B, (1, 16, 64, 128, 192, 256, 512, 1024)),
            verify_cases(place, LLAMA_70B, (16, 128)),
        ),
        "chunk_attention": chain(
            attention_cases(place, QWEN_7B, ((1, 16, CONTEXT), (1, 128, CONTEXT), (1, 512, CONTEXT), (8, 16, CONTEXT))),
            attention_cases(place, LLAMA_70B, ((1, 128, CONTEXT), (8, 16, CONTEXT))),
        ),
        "small": small_cases(place, QWEN_7B, (16, 128, 1024)),
    }.get(kernel, iter(()))


def pass_cases(place: Place, shape: Shape = QWEN_7B, row_counts: tuple[int, ...] = PASS_ROWS) -> Iterator[Case]:
    """A whole pass at batch 1, whose floor is one stream of its weights."""
    stack = Stack.random(place, shape, CONTEXT + max(row_counts))
    for rows in row_counts:
        x = place.randn(rows, shape.width)
        index = (place.index(0, rows), place.index(0), place.index(CONTEXT))
        ways = {f"{place.ours} {mode.name}": partial(stack.run, x, index, rows, mode) for mode in (EXACT, FAST)}
        name = f"{shape.name} K={rows} keys={CONTEXT}"
        yield Case("pass", name, stack.weight_bytes, 0.0, dict[str, Call](ways))


def results(case: Case, place: Place, ceilings: Ceilings) -> Iterator[Result]:
    """Each way's time; one that fails says why and stops no other."""
    floor = ceilings.milliseconds(case.num_bytes, case.flops)
    for way, call in case.ways.items():
        try:
            memory = extra_bytes(call, place.device)
            time = milliseconds(call, place.device, way not in case.uncapturable)
            yield Result(case.kernel, case.name, way, time, floor, memory)
        except Exception as error:  # noqa: BLE001 - compilers and drivers raise what they like
            problem = f"{type(error).__name__}: {error}".splitlines()[0][:120]
            yield Result(case.kernel, case.name, way, float("nan"), floor, problem=problem)


def write(found: list[Result], ceilings: Ceilings, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    write_json(found, ceilings, folder / "bench.json")
    (folder / "bench.md").write_text(table(found, ceilings))


def draw(found: list[Result], ceilings: Ceilings, path: Path) -> None:
    try:
        plot(found, ceilings, path)
    except ImportError:
        print(f"No plot: matplotlib isn't installed. Later: python -m fastedit_kernels.bench --plot {path.stem}.json")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("bench"))
    parser.add_argument("--only", choices=KERNELS, action="append")
    parser.add_argument(
        "--variant", action="append", metavar="NAME", help="a tile of verify; default: all trusted ones"
    )
    parser.add_argument("--plot", type=Path, metavar="RESULTS.json")
    options = parser.parse_args(arguments)
    if options.plot:
        plot(*read_json(options.plot), options.plot.with_suffix(".svg"))
        return 0
    is_gpu = torch.cuda.is_available()
    place = gpu_place(options.variant) if is_gpu else Place(torch.device("cpu"), torch.float32)
    if not is_gpu:
        print("NO GPU: these are the torch references at toy sizes on a CPU. They say nothing about the kernels.\n")
    ceilings = measured_ceilings(place.device, place.dtype)
    found: list[Result] = []
    for kernel in options.only or KERNELS:
        measured = pass_cases(place) if kernel == "pass" and is_gpu else cases(place, kernel)
        for case in measured:
            found += results(case, place, ceilings)
            write(found, ceilings, options.out)  # what is there stays, whatever happens next
    print(table(found, ceilings), end="")
    draw(found, ceilings, options.out / "bench.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
