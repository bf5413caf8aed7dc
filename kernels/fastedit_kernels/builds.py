"""What is shipped, as builds: each kernel with the types, constants and options that a launch would give it.

Shapes are those of Qwen2.5-Coder-7B, the sizes that the tiles are chosen for, on Ampere (80) and Hopper (90).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from fastedit_kernels.gpu import append_kernels, attention_kernels, tiles, verify_kernels
from fastedit_kernels.gpu.launch import block_of
from fastedit_kernels.gpu.pointwise import SILU_BLOCK, norm_warps, rms_norm_residual_kernel, silu_mul_kernel
from fastedit_kernels.gpu.rope_append import APPEND_BLOCK, HEADS_AT_ONCE
from fastedit_kernels.gpu.verify import MERGED_ROWS, MERGED_TILES, ROW_BLOCK

ARCHITECTURES = (80, 90)
MULTIPROCESSORS = {80: 108, 90: 132}
SMALLEST_WGMMA_ROWS = 64  # a tile with fewer rows goes to the older mma instruction
HIDDEN, HEADS, KV_HEADS, HEAD_DIM = 3584, 28, 4, 128
NUM_REQUESTS_BLOCK = 8


@dataclass(frozen=True, slots=True)
class Build:
    """One kernel to compile. types: of the arguments that aren't constants. aligned: integers that 16 divides."""

    kernel: Any
    variant: str
    arch: int
    types: dict[str, str]
    constants: dict[str, Any]
    options: dict[str, Any] = field(default_factory=dict)
    needs_wgmma: bool = False
    aligned: tuple[str, ...] = ()


# Every argument's type, by name; a name means the same in all kernels.
ARGUMENTS = {
    "*bf16": """hidden lm_head qkv_ptr query_ptr keys_ptr values_ptr out_ptr new_keys_ptr new_values_ptr x_ptr
                residual_ptr weight_ptr normed_ptr total_ptr gate_up_ptr query_norm_ptr key_norm_ptr""",
    "*i32": """draft_ptr c1_ptr key_ptr token_ptr token_ids_ptr cu_ptr slots_ptr lengths_ptr offsets_ptr positions_ptr
               num_accepted_ptr""",
    "*fp32": """inverse_ptr best_ptr lse_ptr draft_logits_ptr logits_ptr logsumexp_ptr token_logits_ptr cos_ptr sin_ptr
                partial_ptr temperature_ptr""",
    "*i64": "seeds_ptr",
    "i32": "R V N T F vocab_size width first_token first_tile num_tiles slot_len num_rows qkv_stride",
    "fp32": "scale_log2 eps",
}
OPTIONS = re.compile("(-(sample|logprobs|window|whole|norm))+$")  # at the end of a variant's name
TYPES = {name: kind for kind, names in ARGUMENTS.items() for name in names.split()}


def shipped_builds() -> Iterator[Build]:
    """Every kernel at every tile, for every architecture that it runs on."""
    for arch in ARCHITECTURES:
        yield from product_builds(arch)
        yield from row_builds(arch)
        yield from attention_builds(arch)
        yield from small_builds(arch)


def fullest_builds() -> list[Build]:
    """Of every kernel, tile and architecture the build with all options on: a quarter of the time that all take.

    A change of a kernel or a tile shows in these as well.
    """
    fullest = {}
    for build in shipped_builds():
        tile = OPTIONS.sub("", build.variant)
        fullest[build.kernel.__name__, tile, build.arch] = build  # the last one has most
    return list(fullest.values())


def product_builds(arch: int) -> Iterator[Build]:
    for tile, sample, logprobs in product(tiles.VERIFY_TILES.values(), (False, True), (False, True)):
        if (sample and not tile.samples) or (tile.tma and arch < 90):
            continue
        types = dict(TYPES)
        if tile.tma:
            types["hidden"] = f"tensordesc<bf16[{tile.block_m}, {tile.block_k}]>"
            types["lm_head"] = f"tensordesc<bf16[{tile.block_n}, {tile.block_k}]>"
        constants = {
            "D": HIDDEN, "BLOCK_M": tile.block_m, "BLOCK_N": tile.block_n, "BLOCK_K": tile.block_k,
            "NUM_PROGRAMS": MULTIPROCESSORS[arch] * tile.programs_per_multiprocessor, "TMA": tile.tma,
            "PRECISION": "tf32", "SAMPLE": sample, "LOGPROBS": logprobs,
        }  # fmt: skip
        options = {"num_warps": tile.num_warps, "num_stages": tile.num_stages, "enable_fp_fusion": not sample}
        needs_wgmma = arch >= 90 and tile.block_m >= SMALLEST_WGMMA_ROWS
        variant = tile.name + _suffix(sample, logprobs)
        yield Build(verify_kernels.product_tiles, variant, arch, types, constants, options, needs_wgmma)


