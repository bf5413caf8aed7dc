"""Log lines: one JSON object each, or text for a terminal."""

from __future__ import annotations

import hashlib
import json
import logging
import sys
import time

from fastedit.errors import EditRefused
from fastedit.server.jobs import Job, JobOutcome
from fastedit.server.observe import request_id

NAMES = ("fastedit", "uvicorn")
HASH_LENGTH = 12  # hex digits: enough to find a file again, too few to prove anything

edits_logger = logging.getLogger("fastedit.server.edits")


class JsonFormatter(logging.Formatter):
    """Formats records as `{"time", "level", "logger", "message", "request_id"?, ...fields}`."""

    def format(self, record: logging.LogRecord) -> str:
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line = {
            "time": f"{moment}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if request_id.get():
            line["request_id"] = request_id.get()
        line |= getattr(record, "fields", {})
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=True, default=str)


class TextFormatter(logging.Formatter):
    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(message)s", "%H:%M:%S")

    def format(self, record: logging.LogRecord) -> str:
        fields = getattr(record, "fields", {})
        told = " ".join(f"{name}={value}" for name, value in fields.items() if name not in ("method", "path", "status"))
        number = f"[{request_id.get()}]" if request_id.get() else ""
        return " ".join(part for part in (super().format(record), told, number) if part)


def set_up_logs(level: str, format: str) -> None:
    """Sends what the service and uvicorn log to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if format == "json" else TextFormatter())
    for name in NAMES:
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(level.upper())
        logger.propagate = False
    logging.getLogger("uvicorn.access").disabled = True  # `observe` tells more


def log_edit(job: Job, result: JobOutcome | EditRefused, seconds: float, *, with_source: bool) -> None:
    """Logs a line about an edit: how large, of which kind, what came of it. with_source: its texts too."""
    if not edits_logger.isEnabledFor(logging.INFO):
        return
    fields: dict[str, object] = {
        "mode": job.mode,
        "lines": job.original.count("\n"),
        "edit_chars": len(job.edit),
        "original_sha256": hashlib.sha256(job.original.encode()).hexdigest()[:HASH_LENGTH],
        "ms": round(seconds * 1000, 1),
    }
    if isinstance(result, EditRefused):
        fields["code"] = result.code.value
    else:
        stats = result.stats
        fields |= {"strategy": result.strategy, "warnings": [warning.code for warning in result.warnings]}
        fields |= {"passes": stats.passes, "drafted": stats.drafted, "accepted": stats.accepted}
    if with_source:
        fields |= {"original": job.original, "edit": job.edit}
    edits_logger.info("refused" if isinstance(result, EditRefused) else "applied", extra={"fields": fields})
