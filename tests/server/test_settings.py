from __future__ import annotations

from pathlib import Path

import pytest

from fastedit.server.settings import load_server_settings
from fastedit.targets import default


def test_the_default_target_is_one_that_there_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("FASTEDIT_TARGET", raising=False)
    monkeypatch.setattr(default, "EMBEDDED_FOLDER", tmp_path)
    assert load_server_settings().target == "embedded"
    monkeypatch.setattr(default, "EMBEDDED_FOLDER", tmp_path / "none")
    assert not load_server_settings().has_target
