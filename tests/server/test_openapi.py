"""The OpenAPI description and what the service really does, held against each other by schemathesis."""

from __future__ import annotations

import re

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import checks

from fastedit.server.app import create_app
from fastedit.server.schemas import ApplyResponse, BatchResponse
from fastedit.server.settings import ServerSettings
from support.serving import Running

# A deadline keeps generated files that are slow to merge from keeping the suite.
SETTINGS = ServerSettings(target="none", structural_workers=1)
schema = schemathesis.openapi.from_dict(create_app(SETTINGS).openapi())


@schema.parametrize()
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_request_is_the_services_fault_and_every_answer_is_described(case, plain: Running) -> None:
    _ask_for_no_failure(case.body)
    response = case.call(base_url=plain.url)
    case.validate_response(
        response,
        checks=[
            checks.not_a_server_error,
            checks.status_code_conformance,
            checks.content_type_conformance,
            checks.response_schema_conformance,
        ],
    )


def _ask_for_no_failure(body: object) -> None:
    """Takes out what asks for a 503 or a 504: a target that this service hasn't got, and a deadline of no time."""
    if isinstance(body, list):
        for one in body:
            _ask_for_no_failure(one)
    if isinstance(body, dict):
        if isinstance(body.get("deadline_s"), int | float):
            del body["deadline_s"]
        for name, failing in (("mode", "model"), ("model", "fastedit-model")):
            if body.get(name) == failing:
                del body[name]
        _ask_for_no_failure(body.get("requests"))


def test_every_path_is_described(plain: Running) -> None:
    described = plain.client.get("/openapi.json").json()
    assert set(described["paths"]) == {
        "/v1/apply",
        "/v1/apply/batch",
        "/v1/files",
        "/v1/explain",
        "/v1/code/apply",
        "/v1/chat/completions",
        "/v1/models",
        "/v1/models/{name}",
        "/healthz",
        "/readyz",
        "/metrics",
    }


def test_the_page_about_it_names_all_and_loads_nothing(plain: Running) -> None:
    described = plain.client.get("/openapi.json").json()
    answer = plain.client.get("/docs")
    assert answer.headers["content-type"].startswith("text/html")
    page = answer.text
    for path in described["paths"]:
        assert f" {path}</code>" in page
    for field in described["components"]["schemas"]["ApplyRequest"]["properties"]:
        assert re.search(rf"<code>{field}\??</code>", page)
    assert re.findall(r"(?:src|href)=[\"']?([^\s>\"']+)", page) == ["/openapi.json"]
    assert "<script" not in page


def test_the_examples_work(plain: Running) -> None:
    described = plain.client.get("/openapi.json").json()["components"]["schemas"]
    sent = {
        "ApplyRequest": "/v1/apply",
        "BatchRequest": "/v1/apply/batch",
        "FilesRequest": "/v1/files",
        "CodeApplyRequest": "/v1/code/apply",
        "ChatRequest": "/v1/chat/completions",
    }
    for name, path in sent.items():
        for example in described[name]["examples"]:
            answer = plain.client.post(path, json=example)
            assert answer.status_code == 200, answer.text
            assert "depth" in answer.text


@pytest.mark.parametrize("model", [ApplyResponse, BatchResponse])
def test_answers_are_described_in_full(model) -> None:
    assert model.model_json_schema()["required"]
