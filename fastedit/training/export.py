"""A trained model as a checkpoint that `Target.load`, transformers and others read."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from fastedit.targets.templates import TEMPLATE_FILE
from fastedit.training.create import Trainee
from fastedit.training.masters import Masters


def export(trainee: Trainee, masters: Masters, folder: Path, dtype: torch.dtype = torch.bfloat16) -> Path:
    """The folder with weights (adapters merged), tokenizer, configuration and prompt template."""
    import copy

    masters.write_back()
    model: Any = copy.deepcopy(trainee.model)
    if hasattr(model, "merge_and_unload"):
        model = model.merge_and_unload()
    model = model.to(dtype)
    model.config.use_cache = True
    model.save_pretrained(folder)
    trainee.tokenizer.save_pretrained(folder)
    (folder / TEMPLATE_FILE).write_text(json.dumps(asdict(trainee.template), indent=2) + "\n", "utf-8")
    return folder
