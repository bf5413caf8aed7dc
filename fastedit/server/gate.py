"""Limits on who is served: hosts, keys, how often and how many at once, how much is read and how long it is waited for.

Requests are checked by their heads alone, before any of their bodies is read. Host and Origin first: a page in a
browser can be made to call a loopback address, but not to lie about these two. Too many clients are told so by the
application: uvicorn would answer them in plain text, before it has a say; here they get through to it, marked, and are
answered like everybody who asks too much, with our code and when to come back.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from anyio import fail_after, move_on_after
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from fastedit.config import is_loopback
from fastedit.errors import Code, EngineUnavailable
from fastedit.server.answers import OPEN_PATHS, PAGE_PATHS, RequestCode, RequestProblem, problem_response
from fastedit.server.settings import ServerSettings

MAX_CALLERS = 10_000  # buckets kept; those unused for longest are full again by the time they are dropped
BEYOND = "is_beyond_the_limit"  # in a scope's state
WILDCARDS = frozenset({"0.0.0.0", "::", ""})
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
LINGER_BYTES = 1 << 24
LINGER_S = 2.0
Check = Callable[[Scope, Headers], None]  # raises RequestProblem
CLOSE = {"Connection": "close"}  # what is left of the body isn't worth reading


@dataclass(slots=True)
class TokenBucket:
    tokens: float
    filled_s: float


class RateLimiter:
    """Lets each caller have `per_minute` requests, all at once if need be."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._size = per_minute
        self._per_s = per_minute / 60
        self._clock = clock
        self._buckets: OrderedDict[bytes, TokenBucket] = OrderedDict()

    def take(self, caller: bytes) -> float:
        """Takes a token and gives 0.0; or gives the seconds until there is one."""
        now_s = self._clock()
        bucket = self._buckets.setdefault(caller, TokenBucket(self._size, now_s))
        self._buckets.move_to_end(caller)
        if len(self._buckets) > MAX_CALLERS:
            self._buckets.popitem(last=False)
        bucket.tokens = min(self._size, bucket.tokens + (now_s - bucket.filled_s) * self._per_s)
        bucket.filled_s = now_s
        if bucket.tokens < 1:
            return (1 - bucket.tokens) / self._per_s
        bucket.tokens -= 1
        return 0.0


class Limited(H11Protocol):
    """uvicorn's protocol, which takes `limit_concurrency` for a number of connections.

    Those that are there go on being served. Later ones stay open only to be told that there is no room, until there
    is: their requests have `BEYOND` in their state. As many again, and a connection is dropped without a word.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._max_connections, self.limit_concurrency = self.limit_concurrency, None
        self._shared_state = self.app_state
        self._is_beyond = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._is_beyond = self._is_full(1)
        if self._is_full(2):
            transport.abort()

    def data_received(self, data: bytes) -> None:
        self._is_beyond = self._is_beyond and self._is_full(1)
        self.app_state = {**self._shared_state, BEYOND: self._is_beyond}
        super().data_received(data)

    def _is_full(self, times: int) -> bool:
        return self._max_connections is not None and len(self.connections) > times * self._max_connections


def check_room(scope: Scope, _: Headers) -> None:
    """Raises RequestProblem(OVERLOADED) for a request on a connection beyond the limit.

    Who only watches the process is let through.
    """
    if scope.get("state", {}).get(BEYOND) and scope["path"] not in OPEN_PATHS:
        raise RequestProblem.of(EngineUnavailable(Code.OVERLOADED, "Too many clients are connected already."))


class Gate:
    """Lets a request pass that all checks let pass, and answers the others."""

    def __init__(self, app: ASGIApp, checks: Sequence[Check]) -> None:
        self._app = app
        self._checks = checks

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            try:
                headers = Headers(scope=scope)
                for check in self._checks:
                    check(scope, headers)
            except RequestProblem as problem:
                await _discard_body(headers, receive)
                return await problem_response(problem, scope["path"])(scope, receive, send)
        return await self._app(scope, receive, send)


async def _discard_body(headers: Headers, receive: Receive) -> None:
    """Lets a client finish what it is sending, within limits, before it is turned away: a connection that is closed
    amid a body is reset, and the answer may be lost with it."""
    if "expect" in headers:
        return  # it waits for a word before it sends
    num_bytes = 0
    with move_on_after(LINGER_S):
        while num_bytes < LINGER_BYTES:
            message = await receive()
            num_bytes += len(message.get("body", b""))
            if not message.get("more_body", False):
                return


def place_checks(settings: ServerSettings) -> tuple[Check, ...]:
    """Checks of the places that a request says it goes to and comes from: its Host and its Origin."""
    names = frozenset(map(str.lower, (*_own_names(settings.host), *settings.allowed_hosts)))
    is_any_name = settings.host in WILDCARDS and not settings.allowed_hosts
    origins = frozenset(settings.allowed_origins)

    def check_host(_: Scope, headers: Headers) -> None:
        name = host_name(headers.get("host", ""))
        if not name or not (is_any_name or name in names):
            raise RequestProblem(RequestCode.BAD_HOST, "The Host header names another service.")

    def check_origin(scope: Scope, headers: Headers) -> None:
        origin = headers.get("origin")
        if origin is None or origin in origins or origin == f"{scope['scheme']}://{headers.get('host')}":
            return
        raise RequestProblem(RequestCode.FORBIDDEN_ORIGIN, "Pages of this origin may not call the service.")

    return check_host, check_origin


def caller_checks(settings: ServerSettings) -> tuple[Check, ...]:
    """Checks of the caller's key, and of how often a caller asks."""
    digests = tuple(_digest(key) for key in settings.keys)
    limiter = RateLimiter(settings.requests_per_minute) if settings.requests_per_minute else None

    def check_key(scope: Scope, headers: Headers) -> None:
        if not digests or scope["path"] in OPEN_PATHS | PAGE_PATHS:
            return
        given = _digest(bearer_key(headers))
        # Every key is compared, whichever fits: how long it takes tells nothing.
        if not sum(hmac.compare_digest(given, digest) for digest in digests):
            wanted = {"WWW-Authenticate": "Bearer"}
            raise RequestProblem(RequestCode.UNAUTHORIZED, "A valid API key is needed.", headers=wanted)

    def check_rate(scope: Scope, headers: Headers) -> None:
        if limiter is None or scope["path"] in OPEN_PATHS:
            return
        caller = _digest(bearer_key(headers)) if digests else (scope.get("client") or ("",))[0].encode()
        wait_s = limiter.take(caller)
        if wait_s > 0:
            message = f"More than {settings.requests_per_minute} requests a minute."
            raise RequestProblem(RequestCode.RATE_LIMITED, message, headers={"Retry-After": str(max(1, round(wait_s)))})

    return check_key, check_rate


