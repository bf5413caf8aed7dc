"""Passes that fail: what can be done again smaller or alone is, and only who is at fault goes without an answer.

A pass that failed left no trace that counts (lengths move only when tokens are accepted), so it can simply be run
again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain, islice

from fastedit.decode.branches import settle
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
        outcomes = _run(runner, parts)
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
    return outcomes


def _run(runner: Runner, parts: list[Part]) -> list[Outcome]:
    """A pass, and of a part with branches the one that the target went along with."""
    appends = [part.appends for part in parts]
    verdicts = iter(runner.append(list(chain(*appends))))
    outcomes = []
    for part, own in zip(parts, appends, strict=True):
        found = list(islice(verdicts, len(own)))
        given = [verdict for verdict in found if verdict is not None]
        if part.draft is None or not part.branches or len(given) < len(own):
            outcomes.append(Outcome(part, found[0]))
            continue
        settled = settle(part.draft, part.branches, own, given, runner.move)
        part.sequence.note_branches(part, given[0].num_accepted, settled)
        outcomes.append(Outcome(Part(part.sequence, part.num_fed, settled.draft), settled.verdict))
    return outcomes


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
