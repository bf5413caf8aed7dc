"""A service is found of itself by the commands of whoever runs it."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from fastedit.running import NOTE, RunningService, noted, running_service, url_of
from fastedit.server.loading import TargetSlot
from fastedit.server.settings import ServerSettings
from fastedit.targets import Target
from fastedit.targets.templates import Word
from support.command import fastedit
from support.scripted import script
from support.serving import EDIT, EXPECTED, ORIGINAL, running, served
from support.tiny_targets import make_tiny


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's runtime directory."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return tmp_path


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service whose target `scripted`, which only it has, is ready."""
    target = Target.load(make_tiny(tmp_path_factory.mktemp("target"), "qwen3", vocabulary=400), template="plain")
    target = replace(target, word=Word(agrees=1000.0))  # so that what it agrees with is called verified
    script(target, lambda original, _: original.replace("'shape'", "'solid'"), slot_len=4096)
    with running(ServerSettings(structural_workers=1), TargetSlot("scripted", target=target)) as service:
        yield RunningService(service.url, "scripted", False, os.getpid())


def test_the_command_has_its_target_asked_there(known: RunningService, folder: Path) -> None:
    file, edit = folder / "shapes.py", folder / "edit.md"
    file.write_text(ORIGINAL)
    edit.write_text(EDIT)
    asked = ("apply", file, edit, "--target", "scripted")
    environment = {"XDG_RUNTIME_DIR": str(folder)}
    assert fastedit(*asked, cwd=folder, env=environment).code == "TARGET_UNAVAILABLE"
    with noted(known):
        done = fastedit(*asked, cwd=folder, env=environment)
    assert (done.status, file.read_text()) == (0, EXPECTED)
    assert b"verified" in done.stdout


def test_only_a_service_of_use_is_found(known: RunningService, folder: Path) -> None:
    with noted(known):
        assert running_service("scripted", has_key=False) == known
        assert running_service("embedded", has_key=False) is None
    assert running_service("scripted", has_key=False) is None
    with noted(replace(known, has_keys=True)):
        assert running_service("scripted", has_key=False) is None
        assert running_service("scripted", has_key=True) is not None
    with noted(replace(known, asks_in_auto=False)):  # it has the embedded target, which nobody named
        assert running_service("scripted", has_key=False) is None
        assert running_service("scripted", has_key=False, mode="model") is not None
    with noted(replace(known, url="http://127.0.0.1:9")):  # it crashed, and its note stayed
        assert running_service("scripted", has_key=False) is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"url": "file:///etc/passwd"}', "\udce9"])
def test_a_note_that_is_none_names_no_service(folder: Path, text: str) -> None:
    (folder / "fastedit").mkdir()
    (folder / "fastedit" / NOTE).write_bytes(text.encode("utf-8", "surrogateescape"))
    assert running_service("embedded", has_key=False) is None


def test_the_note_of_another_service_stays(known: RunningService, folder: Path) -> None:
    path = folder / "fastedit" / NOTE
    later = replace(known, pid=known.pid + 1)
    with noted(known):
        path.write_text(json.dumps(asdict(later)))
    assert json.loads(path.read_text())["pid"] == later.pid
    with noted(later):
        pass
    assert not path.exists()


def test_serve_leaves_a_note_while_it_runs(folder: Path) -> None:
    path = folder / "fastedit" / NOTE
    with served(env={"XDG_RUNTIME_DIR": str(folder)}) as (process, url):
        note = json.loads(path.read_text())
        assert (note["url"], note["target"], note["pid"]) == (url, "none", process.pid)
        process.send_signal(signal.SIGTERM)
        process.wait(60)
        assert not path.exists()


@pytest.mark.parametrize(
    ("host", "url"),
    [("127.0.0.1", "http://127.0.0.1:1"), ("0.0.0.0", "http://127.0.0.1:1"), ("::", "http://[::1]:1")],
)
def test_addresses_that_stand_for_all_are_this_machine(host: str, url: str) -> None:
    assert url_of(host, 1) == url
