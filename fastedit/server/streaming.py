"""Answers as server-sent events, and work that ends when its client has gone."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing
from typing import TypeVar

from anyio import create_task_group
from fastapi import Request
from fastapi.responses import StreamingResponse
from fastapi.sse import format_sse_event
from pydantic import BaseModel

from fastedit.errors import EditRefused
from fastedit.server.problems import RequestProblem

T = TypeVar("T")
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
PIECE_CHARACTERS = 200  # a piece of a text that is there as a whole has so many at least ...
MOST_PIECES = 64  # ... and a large file is cut into so many at most: each has a head of its own to be read


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
