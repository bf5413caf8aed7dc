"""The ways that are timed: FastEdit's, llama.cpp's, and one pass over prompt and output, the limit of both."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evals.speed.baselines import Timing, one_pass
from evals.speed.bench import Bench
from evals.speed.decode import Case
from evals.speed.llama.binding import Binding
from evals.speed.llama.comparison import LOOKUP, OURS, PLAIN, Way
from evals.speed.llama.peer import LlamaPeer, prompt_lookup
from evals.speed.replay import Trace

BINDING = "llama-cpp-python's generate"


def ways_of(bench: Bench, peer: LlamaPeer, lookups: Sequence[int], bindings: Sequence[Binding]) -> dict[str, Way]:
    """By name, in the order in which they take turns. lookups: tokens that prompt look-up proposes at most."""
    clock = bench.clock
    return {
        OURS: lambda case: _fastedit(bench, case),
        PLAIN: _each(lambda trace: peer.decode(trace, clock)),
        **{f"{LOOKUP}{num_tokens}": _looking_up(bench, peer, num_tokens) for num_tokens in lookups},
        **{_name_of(binding): _bound(bench, binding) for binding in bindings},
        "transformers, one pass": _each(lambda trace: one_pass(bench.model, trace, clock)),
        "llama.cpp, one pass": _each(lambda trace: peer.one_pass(trace, clock)[0]),
    }


def _fastedit(bench: Bench, case: Case) -> list[Timing]:
    """The engine with the merged draft."""
    decoded = bench.fastedit(case.traced, with_merged_draft=True)
    return [Timing(one.seconds, len(one.result.tokens), one.result.stats.passes) for one in decoded]


def _looking_up(bench: Bench, peer: LlamaPeer, num_tokens: int) -> Way:
    draft = prompt_lookup(num_tokens)
    return _each(lambda trace: peer.decode(trace, bench.clock, draft))


def _bound(bench: Bench, binding: Binding) -> Way:
    return _each(lambda trace: binding.decode(trace, bench.clock))


def _name_of(binding: Binding) -> str:
    return f"{BINDING}, look-up of {binding.num_lookup_tokens}" if binding.num_lookup_tokens else BINDING


def _each(decode: Callable[[Trace], Timing]) -> Way:
    """One window after the other."""
    return lambda case: [decode(trace) for trace in case.traces]
