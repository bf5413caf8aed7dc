"""What the service lets in: places, callers, sizes, rates, and bodies that mean harm."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator

import httpx
import pytest

from fastedit.config import SERVER_NAMES
from fastedit.edits import parse_message
from fastedit.errors import SettingsError
from fastedit.remote import Remote
from fastedit.server.gate import RateLimiter, host_name
from fastedit.server.run import check_exposure, check_keys, listen
from fastedit.server.settings import ServerSettings, load_server_settings
from support.serving import EDIT, EXPECTED, ORIGINAL, PATCH, START_S, Running, running

BODY = json.dumps({"original": ORIGINAL, "edit": EDIT, "path": "shapes.py"})
JSON = {"content-type": "application/json"}


KEYED = ServerSettings(
    target="none",
    structural_workers=1,
    api_keys="first-key, second-key",
    allowed_origins="https://editor.example",
    allowed_hosts="apply.example",
    header_timeout_s=START_S,
    body_timeout_s=START_S,
    max_body_bytes=4096,
)


@pytest.fixture(scope="module")
def keyed() -> Iterator[Running]:
    with running(KEYED) as service:
        yield service


@pytest.fixture(scope="module")
def hasty() -> Iterator[Running]:
    """One that waits no longer for a client than tests want to."""
    with running(KEYED.model_copy(update={"header_timeout_s": 1.5, "body_timeout_s": 1.5})) as service:
        yield service


def post(service: Running, content: str | bytes = BODY, **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return service.client.post("/v1/apply", content=content, headers={**JSON, **named})


def code_of(answer: httpx.Response) -> str:
    return answer.json()["error"]["code"]


# -- places --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8377", "127.0.0.1.evil.example", "localhost@evil", ""])
def test_a_host_that_is_not_ours_is_turned_away(plain: Running, host: str) -> None:
    answer = post(plain, host=host)
    assert (answer.status_code, code_of(answer)) == (400, "BAD_HOST")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:1", "LOCALHOST", "[::1]:8377"])
def test_our_own_names_are_let_in(plain: Running, host: str) -> None:
    assert post(plain, host=host).status_code == 200


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1", "http://localhost"])
def test_pages_of_others_are_turned_away(plain: Running, origin: str) -> None:
    answer = post(plain, origin=origin)
    assert (answer.status_code, code_of(answer)) == (403, "FORBIDDEN_ORIGIN")
    assert "access-control-allow-origin" not in answer.headers


def test_a_preflight_of_others_gets_no_leave(plain: Running) -> None:
    answer = plain.client.options(
        "/v1/apply", headers={"origin": "https://evil.example", "access-control-request-method": "POST"}
    )
    assert answer.status_code == 403
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_our_own_page_is_let_in(plain: Running) -> None:
    assert post(plain, origin=plain.url).status_code == 200


def test_an_allowed_origin_is_let_in_and_told_so(keyed: Running) -> None:
    origin = "https://editor.example"
    preflight = keyed.client.options(
        "/v1/apply", headers={"origin": origin, "access-control-request-method": "POST", "authorization": ""}
    )
    assert preflight.headers["access-control-allow-origin"] == origin
    assert post(keyed, origin=origin).headers["access-control-allow-origin"] == origin
    assert post(keyed, origin=origin, host="apply.example").status_code == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
def test_a_form_of_a_page_is_no_request(plain: Running, kind: str) -> None:
    answer = plain.client.post("/v1/apply", content=BODY, headers={"content-type": kind})
    assert (answer.status_code, code_of(answer)) == (422, "INVALID_REQUEST")
    assert "Content-Type: application/json" in answer.json()["error"]["message"]


def test_a_body_without_its_kind_is_told_what_lacks(plain: Running) -> None:
    for body, headers in ((BODY, {}), ("[]", {"content-type": "application/json"}), ("", {})):
        answer = plain.client.post("/v1/apply", content=body, headers=headers)
        assert (answer.status_code, code_of(answer)) == (422, "INVALID_REQUEST")
        assert "a JSON object, sent with the header Content-Type" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("a:1", "a"), ("A", "a"), ("[::1]:2", "::1"), ("[::1", ""), ("a/b", ""), ("u@a", ""), ("", ""), ("a?b", ""),
        ("a#b", ""), ("a\\b", ""), (":80", ""),
    ],
)  # fmt: skip
def test_host_names(host: str, name: str) -> None:
    assert host_name(host) == name


# -- callers -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/v1/apply", "/v1/chat/completions", "/metrics", "/docs", "/openapi.json"])
@pytest.mark.parametrize(
    "key", ["", "Bearer", "Bearer wrong", "Bearer first-key2", "Basic first-key", "first-key", "Bearer " + "x" * 30_000]
)
def test_without_a_key_nothing_is_told(keyed: Running, path: str, key: str) -> None:
    answer = keyed.client.request(
        "POST" if "v1" in path else "GET", path, content=BODY, headers={**JSON, "authorization": key}
    )
    assert (answer.status_code, code_of(answer)) == (401, "UNAUTHORIZED")
    assert answer.headers["www-authenticate"] == "Bearer"


def test_every_key_is_one(keyed: Running) -> None:
    for key in ("first-key", "second-key"):
        assert post(keyed, authorization=f"Bearer {key}").json()["text"] == EXPECTED


def test_health_needs_no_key(keyed: Running) -> None:
    for path in ("/healthz", "/readyz"):
        assert keyed.client.get(path, headers={"authorization": ""}).status_code == 200


def test_an_address_that_others_reach_needs_a_key(tmp_path) -> None:
    for host in ("0.0.0.0", "::", "192.168.1.2", "apply.example"):
        with pytest.raises(SettingsError, match="API_KEYS"):
            check_exposure(ServerSettings(host=host))
        check_exposure(ServerSettings(host=host, api_keys="k"))
    for host in ("127.0.0.1", "127.1.2.3", "::1", "localhost"):
        check_exposure(ServerSettings(host=host))
    keys = tmp_path / "keys"
    keys.write_text("# team\none\n\ntwo\n")
    assert ServerSettings(api_keys_file=keys).keys == (b"one", b"two")
    keys.write_text("# nobody\n")
    with pytest.raises(SettingsError):
        check_exposure(ServerSettings(host="0.0.0.0", api_keys_file=keys))
    with pytest.raises(SettingsError, match="API_KEYS_FILE"):
        check_exposure(ServerSettings(host="0.0.0.0", api_keys_file=tmp_path / "none"))


def test_a_key_that_can_be_guessed_is_refused_at_the_start() -> None:
    check_keys(ServerSettings(api_keys="x" * 16))
    check_keys(ServerSettings())
    with pytest.raises(SettingsError, match="16 characters") as refused:
        check_keys(ServerSettings(api_keys=f"{'x' * 16},guess"))
    assert "guess" not in str(refused.value)


def test_a_rate_holds_for_each_key() -> None:
    settings = ServerSettings(target="none", structural_workers=1, api_keys="a,b", requests_per_minute=1)
    with running(settings) as service:
        answers = [post(service) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [200, 429, 429]
        assert code_of(answers[-1]) == "RATE_LIMITED"
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 60
        assert post(service, authorization="Bearer b").status_code == 200
        assert service.client.get("/healthz").status_code == 200


def test_who_is_turned_away_amid_a_large_body_hears_why() -> None:
    settings = ServerSettings(target="none", structural_workers=1, api_keys="a")
    original = ORIGINAL + "# more\n" * 500_000
    with running(settings) as service:
        stranger = Remote(service.url, "b")
        for _ in range(8):
            with pytest.raises(SettingsError, match="API key"):
                stranger.apply_edits(original, parse_message(PATCH), message=PATCH)


def test_who_never_sends_the_body_is_turned_away_all_the_same(keyed: Running) -> None:
    answer = exchange(keyed, head("1000").replace(b"first-key", b"no-key"), until=b"\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 401 ")


def test_a_bucket_fills_up_steadily() -> None:
    now = [0.0]
    limiter = RateLimiter(60, lambda: now[0])
    assert [limiter.take(b"a") for _ in range(61)] == [0.0] * 60 + [1.0]
    now[0] = 2.5
    assert [limiter.take(b"a") for _ in range(3)] == [0.0, 0.0, 0.5]
    assert limiter.take(b"b") == 0.0


# -- sizes and slowness --------------------------------------------------------------------------------------------


def exchange(service: Running, *parts: bytes, pause_s: float = 0.0, until: bytes = b"nothing else") -> bytes:
    """What comes back until the connection is closed, or `until` is in it. TimeoutError where neither ever is."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=START_S / 2) as connection:
        for part in parts:
            try:
                connection.sendall(part)
            except (BrokenPipeError, ConnectionResetError):
                break
            time.sleep(pause_s)
        answer = b""
        try:
            while until not in answer and (data := connection.recv(65536)):
                answer += data
        except ConnectionResetError:
            pass
        return answer


