"""Each request gets an id, is counted, timed and logged: sizes and outcomes, never the texts."""

from __future__ import annotations

import logging
import re
import secrets
import time
from contextvars import ContextVar

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fastedit.server.metrics import Metrics

logger = logging.getLogger("fastedit.server.access")

HEADER = "X-Request-ID"
OTHER_PATH = "other"
_USABLE_ID = re.compile(r"[\w.:-]{1,64}", re.ASCII)

request_id: ContextVar[str] = ContextVar("request_id", default="")


class Observer:
    """Watches over an application. paths: those that are counted under their own names; anybody can make up others."""

    def __init__(self, app: ASGIApp, metrics: Metrics, paths: frozenset[str]) -> None:
        self._app = app
        self._metrics = metrics
        self._paths = paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        number = _id_of(Headers(scope=scope))
        token = request_id.set(number)
        started_s = time.perf_counter()
        answer = _Answer(send, number)
        try:
            await self._app(scope, receive, answer.send)
        finally:
            self._tell(scope, answer, time.perf_counter() - started_s)
            request_id.reset(token)

    def _tell(self, scope: Scope, answer: _Answer, seconds: float) -> None:
        path = scope["path"] if scope["path"] in self._paths else OTHER_PATH
        self._metrics.answered(path, answer.status, seconds)
        fields = {
            "method": scope["method"],
            "path": path,
            "status": answer.status,
            "ms": round(seconds * 1000, 1),
            "bytes_in": Headers(scope=scope).get("content-length"),
            "bytes_out": answer.num_bytes,
        }
        logger.info("%s %s %d", scope["method"], path, answer.status, extra={"fields": fields})


class _Answer:
    """Passes an answer on and remembers its status (499 where there was none) and size."""

    def __init__(self, send: Send, number: str) -> None:
        self._send = send
        self._number = number
        self.status = 499
        self.num_bytes = 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            MutableHeaders(scope=message)[HEADER] = self._number
        elif message["type"] == "http.response.body":
            self.num_bytes += len(message.get("body", b""))
        await self._send(message)


def _id_of(headers: Headers) -> str:
    """The id that the client gave the request, if it can stand in a log, or a new one."""
    given = headers.get(HEADER, "")
    return given if _USABLE_ID.fullmatch(given) else secrets.token_hex(8)
