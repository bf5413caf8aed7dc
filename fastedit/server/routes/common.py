"""The service, errors and event streams as all routes declare them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Request

from fastedit.errors import STATUSES
from fastedit.server.answers import REQUEST_STATUSES
from fastedit.server.schemas import ErrorResponse
from fastedit.server.service import Service


async def service_of(request: Request) -> Service:
    """The application's service. A plain function would be run in a thread, which takes longer than all of this."""
    service: Service = request.app.state.service
    return service


TheService = Annotated[Service, Depends(service_of)]


def _error_responses() -> dict[int | str, dict[str, Any]]:
    """Every status that an error can have, with the codes that have it, for the OpenAPI description."""
    codes: dict[int, list[str]] = {}
    for code, status in STATUSES.items():
        codes.setdefault(status.http, []).append(code.value)
    for request_code, number in REQUEST_STATUSES.items():
        codes.setdefault(number, []).append(request_code.value)
    return {
        number: {"model": ErrorResponse, "description": ", ".join(names)} for number, names in sorted(codes.items())
    }


ERRORS = _error_responses()


def streamed(events: str) -> dict[int | str, dict[str, Any]]:
    """The entry of the OpenAPI description that says that with `stream` the answer is server-sent events."""
    fields = {"event": {"type": "string"}, "data": {"type": "string", "description": "JSON"}}
    schema = {"type": "object", "properties": fields, "required": ["data"], "description": events}
    content = {"text/event-stream": {"schema": schema}}
    return {200: {"description": "The new file, whole or as it comes.", "content": content}}
