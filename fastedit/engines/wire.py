"""vLLM's HTTP interface as far as a target needs it, with nothing but the standard library.

What it answers is believed only as far as it was checked: every way in which it can fail is an `EngineUnavailable`
with one line, and none of a request's text in it.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import math
import re
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from fastedit.errors import Code, EngineUnavailable

OLDEST_VERSION = (0, 32)  # the first that was tried
NEWEST_VERSION = (0, 33)  # the last
ASKING_S = 10.0  # what an engine may take to answer anything but a completion
SILENT_S = 300.0  # how long a completion may stand still where no deadline is nearer
RETRY_AFTER_S = 5  # an engine that went away may be back by then
MAX_LINE_BYTES = 1 << 22
MAX_BODY_BYTES = 1 << 26
DATA, DONE = b"data:", b"[DONE]"
SAMPLE = re.compile(r"^(vllm:\w+)(?:\{[^}]*\})? (\S+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ServedModel:
    """The model that an engine serves. version: the engine's. max_positions: of prompt and output together."""

    name: str
    version: str
    max_positions: int


@dataclass(frozen=True, slots=True)
class Piece:
    """The tokens of one event of a stream. finish: why it ends (`stop`, `length`), or None. stop: the token that it
    ended at, where the engine names one."""

    tokens: tuple[int, ...] = ()
    finish: str | None = None
    stop: int | None = None
    cost: Cost | None = None


@dataclass(frozen=True, slots=True)
class Cost:
    """Counts of tokens that the engine gives for a completion; None for those that it doesn't give."""

    cached_tokens: int | None = None
    drafted: int | None = None
    accepted: int | None = None


