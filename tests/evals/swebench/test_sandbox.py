"""Limits hold: nothing runs on, eats the machine or gets out."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from evals.swebench.sandbox import Finished, Interrupted, Limits, Sandbox, isolation

ENV = {"PATH": os.environ["PATH"]}


def run(
    tmp_path: Path, program: str, *, timeout_s: float = 20, memory_mib: int = 0, is_offline: bool = False
) -> Finished:
    command = [sys.executable, "-c", textwrap.dedent(program)]
    limits = Limits(timeout_s, memory_mib)
    return Sandbox().run(command, cwd=tmp_path, env=ENV, limits=limits, log=tmp_path / "log.txt", is_offline=is_offline)


def log(tmp_path: Path) -> str:
    return (tmp_path / "log.txt").read_text("utf-8")


def test_output_and_status_come_back(tmp_path: Path) -> None:
    done = run(tmp_path, "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)", is_offline=True)
    assert (done.exit_status, done.is_timed_out) == (3, False)
    assert sorted(log(tmp_path).split()) == ["err", "out"]


@pytest.mark.parametrize("is_offline", [False, True])
def test_what_takes_too_long_is_stopped_with_all_it_started(tmp_path: Path, is_offline: bool) -> None:
    program = f"""
        import subprocess, sys, time
        beat = "import time, pathlib\\nwhile True: pathlib.Path('beat').write_text(str(time.time())); time.sleep(0.05)"
        subprocess.Popen([sys.executable, '-c', beat], start_new_session={is_offline and isolation() is not None})
        time.sleep(250)
    """
    for timeout_s in (1.5, 15, 60):  # on a busy machine its beat doesn't begin so soon
        started = time.monotonic()
        done = run(tmp_path, program, timeout_s=timeout_s, is_offline=is_offline)
        assert done.is_timed_out
        assert time.monotonic() - started < 200, "it went on to its end"
        if (tmp_path / "beat").exists():
            break
    last = (tmp_path / "beat").read_text()
    time.sleep(0.3)
    assert (tmp_path / "beat").read_text() == last


def test_memory_is_limited(tmp_path: Path) -> None:
    done = run(tmp_path, "x = bytearray(600 << 20); print(len(x))", memory_mib=400)
    assert done.exit_status != 0
    assert "MemoryError" in log(tmp_path)


def test_files_that_grow_without_end_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evals.swebench.sandbox.MAX_LOG_BYTES", 1 << 20)
    done = run(tmp_path, "while True: print('x' * 4096)")
    assert done.exit_status != 0
    assert (tmp_path / "log.txt").stat().st_size <= 1 << 20


def test_there_is_no_network_but_loopback(tmp_path: Path) -> None:
    if isolation() is None:
        pytest.skip("this system has no way to take the network away")
    program = """
        import socket
        server = socket.create_server(("127.0.0.1", 0))
        socket.create_connection(server.getsockname(), 2)
        print("loopback")
        try:
            socket.create_connection(("192.0.2.1", 80), 2)
        except TimeoutError:
            print("there is a way out")
        except OSError as error:
            print("cut off")
    """
    run(tmp_path, program, is_offline=True)
    assert log(tmp_path).split() == ["loopback", "cut", "off"]


def test_closing_stops_what_runs_and_what_comes(tmp_path: Path) -> None:
    sandbox = Sandbox()
    threading.Timer(0.5, sandbox.close).start()
    command = [sys.executable, "-c", "import time; time.sleep(60)"]
    started = time.monotonic()
    for _ in range(2):
        with pytest.raises(Interrupted):
            sandbox.run(command, cwd=tmp_path, env=ENV, limits=Limits(30), log=tmp_path / "log.txt")
    assert time.monotonic() - started < 10


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process of its parent's death")
def test_tests_die_with_the_runner(tmp_path: Path) -> None:
    runner = f"""
        import sys
        from pathlib import Path
        from evals.swebench.sandbox import Limits, Sandbox
        beat = "import time, pathlib\\nwhile True: pathlib.Path('beat').write_text(str(time.time())); time.sleep(0.05)"
        here = Path({str(tmp_path)!r})
        Sandbox().run([sys.executable, "-c", beat], cwd=here, env={ENV!r}, limits=Limits(60), log=here / "log.txt",
                      is_offline=True)
    """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(runner)], cwd=Path(__file__).parents[3])
    deadline = time.monotonic() + 20
    while not (tmp_path / "beat").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.kill()
    process.wait()
    time.sleep(0.5)
    last = (tmp_path / "beat").read_text()
    time.sleep(0.3)
    assert (tmp_path / "beat").read_text() == last
