"""Processes that die, clients that crawl, ends under load: nothing hangs, and the next request is answered."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from fastedit.server.jobs import Job
from fastedit.server.settings import ServerSettings
from fastedit.server.workers import Workers
from support.serving import EDIT, EXPECTED, ORIGINAL, PATCH, START_S, UNKEPT, Running, running, served, wait_until

BODY = {"original": ORIGINAL, "edit": EDIT, "path": "shapes.py"}
# Takes a while: nothing about it can be told apart.
SLOW = {"original": "x = 1\ny = 2\n" * 60_000, "edit": "# ...\n" + "y = 2\nx = 1\n" * 400 + "# ...\n", "path": "a.py"}


def workers_of(pid: int) -> list[int]:
    command = ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(pid)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [int(line.split()[0]) for line in done.stdout.splitlines() if "fastedit.server.workers" in line]


def test_a_worker_that_is_killed_takes_one_request_at_most() -> None:
    two = {"FASTEDIT_STRUCTURAL_WORKERS": "2"}
    with served(env=two) as (process, url), httpx.Client(base_url=url, timeout=START_S, limits=UNKEPT) as client:
        assert client.post("/v1/apply", json=BODY).json()["text"] == EXPECTED
        wait_until(lambda: len(workers_of(process.pid)) == 2)
        with ThreadPoolExecutor(8) as pool:
            answers = [pool.submit(client.post, "/v1/apply", json=BODY) for _ in range(40)]
            for pid in workers_of(process.pid):
                os.kill(pid, signal.SIGKILL)
            statuses = [one.result().status_code for one in answers]
        assert statuses.count(200) >= 38
        assert set(statuses) <= {200, 500}
        assert client.post("/v1/apply", json=BODY).json()["text"] == EXPECTED


def test_work_that_nobody_waits_for_is_stopped() -> None:
    async def run() -> None:
        workers = Workers(1)
        await workers.warm_up()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(workers.run(Job(**SLOW)), 0.2)
        outcome = await workers.run(Job(**BODY))
        assert outcome is not None
        assert outcome.text == EXPECTED
        await workers.close()

    asyncio.run(run())


def test_a_deadline_ends_structural_work(plain: Running) -> None:
    answer = plain.client.post("/v1/apply", json={**SLOW, "deadline_s": 0.05})
    assert answer.status_code == 504
    assert plain.apply().json()["text"] == EXPECTED


@pytest.mark.slow
def test_a_thousand_slow_clients_keep_nobody_waiting() -> None:
    patient = {"header_timeout_s": 2 * START_S, "body_timeout_s": 2 * START_S}
    with running(ServerSettings(target="none", structural_workers=1, **patient)) as service:
        sockets = []
        try:
            for number in range(1000):
                connection = socket.create_connection(("127.0.0.1", service.port))
                started = b"POST /v1/apply HTTP/1.1\r\nHost: localhost\r\n"
                body = b"Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"
                connection.sendall(started + (body if number % 2 else b""))
                sockets.append(connection)
            for _ in range(50):  # and each within less time than the slow ones are waited for
                assert service.apply().json()["text"] == EXPECTED
        finally:
            for connection in sockets:
                connection.close()
        assert service.apply().json()["text"] == EXPECTED


@pytest.mark.slow
def test_a_thousand_at_once_beside_a_huge_one_are_all_answered() -> None:
    settings = ServerSettings(target="none", structural_workers=2, max_waiting=2000, deadline_s=100)
    small = json.dumps({"original": "x = 1\n", "edit": "<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n"})

    async def ask_all(url: str) -> list[httpx.Response]:
        limits = httpx.Limits(max_connections=None)
        async with httpx.AsyncClient(base_url=url, timeout=100, trust_env=False, limits=limits) as client:
            huge = asyncio.create_task(client.post("/v1/apply", json={**SLOW, "deadline_s": 5}))
            headers = {"content-type": "application/json"}
            asking = (client.post("/v1/apply", content=small, headers=headers) for _ in range(1000))
            answers = list(await asyncio.gather(*asking))
            assert (await huge).status_code in (200, 409, 422, 504)
            return answers

    with running(settings) as service:
        answers = asyncio.run(ask_all(service.url))
        assert {answer.status_code for answer in answers} == {200}
        assert {answer.json()["text"] for answer in answers} == {"x = 2\n"}


def test_a_huge_request_holds_up_no_small_ones() -> None:
    settings = ServerSettings(target="none", structural_workers=2)
    with running(settings) as service:
        assert service.apply().status_code == 200
        huge = service.send(**SLOW, deadline_s=60)
        large = service.service.lanes["large"]
        wait_until(lambda: large.num_running == 1)
        for _ in range(20):
            assert service.apply().json()["text"] == EXPECTED
        huge.close()
        wait_until(lambda: large.num_running == 0)


def test_a_client_that_does_not_read_is_given_up() -> None:
    settings = ServerSettings(target="none", structural_workers=1, body_timeout_s=1.5)
    original = "x = 1\n" * 1_000_000
    body = json.dumps({"original": original, "edit": "<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE\n", "stream": True})
    with running(settings) as service, socket.create_connection(("127.0.0.1", service.port)) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        head = "POST /v1/apply HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
        wait_until(lambda: service.service.num_running == 0)
        assert service.apply().json()["text"] == EXPECTED


# -- ends ----------------------------------------------------------------------------------------------------------


def test_sigterm_finishes_what_is_begun() -> None:
    with served() as (process, url), ThreadPoolExecutor(8) as pool:
        stop = threading.Event()
        statuses: list[int | str] = []

        def ask() -> None:
            with httpx.Client(base_url=url, trust_env=False, timeout=START_S) as client:
                while not stop.is_set():
                    try:
                        answer = client.post("/v1/apply", json=BODY)
                    except httpx.ConnectError:
                        statuses.append("refused")
                        return
                    except httpx.TransportError as error:
                        # A kept-alive connection may be closed just as a request goes out on it.
                        statuses.append(type(error).__name__)
                        return
                    assert answer.status_code != 200 or answer.json()["text"] == EXPECTED
                    statuses.append(answer.status_code)

        asking = [pool.submit(ask) for _ in range(8)]
        wait_until(lambda: len(statuses) > 20)
        process.send_signal(signal.SIGTERM)
        assert process.wait(START_S) in (0, -signal.SIGTERM)
        stop.set()
        for one in asking:
            one.result()
        answered = [status for status in statuses if isinstance(status, int)]
        assert set(answered) <= {200, 503}
        assert answered.count(200) > 20


def is_at_work(url: str) -> bool:
    return 'fastedit_running{lane="large"} 1.0' in httpx.get(f"{url}/metrics", trust_env=False, timeout=START_S).text


def test_what_isnt_done_by_then_is_answered_with_an_error() -> None:
    env = {"FASTEDIT_DRAIN_S": "0.3", "FASTEDIT_STRUCTURAL_WORKERS": "1"}
    with served(env=env) as (process, url), ThreadPoolExecutor(1) as pool:
        late = pool.submit(httpx.post, f"{url}/v1/apply", json=SLOW, timeout=START_S, trust_env=False)
        wait_until(lambda: is_at_work(url))
        process.send_signal(signal.SIGTERM)
        answer = late.result()
        assert answer.status_code == 503
        assert answer.json()["error"]["code"] == "TARGET_UNAVAILABLE"
        assert process.wait(START_S) in (0, -signal.SIGTERM)


def test_a_second_signal_waits_for_nothing() -> None:
    env = {"FASTEDIT_DRAIN_S": "60", "FASTEDIT_STRUCTURAL_WORKERS": "1"}
    with served(env=env) as (process, url), ThreadPoolExecutor(1) as pool:
        late = pool.submit(httpx.post, f"{url}/v1/apply", json=SLOW, timeout=START_S, trust_env=False)
        wait_until(lambda: is_at_work(url))
        process.send_signal(signal.SIGTERM)
        wait_until(lambda: "told to stop" in process.stderr.read())  # two signals at once would be one
        process.send_signal(signal.SIGTERM)
        assert process.wait(START_S) in (0, -signal.SIGTERM)
        assert late.result().status_code == 503


def test_a_killed_server_leaves_no_workers() -> None:
    with served() as (process, url):
        assert httpx.post(f"{url}/v1/apply", json=BODY, trust_env=False, timeout=START_S).status_code == 200
        pids = workers_of(process.pid)
        assert pids
        process.kill()
        process.wait()
        wait_until(lambda: not any(_is_alive(pid) for pid in pids))


def _is_alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


# -- starts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "env", "words"),
    [
        (["--host", "0.0.0.0"], {}, "API_KEYS"),
        ([], {"FASTEDIT_PROT": "1"}, "FASTEDIT_PROT"),
        ([], {"FASTEDIT_DEADLINE_S": "soon"}, "FASTEDIT_DEADLINE_S"),
        (["--port", "70000"], {}, "FASTEDIT_PORT"),
    ],
)
def test_a_start_that_cannot_be_is_one_line_and_status_2(arguments: list[str], env: dict[str, str], words: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "fastedit", "serve", *arguments],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=START_S,
    )
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def all_logged(process: subprocess.Popen[str]) -> str:
    """What a process of `served` has logged until its end; `communicate` would read its file as it is now."""
    process.wait(timeout=START_S)
    assert process.stderr is not None
    return process.stderr.read()


def test_logs_are_json_and_hold_no_source() -> None:
    with served() as (process, url):
        answer = httpx.post(f"{url}/v1/apply", json={**BODY, "edit": PATCH}, trust_env=False, timeout=START_S)
        refused = httpx.post(f"{url}/v1/apply", json={**BODY, "edit": "nothing"}, trust_env=False, timeout=START_S)
        assert (answer.status_code, refused.status_code) == (200, refused.status_code)
        process.send_signal(signal.SIGTERM)
        logged = all_logged(process)
    lines = [json.loads(line) for line in logged.splitlines() if line]
    asked = [line for line in lines if line.get("path") == "/v1/apply"]
    assert [line["status"] for line in asked] == [200, refused.status_code]
    assert asked[0]["request_id"] == answer.headers["x-request-id"]
    assert asked[0]["ms"] > 0
    edits = [line for line in lines if line["logger"] == "fastedit.server.edits"]
    assert [line.get("strategy", line.get("code")) for line in edits] == ["structural", refused.json()["error"]["code"]]
    assert edits[0]["lines"] == ORIGINAL.count("\n")
    assert "shape'" not in logged
    assert "return" not in logged


def test_source_is_logged_where_it_is_asked_for() -> None:
    with served(env={"FASTEDIT_LOG_SOURCE": "1", "FASTEDIT_LOG_FORMAT": "text"}) as (process, url):
        httpx.post(f"{url}/v1/apply", json=BODY, trust_env=False, timeout=START_S)
        process.send_signal(signal.SIGTERM)
        logged = all_logged(process)
    assert "return 'shape'" in logged
