"""Plans a pass, everyone's unread tokens in fair shares and the drafts that are worth their time, and runs it.

Of a pass that fails, what can be done again smaller or alone is, and only who is at fault goes without an answer. It
left no trace that counts (lengths move only when tokens are accepted), so it can simply be run again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from collections.abc import Sequence as Many
from dataclasses import dataclass
from itertools import chain, islice

from fastedit.decode.controller import CostTable, Offer, draft_lengths
from fastedit.decode.devices import is_out_of_memory
from fastedit.decode.passes import Branch, Verdict, settle
from fastedit.decode.runner import Runner
from fastedit.decode.sequence import Part, Sequence
from fastedit.decode.settings import EngineSettings
from fastedit.draft import Proposal
from fastedit.errors import Code, EditRefused, EngineUnavailable

logger = logging.getLogger(__name__)

MIN_SHARE = 32  # tokens that every request of a crowd can feed in a pass, however slow the machine


def plan_pass(sequences: Many[Sequence], costs: CostTable, settings: EngineSettings) -> list[Part]:
    """A part for every sequence, together at most `settings.pass_tokens` tokens."""
    budget = pass_budget(len(sequences), costs, settings)
    num_fed = fair_shares([sequence.num_unfed for sequence in sequences], budget)
    rest = budget - sum(num_fed)
    proposals = [
        sequence.propose(rest) if fed == sequence.num_unfed else (None, [])
        for sequence, fed in zip(sequences, num_fed, strict=True)
    ]
    offers = [
        _offers(sequence, fed, *proposed) for sequence, fed, proposed in zip(sequences, num_fed, proposals, strict=True)
    ]
    lengths = iter(draft_lengths(list(chain(*offers)), costs, budget))
    of_each = [list(islice(lengths, len(own))) for own in offers]  # of the draft, then of its branches
    spare = rest - sum(map(sum, of_each))
    for sequence, (proposal, _), own in zip(sequences, proposals, of_each, strict=True):
        # Whoever counts its passes wants the draft checked, whatever another token costs.
        if proposal is not None and sequence.request.max_passes is not None:
            more = max(0, min(spare, len(proposal.tokens) - own[0]))
            own[0] += more
            spare -= more
    return [
        sequence.part(fed, proposal, own[0], branches, own[1:])
        for sequence, fed, (proposal, branches), own in zip(sequences, num_fed, proposals, of_each, strict=True)
    ]


def _offers(sequence: Sequence, num_fed: int, proposal: Proposal | None, branches: Many[Branch]) -> list[Offer]:
    """A sequence's offers for a pass: with its draft, and with each of the branches."""
    if proposal is None:
        return [Offer(num_fed, ())]
    survival = sequence.acceptance.survival(proposal)
    others = [Offer(0, sequence.acceptance.branch_survival(survival, branch.fork, branch.rest)) for branch in branches]
    return [Offer(num_fed, survival), *others]


def pass_budget(num_sequences: int, costs: CostTable, settings: EngineSettings) -> int:
    """Tokens that a pass may feed: all that is allowed for a request alone; else what doesn't take too long."""
    if num_sequences <= 1:
        return settings.pass_tokens
    timely = max(costs.width_for(settings.pass_s), MIN_SHARE * num_sequences)
    return min(settings.pass_tokens, timely)


def fair_shares(wanted: Many[int], budget: int) -> list[int]:
    """Each one's share of `budget`: all it wants, or an equal share of what those who want less leave over.

    Each gets at least 1, even of a budget that is smaller than their number.
    """
    shares = [0] * len(wanted)
    rest = budget
    for rank, index in enumerate(sorted(range(len(wanted)), key=wanted.__getitem__)):
        shares[index] = max(1, min(wanted[index], rest // (len(wanted) - rank)))
        rest -= shares[index]
    return shares


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
