"""POST /v1/apply and /v1/apply/batch."""

from __future__ import annotations

from collections.abc import AsyncIterator

from fastapi import APIRouter, Request
from fastapi.responses import Response

from fastedit.errors import EditRefused
from fastedit.server.problems import Problem
from fastedit.server.routes.common import ERRORS, TheService
from fastedit.server.schemas import ApplyRequest, ApplyResponse, Span
from fastedit.server.service import Service, check_sha256
from fastedit.server.streaming import event, event_response, while_connected

router = APIRouter(tags=["apply"], responses=ERRORS)


@router.post("/v1/apply", response_model=ApplyResponse)
async def apply(body: ApplyRequest, request: Request, service: TheService) -> Response:
    """Merge an edit into a file."""
    check_sha256(body.original, body.sha256)
    if body.stream:
        return await event_response(_events(body, service))
    outcome = await while_connected(request, lambda: service.apply(body.job(), body.deadline_s))
    return Response(ApplyResponse.of(outcome).model_dump_json(), media_type="application/json")


async def _events(body: ApplyRequest, service: Service) -> AsyncIterator[bytes]:
    """The spans, then the result; an error in place of what is missing."""
    is_begun = False
    try:
        outcome = await service.apply(body.job(), body.deadline_s)
        for span in outcome.spans:
            is_begun = True
            yield event("span", Span.of(span))
        yield event("result", ApplyResponse.of(outcome))
    except EditRefused as refusal:
        if not is_begun:
            raise
        yield event("error", Problem.of(refusal).json())
