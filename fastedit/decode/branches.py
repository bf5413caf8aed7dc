"""Branches: after a divergence the best few places to go on are verified in one pass, where that is worth its time.

Candidates often agree on a few tokens (a line's end, an indentation) before they part. So a branch leaves the draft at
a fork, sees the draft up to there and its own tokens, and costs the tokens that it doesn't share. Of a draft and its
branches at most one goes on behind a fork; the one that the target agrees with furthest is the draft of the pass, and
its keys and values are moved to where it would have written them alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from fastedit.decode.passes import Append, Verdict, accepted_length
from fastedit.draft import Proposal

MOST_BRANCHES = 2  # besides the draft


@dataclass(frozen=True, slots=True)
class Branch:
    """Another draft: the first `fork` tokens are the pass's draft's, those of `rest` follow."""

    fork: int
    rest: Proposal

    def joined(self, draft: Proposal) -> Proposal:
        return Proposal([*draft.tokens[: self.fork], *self.rest.tokens], self.rest.kind)


@dataclass(frozen=True, slots=True)
class Settled:
    """The draft that counts, the verdict on it, and whether it is a branch."""

    draft: Proposal
    verdict: Verdict
    is_branch: bool = False


def branches_of(candidates: Sequence[Proposal]) -> list[Branch]:
    """Branches for the candidates behind the first, which is the draft, as far as they say anything else."""
    if not candidates:
        return []
    draft, *others = candidates
    found: list[Branch] = []
    for other in others:
        fork = accepted_length(draft.tokens[: len(other.tokens)], other.tokens[: len(draft.tokens)])
        rest = other.tokens[fork:]
        is_known = any(branch.fork == fork and branch.rest.tokens[0] == rest[0] for branch in found if rest)
        if rest and fork < len(draft.tokens) and not is_known:
            found.append(Branch(fork, Proposal(rest, other.kind)))
    return found[:MOST_BRANCHES]


def appends_of(trunk: Append, num_drafted: int, branches: Sequence[Branch]) -> Iterator[Append]:
    """The append with the draft of `num_drafted` tokens, and those of its branches, whose rows lie behind its own."""
    yield trunk
    end = trunk.end
    for branch in branches:
        tokens = branch.rest.tokens
        length = trunk.end - num_drafted + branch.fork
        yield Append(trunk.slot, length, tokens, 1 + len(tokens), trunk.sampling, trunk.request, end - length)
        end += len(tokens)


def settle(
    draft: Proposal,
    branches: Sequence[Branch],
    appends: Sequence[Append],
    verdicts: Sequence[Verdict],
    move: Callable[[int, int, int, int], None],
) -> Settled:
    """The verdict on a draft and its branches, and which of them goes on. move: see `Runner.move`.

    appends: as `appends_of` gave them.
    """
    trunk = verdicts[0]
    right = [
        (verdict.num_accepted, index)
        for index, (branch, verdict) in enumerate(zip(branches, verdicts[1:], strict=True))
        if trunk.num_accepted == branch.fork and verdict.num_accepted
    ]
    if not right:
        return Settled(draft, trunk)
    num_more, index = max(right, key=lambda one: one[0])
    branch, append = branches[index], appends[1 + index]
    move(append.slot, append.length + append.offset, append.length, num_more)
    verdict = Verdict(branch.fork + num_more, verdicts[1 + index].next_token)
    return Settled(branch.joined(draft), verdict, is_branch=True)
