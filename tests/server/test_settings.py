from __future__ import annotations

import socket
from pathlib import Path

import pytest

from fastedit.server.run import listen
from fastedit.server.settings import load_server_settings
from fastedit.targets import default


def test_the_default_target_is_one_that_there_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("FASTEDIT_TARGET", raising=False)
    monkeypatch.setattr(default, "EMBEDDED_FOLDER", tmp_path)
    assert load_server_settings().target == "embedded"
    assert not load_server_settings().asks_in_auto
    assert load_server_settings(target="embedded").asks_in_auto
    assert load_server_settings(target="kortix-1.5b").asks_in_auto
    monkeypatch.setattr(default, "EMBEDDED_FOLDER", tmp_path / "none")
    assert not load_server_settings().has_target
    monkeypatch.setenv("FASTEDIT_TARGET", "embedded")
    assert load_server_settings().asks_in_auto


def test_answers_are_sent_at_once() -> None:
    with listen("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        connection, _ = listener.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
