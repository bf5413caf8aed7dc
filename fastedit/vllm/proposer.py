"""Drafts for vLLM: `{"method": "custom_class", "model": "fastedit.vllm.Proposer", "num_speculative_tokens": 127}`.

The interface tells a request by nothing but its tokens, and rows change places as requests come and go. So a row is
known again by its length and last tokens before the pass, and by a sample of its prompt; one that isn't known is new,
and what stands before its newest tokens is its prompt.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fastedit.errors import EditRefused
from fastedit.targets.registry import template_of
from fastedit.targets.templates import TEMPLATES, PromptTemplate
from fastedit.vllm.following import Follower
from fastedit.vllm.lookup import RowLookup, Tokens
from fastedit.vllm.making import Maker

logger = logging.getLogger(__name__)

TAIL_TOKENS = 32  # by so many last tokens a row is known again
KEPT_PER_SLOT = 4  # requests that are remembered, for each that may run: vLLM puts some off and resumes them

Key = tuple[int, bytes]


class Proposer:
    """Drafts for vLLM from the merged drafts of its requests' edits.

    A wrong draft costs time, never text: vLLM's own rejection decides. Raises EngineUnavailable(TARGET_UNAVAILABLE)
    for a `fastedit.json` in the target's folder that is no template.
    """

    def __init__(self, vllm_config: Any) -> None:
        model = vllm_config.model_config
        speculative = vllm_config.speculative_config
        self._limit = int(speculative.num_speculative_tokens)
        self._schedule = [tuple(map(int, one)) for one in speculative.num_speculative_tokens_per_batch_size or ()]
        self._max_tokens = int(model.max_model_len)
        self._num_kept = KEPT_PER_SLOT * int(vllm_config.scheduler_config.max_num_seqs)
        self._followers: OrderedDict[Key, list[Follower]] = OrderedDict()
        self._lookup = RowLookup()
        self._is_idle = not _is_asked(vllm_config.parallel_config)
        self._maker: Maker | None = None
        if not self._is_idle and (tokenizer := _tokenizer_of(model)) is not None:
            ending = () if tokenizer.eos_token_id is None else (int(tokenizer.eos_token_id),)
            self._maker = Maker(tokenizer.backend_tokenizer, _templates_of(str(model.model)), ending)

    def load_model(self, *_: Any, **__: Any) -> None:
        """Nothing to load: the drafts are made from the prompts."""

    def propose(
        self,
        sampled_token_ids: Sequence[Sequence[int]],
        num_tokens_no_spec: npt.NDArray[np.int32],
        token_ids_cpu: npt.NDArray[np.int32],
        slot_mappings: object = None,
    ) -> list[list[int]]:
        """The draft of each row; an empty one where the row is still reading its prompt.

        sampled_token_ids: of each row those that the last pass gave. token_ids_cpu: (rows, max_model_len), of which the
        first num_tokens_no_spec[row] are the prompt and the output, those tokens included.
        """
        if self._is_idle:
            return [[] for _ in sampled_token_ids]
        limit = self._limit_of(len(sampled_token_ids))
        return [
            self._draft(token_ids_cpu[row, : int(num_tokens_no_spec[row])], list(sampled), limit)
            if len(sampled)
            else []
            for row, sampled in enumerate(sampled_token_ids)
        ]

    def settle(self) -> None:
        """Waits until the drafts asked for so far are made: for tests and measurements."""
        for alike in self._followers.values():
            for follower in alike:
                follower.settle()

    def close(self) -> None:
        """Ends the process that makes drafts; it ends by itself when vLLM's does."""
        if self._maker is not None:
            self._maker.close()

    def _limit_of(self, num_rows: int) -> int:
        """The most tokens of a draft with so many requests at once; vLLM leaves it to a drafter of one's own."""
        scheduled = [number for start, _, number in sorted(self._schedule) if start <= num_rows]
        return min(self._limit, scheduled[-1]) if scheduled else self._limit

    def _draft(self, tokens: Tokens, sampled: list[int], limit: int) -> list[int]:
        room = self._max_tokens - len(tokens) - 1
        if room < 1:
            return []
        limit = min(limit, room)
        follower = self._follower(tokens, len(tokens) - len(sampled))
        if follower is None:
            self._lookup.tokens = tokens
            proposal = self._lookup.propose(limit) if limit else None
            return proposal.tokens if proposal else []
        try:
            return follower.propose(tokens, sampled, limit)
        except EditRefused as refused:
            logger.warning("a request is looked up only from now on: %s", refused.message)
            follower.give_up()
            return []

    def _follower(self, tokens: Tokens, num_before: int) -> Follower | None:
        """The request that the row is, known again or new; None where there is no tokenizer to read it with.

        num_before: the row's tokens before the last pass.
        """
        if self._maker is None:
            return None
        follower = self._known(tokens, num_before)
        if follower is None:
            follower = Follower(tokens[:num_before].copy(), self._maker)
        self._followers.setdefault(_key(tokens, len(tokens)), []).append(follower)
        while len(self._followers) > self._num_kept:
            self._followers.popitem(last=False)
        return follower

    def _known(self, tokens: Tokens, num_before: int) -> Follower | None:
        key = _key(tokens, num_before)
        for follower in (alike := self._followers.get(key, [])):
            if follower.is_of(tokens):
                alike.remove(follower)
                if not alike:
                    del self._followers[key]
                return follower
        return None


def _key(tokens: Tokens, num_tokens: int) -> Key:
    return num_tokens, tokens[max(0, num_tokens - TAIL_TOKENS) : num_tokens].tobytes()


def _is_asked(parallel: Any) -> bool:
    """Whether this worker's drafts are the ones that count: vLLM takes those of the first tensor-parallel rank."""
    return int(parallel.rank) % int(parallel.tensor_parallel_size) == 0


def _templates_of(model: str) -> list[PromptTemplate]:
    """All known templates, the target's own first."""
    own = template_of(model, Path(model))
    return [own, *(template for template in TEMPLATES.values() if template != own)]


def _tokenizer_of(model: Any) -> Any:
    """The target's tokenizer; None, with one line in the log, where there is none."""
    from transformers import AutoTokenizer

    if model.skip_tokenizer_init:
        logger.warning("vLLM was started without a tokenizer: prompts can't be read, they are looked up only")
        return None
    try:
        return AutoTokenizer.from_pretrained(
            model.tokenizer, revision=model.tokenizer_revision, trust_remote_code=model.trust_remote_code
        )
    except (OSError, ValueError, KeyError) as error:
        reason = " ".join(str(error).split())
        logger.warning("no tokenizer for %s, prompts are looked up only: %s", model.tokenizer, reason)
        return None