def head(length: str = "", extra: str = "") -> bytes:
    return (
        "POST /v1/apply HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer first-key\r\n{f'Content-Length: {length}' if length else extra}\r\n\r\n"
    ).encode()


def test_a_body_of_a_gigabyte_is_refused_unread(keyed: Running) -> None:
    answer = exchange(keyed, head(str(1 << 30)))
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"1073741824" in answer
    assert b"4096" in answer
    assert post(keyed).status_code == 200


def test_a_body_in_chunks_is_refused_where_it_becomes_too_large(keyed: Running) -> None:
    chunk = b"1000\r\n" + b"x" * 0x1000 + b"\r\n"
    answer = exchange(keyed, head(extra="Transfer-Encoding: chunked"), chunk, chunk)
    assert answer.startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize("length", ["-1", "abc", "1e3", "9" * 400])
def test_a_length_that_is_none_is_refused(keyed: Running, length: str) -> None:
    assert exchange(keyed, head(length)).split(b" ")[1] in (b"400", b"413")


def test_a_body_that_never_comes_is_given_up(hasty: Running) -> None:
    answer = exchange(hasty, head("1000"), b"{")
    assert answer.startswith(b"HTTP/1.1 408 ")


def test_a_head_that_never_ends_is_given_up(hasty: Running) -> None:
    assert exchange(hasty, b"POST /v1/apply HT") == b""
    dripped = [b"GET / HTTP/1.1\r\nHost: localhost\r\n", *(f"X-{n}: {n}\r\n".encode() for n in range(12))]
    assert exchange(hasty, *dripped, pause_s=0.2) == b""


