"""A replica: the service, asked by fronts instead of by clients."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from ray import serve
from starlette.types import Message, Scope, Send

from fastedit.server.app import create_app
from fastedit.server.loading import State
from fastedit.server.service import Service
from fastedit.server.settings import load_server_settings

READY_POLL_S = 0.05

Headers = tuple[tuple[bytes, bytes], ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A client's request, as a front passes it on."""

    method: str
    path: str
    query: bytes
    headers: Headers = field(repr=False)
    body: bytes = field(repr=False)
    client: tuple[str, int] | None = None

    @property
    def scope(self) -> Scope:
        return {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": self.method,
            "scheme": "http",
            "path": self.path,
            "raw_path": self.path.encode(),
            "query_string": self.query,
            "root_path": "",
            "headers": list(self.headers),
            "client": self.client,
            "server": None,
        }


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of an answer. replica: the name of the one that gives it."""

    status: int
    headers: Headers
    replica: str


@dataclass(frozen=True, slots=True)
class WholeAnswer:
    """A whole answer."""

    head: Head
    body: bytes = field(repr=False)


class Replica:
    """The service in one of the cluster's processes. settings: as for ServerSettings, before the environment's.

    version: of FastEdit; another one replaces the replicas.
    """

    # Ray Serve waits for it: a replica gets no requests before its workers and its target are there.
    async def __init__(self, settings: dict[str, Any], version: str) -> None:  # type: ignore[misc]
        self._name: str = serve.get_replica_context().replica_id.unique_id
        self._app = create_app(load_server_settings(**settings))
        self._service: Service = self._app.state.service
        await self._service.start()
        while self._service.slot.state is State.LOADING:
            await asyncio.sleep(READY_POLL_S)
        if self._service.slot.state is State.ABSENT:
            raise RuntimeError(self._service.slot.explanation)

    async def answer(self, call: Call) -> WholeAnswer:
        """The whole answer to a call. Cancelling gives it up."""
        heads: list[Head] = []
        pieces: list[bytes] = []

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                heads.append(self._head(message))
            else:
                pieces.append(message.get("body", b""))

        await self._ask(call, send)
        return WholeAnswer(heads[0], b"".join(pieces))

    async def stream(self, call: Call) -> AsyncGenerator[Head | bytes]:
        """The answer's head, then its body piece by piece. Closing the iterator gives the call up."""
        messages: asyncio.Queue[Message | None] = asyncio.Queue()

        async def send(message: Message) -> None:
            messages.put_nowait(message)

        task = asyncio.create_task(self._ask(call, send))
        task.add_done_callback(lambda _: messages.put_nowait(None))
        try:
            while (message := await messages.get()) is not None:
                if message["type"] == "http.response.start":
                    yield self._head(message)
                elif body := message.get("body"):
                    yield body
            await task
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.wait([task])

    async def check_health(self) -> None:
        """Raises where the target is gone for good: Ray Serve then replaces the replica.

        An engine of its own process may come again, and structural edits go on until then.
        """
        if self._service.slot.state is State.ABSENT and not self._service.settings.has_other_engine:
            raise RuntimeError(self._service.slot.explanation)

    async def __del__(self) -> None:  # Ray Serve awaits it, when nothing is under way any more
        await self._service.close()

    async def _ask(self, call: Call, send: Send) -> None:
        body: list[Message] = [{"type": "http.request", "body": call.body, "more_body": False}]

        async def receive() -> Message:
            if not body:
                await asyncio.Event().wait()  # for ever: a client that goes cancels the call
            return body.pop()

        await self._app(call.scope, receive, send)

    def _head(self, message: Message) -> Head:
        headers = tuple((bytes(name), bytes(value)) for name, value in message["headers"])
        return Head(message["status"], headers, self._name)
