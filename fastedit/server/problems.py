"""The service's answers where it can't do what was asked: one shape for all, never with source code in it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from fastapi.responses import JSONResponse

from fastedit.errors import STATUSES, Candidate, Code, EditRefused

RETRY_AFTER_S = 1
OPEN_PATHS = frozenset({"/healthz", "/readyz"})  # for whoever watches the process; they tell nothing of files
PAGE_PATHS = frozenset({"/"})  # without anybody's data; what the page asks for has a key
OPENAI_PATHS = ("/v1/chat/completions", "/v1/models")
RETRY_STATUSES = frozenset({408, 429, 503})
OPENAI_TYPES = {401: "authentication_error", 429: "rate_limit_error"}


class RequestCode(StrEnum):
    """Codes for requests turned down before there was an edit to speak of; `Code` has the others."""

    BAD_REQUEST = "BAD_REQUEST"
    BAD_HOST = "BAD_HOST"
    UNSUPPORTED = "UNSUPPORTED"
    UNAUTHORIZED = "UNAUTHORIZED"
    FORBIDDEN_ORIGIN = "FORBIDDEN_ORIGIN"
    NOT_FOUND = "NOT_FOUND"
    METHOD_NOT_ALLOWED = "METHOD_NOT_ALLOWED"
    REQUEST_TIMEOUT = "REQUEST_TIMEOUT"
    INVALID_REQUEST = "INVALID_REQUEST"
    RATE_LIMITED = "RATE_LIMITED"


REQUEST_STATUSES = {
    RequestCode.BAD_REQUEST: 400,
    RequestCode.BAD_HOST: 400,
    RequestCode.UNSUPPORTED: 400,
    RequestCode.UNAUTHORIZED: 401,
    RequestCode.FORBIDDEN_ORIGIN: 403,
    RequestCode.NOT_FOUND: 404,
    RequestCode.METHOD_NOT_ALLOWED: 405,
    RequestCode.REQUEST_TIMEOUT: 408,
    RequestCode.INVALID_REQUEST: 422,
    RequestCode.RATE_LIMITED: 429,
}
# Anything else that the framework turns down by status alone.
CODES_OF_STATUSES: dict[int, RequestCode | Code] = {
    **{status: code for code, status in reversed(REQUEST_STATUSES.items())},
    413: Code.TOO_LARGE,
}


class RequestProblem(Exception):
    """A request that is answered with an error. headers: what the answer has besides; param: the field at fault."""

    def __init__(
        self,
        code: Code | RequestCode,
        message: str,
        candidates: Sequence[Candidate] = (),
        headers: Mapping[str, str] | None = None,
        param: str | None = None,
        certainty: float | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.candidates = tuple(candidates)
        self.headers = dict(headers or {})
        self.param = param
        self.certainty = certainty

    @classmethod
    def of(cls, refusal: EditRefused) -> RequestProblem:
        after_s = RETRY_AFTER_S if refusal.code is Code.OVERLOADED else getattr(refusal, "retry_after_s", None)
        headers = {"Retry-After": str(after_s)} if after_s else None
        return cls(refusal.code, refusal.message, refusal.candidates, headers, certainty=refusal.certainty)

    @property
    def status(self) -> int:
        return STATUSES[self.code].http if isinstance(self.code, Code) else REQUEST_STATUSES[self.code]

    @property
    def body(self) -> dict[str, Any]:
        """The answer's body: `{error{code, message, candidates, certainty}}`."""
        candidates = [_public(candidate) for candidate in self.candidates]
        said = {"code": self.code.value, "message": self.message}
        return {"error": {**said, "candidates": candidates, "certainty": self.certainty}}

    def json(self) -> str:
        return json.dumps(self.body)


def problem_response(problem: RequestProblem, path: str) -> JSONResponse:
    """The answer to a problem, in the shape that the path's clients read."""
    if not path.startswith(OPENAI_PATHS):
        return JSONResponse(problem.body, problem.status, problem.headers)
    # OpenAI's client tries again of its own accord after 409 and 500, where that would change nothing.
    retry = {"X-Should-Retry": "true" if problem.status in RETRY_STATUSES else "false"}
    return JSONResponse(json.loads(openai_body(problem)), problem.status, problem.headers | retry)


def openai_body(problem: RequestProblem) -> str:
    """The error with what OpenAI's clients read besides."""
    kind = "server_error" if problem.status >= 500 else OPENAI_TYPES.get(problem.status, "invalid_request_error")
    return json.dumps({"error": {**problem.body["error"], "type": kind, "param": problem.param}})


def _public(candidate: Candidate) -> dict[str, Any]:
    """The candidate without the text that stands there: answers never echo the source."""
    return {
        "start_line": candidate.start_line,
        "end_line": candidate.end_line,
        "reason": candidate.reason,
        "path": candidate.path,
        "choice": candidate.choice,
    }
