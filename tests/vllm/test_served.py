"""`fastedit serve --engine vllm` with the real vLLM: the texts of the own engine, from a child that comes back."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest

from fastedit.engines.child import MODULE
from fastedit.server.loading import TargetSlot
from fastedit.server.settings import ServerSettings
from support.serving import EDIT, EXPECTED, ORIGINAL, events_of, running, served, wait_until

FOUND = find_spec("vllm")  # without an origin it is the folder of these tests
pytestmark = [
    pytest.mark.skipif(FOUND is None or FOUND.origin is None, reason="vLLM isn't installed here"),
    pytest.mark.slow,
    pytest.mark.timeout(1800),
]

ASKED = {"original": ORIGINAL, "edit": EDIT, "path": "shapes.py"}
LONG = "".join(f"def step_{n}(value):\n    return value + {n}\n\n\n" for n in range(12)) + ORIGINAL
LOOKUP = "# ... existing code ...\ndef step_3(value, by=3):\n    return value + by\n\n\n# ... existing code ...\n"
CASES = {
    "changed": ASKED,
    "one of many": {**ASKED, "original": LONG},
    "a new parameter": {**ASKED, "original": LONG, "edit": LOOKUP},
    "another language": {
        "original": "function area(w, h) {\n  return w * h;\n}\n\nfunction name() {\n  return 'shape';\n}\n",
        "edit": "// ... existing code ...\nfunction name() {\n  return 'solid';\n}\n",
        "path": "shapes.js",
    },
}
START_S = 1500.0
OPTIONS = ("--target", "embedded", "--engine", "vllm", "--log-level", "debug", "--engine-args", "--enforce-eager")
ENVIRONMENT = {
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_PLUGINS": "",
    "FASTEDIT_STRUCTURAL_WORKERS": "1",
    "PYTHONPATH": str(Path(__file__).parents[2]),
}


@pytest.fixture(scope="module")
def service() -> Iterator[tuple[subprocess.Popen[str], str]]:
    with served(*OPTIONS, env=ENVIRONMENT) as (process, url):
        wait_until(lambda: readiness(url).status_code == 200 or process.poll() is not None, START_S)
        assert process.poll() is None, process.stderr
        yield process, url
        process.send_signal(signal.SIGTERM)
        process.wait(60)


@pytest.fixture(scope="module")
def url(service: tuple[subprocess.Popen[str], str]) -> str:
    return service[1]


def readiness(url: str) -> httpx.Response:
    return httpx.get(f"{url}/readyz", trust_env=False, timeout=60)


def ask(url: str, **fields: object) -> httpx.Response:
    return httpx.post(f"{url}/v1/apply", json={**ASKED, **fields}, trust_env=False, timeout=320)


def answer_of(url: str, **fields: object) -> dict[str, object]:
    answer = ask(url, deadline_s=300, **fields).json()
    return {name: answer.get(name) for name in ("text", "strategy", "warnings", "error")}


@pytest.fixture(scope="module")
def own() -> Iterator[str]:
    slot = TargetSlot("embedded", "cpu")
    slot.load()
    with running(ServerSettings(structural_workers=1), slot) as service:
        yield service.url


@pytest.mark.parametrize("scope", ["windows", "file"])
@pytest.mark.parametrize("case", CASES)
def test_the_answer_is_the_own_engines(url: str, own: str, case: str, scope: str) -> None:
    for mode in ("auto", "model"):
        theirs = answer_of(url, **CASES[case], mode=mode, scope=scope)
        assert theirs == answer_of(own, **CASES[case], mode=mode, scope=scope)


def test_drafts_are_accepted_and_counted(url: str) -> None:
    body = ask(url, original=LONG, scope="file", mode="model").json()
    stats, usage = body["stats"], body["usage"]
    assert usage["completion_tokens"] > 100
    assert usage["accepted_prediction_tokens"] == stats["accepted"] > 0.7 * usage["completion_tokens"]
    assert stats["passes"] < 0.3 * usage["completion_tokens"]

    def figure(name: str) -> float:
        text = httpx.get(f"{url}/metrics", trust_env=False, timeout=60).text
        found = re.search(rf"^fastedit_engine_{name} (\S+)$", text, re.MULTILINE)
        return float(found[1]) if found else 0.0

    wait_until(lambda: figure("accepted_tokens_total") >= stats["accepted"])


def test_spans_are_streamed(url: str) -> None:
    events = events_of(ask(url, stream=True, scope="file").text)
    assert "".join(json.loads(data)["text"] for name, data in events if name == "span") == EXPECTED
    assert events[-1][0] == "result"


def test_a_client_that_leaves_stops_the_engine(url: str) -> None:
    body = {**ASKED, "original": LONG, "mode": "model", "scope": "file", "stream": True}
    with httpx.stream("POST", f"{url}/v1/apply", json=body, trust_env=False, timeout=120) as answer:
        next(answer.iter_text())
    wait_until(lambda: "fastedit_engine_running 0.0" in httpx.get(f"{url}/metrics", trust_env=False, timeout=60).text)
    assert ask(url).json()["text"] == EXPECTED


def test_a_vllm_that_is_killed_comes_back(service: tuple[subprocess.Popen[str], str]) -> None:
    process, url = service
    os.kill(server_of(process), signal.SIGKILL)
    wait_until(lambda: readiness(url).status_code == 503)
    refused = ask(url, mode="model")
    assert (refused.status_code, int(refused.headers["Retry-After"]) > 0) == (503, True)
    assert ask(url).json()["text"] == EXPECTED
    wait_until(lambda: readiness(url).status_code == 200, START_S)
    assert ask(url, mode="model").json()["strategy"] == "model"


def server_of(process: subprocess.Popen[str]) -> int:
    """The process id of the vLLM that the service has started."""
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal() and parent_of(folder) == process.pid and MODULE in words_of(folder):
            return int(folder.name)
    raise AssertionError("vLLM doesn't run")


def parent_of(folder: Path) -> int:
    try:
        return int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


def words_of(folder: Path) -> list[str]:
    return (folder / "cmdline").read_text().split("\0")
