"""Many instances side by side, each written down as it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from evals.swebench.instances import Instance
from evals.swebench.results import Result, Results
from evals.swebench.sandbox import Interrupted, Sandbox

POLL_S = 0.5


def run_instances(
    instances: Sequence[Instance],
    evaluate: Callable[[Instance], Result],
    results: Results,
    sandbox: Sandbox,
    *,
    num_workers: int,
    on_result: Callable[[Result], None] = lambda result: None,
) -> list[Result]:
    """The results in the instances' order. Those that `results` has already aren't run again.

    An interrupt (KeyboardInterrupt) stops what runs, keeps what is done, and goes on to the caller.
    """
    done = results.load()
    todo = [instance for instance in instances if instance.instance_id not in done]
    for instance in instances:
        if instance.instance_id in done:
            on_result(done[instance.instance_id])
    with ThreadPoolExecutor(num_workers, "instance") as pool:
        futures = [pool.submit(evaluate, instance) for instance in todo]
        try:
            for result in _as_they_end(futures):
                results.append(result)
                done[result.instance_id] = result
                on_result(result)
        except BaseException:
            sandbox.close()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    ordered = [done[instance.instance_id] for instance in instances]
    results.write_all(ordered)
    return ordered


def _as_they_end(futures: Iterable[Future[Result]]) -> Iterable[Result]:
    """Results in the order of their ends, with a look at signals in between."""
    pending = set(futures)
    while pending:
        ended, pending = wait(pending, POLL_S, FIRST_COMPLETED)
        for future in ended:
            try:
                yield future.result()
            except Interrupted:
                continue
