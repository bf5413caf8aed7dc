"""Times every kernel on this machine's GPU beside what else does the same, and prints the ratios.

    python -m fastedit_kernels.bench

A line is a kernel at the shape of a 7B model: our milliseconds, their share of the measured bandwidth, and for each
peer its time divided by ours (above 1 ours is faster). Peers are torch, and flash-attn 3 and FlashInfer where they are
installed. Results are compared before they are timed: what isn't the same is said instead of a ratio, and makes the
exit status 1. Without a GPU the torch references run at toy sizes, which says nothing about the kernels.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from torch.nn.attention.bias import causal_lower_right

from fastedit_kernels import FAST, Sampling, dispatch, reference

Call = Callable[[], Tensor]
PEERS = {"flash-attn 3": "flash_attn_interface", "FlashInfer": "flashinfer"}  # by the module that each installs
WARM_UPS, REPEATS = 3, 20
FLUSHED_BYTES = 256 * 2**20  # several times any L2 cache
DIFFERING = 0.02  # relative error, or share of the tokens: bf16 sums in another order, and near-ties
TEMPERATURE, EPS = 0.8, 1e-6


@dataclass(frozen=True, slots=True)
class PassShape:
    """A model's sizes, and what a pass finds: tokens cached before, and (requests, tokens of each) to append."""

    width: int
    num_heads: int
    num_kv_heads: int
    head_dim: int
    intermediate: int
    vocab_size: int
    num_cached: int
    passes: tuple[tuple[int, int], ...]


SHAPE_7B = PassShape(3584, 28, 4, 128, 18944, 152064, 4096, ((1, 1), (1, 16), (1, 128), (1, 512), (8, 16)))
TINY = PassShape(256, 4, 2, 64, 512, 4000, 100, ((1, 1), (2, 8)))


@dataclass(frozen=True, slots=True)
class KernelCase:
    """One kernel at one size. least_bytes: what has to be moved. is_random: results can't be compared."""

    name: str
    least_bytes: int
    ours: Call
    peers: dict[str, Call]
    is_random: bool = False


@dataclass(frozen=True, slots=True)
class BenchSetting:
    """Where and on what is measured; modules: the peers that are installed, by their names in `PEERS`."""

    device: torch.device
    dtype: torch.dtype
    modules: dict[str, Any]

    def randn(self, *shape: int) -> Tensor:
        return torch.randn(shape, device=self.device, dtype=self.dtype)

    def index(self, *values: int) -> Tensor:
        return torch.tensor(values, dtype=torch.int32).to(self.device)


def all_cases(place: BenchSetting, shape: PassShape) -> Iterator[KernelCase]:
    """Every kernel at every size of the shape, made one at a time."""
    lm_head = place.randn(shape.vocab_size, shape.width)
    for requests, chunk in shape.passes:
        for is_sampled in (False, True):
            yield verify_case(place, lm_head, requests * chunk, is_sampled)
    for requests, chunk in shape.passes:
        yield attention_case(place, shape, requests, chunk)
        yield from small_cases(place, shape, requests * chunk)


def verify_case(place: BenchSetting, lm_head: Tensor, rows: int, is_sampled: bool) -> KernelCase:
    hidden = place.randn(rows, lm_head.shape[1])
    drafts, cu_rows = torch.zeros_like(hidden[:, 0], dtype=torch.int32), place.index(0, rows)
    least_bytes = lm_head.nbytes + hidden.nbytes
    if not is_sampled:
        ours = partial(dispatch.verify, hidden, lm_head, drafts, cu_rows, mode=FAST)
        peers: dict[str, Call] = {"torch": lambda: functional.linear(hidden, lm_head).argmax(-1)}
        return KernelCase(f"verify {rows} rows", least_bytes, lambda: ours().token_ids, peers)
    seeds, temperature = torch.tensor([7]).to(place.device), torch.tensor([TEMPERATURE]).to(place.device)
    sampling = Sampling(seeds, temperature, place.index(*range(rows)))
    drawn = partial(dispatch.verify, hidden, lm_head, drafts, cu_rows, sampling=sampling, mode=FAST)

    def logits() -> Tensor:
        return functional.linear(hidden, lm_head).float() / TEMPERATURE

    peers = {"torch": lambda: torch.multinomial(logits().softmax(-1), 1)}
    if flashinfer := place.modules.get("FlashInfer"):
        peers["FlashInfer"] = lambda: flashinfer.sampling.sampling_from_logits(logits())
    return KernelCase(f"verify {rows} rows, sampled", least_bytes, lambda: drawn().token_ids, peers, is_random=True)


