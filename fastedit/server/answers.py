"""Parts that all routes share: the service, errors in one shape, never with source code in it, server-sent events.

Work ends when its client has gone.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from enum import StrEnum
from typing import Annotated, Any, TypeVar

from anyio import create_task_group
from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response, StreamingResponse
from fastapi.sse import format_sse_event
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from fastedit.errors import STATUSES, Candidate, Code, EditRefused
from fastedit.server.schemas import ErrorResponse
from fastedit.server.service import Service

RETRY_AFTER_S = 1
OPEN_PATHS = frozenset({"/healthz", "/readyz"})  # for whoever watches the process; they tell nothing of files
PAGE_PATHS = frozenset({"/"})  # without anybody's data; what the page asks for has a key
OPENAI_PATHS = ("/v1/chat/completions", "/v1/models")
RETRY_STATUSES = frozenset({408, 429, 503})
OPENAI_TYPES = {401: "authentication_error", 429: "rate_limit_error"}
T = TypeVar("T")
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
PIECE_CHARACTERS = 200  # a piece of a text that is there as a whole has so many at least ...
MOST_PIECES = 64  # ... and a large file is cut into so many at most: each has a head of its own to be read
_NAME = re.compile(r"[\w-]{1,64}", re.ASCII)
# Without the header the framework takes the body for plain text, and says that it is "no valid dictionary".
NO_OBJECT = ("model_attributes_type", "dict_type", "missing")
NEEDS_OBJECT = "The body has to be a JSON object, sent with the header Content-Type: application/json."
CLIENT_CLOSED_REQUEST = 499  # nobody reads it; logs and metrics do


async def service_of(request: Request) -> Service:
    """The application's service. A plain function would be run in a thread, which takes longer than all of this."""
    service: Service = request.app.state.service
    return service


TheService = Annotated[Service, Depends(service_of)]


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


def _error_responses() -> dict[int | str, dict[str, Any]]:
    """Every status that an error can have, with the codes that have it, for the OpenAPI description."""
    codes: dict[int, list[str]] = {}
    for code, status in STATUSES.items():
        codes.setdefault(status.http, []).append(code.value)
    for request_code, number in REQUEST_STATUSES.items():
        codes.setdefault(number, []).append(request_code.value)
    return {
        number: {"model": ErrorResponse, "description": ", ".join(names)} for number, names in sorted(codes.items())
    }


ERRORS = _error_responses()


def streamed(events: str) -> dict[int | str, dict[str, Any]]:
    """The entry of the OpenAPI description that says that with `stream` the answer is server-sent events."""
    fields = {"event": {"type": "string"}, "data": {"type": "string", "description": "JSON"}}
    schema = {"type": "object", "properties": fields, "required": ["data"], "description": events}
    content = {"text/event-stream": {"schema": schema}}
    return {200: {"description": "The new file, whole or as it comes.", "content": content}}


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


class ClientGone(Exception):
    """The client has closed the connection: there is nobody to answer."""


def event(name: str | None, data: BaseModel | str) -> bytes:
    """One server-sent event; data is a model or JSON."""
    return format_sse_event(event=name, data_str=data if isinstance(data, str) else data.model_dump_json())


def pieces_of(text: str) -> Iterator[str]:
    """The text in pieces of whole lines, for clients that show an answer while it comes; the last may be short."""
    size = max(PIECE_CHARACTERS, len(text) // MOST_PIECES + 1)
    start = 0
    while start < len(text):
        end = text.find("\n", start + size - 1) + 1 or len(text)
        yield text[start:end]
        start = end


async def event_response(
    request: Request, events: AsyncGenerator[bytes], error_event: Callable[[RequestProblem], bytes]
) -> StreamingResponse:
    """The events as they come. What goes wrong before the first one is raised here, and so has a status of its own;
    later, `error_event` is the last one."""
    first = await while_connected(request, lambda: anext(events))

    async def all_events() -> AsyncIterator[bytes]:
        async with aclosing(events):
            yield first
            try:
                async for one in events:
                    yield one
            except EditRefused as refusal:
                yield error_event(RequestProblem.of(refusal))

    return StreamingResponse(all_events(), media_type="text/event-stream", headers=HEADERS)


async def while_connected(request: Request, work: Callable[[], Awaitable[T]]) -> T:
    """Gives what `work` gives, and cancels it when the client goes: a handler of its own accord would outlive it.

    Raises ClientGone then, else what `work` raises.
    """
    results: list[T] = []
    errors: list[Exception] = []

    async def run() -> None:
        try:
            results.append(await work())
        except Exception as error:  # noqa: BLE001 raised below: a task group would wrap it
            errors.append(error)
        group.cancel_scope.cancel()

    async with create_task_group() as group:
        group.start_soon(run)
        while (await request.receive())["type"] != "http.disconnect":
            pass
        group.cancel_scope.cancel()
    if errors:
        raise errors[0]
    if not results:
        raise ClientGone
    return results[0]


def handle_failures(app: FastAPI) -> None:
    app.add_exception_handler(ClientGone, _client_gone)
    for kind in (EditRefused, RequestProblem, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, _answer)


def problem_of(error: Exception) -> RequestProblem:
    """The problem to answer an error with, which says nothing that a request had in it."""
    if isinstance(error, RequestProblem):
        return error
    if isinstance(error, EditRefused):
        return RequestProblem.of(error)
    if isinstance(error, RequestValidationError):
        return _invalid(error)
    if isinstance(error, HTTPException):
        code = CODES_OF_STATUSES.get(error.status_code, RequestCode.BAD_REQUEST)
        return RequestProblem(code, str(error.detail), headers=error.headers)
    return RequestProblem(Code.ENGINE_ERROR, f"Internal: {type(error).__name__}.")


async def _answer(request: Request, error: Exception) -> Response:
    return problem_response(problem_of(error), request.url.path)


async def _client_gone(_: Request, __: Exception) -> Response:
    return Response(status_code=CLIENT_CLOSED_REQUEST)


def _invalid(error: RequestValidationError) -> RequestProblem:
    """A problem that says which field is wrong and how, without its value: that may be source code, or nothing that
    JSON can hold."""
    first = error.errors()[0]
    if first["loc"] == ("body",) and first["type"] in NO_OBJECT:
        return RequestProblem(RequestCode.INVALID_REQUEST, NEEDS_OBJECT)
    # An unknown field's name is the client's, and may be anything.
    parts = (str(part) if _NAME.fullmatch(str(part)) else "..." for part in first["loc"] if part != "body")
    place = ".".join(parts)
    message = f"{place}: {first['msg']}" if place else first["msg"]
    return RequestProblem(RequestCode.INVALID_REQUEST, message, param=place or None)
