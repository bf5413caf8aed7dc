"""Edits as the target is asked them: the windows that it was taught, and whole files where it has room for them."""

from __future__ import annotations

from collections.abc import Sequence

from evals.speed.bench import Bench, request_for
from evals.speed.decode import Case, choose
from evals.speed.pairs import Pair
from evals.speed.replay import Trace
from evals.speed.texts import line_changes
from fastedit.decode import decode_request
from fastedit.syntax import language_of, outline
from fastedit.verify.windows import Window, plan_windows, whole_file


def chosen_cases(bench: Bench, pairs: Sequence[Pair], num_pairs: int) -> tuple[list[Case], list[str]]:
    """The cases of `evals.speed.decode`'s choice that can be decoded, and what those that can't are called."""
    cases = [case for pair in choose(pairs, num_pairs) for case in _cases_of(bench, pair)]
    can_write = [_can_write(bench, case) for case in cases]
    left_out = [f"{case.pair.name} ({case.scope})" for case, can in zip(cases, can_write, strict=True) if not can]
    return [case for case, can in zip(cases, can_write, strict=True) if can], left_out


def _cases_of(bench: Bench, pair: Pair) -> list[Case]:
    """The pair by windows, and as a whole file."""
    lines, changes = line_changes(pair)
    found = outline(pair.original, language_of(pair.name, pair.original)).declarations
    blocks = [(declaration.start_line, declaration.end_line) for declaration in found]
    template = bench.target.template
    windows = plan_windows(
        lines, changes, blocks, context_lines=template.context_lines, max_declaration_lines=template.declaration_lines
    )
    scopes = {"windows": list(windows), "file": [whole_file(lines, changes, blocks)]}
    return [Case(pair, scope, [(window, bench.trace(window)) for window in some]) for scope, some in scopes.items()]


def _can_write(bench: Bench, case: Case) -> bool:
    """Whether prompts and outputs have room, and constrained decoding lets the known outputs through."""
    return all(
        len(trace.prompt) + len(trace.output) <= bench.engine.max_len and _is_let_through(bench, window, trace)
        for window, trace in case.traced
    )


def _is_let_through(bench: Bench, window: Window, trace: Trace) -> bool:
    constraint = decode_request(bench.target, request_for(window, window.draft), bench.engine.max_len).constraint
    if constraint is None:
        return True
    state = constraint.start
    for token in trace.output:
        chosen, state = constraint.choose(state, token)
        if chosen != token:
            return False
    return True
