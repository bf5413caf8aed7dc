"""Log lines: one JSON object each, or text for a terminal."""

from __future__ import annotations

import json
import logging
import sys
import time

from fastedit.server.observe import request_id

NAMES = ("fastedit", "uvicorn")


class JsonFormatter(logging.Formatter):
    """`{"time", "level", "logger", "message", "request_id"?, ...fields}`."""

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
