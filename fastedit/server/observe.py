"""Tells of requests: ids, counts and times for Prometheus, and log lines; sizes and outcomes, never the texts."""

from __future__ import annotations

import hashlib
import json
import logging
import re
import secrets
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from functools import partial
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fastedit.errors import EditRefused
from fastedit.server.jobs import Job, JobOutcome
from fastedit.server.loading import State, TargetSlot

if TYPE_CHECKING:
    from fastedit.server.service import Lane

SECONDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
SHARES = (0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0)
DRAFT_TOKENS = ("drafted_tokens", "accepted_tokens")  # stats call them `drafted` and `accepted`
TOKENS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
# Those of vLLM's figures that tell how drafts and requests fare: (its name, ours behind "fastedit_engine_", words).
ENGINE_COUNTERS = (
    ("vllm:spec_decode_num_drafts_total", "drafts", "Drafts that the engine verified."),
    ("vllm:spec_decode_num_draft_tokens_total", "draft_tokens", "Their tokens."),
    ("vllm:spec_decode_num_accepted_tokens_total", "accepted_tokens", "Those of them that the target agreed with."),
    ("vllm:num_preemptions_total", "preemptions", "Requests that the engine put back for lack of memory."),
)
ENGINE_GAUGES = (
    ("vllm:num_requests_running", "requests_running", "Requests that the engine is working on."),
    ("vllm:num_requests_waiting", "requests_waiting", "Requests that wait at the engine."),
    ("vllm:kv_cache_usage_perc", "cache_usage", "Share of the engine's cache that is in use."),
)
logger = logging.getLogger("fastedit.server.access")
HEADER = "X-Request-ID"
OTHER_PATH = "other"
_USABLE_ID = re.compile(r"[\w.:-]{1,64}", re.ASCII)
request_id: ContextVar[str] = ContextVar("request_id", default="")
NAMES = ("fastedit", "uvicorn")
HASH_LENGTH = 12  # hex digits: enough to find a file again, too few to prove anything
edits_logger = logging.getLogger("fastedit.server.edits")


class Metrics:
    """The counts of one service."""

    def __init__(self, lanes: Iterable[Lane], slot: TargetSlot) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self.registry.register(_Now(tuple(lanes), slot))
        counter = partial(Counter, registry=self.registry)
        histogram = partial(Histogram, registry=self.registry)
        self._requests = counter("fastedit_http_requests", "Answers.", ["path", "status"])
        self._http_s = histogram(
            "fastedit_http_request_seconds", "From a request's head to its end.", ["path"], buckets=SECONDS
        )
        self._applied = counter("fastedit_applied", "Edits applied.", ["strategy"])
        self._refused = counter("fastedit_refused", "Edits refused.", ["code"])
        self._cancelled = counter("fastedit_cancelled", "Edits given up because the client had gone.", ["mode"])
        self._warnings = counter("fastedit_warnings", "Warnings given.", ["code"])
        self._apply_s = histogram("fastedit_apply_seconds", "Waiting and work.", ["strategy"], buckets=SECONDS)
        self._totals = {
            name: counter(f"fastedit_{name}", words)
            for name, words in (
                ("passes", "Forward passes of the target that requests took part in."),
                ("drafted_tokens", "Draft tokens fed to the target."),
                ("accepted_tokens", "Draft tokens that the target agreed with."),
                ("divergences", "Passes in which the target refused a draft token."),
                ("reanchors", "Places in a draft found again after a divergence."),
                ("prompt_tokens", "Tokens of prompts."),
                ("cached_tokens", "Tokens of prompts that were not computed but taken from an earlier request."),
                ("completion_tokens", "Tokens of outputs."),
                ("readings_judged", "Close readings of edits that the target had to choose between."),
            )
        }
        self._acceptance = histogram("fastedit_acceptance_rate", "accepted / drafted, of each request.", buckets=SHARES)
        self._tokens_per_pass = histogram(
            "fastedit_tokens_per_pass", "Output tokens for each pass, of each request.", buckets=TOKENS
        )

    def answered(self, path: str, status: int, seconds: float) -> None:
        self._requests.labels(path, status).inc()
        self._http_s.labels(path).observe(seconds)

    def applied(self, outcome: JobOutcome, seconds: float) -> None:
        self._applied.labels(outcome.strategy).inc()
        self._apply_s.labels(outcome.strategy).observe(seconds)
        for warning in outcome.warnings:
            self._warnings.labels(warning.code).inc()
        stats = outcome.stats
        if not stats.passes:
            return
        for name, counter in self._totals.items():
            counter.inc(getattr(stats, name.removesuffix("_tokens") if name in DRAFT_TOKENS else name))
        if stats.completion_tokens:  # it may have judged readings only, and written nothing
            self._acceptance.observe(stats.accepted / stats.drafted if stats.drafted else 1.0)
            self._tokens_per_pass.observe(stats.completion_tokens / stats.passes)

    def refused(self, refusal: EditRefused) -> None:
        self._refused.labels(refusal.code.value).inc()

    def cancelled(self, job: Job) -> None:
        self._cancelled.labels(job.mode).inc()

    def text(self) -> bytes:
        """All metrics as text, as Prometheus reads them."""
        return generate_latest(self.registry)


