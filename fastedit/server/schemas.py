"""The native shapes on the wire: what `POST /v1/apply` takes and gives."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from fastedit.apply import choice_of
from fastedit.edits.message import NamedFile
from fastedit.errors import Warning as EditWarning
from fastedit.server.jobs import Job, JobOutcome, SamplingOptions
from fastedit.server.spans import FileSpan

ORIGINAL = "def area(width, height):\n    return width * height\n\n\ndef name():\n    return 'shape'\n"
FILES = "shapes.py\n```python\nNAMES = []\n# ... existing code ...\n```\n\ndepth.py\n```python\ndepth = 1\n```\n"
EDIT = "def area(width, height, depth=1):\n    return width * height * depth\n\n# ... existing code ...\n"


def _encodable(text: str) -> str:
    """The text, unless it holds half a character (a lone surrogate), which no file could hold."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"has half a character (a lone surrogate) at {error.start}") from None
    return text


Text = Annotated[str, AfterValidator(_encodable)]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)


class SamplingBody(Strict):
    """The way the target chooses. temperature 0 is greedy; top_k 0 is all tokens; the same seed gives the same text."""

    temperature: Annotated[float, Field(ge=0, le=10, allow_inf_nan=False)] = 0.0
    top_p: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = 1.0
    top_k: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] = 0

    def options(self) -> SamplingOptions:
        return SamplingOptions(self.temperature, self.top_p, self.top_k, self.seed)


class ApplyRequest(Strict):
    """An edit and the file it is for."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"original": ORIGINAL, "edit": EDIT, "path": "shapes.py"}]}
    )

    original: Text = Field(description="The whole file as it is.")
    edit: Text = Field(description="The edit: bare, or an assistant's whole message.")
    path: Text | None = Field(None, max_length=4096, description="The file's name: a hint, never opened.")
    language: Text | None = Field(None, max_length=64, description="The language, where no path tells it.")
    instruction: Text | None = Field(None, max_length=65_536, description="What the edit is to do, in words.")
    format: Literal["auto", "lazy", "udiff", "search_replace", "v4a", "whole"] = "auto"
    mode: Literal["auto", "structural", "model"] = "auto"
    scope: Literal["auto", "windows", "file"] = "auto"
    sha256: Annotated[str, Field(pattern="^[0-9a-fA-F]{64}$")] | None = Field(
        None, description="Of the original's UTF-8 bytes; anything else than what `original` has is a conflict."
    )
    stream: bool = Field(False, description="Answer with server-sent events.")
    certainty: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = Field(
        None, description="How likely the reading of a lazy edit has to be to be applied; 0.7 by default."
    )
    choose: Annotated[int, Field(ge=1, le=1_000_000)] | None = Field(
        None, description="The reading of a lazy edit to take: the `choice` of one of a refusal's candidates."
    )
    sampling: SamplingBody | None = Field(None, description="How the target chooses; greedy by default.")
    deadline_s: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(
        None, description="Seconds after which the request is given up; the service has a limit of its own."
    )

    def job(self) -> Job:
        return Job(
            original=self.original,
            edit=self.edit,
            path=self.path,
            language=self.language,
            instruction=self.instruction,
            format=self.format,
            mode=self.mode,
            scope=self.scope,
            sampling=self.sampling.options() if self.sampling else None,
            with_spans=self.stream,
            choice=choice_of(self.certainty, self.choose),
        )


class FilesRequest(Strict):
    """A message that may be about several files."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"edit": FILES}]})

    edit: Text = Field(description="The edit: bare, or an assistant's whole message.")
    format: Literal["auto", "lazy", "udiff", "search_replace", "v4a", "whole"] = "auto"


class NamedFileBody(BaseModel):
    """A file as the message names it."""

    path: str | None = Field(
        description="Never resolved: it may lead anywhere. Null for whichever file the message is applied to."
    )
    action: Literal["update", "create", "delete"]
    new_path: str | None = Field(description="Where the file moves to.")
    can_create: bool = Field(description="Whether the file may be a new one: the message says all of it.")

    @classmethod
    def of(cls, file: NamedFile) -> NamedFileBody:
        return cls(path=file.path, action=file.action.value, new_path=file.new_path, can_create=file.can_create)


