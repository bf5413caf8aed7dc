"""Passes that fail: what can be done again smaller or alone is, and only who is at fault goes without an answer.

A pass that failed left no trace that counts (lengths move only when tokens are accepted), so it can simply be run
again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from fastedit.decode.memory import is_out_of_memory
from fastedit.decode.passes import Verdict
from fastedit.decode.runner import Runner
from fastedit.decode.sequence import Part
from fastedit.errors import Code, EditRefused, EngineUnavailable

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A part's outcome; it may have been made smaller: the target's verdict, None where it asks for none, or an
    error."""

    part: Part
    verdict: Verdict | EditRefused | None


def run_guarded(runner: Runner, parts: list[Part], free_memory: Callable[[], None]) -> list[Outcome]:
    """Run a pass. One outcome for each part, in order; never raises for a part's sake.

    free_memory: gives up whatever is kept for later.
    """
    try:
        verdicts = runner.append([part.append for part in parts])
    except EditRefused as error:
        return _alone(runner, parts, free_memory, error)
    except Exception as error:
        if is_out_of_memory(error):
            logger.warning("out of memory in a pass of %d tokens", sum(part.num_tokens for part in parts))
            free_memory()
            runner.release_memory()
            return _smaller(runner, parts, free_memory)
        logger.exception("a pass of %d requests failed", len(parts))
        reason = f"The target failed: {type(error).__name__}."
        return _alone(runner, parts, free_memory, EngineUnavailable(Code.ENGINE_ERROR, reason))
    return [Outcome(part, verdict) for part, verdict in zip(parts, verdicts, strict=True)]


def _alone(runner: Runner, parts: list[Part], free_memory: Callable[[], None], error: EditRefused) -> list[Outcome]:
    """Each part in a pass of its own, to find whose fault it is; a part that was alone already has failed."""
    if len(parts) == 1:
        return [Outcome(parts[0], error)]
    return [outcome for part in parts for outcome in run_guarded(runner, [part], free_memory)]


def _smaller(runner: Runner, parts: list[Part], free_memory: Callable[[], None]) -> list[Outcome]:
    """The pass in two halves; a single part without its draft, then with half of its tokens, and so on."""
    if len(parts) > 1:
        middle = len(parts) // 2
        halves = (parts[:middle], parts[middle:])
        return [outcome for half in halves for outcome in run_guarded(runner, half, free_memory)]
    smaller = parts[0].smaller()
    if smaller is None:
        error = EngineUnavailable(Code.TARGET_UNAVAILABLE, "There is no memory left for even one token.")
        return [Outcome(parts[0], error)]
    return run_guarded(runner, [smaller], free_memory)
