"""Counts and times of the service, for Prometheus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

from fastedit.errors import EditRefused
from fastedit.server.jobs import Job, JobOutcome
from fastedit.server.lanes import Lane
from fastedit.server.loading import State, TargetSlot

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
