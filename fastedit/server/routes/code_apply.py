"""POST /v1/code/apply, as Relace's and Morph's clients call it."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from fastedit.server.answers import (
    ERRORS,
    RequestProblem,
    TheService,
    event,
    event_response,
    pieces_of,
    streamed,
    while_connected,
)
from fastedit.server.jobs import Job, JobOutcome
from fastedit.server.routes.chat import mode_of
from fastedit.server.schemas import EDIT, ORIGINAL, Text
from fastedit.server.service import Service

EVENTS = streamed("Events with a `delta` each, then one with the whole answer.")

router = APIRouter(tags=["compatible"], responses=ERRORS)


class CodeApplyRequest(BaseModel):
    """In snake or in camel case; keys that mean nothing here are ignored."""

    model_config = ConfigDict(
        hide_input_in_errors=True,
        json_schema_extra={"examples": [{"initial_code": ORIGINAL, "edit_snippet": EDIT, "stream": False}]},
    )

    initial_code: Text = Field(validation_alias=AliasChoices("initial_code", "initialCode", "original_code"))
    edit_snippet: Text = Field(validation_alias=AliasChoices("edit_snippet", "editSnippet", "update_snippet"))
    instruction: Text | None = Field(None, validation_alias=AliasChoices("instruction", "instructions"))
    model: Text | None = None
    stream: bool = False

    def job(self) -> Job:
        return Job(self.initial_code, self.edit_snippet, instruction=self.instruction, mode=mode_of(self.model))


class CodeUsage(BaseModel):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int

    @classmethod
    def of(cls, outcome: JobOutcome) -> CodeUsage:
        stats = outcome.stats
        total = stats.prompt_tokens + stats.completion_tokens
        return cls(prompt_tokens=stats.prompt_tokens, completion_tokens=stats.completion_tokens, total_tokens=total)


class CodeApplyResponse(BaseModel):
    mergedCode: str  # noqa: N815 the name on the wire
    usage: CodeUsage


class CodeDelta(BaseModel):
    delta: str


@router.post("/v1/code/apply", response_model=CodeApplyResponse, responses=EVENTS)
async def code_apply(body: CodeApplyRequest, request: Request, service: TheService) -> Response:
    """Merge an edit into a file. Streamed, each event has a `delta` of the merged code, the last one all of it."""
    if body.stream:
        return await event_response(request, _events(body, service), _error_event)
    outcome = await while_connected(request, lambda: service.apply(body.job()))
    return Response(_response(outcome).model_dump_json(), media_type="application/json")


async def _events(body: CodeApplyRequest, service: Service) -> AsyncGenerator[bytes]:
    is_begun = False
    async for part in service.stream(body.job()):
        for piece in [part] if isinstance(part, str) else pieces_of("" if is_begun else part.text):
            is_begun = True
            yield event(None, CodeDelta(delta=piece))
        if not isinstance(part, str):
            yield event(None, _response(part))


def _error_event(problem: RequestProblem) -> bytes:
    return event(None, problem.json())


def _response(outcome: JobOutcome) -> CodeApplyResponse:
    return CodeApplyResponse(mergedCode=outcome.text, usage=CodeUsage.of(outcome))
