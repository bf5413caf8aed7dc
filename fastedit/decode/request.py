"""Requests to the engine, and its results."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

from fastedit.decode.stats import DecodeStats
from fastedit.draft.model import Draft
from fastedit.errors import SettingsError

GREEDY_BELOW = 1e-5  # a lower temperature can't be told from greedy in float32, and its inverse overflows


@dataclass(frozen=True, slots=True)
class Sampling:
    """Settings for choosing the target's own token.

    temperature: 0 for greedy. top_k: only the k likeliest tokens, 0 for all. top_p: of those the fewest likeliest whose
    probabilities reach p. The same seed gives the same text, whatever the draft, the chunks and the batch.
    SettingsError for values that mean nothing.
    """

    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.temperature) and self.temperature >= 0):
            raise SettingsError(f"temperature must be 0 or more, not {self.temperature}")
        if not 0 < self.top_p <= 1:
            raise SettingsError(f"top_p must be above 0 and at most 1, not {self.top_p}")
        if self.top_k < 0:
            raise SettingsError(f"top_k must be 0 or more, not {self.top_k}")
        if not 0 <= self.seed < 2**63:
            raise SettingsError("seed must be between 0 and 2**63 - 1")

    @property
    def is_greedy(self) -> bool:
        return self.temperature < GREEDY_BELOW


GREEDY = Sampling()


class Constraint(Protocol):
    """Constrained decoding: what may follow what has been written. It is asked on the CPU, token by token."""

    @property
    def start(self) -> Any:
        """The state before the first token."""

    def choose(self, state: Any, own: int) -> tuple[int, Any]:
        """The token that counts where the target would write `own`, and the state behind it.

        It is `own` wherever the constraint allows that. Where it doesn't, the target isn't asked again for the
        likeliest of what is allowed, as masking its logits would do: the constraint names the token itself, by state
        and `own` alone. So the output is a pure function of the target's own tokens, whatever was drafted.
        """


@dataclass(frozen=True, slots=True)
class EditRequest:
    """An edit for a target to merge.

    drafts: what the new file probably is, most trusted first; the bare original always follows them. snippets: the
    edit's new lines, cut where it elides something. elisions: (start, end) in `edit` of what does so. codes: for each
    line of `edit` what of it may stand in the result, None for a line that may not. max_new_tokens: None allows
    original, edit and some slack. speculate: False verifies no draft at all. max_chunk: no pass takes more draft tokens
    than this, None for as many as pay. max_passes: passes that write something after which the output is given up, and
    it is then given up at `max_new_tokens`, too; None for no such limit. deadline_s: seconds from the submission after
    which the request is given up.
    """

    original: str
    edit: str
    drafts: tuple[Draft, ...] = ()
    snippets: tuple[str, ...] = ()
    elisions: tuple[tuple[int, int], ...] = ()
    codes: tuple[str | None, ...] = ()
    instruction: str | None = None
    sampling: Sampling = GREEDY
    max_new_tokens: int | None = None
    speculate: bool = True
    max_chunk: int | None = None
    max_passes: int | None = None
    deadline_s: float | None = None


@dataclass(frozen=True, slots=True)
class DecodeRequest:
    """The same as tokens, for any prompt. See `EditRequest` for the fields of the same names.

    prompt: at least one token. drafts: whole outputs, tags included; a stop token is expected behind each. The last
    one, the original as a rule, is what look-ups copy from besides the snippets. original: says how the file indents.
    constraint: what the output has to obey; the drafts should. logprobs: whether the result says how likely its tokens
    were.
    """

    prompt: tuple[int, ...]
    max_new_tokens: int
    drafts: tuple[Draft, ...] = ()
    snippets: tuple[str, ...] = ()
    original: str = ""
    sampling: Sampling = GREEDY
    speculate: bool = True
    max_chunk: int | None = None
    max_passes: int | None = None
    deadline_s: float | None = None
    constraint: Constraint | None = None
    logprobs: bool = False

    def __post_init__(self) -> None:
        if not self.prompt:
            raise SettingsError("a prompt needs at least one token")
        if self.max_new_tokens < 1:
            raise SettingsError(f"max_new_tokens must be 1 or more, not {self.max_new_tokens}")
        if self.max_chunk is not None and self.max_chunk < 0:
            raise SettingsError(f"max_chunk must be 0 or more, not {self.max_chunk}")


@dataclass(frozen=True, slots=True)
class Refused:
    """A draft's token that wasn't accepted. index: of the token in the output that stands in its place; logprob: the
    logarithm of the probability that the target gave it."""

    index: int
    token: int
    logprob: float


@dataclass(frozen=True, slots=True)
class DecodeResult:
    """text: the output's text, for an `EditRequest` the new file. tokens: the whole output, its stop token included.

    is_finished: False where the output limit cut it off, and where it was given up after `max_passes`
    (is_given_up); of an `EditRequest` that was, text is what had been streamed of the new file. Where the request asks
    for logprobs: the logarithm of each token's probability, before temperature and filters (NaN for one that a
    constraint put there), and the drafts' tokens that were refused.
    """

    text: str
    tokens: tuple[int, ...]
    stats: DecodeStats
    is_finished: bool = True
    is_given_up: bool = False
    logprobs: tuple[float, ...] = ()
    refused: tuple[Refused, ...] = ()