def attention_case(place: BenchSetting, shape: PassShape, requests: int, chunk: int) -> KernelCase:
    """Every request fills its slot, so that slots are what the peers call a ragged, or a dense, cache."""
    slot_len = shape.num_cached + chunk
    keys, values = (place.randn(requests * slot_len + 1, shape.num_kv_heads, shape.head_dim) for _ in range(2))
    query = place.randn(requests * chunk, shape.num_heads, shape.head_dim)
    bounds = place.index(*range(0, requests * chunk + 1, chunk))
    slots, lengths = place.index(*range(requests)), place.index(*[shape.num_cached] * requests)
    ours = partial(
        dispatch.chunk_attention, query, keys, values, bounds, slots, lengths, slot_len=slot_len, max_chunk=chunk,
        scale=shape.head_dim**-0.5, mode=FAST,
    )  # fmt: skip
    queries = query.view(requests, chunk, shape.num_heads, shape.head_dim)
    cached = [part[:-1].view(requests, slot_len, shape.num_kv_heads, shape.head_dim) for part in (keys, values)]
    peers = torch_attention(queries, cached)
    if flash := place.modules.get("flash-attn 3"):
        full = place.index(*[slot_len] * requests)
        peers["flash-attn 3"] = lambda: flash.flash_attn_with_kvcache(
            queries, *cached, cache_seqlens=full, causal=True
        ).view_as(query)
    if flashinfer := place.modules.get("FlashInfer"):
        workspace = torch.empty(2**27, dtype=torch.uint8, device=place.device)
        wrapper = flashinfer.BatchPrefillWithRaggedKVCacheWrapper(workspace, "NHD")
        ends = place.index(*range(0, requests * slot_len + 1, slot_len))
        heads = (shape.num_heads, shape.num_kv_heads, shape.head_dim)
        wrapper.plan(bounds, ends, *heads, causal=True, q_data_type=place.dtype)
        peers["FlashInfer"] = lambda: wrapper.run(query, *(part.flatten(0, 1) for part in cached))
    least_bytes = keys.nbytes + values.nbytes + 2 * query.nbytes
    return KernelCase(f"chunk_attention {requests} x {chunk} behind {shape.num_cached}", least_bytes, ours, peers)


def torch_attention(queries: Tensor, cached: list[Tensor]) -> dict[str, Call]:
    """SDPA with a mask, as transformers calls it, and with the bias that leads to torch's own FlashAttention."""
    chunk, slot_len = queries.shape[1], cached[0].shape[1]
    behind = torch.arange(slot_len - chunk, slot_len, device=queries.device)[:, None]
    mask = torch.arange(slot_len, device=queries.device)[None, :] <= behind
    group = queries.shape[2] // cached[0].shape[2]
    query = queries.transpose(1, 2)  # [B, H, K, D]

    def masked() -> Tensor:
        keys, values = (part.transpose(1, 2).repeat_interleave(group, dim=1) for part in cached)
        out = functional.scaled_dot_product_attention(query, keys, values, attn_mask=mask)
        return out.transpose(1, 2).flatten(0, 1)

    def flash() -> Tensor:
        bias = causal_lower_right(chunk, slot_len)
        keys, values = (part.transpose(1, 2) for part in cached)
        out = functional.scaled_dot_product_attention(query, keys, values, attn_mask=bias, enable_gqa=True)
        return out.transpose(1, 2).flatten(0, 1)

    return {"torch": masked, "torch flash": flash}


