"""Runs on tiny random checkpoints, from shards to a checkpoint that loads as a target."""

from __future__ import annotations

import json
import os
import random
import signal
import threading
from dataclasses import replace
from itertools import islice

import pytest
import torch

from fastedit.errors import SettingsError
from fastedit.targets import Target
from fastedit.targets.templates import PLAIN
from fastedit.training.create import make_trainee
from fastedit.training.documents import HELD_OUT, Encoder, read_shard, shards_in, write_shards
from fastedit.training.exactness import measure
from fastedit.training.export import export
from fastedit.training.forward import RowModel
from fastedit.training.masters import Masters
from fastedit.training.packing import pack
from fastedit.training.pairs import pairs_of
from fastedit.training.settings import (
    DataSettings,
    EvaluationSettings,
    LoraSettings,
    ModelSettings,
    OptimizerSettings,
    ScheduleSettings,
    Stage,
    TrainingSettings,
)
from fastedit.training.state import load_state
from fastedit.training.synthesis import generate
from fastedit.training.trainer import train
from support.edits import ORIGINALS
from support.tiny_targets import make_tiny

ROW = 1024


@pytest.fixture(autouse=True)
def one_thread():
    """Two threads of a busy machine wait for each other at every small product."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """With a base of the embedded target's kind, and shards of a few short documents for it."""
    folder = tmp_path_factory.mktemp("training")
    make_tiny(folder / "base", "qwen3", vocabulary=400, weight_scale=0.02)
    base = Target.load(folder / "base")
    encoder = Encoder(PLAIN, base.tokenizer)
    rng = random.Random(0)
    pairs = (pair for sample in generate([ORIGINALS], seed=2, n=200) for pair in pairs_of(sample, rng))
    documents = (document for pair in pairs if len(document := encoder.document(pair)) <= ROW)
    documents = list(islice(documents, 12))
    write_shards(documents[:8], folder / "shards")
    write_shards(documents[8:], folder / "shards" / HELD_OUT)
    return folder


@pytest.fixture
def settings(folder, tmp_path):
    return TrainingSettings(
        output=str(tmp_path / "run"),
        model=ModelSettings(base=str(folder / "base"), template="plain"),
        data=DataSettings(shards=str(folder / "shards")),
        optimizer=OptimizerSettings(muon_lr=0.02, adamw_lr=5e-3),
        schedule=ScheduleSettings(
            tokens=16_000, row_tokens=ROW, warmup_steps=2, log_steps=1, stages=(Stage(0.0, ROW),)
        ),
        evaluation=EvaluationSettings(documents=4, lengths=(512, 1024)),
    )


