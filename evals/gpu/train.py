"""A target trained on a GPU in one command of limited time, from packed documents to a checkpoint in pieces.

    python evals/gpu/train.py DATA [OUT] [--config FILE] [--base FOLDER] [--work FOLDER]
                              [--budget SECONDS] [--minutes MINUTES] [--no-compile]

DATA is what pack_shards.py made. OUT ($OUT where it isn't given) gets the checkpoint in pieces (see delivery.py), the
log, and summary.json. Before it begins, attention in one call is compared with attention document by document; where
that fails, it is left out and the summary says so. When the budget is used up, the learning rate has fallen to its end
and all files are written. With more `--minutes` than that, the run is stopped there with its state kept in the work
folder, and the same command goes on with it. Needs torch, transformers and accelerate, and nothing that makes edits.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

STARTED = time.monotonic()
ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from evals.gpu.bare import make_importable  # noqa: E402

make_importable()

from evals.gpu.delivery import deliver  # noqa: E402
from evals.gpu.pack_shards import TOKENIZER, unpack_folder  # noqa: E402
from fastedit.training.settings import TrainingSettings, read_settings  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

RECIPE = ROOT / "fastedit" / "training" / "recipes" / "embedded-gpu.toml"
WORK = ROOT / "build" / "gpu-training"
BUDGET_S = 560.0
RESERVE_S = 50.0  # making the model, measuring on the way and in the end, and writing
GRACE_S = 15.0  # a run that isn't over by then is stopped
SUMMARY = "summary.json"


def settings_for(recipe: Path, data: Path, work: Path, base: Path | None, minutes: float) -> TrainingSettings:
    """The recipe's settings, with the shards and the tokenizer that were brought along, and nothing to make."""
    settings = read_settings(recipe)
    model = replace(settings.model, tokenizer=str((data / TOKENIZER).resolve()))
    if base is not None:
        model = replace(model, base=str(base.resolve()))
    return replace(
        settings,
        output=str((work / "run").resolve()),
        model=model,
        data=replace(settings.data, sources=(), shards=str((work / "shards").resolve())),
        schedule=replace(settings.schedule, minutes=minutes),
    )


@contextmanager
def stopped_after(seconds: float) -> Iterator[None]:
    """After so many seconds what runs inside is told to come to its end by SIGTERM, which ends nothing else."""
    previous = signal.signal(signal.SIGTERM, signal.SIG_IGN)  # for when it comes between training and writing
    timer = threading.Timer(max(0.0, seconds), os.kill, (os.getpid(), signal.SIGTERM))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        signal.signal(signal.SIGTERM, previous)


def attention_problem() -> str:
    """What is wrong with attention in one call on this machine's GPU, or nothing. If so, it is used no more."""
    import torch

    from evals.gpu.training_checks import check_attention
    from fastedit.training import attention

    if not torch.cuda.is_available():
        return ""
    try:
        problem = check_attention(torch.device("cuda")).problem
    except (RuntimeError, TypeError) as error:  # a kernel that refuses, a signature that changed
        problem = f"{type(error).__name__}: {error}"
    if problem:
        print(f"attention document by document, not compiled: {problem}", flush=True)
        attention.HAS_VARLEN = False
    return problem


def run(options: argparse.Namespace, elapsed_s: Callable[[], float]) -> dict[str, Any]:
    """Train, leave everything in the output folder, and give the summary."""
    work, out = Path(options.work), Path(options.out)
    if not (work / "shards").is_dir():
        unpacking = work / "unpacking"
        shutil.rmtree(unpacking, ignore_errors=True)
        print(f"{unpack_folder(options.data, unpacking):,} documents after {elapsed_s():.0f} s", flush=True)
        unpacking.rename(work / "shards")
    from fastedit.training.trainer import LOG, train

    problem = attention_problem()
    minutes = options.minutes or (options.budget - elapsed_s() - RESERVE_S) / 60
    settings = settings_for(options.config, options.data, work, options.base, minutes)
    if problem or options.no_compile:
        settings = replace(settings, model=replace(settings.model, compile=False))
    with stopped_after(options.budget - GRACE_S - elapsed_s()):
        checkpoint = train(settings)
    log = Path(settings.output) / LOG
    summary = summary_of([json.loads(line) for line in log.read_text("utf-8").splitlines()])
    summary |= device() | {"seconds": round(elapsed_s(), 1), "planned_minutes": round(minutes, 2)}
    summary["attention_problem"] = problem
    summary["files"] = {path.name: path.stat().st_size for path in deliver(checkpoint, out, [log])}
    (out / SUMMARY).write_text(json.dumps(summary, indent=1) + "\n", "utf-8")
    return summary


def summary_of(entries: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """How far a run came, from its log: the last step, and what was measured last."""
    steps = [entry for entry in entries if "loss" in entry]
    groups = {entry["max_tokens"]: entry for entry in entries if "exact" in entry}
    speeds = sorted(entry["tokens_per_s"] for entry in steps)
    return {
        "last_step": steps[-1] if steps else None,
        "median_tokens_per_s": speeds[len(speeds) // 2] if speeds else None,
        "held_out": list(groups.values()),
    }


def device() -> dict[str, Any]:
    """What it ran on, and the most memory that was used there."""
    import torch

    if not torch.cuda.is_available():
        return {"device": "cpu", "torch": torch.__version__}
    peak = torch.cuda.max_memory_allocated() / 2**30
    return {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "peak_gib": round(peak, 2)}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", nargs="?", type=Path, default=os.environ.get("OUT"))
    parser.add_argument("--config", type=Path, default=RECIPE)
    parser.add_argument("--base", type=Path, help="a checkpoint to go on from, instead of the recipe's model")
    parser.add_argument("--work", type=Path, default=WORK, help="where shards and state lie; new for a new run")
    parser.add_argument("--budget", type=float, default=BUDGET_S, metavar="SECONDS")
    parser.add_argument(
        "--minutes", type=float, help="of training, over all commands; by default what the budget allows"
    )
    parser.add_argument("--no-compile", action="store_true", help="whatever the recipe says")
    options = parser.parse_args(arguments)
    if options.out is None:
        parser.error("no folder for the checkpoint: give one, or set $OUT")
    started = STARTED if arguments is None else time.monotonic()
    print(json.dumps(run(options, lambda: time.monotonic() - started), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
