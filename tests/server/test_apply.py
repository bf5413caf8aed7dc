"""POST /v1/apply and its batch form, on a real server."""

from __future__ import annotations

import hashlib
import json

import pytest

from fastedit.errors import STATUSES, Code
from support.serving import EDIT, EXPECTED, ORIGINAL, PATCH, Running, events_of


def spans_and_result(text: str) -> tuple[list[dict], dict]:
    events = events_of(text)
    assert [name for name, _ in events[:-1]] == ["span"] * (len(events) - 1)
    assert events[-1][0] == "result"
    return [json.loads(data) for _, data in events[:-1]], json.loads(events[-1][1])


def applied_spans(original: str, spans: list[dict]) -> str:
    """What a client gets that puts each span in place of its lines, last one first."""
    lines = original.split("\n")
    lines = [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
    places: dict[tuple[int, int], str] = {}
    for span in spans:
        place = (span["start_line"], span["end_line"])
        places[place] = places.get(place, "") + span["text"]
    for (start, end), text in sorted(places.items(), reverse=True):
        lines[start:end] = [text]
    return "".join(lines)


def test_an_edit_is_merged(plain: Running) -> None:
    answer = plain.apply()
    body = answer.json()
    assert answer.status_code == 200
    assert body["text"] == EXPECTED
    assert body["changes"] == {"added": 0, "removed": 0, "modified": 1}
    assert body["strategy"] == "structural"
    assert body["warnings"] == []
    assert body["diff"].startswith("--- a/shapes.py\n+++ b/shapes.py\n@@ ")
    assert set(body["usage"].values()) == {0}
    assert body["stats"]["total_ms"] > 0
    assert answer.headers["x-request-id"]


def test_a_request_keeps_its_id(plain: Running) -> None:
    body = {"original": ORIGINAL, "edit": EDIT}
    answer = plain.client.post("/v1/apply", json=body, headers={"X-Request-ID": "mine-1"})
    assert answer.headers["x-request-id"] == "mine-1"
    answer = plain.client.post("/v1/apply", json=body, headers={"X-Request-ID": "no id\t" + "x" * 100})
    assert answer.headers["x-request-id"] not in ("", "no id\t" + "x" * 100)


@pytest.mark.parametrize(
    ("original", "edit"),
    [
        (ORIGINAL, PATCH),
        (ORIGINAL.replace("\n", "\r\n"), PATCH),
        ("\ufeff" + ORIGINAL, PATCH),
        (ORIGINAL.rstrip("\n"), PATCH),
        (ORIGINAL + "# caf\u00e9 \u2028 \x0c \U0001f600\n", PATCH),
        (ORIGINAL, EDIT),
        ("", "x = 1\n"),
    ],
)
def test_streamed_spans_join_and_apply_to_the_same_bytes(plain: Running, original: str, edit: str) -> None:
    whole = plain.apply(original=original, edit=edit).json()["text"]
    answer = plain.apply(original=original, edit=edit, stream=True)
    assert answer.headers["content-type"].startswith("text/event-stream")
    spans, result = spans_and_result(answer.text)
    assert result["text"] == whole
    assert "".join(span["text"] for span in spans) == whole
    assert applied_spans(original, spans) == whole


def test_a_stream_that_is_refused_at_once_has_its_status(plain: Running) -> None:
    answer = plain.apply(edit="no edit at all, only words", stream=True)
    assert answer.status_code in (409, 422)
    assert answer.json()["error"]["code"] in {code.value for code in Code}


def test_an_edit_that_is_there_already_changes_nothing(plain: Running) -> None:
    body = plain.apply(original=EXPECTED).json()
    assert body["text"] == EXPECTED
    assert body["diff"] == ""
    assert [warning["code"] for warning in body["warnings"]] == ["NO_CHANGE"]


def test_the_hash_of_another_original_is_a_conflict(plain: Running) -> None:
    right = hashlib.sha256(ORIGINAL.encode()).hexdigest()
    assert plain.apply(sha256=right).status_code == 200
    assert plain.apply(sha256=right.upper()).status_code == 200
    answer = plain.apply(sha256=hashlib.sha256(b"").hexdigest())
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "CONTENT_CONFLICT")


