"""Requests that a target works on: what is streamed, what is counted, and who waits for whom."""

from __future__ import annotations

import asyncio
import json
import math
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import openai
import pytest

from fastedit.decode import engine
from fastedit.server import service as service_module
from fastedit.server.jobs import Drafted, Job, JobOutcome
from fastedit.server.loading import TargetSlot
from fastedit.server.settings import ServerSettings
from fastedit.targets import Target
from fastedit.targets.templates import NOTHING, Word
from support.browser import CHROMIUM, browser
from support.scripted import ScriptedRunner, script
from support.serving import EDIT, EXPECTED, ORIGINAL, PATCH, START_S, Running, events_of, running, wait_until
from support.tiny_targets import make_tiny
from support.unclear import just_too_much

LONG = "".join(f"def step_{n}(value):\n    return value + {n}\n\n\n" for n in range(40)) + ORIGINAL
LONG_EXPECTED = LONG.replace("'shape'", "'solid'")
HUGE = "".join(f"def step_{n}(value):\n    return value + {n}\n\n\n" for n in range(700)) + ORIGINAL
SLOW = "x = 1\ny = 2\n" * 60_000  # nothing about it can be told apart, which takes a while
SLOW_EDIT = "# ...\n" + "y = 2\nx = 1\n" * 400 + "# ...\n"
EARLY = 4  # passes after which some of HUGE is certain, and not all of it


def whole(original: str) -> dict[str, object]:
    """A request to stream the edited file. The engine keeps the prompt and needs fewer passes the second time."""
    return {"original": original, "edit": EDIT, "path": "a.py", "stream": True, "mode": "model", "scope": "file"}


def edited(original: str, edit: str) -> str:
    return original.replace("'shape'", "'solid'")


MEASURED = Word(agrees=1000.0)  # agrees with hardly any wrong draft


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny(tmp_path_factory.mktemp("target"), "qwen3", vocabulary=400)


@pytest.fixture(scope="module")
def target(checkpoint: Path) -> Target:
    return replace(Target.load(checkpoint, template="plain"), word=MEASURED)


@pytest.fixture
def spare(checkpoint: Path) -> Target:
    """One for a service of a test's own: a target has one engine."""
    return replace(Target.load(checkpoint, template="plain"), word=MEASURED)


@contextmanager
def scripted(
    target: Target, settings: ServerSettings | None = None, **how: object
) -> Iterator[tuple[Running, ScriptedRunner]]:
    """A service whose target writes `edited`, its engine new."""
    runner = script(target, edited, slot_len=65536, **how)
    settings = settings or ServerSettings(structural_workers=1, drain_s=0.5)
    with running(settings, TargetSlot("scripted", target=target)) as service:
        yield service, runner


@pytest.fixture(scope="module")
def shared(target: Target) -> Iterator[tuple[Running, ScriptedRunner]]:
    with scripted(target) as both:
        yield both


@pytest.fixture
def served(shared: tuple[Running, ScriptedRunner]) -> Iterator[tuple[Running, ScriptedRunner]]:
    """The one service of this module, with nothing to do."""
    service, runner = shared
    yield shared
    runner.fails_from, runner.before_pass = math.inf, lambda: None
    wait_until(lambda: num_at_work(service) == 0)


@contextmanager
def held(runner: ScriptedRunner, after: int = 0) -> Iterator[threading.Event]:
    """Keeps the target in its next pass (after some) until the event is set, or the block is left."""
    released = threading.Event()
    first = runner.num_passes + after
    runner.before_pass = lambda: runner.num_passes >= first and released.wait(START_S) and None
    try:
        yield released
    finally:
        released.set()
        runner.before_pass = lambda: None


def num_at_work(service: Running) -> int:
    engine = service.service.slot.engine
    assert engine is not None
    return engine.num_running + engine.num_waiting


def counts(service: Running) -> list[float]:
    return [
        service.metric("fastedit_accepted_tokens_total"),
        service.metric("fastedit_acceptance_rate_count"),
        service.metric("fastedit_applied_total", strategy="verified"),
    ]


