"""llama-cpp-python's own `generate` along known outputs: what its users get, the binding's overhead included."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evals.speed.baselines import Clock, Timing
from evals.speed.replay import Trace


class Binding:
    """A GGUF file in llama-cpp-python. num_lookup_tokens: of its prompt look-up decoding, 0 for none."""

    def __init__(self, path: Path, num_threads: int, num_positions: int, num_lookup_tokens: int = 0) -> None:
        from llama_cpp.llama_speculative import LlamaPromptLookupDecoding

        self.num_lookup_tokens = num_lookup_tokens
        draft = LlamaPromptLookupDecoding(num_pred_tokens=num_lookup_tokens) if num_lookup_tokens else None
        self._forced = _forced_class()(
            str(path),
            n_ctx=num_positions,
            n_threads=num_threads,
            n_threads_batch=num_threads,
            flash_attn=True,
            draft_model=draft,
            logits_all=draft is not None,  # or its arrays are too small for a prompt of more than one batch
            verbose=False,
        )

    def close(self) -> None:
        self._forced.close()

    def decode(self, trace: Trace, clock: Clock) -> Timing:
        """Greedy decoding of the whole output."""
        self._forced.known = trace.prompt + trace.output
        self._forced.reset()
        started_s = clock()
        tokens = self._forced.generate(list(trace.prompt), temp=0.0)
        written = tuple(next(tokens) for _ in trace.output)
        seconds = clock() - started_s
        if written != trace.output:
            raise RuntimeError("llama-cpp-python didn't follow the known output")
        return Timing(seconds, len(written), self._forced.num_evaluations())


def _forced_class() -> type[Any]:
    """`Llama`, whose samples are computed and then replaced by the known tokens; made here, where it is installed."""
    import llama_cpp

    class Forced(llama_cpp.Llama):  # type: ignore[misc]
        known: tuple[int, ...] = ()
        _evaluations = 0

        def eval(self, tokens: Any) -> None:
            self._evaluations += 1
            super().eval(tokens)

        def sample(self, *given: Any, idx: int | None = None, **options: Any) -> int:
            super().sample(*given, idx=idx, **options)
            place = self.n_tokens if idx is None else idx + 1
            return self.known[min(place, len(self.known) - 1)]

        def num_evaluations(self) -> int:
            """Since it was last asked."""
            count, self._evaluations = self._evaluations, 0
            return count

    return Forced
