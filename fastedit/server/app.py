"""The application, put together."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from anyio import create_task_group
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from fastedit import __version__
from fastedit.errors import Code, EditRefused
from fastedit.server.loading import TargetSlot
from fastedit.server.problems import CODES_OF_STATUSES, Problem, RequestCode
from fastedit.server.routes import health, native
from fastedit.server.service import Service
from fastedit.server.settings import ServerSettings
from fastedit.server.streaming import ClientGone

logger = logging.getLogger(__name__)

CLIENT_CLOSED_REQUEST = 499  # nobody reads it; logs and metrics do
DESCRIPTION = "Merges the edits that coding assistants write into the files they are meant for: exactly, and fast."


def create_app(settings: ServerSettings | None = None, slot: TargetSlot | None = None) -> FastAPI:
    """The service as an ASGI application. slot: a target that is there already."""
    settings = settings or ServerSettings()
    service = Service(settings, slot)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with create_task_group() as group:
            group.start_soon(service.start)
            yield
            group.cancel_scope.cancel()
        service.slot.close(0.0)

    app = FastAPI(title="FastEdit", version=__version__, description=DESCRIPTION, lifespan=lifespan)
    app.state.service = service
    for module in (native, health):
        app.include_router(module.router)
    _handle_errors(app)
    return app


def _handle_errors(app: FastAPI) -> None:
    app.add_exception_handler(EditRefused, _refused)
    app.add_exception_handler(Problem, _problem)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(ClientGone, _client_gone)
    app.add_exception_handler(Exception, _unexpected)


async def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, EditRefused)
    return Problem.of(error).response()


async def _problem(_: Request, error: Exception) -> Response:
    assert isinstance(error, Problem)
    return error.response()


async def _invalid(_: Request, error: Exception) -> Response:
    """What is wrong with which field, without its value: that may be source code, or nothing JSON can hold."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"] if part != "body")
    return Problem(RequestCode.INVALID_REQUEST, f"{place}: {first['msg']}" if place else first["msg"]).response()


async def _http_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = CODES_OF_STATUSES.get(error.status_code, RequestCode.BAD_REQUEST)
    return Problem(code, str(error.detail), headers=error.headers).response()


async def _client_gone(_: Request, __: Exception) -> Response:
    return Response(status_code=CLIENT_CLOSED_REQUEST)


async def _unexpected(_: Request, error: Exception) -> Response:
    return Problem(Code.ENGINE_ERROR, f"Internal: {type(error).__name__}.").response()