def test_a_lazy_edit_is_verified(served: tuple[Running, ScriptedRunner]) -> None:
    service, _ = served
    assert service.client.get("/readyz").json()["status"] == "ready"
    before = counts(service)
    body = service.apply().json()
    assert (body["text"], body["strategy"], body["warnings"]) == (EXPECTED, "verified", [])
    assert body["usage"]["accepted_prediction_tokens"] == body["stats"]["accepted"] > 0
    assert body["usage"]["completion_tokens"] > 0
    assert body["stats"]["passes"] >= 1
    after = counts(service)
    assert [new - old for old, new in zip(before, after, strict=True)] == [body["stats"]["accepted"], 1, 1]


CLOSE = "def area(w, h):\n    area = w * h\n    return area\n\n\ndef rim(w, h):\n    rim = w + h\n    return rim\n"
CLOSE_EDIT = "```python\n    return round(area * rim, 2)\n```\n"


@pytest.mark.parametrize("stream", [False, True])
def test_close_readings_are_judged_and_counted(spare: Target, stream: bool) -> None:
    # It would leave the file as it is, so it finds the reading likeliest that changes it last.
    asked = {"original": CLOSE, "edit": CLOSE_EDIT, "path": "a.py", "stream": stream}
    asked["certainty"] = just_too_much(CLOSE, CLOSE_EDIT)
    with scripted(replace(spare, word=Word(readings=1.0))) as (service, _):
        refusal = service.client.post("/v1/apply", json={**asked, "mode": "structural", "stream": False})
        assert refusal.json()["error"]["code"] == "ANCHOR_AMBIGUOUS"
        answer = service.client.post("/v1/apply", json=asked)
        body = json.loads(dict(events_of(answer.text))["result"]) if stream else answer.json()
        assert body["text"] == CLOSE.replace("return rim\n", "return round(area * rim, 2)\n")
        assert body["stats"]["readings_judged"] == 2
        assert (body["usage"]["completion_tokens"], body["stats"]["passes"]) == (0, 2)
        assert service.metric("fastedit_readings_judged_total") == 2
        assert service.metric("fastedit_tokens_per_pass_count") == 0


def test_prompt_tokens_from_the_cache_are_told_and_counted(served: tuple[Running, ScriptedRunner]) -> None:
    service, _ = served
    original = f"# read twice\n{LONG}"
    before = service.metric("fastedit_cached_tokens_total")
    first, second = (service.apply(original=original, scope="file").json() for _ in range(2))
    assert first["stats"]["cached_tokens"] < second["stats"]["cached_tokens"] == second["usage"]["prompt_tokens"] - 1
    added = sum(body["stats"]["cached_tokens"] for body in (first, second))
    assert service.metric("fastedit_cached_tokens_total") - before == added


def test_a_patch_is_no_question_to_the_target(served: tuple[Running, ScriptedRunner]) -> None:
    service, runner = served
    num_asked = len(runner.asked)
    assert service.apply(edit=PATCH).json()["strategy"] == "structural"
    assert service.apply(mode="structural").json()["strategy"] == "structural"
    assert len(runner.asked) == num_asked
    assert service.apply(edit=PATCH, mode="model").json()["strategy"] == "model"


@pytest.mark.parametrize("scope", ["windows", "file"])
@pytest.mark.parametrize("mode", ["auto", "model"])
def test_streamed_spans_are_the_file(served: tuple[Running, ScriptedRunner], mode: str, scope: str) -> None:
    service, _ = served
    answer = service.apply(original=LONG, stream=True, mode=mode, scope=scope)
    events = events_of(answer.text)
    spans = [json.loads(data) for name, data in events if name == "span"]
    assert events[-1][0] == "result"
    assert json.loads(events[-1][1])["text"] == LONG_EXPECTED
    assert "".join(span["text"] for span in spans) == LONG_EXPECTED
    lines = LONG.split("\n")
    changed = [span for span in spans if not span["is_kept"]]
    assert [(span["start_line"], span["text"]) for span in changed] == [
        (lines.index("    return 'shape'"), "    return 'solid'\n")
    ]


