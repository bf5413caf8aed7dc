"""Which of vLLM's drafters serves edits best? The same edits, the same target, one drafter after the other."""
