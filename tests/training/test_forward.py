"""Packed rows through a model, the ways of a GPU among them: the same loss and gradients as document by document."""

from __future__ import annotations

from functools import partialmethod

import numpy as np
import pytest
import torch
from torch._dynamo.utils import counters
from transformers import AutoConfig, AutoModelForCausalLM

from fastedit.training import attention, forward
from fastedit.training.documents import TokenizedExample
from fastedit.training.forward import RowModel, compile_parts
from fastedit.training.packing import pack
from support import flash

ROW = 192
LENGTHS = (50, 33, 20)


@pytest.fixture
def model():
    attention.register()
    torch.manual_seed(0)
    config = AutoConfig.for_model(
        "qwen3",
        vocab_size=300,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=3,
        num_attention_heads=2,
        num_key_value_heads=2,
        head_dim=16,
        tie_word_embeddings=True,
    )
    return AutoModelForCausalLM.from_config(config, attn_implementation=attention.NAME)


def documents():
    rng = np.random.default_rng(0)
    return [TokenizedExample(rng.integers(0, 300, length).astype(np.uint32), length // 2) for length in LENGTHS]


def outcome(model, row, asked=None):
    """Loss and gradients of all weights."""
    scored = (asked or RowModel(model))(row)
    model.zero_grad()
    scored.loss.backward()
    return scored.loss.detach(), {name: weight.grad.clone() for name, weight in model.named_parameters()}


def assert_same(found, expected):
    torch.testing.assert_close(found[0], expected[0], rtol=1e-5, atol=1e-4)
    for name, gradient in expected[1].items():
        torch.testing.assert_close(found[1][name], gradient, rtol=1e-4, atol=1e-5)


def plainly(model):
    """As transformers' own attention has it, one document a pass and no packing."""
    model.set_attn_implementation("eager")
    model.zero_grad()
    loss = torch.zeros(())
    for document in documents():
        ids = torch.from_numpy(document.tokens.astype("int64"))[None]
        logits = model(ids).logits[0, document.num_prompt - 1 : -1]
        loss = loss + torch.nn.functional.cross_entropy(logits, ids[0, document.num_prompt :], reduction="sum")
    loss.backward()
    found = loss.detach(), {name: weight.grad.clone() for name, weight in model.named_parameters()}
    model.set_attn_implementation(attention.NAME)
    return found


@pytest.fixture
def as_on_a_gpu(monkeypatch):
    monkeypatch.setattr(forward, "takes_one_call", lambda device: True)
    return flash.put_in_place(monkeypatch)


def test_a_row_costs_what_its_documents_cost(model):
    assert_same(outcome(model, pack(documents(), ROW)), plainly(model))


@pytest.mark.parametrize("longest", [1, 64])
def test_and_on_a_gpu_in_one_call_a_layer(model, as_on_a_gpu, longest):
    row = pack(documents(), ROW)
    found = outcome(model, row, RowModel(model, longest=longest))
    assert len(as_on_a_gpu) == 3
    call = as_on_a_gpu[0]
    assert call["is_causal"]
    assert (call["window_size_left"], call["window_size_right"]) == (-1, 0)
    assert call["scale"] == pytest.approx(16**-0.5)
    assert call["longest"] == max(longest, *LENGTHS)
    assert call["bounds"][: len(LENGTHS) + 1] == [0, 50, 83, 103]
    assert call["bounds"][-1] == ROW
    assert_same(found, plainly(model))


@pytest.mark.filterwarnings(
    "ignore:The .grad attribute:UserWarning"
)  # the compiler looks whether a layer's input has one
def test_compiled_layers_are_compiled_once_for_all(model, as_on_a_gpu, monkeypatch):
    monkeypatch.setattr(torch.nn.Module, "compile", partialmethod(torch.nn.Module.compile, backend="aot_eager"))
    rows = [pack(documents(), ROW), pack(documents()[:2], ROW)]
    expected = [outcome(model, row) for row in rows]
    compile_parts(model.get_decoder(), by_layer=True)
    counters.clear()
    asked = RowModel(model, longest=64)
    for row, plain in zip(rows, expected, strict=True):
        assert_same(outcome(model, row, asked), plain)
    assert counters["stats"]["unique_graphs"] == 1
    assert not counters["graph_break"]
    with torch.no_grad():
        asked(rows[0])
    assert counters["stats"]["unique_graphs"] == 1  # what only measures waits for no compiler
    torch._dynamo.reset()


def test_takes_one_call_only_where_it_can(monkeypatch):
    assert not attention.takes_one_call(torch.device("cpu"))
    assert attention.takes_one_call(torch.device("cuda")) == (torch.__version__ >= "2.11")
    monkeypatch.setattr(attention.varlen, "varlen_attn", lambda query, key, value, is_causal: None)
    assert not attention.takes_one_call(torch.device("cuda"))