def test_spans_come_before_the_target_is_done(served: tuple[Running, ScriptedRunner]) -> None:
    service, runner = served
    original = f"# all at once\n{HUGE}"
    body = whole(original)
    with held(runner, after=EARLY) as released, service.client.stream("POST", "/v1/apply", json=body) as answer:
        pieces = answer.iter_text()
        first = next(pieces)
        assert first.startswith("event: span")
        assert not released.is_set()
        released.set()
        events = events_of(first + "".join(pieces))
    assert events[-1][0] == "result"
    assert json.loads(events[-1][1])["text"] == original.replace("'shape'", "'solid'")


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
def test_the_playground_lights_up_what_each_pass_brings(served: tuple[Running, ScriptedRunner], tmp_path: Path) -> None:
    service, runner = served
    runner.before_pass = lambda: time.sleep(0.2)
    count = """var numPasses = 0; new MutationObserver(() => {
        const lit = document.querySelectorAll("#result .lit").length;
        numPasses += lit > 0 && lit < document.querySelectorAll("#result li").length;
    }).observe(document, { childList: true, subtree: true });"""
    with browser(tmp_path) as tab:
        tab.open(service.url, 390, script=count)
        tab.wait_for("document.readyState === 'complete' && hasTarget")
        fields = {"original": LONG, "edit": EDIT, "path": "shapes.py", "mode": "model"}
        tab.value("".join(f"$({json.dumps(name)}).value = {json.dumps(text)};" for name, text in fields.items()))
        tab.value("void apply()")
        tab.wait_for("$('said').className === 'good'")
        assert tab.value("numPasses") >= 1
        assert tab.value("document.querySelectorAll('.lit').length") == 0
        assert "tokens per second" in tab.value("$('said').innerText")


def test_openais_client_streams_what_the_target_writes(served: tuple[Running, ScriptedRunner]) -> None:
    service, _ = served
    with openai.OpenAI(base_url=f"{service.url}/v1", api_key="x", max_retries=0) as client:
        asked = [{"role": "user", "content": f"<code>{LONG}</code>\n<update>{EDIT}</update>"}]
        whole = client.chat.completions.create(model="fastedit", messages=asked)
        chunks = list(client.chat.completions.create(model="fastedit", messages=asked, stream=True))
        again = client.chat.completions.create(model="fastedit", messages=asked)
    assert whole.choices[0].message.content == LONG_EXPECTED
    assert whole.usage is not None
    assert whole.usage.completion_tokens_details is not None
    assert whole.usage.completion_tokens_details.accepted_prediction_tokens > 0
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == LONG_EXPECTED
    assert again.usage is not None
    assert again.usage.prompt_tokens_details is not None
    assert again.usage.prompt_tokens_details.cached_tokens == again.usage.prompt_tokens - 1


def test_structural_requests_never_wait_behind_the_target(served: tuple[Running, ScriptedRunner]) -> None:
    service, runner = served
    with held(runner) as released, ThreadPoolExecutor(20) as pool:
        waiting = [pool.submit(service.apply) for _ in range(16)]
        wait_until(lambda: num_at_work(service) > 0)
        assert service.apply(edit=PATCH).json()["text"] == EXPECTED
        assert service.apply(mode="structural").json()["text"] == EXPECTED
        assert not any(one.done() for one in waiting)
        released.set()
        assert {one.result().json()["text"] for one in waiting} == {EXPECTED}


def test_structural_requests_never_wait_behind_drafts(spare: Target) -> None:
    settings = ServerSettings(structural_workers=1, drain_s=0.5)
    with scripted(spare, settings) as (service, _):
        slow = [service.send(original=SLOW, edit=SLOW_EDIT, deadline_s=60) for _ in range(4)]
        large = service.service.lanes["large"]
        wait_until(lambda: (large.num_running, large.num_waiting) == (1, 3))
        assert service.apply(mode="structural").json()["text"] == EXPECTED
        assert (large.num_running, large.num_waiting) == (1, 3)
        for connection in slow:
            connection.close()
        wait_until(lambda: (large.num_running, large.num_waiting) == (0, 0))
        assert service.apply().json()["text"] == EXPECTED


def test_a_batch_is_decoded_side_by_side(served: tuple[Running, ScriptedRunner]) -> None:
    service, runner = served
    with held(runner) as released, ThreadPoolExecutor(1) as pool:
        requests = [{"original": f"# {n}\n{ORIGINAL}", "edit": EDIT, "path": "a.py"} for n in range(4)]
        answer = pool.submit(service.client.post, "/v1/apply/batch", json={"requests": requests})
        wait_until(lambda: num_at_work(service) == 4)
        released.set()
        results = answer.result().json()["results"]
    assert [one["result"]["text"] for one in results] == [f"# {n}\n{EXPECTED}" for n in range(4)]