def small_cases(place: BenchSetting, shape: PassShape, tokens: int) -> Iterator[KernelCase]:
    """The kernels between the products; eager torch does what their references do."""
    flashinfer = place.modules.get("FlashInfer")
    x, residual, weight = (
        place.randn(*size) for size in ((tokens, shape.width), (tokens, shape.width), (shape.width,))
    )
    ways = [partial(room.rms_norm_residual, x, residual, weight, EPS) for room in (dispatch, reference)]
    peers: dict[str, Call] = {"torch": lambda: ways[1]()[0]}
    if flashinfer:
        given = x.clone(), residual.clone()  # it writes over both; only its first result is looked at
        peers["FlashInfer"] = lambda: flashinfer.norm.fused_add_rmsnorm(*given, weight, EPS) or given[0]
    yield KernelCase(f"rms_norm_residual {tokens} rows", 4 * x.nbytes, lambda: ways[0]()[0], peers)

    gate_up = place.randn(tokens, 2 * shape.intermediate)
    peers = {"torch": partial(reference.silu_mul, gate_up)}
    if flashinfer:
        peers["FlashInfer"] = lambda: flashinfer.activation.silu_and_mul(gate_up)
    yield KernelCase(f"silu_mul {tokens} rows", gate_up.nbytes * 3 // 2, partial(dispatch.silu_mul, gate_up), peers)

    qkv = place.randn(tokens, (shape.num_heads + 2 * shape.num_kv_heads) * shape.head_dim)
    slot_len = shape.num_cached + tokens
    pool = [place.randn(slot_len + 1, shape.num_kv_heads, shape.head_dim) for _ in range(2)]
    angles = torch.randn(slot_len, shape.head_dim // 2, device=place.device)
    where = (place.index(0, tokens), place.index(0), place.index(shape.num_cached))
    given_all = (qkv, angles.cos(), angles.sin(), *pool, *where)
    rope, rope_in_torch = (
        partial(room.rope_append, *given_all, slot_len=slot_len, num_heads=shape.num_heads)
        for room in (dispatch, reference)
    )
    yield KernelCase(f"rope_append {tokens} rows", 2 * qkv.nbytes, rope, {"torch": rope_in_torch})


def line(case: KernelCase, place: BenchSetting, bytes_per_s: float) -> tuple[str, bool]:
    """A case measured, as text; and whether all that could be compared was the same."""
    expected, ms = case.ours(), milliseconds(case.ours, place.device)
    found, is_same = [], True
    for name, call in case.peers.items():
        try:
            problem = "" if case.is_random else difference(expected, call())
            found.append(f"{name} {problem or f'{milliseconds(call, place.device) / ms:.2f}x'}")
        except (RuntimeError, TypeError, ValueError, AttributeError) as error:  # built for another GPU, another version
            problem = f"failed: {type(error).__name__}: {error}".splitlines()[0][:100]
            found.append(f"{name} {problem}")
        is_same = is_same and not problem
    share = case.least_bytes / bytes_per_s / (ms / 1e3)
    return f"{case.name:36} {ms:9.4f} ms {share:5.0%}  " + "  ".join(found), is_same


def difference(ours: Tensor, theirs: Tensor) -> str:
    """How two results differ; empty where it is no more than rounding."""
    if ours.shape != theirs.shape:
        return f"has another shape: {tuple(theirs.shape)}"
    if ours.is_floating_point():
        off = ((ours.double() - theirs.double()).norm() / ours.double().norm()).item()
    else:
        off = (ours != theirs).double().mean().item()
    return "" if off <= DIFFERING else f"differs by {off:.2g}"


def milliseconds(call: Callable[[], object], device: torch.device) -> float:
    """Median time of a call that finds the caches cold.

    On a GPU a CUDA graph of it is replayed, as an engine would: the host's part is left out. What waits for the device
    can't be captured, and is timed as it is.
    """
    for _ in range(WARM_UPS):
        call()
    if device.type != "cuda":
        return statistics.median(_host_milliseconds(call) for _ in range(WARM_UPS))
    try:
        replay = captured(call)
    except RuntimeError:
        replay = call
    flushed = torch.empty(FLUSHED_BYTES, dtype=torch.int8, device=device)
    return statistics.median(_event_milliseconds(replay, flushed) for _ in range(REPEATS))


def captured(call: Callable[[], object]) -> Callable[[], object]:
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kept = call()

    def replay() -> object:
        graph.replay()
        return kept  # what is written to must not be given to others meanwhile

    return replay


def _event_milliseconds(call: Callable[[], object], flushed: Tensor) -> float:
    flushed.zero_()
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))  # type: ignore[no-untyped-call]
    start.record()
    call()
    end.record()
    end.synchronize()
    return float(start.elapsed_time(end))


def _host_milliseconds(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return 1e3 * (time.perf_counter() - started)


def installed_peers() -> dict[str, Any]:
    found = {}
    for name, module in PEERS.items():
        try:
            found[name] = import_module(module)
        except ImportError as error:
            print(f"without {name}: {error}")
    return found


def main() -> int:
    is_gpu = torch.cuda.is_available()
    if not is_gpu:
        print("NO GPU: these are the torch references at toy sizes on a CPU. They say nothing about the kernels.")
    device, dtype = (torch.device("cuda"), torch.bfloat16) if is_gpu else (torch.device("cpu"), torch.float32)
    place = BenchSetting(device, dtype, installed_peers())
    source = place.randn(2**29 if is_gpu else 2**20)
    target = torch.empty_like(source)
    bytes_per_s = 2e3 * source.nbytes / milliseconds(lambda: target.copy_(source), device)
    name = torch.cuda.get_device_name() if is_gpu else "CPU"
    print(f"{name}, torch {torch.__version__}: {bytes_per_s / 1e12:.2f} TB/s copied. Peers: their time / ours.")
    lines = differing = 0
    with torch.inference_mode():
        for case in all_cases(place, SHAPE_7B if is_gpu else TINY):
            text, is_same = line(case, place, bytes_per_s)
            print(text, flush=True)
            lines += 1
            differing += not is_same
    print(f"cases={lines} differing={differing}")
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main())
