"""Requests to an engine elsewhere: the same results, refusals and counts as from one's own."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import CancelledError
from dataclasses import replace
from pathlib import Path

import pytest

from fastedit import apply
from fastedit.decode import DecodeRequest, EditRequest, Sampling, decode_request
from fastedit.draft import Draft
from fastedit.engines.engine import ElsewhereEngine
from fastedit.engines.target import connect, described
from fastedit.engines.wire import Server
from fastedit.errors import Code, EditRefused
from fastedit.targets.default import EMBEDDED_FOLDER
from fastedit.targets.templates import Askable, Word
from support.serving import wait_until
from support.standin_vllm import STOP, StandIn, plain_checkpoint
from support.unclear import just_too_much

ORIGINAL = "def area(width, height):\n    return width * height\n\n\ndef name():\n    return 'shape'\n"
EDIT = "def name():\n    return 'solid'\n"
MERGED = ORIGINAL.replace("'shape'", "'solid'")
REQUEST = EditRequest(ORIGINAL, EDIT, (Draft(MERGED),))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return plain_checkpoint(tmp_path_factory.mktemp("checkpoint") / "target")


@pytest.fixture
def standin(folder: Path) -> Iterator[StandIn]:
    with StandIn(folder).running() as running:
        yield running


@pytest.fixture
def target(standin: StandIn, folder: Path) -> Iterator[Askable]:
    found = connect(Server(standin.url), folder)
    yield found
    engine_of(found).close()


def engine_of(target: Askable) -> ElsewhereEngine:
    assert isinstance(target.engine, ElsewhereEngine)
    return target.engine


def submit(target: Askable, request: EditRequest = REQUEST):
    return engine_of(target).submit(target, request)


def refusal_of(target: Askable, request: EditRequest = REQUEST) -> EditRefused:
    with pytest.raises(EditRefused) as caught:
        submit(target, request).result(30)
    return caught.value


def test_the_targets_text_is_the_result(standin: StandIn, target: Askable) -> None:
    handle = submit(target)
    assert "".join(handle.stream()) == MERGED
    result = handle.result(0)
    assert (result.text, result.is_finished, result.is_given_up) == (MERGED, True, False)
    assert result.tokens == (*target.codec.encode(MERGED), STOP)


def test_greedy_requests_say_so_whatever_the_checkpoint_wishes(standin: StandIn, target: Askable) -> None:
    submit(target).result(30)
    [asked] = standin.asked
    prompt = decode_request(target, REQUEST, 4096).prompt
    assert asked["prompt"] == list(prompt)
    assert (asked["temperature"], asked["repetition_penalty"], asked["stop_token_ids"]) == (0.0, 1.0, [STOP])
    assert asked["return_token_ids"] is True


def test_sampling_is_passed_on(standin: StandIn, target: Askable) -> None:
    sampling = Sampling(0.7, 0.9, 40, 5)
    submit(target, EditRequest(ORIGINAL, EDIT, (Draft(MERGED),), sampling=sampling)).result(30)
    [asked] = standin.asked
    assert [asked[name] for name in ("temperature", "top_p", "top_k")] == [0.7, 0.9, 40]


def test_counts_are_the_engines(standin: StandIn, target: Askable) -> None:
    stats = submit(target).result(30).stats
    num_tokens = len(target.codec.encode(MERGED)) + 1
    assert (stats.completion_tokens, stats.accepted, stats.drafted) == (num_tokens, num_tokens - 2, num_tokens + 1)
    assert (stats.passes, stats.cached_tokens) == (2, 16)
    assert stats.prompt_tokens == len(standin.asked[0]["prompt"])


def test_drafts_that_the_engine_doesnt_tell_of_are_none(standin: StandIn, target: Askable) -> None:
    standin.tells_drafts = False
    stats = submit(target).result(30).stats
    assert (stats.drafted, stats.accepted) == (0, 0)
    assert stats.passes > 2  # the events, of which each is a pass


def test_text_comes_before_the_engine_is_done(standin: StandIn, target: Askable) -> None:
    standin.go_on.clear()
    handle = submit(target)
    first = next(pieces := handle.stream())
    assert not handle.is_done
    standin.go_on.set()
    assert first + "".join(pieces) == MERGED


def test_cancelling_lets_the_engine_stop(standin: StandIn, target: Askable) -> None:
    standin.go_on.clear()
    handle = submit(target)
    next(handle.stream())
    handle.cancel()
    with pytest.raises(CancelledError):
        handle.result(30)
    standin.go_on.set()
    wait_until(lambda: standin.num_left == 1 and engine_of(target).num_running == 0)


def test_a_deadline_ends_a_silent_request(standin: StandIn, target: Askable) -> None:
    standin.go_on.clear()
    refused = refusal_of(target, EditRequest(ORIGINAL, EDIT, (Draft(MERGED),), deadline_s=0.2))
    assert refused.code is Code.TIMEOUT


FAULTS = {
    "cut": Code.TARGET_UNAVAILABLE,
    "abort": Code.TARGET_UNAVAILABLE,
    "status": Code.ENGINE_ERROR,
    "no_ids": Code.ENGINE_ERROR,
    "no_json": Code.ENGINE_ERROR,
    "error": Code.ENGINE_ERROR,
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_bad_answer_is_one_line_and_the_next_is_good(standin: StandIn, target: Askable, fault: str) -> None:
    standin.fault = fault
    refused = refusal_of(target)
    assert refused.code is FAULTS[fault]
    assert standin.url in refused.message
    assert "\n" not in refused.message
    standin.fault = ""
    assert submit(target).result(30).text == MERGED


def test_tokens_that_the_tokenizer_lacks_are_refused(standin: StandIn, target: Askable) -> None:
    standin.output = lambda _: [10**7, STOP]
    assert refusal_of(target).code is Code.ENGINE_ERROR


def test_an_output_that_never_ends_is_cut_off(standin: StandIn, target: Askable) -> None:
    standin.output = lambda _: target.codec.encode("x = 1\n" * 2000)
    refused = refusal_of(target)
    assert refused.code is Code.TRUNCATION_DETECTED


def test_a_target_that_writes_something_else_is_given_up_after_as_many_passes(
    standin: StandIn, target: Askable
) -> None:
    others = "".join(f"value_{n} = {n * n}\n" for n in range(99))
    standin.output = lambda _: [*target.codec.encode(others), STOP]
    result = submit(target, EditRequest(ORIGINAL, EDIT, (Draft(MERGED),), max_passes=6)).result(30)
    assert (result.is_given_up, result.is_finished) == (True, False)
    assert others.startswith(result.text)


def test_a_target_that_agrees_is_never_given_up(standin: StandIn, target: Askable) -> None:
    standin.tells_drafts = False
    original = "".join(f"value_{n} = {n * n}\n" for n in range(99)) + ORIGINAL
    merged = original.replace("'shape'", "'solid'")
    result = submit(target, EditRequest(original, EDIT, (Draft(merged),), max_passes=1)).result(30)
    assert (result.text, result.is_finished) == (merged, True)


def test_a_request_that_cant_fit_tells_both_numbers(standin: StandIn, folder: Path) -> None:
    standin.length = 60
    small = connect(Server(standin.url), folder)
    refused = refusal_of(small)
    assert refused.code is Code.TOO_LARGE
    assert "60" in refused.message


def test_after_the_end_nothing_is_taken(standin: StandIn, target: Askable) -> None:
    standin.go_on.clear()
    handle = submit(target)
    engine_of(target).close()
    with pytest.raises(EditRefused, match="shutting down"):
        handle.result(30)
    assert refusal_of(target).code is Code.TARGET_UNAVAILABLE


def test_line_marks_constrain_an_engine_that_knows_nothing_of_them() -> None:
    with StandIn(EMBEDDED_FOLDER, name="embedded").running() as standin:
        target = connect(Server(standin.url), "embedded")
        request = EditRequest(ORIGINAL, EDIT, (Draft(MERGED),), codes=tuple(EDIT.split("\n")[:2]))
        asked = decode_request(target, request, 4096)
        right = [*target.codec.encode(asked.drafts[0].text), STOP]
        slips = [index for index, token in enumerate(right) if target.codec.piece(token) in (b"return", b" return")]
        wrong = [token if index not in slips else token + 1 for index, token in enumerate(right)]
        standin.output = lambda _: wrong
        result = submit(target, request).result(30)
        assert result.text == MERGED
        assert result.stats.completion_tokens == result.stats.passes + result.stats.accepted
        assert len(slips) == 2
        assert [len(body["prompt"]) - len(asked.prompt) for body in standin.asked] == [0, *(at + 1 for at in slips)]
        engine_of(target).close()


def test_the_embedded_target_is_asked_as_where_it_is_loaded() -> None:
    from fastedit.targets import Target

    here, elsewhere = Target.load("embedded"), described("embedded")
    assert decode_request(here, REQUEST, 2048) == decode_request(elsewhere, REQUEST, 2048)
    for name in ("name", "stop_tokens", "max_positions", "only_verifies", "word", "template"):
        assert getattr(here, name) == getattr(elsewhere, name)


# -- how likely an output is -------------------------------------------------------------------------------------------


def test_an_outputs_likelihood_is_that_of_a_prompts_tokens(standin: StandIn, target: Askable) -> None:
    standin.likelihood = lambda token: -float(token)
    result = engine_of(target).score(DecodeRequest.scoring((7, 8, 9), (11, 12))).result(30)
    assert (result.logprobs, result.tokens, result.is_finished) == ((-11.0, -12.0), (11, 12), True)
    assert (result.stats.prompt_tokens, result.stats.completion_tokens, result.stats.passes) == (5, 0, 1)
    (asked,) = standin.asked
    assert (asked["prompt"], asked["prompt_logprobs"], asked["max_tokens"]) == ([7, 8, 9, 11, 12], 0, 1)
    assert engine_of(target).num_running == 0


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("status", Code.ENGINE_ERROR),
        ("no_probabilities", Code.ENGINE_ERROR),
        ("other_tokens", Code.ENGINE_ERROR),
        ("no_json", Code.TARGET_UNAVAILABLE),
    ],
)
def test_a_likelihood_that_makes_no_sense_is_refused(standin: StandIn, target: Askable, fault: str, code: Code) -> None:
    standin.fault = fault
    with pytest.raises(EditRefused) as caught:
        engine_of(target).score(DecodeRequest.scoring((7, 8, 9), (11, 12))).result(30)
    assert caught.value.code == code


def test_a_likelihood_is_waited_for_until_the_deadline_or_the_caller_has_enough(
    standin: StandIn, target: Askable
) -> None:
    standin.go_on.clear()
    engine = engine_of(target)
    with pytest.raises(EditRefused) as late:
        engine.score(DecodeRequest.scoring((7,), (11,), deadline_s=0.2)).result(30)
    assert late.value.code == Code.TIMEOUT
    handle = engine.score(DecodeRequest.scoring((7,), (11,)))
    wait_until(lambda: len(standin.asked) == 2)
    handle.cancel()
    with pytest.raises(CancelledError):
        handle.result(1)
    standin.go_on.set()
    wait_until(lambda: engine.num_running == 0)
    with pytest.raises(EditRefused) as large:
        engine.score(DecodeRequest.scoring((7,) * 5000, (11,)))
    assert large.value.code == Code.TOO_LARGE


def test_readings_are_judged_by_the_engine(standin: StandIn, target: Askable) -> None:
    file = "def area(w, h):\n    area = w * h\n    return area\n\n\ndef rim(w, h):\n    rim = w + h\n    return rim\n"
    message = "```python\n    return round(area * rim, 2)\n```\n"
    # It finds every token likely but those of the line that the second reading does away with.
    disliked = set(target.codec.encode(" rim\n")) - set(target.codec.encode(" area\n"))
    standin.likelihood = lambda token: -20.0 if token in disliked else -0.1
    judge = replace(target, word=Word(readings=1.0))
    least = just_too_much(file, message)
    applied = apply(file, message, path="a.py", target=judge, certainty=least)
    assert applied.text == file.replace("return rim\n", "return round(area * rim, 2)\n")
    assert applied.stats.readings_judged > 1
