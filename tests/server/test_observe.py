"""What is told of requests: never their texts, unless that is asked for."""

from __future__ import annotations

import json
import logging

import pytest

from fastedit.applied import Changes, Stats
from fastedit.errors import Code, InputRefused, Warning
from fastedit.server.jobs import Job, JobOutcome
from fastedit.server.observe import JsonFormatter, TextFormatter, edits_logger, log_edit, request_id

JOB = Job("x = 'secret'\n", "x = 'hidden'\n", "a.py")
OUTCOME = JobOutcome("x = 1\n", "", Changes(0, 0, 1), "structural", (Warning("NO_CHANGE", "none"),), Stats(passes=2))


@pytest.fixture
def records(monkeypatch: pytest.MonkeyPatch) -> list[logging.LogRecord]:
    """The records of edits from now on."""
    found: list[logging.LogRecord] = []

    class Keeper(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found.append(record)

    monkeypatch.setattr(edits_logger, "handlers", [Keeper()])
    monkeypatch.setattr(edits_logger, "level", logging.INFO)
    monkeypatch.setattr(edits_logger, "disabled", False)
    edits_logger.manager._clear_cache()  # type: ignore[attr-defined]
    return found


def test_an_applied_edit_is_told_without_its_texts(records: list[logging.LogRecord]) -> None:
    log_edit(JOB, OUTCOME, 0.0123, with_source=False)
    (record,) = records
    fields = record.fields  # type: ignore[attr-defined]
    assert record.getMessage() == "applied"
    assert (fields["lines"], fields["edit_chars"], fields["ms"]) == (1, len(JOB.edit), 12.3)
    assert (fields["strategy"], fields["warnings"], fields["passes"]) == ("structural", ["NO_CHANGE"], 2)
    assert "secret" not in str(fields)
    assert "hidden" not in str(fields)


def test_a_refused_edit_is_told_with_its_code(records: list[logging.LogRecord]) -> None:
    log_edit(JOB, InputRefused(Code.NOT_TEXT, "no text"), 1.0, with_source=False)
    (record,) = records
    assert record.getMessage() == "refused"
    assert record.fields["code"] == "NOT_TEXT"  # type: ignore[attr-defined]
    assert "strategy" not in record.fields  # type: ignore[attr-defined]


def test_texts_are_told_where_that_is_asked_for(records: list[logging.LogRecord]) -> None:
    log_edit(JOB, OUTCOME, 1.0, with_source=True)
    assert records[0].fields["original"] == JOB.original  # type: ignore[attr-defined]


def record(**fields: object) -> logging.LogRecord:
    made = logging.LogRecord("fastedit.x", logging.WARNING, "f.py", 1, "told %d", (3,), None)
    made.fields = fields
    return made


def test_a_json_line_has_its_fields_and_the_requests_id() -> None:
    token = request_id.set("abc")
    try:
        line = json.loads(JsonFormatter().format(record(path="/v1/apply", odd="\u2028")))
    finally:
        request_id.reset(token)
    assert line.pop("time").endswith("Z")
    assert line == {
        "level": "warning",
        "logger": "fastedit.x",
        "message": "told 3",
        "request_id": "abc",
        "path": "/v1/apply",
        "odd": "\u2028",
    }
    assert "request_id" not in json.loads(JsonFormatter().format(record()))


def test_a_text_line_leaves_out_what_the_message_says() -> None:
    line = TextFormatter().format(record(path="/v1/apply", ms=4))
    assert line.endswith("told 3 ms=4")
    assert "\n" not in line
