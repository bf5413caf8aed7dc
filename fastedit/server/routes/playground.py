"""GET /, a page to try edits on, and what it asks for beside the edit itself."""

from __future__ import annotations

from dataclasses import asdict
from importlib.resources import files

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, Field

from fastedit.server.answers import ERRORS, TheService, while_connected
from fastedit.server.schemas import ApplyRequest

router = APIRouter(tags=["playground"])

# Nothing is loaded from elsewhere, and nothing is sent there.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:"
HEADERS = {"Content-Security-Policy": POLICY, "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer"}
PAGE = files("fastedit.server").joinpath("playground.html")


class SegmentBody(BaseModel):
    """Lines [start_line, end_line) of the original, 0-based, become `lines`; kept ones have none."""

    kind: str = Field(description="`keep`, `replace`, `insert` or `delete`.")
    start_line: int
    end_line: int
    lines: list[str]
    certainty: float
    reason: str


class ExplanationBody(BaseModel):
    """The reading of a message."""

    roles: list[str] = Field(description="What each line of the message was taken for.")
    segments: list[SegmentBody] = Field(description="What becomes of the file, in the likeliest or the chosen reading.")
    certainty: float


@router.get("/", include_in_schema=False)
async def playground() -> HTMLResponse:
    """The page."""
    return HTMLResponse(PAGE.read_text("utf-8"), headers=HEADERS)


@router.post("/v1/explain", response_model=ExplanationBody, responses=ERRORS)
async def explain(body: ApplyRequest, request: Request, service: TheService) -> ExplanationBody:
    """Tell how a message is read: what each of its lines was taken for, and how certain each change is."""
    made = await while_connected(request, lambda: service.explain(body.job()))
    return ExplanationBody(
        roles=[role.value for role in made.roles],
        segments=[SegmentBody(**asdict(one)) for one in made.segments],
        certainty=made.certainty,
    )
