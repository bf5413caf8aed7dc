"""How the keys of an attention pass are split: few programs to compile, few partial results."""

import torch

from fastedit_kernels import EXACT, FAST
from fastedit_kernels.gpu.chunk_attention import keys_per_split
from fastedit_kernels.gpu.tiles import AttentionTile

TILE = AttentionTile(128, 64, 8, 3)
CPU = torch.device("cpu")


def test_prompts_of_any_length_share_a_few_programs() -> None:
    """A split is a constant of the program: with one for each 64 tokens, prompts up to 8,191 tokens need 108."""
    splits = {
        keys_per_split(programs, length, TILE, CPU, FAST) for programs in (1, 2, 8, 99) for length in range(1, 8192)
    }
    assert all(split & (split - 1) == 0 for split in splits)
    assert len(splits) <= 9


def test_no_key_is_left_out_and_small_grids_are_split() -> None:
    for programs in (1, 4, 6, 400):
        for length in (1, 63, 64, 65, 4000, 2**17):
            split = keys_per_split(programs, length, TILE, CPU, FAST)
            assert split >= TILE.block_n
            assert split >= length or programs < 6  # INTERPRETED_PROGRAMS twice
    assert keys_per_split(1, 8192, TILE, CPU, FAST) < 8192


def test_partial_results_of_long_contexts_stay_small() -> None:
    """One layer's, for a pass of 128 tokens at 128k with 28 heads of 128: once 470 MB."""
    split = keys_per_split(1, 2**17, TILE, CPU, FAST)
    assert 2**17 // split * 128 * 28 * 128 * 4 < 120e6


def test_exact_mode_splits_at_the_same_keys_always() -> None:
    assert {keys_per_split(n, length, TILE, CPU, EXACT) for n in (1, 99) for length in (1, 9000)} == {512}
