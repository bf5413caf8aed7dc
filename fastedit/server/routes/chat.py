"""POST /v1/chat/completions and GET /v1/models, as OpenAI's clients call them."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncGenerator
from typing import Literal

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel

from fastedit.server.answers import (
    RequestCode,
    RequestProblem,
    event,
    event_response,
    openai_body,
    pieces_of,
    while_connected,
)
from fastedit.server.chat import (
    MODES,
    AssistantMessage,
    ChatChoice,
    ChatChunk,
    ChatRequest,
    ChatResponse,
    ChatUsage,
    ChunkChoice,
    Delta,
    known_model,
)
from fastedit.server.jobs import Job
from fastedit.server.routes.common import ERRORS, TheService, streamed
from fastedit.server.service import Service

MODELS_CREATED = 1_760_000_000  # clients want a time; the names are as old as the service
DONE = event(None, "[DONE]")

EVENTS = streamed("Chat completion chunks, then `[DONE]`.")

router = APIRouter(tags=["compatible"], responses=ERRORS)


class ModelBody(BaseModel):
    id: str
    object: Literal["model"] = "model"
    created: int = MODELS_CREATED
    owned_by: str = "fastedit"


class Models(BaseModel):
    object: Literal["list"] = "list"
    data: list[ModelBody]


@router.get("/v1/models")
async def models() -> Models:
    """The names that `model` can have; any other means `fastedit`."""
    return Models(data=[ModelBody(id=name) for name in MODES])


@router.get("/v1/models/{name:path}")
async def model(name: str) -> ModelBody:
    if name not in MODES:
        raise RequestProblem(RequestCode.NOT_FOUND, "There is no such model.", param="model")
    return ModelBody(id=name)


@router.post("/v1/chat/completions", response_model=ChatResponse, responses=EVENTS)
async def chat(body: ChatRequest, request: Request, service: TheService) -> Response:
    """Merge an edit into a file: both are in the last user message, or the file is the `prediction`."""
    job = body.job()
    answer = _Answer(body)
    if body.stream:
        return await event_response(request, answer.events(service, job), _error_event)
    outcome = await while_connected(request, lambda: service.apply(job))
    response = ChatResponse(
        id=answer.id,
        created=answer.created,
        model=answer.model,
        choices=[ChatChoice(message=AssistantMessage(content=outcome.text))],
        usage=ChatUsage.of(outcome.stats),
    )
    return Response(response.model_dump_json(), media_type="application/json")


class _Answer:
    """The fields that all chunks of an answer share, and the chunks themselves."""

    def __init__(self, body: ChatRequest) -> None:
        self.id = f"chatcmpl-{secrets.token_hex(12)}"
        self.created = int(time.time())
        self.model = known_model(body.model)
        self._has_usage = body.stream_options is not None and body.stream_options.include_usage

    async def events(self, service: Service, job: Job) -> AsyncGenerator[bytes]:
        is_begun = False
        async for part in service.stream(job):
            pieces = [part] if isinstance(part, str) else pieces_of("" if is_begun else part.text)
            if not is_begun:
                is_begun = True
                yield self._chunk(Delta(role="assistant", content=""))
            for piece in filter(None, pieces):
                yield self._chunk(Delta(content=piece))
            if not isinstance(part, str):
                yield self._chunk(Delta(), finish_reason="stop")
                if self._has_usage:
                    yield self._event([], ChatUsage.of(part.stats))
                yield DONE

    def _chunk(self, delta: Delta, finish_reason: Literal["stop"] | None = None) -> bytes:
        return self._event([ChunkChoice(delta=delta, finish_reason=finish_reason)])

    def _event(self, choices: list[ChunkChoice], usage: ChatUsage | None = None) -> bytes:
        chunk = ChatChunk(id=self.id, created=self.created, model=self.model, choices=choices, usage=usage)
        return event(None, chunk.json_without_gaps())


def _error_event(problem: RequestProblem) -> bytes:
    return event(None, openai_body(problem))
