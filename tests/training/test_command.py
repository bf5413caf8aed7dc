"""`fastedit train`, from a folder of sources to a target."""

from __future__ import annotations

import sys

import pytest
import torch
from click.testing import CliRunner

from fastedit.cli.app import app
from fastedit.cli.train import RECIPES
from fastedit.targets import Target
from fastedit.targets.marks import NUM_MARKS
from fastedit.training.documents import HELD_OUT, read_shard, shards_in
from fastedit.training.plot import main as plot
from fastedit.training.settings import read_settings
from fastedit.training.sources import held_out_files, is_held_out, kept_apart, source_folders
from support.edits import ORIGINALS

CONFIG = """
output = "run"
[model]
tokenizer = "tokenizer"
vocabulary = 600
hidden = 256
layers = 2
intermediate = 32
[data]
sources = ["SOURCES", "python:json"]
weights = [3, 1]
pairs = 12
tokenizer_pairs = 20
held_out = 0.4
[schedule]
tokens = 6000
row_tokens = 2048
log_steps = 1
stages = [{ start = 0.0, max_tokens = 1024 }, { start = 0.3, max_tokens = 2048 }]
[evaluation]
documents = 3
"""


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "run.toml"
    path.write_text(CONFIG.replace("SOURCES", str(ORIGINALS)))
    return path


def run(*arguments):
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return CliRunner().invoke(app, ["train", *map(str, arguments)])
    finally:
        torch.set_num_threads(before)


def test_makes_its_data_and_leaves_a_target(config, tmp_path):
    outcome = run("--config", config)
    assert outcome.exit_code == 0, outcome.output
    assert outcome.output.strip().endswith("checkpoint")
    target = Target.load(tmp_path / "run" / "checkpoint")
    assert target.template.name == "marked"
    assert target.codec.num_tokens <= 600 + NUM_MARKS + 20
    shards = tmp_path / "shards"
    counts = [len(read_shard(shards_in(folder)[0])) for folder in (shards, shards / HELD_OUT)]
    assert counts == [12, 3]
    image = tmp_path / "curve.png"
    assert plot([str(tmp_path / "run" / "log.jsonl"), str(image)]) == 0
    assert image.read_bytes().startswith(b"\x89PNG")


def test_only_data_trains_nothing_and_makes_nothing_twice(config, tmp_path):
    assert run("--config", config, "--only-data").exit_code == 0
    made = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    assert run("--config", config, "--only-data").exit_code == 0
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()} == made
    assert not (tmp_path / "run").exists()


def test_a_recipe_is_a_configuration_that_comes_along(config, tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules["fastedit.cli.train"], "RECIPES", tmp_path)
    assert run("--recipe", "run", "--only-data").exit_code == 0
    assert (tmp_path / "shards").is_dir()
    unknown = run("--recipe", "ruin")
    assert (unknown.exit_code, "there is no recipe 'ruin'; there are run" in unknown.output) == (2, True)
    for arguments in ((), ("--recipe", "run", "--config", config)):
        outcome = run(*arguments)
        assert (outcome.exit_code, "name a --config or a --recipe" in outcome.output) == (2, True)


def test_the_recipes_that_come_along_can_be_read():
    assert RECIPES.is_dir()
    for path in RECIPES.glob("*.toml"):
        assert read_settings(path).output


def test_held_out_files_are_those_that_pairs_are_kept_from(config):
    settings = read_settings(config)
    held = held_out_files(settings)
    assert held
    assert all(is_held_out(path.name, 0.4) for path in held if path.is_relative_to(ORIGINALS))
    assert {path.name for path in source_folders(settings)} == {"originals", "json"}
    assert kept_apart(settings) == []


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("output = 1", "output must be str"),
        (CONFIG.replace("SOURCES", "nowhere"), "there is no nowhere"),
        (CONFIG.replace("SOURCES", "python:no_such_package"), "there is no python:no_such_package"),
        (CONFIG.replace("[3, 1]", "[3]").replace("SOURCES", "."), "one number for each source"),
        ('output = "x"\n[model]\nbase = "nowhere/at-all"\n[schedule]\ntokens = 1\n', "nowhere/at-all"),
    ],
)
def test_says_what_is_wrong(config, text, complaint):
    config.write_text(text)
    outcome = run("--config", config)
    assert outcome.exit_code in (2, 6)
    assert complaint in outcome.output
