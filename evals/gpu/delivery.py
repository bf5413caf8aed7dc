"""A checkpoint in pieces of limited size, and whole again.

    python evals/gpu/delivery.py PIECES CHECKPOINT

Weights come as safetensors files of at most 15 MB, everything else in one `rest.zip`: few files, none of them large.
"""

from __future__ import annotations

import argparse
import json
import sys
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

WEIGHTS = "model.safetensors"
PIECES = "model*.safetensors"
REST = "rest.zip"
PIECE_SIZE = "15MB"


def deliver(checkpoint: Path, folder: Path, others: Iterable[Path] = ()) -> list[Path]:
    """The files that `folder` got: the checkpoint's weights in pieces, the rest and `others` in an archive."""
    from huggingface_hub import save_torch_state_dict

    folder.mkdir(parents=True, exist_ok=True)
    save_torch_state_dict(_weights(checkpoint), folder, max_shard_size=PIECE_SIZE)
    with zipfile.ZipFile(folder / REST, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in (*sorted(checkpoint.iterdir()), *others):
            if path.suffix != ".safetensors":
                archive.write(path, path.name)
    (folder / f"{WEIGHTS}.index.json").unlink(missing_ok=True)  # what is where is told by the pieces
    return sorted(folder.iterdir())


def collect(folder: Path, checkpoint: Path) -> Path:
    """The checkpoint whose pieces lie in `folder`, its weights in one file. FileNotFoundError where one is missing."""
    from safetensors.torch import save_file

    weights = _weights(folder)
    checkpoint.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / REST) as archive:
        archive.extractall(checkpoint)
    save_file(weights, checkpoint / WEIGHTS, metadata={"format": "pt"})
    return checkpoint


def _weights(folder: Path) -> dict[str, Tensor]:
    from safetensors.torch import load_file

    pieces = sorted(folder.glob(PIECES))
    expected = int(pieces[0].stem.rpartition("-of-")[2]) if pieces and "-of-" in pieces[0].stem else 1
    if len(pieces) != expected:
        raise FileNotFoundError(f"{len(pieces)} of {expected} pieces of weights in {folder.name}")
    return {name: weight for piece in pieces for name, weight in load_file(piece).items()}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pieces", type=Path)
    parser.add_argument("checkpoint", type=Path)
    options = parser.parse_args(arguments)
    checkpoint = collect(options.pieces, options.checkpoint)
    print(json.dumps({path.name: path.stat().st_size for path in sorted(checkpoint.iterdir())}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