def test_a_batch_is_read_in_the_same_passes(
    served: tuple[Running, ScriptedRunner], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "LONGEST_WAIT_S", 10 * START_S)  # nobody would wait for the answer
    service, runner = served
    first = runner.num_passes
    requests = [{"original": f"# {n}\n{ORIGINAL}", "edit": EDIT, "path": "a.py"} for n in range(3)]
    # One that fails, and one that needs no target, are not waited for.
    requests[1:1] = [{**requests[0], "sha256": "0" * 64}, {**requests[0], "edit": PATCH}]
    results = service.client.post("/v1/apply/batch", json={"requests": requests}).json()["results"]
    assert [one["status"] for one in results] == [200, 409, 200, 200, 200]
    assert runner.crowds[first] == 3


# -- what goes wrong -----------------------------------------------------------------------------------------------


def test_a_pass_that_fails_harms_one_request(served: tuple[Running, ScriptedRunner]) -> None:
    service, runner = served
    before = service.metric("fastedit_refused_total", code="ENGINE_ERROR")
    runner.fails_from = runner.num_passes + 1
    answer = service.apply(mode="model")
    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "ENGINE_ERROR")
    assert "device fell over" not in answer.text
    fallen_back = service.apply().json()
    assert fallen_back["text"] == EXPECTED
    assert fallen_back["strategy"] == "structural"
    assert fallen_back["warnings"]
    runner.fails_from = math.inf
    assert service.apply(mode="model").json()["text"] == EXPECTED
    assert service.metric("fastedit_refused_total", code="ENGINE_ERROR") == before + 1


def test_a_failure_after_the_first_span_is_an_event(served: tuple[Running, ScriptedRunner]) -> None:
    service, runner = served
    runner.fails_from = runner.num_passes + 1 + EARLY
    answer = service.client.post("/v1/apply", json=whole(f"# fails\n{HUGE}"))
    events = events_of(answer.text)
    assert answer.status_code == 200
    assert {name for name, _ in events[:-1]} == {"span"}
    assert events[-1][0] == "error"
    assert json.loads(events[-1][1])["error"]["code"] == "ENGINE_ERROR"


def test_the_deadline_holds_though_the_target_hangs(served: tuple[Running, ScriptedRunner]) -> None:
    service, runner = served
    with held(runner):
        answer = service.apply(mode="model", deadline_s=0.3)
        assert (answer.status_code, answer.json()["error"]["code"]) == (504, "TIMEOUT")
    wait_until(lambda: num_at_work(service) == 0)
    assert service.apply(mode="model").json()["text"] == EXPECTED


@pytest.mark.parametrize("stream", [False, True])
def test_work_stops_within_a_pass_of_its_clients_end(served: tuple[Running, ScriptedRunner], stream: bool) -> None:
    service, runner = served
    before = service.metric("fastedit_cancelled_total", mode="model")
    with held(runner):
        num_passes = runner.num_passes
        connection = service.send(original=LONG, mode="model", scope="file", stream=stream)
        wait_until(lambda: num_at_work(service) == 1)
        connection.close()
        wait_until(lambda: service.metric("fastedit_cancelled_total", mode="model") == before + 1)
    wait_until(lambda: num_at_work(service) == 0)
    assert runner.num_passes <= num_passes + 1
    assert service.apply().json()["text"] == EXPECTED


def test_a_client_that_leaves_amid_its_stream_frees_the_slot(served: tuple[Running, ScriptedRunner]) -> None:
    service, runner = served
    before = service.metric("fastedit_cancelled_total", mode="model")
    with held(runner, after=EARLY):
        num_passes = runner.num_passes
        with service.client.stream("POST", "/v1/apply", json=whole(f"# leaves\n{HUGE}")) as answer:
            assert next(answer.iter_text()).startswith("event: span")
        wait_until(lambda: service.metric("fastedit_cancelled_total", mode="model") == before + 1)
    assert runner.num_passes <= num_passes + EARLY + 1
    wait_until(lambda: num_at_work(service) == 0)
    assert service.apply().json()["text"] == EXPECTED


