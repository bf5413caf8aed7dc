"""vLLM's side of the proposer's interface without vLLM: rows of tokens, and outputs that are known."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np

MAX_TOKENS = 8192


def config_for(
    tokenizer, *, model="target", limit=127, max_tokens=MAX_TOKENS, rank=0, has_tokenizer=True, schedule=None
):
    """What of vLLM's configuration the proposer reads."""
    return SimpleNamespace(
        speculative_config=SimpleNamespace(
            num_speculative_tokens=limit, num_speculative_tokens_per_batch_size=schedule
        ),
        scheduler_config=SimpleNamespace(max_num_seqs=8),
        parallel_config=SimpleNamespace(rank=rank, tensor_parallel_size=2),
        model_config=SimpleNamespace(
            model=str(model),
            tokenizer=str(tokenizer),
            tokenizer_revision=None,
            trust_remote_code=False,
            skip_tokenizer_init=not has_tokenizer,
            max_model_len=max_tokens,
        ),
    )


@dataclass
class Row:
    """A request. output: what the target will have written. num_steps: passes that have written something."""

    prompt: Sequence[int]
    output: Sequence[int]
    written: list[int] = field(default_factory=list)
    draft: list[int] = field(default_factory=list)
    num_steps: int = 0
    num_drafted: int = 0
    num_accepted: int = 0

    @property
    def is_finished(self):
        return len(self.written) == len(self.output)

    def step(self):
        """One pass: as much of the draft as is right, and one token more."""
        rest = self.output[len(self.written) :]
        pairs = zip(self.draft, rest, strict=False)
        wrong = next((index for index, (one, other) in enumerate(pairs) if one != other), None)
        num_accepted = min(len(self.draft), len(rest)) if wrong is None else wrong
        sampled = list(rest[: num_accepted + 1])
        self.num_steps += 1
        self.num_drafted += len(self.draft)
        self.num_accepted += num_accepted
        self.written += sampled
        return sampled


def run(proposer, rows, *, seed=None, max_tokens=MAX_TOKENS):
    """Lets all rows be written, and gives the seconds of each call by each of its rows.

    A pass takes as long as what is done beside it.

    seed: of an order that changes from pass to pass, as rows do when requests come and go.
    """
    taken = []
    while active := [row for row in rows if not row.is_finished]:
        if seed is not None:
            random.Random(seed).shuffle(active)
            seed += 1
        sampled = [row.step() for row in active]
        table = np.zeros((len(active), max_tokens), np.int32)
        lengths = np.zeros(len(active), np.int32)
        for number, row in enumerate(active):
            tokens = [*row.prompt, *row.written]
            table[number, : len(tokens)] = tokens
            lengths[number] = len(tokens)
        started_s = time.thread_time()
        drafts = proposer.propose(sampled, lengths, table)
        taken.append((time.thread_time() - started_s) / len(active))
        assert len(drafts) == len(active)
        for row, draft in zip(active, drafts, strict=True):
            row.draft = draft
        proposer.settle()
    return taken
