"""FastEdit's drafts inside vLLM: a proposer that vLLM loads as its own class. See README.md beside this file.

proposer    what vLLM calls: one row a request
following   one request: its drafts, and what it looks up until there are any
making      a thread and a process that make the drafts, kept by prompt
planning    the drafts of a prompt: what it asks for, merged
prompts     what a prompt asks for, read from its text alone; `marked` where its lines have marks
lookup      what followed the same tokens elsewhere
tune        which drafter pays, on one's own edits and machine; `trial` runs one
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fastedit.vllm.proposer import Proposer

__all__ = ["Proposer"]


def __getattr__(name: str) -> Any:
    # The process that makes drafts needs nothing of what the proposer imports, torch among it.
    if name == "Proposer":
        from fastedit.vllm.proposer import Proposer

        return Proposer
    raise AttributeError(f"module 'fastedit.vllm' has no attribute {name!r}")
