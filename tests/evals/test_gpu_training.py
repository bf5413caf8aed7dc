"""Training on a GPU machine: what is carried there, what runs there, what comes back."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from evals.gpu import train as program
from evals.gpu import training_checks
from evals.gpu.delivery import REST, collect, deliver
from evals.gpu.pack_shards import pack_block, pack_folder, size_of, unpack_block, unpack_folder
from fastedit.targets import Target
from fastedit.targets.marks import NUM_MARKS
from fastedit.training.create import template_for
from fastedit.training.documents import HELD_OUT, Document, read_shard, shards_in, write_shards
from fastedit.training.settings import read_settings
from fastedit.training.tokenizer import train_tokenizer
from support import flash
from support.bare import BLOCKED, ROOT

CONFIG = """
output = "run"
[model]
tokenizer = "not-there"
hidden = 64
layers = 2
heads = 2
kv_heads = 2
head_dim = 32
intermediate = 64
begins_copying = false
[data]
sources = ["not-there"]
[schedule]
tokens = 9000
row_tokens = 1024
log_steps = 2
stages = [{ start = 0.0, max_tokens = 256 }]
[evaluation]
documents = 6
lengths = [256]
"""


END = 1  # the token that ends an answer, as `train_tokenizer` numbers it


def documents(count: int, seed: int = 0) -> list[Document]:
    rng = np.random.default_rng(seed)
    made = []
    for length in rng.integers(40, 120, count):
        prompt = rng.integers(0, 250, length).astype(np.uint32)
        made.append(Document(np.concatenate([prompt, prompt[10:], np.uint32([END])]), len(prompt)))
    return made


def as_lists(found: list[Document]) -> list[tuple[list[int], int]]:
    return [(one.tokens.tolist(), one.num_prompt) for one in found]


@pytest.fixture
def shards(tmp_path):
    folder = tmp_path / "shards"
    write_shards(documents(30, 1), folder)
    write_shards(documents(20, 2), folder, first=1)
    write_shards(documents(6, 3), folder / HELD_OUT)
    return folder


@pytest.fixture
def tokenizer(tmp_path):
    train_tokenizer(["def a(b):\n    return b\n"] * 20, 300).save_pretrained(tmp_path / "tokenizer")
    return tmp_path / "tokenizer"


DOCUMENTS = st.lists(st.tuples(st.lists(st.integers(0, 65_535), min_size=1, max_size=40), st.integers(0, 40)))


@given(DOCUMENTS)
def test_blocks_give_back_what_was_packed(found):
    given = [Document(np.array(tokens, dtype=np.uint32), num_prompt) for tokens, num_prompt in found]
    assert as_lists(unpack_block(pack_block(given))) == as_lists(given)


def test_answers_cost_little_beside_their_prompts():
    made = documents(200)
    alone = [Document(one.tokens[: one.num_prompt], one.num_prompt) for one in made]
    assert len(pack_block(made)) < 1.2 * len(pack_block(alone))


def test_refuses_tokens_that_do_not_fit():
    with pytest.raises(ValueError, match="65536"):
        pack_block([Document(np.array([65_536], dtype=np.uint32), 0)])


def test_a_folder_comes_back_as_it_was(shards, tokenizer, tmp_path):
    packed = pack_folder(tmp_path / "packed", [shards], tokenizer, block_shards=1)
    assert (packed.documents, packed.shards_left_out) == (50, 0)
    assert unpack_folder(tmp_path / "packed", tmp_path / "back") == 50
    for here, there in ((shards, tmp_path / "back"), (shards / HELD_OUT, tmp_path / "back" / HELD_OUT)):
        before, after = ([one for path in shards_in(folder) for one in read_shard(path)] for folder in (here, there))
        assert as_lists(before) == as_lists(after)
    assert (tmp_path / "packed" / "tokenizer" / "tokenizer.json").is_file()


def test_keeps_to_the_limit_and_tells_what_is_left_out(shards, tokenizer, tmp_path):
    whole = pack_folder(tmp_path / "packed", [shards, shards], tokenizer, block_shards=1)
    limit = whole.megabytes - 0.0001
    packed = pack_folder(tmp_path / "packed", [shards, shards], tokenizer, limit, block_shards=1)
    assert (packed.documents, packed.shards_left_out) == (80, 1)
    assert size_of(tmp_path / "packed") <= limit * 1e6
    assert unpack_folder(tmp_path / "packed", tmp_path / "back") == 80
    with pytest.raises(ValueError, match="held-out"):
        pack_folder(tmp_path / "packed", [shards], tokenizer, limit=0.001)


def test_says_where_nothing_was_packed(tmp_path):
    with pytest.raises(FileNotFoundError):
        unpack_folder(tmp_path, tmp_path / "back")


@pytest.fixture
def packed(shards, tokenizer, tmp_path):
    pack_folder(tmp_path / "packed", [shards], tokenizer)
    (tmp_path / "run.toml").write_text(CONFIG)
    return tmp_path / "packed"


@pytest.mark.slow
def test_one_command_trains_where_nothing_makes_edits_and_the_next_goes_on(packed, tmp_path, capsys):
    out, work = tmp_path / "out", tmp_path / "work"
    given = [str(packed), str(out), "--config", str(tmp_path / "run.toml"), "--work", str(work), "--budget", "100"]
    code = BLOCKED + "from evals.gpu.train import main\nsys.exit(main(sys.argv[1:]))\n"
    done = subprocess.run(
        [sys.executable, "-c", code, *given],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    summary = json.loads((out / "summary.json").read_text())
    assert summary["last_step"]["tokens"] >= 9000 * 0.8
    assert [group["documents"] for group in summary["held_out"]] == [6]
    first = collect(out, tmp_path / "first")
    target = Target.load(first)
    assert target.template == template_for(read_settings(tmp_path / "run.toml"))
    # Once more, from what came back.
    assert program.main([*given, "--base", str(first), "--work", str(tmp_path / "more")]) == 0
    capsys.readouterr()
    second = Target.load(collect(out, tmp_path / "second"))
    assert second.template == target.template
    before, after = target.model.state_dict(), second.model.state_dict()
    assert before.keys() == after.keys()
    changes = [float((weight - after[name]).abs().max()) for name, weight in before.items()]
    assert 0 < max(changes) < 1


def test_the_recipe_fits_what_can_be_delivered(tokenizer, tmp_path):
    settings = program.settings_for(program.RECIPE, tmp_path, tmp_path, None, 8.0)
    assert settings.data.sources == ()
    assert settings.schedule.minutes == 8.0
    shape = settings.model
    attention = 4 * shape.hidden * shape.heads * shape.head_dim
    layer = attention + 3 * shape.hidden * shape.intermediate
    num_weights = shape.layers * layer + (shape.vocabulary + NUM_MARKS + 20) * shape.hidden
    assert 2 * num_weights < 47e6  # with its tokenizer, 48 MB
    assert shape.layers * layer > 18e6
    assert settings.schedule.row_tokens * settings.schedule.rows_per_step in range(128_000, 260_000)


def test_the_other_recipe_goes_on_from_a_given_base(tmp_path):
    recipe = program.RECIPE.with_name("resume-embedded-gpu.toml")
    settings = program.settings_for(recipe, tmp_path, tmp_path, tmp_path / "base", 8.0)
    assert Path(str(settings.model.base)) == tmp_path / "base"
    assert settings.optimizer.muon_lr < read_settings(program.RECIPE).optimizer.muon_lr


def test_the_time_limit_ends_a_run_and_nothing_else():
    seen = []
    before = signal.getsignal(signal.SIGTERM)
    with program.stopped_after(0.05):
        time.sleep(0.2)  # between training and writing: nothing happens
        signal.signal(signal.SIGTERM, lambda *_: seen.append("told"))
        with program.stopped_after(0.1):
            signal.signal(signal.SIGTERM, lambda *_: seen.append("inner"))
            time.sleep(0.4)
    assert seen == ["inner"]
    assert signal.getsignal(signal.SIGTERM) is before


def test_pieces_are_small_and_one_that_is_missing_is_missed(tmp_path):
    from safetensors.torch import load_file, save_file

    weights = {f"layer.{number}": torch.randn(1000, 3000) for number in range(4)}
    checkpoint = tmp_path / "checkpoint"
    checkpoint.mkdir()
    save_file(weights, checkpoint / "model.safetensors")
    (checkpoint / "config.json").write_text("{}")
    files = deliver(checkpoint, tmp_path / "out")
    assert len(files) == 5
    assert all(path.stat().st_size <= 16e6 for path in files)
    back = load_file(collect(tmp_path / "out", tmp_path / "back") / "model.safetensors")
    assert all(torch.equal(back[name], weight) for name, weight in weights.items())
    assert (tmp_path / "back" / "config.json").read_text() == "{}"
    next(path for path in files if path.name != REST).unlink()
    with pytest.raises(FileNotFoundError, match="3 of 4"):
        collect(tmp_path / "out", tmp_path / "again")


def test_the_checks_find_attention_that_is_wrong(monkeypatch):
    device = torch.device("cpu")
    lengths = (1, 40, 7)
    assert "can't" in training_checks.check_attention(device, lengths).problem
    monkeypatch.setattr(training_checks, "takes_one_call", lambda device: True)
    flash.put_in_place(monkeypatch)
    assert training_checks.check_attention(device, lengths).problem == ""
    right = training_checks.bounds_in_one_call
    monkeypatch.setattr(
        training_checks, "bounds_in_one_call", lambda bounds, *more: right(bounds - bounds // 30, *more)
    )
    assert "result off by" in training_checks.check_attention(device, lengths).problem


def test_the_checks_find_steps_that_are_wrong(monkeypatch):
    monkeypatch.setattr(training_checks, "WIDTH", 24)
    monkeypatch.setattr(training_checks, "INTERMEDIATE", 48)
    assert training_checks.check_muon(torch.device("cpu")).problem == ""
    step = training_checks.BatchedMuon._step
    monkeypatch.setattr(
        training_checks.BatchedMuon, "_step", lambda self, *given: step(self, *given[:2], given[2] * 1.2)
    )
    assert "off by" in training_checks.check_muon(torch.device("cpu")).problem