@dataclass(frozen=True, slots=True)
class Server:
    """An engine that listens. url: without a path."""

    url: str
    key: str | None = field(default=None, repr=False)

    def model(self, wanted: str) -> ServedModel:
        """The model that the engine serves. wanted: which, where there are several.

        EngineUnavailable(TARGET_UNAVAILABLE) where it can't be reached, is too old, or serves no such model.
        """
        version = str(self._get("/version").get("version", ""))
        found = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
        if found < OLDEST_VERSION:
            needed = ".".join(map(str, OLDEST_VERSION))
            raise self._unavailable(f"is vLLM {version or 'of no known version'}; {needed} or newer is needed")
        models = [one for one in self._get("/v1/models").get("data", []) if isinstance(one, dict)]
        served = [one for one in models if wanted in (one.get("id"), one.get("root"))] or models
        if len(served) != 1:
            names = ", ".join(str(one.get("id")) for one in models) or "no model"
            raise self._unavailable(f"serves {names}, and none is called {wanted!r}")
        length = served[0].get("max_model_len")
        if not isinstance(length, int) or length < 1:
            raise self._unavailable("doesn't say how long a prompt may be: it isn't vLLM")
        return ServedModel(str(served[0].get("id")), version, length)

    def tokens_of(self, model: str, text: str) -> list[int] | None:
        """The text's tokens as the engine sees them; None where it doesn't tell."""
        asked = {"model": model, "prompt": text, "add_special_tokens": False}
        try:
            tokens = self._json("POST", "/tokenize", asked).get("tokens")
        except EngineUnavailable:
            return None
        return tokens if _are_tokens(tokens) else None

    def is_healthy(self) -> bool:
        """Whether the engine answers, and its model is at work."""
        try:
            self._answer("GET", "/health", None)
        except EngineUnavailable:
            return False
        return True

    def metrics(self) -> dict[str, float]:
        """The engine's counts and gauges by name, summed over its replicas; empty where it has none to tell."""
        try:
            text = self._answer("GET", "/metrics", None).decode("utf-8", errors="replace")
        except EngineUnavailable:
            return {}
        sums: dict[str, float] = {}
        for name, value in SAMPLE.findall(text):
            with contextlib.suppress(ValueError):
                sums[name] = sums.get(name, 0.0) + float(value)
        return sums

    def logprobs(self, model: str, tokens: Sequence[int], left_s: float | None = None) -> list[float]:
        """The logarithm of each token's probability behind those before it; NaN for the first.

        left_s: how long may be waited. EngineUnavailable; ENGINE_ERROR where the answer makes no sense.
        """
        asked = {"model": model, "prompt": list(tokens), "max_tokens": 1, "temperature": 0.0, "prompt_logprobs": 0}
        answer = self._json("POST", "/v1/completions", asked, _limited(left_s))
        choices = answer.get("choices")
        told = choices[0].get("prompt_logprobs") if isinstance(choices, list) and choices else None
        if not isinstance(told, list) or len(told) != len(tokens):
            raise self.garbled("no probabilities of a prompt")
        try:
            found = [float(one[str(token)]["logprob"]) for one, token in zip(told[1:], tokens[1:], strict=True)]
        except (KeyError, TypeError, ValueError) as error:
            raise self.garbled("a token of a prompt without its probability") from error
        return [math.nan, *found]

    def complete(self, asked: Mapping[str, Any]) -> Stream:
        """A completion to come, token by token. asked: the body's fields."""
        options = {"stream": True, "stream_options": {"include_usage": True}, "return_token_ids": True}
        return Stream(self, json.dumps({**asked, **options}).encode())

    def connect(self, timeout_s: float) -> http.client.HTTPConnection:
        parts = urlsplit(self.url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        return kind(parts.hostname or "", parts.port, timeout=timeout_s)

    def send(self, connection: http.client.HTTPConnection, method: str, path: str, body: bytes | None) -> None:
        headers = {"Accept": "application/json, text/event-stream", "Connection": "close"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        connection.request(method, urlsplit(self.url).path.rstrip("/") + path, body, headers)

    def gone(self, error: Exception) -> EngineUnavailable:
        """The error for an engine that can't be reached, or went away amid an answer."""
        reason = "it took too long" if isinstance(error, TimeoutError) else f"{type(error).__name__}"
        return self._unavailable(f"can't be reached ({reason})")

    def refused(self, status: int) -> EngineUnavailable:
        """The error for an answer with another status than 200."""
        if status in (401, 403):
            return self._unavailable("wants another key: FASTEDIT_ENGINE_KEY")
        if status == 429:
            return EngineUnavailable(Code.OVERLOADED, f"The engine at {self.url} has too much to do.")
        if status in (404, 502, 503):
            return self._unavailable(f"isn't ready, or is no vLLM (status {status})")
        return EngineUnavailable(Code.ENGINE_ERROR, f"The engine at {self.url} failed (status {status}).")

    def garbled(self, what: str) -> EngineUnavailable:
        """The error for an answer that isn't as vLLM's."""
        return EngineUnavailable(Code.ENGINE_ERROR, f"The engine at {self.url} gave {what}.")

    def _get(self, path: str) -> dict[str, Any]:
        return self._json("GET", path, None)

    def _json(
        self, method: str, path: str, body: Mapping[str, Any] | None, timeout_s: float = ASKING_S
    ) -> dict[str, Any]:
        answer = self._answer(method, path, None if body is None else json.dumps(body).encode(), timeout_s)
        try:
            data = json.loads(answer)
        except ValueError as error:
            raise self._unavailable(f"isn't vLLM: its {path} is no JSON") from error
        if not isinstance(data, dict):
            raise self._unavailable(f"isn't vLLM: its {path} is no JSON object")
        return data

    def _answer(self, method: str, path: str, body: bytes | None, timeout_s: float = ASKING_S) -> bytes:
        connection = self.connect(timeout_s)
        try:
            self.send(connection, method, path, body)
            answer = connection.getresponse()
            data = answer.read(MAX_BODY_BYTES)
        except (OSError, http.client.HTTPException) as error:
            raise self.gone(error) from error
        finally:
            connection.close()
        if answer.status != 200:
            raise self.refused(answer.status)
        return data

    def _unavailable(self, what: str) -> EngineUnavailable:
        message = f"The engine at {self.url} {what}."
        return EngineUnavailable(Code.TARGET_UNAVAILABLE, message, retry_after_s=RETRY_AFTER_S)


class Stream:
    """The tokens of a completion. `close`, from any thread, ends it: the engine stops working on what nobody reads."""

    def __init__(self, server: Server, body: bytes) -> None:
        self._server = server
        self._body = body
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._is_closed = False

    def pieces(self, left_s: Callable[[], float | None]) -> Iterator[Piece]:
        """The pieces as they come. left_s: tells how long may still be waited, and raises where it is nothing.

        Ends behind the engine's own end mark. EngineUnavailable: TARGET_UNAVAILABLE where the engine goes away,
        ENGINE_ERROR where it fails or gives what makes no sense, TIMEOUT as `left_s` raises it.
        """
        connection = self._server.connect(_limited(left_s()))
        try:
            answer = self._begin(connection)
            if answer.status != 200:
                raise self._server.refused(answer.status)
            while (data := self._next_data(answer, left_s)) != DONE:
                yield self._piece(data)
        except (OSError, http.client.HTTPException, ValueError) as error:
            left_s()  # raises where it is our own time that is up
            raise self._server.gone(error) from error
        finally:
            connection.close()

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            if self._socket is not None:
                with contextlib.suppress(OSError):
                    self._socket.shutdown(socket.SHUT_RDWR)

    def _begin(self, connection: http.client.HTTPConnection) -> http.client.HTTPResponse:
        connection.connect()
        with self._lock:
            self._socket = connection.sock
            if self._is_closed:
                raise ConnectionAbortedError("closed before it began")
        self._server.send(connection, "POST", "/v1/completions", self._body)
        return connection.getresponse()

    def _next_data(self, answer: http.client.HTTPResponse, left_s: Callable[[], float | None]) -> bytes:
        """The next event's data. Blank lines and comments between events are passed over."""
        while True:
            assert self._socket is not None
            self._socket.settimeout(_limited(left_s()))
            line = answer.readline(MAX_LINE_BYTES)
            if not line.endswith(b"\n"):
                raise ConnectionResetError("the stream was cut off")
            if line.startswith(DATA):
                return line[len(DATA) :].strip()

    def _piece(self, data: bytes) -> Piece:
        try:
            event = json.loads(data)
        except ValueError as error:
            raise self._server.garbled("an event that is no JSON") from error
        if not isinstance(event, dict) or "error" in event:
            raise self._server.garbled("an error amid its answer")
        choices = event.get("choices")
        if not isinstance(choices, list) or not all(isinstance(choice, dict) for choice in choices):
            raise self._server.garbled("an event without choices")
        if not choices:
            return Piece(cost=_cost_of(event))
        tokens, finish, stop = (choices[0].get(name) for name in ("token_ids", "finish_reason", "stop_reason"))
        if not _are_tokens(tokens) and not (tokens is None and finish is not None):
            raise self._server.garbled("no token ids: it may be older than vLLM 0.32, or something else")
        return Piece(tuple(tokens or ()), finish, stop if type(stop) is int else None)


def _limited(left_s: float | None) -> float:
    return SILENT_S if left_s is None else min(left_s, SILENT_S)


def _are_tokens(value: Any) -> bool:
    return isinstance(value, list) and all(type(token) is int and token >= 0 for token in value)


def _cost_of(event: Mapping[str, Any]) -> Cost:
    """The cost in a stream's last event: `usage` and, where vLLM was told to count them, each request's drafts."""
    drafts = _part(_part(event, "metrics"), "speculative_decoding")
    cached = _part(_part(event, "usage"), "prompt_tokens_details").get("cached_tokens")
    counts = (cached, drafts.get("num_draft_tokens"), drafts.get("num_accepted_draft_tokens"))
    return Cost(*(count if type(count) is int and count >= 0 else None for count in counts))


def _part(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = data.get(name)
    return part if isinstance(part, dict) else {}
