"""POST /v1/apply and /v1/apply/batch."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator

from anyio import CapacityLimiter, create_task_group
from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel

from fastedit.decode.request import Group, GroupPlace
from fastedit.errors import Code, EditRefused, InputRefused
from fastedit.server.answers import (
    ERRORS,
    RequestCode,
    RequestProblem,
    TheService,
    event,
    event_response,
    problem_of,
    streamed,
    while_connected,
)
from fastedit.server.schemas import (
    ApplyRequest,
    ApplyResponse,
    BatchItem,
    BatchRequest,
    BatchResponse,
    ErrorBody,
    FilesRequest,
    FilesResponse,
    NamedFileBody,
    SpanBody,
)
from fastedit.server.service import Service
from fastedit.server.spans import SpanWriter

EVENTS = streamed("Events named `span`, then one named `result` or `error`; see ApplyResponse, Span, ErrorResponse.")

router = APIRouter(tags=["apply"], responses=ERRORS)


@router.post("/v1/apply", response_model=ApplyResponse, responses=EVENTS)
async def apply(body: ApplyRequest, request: Request, service: TheService) -> Response:
    """Merge an edit into a file."""
    _check_sha256(body.original, body.sha256)
    if body.stream:
        return await event_response(request, _events(body, service), _error_event)
    outcome = await while_connected(request, lambda: service.apply(body.job(), body.deadline_s))
    return _json(ApplyResponse.of(outcome))


@router.post("/v1/apply/batch", response_model=BatchResponse)
async def apply_batch(body: BatchRequest, request: Request, service: TheService) -> Response:
    """Merge several edits, each into a file of its own. One that fails keeps none of the others from being done."""
    limit = service.settings.max_batch
    if len(body.requests) > limit:
        raise RequestProblem(Code.TOO_LARGE, f"The batch has {len(body.requests)} requests; the limit is {limit}.")
    if any(one.stream for one in body.requests):
        raise RequestProblem(RequestCode.INVALID_REQUEST, "A batch isn't streamed.", param="requests")
    items = await while_connected(request, lambda: _all(body.requests, service))
    return _json(BatchResponse(results=items))


@router.post("/v1/files", response_model=FilesResponse)
async def files(body: FilesRequest, request: Request, service: TheService) -> Response:
    """Tell which files a message is about."""
    named = await while_connected(request, lambda: service.files(body.edit, body.format))
    return _json(FilesResponse(files=[NamedFileBody.of(file) for file in named]))


async def _all(requests: list[ApplyRequest], service: Service) -> list[BatchItem]:
    items: dict[int, BatchItem] = {}
    # No more at once than the target can work on: the queue is for others too.
    num_at_once = service.settings.model_requests
    limiter, together = CapacityLimiter(num_at_once), Group(min(num_at_once, len(requests)))

    async def run(index: int) -> None:
        async with limiter:
            with together.place() as place:
                items[index] = await _item(requests[index], service, place)

    async with create_task_group() as group:
        for index in range(len(requests)):
            group.start_soon(run, index)
    return [items[index] for index in range(len(requests))]


async def _item(body: ApplyRequest, service: Service, place: GroupPlace) -> BatchItem:
    try:
        _check_sha256(body.original, body.sha256)
        outcome = await service.apply(body.job(), body.deadline_s, place=place)
    except EditRefused as refusal:
        problem = problem_of(refusal)
        return BatchItem(status=problem.status, error=ErrorBody.model_validate(problem.body["error"]))
    return BatchItem(status=200, result=ApplyResponse.of(outcome))


async def _events(body: ApplyRequest, service: Service) -> AsyncGenerator[bytes]:
    """The spans as they become certain, then the result."""
    writer = SpanWriter(body.original)
    async for part in service.stream(body.job(), body.deadline_s):
        # A target's text comes in pieces; what was made without one brings its spans along.
        for span in writer.feed(part) if isinstance(part, str) else part.spans or writer.finish():
            yield event("span", SpanBody.of(span))
        if not isinstance(part, str):
            yield event("result", ApplyResponse.of(part))


def _check_sha256(original: str, sha256: str | None) -> None:
    """Raises InputRefused(CONTENT_CONFLICT) where the original isn't what the client took it for."""
    if sha256 is not None and hashlib.sha256(original.encode()).hexdigest() != sha256.lower():
        raise InputRefused(Code.CONTENT_CONFLICT, "The original isn't what sha256 says.")


def _error_event(problem: RequestProblem) -> bytes:
    return event("error", problem.json())


def _json(body: BaseModel) -> Response:
    return Response(body.model_dump_json(), media_type="application/json")
