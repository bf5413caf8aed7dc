"""In this process or over HTTP: the same files come out, or none."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import fastedit
from evals.swebench.appliers import Applier, InProcess, Server
from evals.swebench.edits import Message
from fastedit.errors import STATUSES
from support.swebench_repos import SHELF

FULL = SHELF.replace('"the shelf is full"', '"it is full"')
LAZY = """```python
    def put(self, name, count=1):
        if self.total() + count > self.capacity:
            raise ValueError("it is full")
        # ... existing code ...
```
"""
PATCH = """```
*** Begin Patch
*** Update File: shelf.py
@@
-            raise ValueError("the shelf is full")
+            raise ValueError("it is full")
*** Add File: docs/new.md
+# New
*** Delete File: old.txt
*** End Patch
```
"""


class Handler(BaseHTTPRequestHandler):
    """/v1/apply as ARCHITECTURE has it, busy for as many requests as the server says."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status, answer = 200, {}
        if self.server.num_busy > 0:  # type: ignore[attr-defined]
            self.server.num_busy -= 1  # type: ignore[attr-defined]
            status, answer = 429, {"error": {"code": "OVERLOADED", "message": "busy", "candidates": []}}
        else:
            try:
                applied = fastedit.apply(body["original"], body["edit"], path=body["path"], mode=body["mode"])
                answer = {"text": applied.text, "strategy": applied.strategy, "warnings": []}
            except fastedit.EditRefused as refusal:
                status, answer = (
                    STATUSES[refusal.code].http,
                    {"error": {"code": refusal.code.value, "message": refusal.message}},
                )
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Retry-After", "0")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.num_busy = 0  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(params=["process", "server"])
def applier(request: pytest.FixtureRequest, server: ThreadingHTTPServer) -> Applier:
    return InProcess("structural") if request.param == "process" else Server(url(server), "structural")


def url(server: ThreadingHTTPServer) -> str:
    return f"http://127.0.0.1:{server.server_port}/"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "shelf.py").write_bytes(SHELF.encode("utf-8"))
    (folder / "old.txt").write_text("old\n", "utf-8")
    return folder


def test_a_message_for_a_file(applier: Applier, root: Path) -> None:
    (file,) = applier(root, Message("shelf.py", LAZY, "lazy"))
    assert file.strategy == "structural"
    assert (root / "shelf.py").read_text("utf-8") == FULL


def test_line_ends_and_marks_stay(applier: Applier, root: Path) -> None:
    data = b"\xef\xbb\xbf" + SHELF.replace("\n", "\r\n").encode("utf-8")
    (root / "shelf.py").write_bytes(data)
    applier(root, Message("shelf.py", LAZY, "lazy"))
    assert (root / "shelf.py").read_bytes() == data.replace(b"the shelf is full", b"it is full")


def test_a_message_that_names_its_files(applier: Applier, root: Path) -> None:
    files = applier(root, Message(None, PATCH, "answer"))
    assert [file.path for file in files] == ["shelf.py", "docs/new.md", "old.txt"]
    assert (root / "shelf.py").read_text("utf-8") == FULL
    assert (root / "docs" / "new.md").read_text("utf-8") == "# New\n"
    assert not (root / "old.txt").exists()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (PATCH.replace("the shelf is full", "no such line"), "ANCHOR_NOT_FOUND"),
        (PATCH.replace("old.txt", "../old.txt"), "INVALID_PATH"),
        (PATCH.replace("old.txt", "none.txt"), None),
        ("no edit at all", None),
    ],
)
def test_all_of_a_message_or_nothing(applier: Applier, root: Path, text: str, code: str | None) -> None:
    try:
        applier(root, Message(None, text, "answer"))
    except fastedit.EditRefused as refusal:
        assert code is None or refusal.code == code
        assert (root / "shelf.py").read_text("utf-8") == SHELF
        assert sorted(path.name for path in root.iterdir()) == ["old.txt", "shelf.py"]
    else:
        assert code is None


def test_a_busy_server_is_asked_again(server: ThreadingHTTPServer, root: Path) -> None:
    server.num_busy = 2  # type: ignore[attr-defined]
    Server(url(server), "structural")(root, Message("shelf.py", LAZY, "lazy"))
    assert (root / "shelf.py").read_text("utf-8") == FULL


def test_a_server_that_is_always_busy_or_gone_refuses(server: ThreadingHTTPServer, root: Path) -> None:
    server.num_busy = 1000  # type: ignore[attr-defined]
    with pytest.raises(fastedit.EditRefused, match="OVERLOADED"):
        Server(url(server))(root, Message("shelf.py", LAZY, "lazy"))
    with pytest.raises(fastedit.EditRefused, match="TARGET_UNAVAILABLE"):
        Server("http://127.0.0.1:9")(root, Message("shelf.py", LAZY, "lazy"))