def row_builds(arch: int) -> Iterator[Build]:
    tile = tiles.LOGITS_TILE
    for sample, logprobs in product((False, True), (False, True)):
        flags = {"SAMPLE": sample, "LOGPROBS": logprobs}
        fusion = {"enable_fp_fusion": not sample}
        blocks = {"BLOCK_M": tile.block_m, "BLOCK_N": tile.block_n}
        variant = "cublas" + _suffix(sample, logprobs)
        options = {"num_warps": tile.num_warps, **fusion}
        yield Build(verify_kernels.logits_tiles, variant, arch, TYPES, blocks | flags, options, aligned=("width",))
        blocks = {"N_BLOCK": NUM_REQUESTS_BLOCK, "BLOCK_R": MERGED_ROWS, "BLOCK_T": MERGED_TILES}
        yield Build(verify_kernels.merge_rows, "rows" + _suffix(sample, logprobs), arch, TYPES, blocks | flags, fusion)
    constants = {"N_BLOCK": NUM_REQUESTS_BLOCK, "BLOCK": ROW_BLOCK}
    yield Build(verify_kernels.sampling_rows, "rows", arch, TYPES, constants)
    yield Build(verify_kernels.first_mismatch, "requests", arch, TYPES, {"BLOCK": ROW_BLOCK})


def attention_builds(arch: int) -> Iterator[Build]:
    largest_head = 0
    for head_dim, by_rows in tiles.ATTENTION_TILES[arch >= 90]:
        for (_, tile), window, one_split in product(by_rows, (0, 4096), (False, True)):
            constants = {
                "HEADS": HEADS, "KV_HEADS": KV_HEADS, "D": head_dim, "D_BLOCK": head_dim, "BLOCK_M": tile.block_m,
                "BLOCK_N": tile.block_n, "SPLIT": 16384 if one_split else 512, "WINDOW": window,
                "ONE_SPLIT": one_split, "PRECISION": "tf32", "BRANCHES": True,
            }  # fmt: skip
            types = TYPES if one_split else TYPES | {"out_ptr": "*fp32"}
            options = {"num_warps": tile.num_warps, "num_stages": tile.num_stages, "enable_fp_fusion": False}
            needs_wgmma = arch >= 90 and tile.block_m >= SMALLEST_WGMMA_ROWS
            variant = f"{tile.block_m}x{tile.block_n}-d{head_dim}{'-window' * (window > 0)}{'-whole' * one_split}"
            kernel = attention_kernels.split_attention
            yield Build(kernel, variant, arch, types, constants, options, needs_wgmma, aligned=("slot_len",))
        largest_head = head_dim
    constants = {
        "HEADS": HEADS, "D": largest_head, "D_BLOCK": largest_head, "SPLIT": 512, "WINDOW": 0,
        "N_BLOCK": NUM_REQUESTS_BLOCK, "AT_ONCE": tiles.COMBINED_AT_ONCE,
    }  # fmt: skip
    yield Build(attention_kernels.combine_splits, f"d{largest_head}", arch, TYPES, constants, {"num_warps": 1})


def small_builds(arch: int) -> Iterator[Build]:
    for norm in (False, True):
        constants = {
            "HEADS": HEADS, "KV_HEADS": KV_HEADS, "HALF": HEAD_DIM // 2, "HALF_BLOCK": HEAD_DIM // 2,
            "N_BLOCK": NUM_REQUESTS_BLOCK, "BLOCK_H": HEADS_AT_ONCE, "NORM": norm, "BRANCHES": True,
        }  # fmt: skip
        variant = "rope" + "-norm" * norm
        aligned = ("slot_len", "qkv_stride")
        yield Build(append_kernels.rope_append_kernel, variant, arch, TYPES, constants, aligned=aligned)
    constants = {
        "WIDTH": KV_HEADS * HEAD_DIM, "BLOCK": APPEND_BLOCK, "N_BLOCK": NUM_REQUESTS_BLOCK, "BRANCHES": True,
    }  # fmt: skip
    yield Build(append_kernels.append_kernel, "append", arch, TYPES, constants, aligned=("slot_len",))
    for width in (HIDDEN, 8192):
        block = block_of(width)
        constants = {"D": width, "D_BLOCK": block, "RESIDUAL": True}
        options = {"num_warps": norm_warps(block)}
        yield Build(rms_norm_residual_kernel, f"d{width}", arch, TYPES, constants, options)
    yield Build(silu_mul_kernel, "bf16", arch, TYPES, {"BLOCK": SILU_BLOCK}, aligned=("F",))


def _suffix(sample: bool, logprobs: bool) -> str:
    return "-sample" * sample + "-logprobs" * logprobs
