"""A service whose target another engine computes: the same answers, and what becomes of it when the engine goes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from fastedit.engines.wire import Server
from fastedit.server import elsewhere
from fastedit.server.elsewhere import ElsewhereSlot
from fastedit.server.loading import State
from fastedit.server.settings import ServerSettings
from fastedit.targets.templates import WORD_FILE
from support.serving import EDIT, EXPECTED, ORIGINAL, PATCH, Running, events_of, running, served, wait_until
from support.standin_vllm import StandIn, plain_checkpoint

SUPPORT = Path(__file__).parents[1] / "support"
ASKED = {"original": ORIGINAL, "edit": EDIT, "path": "shapes.py"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    checkpoint = plain_checkpoint(tmp_path_factory.mktemp("checkpoint") / "target")
    (checkpoint / WORD_FILE).write_text('{"agrees": 1000, "differs": 1}')  # what it agrees with is called verified
    return checkpoint


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that is looked at and tried again without waiting long."""
    for name in ("WATCH_S", "FIRST_PAUSE_S", "LONGEST_PAUSE_S", "METRICS_S"):
        monkeypatch.setattr(elsewhere, name, 0.05)


@contextmanager
def with_engine(folder: Path, standin: StandIn) -> Iterator[Running]:
    settings = ServerSettings(structural_workers=1, drain_s=0.5)
    with running(settings, ElsewhereSlot(str(folder), Server(standin.url, standin.key))) as service:
        yield service


@pytest.fixture
def standin(folder: Path) -> Iterator[StandIn]:
    with StandIn(folder, key="a-key-of-its-own").running() as one:
        yield one


@pytest.fixture
def service(folder: Path, standin: StandIn, quick: None) -> Iterator[Running]:
    with with_engine(folder, standin) as one:
        yield one


def state(service: Running) -> State:
    return service.service.slot.state


def test_the_answer_is_what_the_own_engine_would_give(service: Running, standin: StandIn) -> None:
    assert service.client.get("/readyz").json()["status"] == "ready"
    body = service.apply().json()
    assert (body["text"], body["strategy"], body["warnings"]) == (EXPECTED, "verified", [])
    usage = body["usage"]
    assert usage["prompt_tokens"] == len(standin.asked[0]["prompt"])
    assert usage["accepted_prediction_tokens"] == usage["completion_tokens"] - 2
    assert usage["rejected_prediction_tokens"] == 3
    assert service.apply(mode="model").json()["strategy"] == "model"
    assert service.metric("fastedit_accepted_tokens_total") > 0


def test_spans_are_streamed(service: Running) -> None:
    events = events_of(service.apply(stream=True, scope="file").text)
    spans = [json.loads(data)["text"] for name, data in events if name == "span"]
    assert "".join(spans) == EXPECTED
    assert events[-1][0] == "result"


def test_a_client_that_leaves_stops_the_engine(service: Running, standin: StandIn) -> None:
    standin.go_on.clear()
    with service.send(mode="model", scope="file"):
        wait_until(lambda: len(standin.asked) == 1)
    engine = service.service.slot.engine
    assert engine is not None
    wait_until(lambda: engine.num_running == 0)
    standin.go_on.set()
    wait_until(lambda: standin.num_left == 1)


def test_the_engines_own_figures_are_passed_on(service: Running) -> None:
    wait_until(lambda: "fastedit_engine_draft_tokens_total 42.0" in service.client.get("/metrics").text)
    metrics = service.client.get("/metrics").text
    assert "fastedit_engine_accepted_tokens_total 40.0" in metrics
    assert "fastedit_engine_requests_running 3.0" in metrics


def test_while_the_engine_is_away_structural_edits_go_on(service: Running, standin: StandIn) -> None:
    standin.is_well = False
    wait_until(lambda: state(service) is not State.READY)
    refused = service.apply(mode="model")
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "TARGET_UNAVAILABLE")
    assert int(refused.headers["Retry-After"]) >= 1
    structural = service.apply().json()
    assert (structural["text"], structural["strategy"]) == (EXPECTED, "structural")
    assert [warning["code"] for warning in structural["warnings"]] == ["TARGET_UNAVAILABLE"]
    assert service.apply(edit=PATCH).json()["text"] == EXPECTED
    assert service.client.get("/readyz").status_code == 503
    standin.is_well = True
    wait_until(lambda: state(service) is State.READY)
    assert service.apply().json()["strategy"] == "verified"