class _Now(Collector):
    """Collects the figures that are looked up when they are asked for: queues, target, engine."""

    def __init__(self, lanes: tuple[Lane, ...], slot: TargetSlot) -> None:
        self._lanes = lanes
        self._slot = slot

    def collect(self) -> Iterator[Metric]:
        waiting = GaugeMetricFamily("fastedit_waiting", "Requests that wait for a place.", labels=["lane"])
        running = GaugeMetricFamily("fastedit_running", "Requests that are worked on.", labels=["lane"])
        for lane in self._lanes:
            waiting.add_metric([lane.name], lane.num_waiting)
            running.add_metric([lane.name], lane.num_running)
        yield waiting
        yield running
        is_ready = self._slot.state is State.READY
        yield GaugeMetricFamily("fastedit_target_ready", "Whether the target is loaded.", float(is_ready))
        yield from _engine_figures(self._slot.figures)
        engine = self._slot.engine
        if engine is not None:
            yield GaugeMetricFamily("fastedit_engine_running", "Windows being decoded.", engine.num_running)
            yield GaugeMetricFamily("fastedit_engine_waiting", "Windows that wait for a slot.", engine.num_waiting)


def _engine_figures(figures: Mapping[str, float]) -> Iterator[Metric]:
    """The figures that an engine elsewhere last gave of itself, under our names."""
    kinds: tuple[tuple[type[CounterMetricFamily | GaugeMetricFamily], tuple[tuple[str, str, str], ...]], ...] = (
        (CounterMetricFamily, ENGINE_COUNTERS),
        (GaugeMetricFamily, ENGINE_GAUGES),
    )
    for kind, table in kinds:
        for theirs, ours, words in table:
            if theirs in figures:
                yield kind(f"fastedit_engine_{ours}", words, figures[theirs])


class Observer:
    """Watches over an application. paths: those that are counted under their own names; anybody can make up others."""

    def __init__(self, app: ASGIApp, metrics: Metrics, paths: frozenset[str]) -> None:
        self._app = app
        self._metrics = metrics
        self._paths = paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        number = _id_of(Headers(scope=scope))
        token = request_id.set(number)
        started_s = time.perf_counter()
        answer = _Answer(send, number)
        try:
            await self._app(scope, receive, answer.send)
        finally:
            self._tell(scope, answer, time.perf_counter() - started_s)
            request_id.reset(token)

    def _tell(self, scope: Scope, answer: _Answer, seconds: float) -> None:
        path = scope["path"] if scope["path"] in self._paths else OTHER_PATH
        self._metrics.answered(path, answer.status, seconds)
        fields = {
            "method": scope["method"],
            "path": path,
            "status": answer.status,
            "ms": round(seconds * 1000, 1),
            "bytes_in": Headers(scope=scope).get("content-length"),
            "bytes_out": answer.num_bytes,
        }
        logger.info("%s %s %d", scope["method"], path, answer.status, extra={"fields": fields})


class _Answer:
    """Passes an answer on and remembers its status (499 where there was none) and size."""

    def __init__(self, send: Send, number: str) -> None:
        self._send = send
        self._number = number
        self.status = 499
        self.num_bytes = 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            MutableHeaders(scope=message)[HEADER] = self._number
        elif message["type"] == "http.response.body":
            self.num_bytes += len(message.get("body", b""))
        await self._send(message)


def _id_of(headers: Headers) -> str:
    """The id that the client gave the request, if it can stand in a log, or a new one."""
    given = headers.get(HEADER, "")
    return given if _USABLE_ID.fullmatch(given) else secrets.token_hex(8)


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
