"""What is measured: each kernel at the shapes of real models, with the usual torch ways beside it.

A case is a name, the fewest bytes and operations that it takes, and its ways: calls that do the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.nn import functional

from fastedit_kernels import EXACT, FAST, Mode, Sampling, dispatch, reference
from fastedit_kernels.bench.report import KERNEL, REFERENCE
from fastedit_kernels.checks.small import rope_tables
from fastedit_kernels.timing import Call


@dataclass(frozen=True, slots=True)
class Shape:
    """A model's sizes, as far as the kernels see them."""

    name: str
    width: int
    num_heads: int
    num_kv_heads: int
    head_dim: int
    intermediate: int
    vocab_size: int
    num_layers: int


QWEN_7B = Shape("qwen2.5-7b", 3584, 28, 4, 128, 18944, 152064, 28)
LLAMA_70B = Shape("llama-70b", 8192, 64, 8, 128, 28672, 128256, 80)
TINY = Shape("tiny", 256, 4, 2, 64, 512, 4000, 2)  # for a CPU, where only the references run


@dataclass(frozen=True, slots=True)
class Case:
    kernel: str
    name: str
    num_bytes: float
    flops: float
    ways: dict[str, Call]
    uncapturable: frozenset[str] = field(default=frozenset())  # ways that wait for the device


@dataclass(frozen=True, slots=True)
class Place:
    """Where the cases run. variants: `verify` tiles to try one by one when greedy, and those that can sample."""

    device: torch.device
    dtype: torch.dtype
    variants: tuple[str, ...] = ()
    sampling_variants: tuple[str, ...] = ()

    @property
    def ours(self) -> str:
        """What our ways are called: on a CPU there is no kernel to measure."""
        return KERNEL if self.device.type == "cuda" else REFERENCE

    def randn(self, *shape: int) -> Tensor:
        return torch.randn(shape, device=self.device, dtype=self.dtype)

    def index(self, *values: int) -> Tensor:
        return torch.tensor(values, dtype=torch.int32).to(self.device)


def verify_cases(place: Place, shape: Shape, row_counts: tuple[int, ...]) -> Iterator[Case]:
    lm_head = place.randn(shape.vocab_size, shape.width)
    for rows in row_counts:
        hidden = place.randn(rows, shape.width)
        num_bytes = (lm_head.numel() + hidden.numel()) * lm_head.element_size()
        flops = 2.0 * rows * shape.width * shape.vocab_size
        sampling = Sampling(
            torch.tensor([7]).to(place.device), torch.tensor([0.8]).to(place.device), place.index(*range(rows))
        )
        usual = {
            False: {"torch argmax": lambda h=hidden: functional.linear(h, lm_head).argmax(-1),
                    "torch float32 argmax": lambda h=hidden: functional.linear(h, lm_head).float().argmax(-1)},
            True: {"torch softmax, multinomial": lambda h=hidden: torch.multinomial(
                (functional.linear(h, lm_head).float() / 0.8).softmax(-1), 1)},
        }  # fmt: skip
        for is_sampled in (False, True):
            ours = _verify_ways(place, hidden, lm_head, sampling if is_sampled else None)
            name = f"{shape.name} rows={rows}{' sampled' * is_sampled}"
            yield Case(
                "verify", name, num_bytes, flops, ours | usual[is_sampled], frozenset({"torch softmax, multinomial"})
            )


def _verify_ways(place: Place, hidden: Tensor, lm_head: Tensor, sampling: Sampling | None) -> dict[str, Call]:
    drafts = torch.zeros(len(hidden), dtype=torch.int32, device=place.device)
    cu_rows = place.index(0, len(hidden))

    def way(mode: Mode) -> Call:
        return lambda: dispatch.verify(hidden, lm_head, drafts, cu_rows, sampling=sampling, mode=mode)

    variants = {
        f"{place.ours} {name}": way(Mode(name, (), False, verify_tiles=((1 << 30, name, name),)))
        for name in (place.variants if sampling is None else place.sampling_variants)
    }
    return {f"{place.ours} exact": way(EXACT), **variants}