def test_an_engine_that_goes_amid_an_answer(service: Running, standin: StandIn) -> None:
    standin.fault = "cut"
    refused = service.apply(mode="model", scope="file")
    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "TARGET_UNAVAILABLE")
    assert int(refused.headers["Retry-After"]) >= 1
    draft = service.apply().json()
    assert (draft["text"], draft["strategy"]) == (EXPECTED, "structural")
    assert [warning["code"] for warning in draft["warnings"]] == ["TARGET_UNAVAILABLE"]


def test_an_engine_that_comes_later_is_waited_for(folder: Path, quick: None) -> None:
    with StandIn(folder).running() as first:
        first.version = "0.9.0"
        with with_engine(folder, first) as service:
            assert "0.32 or newer" in service.service.slot.reason
            assert service.apply(mode="model").status_code == 503
            first.version = "0.32.0"
            wait_until(lambda: state(service) is State.READY)
            assert service.service.slot.reason == ""


def child_environment(**how: str) -> dict[str, str]:
    """The environment in which the package called vllm is the stand-in."""
    paths = (SUPPORT / "fake_vllm", SUPPORT.parent, SUPPORT.parents[1])
    return {"PYTHONPATH": os.pathsep.join(map(str, paths)), "FASTEDIT_STRUCTURAL_WORKERS": "1", **how}


def readiness(url: str) -> httpx.Response:
    return httpx.get(f"{url}/readyz", trust_env=False, timeout=60)


def is_ready(url: str) -> bool:
    return readiness(url).status_code == 200


def ask(url: str, **fields: object) -> httpx.Response:
    return httpx.post(f"{url}/v1/apply", json={**ASKED, **fields}, trust_env=False, timeout=60)


def runs(told: Path) -> list[list[int]]:
    """The process ids that each start of the stand-in told: its own and its core's."""
    lines = told.read_text().splitlines() if told.exists() else []
    return [[int(word) for word in line.split()[:2]] for line in lines]


def lives(process_id: int) -> bool:
    try:
        status = Path(f"/proc/{process_id}/stat").read_text()
    except OSError:
        return False
    return status.rsplit(")", 1)[1].split()[0] != "Z"


@pytest.mark.slow
def test_a_child_is_started_started_again_and_ended_with_all_it_started(folder: Path, tmp_path: Path) -> None:
    told = tmp_path / "pids"
    environment = child_environment(FAKE_VLLM_PIDS=str(told))
    options = ("--target", str(folder), "--engine", "vllm", "--engine-args", "--dtype float32")
    with served(*options, env=environment) as (process, url):
        wait_until(lambda: is_ready(url))
        assert ask(url).json()["strategy"] == "verified"
        assert told.read_text().splitlines()[0].endswith(" --dtype float32")
        [[server, core]] = runs(told)
        os.kill(server, signal.SIGKILL)
        wait_until(lambda: not is_ready(url))
        refused = ask(url, mode="model")
        assert (refused.status_code, int(refused.headers["Retry-After"]) >= 1) == (503, True)
        assert ask(url, edit=PATCH).json()["text"] == EXPECTED
        wait_until(lambda: is_ready(url))
        assert ask(url).json()["strategy"] == "verified"
        assert not lives(core)
        assert len(runs(told)) == 2
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == -signal.SIGTERM
        assert not any(lives(one) for run in runs(told) for one in run)


@pytest.mark.skipif(sys.platform != "linux", reason="other kernels don't end a killed service's child")
@pytest.mark.slow
def test_a_service_that_is_killed_leaves_no_server_behind(folder: Path, tmp_path: Path) -> None:
    told = tmp_path / "pids"
    environment = child_environment(FAKE_VLLM_PIDS=str(told))
    with served("--target", str(folder), "--engine", "vllm", env=environment) as (process, url):
        wait_until(lambda: is_ready(url))
        process.kill()
        [[server, core]] = runs(told)
        wait_until(lambda: not lives(server))
        os.kill(core, signal.SIGKILL)  # vLLM's own ends by itself when its server is gone; the stand-in's doesn't


