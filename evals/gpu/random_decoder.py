"""Decoders of the shapes that matter, with random weights: honest for speed, meaningless for text."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from fastedit.decode.fused import FusedDecoder, Layer, Linear

BYTES_OF = {"bf16": 2, "fp8": 1}


@dataclass(frozen=True, slots=True)
class DecoderShape:
    """weights: "bf16" or "fp8" (the layers'; embedding and head stay bf16)."""

    name: str
    layers: int
    width: int
    heads: int
    kv_heads: int
    head_dim: int
    intermediate: int
    vocabulary: int
    weights: str = "bf16"
    rope_theta: float = 1e6

    @property
    def num_bytes(self) -> int:
        """Weights in memory, embedding and head included."""
        attention = self.width * self.head_dim * (2 * self.heads + 2 * self.kv_heads)
        layer = attention + 3 * self.width * self.intermediate
        return self.layers * layer * BYTES_OF[self.weights] + 4 * self.vocabulary * self.width


SHAPES = (
    DecoderShape("qwen2.5-coder-1.5b bf16", 28, 1536, 12, 2, 128, 8960, 151_936),
    DecoderShape("qwen2.5-coder-7b bf16", 28, 3584, 28, 4, 128, 18_944, 152_064),
    DecoderShape("qwen2.5-coder-7b fp8", 28, 3584, 28, 4, 128, 18_944, 152_064, "fp8"),
    DecoderShape("llama-3-70b fp8", 80, 8192, 64, 8, 128, 28_672, 128_256, "fp8", 5e5),
)
TINY = DecoderShape("tiny", 2, 64, 4, 2, 16, 128, 20_000)


@torch.no_grad()
def random_decoder(shape: DecoderShape, num_positions: int, device: torch.device) -> FusedDecoder:
    """A decoder of that shape, made layer by layer, so that little more than its own memory is needed."""
    dtype = torch.bfloat16 if device.type == "cuda" else torch.float32
    generator = torch.Generator(device).manual_seed(0)

    def matrix(outputs: int, inputs: int) -> Tensor:
        weight = torch.randn(outputs, inputs, generator=generator, device=device, dtype=dtype)
        return weight.mul_(inputs**-0.5)

    def linear(outputs: int, inputs: int) -> Linear:
        plain = Linear(matrix(outputs, inputs))
        return plain.quantized() if shape.weights == "fp8" else plain

    def layer() -> Layer:
        heads_width = shape.heads * shape.head_dim
        ones = torch.ones(shape.width, device=device, dtype=dtype)
        return Layer(
            qkv=linear(heads_width + 2 * shape.kv_heads * shape.head_dim, shape.width),
            output=linear(shape.width, heads_width),
            gate_up=linear(2 * shape.intermediate, shape.width),
            down=linear(shape.width, shape.intermediate),
            norms=(ones, ones),
        )

    cos, sin = _rotation(shape, num_positions, device)
    return FusedDecoder(
        embedding=matrix(shape.vocabulary, shape.width),
        layers=tuple(layer() for _ in range(shape.layers)),
        norm=torch.ones(shape.width, device=device, dtype=dtype),
        head=matrix(shape.vocabulary, shape.width),
        cos=cos,
        sin=sin,
        num_heads=shape.heads,
        num_kv_heads=shape.kv_heads,
        eps=1e-6,
        scale=shape.head_dim**-0.5,
    )


def _rotation(shape: DecoderShape, num_positions: int, device: torch.device) -> tuple[Tensor, Tensor]:
    steps = torch.arange(0, shape.head_dim, 2, device=device, dtype=torch.float32) / shape.head_dim
    angles = torch.outer(torch.arange(num_positions, device=device, dtype=torch.float32), shape.rope_theta**-steps)
    return angles.cos(), angles.sin()
