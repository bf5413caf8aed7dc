"""Targets that another engine computes: vLLM, by its HTTP interface. Importing this costs no torch."""