def attention_cases(place: Place, shape: Shape, batches: tuple[tuple[int, int, int], ...]) -> Iterator[Case]:
    """batches: (requests, chunk, keys cached before)."""
    for requests, chunk, length in batches:
        slot_len = length + chunk
        keys, values = (place.randn(requests * slot_len + 1, shape.num_kv_heads, shape.head_dim) for _ in range(2))
        query = place.randn(requests * chunk, shape.num_heads, shape.head_dim)
        cu_seqlens = place.index(*(chunk * i for i in range(requests + 1)))
        slots, lengths = place.index(*range(requests)), place.index(*[length] * requests)
        num_bytes = (keys.numel() + values.numel() + 2 * query.numel()) * keys.element_size()
        flops = 4.0 * requests * chunk * (length + chunk / 2) * shape.num_heads * shape.head_dim

        def ours(mode: Mode, *args: Tensor, slot_len: int = slot_len, chunk: int = chunk) -> Call:
            return lambda: dispatch.chunk_attention(
                *args, slot_len=slot_len, max_chunk=chunk, scale=shape.head_dim**-0.5, mode=mode
            )

        args = (query, keys, values, cu_seqlens, slots, lengths)
        ways = {f"{place.ours} exact": ours(EXACT, *args), f"{place.ours} fast": ours(FAST, *args)}
        ways |= _usual_attention(place, shape, args, slot_len, chunk)
        yield Case("chunk_attention", f"{shape.name} B={requests} K={chunk} keys={length}", num_bytes, flops, ways)


def _usual_attention(
    place: Place, shape: Shape, args: tuple[Tensor, ...], slot_len: int, chunk: int
) -> dict[str, Call]:  # fmt: skip
    """A mask for SDPA, as Hugging Face calls it, and the varlen FlashAttention inside torch, on the same flat slots."""
    query, keys, values, cu_seqlens, slots, lengths = args
    requests = len(slots)
    q = query.view(requests, chunk, shape.num_heads, shape.head_dim).transpose(1, 2)
    behind = torch.arange(slot_len - chunk, slot_len, device=place.device)[:, None]
    mask = torch.arange(slot_len, device=place.device)[None, :] <= behind

    def sdpa() -> Tensor:
        k, v = (
            x[:-1].view(requests, slot_len, shape.num_kv_heads, shape.head_dim).transpose(1, 2)
            .repeat_interleave(shape.num_heads // shape.num_kv_heads, dim=1) for x in (keys, values)
        )  # fmt: skip
        return functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)

    starts = torch.cat((slots * slot_len, (slots[-1:] + 1) * slot_len)).int()
    used = (lengths + chunk).int()

    def flash() -> object:
        return torch.ops.aten._flash_attention_forward(
            query, keys, values, cu_seqlens, starts, chunk, slot_len, 0.0, True, False, scale=None, seqused_k=used
        )

    def split_flash() -> object:
        """The path that splits keys, which takes requests of one length only."""
        k, v = (
            x[:-1].view(requests, slot_len, shape.num_kv_heads, shape.head_dim).transpose(1, 2) for x in (keys, values)
        )
        return torch.ops.aten._scaled_dot_product_flash_attention(q, k, v, 0.0, True)

    if place.device.type != "cuda":
        return {"torch sdpa, mask": sdpa}
    return {"torch sdpa, mask": sdpa, "torch flash": flash, "torch one-length flash": split_flash}


def small_cases(place: Place, shape: Shape, token_counts: tuple[int, ...]) -> Iterator[Case]:
    """The reference is the torch way here: eager layers do just that."""
    for tokens in token_counts:
        size = torch.empty((), dtype=place.dtype).element_size()
        name = f"{shape.name} T={tokens}"
        x, residual, weight = (
            place.randn(tokens, shape.width),
            place.randn(tokens, shape.width),
            place.randn(shape.width),
        )
        ways = _both(place, "rms_norm_residual", x, residual, weight, 1e-6)
        yield Case("rms_norm_residual", name, 4.0 * x.numel() * size, 0.0, ways)
        gate_up = place.randn(tokens, 2 * shape.intermediate)
        yield Case("silu_mul", name, 1.5 * gate_up.numel() * size, 0.0, _both(place, "silu_mul", gate_up))
        yield _rope_case(place, shape, tokens, name)


def _rope_case(place: Place, shape: Shape, tokens: int, name: str) -> Case:
    slot_len = 4096 + tokens
    qkv = place.randn(tokens, (shape.num_heads + 2 * shape.num_kv_heads) * shape.head_dim)
    keys, values = (place.randn(slot_len + 1, shape.num_kv_heads, shape.head_dim) for _ in range(2))
    cos, sin = rope_tables(slot_len, shape.head_dim, place.device)
    index = (place.index(0, tokens), place.index(0), place.index(4096))
    ways = _both(
        place, "rope_append", qkv, cos, sin, keys, values, *index, slot_len=slot_len, num_heads=shape.num_heads
    )  # fmt: skip
    return Case("rope_append", name, 2.0 * qkv.numel() * qkv.element_size(), 0.0, ways)


def _both(place: Place, name: str, *args: object, **kwargs: object) -> dict[str, Call]:
    ours: Callable[..., object] = getattr(dispatch, name)
    torchs: Callable[..., object] = getattr(reference, name)
    return {place.ours: lambda: ours(*args, **kwargs), "torch": lambda: torchs(*args, **kwargs)}
