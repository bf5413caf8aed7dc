"""A pass that fails is run again: smaller where memory ran out, each part alone where one may be at fault."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from fastedit.decode.controller import Acceptance
from fastedit.decode.engine import Outcome, run_guarded
from fastedit.decode.passes import Append, Verdict
from fastedit.decode.request import DecodeRequest, Handle
from fastedit.decode.sequence import Part, Vocabulary
from fastedit.decode.sequence import Sequence as Request
from fastedit.draft import Kind, Proposal
from fastedit.errors import Code, EngineUnavailable
from support.drafting import WordCodec


class Runner:
    """Answers each pass as `answer` does; remembers the tokens of each append of each pass."""

    num_slots, slot_len, max_len, fallbacks, step_widths = 4, 64, 64, (), ()

    def __init__(self, answer: Callable[[Sequence[Append]], None]) -> None:
        self.answer = answer
        self.passes: list[list[int]] = []
        self.num_released = 0

    def append(self, appends: Sequence[Append]) -> list[Verdict | None]:
        self.passes.append([len(append.tokens) for append in appends])
        self.answer(appends)
        return [Verdict(0, 7) if append.num_rows else None for append in appends]

    def copy_prefix(self, source: int, destination: int, length: int) -> None: ...

    def move(self, slot: int, source: int, destination: int, length: int) -> None: ...

    def release_memory(self) -> None:
        self.num_released += 1


def part(number: int, num_fed: int = 4, num_drafted: int = 0) -> Part:
    request = DecodeRequest(tuple(range(1, num_fed + 1)), 16, speculate=False)
    sequence = Request(number, request, Vocabulary(WordCodec(), (0,), 256), Acceptance(), Handle())
    sequence.start(number, 0, 64)
    return Part(sequence, num_fed, Proposal([9] * num_drafted, Kind.MERGED) if num_drafted else None)


def guarded(parts: list[Part], answer: Callable[[Sequence[Append]], None]) -> tuple[list[Outcome], Runner]:
    runner = Runner(answer)
    return run_guarded(runner, parts, lambda: None), runner


def codes(outcomes: list[Outcome]) -> list[str]:
    return [one.verdict.code if isinstance(one.verdict, EngineUnavailable) else "" for one in outcomes]


def too_wide(most: int) -> Callable[[Sequence[Append]], None]:
    def answer(appends: Sequence[Append]) -> None:
        if sum(len(append.tokens) for append in appends) > most:
            raise MemoryError

    return answer


def of_request(number: int, error: Exception) -> Callable[[Sequence[Append]], None]:
    def answer(appends: Sequence[Append]) -> None:
        if any(append.request == number for append in appends):
            raise error

    return answer


def test_a_pass_that_works_is_run_once():
    outcomes, runner = guarded([part(0), part(1)], lambda _: None)
    assert (runner.passes, codes(outcomes)) == ([[4, 4]], ["", ""])


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (RuntimeError("boom"), Code.ENGINE_ERROR),
        (EngineUnavailable(Code.TARGET_UNAVAILABLE, "gone"), Code.TARGET_UNAVAILABLE),
    ],
)
def test_who_is_at_fault_fails_alone(error: Exception, code: Code):
    outcomes, runner = guarded([part(0), part(1), part(2)], of_request(1, error))
    assert codes(outcomes) == ["", code, ""]
    assert runner.passes == [[4, 4, 4], [4], [4], [4]]


def test_out_of_memory_halves_the_pass_and_keeps_the_order():
    parts = [part(number) for number in range(4)]
    outcomes, runner = guarded(parts, too_wide(8))
    assert [outcome.part for outcome in outcomes] == parts
    assert (runner.passes, runner.num_released) == ([[4, 4, 4, 4], [4, 4], [4, 4]], 1)


def test_a_part_alone_gives_up_its_draft_then_half_of_its_tokens():
    outcomes, runner = guarded([part(0, num_fed=8, num_drafted=6)], too_wide(3))
    assert runner.passes == [[14], [8], [4], [2]]
    (outcome,) = outcomes
    assert (outcome.part.num_fed, outcome.part.draft, outcome.verdict) == (2, None, None)  # a rest is unread


def test_without_memory_for_a_single_token_the_request_fails():
    outcomes, _ = guarded([part(0), part(1)], too_wide(0))
    assert codes(outcomes) == [Code.TARGET_UNAVAILABLE] * 2


def test_memory_that_is_kept_for_later_is_given_up():
    num_freed = []
    run_guarded(Runner(too_wide(4)), [part(0), part(1)], lambda: num_freed.append(1))
    assert len(num_freed) == 1
