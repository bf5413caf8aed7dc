"""GET /metrics, for Prometheus."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response
from prometheus_client import CONTENT_TYPE_LATEST

from fastedit.server.routes.common import TheService

router = APIRouter(tags=["health"])


@router.get("/metrics", response_class=Response)
async def metrics(service: TheService) -> Response:
    """Counts and times since the start, in Prometheus' text format."""
    return Response(service.metrics.text(), media_type=CONTENT_TYPE_LATEST)
