"""POST /v1/chat/completions and GET /v1/models, as OpenAI's clients call them, as far as merging edits goes."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import AsyncGenerator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from fastedit.applied import Stats
from fastedit.edits.tags import is_tagged, read_tagged
from fastedit.server.answers import (
    ERRORS,
    RequestCode,
    RequestProblem,
    TheService,
    event,
    event_response,
    openai_body,
    pieces_of,
    streamed,
    while_connected,
)
from fastedit.server.jobs import Job, SamplingOptions
from fastedit.server.schemas import EDIT, ORIGINAL, Text
from fastedit.server.service import Service

MODES = {"fastedit": "auto", "fastedit-structural": "structural", "fastedit-model": "model"}
DEFAULT = "fastedit"
# What OpenAI's clients may ask for besides, and the values that ask for nothing. Other parameters are ignored, `stop`
# and `max_tokens` among them: a file isn't cut.
NEUTRAL: dict[str, tuple[Any, ...]] = {
    "n": (1,),
    "tools": ([],),
    "tool_choice": ("none", "auto"),
    "functions": ([],),
    "function_call": ("none", "auto"),
    "logprobs": (False,),
    "top_logprobs": (0,),
    "logit_bias": ({},),
    "presence_penalty": (0,),
    "frequency_penalty": (0,),
    "response_format": ({"type": "text"},),
    "modalities": (["text"],),
    "audio": (),
}
MODELS_CREATED = 1_760_000_000  # clients want a time; the names are as old as the service
DONE = event(None, "[DONE]")

EVENTS = streamed("Chat completion chunks, then `[DONE]`.")

router = APIRouter(tags=["compatible"], responses=ERRORS)


def mode_of(model: str | None) -> str:
    """The mode that a model's name asks for. Clients bring other services' names along: those get what `auto` does."""
    return MODES[known_model(model)]


def known_model(model: str | None) -> str:
    """The model's name where it is one of ours, else the default one."""
    return model if model in MODES else DEFAULT


class Loose(BaseModel):
    model_config = ConfigDict(extra="allow", hide_input_in_errors=True)


class ContentPart(Loose):
    type: str
    text: Text | None = None


class ChatMessage(Loose):
    role: str
    content: Text | list[ContentPart] | None = None


class Prediction(Loose):
    type: Literal["content"]
    content: Text | list[ContentPart]


class StreamOptions(Loose):
    include_usage: bool = False


class ChatRequest(Loose):
    """The last user message has `<instruction>` (optional), `<code>` and `<update>`; or it is the edit, and
    `prediction` the original."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "model": "fastedit",
                    "messages": [
                        {"role": "user", "content": f"<code>{ORIGINAL}</code>\n<update>{EDIT}</update>"},
                    ],
                }
            ]
        }
    )

    messages: Annotated[list[ChatMessage], Field(min_length=1, max_length=1024)]
    model: Text = DEFAULT
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    prediction: Prediction | None = None
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] | None = None
    seed: int | None = None

    def job(self) -> Job:
        """The job that is asked for.

        Raises RequestProblem for what isn't done here, EditUnreadable for tags that can't be told apart.
        """
        self._check_supported()
        said = self._edit_message()
        mode, sampling = mode_of(self.model), self._sampling()
        if self.prediction is None or is_tagged(said):
            tagged = read_tagged(said)
            return Job(tagged.original, tagged.edit, instruction=tagged.instruction, mode=mode, sampling=sampling)
        original = text_of(self.prediction.content, "prediction.content")
        return Job(original, said, mode=mode, sampling=sampling)

    def _check_supported(self) -> None:
        asked = self.model_extra or {}
        for name, neutral in NEUTRAL.items():
            if asked.get(name) is not None and asked[name] not in neutral:
                message = f"{name} isn't supported here with this value."
                raise RequestProblem(RequestCode.UNSUPPORTED, message, param=name)

    def _edit_message(self) -> str:
        said = [message.content for message in self.messages if message.role == "user" and message.content is not None]
        if not said:
            raise RequestProblem(RequestCode.BAD_REQUEST, "There is no user message.", param="messages")
        return text_of(said[-1], "messages")

    def _sampling(self) -> SamplingOptions | None:
        """The sampling asked for; None without a temperature: greedy, whatever `seed` and `top_p` say."""
        if self.temperature is None:
            return None
        return SamplingOptions(self.temperature, self.top_p or 1.0, seed=(self.seed or 0) % 2**63)


def text_of(content: str | list[ContentPart], param: str) -> str:
    """The text of a message that may come in parts. RequestProblem for parts that aren't text."""
    if isinstance(content, str):
        return content
    if any(part.type != "text" or part.text is None for part in content):
        raise RequestProblem(RequestCode.UNSUPPORTED, "Only parts of type text are supported.", param=param)
    return "".join(part.text or "" for part in content)


class PromptDetails(BaseModel):
    cached_tokens: int


class PredictionDetails(BaseModel):
    accepted_prediction_tokens: int
    rejected_prediction_tokens: int


class ChatUsage(BaseModel):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    prompt_tokens_details: PromptDetails
    completion_tokens_details: PredictionDetails

    @classmethod
    def of(cls, stats: Stats) -> ChatUsage:
        return cls(
            prompt_tokens=stats.prompt_tokens,
            completion_tokens=stats.completion_tokens,
            total_tokens=stats.prompt_tokens + stats.completion_tokens,
            prompt_tokens_details=PromptDetails(cached_tokens=stats.cached_tokens),
            completion_tokens_details=PredictionDetails(
                accepted_prediction_tokens=stats.accepted, rejected_prediction_tokens=stats.drafted - stats.accepted
            ),
        )


class AssistantMessage(BaseModel):
    role: Literal["assistant"] = "assistant"
    content: str
    refusal: None = None


class ChatChoice(BaseModel):
    index: int = 0
    message: AssistantMessage
    logprobs: None = None
    finish_reason: Literal["stop"] = "stop"


class ChatResponse(BaseModel):
    """The merged file is the content of the one message."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[ChatChoice]
    usage: ChatUsage


class Delta(BaseModel):
    role: Literal["assistant"] | None = None
    content: str | None = None


class ChunkChoice(BaseModel):
    index: int = 0
    delta: Delta
    logprobs: None = None
    finish_reason: Literal["stop"] | None = None


class ChatChunk(BaseModel):
    id: str
    object: Literal["chat.completion.chunk"] = "chat.completion.chunk"
    created: int
    model: str
    choices: list[ChunkChoice]
    usage: ChatUsage | None = None

    def json_without_gaps(self) -> str:
        """The chunk as JSON without what it says nothing of; clients expect `finish_reason` all the same."""
        data = self.model_dump(exclude_none=True)
        for choice in data["choices"]:
            choice.setdefault("finish_reason", None)
        return json.dumps(data)


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
