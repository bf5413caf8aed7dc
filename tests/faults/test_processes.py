"""Real processes: several at once, killed, interrupted, with nobody left to read their output."""

from __future__ import annotations

import fcntl
import os
import signal
import struct
import subprocess
import sys
import termios
import time
from contextlib import nullcontext
from pathlib import Path

import pytest

from support.command import fastedit, tree

COMMAND = [sys.executable, "-m", "fastedit"]
ORIGINAL = "".join(f"def f{i}():\n    return {i}\n\n\n" for i in range(50))


def search_replace(number: int) -> str:
    new = f"    return {number} + 1"
    return f"<<<<<<< SEARCH\ndef f{number}():\n    return {number}\n=======\ndef f{number}():\n{new}\n>>>>>>> REPLACE\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "app.py").write_text(ORIGINAL)
    for number in range(8):
        (tmp_path / f"{number}.md").write_text(search_replace(number))
    return tmp_path


def test_runs_at_once_on_one_file_lose_no_edit(folder: Path) -> None:
    runs = [
        subprocess.Popen([*COMMAND, "apply", "app.py", f"{n}.md"], cwd=folder, stderr=subprocess.PIPE, text=True)
        for n in range(8)
    ]
    errors = [run.communicate()[1] for run in runs]
    text = (folder / "app.py").read_text()
    assert 0 in [run.returncode for run in runs]
    for number, (run, error) in enumerate(zip(runs, errors, strict=True)):
        assert run.returncode == 0 or (run.returncode == 4 and "CONTENT_CONFLICT" in error), error
        assert (f"return {number} + 1" in text) is (run.returncode == 0)
    assert len(tree(folder)) == 9


