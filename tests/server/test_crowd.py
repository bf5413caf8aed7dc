"""More clients than there may be: those beyond the limit are told so, those within it notice nothing."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import pytest

from fastedit import EditRefused, apply
from fastedit.edits import parse_message
from fastedit.remote import Remote
from fastedit.server.settings import ServerSettings
from support.serving import EDIT, EXPECTED, ORIGINAL, PATCH, START_S, Running, running, wait_until

MAX_CONNECTIONS = 3
BODY = json.dumps({"original": ORIGINAL, "edit": EDIT, "path": "shapes.py"})
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def service() -> Iterator[Running]:
    patient = {"header_timeout_s": 2 * START_S}
    with running(
        ServerSettings(target="none", structural_workers=1, max_connections=MAX_CONNECTIONS, **patient)
    ) as service:
        yield service


@contextmanager
def connected(service: Running, count: int) -> Iterator[list[http.client.HTTPConnection]]:
    """So many clients, each of which has been answered once, and stays; the first ones have the places."""
    with ExitStack() as stack:
        clients = [http.client.HTTPConnection("127.0.0.1", service.port, timeout=START_S) for _ in range(count)]
        for index, client in enumerate(clients):
            stack.callback(client.close)
            path = "/v1/models" if index < MAX_CONNECTIONS else "/healthz"
            wait_until(partial(is_answered, client, path))  # those of the test before may still be going
        yield clients


def is_answered(client: http.client.HTTPConnection, path: str) -> bool:
    try:
        return asked(client, path, "GET")[0] == 200
    except (OSError, http.client.HTTPException):
        client.close()  # turned away without a word: it connects again
        return False


def asked(
    client: http.client.HTTPConnection, path: str = "/v1/apply", method: str = "POST"
) -> tuple[int, dict[str, Any], str]:
    """Status, JSON and Retry-After of an answer."""
    client.request(method, path, BODY if method == "POST" else None, JSON)
    answer = client.getresponse()
    return answer.status, json.loads(answer.read()), answer.headers.get("Retry-After", "")


def test_who_is_one_too_many_is_told_so_in_our_words(service: Running) -> None:
    before = service.metric("fastedit_http_requests_total", path="/v1/apply", status="429")
    with connected(service, MAX_CONNECTIONS + 1) as (first, *_, last):
        status, body, retry_after = asked(last)
        assert (status, body["error"]["code"], body["error"]["candidates"]) == (429, "OVERLOADED", [])
        assert int(retry_after) >= 1
        assert asked(first)[0] == 200
        status, body, _ = asked(last, "/v1/chat/completions")
        assert (status, body["error"]["type"]) == (429, "rate_limit_error")
    assert service.metric("fastedit_http_requests_total", path="/v1/apply", status="429") == before + 1


def test_who_waits_gets_the_place_of_one_that_goes(service: Running) -> None:
    with connected(service, MAX_CONNECTIONS + 1) as (first, *_, last):
        assert asked(last)[0] == 429
        first.close()
        wait_until(lambda: asked(last)[0] == 200)
        assert asked(last)[1]["text"] == EXPECTED


def test_a_large_body_is_no_reason_to_lose_the_answer(service: Running) -> None:
    original = ORIGINAL + "# more\n" * 200_000
    remote = Remote(service.url)
    with connected(service, MAX_CONNECTIONS), pytest.raises(EditRefused) as caught:
        remote.apply_edits(original, parse_message(PATCH), message=PATCH)
    assert caught.value.code == "OVERLOADED"
    with connected(service, MAX_CONNECTIONS):
        pass  # those before have gone
    wait_until(lambda: service.client.get("/v1/models").status_code == 200)
    assert remote.apply_edits(original, parse_message(PATCH), message=PATCH).text == apply(original, PATCH).text


def test_connections_are_bounded(service: Running) -> None:
    address = ("127.0.0.1", service.port)
    with connected(service, 2 * MAX_CONNECTIONS) as (first, *_):
        with socket.create_connection(address, timeout=START_S) as more:
            assert more.recv(1) == b""  # and not a TimeoutError: one that is let in is waited for
        assert asked(first)[0] == 200
