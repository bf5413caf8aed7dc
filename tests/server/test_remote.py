"""`fastedit apply --server URL`: the same output and statuses as without, from a service."""

from __future__ import annotations

import http.server
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fastedit.errors import Code, EngineUnavailable, SettingsError
from fastedit.remote import Remote
from fastedit.server.settings import ServerSettings
from support.command import fastedit
from support.serving import EDIT, EXPECTED, ORIGINAL, PATCH, Running, running

EXAMPLES = Path(__file__).parents[2] / "examples"
TWICE = ORIGINAL + "\n\ndef other():\n    return 'shape'\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shapes.py").write_text(ORIGINAL)
    (tmp_path / "lazy.md").write_text(EDIT)
    (tmp_path / "patch.md").write_text(PATCH)
    (tmp_path / "none.md").write_text("")
    (tmp_path / "twice.py").write_text(TWICE)
    (tmp_path / "crlf.py").write_bytes(ORIGINAL.replace("\n", "\r\n").encode("utf-16"))
    return tmp_path


def without_times(printed: bytes) -> bytes:
    import re

    return re.sub(rb"[\d.]+ ms|\"(elapsed|total)_ms\": [\d.]+", b"", printed)


@pytest.mark.parametrize("arguments", [
    ("shapes.py", "lazy.md"),
    ("shapes.py", "patch.md", "--diff"),
    ("shapes.py", "patch.md", "--stdout"),
    ("shapes.py", "lazy.md", "--json"),
    ("shapes.py", "lazy.md", "--check"),
    ("crlf.py", "patch.md", "--diff"),
    ("shapes.py", "none.md"),
    ("twice.py", "patch.md"),
    ("twice.py", "patch.md", "--json"),
    ("shapes.py", "patch.md", "--format", "udiff"),
    ("shapes.py", "missing.md"),
])  # fmt: skip
def test_the_same_comes_out(plain: Running, folder: Path, arguments: tuple[str, ...]) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    here = fastedit("apply", *arguments, cwd=folder)
    written = {path.name: path.read_bytes() for path in folder.iterdir()}
    for name, data in before.items():
        (folder / name).write_bytes(data)
    there = fastedit("apply", *arguments, "--server", plain.url, cwd=folder)
    assert there.status == here.status
    assert without_times(there.stdout) == without_times(here.stdout)
    assert there.stderr.split(" ms")[0] == here.stderr.split(" ms")[0] or "ms" in here.stderr
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == written


def test_several_files_and_the_environment(plain: Running, tmp_path: Path) -> None:
    import shutil

    case = EXAMPLES / "several-files"
    shutil.copytree(case / "original", tmp_path / "root")
    done = fastedit("apply", case / "edit.md", "--root", "root", cwd=tmp_path, env={"FASTEDIT_URL": plain.url})
    assert done.status == 0, done.stderr
    for path in (case / "expected").rglob("*"):
        if path.is_file():
            assert (tmp_path / "root" / path.relative_to(case / "expected")).read_bytes() == path.read_bytes()


def test_no_service_is_status_6(folder: Path) -> None:
    done = fastedit("apply", "shapes.py", "lazy.md", "--server", "http://127.0.0.1:9", cwd=folder)
    assert (done.status, done.code) == (6, "TARGET_UNAVAILABLE")
    assert (folder / "shapes.py").read_text() == ORIGINAL
    assert fastedit("apply", "shapes.py", "lazy.md", "--server", "ftp://x", cwd=folder).status == 2


def test_a_key_is_sent_and_asked_for(folder: Path) -> None:
    settings = ServerSettings(target="none", structural_workers=1, api_keys="secret")
    with running(settings) as service:
        at = ("--server", service.url)
        refused = fastedit("apply", "shapes.py", "lazy.md", *at, cwd=folder)
        assert refused.status == 2
        assert "FASTEDIT_API_KEY" in refused.stderr
        done = fastedit("apply", "shapes.py", "lazy.md", *at, cwd=folder, env={"FASTEDIT_API_KEY": "secret"})
        assert done.status == 0
    assert (folder / "shapes.py").read_text() == EXPECTED


@contextmanager
def answering(status: int, data: bytes, headers: dict[str, str] | None = None) -> Iterator[str]:
    """Something else than a service, at an address of its own."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def refusal(code: str) -> bytes:
    return json.dumps({"error": {"code": code, "message": "no", "candidates": []}}).encode()


@pytest.mark.parametrize(
    ("status", "data", "code"),
    [
        (200, b"<html>", Code.TARGET_UNAVAILABLE),
        (200, b"{}", Code.TARGET_UNAVAILABLE),
        (200, b"[]", Code.TARGET_UNAVAILABLE),
        (200, b'{"text": 3, "usage": {}, "stats": {}, "warnings": []}', Code.TARGET_UNAVAILABLE),
        (502, b"Bad gateway", Code.TARGET_UNAVAILABLE),
        (404, b'{"detail": "Not Found"}', Code.TARGET_UNAVAILABLE),
        (301, b"", Code.TARGET_UNAVAILABLE),
        (429, refusal("OVERLOADED"), Code.OVERLOADED),
        (429, refusal("RATE_LIMITED"), Code.OVERLOADED),
        (422, refusal("INVALID_REQUEST"), Code.ENGINE_ERROR),
        (409, refusal("ANCHOR_NOT_FOUND"), Code.ANCHOR_NOT_FOUND),
    ],
)
def test_whatever_answers_there_is_a_refusal(folder: Path, status: int, data: bytes, code: Code) -> None:
    with answering(status, data, {"Location": "http://127.0.0.1:9/"}) as url:
        done = fastedit("apply", "shapes.py", "patch.md", "--server", url, cwd=folder)
    assert done.code == code.value
    assert (folder / "shapes.py").read_text() == ORIGINAL


def test_an_origin_refusal_is_about_settings() -> None:
    with answering(403, refusal("FORBIDDEN_ORIGIN")) as url, pytest.raises(SettingsError):
        Remote(url)._post("/v1/apply", {})


def test_an_answer_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fastedit.remote.MAX_ANSWER_BYTES", 100)
    with answering(200, b"x" * 1000) as url, pytest.raises(EngineUnavailable):
        Remote(url)._post("/v1/apply", {})


def test_no_model_library_is_loaded(plain: Running, folder: Path) -> None:
    script = (
        "import sys; from fastedit.cli import main\n"
        f"sys.argv = ['fastedit', 'apply', 'shapes.py', 'lazy.md', '--server', '{plain.url}']\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print([name for name in ('torch', 'transformers', 'fastapi', 'uvicorn') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert (folder / "shapes.py").read_text() == EXPECTED