def bearer_key(headers: Headers) -> bytes:
    """The key of the Authorization header; empty where there is none."""
    scheme, _, key = headers.get("authorization", "").partition(" ")
    return key.strip().encode("latin-1") if scheme.lower() == "bearer" else b""


def host_name(host: str) -> str:
    """The name of a Host header without its port, in lower case; "" for what is no host."""
    try:
        return urlsplit(f"//{host}").hostname or "" if host and not set(host) & set("/?#@\\") else ""
    except ValueError:
        return ""


def _own_names(host: str) -> frozenset[str]:
    return LOOPBACK_NAMES | {host} if is_loopback(host) or host in WILDCARDS else frozenset({host})


def _digest(key: bytes) -> bytes:
    return hashlib.sha256(key).digest()


class BodyReader:
    """Hands an application the whole body at once. What is too large is refused by its announced length, or as soon as
    that much has come; what takes too long is refused too."""

    def __init__(self, app: ASGIApp, max_bytes: int, timeout_s: float) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._timeout_s = timeout_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        try:
            body = await self._read(Headers(scope=scope), receive)
        except RequestProblem as problem:
            return await problem_response(problem, scope["path"])(scope, receive, send)
        if body is None:
            return None  # the client has gone
        return await self._app(scope, _replayed(body, receive), send)

    async def _read(self, headers: Headers, receive: Receive) -> bytes | None:
        announced = headers.get("content-length", "")
        if announced.isdecimal() and int(announced[:19]) > self._max_bytes:
            raise self._too_large(announced[:19])
        parts, num_bytes = [], 0
        try:
            with fail_after(self._timeout_s):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return None
                    parts.append(message.get("body", b""))
                    num_bytes += len(parts[-1])
                    if num_bytes > self._max_bytes:
                        raise self._too_large(f"at least {num_bytes}")
                    if not message.get("more_body", False):
                        return b"".join(parts)
        except TimeoutError as error:
            message_text = f"The body didn't come within {self._timeout_s:g} s."
            raise RequestProblem(RequestCode.REQUEST_TIMEOUT, message_text, headers=CLOSE) from error

    def _too_large(self, given: str) -> RequestProblem:
        message = f"The body has {given} bytes; the limit is {self._max_bytes}."
        return RequestProblem(Code.TOO_LARGE, message, headers=CLOSE)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """A `receive` for an application that hasn't seen the body yet."""
    is_given = False

    async def replay() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


class SendTimeout:
    """Ends the answer to a client that doesn't take it."""

    def __init__(self, app: ASGIApp, timeout_s: float) -> None:
        self._app = app
        self._timeout_s = timeout_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, self._limited(send))

    def _limited(self, send: Send) -> Callable[[Message], Awaitable[None]]:
        async def limited(message: Message) -> None:
            try:
                with fail_after(self._timeout_s):
                    await send(message)
            except TimeoutError as error:
                raise ConnectionAbortedError("the client doesn't take its answer") from error

        return limited


def impatient(header_timeout_s: float) -> type[Limited]:
    """A protocol that waits no longer than that for a request's whole head: uvicorn of its own accord waits
    for ever."""

    class Impatient(Limited):
        _waiting: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._watch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_watching()
            super().connection_lost(exc)

        def _watch(self) -> None:
            """Arms the timer while a head is awaited, and only then."""
            cycle: Any = self.cycle
            if cycle is not None and not cycle.response_complete:
                self._stop_watching()
            elif self._waiting is None and not self.transport.is_closing():
                self._waiting = self.loop.call_later(header_timeout_s, self._give_up)

        def _stop_watching(self) -> None:
            if self._waiting is not None:
                self._waiting.cancel()
                self._waiting = None

        def _give_up(self) -> None:
            self._waiting = None
            self.transport.abort()

    return Impatient
