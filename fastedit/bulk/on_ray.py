"""Rows done by Ray Data on all machines of a cluster, each of which has FastEdit installed."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import ray.data

from fastedit.bulk.rows import BulkEdit, How, apply_row
from fastedit.cluster.connection import connect

NUM_TOGETHER = 16  # rows of one task: enough that starting it doesn't count
MAX_RETRIES = 3  # of a task whose process or machine is lost; Ray Data itself would try for ever
MAX_WINDOW_BYTES = 256 << 20  # of rows that are in the cluster's memory at once


@dataclass(frozen=True, slots=True)
class RayRunner:
    """Does rows as tasks of a cluster, as `connect` finds it. num_cpus: what each task takes.

    Called, it raises EngineUnavailable where the cluster can't be reached.
    """

    address: str | None = None
    num_cpus: float = 1.0

    def __call__(self, rows: Iterable[BulkEdit], how: How) -> Iterator[Sequence[bytes]]:
        for window in _windows(rows):
            connect(self.address)
            logging.getLogger("ray.data").setLevel(logging.CRITICAL)  # what failed is told by the results
            missing = {row.key: row for row in window}
            for results in self._run(window, how, NUM_TOGETHER):
                for key in results:
                    missing.pop(key, None)
                yield list(results.values())
            # A row that takes its process down, again and again, takes the rows of its task with it: now one by one.
            if missing:
                for results in self._run(list(missing.values()), how, 1):
                    yield list(results.values())

    def _run(self, rows: Sequence[BulkEdit], how: How, num_together: int) -> Iterator[dict[str, bytes]]:
        """Yields results by key as they come; none for rows of tasks that failed for good."""
        context = ray.data.DataContext.get_current().copy()
        context.max_errored_blocks = -1
        context.enable_progress_bars = False
        with ray.data.DataContext.current(context):
            blocks = -(-len(rows) // num_together)
            items = [{"key": row.key, "text": row.text} for row in rows]
            done = ray.data.from_items(items, override_num_blocks=blocks).map_batches(
                _apply, batch_size=None, fn_kwargs={"how": how}, num_cpus=self.num_cpus, max_retries=MAX_RETRIES
            )
            for batch in done.iter_batches(batch_size=None, batch_format="numpy"):
                yield dict(zip(batch["key"].tolist(), batch["result"].tolist(), strict=True))


def _windows(rows: Iterable[BulkEdit]) -> Iterator[list[BulkEdit]]:
    """The rows in parts that the cluster's memory holds."""
    window: list[BulkEdit] = []
    num_bytes = 0
    for row in rows:
        if window and num_bytes + len(row.text) > MAX_WINDOW_BYTES:
            yield window
            window, num_bytes = [], 0
        window.append(row)
        num_bytes += len(row.text)
    if window:
        yield window


def _apply(batch: dict[str, Any], how: How) -> dict[str, Any]:
    """The results of a batch of rows, as a task."""
    rows = [BulkEdit(key, text) for key, text in zip(batch["key"].tolist(), batch["text"].tolist(), strict=True)]
    return {"key": batch["key"], "result": [apply_row(row, how) for row in rows]}
