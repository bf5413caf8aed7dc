"""A first set of weights with which a new model copies from its first step on.

Merging is mostly copying, and a model that begins with random weights takes millions of tokens until it finds out how.
What it finds is known: heads that look at the token just before, and heads of the next layer that look for a place
whose tokens before are those that were written last, and give the token that stands there. Those heads are written
down here, in a part of the dimensions each; everything else begins as usual, and all of it is trained.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from fastedit.errors import SettingsError

EMBEDDING_SCALE = 0.1
LOGIT_SCALE = 0.4  # of the final norm: the embeddings, which are the head too, are larger than usual
SLOT = 16  # dimensions in which a token's place keeps one of the tokens before it
NUM_SLOTS = 3
CONSTANT = 3.0  # of the embeddings' scale: one dimension is the same for all tokens
SHARPNESS = 3.0  # gain of queries and keys in the layers of such heads
LOCAL = ((4, 1.0), (16, 0.2))  # up to this rotary frequency, so much weight, for looking a few tokens back
COPIED = 3.0  # how much stronger the found token is written than the current one


def begin_copying(model: Any, seed: int = 0) -> None:
    """Write such heads into the first two layers of a new Qwen3. SettingsError where its shape has no room for them."""
    config = model.config
    if config.num_attention_heads < NUM_SLOTS + 1 or config.head_dim < 4 * SLOT or config.num_hidden_layers < 2:
        raise SettingsError("copying heads need 4 heads of 64 dimensions and 2 layers")
    if config.num_key_value_heads != config.num_attention_heads or not config.tie_word_embeddings:
        raise SettingsError("copying heads need as many key heads as query heads, and tied embeddings")
    generator = torch.Generator().manual_seed(seed)
    width = config.hidden_size
    num_token_dims = width - 1 - NUM_SLOTS * SLOT
    projection = _orthogonal(SLOT, num_token_dims, generator)
    with torch.no_grad():
        _embeddings(model, num_token_dims, generator)
        _looking_back(model.model.layers[0].self_attn, config, projection)
        _looking_up(model.model.layers[1].self_attn, config, projection, generator)
        model.model.norm.weight.fill_(LOGIT_SCALE)


def _embeddings(model: Any, num_token_dims: int, generator: torch.Generator) -> None:
    table = model.get_input_embeddings().weight  # [V, width]: constant, token, slots
    table.zero_()
    table[:, 0] = CONSTANT * EMBEDDING_SCALE
    shape = (len(table), num_token_dims)
    table[:, 1 : 1 + num_token_dims] = EMBEDDING_SCALE * torch.randn(shape, generator=generator)


def _looking_back(attention: Any, config: Any, projection: Tensor) -> None:
    """Head j writes into slot j what token stands j + 1 places before."""
    dim, width, num_token_dims = config.head_dim, config.hidden_size, projection.shape[1]
    angles = config.rope_parameters["rope_theta"] ** (-torch.arange(dim // 2) / (dim // 2))
    weights = torch.zeros(dim // 2)
    for end, weight in reversed(LOCAL):
        weights[:end] = weight
    amplitudes = weights.sqrt()
    for head in range(NUM_SLOTS):
        rows = slice(head * dim, (head + 1) * dim)
        turned = -(head + 1) * angles  # the rotation between here and there cancels this one
        _only(attention.q_proj, rows, 0, torch.cat([amplitudes * turned.cos(), amplitudes * turned.sin()]))
        _only(attention.k_proj, rows, 0, torch.cat([amplitudes, torch.zeros_like(amplitudes)]))
        values = torch.zeros(dim, width)
        values[:SLOT, 1 : 1 + num_token_dims] = projection
        attention.v_proj.weight[rows] = values
        out = torch.zeros(width, dim)
        slot = 1 + num_token_dims + head * SLOT
        out[slot : slot + SLOT, :SLOT] = EMBEDDING_SCALE * torch.eye(SLOT)
        attention.o_proj.weight[:, rows] = out
    _sharpen(attention)


def _looking_up(attention: Any, config: Any, projection: Tensor, generator: torch.Generator) -> None:
    """Heads that find the place behind the last two tokens and write the token that stands there."""
    dim, width, num_token_dims = config.head_dim, config.hidden_size, projection.shape[1]
    slots = 1 + num_token_dims
    queries, keys = torch.zeros(dim, width), torch.zeros(dim, width)
    # The slowest rotary frequencies: two tokens are compared there as if they had no place.
    last, before = slice(dim // 2 - SLOT, dim // 2), slice(dim - SLOT, dim)
    queries[last, 1:slots], queries[before, slots : slots + SLOT] = projection, torch.eye(SLOT)
    keys[last, slots : slots + SLOT], keys[before, slots + SLOT : slots + 2 * SLOT] = torch.eye(SLOT), torch.eye(SLOT)
    copied = _orthogonal(min(NUM_SLOTS * dim, num_token_dims), num_token_dims, generator)
    for head in range(NUM_SLOTS):
        rows = slice(head * dim, (head + 1) * dim)
        attention.q_proj.weight[rows], attention.k_proj.weight[rows] = queries, keys
        part = copied[rows]
        values, out = torch.zeros(dim, width), torch.zeros(width, dim)
        values[: len(part), 1:slots] = part
        out[1:slots, : len(part)] = COPIED * EMBEDDING_SCALE * part.T
        attention.v_proj.weight[rows], attention.o_proj.weight[:, rows] = values, out
    _sharpen(attention)


def _only(linear: nn.Linear, rows: slice, column: int, values: Tensor) -> None:
    """These rows read one dimension and no other."""
    linear.weight[rows] = 0.0
    linear.weight[rows, column] = values.to(linear.weight.dtype)


def _sharpen(attention: Any) -> None:
    attention.q_norm.weight.fill_(SHARPNESS)
    attention.k_norm.weight.fill_(SHARPNESS)


def _orthogonal(rows: int, columns: int, generator: torch.Generator) -> Tensor:
    """[rows, columns], its rows orthonormal."""
    square: Tensor = torch.linalg.qr(torch.randn(columns, columns, generator=generator)).Q
    return square[:rows].contiguous()
