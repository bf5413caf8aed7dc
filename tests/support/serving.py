"""A real uvicorn on loopback, in a thread of the test's own process or as a process of its own."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import httpx

from fastedit.server.app import create_app
from fastedit.server.loading import TargetSlot
from fastedit.server.run import listen, server_for
from fastedit.server.service import Service
from fastedit.server.settings import ServerSettings

ORIGINAL = (
    "import math\n\n\ndef area(width, height):\n    return width * height\n\n\ndef name():\n    return 'shape'\n\n\n"
    "def volume(width, height, depth):\n    return area(width, height) * depth\n"
)
EDIT = "# ... existing code ...\ndef name():\n    return 'solid'\n\n# ... existing code ...\n"
EXPECTED = ORIGINAL.replace("'shape'", "'solid'")
PATCH = "<<<<<<< SEARCH\n    return 'shape'\n=======\n    return 'solid'\n>>>>>>> REPLACE\n"
START_S = 200.0  # far more than anything takes: a busy machine may stand still for a while
# A connection that is kept may be closed by the service just as a stalled client sends on it: each request has its own.
UNKEPT = httpx.Limits(max_keepalive_connections=0)


@dataclass(frozen=True)
class Running:
    """A service that runs. client: an httpx client for it."""

    url: str
    port: int
    service: Service
    client: httpx.Client

    def apply(self, **fields: Any) -> httpx.Response:
        body = {"original": ORIGINAL, "edit": EDIT, "path": "shapes.py", **fields}
        return self.client.post("/v1/apply", json=body)

    def send(self, **fields: Any) -> socket.socket:
        """A connection on which a request to apply has been sent, and no answer is read."""
        body = json.dumps({"original": ORIGINAL, "edit": EDIT, "path": "shapes.py", **fields}).encode()
        head = "POST /v1/apply HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=START_S)
        connection.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        return connection

    def metric(self, name: str, **labels: str) -> float:
        value = self.service.metrics.registry.get_sample_value(name, labels)
        return 0.0 if value is None else value


@contextmanager
def running(settings: ServerSettings | None = None, slot: TargetSlot | None = None) -> Iterator[Running]:
    """A service in a thread, ready to answer; its target loaded where it has one."""
    settings = settings or ServerSettings(target="none", structural_workers=1)
    app = create_app(settings, slot)
    listener = listen("127.0.0.1", 0)
    port = listener.getsockname()[1]
    server = server_for(app, settings)
    server.config.timeout_keep_alive = int(2 * START_S)  # uvicorn's own 5 s are no more than a stall
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{port}"
    keys = settings.keys
    headers = {"Authorization": f"Bearer {keys[0].decode()}"} if keys else {}
    try:
        with httpx.Client(base_url=url, timeout=START_S, trust_env=False, headers=headers, limits=UNKEPT) as client:
            wait_until(lambda: server.started)
            service = app.state.service
            wait_until(lambda: service.slot.state != "loading" and service.is_warm)
            yield Running(url, port, service, client)
    finally:
        server.should_exit = True
        thread.join(START_S)
        assert not thread.is_alive(), "the server didn't stop"


@contextmanager
def served(*arguments: str, env: dict[str, str] | None = None) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`fastedit serve ARGUMENTS` as a process, and its address. What it logs is in its `stderr`.

    That is a file: a pipe that nobody reads is full after some 200 requests, and then the server waits for its log.
    """
    command = [sys.executable, "-m", "fastedit", "serve", "--port", "0", "--target", "none", *arguments]
    ours = ("FASTEDIT_", "XDG_RUNTIME_DIR")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    root = str(Path(__file__).parents[2])
    with NamedTemporaryFile() as log, open(log.name, encoding="utf-8") as reader:
        own = {"FASTEDIT_STRUCTURAL_WORKERS": "1", **(env or {})}  # each takes a third of a second to start
        process = subprocess.Popen(command, env={**environment, **own}, stderr=log, text=True, cwd=root)
        process.stderr = reader
        try:
            wait_until(lambda: _address(log.name) or process.poll() is not None)
            url = _address(log.name)
            assert url, Path(log.name).read_text("utf-8")
            wait_until(lambda: _is_up(url))
            yield process, url
        finally:
            process.kill()
            process.wait()


def _address(log: str) -> str:
    found = re.search(r"serving on (http://[^\s\"]+)", Path(log).read_text("utf-8"))
    return found[1] if found else ""


def wait_until(is_so: Any, timeout_s: float = START_S) -> None:
    """Returns once `is_so()` is true; AssertionError where it never is."""
    end = time.monotonic() + timeout_s
    while not is_so():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def _is_up(url: str) -> bool:
    try:
        return httpx.get(f"{url}/healthz", trust_env=False).status_code == 200
    except httpx.TransportError:
        return False


def events_of(text: str) -> list[tuple[str | None, str]]:
    """The server-sent events of a stream: names and data."""
    found = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line and not line.startswith(":"))
        if "data" in fields:
            found.append((fields.get("event"), fields["data"]))
    return found
