"""The application, put together."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from anyio import create_task_group
from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.middleware.cors import CORSMiddleware

from fastedit import __version__
from fastedit.server.answers import handle_failures
from fastedit.server.gate import BodyReader, Gate, SendTimeout, caller_checks, check_room, place_checks
from fastedit.server.loading import TargetSlot
from fastedit.server.observe import HEADER, Observer
from fastedit.server.routes import ROUTERS
from fastedit.server.service import Service
from fastedit.server.settings import ServerSettings

logger = logging.getLogger(__name__)

DESCRIPTION = "Merges the edits that coding assistants write into the files they are meant for: exactly, and fast."


def create_app(settings: ServerSettings | None = None, slot: TargetSlot | None = None) -> FastAPI:
    """The service as an ASGI application. slot: a target that is there already."""
    settings = settings or ServerSettings()
    service = Service(settings, slot)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with create_task_group() as group:
            group.start_soon(service.start)
            yield
            group.cancel_scope.cancel()
        await service.close()

    app = FastAPI(
        title="FastEdit",
        version=__version__,
        description=DESCRIPTION,
        lifespan=lifespan,
        docs_url=None,  # FastAPI's own pages load theirs from elsewhere
        redoc_url=None,
    )
    app.state.service = service
    for router in ROUTERS:
        app.include_router(router)
    handle_failures(app)
    _guard(app, service)
    return app


def _guard(app: FastAPI, service: Service) -> None:
    """Wraps the application in the layers that come before its routes, innermost first."""
    settings = service.settings
    # Behind the reader: who is turned away amid sending a body may lose the answer with the connection.
    app.add_middleware(Gate, checks=(check_room,))
    app.add_middleware(BodyReader, max_bytes=settings.max_body_bytes, timeout_s=settings.body_timeout_s)
    app.add_middleware(Gate, checks=caller_checks(settings))
    if settings.allowed_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.allowed_origins,
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type", HEADER],
            expose_headers=[HEADER, "Retry-After"],
        )
    app.add_middleware(Gate, checks=place_checks(settings))
    app.add_middleware(SendTimeout, timeout_s=settings.body_timeout_s)
    paths = (route.path for router in ROUTERS for route in router.routes if isinstance(route, APIRoute))
    app.add_middleware(Observer, metrics=service.metrics, paths=frozenset(paths))
