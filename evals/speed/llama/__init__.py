"""FastEdit beside llama.cpp: the same target as GGUF, the same outputs, the same CPU.

`export` writes a Qwen3 checkpoint as GGUF, `peer` runs it through llama.cpp's own decode calls, `agreement` tells
whether both compute the same model, `comparison` measures and sums up; `python -m evals.speed.llama` does all of it.
Needs the extra `llama`, which compiles llama.cpp.
"""
