"""The input of a target's pass, and the target's verdict on the drafts in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fastedit.decode.request import GREEDY, Sampling

NO_TOKEN = -1  # the target's logits hold a NaN


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
