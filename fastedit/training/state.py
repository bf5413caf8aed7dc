"""A run's state on disk, from which it goes on at any moment as if it hadn't been stopped."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

NAME = "state.pt"


@dataclass
class Progress:
    """The progress of a run. elapsed_s: time spent training, over all sittings. shards_read: by each process."""

    step: int = 0
    num_tokens: int = 0
    elapsed_s: float = 0.0
    shards_read: int = 0


def save_state(folder: Path, progress: Progress, masters: dict[str, Any], optimizers: list[dict[str, Any]]) -> None:
    """Puts the state in the place of the last one in one go: a crash leaves one of the two."""
    unfinished = folder / f"{NAME}.unfinished"
    torch.save({"progress": asdict(progress), "masters": masters, "optimizers": optimizers}, unfinished)
    os.replace(unfinished, folder / NAME)


def load_state(folder: Path) -> tuple[Progress, dict[str, Any], list[dict[str, Any]]] | None:
    """The saved progress, masters and optimizers' states; None where nothing was saved."""
    if not (folder / NAME).is_file():
        return None
    data = torch.load(folder / NAME, map_location="cpu", weights_only=True)
    return Progress(**data["progress"]), data["masters"], data["optimizers"]
