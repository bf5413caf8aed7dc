"""llama.cpp along known outputs, through its own decode calls.

llama-cpp-python's `generate` fills batches in a Python loop and, once there is a draft model, copies the logits of
every token that it reads, the prompt's too. That isn't llama.cpp's doing, and its C++ programs don't do it: here
batches are filled at once, logits are asked for where a token is chosen, and greedy is an argmax over them. The look-up
is the package's own. As with `evals.speed.replay` everything is computed, and only then the known output takes its
place.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from evals.speed.baselines import Clock, Timing
from evals.speed.replay import Trace

Tokens = npt.NDArray[np.intc]
Draft = Callable[[Tokens], Tokens]  # what probably follows these tokens, possibly nothing


class PeerError(Exception):
    """llama.cpp couldn't run what it was given."""


def no_draft(tokens: Tokens) -> Tokens:
    return tokens[:0]


def prompt_lookup(num_tokens: int) -> Draft:
    """The package's prompt look-up decoding: what followed the first earlier occurrence of the last two tokens."""
    from llama_cpp.llama_speculative import LlamaPromptLookupDecoding

    draft: Draft = LlamaPromptLookupDecoding(num_pred_tokens=num_tokens)
    return draft


class LlamaPeer:
    """A GGUF file in llama.cpp, one sequence at a time. `close` it.

    num_positions: the longest prompt and output together. PeerError where llama.cpp doesn't take the file.
    """

    def __init__(self, path: Path, num_threads: int, num_positions: int, *, has_flash_attention: bool = True) -> None:
        import llama_cpp

        self._cpp = llama_cpp
        try:
            self._llama = llama_cpp.Llama(
                str(path),
                n_ctx=num_positions,
                n_batch=num_positions,  # a whole prompt in one call
                n_threads=num_threads,
                n_threads_batch=num_threads,
                flash_attn=has_flash_attention,
                verbose=False,
            )
        except ValueError as error:
            raise PeerError(f"llama.cpp doesn't load {path.name}: {error}") from error
        self._num_positions = num_positions
        self._num_ids: int = self._llama.n_vocab()
        self._memory: Any = llama_cpp.llama_get_memory(self._llama.ctx)
        self._batch: Any = llama_cpp.llama_batch_init(num_positions, 0, 1)
        self._tokens = _view(self._batch.token, num_positions)
        self._positions = _view(self._batch.pos, num_positions)
        self._is_wanted = _view(self._batch.logits, num_positions)
        _view(self._batch.n_seq_id, num_positions)[:] = 1
        for index in range(num_positions):
            self._batch.seq_id[index][0] = 0

    def close(self) -> None:
        self._cpp.llama_batch_free(self._batch)
        self._llama.close()

    def decode(self, trace: Trace, clock: Clock, draft: Draft = no_draft, max_tokens: int | None = None) -> Timing:
        """Greedy decoding along the trace, drafts verified; `max_tokens` cuts the measurement short."""
        num_tokens = min(max_tokens or len(trace.output), len(trace.output))
        context = np.array(trace.prompt + trace.output, dtype=np.intc)
        num_prompt, end = len(trace.prompt), len(trace.prompt) + num_tokens
        started_s = clock()
        self._keep(0)
        self._append(context[:num_prompt], 0, 1)
        num_passes, length = 1, num_prompt  # of what llama.cpp has read; the token behind it is chosen
        while length + 1 < end:
            drafted = draft(context[: length + 1])[: self._num_positions - length - 1]
            self._append(np.concatenate((context[length : length + 1], drafted)), length, 1 + len(drafted))
            length = min(length + 1 + _num_equal(drafted, context[length + 1 :]), end - 1)
            self._keep(length)
            num_passes += 1
        return Timing(clock() - started_s, num_tokens, num_passes)

    def one_pass(self, trace: Trace, clock: Clock) -> tuple[Timing, list[int]]:
        """Prompt and output read in one call, and what llama.cpp itself would write at each place of the output."""
        tokens = np.array(trace.prompt + trace.output[:-1], dtype=np.intc)
        started_s = clock()
        self._keep(0)
        own = self._append(tokens, 0, len(trace.output)).tolist()
        return Timing(clock() - started_s, len(trace.output), 1), own

    def _append(self, tokens: Tokens, length: int, num_rows: int) -> Tokens:
        """llama.cpp's own next token behind each of the last `num_rows` tokens; `tokens` go behind `length` others."""
        count = len(tokens)
        self._tokens[:count] = tokens
        self._positions[:count] = np.arange(length, length + count)
        self._is_wanted[: count - num_rows] = 0
        self._is_wanted[count - num_rows : count] = 1
        self._batch.n_tokens = count
        status = self._cpp.llama_decode(self._llama.ctx, self._batch)
        if status:
            raise PeerError(f"llama_decode of {count} tokens behind {length}: status {status}")
        logits = np.ctypeslib.as_array(self._cpp.llama_get_logits(self._llama.ctx), (num_rows, self._num_ids))
        own: Tokens = logits.argmax(axis=1)
        return own

    def _keep(self, length: int) -> None:
        self._cpp.llama_memory_seq_rm(self._memory, 0, length, -1)


def _view(pointer: Any, count: int) -> npt.NDArray[Any]:
    """A batch's field as an array that writes into it."""
    return np.ctypeslib.as_array(pointer, (count,))


def _num_equal(drafted: Tokens, known: Tokens) -> int:
    """How many of the drafted tokens are right."""
    count = min(len(drafted), len(known))
    wrong = np.flatnonzero(drafted[:count] != known[:count])
    return int(wrong[0]) if len(wrong) else count


def built_with() -> dict[str, str]:
    """The package's version, and which of the CPU's instructions its build of llama.cpp uses."""
    import llama_cpp

    told: str = llama_cpp.llama_print_system_info().decode()
    pairs = (entry.split(" = ") for entry in told.partition(":")[2].split("|") if " = " in entry)
    return {
        "llama_cpp_python": llama_cpp.__version__,
        "llama.cpp's build": ", ".join(name.strip() for name, value in pairs if value.strip() == "1"),
    }
