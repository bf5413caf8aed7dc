"""Which runner a target gets."""

from __future__ import annotations

import weakref
from contextlib import contextmanager

import pytest
import torch

from fastedit.decode import api
from fastedit.decode.cache import KVSlots
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

    class OutOfResources(Exception):
        """Like Triton's, of no kind that torch's errors are."""

    def broken(*_, **__):
        raise OutOfResources("no kernel image is available")

    pools = []

    class Watched(KVSlots):
        def __init__(self, *given):
            super().__init__(*given)
            pools.append(weakref.ref(self))

    def made(*given, **named):
        assert [pool() for pool in pools] == [None]  # its memory is free for this one's
        assert "use_kernels" not in named  # the kernels that do run stay
        return ModelRunner(*given, **named)

    monkeypatch.setattr(kernels, "rope_append", broken)
    monkeypatch.setattr("fastedit.decode.graphs.KVSlots", Watched)
    monkeypatch.setattr(api, "ModelRunner", made)
    runner = api.make_runner(on_gpu, SETTINGS)
    assert isinstance(runner, ModelRunner)
    assert "no kernel image" in runner.fallbacks[0]


def test_everything_is_launched_on_the_targets_own_gpu(on_gpu, monkeypatch):
    """Triton launches on the current device, whichever one the tensors are on."""
    current = []

    @contextmanager
    def device(chosen):
        current.append(chosen)
        yield
        current.pop()

    kernels = pytest.importorskip("fastedit_kernels")
    launched = []
    verify = kernels.verify

    def watched(*given, **named):
        launched.append(list(current))
        return verify(*given, **named)

    monkeypatch.setattr(torch.cuda, "device", device)
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: None)
    monkeypatch.setattr(kernels, "verify", watched)
    on_gpu.device = torch.device("cuda:1")
    runner = api.make_runner(on_gpu, SETTINGS)
    assert launched == [[torch.device("cuda:1")]]
    runner._eager = lambda _: launched.append(list(current)) or []
    runner._device = torch.device("cuda:1")
    runner.append([])
    assert launched[1:] == [[torch.device("cuda:1")]]


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
