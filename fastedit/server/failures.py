"""Every way in which a route can fail, as an answer in the one shape that errors have."""

from __future__ import annotations

import re

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from fastedit.errors import Code, EditRefused
from fastedit.server.problems import CODES_OF_STATUSES, RequestCode, RequestProblem, problem_response
from fastedit.server.streaming import ClientGone

_NAME = re.compile(r"[\w-]{1,64}", re.ASCII)
# Without the header the framework takes the body for plain text, and says that it is "no valid dictionary".
NO_OBJECT = ("model_attributes_type", "dict_type", "missing")
NEEDS_OBJECT = "The body has to be a JSON object, sent with the header Content-Type: application/json."
CLIENT_CLOSED_REQUEST = 499  # nobody reads it; logs and metrics do


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
