"""What the plugins take for granted about the service, and about each other."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("fastapi")

from fastedit.errors import Code
from fastedit.server.answers import RequestCode
from fastedit.server.schemas import ApplyRequest, CandidateBody, SamplingBody, SpanBody
from fastedit.server.settings import ServerSettings

PLUGINS = Path(__file__).parents[2] / "editor_plugins"
OWN_CODES = {"UNREACHABLE", "BAD_ANSWER"}


def text_of(*names: str) -> str:
    return "\n".join((PLUGINS / name).read_text() for name in names)


def test_codes_that_have_remedies_exist() -> None:
    named = set(re.findall(r"^  ([A-Z_]+): \[", text_of("vscode/src/core/advice.ts"), re.MULTILINE))
    known = {*Code, *RequestCode, *OWN_CODES}
    assert len(named) > 5
    assert named <= {str(code) for code in known}


def test_both_plugins_look_for_the_service_where_it_listens_by_default() -> None:
    settings = ServerSettings()
    address = f"http://{settings.host}:{settings.port}"
    manifest = json.loads(text_of("vscode/package.json"))
    properties = manifest["contributes"]["configuration"]["properties"]
    assert properties["fastedit.server.url"]["default"] == address
    assert f'DEFAULT_URL = "{address}"' in text_of("client/src/fastedit.ts")
    assert f'url = "{address}"' in text_of("nvim/lua/fastedit/config.lua")
    assert f"apiBase: {address}/v1\n" in text_of("recipes/continue.yaml")
    assert f'fastedit-url "{address}"' in text_of("recipes/fastedit.el")


def test_the_fields_that_are_sent_and_read_exist() -> None:
    assert _fields("ApplyRequest") | _fields("How") == set(ApplyRequest.model_fields) - {"sha256", "stream"}
    assert _fields("Sampling") == set(SamplingBody.model_fields)
    wire = text_of("client/src/wire.ts", "nvim/lua/fastedit/client.lua", "nvim/lua/fastedit/places.lua")
    for model in (CandidateBody, SpanBody):
        for name in {"start_line", "end_line"}:
            assert name in model.model_fields
            assert name in wire


def _fields(name: str) -> set[str]:
    """The fields of an interface of the client's."""
    found = re.search(rf"export interface {name}\b.*?{{\n(.*?)\n}}", text_of("client/src/wire.ts"), re.DOTALL)
    assert found is not None
    return set(re.findall(r"^  readonly (\w+)\??:", found.group(1), re.MULTILINE))


def test_states_are_described_whole() -> None:
    described = json.loads(text_of("states.json"))
    states, events = set(described["states"]), set(described["events"])
    transitions = described["transitions"]
    assert set(transitions) == states
    assert {event for steps in transitions.values() for event in steps} == events
    assert {after for steps in transitions.values() for after in steps.values()} <= states


@pytest.mark.parametrize("folder", ["client", "vscode", "vscode/test/e2e/editor"])
def test_locks_name_no_registry(folder: str) -> None:
    assert '"resolved"' not in text_of(f"{folder}/package-lock.json")