def test_of_two_runs_that_read_the_same_text_one_wins(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fastedit.cli import run

    write_plan = run.write_plan

    def write_late(*arguments: object, **options: object) -> object:
        subprocess.run([*COMMAND, "apply", "app.py", "1.md"], cwd=folder, check=True)
        return write_plan(*arguments, **options)

    monkeypatch.setattr(run, "write_plan", write_late)
    monkeypatch.setattr(run, "_uninterrupted", lambda **_: nullcontext())
    monkeypatch.chdir(folder)
    request = run.Request(Path("0.md"), Path("app.py"), Path(), run.Show.SUMMARY)
    assert run.run(request) == 4
    text = (folder / "app.py").read_text()
    assert "return 1 + 1" in text
    assert "return 0 + 1" not in text


@pytest.mark.slow
def test_killed_at_any_moment_all_files_are_old_or_new(folder: Path) -> None:
    """SIGKILL after ever longer waits, so that some runs die before, some while and some after they write."""
    files = [folder / f"{number}.py" for number in range(12)]
    edit = "".join(f"{file.name}\n{search_replace(3)}" for file in files)
    (folder / "all.md").write_text(edit)
    new = ORIGINAL.replace("return 3\n", "return 3 + 1\n")
    start = time.monotonic()
    for file in files:
        file.write_text(ORIGINAL)
    assert subprocess.run([*COMMAND, "apply", "all.md"], cwd=folder, capture_output=True, check=False).returncode == 0
    whole_s = time.monotonic() - start
    outcomes = set()
    for step in range(6):
        for file in files:
            file.write_text(ORIGINAL)
        run = subprocess.Popen([*COMMAND, "apply", "all.md"], cwd=folder, stdout=subprocess.PIPE)
        time.sleep(whole_s * (0.75 + step * 0.06))
        run.kill()
        run.communicate()
        fastedit("apply", "all.md", "--check", cwd=folder)
        texts = {file.read_text() for file in files}
        assert texts in ({ORIGINAL}, {new})
        outcomes |= texts
        assert not [name for name in tree(folder) if "fastedit" in name]
    assert outcomes


@pytest.mark.parametrize("env", [{"PYTHONUNBUFFERED": ""}, {"PYTHONUNBUFFERED": "1"}])
def test_a_reader_that_leaves_ends_the_output_quietly(folder: Path, env: dict[str, str]) -> None:
    (folder / "app.py").write_text(ORIGINAL + "# " + "x" * 1_000_000 + "\n")
    command = [*COMMAND, "apply", "app.py", "0.md", "--stdout"]
    run = subprocess.Popen(
        command, cwd=folder, env={**os.environ, **env}, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert run.stdout is not None
    assert run.stdout.read(8) == b"def f0()"
    run.stdout.close()
    assert run.stderr is not None
    assert run.stderr.read() == b""
    run.stderr.close()
    assert run.wait() == 141


@pytest.mark.parametrize("env", [{"PYTHONUNBUFFERED": ""}, {"PYTHONUNBUFFERED": "1"}])
def test_all_of_a_long_text_is_printed(folder: Path, env: dict[str, str]) -> None:
    text = ORIGINAL + "# " + "x" * 1_000_000 + "\n"
    (folder / "app.py").write_text(text)
    command = [*COMMAND, "apply", "app.py", "0.md", "--stdout"]
    run = subprocess.run(command, cwd=folder, env={**os.environ, **env}, capture_output=True, text=True, check=True)
    assert run.stdout == text.replace("return 0\n", "return 0 + 1\n")


@pytest.mark.parametrize("stdout", [">&-", "> /dev/full", "| true"])
def test_an_output_that_nobody_takes_does_not_undo_a_write(folder: Path, stdout: str) -> None:
    script = f"{sys.executable} -m fastedit apply app.py 0.md {stdout}; exit ${{PIPESTATUS[0]}}"
    run = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    assert "return 0 + 1" in (folder / "app.py").read_text()


def test_ctrl_c_writes_nothing(folder: Path) -> None:
    reader, writer = os.pipe()
    run = subprocess.Popen(
        [*COMMAND, "apply", "app.py", "-"],
        cwd=folder,
        stdin=reader,
        stderr=subprocess.PIPE,
        text=True,
        # A shell's background jobs, the suite perhaps among them, ignore the signal, and hand that down.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    os.write(writer, b"the edit's beginning")
    while struct.unpack("i", fcntl.ioctl(reader, termios.FIONREAD, bytes(4)))[0]:
        time.sleep(0.01)  # once that is read, the run waits for the rest
    run.send_signal(signal.SIGINT)
    _, error = run.communicate()
    os.close(writer)
    os.close(reader)
    assert run.returncode == 130
    assert "Traceback" not in error
    assert (folder / "app.py").read_text() == ORIGINAL


def test_a_pipe_from_the_shell_is_an_edit(folder: Path) -> None:
    script = f"{sys.executable} -m fastedit apply app.py <(cat 0.md)"
    run = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "return 0 + 1" in (folder / "app.py").read_text()


LAZY = "```python\n# ... existing code ...\ndef f3():\n    return 3 + 1\n\n\n# ... existing code ...\n```\n"


@pytest.mark.slow
@pytest.mark.parametrize(("edit", "limit"), [(search_replace(0), 2.0), (LAZY, 3.0)], ids=["exact", "lazy"])
def test_a_run_takes_little_more_than_its_libraries(folder: Path, edit: str, limit: float) -> None:
    """Processor time as a multiple of what importing three libraries takes beside it: 1.2 and 1.9 when written."""
    (folder / "edit.md").write_text(edit)
    run = [*COMMAND, "apply", "app.py", "edit.md", "--check"]
    imports = [sys.executable, "-c", "import numpy, pydantic, click"]
    times = [(_used_s(run, folder), _used_s(imports, folder)) for _ in range(5)]
    assert min(run_s for run_s, _ in times) < limit * min(imports_s for _, imports_s in times)


def _used_s(command: list[str], folder: Path) -> float:
    run = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(run.pid, 0)
    run.returncode = os.waitstatus_to_exitcode(status)
    assert run.returncode == 0
    return used.ru_utime + used.ru_stime


def test_only_what_each_edit_needs_is_imported() -> None:
    slow = ("markdown_it", "numpy", "pydantic", "torch", "transformers")
    script = f"import sys, fastedit.cli.app, fastedit.cli.run; print([name for name in {slow} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


@pytest.mark.parametrize("target", [[], ["--target", "none"]], ids=["no-target-named", "target-none"])
def test_an_edit_for_which_no_target_is_asked_looks_for_no_service(target: list[str], tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("a = 1\n")
    (tmp_path / "edit.md").write_text("<<<<<<< SEARCH\na = 1\n=======\na = 2\n>>>>>>> REPLACE\n")
    script = (
        f"import sys; sys.argv = ['fastedit', 'apply', 'a.py', 'edit.md', '--check', *{target}]\n"
        "import atexit, fastedit.cli\n"
        "atexit.register(lambda: print('http.client' in sys.modules))\n"
        "fastedit.cli.main()"
    )
    own = {name: value for name, value in os.environ.items() if name != "FASTEDIT_TARGET"}
    command = [sys.executable, "-c", script]
    run = subprocess.run(command, cwd=tmp_path, env=own, capture_output=True, text=True, check=True)
    assert run.stdout.split("\n")[1:] == ["False", ""]
