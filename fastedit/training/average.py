"""python -m fastedit.training.average FOLDER FOLDER ... --out FOLDER: the mean of checkpoints' weights.

Checkpoints that were trained on from the same weights are often worse than their average. All have to be of one shape;
the new folder has everything else (tokenizer, configuration, template) from the first.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from fastedit.errors import SettingsError

WEIGHTS = "model.safetensors"


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the averaged checkpoint; exit status 2, and why in one line, where that can't be."""
    parser = argparse.ArgumentParser(
        prog="python -m fastedit.training.average",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER", help="checkpoints with one file of weights")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    options = parser.parse_args(arguments)
    try:
        average(options.folders, options.out)
    except (SettingsError, OSError, SafetensorError) as error:
        sys.stderr.write(f"average: {error}\n")
        return 2
    return 0


def average(folders: Sequence[Path], out: Path) -> None:
    """Writes the checkpoint of the mean weights. SettingsError where they aren't of one shape."""
    weights = [load_file(folder / WEIGHTS) for folder in folders]
    shapes = [{name: (tensor.shape, tensor.dtype) for name, tensor in one.items()} for one in weights]
    if any(one != shapes[0] for one in shapes):
        raise SettingsError("weights can only be averaged where all are of one shape")
    # Summed in float64: the mean of bfloat16 numbers is rounded once.
    mean = {
        name: torch.stack([one[name].double() for one in weights]).mean(0).to(tensor.dtype)
        for name, tensor in weights[0].items()
    }
    shutil.copytree(folders[0], out, dirs_exist_ok=True)
    save_file(mean, out / WEIGHTS, metadata={"format": "pt"})


if __name__ == "__main__":
    sys.exit(main())