def test_a_hundred_clients_that_leave_at_once(served: tuple[Running, ScriptedRunner]) -> None:
    service, runner = served
    before = service.metric("fastedit_cancelled_total", mode="model")
    lane = service.service.lanes["model"]
    with held(runner):
        connections = [service.send(original=f"# {number}\n{ORIGINAL}", mode="model") for number in range(100)]
        wait_until(lambda: lane.num_running + lane.num_waiting == 100)
        for connection in connections:
            connection.close()
        wait_until(lambda: service.metric("fastedit_cancelled_total", mode="model") == before + 100)
    wait_until(lambda: num_at_work(service) == 0)
    assert (lane.num_running, lane.num_waiting) == (0, 0)
    assert service.apply().json()["text"] == EXPECTED


def test_a_full_queue_turns_away_and_harms_nobody(spare: Target) -> None:
    settings = ServerSettings(structural_workers=1, model_requests=1, max_waiting=2, drain_s=0.5)
    with scripted(spare, settings) as (service, runner), held(runner) as released, ThreadPoolExecutor(8) as pool:
        waiting = [pool.submit(service.apply, mode="model") for _ in range(3)]
        wait_until(lambda: service.metric("fastedit_waiting", lane="model") == 2)
        answer = service.apply(mode="model")
        assert (answer.status_code, answer.json()["error"]["code"]) == (429, "OVERLOADED")
        assert int(answer.headers["retry-after"]) >= 1
        assert service.apply(mode="structural").status_code == 200
        released.set()
        assert [one.result().status_code for one in waiting] == [200] * 3


@pytest.mark.parametrize("streamed", [False, True])
def test_an_auto_request_does_not_wait_for_a_busy_target(
    spare: Target, streamed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service_module, "TARGET_SHARE", 0.01)  # a second for the target, enough for all else
    settings = ServerSettings(structural_workers=1, model_requests=1, deadline_s=100, drain_s=0.5)
    with scripted(spare, settings) as (service, runner), held(runner) as released, ThreadPoolExecutor(1) as pool:
        first = pool.submit(service.apply, mode="model", deadline_s=START_S)
        wait_until(lambda: service.service.lanes["model"].num_running == 1)
        answer = service.apply(stream=streamed)
        assert answer.status_code == 200
        last = json.loads(events_of(answer.text)[-1][1]) if streamed else answer.json()
        assert (last["text"], last["strategy"]) == (EXPECTED, "structural")
        assert [warning["code"] for warning in last["warnings"]] == ["TIMEOUT"]
        if streamed:
            spans = [json.loads(data) for name, data in events_of(answer.text) if name == "span"]
            assert "".join(span["text"] for span in spans) == EXPECTED
        assert service.apply(mode="model", deadline_s=0.3).status_code == 504
        released.set()
        assert first.result().status_code == 200


