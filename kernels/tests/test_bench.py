"""The benchmark at toy sizes: with stand-ins for the peers that need a GPU, and with one that is wrong."""

import sys
from types import SimpleNamespace

import pytest
import torch
from torch import Tensor
from torch.nn.functional import silu

from fastedit_kernels import bench, reference


def attended(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """[B, K, H, D] over [B, L, Hkv, D], a query's last token seeing all."""
    requests, chunk, slot_len = len(query), query.shape[1], keys.shape[1]
    bounds, slots = torch.arange(requests + 1).int() * chunk, torch.arange(requests).int()
    pool = [torch.cat((part.flatten(0, 1), part[0, :1])) for part in (keys, values)]
    lengths = torch.full((requests,), slot_len - chunk).int()
    return reference.chunk_attention(
        query.flatten(0, 1), *pool, bounds, slots, lengths, slot_len=slot_len, max_chunk=chunk,
        scale=query.shape[-1] ** -0.5,
    )  # fmt: skip


class Ragged:
    """FlashInfer's wrapper, as far as the benchmark calls it."""

    def __init__(self, workspace: Tensor, layout: str) -> None:
        assert layout == "NHD"

    def plan(self, bounds: Tensor, ends: Tensor, *heads: int, causal: bool, q_data_type: torch.dtype) -> None:
        assert causal
        self.requests = len(bounds) - 1
        assert len(ends) == len(bounds)

    def run(self, query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return attended(*(part.unflatten(0, (self.requests, -1)) for part in (query, keys, values)))


def fused_add_rmsnorm(x: Tensor, residual: Tensor, weight: Tensor, eps: float) -> None:
    normed, total = reference.rms_norm_residual(x, residual, weight, eps)
    x.copy_(normed)
    residual.copy_(total)


FLASHINFER = SimpleNamespace(
    BatchPrefillWithRaggedKVCacheWrapper=Ragged,
    norm=SimpleNamespace(fused_add_rmsnorm=fused_add_rmsnorm),
    activation=SimpleNamespace(silu_and_mul=lambda x: silu(x.chunk(2, -1)[0]) * x.chunk(2, -1)[1]),
    sampling=SimpleNamespace(sampling_from_logits=lambda logits: logits.argmax(-1)),
)
FLASH_3 = SimpleNamespace(flash_attn_with_kvcache=lambda q, k, v, cache_seqlens, causal: attended(q, k, v).view_as(q))


def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], **modules: object) -> tuple[int, str]:
    monkeypatch.setattr(bench, "TINY", bench.PassShape(64, 4, 2, 16, 96, 300, 20, ((1, 3), (2, 4))))
    for name in bench.PEERS.values():
        monkeypatch.setitem(sys.modules, name, modules.get(name))
    return bench.main(), capsys.readouterr().out


def test_torch_alone_and_no_gpu(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    status, printed = run(monkeypatch, capsys)
    assert printed.startswith("NO GPU")
    assert "without FlashInfer" in printed
    assert printed.splitlines()[-1] == "cases=12 differing=0"
    assert status == 0


def test_every_peer_is_asked_for_the_same(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    status, printed = run(monkeypatch, capsys, flashinfer=FLASHINFER, flash_attn_interface=FLASH_3)
    assert status == 0, printed
    for kernel, num_peers in (("chunk_attention", 4), ("rms_norm", 2), ("silu_mul", 2), ("rope_append", 1)):
        lines = [line for line in printed.splitlines() if line.startswith(kernel)]
        assert [line.count("x  ") + line.endswith("x") for line in lines] == [num_peers] * 2, printed


def test_a_peer_that_differs_or_fails_gets_no_ratio(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(*given: object, **options: object) -> Tensor:
        raise RuntimeError("built for another GPU\nand more")

    wrong = SimpleNamespace(
        **{**vars(FLASHINFER), "activation": SimpleNamespace(silu_and_mul=lambda x: x.chunk(2, -1)[0])}
    )
    flash = SimpleNamespace(flash_attn_with_kvcache=refused)
    status, printed = run(monkeypatch, capsys, flashinfer=wrong, flash_attn_interface=flash)
    assert status == 1
    assert "cases=12 differing=4" in printed
    assert "FlashInfer differs by" in next(line for line in printed.splitlines() if line.startswith("silu_mul"))
    attention = next(line for line in printed.splitlines() if line.startswith("chunk_attention"))
    assert "flash-attn 3 failed: RuntimeError: built for another GPU  FlashInfer" in attention
