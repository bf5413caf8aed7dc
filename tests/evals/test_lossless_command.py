"""`python -m evals.lossless` tells what is identical, what is refused, and what is wrong."""

from __future__ import annotations

import json

import pytest

from evals.lossless import __main__ as command


@pytest.fixture
def run(monkeypatch, tmp_path, capsys):
    def run(*names):
        saved = tmp_path / "figures.json"
        given = ["lossless", *names, "--prompts", "2", "--tokens", "8", "--save", str(saved)]
        monkeypatch.setattr("sys.argv", given)
        status = command.main()
        return status, capsys.readouterr().out.splitlines()[-1], json.loads(saved.read_text())["rows"]

    return run


def test_what_is_identical_and_what_is_refused_is_counted(run):
    status, last, rows = run("qwen2_moe", "qwen3", "gemma2")
    assert (status, last) == (0, "architectures=3 identical=2 refused_clearly=1 wrong=0")
    assert {"module", "plain"} <= rows[1]["ways"].keys()
    assert "gemma2" in rows[2]["reason"]


def test_wrong_text_and_crashes_fail_the_command(run, monkeypatch):
    monkeypatch.setattr("fastedit.decode.attention.window_of", lambda _: None)  # windows are missed
    monkeypatch.setattr("fastedit.decode.runner.difference", lambda *_: 0.0)  # and the probe sees nothing
    status, last, rows = run("qwen2_moe", "no/such-model")
    assert status == 1
    assert "wrong=" in last
    assert rows[0]["outcome"] == "wrong"
    assert "differs at token" in rows[0]["ways"]["module"]["first_wrong"]
