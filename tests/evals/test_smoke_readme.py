"""Commands are found in a README, and every one of ours is one that somebody knows how to try."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from evals.smoke.readme import Command, commands_of, python_of
from evals.smoke.walk import Walk, _problem
from evals.smoke.wheels import ROOT, Environment

README = """\
```console
$ tool apply FILE    # what it does
$ tool show
a: 1 hunk, 22 ms
  more
$ tool end
```

```python
x = 1
```

| `python -m tool.bench [--quick]` | how fast |
"""


def test_commands_come_with_what_they_print() -> None:
    assert list(commands_of(README)) == [
        Command("tool apply FILE"),
        Command("tool show", ("a: 1 hunk, 22 ms", "  more")),
        Command("tool end"),
        Command("python -m tool.bench [--quick]"),
    ]
    assert python_of(README) == "x = 1\n"


def test_numbers_may_differ_and_words_may_not() -> None:
    shown = Command("x", ("a: 1 hunk, 22 ms",))

    def said(text: str) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess([], 0, text, "")

    assert _problem(shown, said("a: 3 hunk, 1 ms\n")) == ""
    assert "it printed:\nb: 1 hunk, 22 ms" in _problem(shown, said("b: 1 hunk, 22 ms\n"))


def test_every_command_of_ours_can_be_tried(tmp_path: Path) -> None:
    walk = Walk(Environment(tmp_path / "none"), tmp_path)
    lines = [command.line for command in commands_of((ROOT / "README.md").read_text("utf-8"))]
    assert len(lines) > 25
    assert all(any(line.startswith(start) for start, _ in walk._rules) for line in lines)


def test_watching_ends_with_ctrl_c_where_nobody_could_press_it(tmp_path: Path) -> None:
    """As in the background, where Ctrl-C is ignored."""
    environment = tmp_path / "environment"
    (environment / "bin").mkdir(parents=True)
    (environment / "bin" / "python").symlink_to(sys.executable)
    (tmp_path / "sandbox").mkdir()
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        walk = Walk(_OwnPath(environment), tmp_path / "sandbox")
        assert walk._watch(Command("fastedit watch [FOLDER]")).problem == ""
    finally:
        signal.signal(signal.SIGINT, before)


class _OwnPath(Environment):
    """This environment's Python, with FastEdit as it is imported here."""

    def variables(self, **more: str) -> dict[str, str]:
        found = [str(ROOT), *(path for path in sys.path if path.endswith("site-packages"))]
        return super().variables(PYTHONPATH=os.pathsep.join(found), **more)
