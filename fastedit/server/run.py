"""A uvicorn that serves until it is told to stop, and then ends in order."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
from contextlib import AbstractContextManager, nullcontext
from types import FrameType

import uvicorn
from fastapi import FastAPI

from fastedit.config import is_loopback
from fastedit.engines.child import Launch
from fastedit.engines.target import described
from fastedit.errors import EngineUnavailable, SettingsError
from fastedit.running import RunningService, noted, url_of
from fastedit.server.app import create_app
from fastedit.server.gate import impatient
from fastedit.server.loading import TargetSlot
from fastedit.server.observe import set_up_logs
from fastedit.server.service import Service
from fastedit.server.settings import ServerSettings

logger = logging.getLogger(__name__)

BACKLOG = 2048
MIN_KEY_BYTES = 16
SWITCH_S = 0.001  # how long a thread may keep the interpreter from the one that answers clients; Python's own is 5 ms
ABORT_S = 5  # what aborted requests have to tell their clients so


def serve(settings: ServerSettings, slot: TargetSlot | None = None) -> None:
    """Serves until SIGTERM or SIGINT. slot: a target that is there already.

    Raises SettingsError where the settings would open the service to everybody, or the address can't be had.
    """
    check_exposure(settings)
    check_keys(settings)
    check_engine(settings)
    set_up_logs(settings.log_level, settings.log_format)
    sys.setswitchinterval(SWITCH_S)
    listener = listen(settings.host, settings.port)
    host, port = listener.getsockname()[:2]
    logger.info("serving on http://%s:%d", f"[{host}]" if ":" in host else host, port)
    service = RunningService(
        url_of(host, port), settings.target, bool(settings.keys), os.getpid(), settings.asks_in_auto
    )
    server_for(create_app(settings, slot), settings, noted(service)).run(sockets=[listener])


def server_for(
    app: FastAPI, settings: ServerSettings, while_serving: AbstractContextManager[None] | None = None
) -> DrainingServer:
    """The uvicorn that serves the application. while_serving: left as soon as it takes no new requests."""
    config = uvicorn.Config(
        app,
        http=impatient(settings.header_timeout_s),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=settings.max_connections,
        timeout_graceful_shutdown=int(settings.drain_s) + ABORT_S,
    )
    return DrainingServer(config, app.state.service, settings.drain_s, while_serving or nullcontext())


def listen(host: str, port: int) -> socket.socket:
    """A listening socket. Raises SettingsError, saying why, where there can't be one."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][0]
        listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise SettingsError(f"can't listen on {host}:{port}: {error.strerror or error}") from error
    # Connections inherit it. asyncio sets it only where a socket was made for TCP by name; without it the body of an
    # answer waits some 40 ms until the client has acknowledged its head.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def check_exposure(settings: ServerSettings) -> None:
    """Raises SettingsError for an address that others can reach without a key."""
    if not is_loopback(settings.host) and not settings.keys:
        raise SettingsError(f"others can reach {settings.host}: set FASTEDIT_API_KEYS or FASTEDIT_API_KEYS_FILE")


def check_keys(settings: ServerSettings) -> None:
    """Raises SettingsError for a key that could be guessed."""
    if any(len(key) < MIN_KEY_BYTES for key in settings.keys):
        raise SettingsError(
            f"an API key has fewer than {MIN_KEY_BYTES} characters; "
            "`python -c 'import secrets; print(secrets.token_urlsafe())'` makes one"
        )


def check_engine(settings: ServerSettings) -> None:
    """Raises SettingsError where another engine than our own is asked for and can't ever serve the target."""
    if not settings.has_other_engine:
        return
    if not settings.has_target:
        raise SettingsError("an engine needs a target: name one with --target")
    source = settings.engine_source
    if isinstance(source, Launch):
        source.check()
    try:
        described(settings.target)
    except EngineUnavailable as error:
        raise SettingsError(f"the target {settings.target!r}: {error.message}") from error


class DrainingServer(uvicorn.Server):
    """Goes on with what it has begun for `drain_s` seconds once it is told to stop; what isn't done by then, or when
    it is told again, is answered with an error."""

    def __init__(
        self, config: uvicorn.Config, service: Service, drain_s: float, while_serving: AbstractContextManager[None]
    ) -> None:
        super().__init__(config)
        self._service = service
        self._drain_s = drain_s
        self._while_serving = while_serving

    async def main_loop(self) -> None:
        with self._while_serving:
            await super().main_loop()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self.should_exit:
            self._drain_s = 0.0
        super().handle_exit(sig, frame)
        self._service.stop()
        logger.info("told to stop by %s", signal.Signals(sig).name)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._service.stop()
        draining = asyncio.create_task(self._abort_late())
        await super().shutdown(sockets)
        draining.cancel()

    async def _abort_late(self) -> None:
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        while loop.time() - began_s < self._drain_s:
            await asyncio.sleep(0.05)
        if self._service.num_running:
            logger.warning("giving up %d requests", self._service.num_running)
        self._service.abort()
