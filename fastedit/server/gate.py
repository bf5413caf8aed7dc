"""Checks requests by their heads alone, before any of their bodies is read.

Host and Origin first: a page in a browser can be made to call a loopback address, but not to lie about these two.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

from anyio import move_on_after
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from fastedit.config import is_loopback
from fastedit.server.problems import OPEN_PATHS, PAGE_PATHS, RequestCode, RequestProblem, problem_response
from fastedit.server.rates import RateLimiter
from fastedit.server.settings import ServerSettings

WILDCARDS = frozenset({"0.0.0.0", "::", ""})
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})

LINGER_BYTES = 1 << 24
LINGER_S = 2.0

Check = Callable[[Scope, Headers], None]  # raises Problem


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
