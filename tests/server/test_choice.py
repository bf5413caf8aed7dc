"""Doubt over HTTP: `certainty` and `choose`, what an error says of readings, and the command as a client."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fastedit.edits import parse_message
from fastedit.errors import EditRefused
from fastedit.merged import Choice
from fastedit.remote import Remote
from fastedit.server.jobs import Drafted, Job, run_until_target
from support.choosing import EDIT, ORIGINAL, PATCH, reading
from support.command import fastedit
from support.serving import Running, events_of

ASKED = {"original": ORIGINAL, "edit": EDIT, "path": "shapes.py", "mode": "structural"}
UNSURE = {**ASKED, "certainty": 1.0}


def candidates_of(service: Running) -> list[dict[str, Any]]:
    answer = service.client.post("/v1/apply", json=UNSURE)
    assert answer.status_code == 409
    assert 0 < answer.json()["error"]["certainty"] < 1
    return answer.json()["error"]["candidates"]


def test_an_error_numbers_its_readings_and_quotes_nothing(plain: Running) -> None:
    candidates = candidates_of(plain)
    assert [one["choice"] for one in candidates] == [1, 2, 3]
    assert set(candidates[0]) == {"start_line", "end_line", "reason", "path", "choice"}
    assert "solid" not in json.dumps(candidates)
    assert "shape'" not in json.dumps(candidates)


@pytest.mark.parametrize("mode", ["structural", "auto"])
def test_a_reading_is_chosen_by_its_number(plain: Running, mode: str) -> None:
    answer = plain.client.post("/v1/apply", json={**UNSURE, "mode": mode, "choose": candidates_of(plain)[1]["choice"]})
    assert answer.status_code == 200
    assert answer.json()["text"] == reading(2)


def test_less_certainty_may_be_enough(plain: Running) -> None:
    assert plain.client.post("/v1/apply", json={**ASKED, "certainty": 0}).status_code == 200


def test_streamed_and_in_batches(plain: Running) -> None:
    streamed = plain.client.post("/v1/apply", json={**UNSURE, "choose": 2, "stream": True})
    name, data = events_of(streamed.text)[-1]
    assert (name, json.loads(data)["text"]) == ("result", reading(2))
    batch = plain.client.post("/v1/apply/batch", json={"requests": [UNSURE, {**UNSURE, "choose": 2}]})
    refused, done = batch.json()["results"]
    assert refused["status"] == 409
    assert refused["error"]["candidates"][1]["choice"] == 2
    assert (done["status"], done["result"]["text"]) == (200, reading(2))


@pytest.mark.parametrize(
    "choice", [{"certainty": 1.5}, {"certainty": -1}, {"certainty": "high"}, {"choose": 0}, {"choose": 1.5}]
)
def test_what_is_no_choice_is_said_so(plain: Running, choice: dict[str, Any]) -> None:
    answer = plain.client.post("/v1/apply", json={**ASKED, **choice})
    assert answer.status_code == 422
    (field,) = choice
    assert answer.json()["error"]["code"] == "INVALID_REQUEST"
    assert answer.json()["error"]["message"].startswith(f"{field}: Input should be")


@pytest.mark.parametrize(("edit", "choose"), [(EDIT, 1000), (PATCH, 1)])
def test_a_reading_that_there_is_not_is_refused(plain: Running, edit: str, choose: int) -> None:
    answer = plain.client.post("/v1/apply", json={**ASKED, "edit": edit, "choose": choose})
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "EDIT_UNPARSABLE")


def test_what_is_drafted_for_a_target_is_the_choice() -> None:
    unsure, chosen = (
        run_until_target(Job(ORIGINAL, EDIT, "shapes.py", choice=choice)) for choice in (Choice(1.0), Choice(1.0, 2))
    )
    assert isinstance(unsure, Drafted)
    assert unsure.begun.merged.refusal is not None
    assert isinstance(chosen, Drafted)
    assert chosen.begun.merged.text == reading(2)
    assert chosen.begun.merged.refusal is None


# ---- the client ------------------------------------------------------------------------------------------------------


def test_the_command_passes_them_on(plain: Running, tmp_path: Path) -> None:
    (tmp_path / "shapes.py").write_text(ORIGINAL)
    (tmp_path / "edit.md").write_text(EDIT)
    command = ("apply", "shapes.py", "edit.md", "--server", plain.url, "--certainty", "1")
    refused = fastedit(*command, cwd=tmp_path)
    assert refused.code == "ANCHOR_AMBIGUOUS"
    assert refused.stderr.endswith("choose one with --choose N or --interactive\n")
    assert fastedit(*command, "--choose", "2", cwd=tmp_path).status == 0
    assert (tmp_path / "shapes.py").read_text() == reading(2)


def test_only_wishes_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[dict[str, Any]] = []

    def post(_: Remote, path: str, asked: dict[str, Any]) -> Any:
        sent.append(asked)
        raise EditRefused("TIMEOUT", "no")

    monkeypatch.setattr(Remote, "_post", post)
    for choice in (None, Choice(), Choice(0.5), Choice(reading=2), Choice(1.0, 3)):
        with pytest.raises(EditRefused):
            Remote("http://x").apply_edits(ORIGINAL, parse_message(EDIT), message=EDIT, choice=choice)
    told = [{name: asked[name] for name in ("certainty", "choose") if name in asked} for asked in sent]
    assert told == [{}, {}, {"certainty": 0.5}, {"choose": 2}, {"certainty": 1.0, "choose": 3}]
