"""Which runner a target gets."""

from __future__ import annotations

import pytest
import torch

from fastedit.decode import api
from fastedit.decode.graphs import FusedRunner
from fastedit.decode.runner import ModelRunner
from fastedit.decode.settings import EngineSettings
from support.tiny_targets import Tiny

SETTINGS = EngineSettings(num_slots=2, slot_len=256, min_slot_len=16, use_graphs=False)


class OnGpu:
    """A target that says it is on a GPU, to see what is chosen; everything runs on the CPU."""

    def __init__(self, target):
        self._target = target
        self.device = torch.device("cuda")

    def __getattr__(self, name):
        return getattr(self._target, name)


@pytest.fixture
def on_gpu(tiny_folders, monkeypatch):
    pytest.importorskip("fastedit_kernels")
    monkeypatch.setattr("fastedit.decode.runner.default_cache_bytes", lambda _: 2**26)
    return OnGpu(Tiny.load(tiny_folders["qwen3"]).target)


def test_a_cpu_runs_the_module(tiny):
    runner = api.make_runner(tiny.target, SETTINGS)
    assert isinstance(runner, ModelRunner)
    assert runner.fallbacks == ()


def test_a_gpu_runs_the_fused_decoder(on_gpu):
    assert isinstance(api.make_runner(on_gpu, SETTINGS), FusedRunner)


def test_kernels_that_do_not_run_leave_it_to_the_module_and_that_is_said(on_gpu, monkeypatch):
    kernels = pytest.importorskip("fastedit_kernels")

    def broken(*_, **__):
        raise RuntimeError("no kernel image is available")

    monkeypatch.setattr(kernels, "rope_append", broken)
    runner = api.make_runner(on_gpu, SETTINGS)
    assert isinstance(runner, ModelRunner)
    assert "no kernel image" in runner.fallbacks[0]


def test_exact_passes_are_no_wider_than_their_bucket(tiny):
    engine = api.make_engine(tiny.target, EngineSettings(num_slots=2, slot_len=256, min_slot_len=16, is_exact=True))
    assert engine._settings.pass_tokens == api.EXACT_PASS_TOKENS


def test_a_patched_module_is_not_run_by_its_weights_alone(on_gpu):
    projection = on_gpu.model.model.layers[0].mlp.up_proj
    forward = projection.forward
    projection.forward = lambda x: forward(x) * 1.5
    runner = api.make_runner(on_gpu, SETTINGS)
    assert isinstance(runner, ModelRunner)
    assert "differ from the model's" in runner.fallbacks[0]
