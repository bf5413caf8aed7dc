"""Not a test: a program for a process of its own, since Triton has to be told of its interpreter before it is imported.

usage: interpreted_engine.py CHECKPOINT

Decodes with the Triton kernels in the place of their torch references, greedily and by sampling in one batch, with
drafts that are right in part. Fails where the texts aren't the module's, or where no draft was accepted or refused.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import torch

import fastedit_kernels
from fastedit.decode.fused import fuse
from fastedit.decode.graphs import FusedRunner
from fastedit.decode.request import DecodeRequest, Sampling
from fastedit.decode.settings import EngineSettings
from fastedit.draft import Draft
from fastedit_kernels import gpu
from support.tiny_targets import Tiny, run

SETTINGS = EngineSettings(num_slots=2, slot_len=128, min_slot_len=16)
SAMPLINGS = (Sampling(), Sampling(temperature=0.8, seed=6))
NUM_TOKENS = 12
EXACT_WIDTH = 36  # of passes in exact mode: more than any has here, and far fewer than on a GPU


def main(folder: Path) -> None:
    torch.set_num_threads(1)
    tiny = Tiny.load(folder)
    plain = [
        DecodeRequest(tuple(range(30 + 9 * index, 36 + 9 * index)), NUM_TOKENS, sampling=sampling)
        for index, sampling in enumerate(SAMPLINGS)
    ]
    expected = [run(tiny.engine(SETTINGS), replace(request, speculate=False)).tokens for request in plain]
    for name in gpu.__all__:
        setattr(fastedit_kernels, name, getattr(gpu, name))
    fastedit_kernels.EXACT = replace(fastedit_kernels.EXACT, row_buckets=(EXACT_WIDTH,))
    texts = [tiny.target.codec.text(list(tokens)) for tokens in expected]
    drafted = [
        replace(request, drafts=(Draft(text[:8] + "~" + text[9:]),), logprobs=True)
        for request, text in zip(plain, texts, strict=True)
    ]
    decoder = fuse(tiny.target.model, 128)
    for is_exact in (False, True):
        engine = tiny.engine(SETTINGS, FusedRunner(decoder, 2, 128, is_exact=is_exact))
        handles = [engine.submit(request) for request in drafted]
        while engine.step():
            pass
        results = [handle.result(0) for handle in handles]
        assert [result.tokens for result in results] == expected
        assert all(result.stats.accepted >= NUM_TOKENS // 2 and result.refused for result in results)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