class FilesResponse(BaseModel):
    """The files that a message is about."""

    files: list[NamedFileBody] = Field(description="Each once, in the message's order.")


class ChangesBody(BaseModel):
    """Counts of lines. modified: lines that stand for another one; added, removed: those that don't."""

    added: int
    removed: int
    modified: int


class WarningBody(BaseModel):
    """A remark that a caller should look at. line: 0-based line of the new file, or null."""

    code: str
    message: str
    line: int | None

    @classmethod
    def of(cls, warning: EditWarning) -> WarningBody:
        return cls(code=warning.code, message=warning.message, line=warning.line)


class Usage(BaseModel):
    """Tokens of the target; all 0 where none took part."""

    prompt_tokens: int
    completion_tokens: int
    accepted_prediction_tokens: int
    rejected_prediction_tokens: int


class StatsBody(BaseModel):
    """Figures on how the result came about; times in milliseconds."""

    passes: int
    drafted: int
    accepted: int
    divergences: int
    reanchors: int
    cached_tokens: int = Field(description="Of `prompt_tokens`, those taken from an earlier request, not computed.")
    readings_judged: int = Field(description="How many close readings of lazy edits a target had to choose between.")
    prefill_ms: float
    decode_ms: float
    total_ms: float
    certainty: float


class ApplyResponse(BaseModel):
    """The new file."""

    text: str = Field(description="The whole new file.")
    diff: str = Field(description="A unified diff from the original; empty where nothing changed.")
    changes: ChangesBody
    strategy: str = Field(
        description="`structural`, `verified` (99 % certain by a target's word) or `model` (its own text)."
    )
    warnings: list[WarningBody]
    usage: Usage
    stats: StatsBody

    @classmethod
    def of(cls, outcome: JobOutcome) -> ApplyResponse:
        stats = outcome.stats
        return cls(
            text=outcome.text,
            diff=outcome.diff,
            changes=ChangesBody(
                added=outcome.changes.added, removed=outcome.changes.removed, modified=outcome.changes.modified
            ),
            strategy=outcome.strategy,
            warnings=[WarningBody.of(warning) for warning in outcome.warnings],
            usage=Usage(
                prompt_tokens=stats.prompt_tokens,
                completion_tokens=stats.completion_tokens,
                accepted_prediction_tokens=stats.accepted,
                rejected_prediction_tokens=stats.drafted - stats.accepted,
            ),
            stats=StatsBody(**{name: getattr(stats, name) for name in StatsBody.model_fields}),
        )


class SpanBody(BaseModel):
    """Lines [start_line, end_line) of the original, 0-based, are `text` in the new file; is_kept: they are already."""

    start_line: int
    end_line: int
    text: str
    is_kept: bool

    @classmethod
    def of(cls, span: FileSpan) -> SpanBody:
        return cls(start_line=span.start_line, end_line=span.end_line, text=span.text, is_kept=span.is_kept)


class CandidateBody(BaseModel):
    """A place that may have been meant: lines [start_line, end_line), 0-based.

    choice: the number of the reading of a lazy edit that means it, for `choose`; 0 where there is none.
    """

    start_line: int
    end_line: int
    reason: str
    path: str
    choice: int


class ErrorBody(BaseModel):
    code: str
    message: str
    candidates: list[CandidateBody]
    certainty: float | None = Field(
        None, description="How likely the first of the readings is right, where the edit was refused for that."
    )


class ErrorResponse(BaseModel):
    """The reason why nothing was done."""

    error: ErrorBody


class BatchRequest(Strict):
    """Several edits, each of a file of its own; they don't see each other's results."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"requests": [{"original": ORIGINAL, "edit": EDIT, "path": "shapes.py"}]}]}
    )

    requests: Annotated[list[ApplyRequest], Field(min_length=1)]


class BatchItem(BaseModel):
    """The outcome of one: the result (status 200), or the error with the status that it would have had alone."""

    status: int
    result: ApplyResponse | None = None
    error: ErrorBody | None = None


class BatchResponse(BaseModel):
    """One item for each request, in their order."""

    results: list[BatchItem]
