"""The tiles that are shipped, as data. Adding one is adding a row; `python -m fastedit_kernels.aot` checks it.

Nothing is tuned when it runs: the tables say which tile takes how many rows, by what registers and bandwidth allow.
"""

from __future__ import annotations

from dataclasses import dataclass

ANY = 1 << 30  # rows: no limit


@dataclass(frozen=True, slots=True)
class VerifyTile:
    """One variant of `product_tiles`.

    samples: whether the noise fits its registers too. programs_per_multiprocessor: how many run at a time there.
    """

    name: str
    block_m: int
    block_n: int
    block_k: int
    num_warps: int
    num_stages: int
    tma: bool
    samples: bool = True
    programs_per_multiprocessor: int = 1


# With noise in a 256-wide tile registers spill.
VERIFY_TILES = {
    tile.name: tile
    for tile in (
        VerifyTile("tma-128x256", 128, 256, 64, 8, 3, tma=True, samples=False),
        VerifyTile("tma-128x128", 128, 128, 64, 8, 4, tma=True),
        VerifyTile("tma-64x128", 64, 128, 64, 4, 4, tma=True, programs_per_multiprocessor=2),
        VerifyTile("tma-16x128", 16, 128, 128, 4, 4, tma=True, programs_per_multiprocessor=2),
        VerifyTile("pointer-128x128", 128, 128, 32, 8, 4, tma=False),
        VerifyTile("pointer-64x128", 64, 128, 64, 8, 3, tma=False),
        VerifyTile("pointer-16x128", 16, 128, 128, 4, 3, tma=False),
    )
}
CUBLAS = "cublas"  # the library's product, a block of the vocabulary at a time, and `logits_tiles`

# The one tile of exact mode, with and without TMA.
EXACT_TILE = {True: "tma-128x128", False: "pointer-128x128"}

# Outside exact mode: (most rows, tile when greedy, tile when sampling), with and without TMA.
DEFAULT_TILES: dict[bool, tuple[tuple[int, str, str], ...]] = {
    True: ((16, "tma-16x128", "tma-16x128"), (64, "tma-64x128", "tma-64x128"), (256, "tma-128x256", "tma-128x128"),
           (ANY, CUBLAS, CUBLAS)),
    False: ((16, "pointer-16x128", "pointer-16x128"), (64, "pointer-64x128", "pointer-64x128"),
            (128, "pointer-128x128", "pointer-128x128"), (ANY, CUBLAS, CUBLAS)),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class LogitsTile:
    """How `logits_tiles` reads a library's logits, `vocab_block` tokens at a time so that they stay in the L2 cache."""

    block_m: int = 4
    block_n: int = 1024
    num_warps: int = 4
    vocab_block: int = 16384


LOGITS_TILE = LogitsTile()


@dataclass(frozen=True, slots=True)
class AttentionTile:
    """Tile of `split_attention`: `block_m` rows (tokens times the query heads of a KV head) by `block_n` keys."""

    block_m: int
    block_n: int
    num_warps: int
    num_stages: int


# With and without TMA (Hopper's registers hold no operands, Ampere's do): (largest head dimension, (most rows, tile)).
ATTENTION_TILES: dict[bool, tuple[tuple[int, tuple[tuple[int, AttentionTile], ...]], ...]] = {
    True: (
        (
            128,
            ((16, AttentionTile(16, 64, 4, 3)), (64, AttentionTile(64, 64, 4, 3)), (ANY, AttentionTile(128, 64, 8, 3))),
        ),
        (256, ((16, AttentionTile(16, 64, 4, 2)), (ANY, AttentionTile(64, 64, 8, 2)))),
    ),
    False: (
        (
            128,
            ((16, AttentionTile(16, 64, 4, 3)), (64, AttentionTile(64, 32, 4, 3)), (ANY, AttentionTile(128, 32, 8, 3))),
        ),
        (256, ((16, AttentionTile(16, 64, 4, 2)), (ANY, AttentionTile(64, 32, 8, 2)))),
    ),
}
COMBINED_AT_ONCE = 8  # splits that `combine_splits` loads together
# In fast mode: no split where the row blocks alone fill the device so many times; else splits as long as they can be
# for that, within these bounds. A graph's grid covers a whole slot, mostly an empty one: hence the upper one.
WAVES_WITHOUT_SPLIT = 2
SHORTEST_SPLIT = 512
LONGEST_SPLIT = 2048