def test_a_second_head_on_the_same_connection_is_given_up_too(hasty: Running) -> None:
    complete = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    answer = exchange(hasty, complete, b"GET /hea", pause_s=0.2)
    assert answer.count(b"HTTP/1.1 200") == 1


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"null", b"[]", b"3", b'"text"', b"\xff\xfe", b"{}trailing", b"NaN", b"[" * 100_000,
        b'{"original":"a","edit":NaN}', b'{"original":"a","edit":"b","deadline_s":NaN}',
        b'{"original":"a","edit":"b","deadline_s":Infinity}', b'{"original":"a","edit":"b","deadline_s":1e999}',
        b'{"original":"\\ud800","edit":"b"}', b'{"original":"a","edit":"b","sampling":{"seed":' + b"9" * 6000 + b"}}",
        b'{"original":"a","edit":"b","original":3}', b'{"original":"a","edit":"b","secret_source":1}',
        b'{"original":"a","edit":"b","' + b"x" * 3000 + b'":1}', b'{"original":["a"],"edit":{"b":1}}',
    ],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/v1/apply", "/v1/apply/batch", "/v1/code/apply", "/v1/chat/completions"])
def test_garbage_is_the_clients_fault(plain: Running, path: str, body: bytes) -> None:
    answer = plain.client.post(path, content=body, headers=JSON)
    assert answer.status_code in (400, 422)
    assert code_of(answer) in ("INVALID_REQUEST", "BAD_REQUEST")
    assert len(answer.content) < 1000


def test_errors_hold_nothing_of_the_request(plain: Running) -> None:
    secret = "hunter2hunter2"
    for body in (
        {"original": secret, "edit": [secret]},
        {"original": secret, "edit": secret, "mode": secret},
        {"original": secret, "edit": secret, "sha256": secret},
        {"original": f"{secret}\n" * 2, "edit": f"<<<<<<< SEARCH\n{secret}\n=======\n=======\n>>>>>>> REPLACE\n"},
    ):
        answer = plain.client.post("/v1/apply", json=body)
        assert answer.status_code >= 400
        assert secret not in answer.text


def test_unknown_paths_and_methods_have_the_same_shape(plain: Running) -> None:
    assert code_of(plain.client.get("/nowhere")) == "NOT_FOUND"
    assert code_of(plain.client.get("/v1/apply")) == "METHOD_NOT_ALLOWED"
    assert plain.client.get("/v1/apply").headers["allow"] == "POST"


# -- settings ------------------------------------------------------------------------------------------------------


def test_the_command_line_knows_the_services_settings() -> None:
    known = {name.removeprefix("FASTEDIT_").lower() for name in SERVER_NAMES}
    assert known | {"target", "engine_url", "engine_key"} == set(ServerSettings.model_fields)


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FASTEDIT_PORT", "1234")
    monkeypatch.setenv("FASTEDIT_API_KEYS", "a, b,")
    settings = load_server_settings(host="::1", target=None)
    assert (settings.port, settings.host, settings.keys) == (1234, "::1", (b"a", b"b"))
    assert "a" not in repr(settings.api_keys).replace("SecretStr", "")
    assert load_server_settings(port=5).port == 5


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PROT", "1"), ("PORT", "x"), ("PORT", "65536"), ("MAX_BODY_BYTES", "1"), ("DEADLINE_S", "0"),
        ("LOG_LEVEL", "loud"), ("STRUCTURAL_WORKERS", "0"), ("DEADLINE_S", "nan"),
    ],
)  # fmt: skip
def test_settings_that_cannot_be_used_are_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"FASTEDIT_{name}", value)
    with pytest.raises(SettingsError, match=f"FASTEDIT_{name}"):
        load_server_settings()


def test_a_port_in_use_is_no_traceback(plain: Running) -> None:
    with pytest.raises(SettingsError, match=str(plain.port)):
        listen("127.0.0.1", plain.port)
