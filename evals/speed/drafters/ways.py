"""The ways that are compared, as vLLM's own options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MOST_TOKENS = 127  # vLLM takes no more in a pass
FEW_TOKENS = 4  # of heads, and of a small draft model
MOST_EDITS = 8  # at once
LOOKED_UP = 32  # of vLLM's own look-ups, which can't tell how far they are right
FASTEDIT = {"method": "custom_class", "model": "fastedit.vllm.Proposer", "num_speculative_tokens": MOST_TOKENS}
CHECKPOINT = "{checkpoint}"  # in a way's options: the folder of the checkpoint that was made for it


@dataclass(frozen=True, slots=True)
class Way:
    """name: in the report. speculative: vLLM's `speculative_config`. makes: the checkpoint that has to be made for it.

    words: further options of vLLM's server. batch_size: edits at once. like: the way whose outputs it has to have.
    """

    name: str
    speculative: Mapping[str, Any] | None = None
    makes: str | None = None
    words: tuple[str, ...] = ()
    batch_size: int = 1
    like: str = "none"


def _modelled(method: str) -> Way:
    config = {"method": method, "model": CHECKPOINT, "num_speculative_tokens": FEW_TOKENS}
    return Way(method, config, makes=method)


_INT8 = ("--model", CHECKPOINT, "--dtype", "bfloat16")
WAYS = (
    Way("none"),
    Way(
        "ngram",
        {"method": "ngram", "num_speculative_tokens": LOOKED_UP, "prompt_lookup_min": 2, "prompt_lookup_max": 5},
    ),
    Way("suffix", {"method": "suffix", "num_speculative_tokens": LOOKED_UP}),
    Way("fastedit", FASTEDIT),
    Way("fastedit_batch", FASTEDIT, batch_size=MOST_EDITS),
    Way("int8_none", None, makes="int8", words=_INT8, like="int8_none"),
    Way("int8_fastedit", FASTEDIT, makes="int8", words=_INT8, like="int8_none"),
    Way("tp2_fastedit", FASTEDIT, words=("--tensor-parallel-size", "2")),
    _modelled("draft_model"),
    _modelled("medusa"),
    _modelled("eagle"),
    _modelled("eagle3"),
    _modelled("mlp_speculator"),
)
CHECKED = ("none", "ngram", "fastedit", "fastedit_batch", "int8_none", "int8_fastedit", "tp2_fastedit")