def test_a_child_that_cant_start_says_why_and_structural_edits_go_on(folder: Path) -> None:
    environment = child_environment(FAKE_VLLM="broken")
    with served("--target", str(folder), "--engine", "vllm", env=environment) as (_, url):
        wait_until(lambda: "no weights for this machine" in readiness(url).text)
        told = readiness(url).json()["target"]["reason"]
        assert "vLLM ended with status 1: ValueError: no weights for this machine" in told
        assert ask(url).json()["strategy"] == "structural"


def failure_of(*options: str, **environment: str) -> str:
    command = [sys.executable, "-m", "fastedit", "serve", "--port", "0", *options]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FASTEDIT_")}
    done = subprocess.run(
        command, env={**kept, **environment}, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    [line] = done.stderr.strip().splitlines()
    return line


@pytest.mark.slow
def test_what_can_never_work_is_one_line(folder: Path, tmp_path: Path) -> None:
    assert "vLLM isn't installed" in (line := failure_of("--engine", "vllm"))
    assert "pip install 'fastedit-apply[vllm]'" in line
    assert "there is no Python" in failure_of("--engine", "vllm", "--engine-python", str(tmp_path / "python"))
    nobody = ("--engine-url", "http://127.0.0.1:1")
    assert "has no tokenizer.json" in failure_of(*nobody, "--target", str(broken(tmp_path)))
    assert "ENGINE_URL" in failure_of("--engine-url", "127.0.0.1:8000")
    assert "ENGINE" in failure_of("--engine", "tgi")
    assert "name one with --target" in failure_of(*nobody, "--target", "none")
    assert "--port is set by FastEdit" in failure_of("--engine", "vllm", "--engine-args", "--port 1")
    assert "ENGINE_ARGS" in failure_of("--engine", "vllm", "--engine-args", "'")


def test_the_command_asks_an_engine_without_a_service(folder: Path, standin: StandIn, tmp_path: Path) -> None:
    (tmp_path / "shapes.py").write_text(ORIGINAL)
    (tmp_path / "edit.md").write_text(EDIT)
    command = [sys.executable, "-m", "fastedit", "apply", "--target", str(folder), "--json", "--engine-url"]
    files = [str(tmp_path / "shapes.py"), str(tmp_path / "edit.md")]

    def apply(url: str, key: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "FASTEDIT_ENGINE_KEY": key}
        return subprocess.run(
            [*command, url, *files], env=environment, capture_output=True, text=True, check=False, timeout=120
        )

    refused = apply(standin.url, "another-key")
    assert (refused.returncode, "wants another key" in refused.stdout + refused.stderr) == (6, True)
    done = apply(standin.url, standin.key or "")
    assert done.returncode == 0, done.stderr
    assert '"verified"' in done.stdout
    assert (tmp_path / "shapes.py").read_text() == EXPECTED
    assert len(standin.asked) == 1


def broken(folder: Path) -> Path:
    checkpoint = plain_checkpoint(folder / "broken")
    (checkpoint / "tokenizer.json").unlink()
    return checkpoint


@pytest.mark.slow
def test_the_process_that_serves_loads_no_torch(folder: Path, standin: StandIn) -> None:
    code = (
        "import os, sys, threading, time, httpx\n"
        "from support.serving import running\nfrom fastedit.server.settings import ServerSettings\n"
        "with running(ServerSettings(structural_workers=1)) as service:\n"
        "    assert service.apply().json()['strategy'] == 'verified'\n"
        "assert 'torch' not in sys.modules\n"
    )
    environment = {
        "FASTEDIT_TARGET": str(folder),
        "FASTEDIT_ENGINE_URL": standin.url,
        "FASTEDIT_ENGINE_KEY": standin.key or "",
        "PYTHONPATH": os.pathsep.join((str(SUPPORT.parent), str(SUPPORT.parents[1]))),
    }
    started_s = time.monotonic()
    subprocess.run([sys.executable, "-c", code], env={**os.environ, **environment}, check=True, timeout=250)
    assert time.monotonic() - started_s < 250
