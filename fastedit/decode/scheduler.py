"""Plans the next pass: everyone's unread tokens in fair shares, and the drafts that are worth their time."""

from __future__ import annotations

from collections.abc import Sequence as Many
from itertools import chain, islice

from fastedit.decode.branches import Branch
from fastedit.decode.controller import Offer, draft_lengths
from fastedit.decode.costs import CostTable
from fastedit.decode.sequence import Part, Sequence
from fastedit.decode.settings import EngineSettings
from fastedit.draft import Proposal

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
