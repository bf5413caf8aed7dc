"""The input of a target's pass, the target's verdict on the drafts in it, and branches of a draft.

Branches: after a divergence the best few places to go on are verified in one pass, where that is worth its time.
Candidates often agree on a few tokens (a line's end, an indentation) before they part. So a branch leaves the draft at
a fork, sees the draft up to there and its own tokens, and costs the tokens that it doesn't share. Of a draft and its
branches at most one goes on behind a fork; the one that the target agrees with furthest is the draft of the pass, and
its keys and values are moved to where it would have written them alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from fastedit.decode.request import GREEDY, Sampling
from fastedit.draft import Proposal

NO_TOKEN = -1  # the target's logits hold a NaN
MOST_BRANCHES = 2  # besides the draft


@dataclass(frozen=True, slots=True)
class Append:
    """Tokens to go behind the `length` that a slot holds.

    num_rows: for so many of the last tokens, the target's own next token is wanted; it is compared with the token that
    follows here, the draft's. request: whose they are. needs_own, needs_logprobs: what of a `Verdict` is wanted besides
    what always is. offset: the tokens' rows lie so much further on.

    A branch is another draft for the request of the append before it. It branches off behind one of that one's tokens:
    it has one row more than tokens, the first of them that token's. Its `length` counts what it sees of that append,
    behind whose rows its own lie.
    """

    slot: int
    length: int
    tokens: Sequence[int]
    num_rows: int
    sampling: Sampling = GREEDY
    request: int = 0
    offset: int = 0
    needs_own: bool = False
    needs_logprobs: bool = False

    @property
    def is_branch(self) -> bool:
        return self.num_rows > len(self.tokens)

    @property
    def end(self) -> int:
        """Rows of the slot that it needs."""
        return self.length + self.offset + len(self.tokens)

    @property
    def draft(self) -> Sequence[int]:
        """The tokens that all rows but the last are compared with."""
        return self.tokens[len(self.tokens) - self.num_rows + 1 :]

    @property
    def first_position(self) -> int:
        """The absolute position of the token that the first row predicts."""
        return self.length + len(self.tokens) - self.num_rows + 1


@dataclass(frozen=True, slots=True)
class Verdict:
    """The target's verdict on a draft.

    num_accepted: so many of the draft's tokens it writes itself. next_token: its own token behind them, `NO_TOKEN`
    where it has none. own: its token for every row; logprobs: the logarithm of that token's probability, before
    temperature and filters; draft_logprobs: of the draft's token, NaN for the last row. These three are empty unless
    the `Append` asks for them.
    """

    num_accepted: int
    next_token: int
    own: tuple[int, ...] = ()
    logprobs: tuple[float, ...] = ()
    draft_logprobs: tuple[float, ...] = ()

    @classmethod
    def of(cls, own: Sequence[int], draft: Sequence[int]) -> Verdict:
        """The verdict of a target whose own tokens are known: one for each of the draft's and one more."""
        num_accepted = accepted_length(own, draft)
        return cls(num_accepted, own[num_accepted], tuple(own))


def wanted_rows(appends: Sequence[Append]) -> list[int]:
    """The packed tokens of a pass that a verdict is wanted for: of each append the last `num_rows`.

    Of a branch the first is the token of the append before that it branches off behind.
    """
    rows: list[int] = []
    start = trunk_start = trunk_length = 0
    for append in appends:
        end = start + len(append.tokens)
        if append.is_branch:
            rows.append(trunk_start + append.length - trunk_length - 1)
            rows += range(start, end)
        else:
            trunk_start, trunk_length = start, append.length
            rows += range(end - append.num_rows, end)
        start = end
    return rows


def accepted_length(own: Sequence[int], draft: Sequence[int]) -> int:
    """Length of the longest draft prefix that the target agrees with.

    own: the target's token at each of the draft's positions (and perhaps one more).
    """
    if list(own[: len(draft)]) == list(draft):
        return len(draft)
    return next(index for index, token in enumerate(draft) if own[index] != token)


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
