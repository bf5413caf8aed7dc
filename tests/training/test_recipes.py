"""The recipes that ship: each can be read, and those for fine-tuning run on a tiny model of the same architecture."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

import fastedit.training
from fastedit.targets import Target
from fastedit.training.prepare import seen_cases
from fastedit.training.settings import EvaluationSettings, Stage, read_settings
from fastedit.training.trainer import train
from support.edits import ORIGINALS
from support.tiny_targets import make_tiny

RECIPES = sorted((Path(fastedit.training.__file__).parent / "recipes").glob("*.toml"))
ROW = 3072


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_can_be_read(path):
    settings = read_settings(path)
    assert settings.data.sources
    assert settings.model.base or settings.model.tokenizer
    assert settings.path(settings.output).resolve().parent.name == "runs"
    assert settings.data.written > 0.5
    assert len(seen_cases(settings)) > 500


@pytest.mark.parametrize("name", ["qwen2.5-coder-1.5b-lora", "qwen2.5-coder-7b-lora"])
def test_fine_tunes_with_the_recipe_s_own_template_and_adapters(name, tmp_path):
    pytest.importorskip("peft")
    recipe = read_settings(next(path for path in RECIPES if path.stem == name))
    make_tiny(tmp_path / "base", "qwen2", vocabulary=800)
    settings = replace(
        recipe,
        output=str(tmp_path / "run"),
        model=replace(recipe.model, base=str(tmp_path / "base")),
        data=replace(
            recipe.data,
            sources=(str(ORIGINALS),),
            shards=str(tmp_path / "shards"),
            pairs=6,
            held_out=0.3,
            max_tokens=ROW,
        ),
        schedule=replace(recipe.schedule, tokens=ROW, row_tokens=ROW, rows_per_step=1, stages=(Stage(0.0, ROW),)),
        evaluation=EvaluationSettings(documents=1, lengths=(ROW,)),
    )
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        target = Target.load(train(settings))
    finally:
        torch.set_num_threads(before)
    assert target.template.name == "kortix"
    assert target.template.answer_open == "<updated-code>"
    text = target.codec.text(target.prompt("old\n", "new\n"))
    assert "<code>old\n</code>" in text