def test_a_refusal_tells_places_and_no_source(plain: Running) -> None:
    twice = ORIGINAL + "\n\ndef other():\n    return 'shape'\n"
    answer = plain.apply(original=twice, edit=PATCH)
    error = answer.json()["error"]
    assert answer.status_code == 409
    assert error["code"] == "ANCHOR_AMBIGUOUS"
    assert len(error["candidates"]) > 1
    assert all(set(found) == {"start_line", "end_line", "reason", "path", "choice"} for found in error["candidates"])
    assert "return 'shape'" not in answer.text


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"edit": ""}, "EDIT_EMPTY"),
        ({"original": "a\0b"}, "NOT_TEXT"),
        ({"edit": "<<<<<<< SEARCH\nnowhere to be found\n=======\nx\n>>>>>>> REPLACE\n"}, "ANCHOR_NOT_FOUND"),
        ({"mode": "model"}, "TARGET_UNAVAILABLE"),
        ({"deadline_s": 1e-9}, "TIMEOUT"),
    ],
)
def test_refusals_have_their_codes_and_statuses(plain: Running, fields: dict, code: str) -> None:
    answer = plain.apply(**fields)
    assert (answer.json()["error"]["code"], answer.status_code) == (code, STATUSES[Code(code)].http)


@pytest.mark.parametrize(
    "fields",
    [
        {"original": None},
        {"edit": 3},
        {"mode": "fast"},
        {"sha256": "abc"},
        {"unknown": 1},
        {"deadline_s": 0},
        {"sampling": {"temperature": -1}},
        {"sampling": {"seed": 2**63}},
        {"path": "x" * 5000},
    ],
)
def test_fields_that_mean_nothing_are_refused_by_name(plain: Running, fields: dict) -> None:
    answer = plain.apply(**fields)
    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == "INVALID_REQUEST"
    assert next(iter(fields)) in answer.json()["error"]["message"]
    assert "return" not in answer.text


def test_a_language_stands_in_for_a_path(plain: Running) -> None:
    broken = "```\ndef name(:\n    return 'solid'\n```"
    known = plain.apply(path=None, language="python", edit=EDIT).json()
    assert known["text"] == EXPECTED
    assert known["diff"].startswith("--- a/original\n")
    assert plain.apply(path=None, language="klingon", edit=EDIT).json()["text"] == EXPECTED
    assert plain.apply(path="shapes.py", edit=broken).status_code in (409, 422)


def test_a_batch_answers_each_request_for_itself(plain: Running) -> None:
    requests = [
        {"original": ORIGINAL, "edit": EDIT, "path": "shapes.py"},
        {"original": ORIGINAL, "edit": ""},
        {"original": ORIGINAL, "edit": PATCH, "sha256": "0" * 64},
        {"original": ORIGINAL, "edit": PATCH},
    ]
    answer = plain.client.post("/v1/apply/batch", json={"requests": requests})
    results = answer.json()["results"]
    assert [one["status"] for one in results] == [200, 422, 409, 200]
    assert results[0]["result"]["text"] == results[3]["result"]["text"] == EXPECTED
    assert [one["error"] and one["error"]["code"] for one in results] == [
        None,
        "EDIT_EMPTY",
        "CONTENT_CONFLICT",
        None,
    ]


def test_a_batch_is_bounded_and_not_streamed(plain: Running) -> None:
    one = {"original": "a\n", "edit": "b\n"}
    limit = plain.service.settings.max_batch
    assert plain.client.post("/v1/apply/batch", json={"requests": [one] * (limit + 1)}).status_code == 413
    assert plain.client.post("/v1/apply/batch", json={"requests": []}).status_code == 422
    streamed = plain.client.post("/v1/apply/batch", json={"requests": [{**one, "stream": True}]})
    assert streamed.status_code == 422


def test_the_files_that_a_message_is_about(plain: Running) -> None:
    message = f"shapes.py\n```python\n{EDIT}```\n\nnew/one.py\n```python\nx = 1\n```\n"
    answer = plain.client.post("/v1/files", json={"edit": message})
    named = {"action": "update", "new_path": None}
    assert answer.json() == {
        "files": [
            {"path": "shapes.py", "can_create": False, **named},
            {"path": "new/one.py", "can_create": True, **named},
        ]
    }
    nothing = plain.client.post("/v1/files", json={"edit": "Nothing to do."})
    assert (nothing.status_code, nothing.json()["error"]["code"]) == (422, "EDIT_EMPTY")
