"""A first set of weights with which a new model copies from its first step on.

Merging is mostly copying, and a model that begins with random weights takes millions of tokens until it finds out how.
What it finds is known: heads that look at the token just before, and heads of the next layer that look for a place
whose tokens before are those that were written last, and give the token that stands there. Those heads are written
down here, in a part of the dimensions each; everything else begins as usual, and all of it is trained.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from fastedit.errors import SettingsError

WRITTEN = ("layers.0.self_attn", "layers.1.self_attn", "embed_tokens", "model.norm")  # parts of the weights' names
EMBEDDING_SCALE = 0.1
LOGIT_SCALE = 0.55  # of the final norm: the embeddings, which are the head too, are larger than usual
SLOT = 16  # dimensions in which a token's place keeps what stands before it
CONSTANT = 3.0  # of the embeddings' scale: one dimension is the same for all tokens
SHARPNESS = 3.0  # gain of queries and keys in the layers of such heads
COPIED = 5.0  # how much stronger the found token is written than the current one


@dataclass(frozen=True, slots=True)
class Look:
    """The aim of a head of the first layer: the tokens about `distance` before its own.

    fastest: the highest rotary frequency that it uses; with lower ones it sees more tokens at once. pull: how much, in
    logits, each frequency counts. gain: makes up for the mean of several tokens being small. weight: what it counts for
    when places are compared.
    """

    distance: float
    fastest: int
    pull: float
    gain: float
    weight: float


LOOKS = (
    Look(1.0, 0, 16.0, 1.0, 0.25),
    Look(2.0, 0, 16.0, 1.0, 0.0),
    Look(4.0, 2, 3.0, 2.0, 0.2),
    Look(14.0, 4, 2.4, 3.0, 0.2),
)
CURRENT_WEIGHT = 0.35
NUM_SLOTS = len(LOOKS)
NUM_FREQUENCIES = 4
NUM_MATCHING = 3  # heads of the second layer that copy


def begin_copying(model: Any, seed: int = 0) -> None:
    """Writes such heads into the first two layers of a new Qwen3. Raises SettingsError where its shape has no room."""
    config = model.config
    if config.num_attention_heads < NUM_SLOTS or config.head_dim < 4 * SLOT or config.num_hidden_layers < 2:
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
    """Fills in the first layer's heads, which each write into their slot what stands where they look."""
    dim, width, num_token_dims = config.head_dim, config.hidden_size, projection.shape[1]
    half = dim // 2
    frequencies = config.rope_parameters["rope_theta"] ** (-torch.arange(half) / half)
    for head, look in enumerate(LOOKS):
        rows = slice(head * dim, (head + 1) * dim)
        # Of a query's and a key's product, which is at most SHARPNESS**2 * sqrt(dim), each frequency has its share.
        share = min(look.pull / (SHARPNESS**2 * dim**0.5), 1.0 / NUM_FREQUENCIES)
        amplitudes = torch.zeros(half)
        amplitudes[look.fastest : look.fastest + NUM_FREQUENCIES] = share**0.5
        rest = max(0.0, 1.0 - float(amplitudes.square().sum())) ** 0.5
        turned = -look.distance * frequencies  # the rotation between here and there cancels this one
        query = torch.cat([amplitudes * turned.cos(), amplitudes * turned.sin()])
        key = torch.cat([amplitudes, torch.zeros(half)])
        query[half - 1], key[half - 2] = rest, rest  # norms are made equal: what is left goes where it meets nothing
        _only(attention.q_proj, rows, 0, query)
        _only(attention.k_proj, rows, 0, key)
        values = torch.zeros(dim, width)
        values[:SLOT, 1 : 1 + num_token_dims] = projection
        attention.v_proj.weight[rows] = values
        out = torch.zeros(width, dim)
        out[_slot(head, num_token_dims), :SLOT] = look.gain * EMBEDDING_SCALE * torch.eye(SLOT)
        attention.o_proj.weight[:, rows] = out
    _sharpen(attention)


def _looking_up(attention: Any, config: Any, projection: Tensor, generator: torch.Generator) -> None:
    """Fills in heads that find the place behind the tokens written last, and write the token that stands there."""
    dim, width, num_token_dims = config.head_dim, config.hidden_size, projection.shape[1]
    # The slowest rotary frequencies: there things are compared as if they had no place.
    half, slow = dim // 2, dim // 4
    free = torch.cat([torch.arange(half - slow, half), torch.arange(dim - slow, dim)])
    queries, keys = torch.zeros(dim, width), torch.zeros(dim, width)
    token = slice(1, 1 + num_token_dims)
    first, second = _slot(0, num_token_dims), _slot(1, num_token_dims)
    pairs = [(token, first, CURRENT_WEIGHT), (first, second, LOOKS[0].weight)]
    pairs += [(_slot(index, num_token_dims),) * 2 + (LOOKS[index].weight,) for index in range(2, NUM_SLOTS)]
    for asked, offered, weight in pairs:
        mixed = weight**0.5 * _orthogonal(SLOT, len(free), generator).T  # [free, SLOT]
        queries[free, asked] += mixed @ projection if asked == token else mixed
        keys[free, offered] += mixed
    copied = _orthogonal(min(NUM_MATCHING * dim, num_token_dims), num_token_dims, generator)
    for head in range(NUM_MATCHING):
        rows = slice(head * dim, (head + 1) * dim)
        attention.q_proj.weight[rows], attention.k_proj.weight[rows] = queries, keys
        part = copied[rows]
        values, out = torch.zeros(dim, width), torch.zeros(width, dim)
        values[: len(part), token] = part
        out[token, : len(part)] = COPIED * EMBEDDING_SCALE * part.T
        attention.v_proj.weight[rows], attention.o_proj.weight[:, rows] = values, out
    _sharpen(attention)


def _slot(index: int, num_token_dims: int) -> slice:
    start = 1 + num_token_dims + index * SLOT
    return slice(start, start + SLOT)


def _only(linear: nn.Linear, rows: slice, column: int, values: Tensor) -> None:
    """Makes these rows read one dimension and no other."""
    linear.weight[rows] = 0.0
    linear.weight[rows, column] = values.to(linear.weight.dtype)


def _sharpen(attention: Any) -> None:
    attention.q_norm.weight.fill_(SHARPNESS)
    attention.k_norm.weight.fill_(SHARPNESS)


def _orthogonal(rows: int, columns: int, generator: torch.Generator) -> Tensor:
    """[rows, columns]: random, with orthonormal rows."""
    square: Tensor = torch.linalg.qr(torch.randn(columns, columns, generator=generator)).Q
    return square[:rows].contiguous()
