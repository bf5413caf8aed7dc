"""FastEdit's drafts inside vLLM: a proposer that vLLM loads as its own class. See README.md beside this file.

proposer   what vLLM calls: one row a request, at most 0.2 ms each
prompts    what a prompt asks for, read from its text alone
making     the merged draft of such a prompt, in a thread, kept by prompt
lookup     what followed the same tokens elsewhere, until there is a draft, and where there is none
"""

from __future__ import annotations

from fastedit.vllm.proposer import Proposer

__all__ = ["Proposer"]