def entries(settings):
    lines = (settings.path(settings.output) / "log.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def test_learns_logs_and_leaves_a_target(settings):
    checkpoint = train(settings)
    steps = [entry for entry in entries(settings) if "loss" in entry]
    assert steps[-1]["loss"] < 0.8 * steps[0]["loss"]
    assert steps[-1]["tokens"] >= 16_000
    groups = [entry for entry in entries(settings) if "exact" in entry]
    assert [group["max_tokens"] for group in groups] == [512, 1024]
    assert sum(group["documents"] for group in groups) == 4
    target = Target.load(checkpoint)
    assert target.template.name == "plain"
    assert json.loads((checkpoint / "config.json").read_text())["dtype"] == "bfloat16"
    assert target.prompt("a\n", "b\n")[0] == target.codec.special_id("<|original|>")


def test_goes_on_where_it_stopped(settings):
    train(replace(settings, schedule=replace(settings.schedule, tokens=6_000)))
    progress, masters, _ = load_state(settings.path(settings.output))
    first = entries(settings)[-1]["step"]
    train(settings)
    later = [entry["step"] for entry in entries(settings) if "loss" in entry]
    assert later == list(range(1, len(later) + 1))
    assert progress.step == first
    resumed, changed, _ = load_state(settings.path(settings.output))
    assert resumed.num_tokens >= 16_000
    assert resumed.elapsed_s > progress.elapsed_s
    assert any(not torch.equal(masters[name], changed[name]) for name in masters)


def test_a_signal_ends_the_sitting_with_the_state_saved(settings):
    endless = replace(settings, schedule=replace(settings.schedule, tokens=10**9))
    threading.Timer(1.5, os.kill, (os.getpid(), signal.SIGTERM)).start()
    before = signal.getsignal(signal.SIGTERM)
    checkpoint = train(endless)
    progress, _, _ = load_state(settings.path(settings.output))
    assert progress.step == entries(settings)[-1]["step"] > 0
    assert (checkpoint / "model.safetensors").is_file()
    assert signal.getsignal(signal.SIGTERM) is before


def test_adapters_change_a_target_and_are_merged_into_it(settings):
    pytest.importorskip("peft")
    adapted = replace(settings, lora=LoraSettings(rank=4, alpha=8))
    checkpoint = Target.load(train(adapted)).model.state_dict()
    base = Target.load(settings.model.base).model.state_dict()
    assert set(checkpoint) == set(base)
    changed = {name for name in base if not torch.equal(base[name].bfloat16(), checkpoint[name])}
    assert changed == {name for name in base if any(part in name for part in adapted.lora.modules)}
    losses = [entry["loss"] for entry in entries(settings) if "loss" in entry]
    assert losses[-1] < losses[0]


def test_a_new_model_begins_as_its_embeddings(settings, folder):
    shape = ModelSettings(
        tokenizer=str(folder / "base"), hidden=32, layers=2, heads=2, kv_heads=1, head_dim=16, begins_copying=False
    )
    trainee = make_trainee(replace(settings, model=shape))
    assert trainee.template.name == "marked"
    weights = dict(trainee.model.named_parameters())
    assert weights["model.layers.1.mlp.down_proj.weight"].eq(0).all()
    assert trainee.model.config.tie_word_embeddings


def test_a_new_model_sees_places_as_it_will_when_it_is_loaded(settings, folder, tmp_path):
    shape = ModelSettings(
        tokenizer=str(folder / "base"), hidden=32, layers=2, heads=2, kv_heads=1, head_dim=16, begins_copying=False
    )
    trainee = make_trainee(replace(settings, model=shape))
    assert trainee.model.dtype == torch.bfloat16
    loaded = Target.load(export(trainee, Masters(trainee.model), tmp_path / "checkpoint")).model
    frequencies = [model.get_decoder().rotary_emb.inv_freq for model in (trainee.model, loaded)]
    assert torch.equal(*frequencies)
    assert frequencies[0].dtype == torch.float32


def test_added_layers_are_trained_and_change_nothing_at_first(settings):
    grown = replace(settings, model=replace(settings.model, added_layers=2))
    plain, trainee = make_trainee(settings).model, make_trainee(grown).model
    assert trainee.config.num_hidden_layers == plain.config.num_hidden_layers + 2
    (document,) = read_shard(shards_in(settings.path(settings.data.shards))[0])[:1]
    row = pack([document], ROW)
    assert RowModel(trainee)(row).loss.item() == RowModel(plain)(row).loss.item()
    checkpoint = Target.load(train(grown)).model
    first_new = checkpoint.get_decoder().layers[plain.config.num_hidden_layers]
    assert first_new.mlp.down_proj.weight.count_nonzero()


def test_exactness_is_what_greedy_decoding_would_give(settings, folder):
    trainee = make_trainee(replace(settings, model=replace(settings.model, dtype="float32")))
    documents = read_shard(shards_in(folder / "shards")[0])[:3]
    prompts = [torch.from_numpy(one.tokens[: one.num_prompt].astype("int64"))[None] for one in documents]
    plain = Target.load(settings.model.base, dtype="float32").model
    told = []
    for document, prompt in zip(documents, prompts, strict=True):
        # What the model would write is exact by definition, and a slip in its middle is not.
        written = plain.generate(prompt, max_new_tokens=12, do_sample=False, eos_token_id=-1, pad_token_id=0)[0]
        exact = replace(document, tokens=written.numpy().astype("uint32"))
        slipped = exact.tokens.copy()
        slipped[-5] = (slipped[-5] + 1) % 300
        told += [exact, replace(exact, tokens=slipped)]
    (group,) = measure(RowModel(trainee.model), told, [2 * ROW], 2 * ROW)
    assert (group.num_documents, group.num_exact) == (6, 3)
    assert group.num_tokens == 6 * 12
    assert group.num_right < group.num_tokens


def test_says_what_is_missing(settings, tmp_path):
    with pytest.raises(SettingsError, match="tokenizer"):
        make_trainee(replace(settings, model=ModelSettings()))
