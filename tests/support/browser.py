"""A real Chromium, told what to do through pipes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
PATIENCE_S = 100


class Tab:
    """One page of a browser."""

    def __init__(self, ask: Callable[..., Any]) -> None:
        self._ask = ask

    def open(self, url: str, width: int, *, is_dark: bool = False, script: str = "") -> None:
        """Opens a page on a screen so many pixels wide. script: runs before the page's own."""
        features = [{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}]
        self._ask("Emulation.setEmulatedMedia", features=features)
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
        self._ask("Emulation.setDeviceMetricsOverride", **size)
        self._ask("Page.enable")
        if script:
            self._ask("Page.addScriptToEvaluateOnNewDocument", source=script)
        self._ask("Page.navigate", url=url)

    def value(self, expression: str) -> Any:
        """What an expression comes to in the page."""
        said = self._ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        return said["result"].get("value")

    def wait_for(self, expression: str) -> None:
        """Waits until an expression is true in the page. TimeoutError where it doesn't become so."""
        end_s = time.monotonic() + PATIENCE_S
        while not self.value(expression):
            if time.monotonic() > end_s:
                raise TimeoutError(expression)
            time.sleep(0.05)


@contextmanager
def browser(folder: Path) -> Iterator[Tab]:
    """A browser of its own, with its files in `folder`."""
    assert CHROMIUM is not None
    ours, its_input = os.pipe()[::-1]
    its_output, theirs = os.pipe()[::-1]
    # It reads from descriptor 3 and writes to 4.
    line = f'exec "$0" "$@" 3<&{its_input} 4>&{its_output}'
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}", "--remote-debugging-pipe"]
    process = subprocess.Popen(
        ["bash", "-c", line, CHROMIUM, *options, "about:blank"], pass_fds=(its_input, its_output),
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(its_input)
    os.close(its_output)
    try:
        with os.fdopen(ours, "wb", buffering=0) as writer, os.fdopen(theirs, "rb") as reader:
            conversation = _Conversation(writer, reader)
            pages = conversation.ask("Target.getTargets")["targetInfos"]
            target = next(page["targetId"] for page in pages if page["type"] == "page")
            session = conversation.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            yield Tab(lambda method, **given: conversation.ask(method, session, **given))
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


class _Conversation:
    def __init__(self, writer: Any, reader: Any) -> None:
        self._writer, self._reader = writer, reader
        self._number = 0

    def ask(self, method: str, session: str | None = None, **given: object) -> Any:
        self._number += 1
        asked = {"id": self._number, "method": method, "params": given} | ({"sessionId": session} if session else {})
        self._writer.write(json.dumps(asked).encode() + b"\0")
        while True:
            said = json.loads(self._line())
            if said.get("id") == self._number:
                if "error" in said:
                    raise RuntimeError(f"{method}: {said['error']['message']}")
                return said["result"]

    def _line(self) -> bytes:
        line = bytearray()
        while (byte := self._reader.read(1)) != b"\0":
            if not byte:
                raise EOFError("the browser has ended")
            line += byte
        return bytes(line)
