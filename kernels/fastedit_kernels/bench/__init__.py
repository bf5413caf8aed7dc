"""Benchmarks: `python -m fastedit_kernels.bench`."""