def test_a_deadline_over_a_certain_draft_leaves_the_draft(spare: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = ServerSettings(structural_workers=1, model_requests=1, drain_s=0.5)
    with scripted(spare, settings) as (service, runner), held(runner) as released, ThreadPoolExecutor(1) as pool:
        first = pool.submit(service.apply, mode="model", deadline_s=60)
        wait_until(lambda: service.service.lanes["model"].num_running == 1)
        workers = service.service._workers
        finish = workers.run_drafted

        async def finish_late(job: Job, drafted: Drafted) -> JobOutcome:
            await asyncio.sleep(2.5)
            return await finish(job, drafted)

        monkeypatch.setattr(workers, "run_drafted", finish_late)
        answer = service.apply(deadline_s=5)  # the target is given up after 3 s
        assert answer.status_code == 200, answer.text
        assert answer.json()["text"] == EXPECTED
        assert [warning["code"] for warning in answer.json()["warnings"]] == ["TIMEOUT"]
        released.set()  # or the pool waits for the first one
        assert first.result().status_code == 200


def test_the_embedded_target_is_asked_in_auto_only_where_it_is_named(
    checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FASTEDIT_TARGET", raising=False)
    for named, num_asked in ({}, 0), ({"target": "embedded"}, 1):
        target = Target.load(checkpoint, template="plain")
        runner = script(target, edited, slot_len=65536)
        settings = ServerSettings(structural_workers=1, drain_s=0.5, **named)
        with running(settings, TargetSlot("embedded", target=target)) as service:
            runner.asked.clear()
            answer = service.apply().json()
            assert (answer["text"], answer["warnings"], len(runner.asked)) == (EXPECTED, [], num_asked)
            assert service.apply(mode="model").json()["strategy"] == "model"
            assert len(runner.asked) == 1  # the same prompt is asked but once


def test_a_refusal_that_a_verifier_cannot_change_waits_for_none(spare: Target) -> None:
    settings = ServerSettings(structural_workers=1, model_requests=1, drain_s=0.5)
    verifier = replace(spare, only_verifies=True, word=NOTHING)
    with scripted(verifier, settings) as (service, runner), held(runner) as released, ThreadPoolExecutor(1) as pool:
        first = pool.submit(service.apply, mode="model", deadline_s=START_S)
        wait_until(lambda: service.service.lanes["model"].num_running == 1)
        answer = service.apply(certainty=0.999, deadline_s=START_S)
        error = answer.json()["error"]
        assert (answer.status_code, error["code"]) == (409, "ANCHOR_AMBIGUOUS")
        assert error["candidates"]
        released.set()
        assert first.result().status_code == 200


def test_many_auto_requests_at_once_are_answered(spare: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_module, "TARGET_SHARE", 0.01)
    settings = ServerSettings(structural_workers=2, model_requests=1, max_waiting=256, deadline_s=START_S, drain_s=0.5)
    with scripted(spare, settings) as (service, runner), held(runner), ThreadPoolExecutor(64) as pool:
        answers = [pool.submit(service.apply) for _ in range(64)]
        statuses = [one.result().status_code for one in answers]
    assert statuses == [200] * len(statuses)


def test_a_target_that_is_absent_is_named(tmp_path_factory: pytest.TempPathFactory) -> None:
    missing = tmp_path_factory.mktemp("nothing") / "here"
    with running(ServerSettings(target=str(missing), structural_workers=1)) as service:
        ready = service.client.get("/readyz")
        assert ready.status_code == 503
        assert ready.json()["target"]["state"] == "absent"
        assert "here" in ready.json()["target"]["reason"]
        body = service.apply().json()
        assert body["text"] == EXPECTED
        assert [warning["code"] for warning in body["warnings"]] == ["TARGET_UNAVAILABLE"]
        assert service.apply(mode="model").status_code == 503
        assert service.apply(mode="structural").json()["warnings"] == []


def test_what_no_slot_can_hold_is_refused_with_both_numbers(spare: Target) -> None:
    runner = script(spare, edited, slot_len=256)
    with running(ServerSettings(structural_workers=1), TargetSlot("scripted", target=spare)) as service:
        answer = service.apply(original=LONG, mode="model", scope="file")
        error = answer.json()["error"]
        assert (answer.status_code, error["code"]) == (413, "TOO_LARGE")
        assert "256" in error["message"]
        assert sum(word.strip(".,;").isdecimal() for word in error["message"].split()) >= 2
        assert service.apply(mode="structural").json()["text"] == EXPECTED
        assert runner.num_passes <= 2  # it warmed up, and never saw the request


def test_a_device_that_is_not_there_is_named(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = make_tiny(tmp_path_factory.mktemp("target"), "llama")
    with running(ServerSettings(target=str(folder), device="cuda:7", structural_workers=1)) as service:
        ready = service.client.get("/readyz")
        assert ready.status_code == 503
        assert ready.json()["target"]["state"] == "absent"
        assert "cuda:7" in ready.json()["target"]["reason"]
        assert service.apply().json()["text"] == EXPECTED


def test_a_damaged_target_is_named(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = make_tiny(tmp_path_factory.mktemp("target"), "llama")
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1000])
    with running(ServerSettings(target=str(folder), structural_workers=1)) as service:
        assert service.client.get("/readyz").status_code == 503
        assert "model.safetensors" in service.client.get("/readyz").json()["target"]["reason"]
        assert service.apply(mode="model").status_code == 503
