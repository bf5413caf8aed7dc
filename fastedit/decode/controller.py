"""Chooses the lengths of drafts: as many tokens as are worth the time they take.

A drafted token that is accepted saves the time that it would otherwise take to get one more token; that is the
inverse of the best rate that can be kept up, which follows from the cost table and the survival of the drafts at
hand. So the drafts grow as long as

    survival of the next token * time saved by a token  >  time that it adds to the pass,

whatever the pass carries besides: a prompt, other requests, or nothing. Where drafting doesn't pay, the same rule
gives drafts of length 0.

Survival is the chance that a draft is accepted up to a token. For edits it isn't geometric: the first token after a
re-anchor is the risk, then copies run for hundreds of tokens, and the edges of hunks are risks of their own. Each
kind of proposal has its own two numbers, learned as the engine runs.

All this happens while the target waits, so tokens aren't weighed one by one: a draft of 8,192 is a hundred stretches.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from operator import attrgetter

from fastedit.draft.model import Kind, Proposal

MEASURED_WIDTHS = (1, 16, 64, 256)
WARM_UP_S = 1.0  # the measurement stops where the next width would take longer than this
MEASUREMENTS = 3  # of a width, of which the fastest counts: a busy machine only ever adds time
GRIDS = ((1, 16), (16, 512), (128, 2**20))  # (step, up to which width): widths, and stretches, that are considered
MIN_SURVIVAL = 1e-3
HOST_S = 2e-4  # what a pass costs besides the target: proposing, accepting, streaming
PRIOR_FIRST = 8.0  # a prior counts like so many first tokens
PRIOR_TOKENS = 400.0  # and so many tokens
EDGE_HAZARD = 0.004  # chance that the target departs from a merged draft at a hunk's edge
PRIOR_EDGES = 50.0  # that chance's weight
BRANCH_RIGHT = 0.2  # chance that a branch is right where the target has come to its fork
PRIOR_BRANCHES = 20.0  # that chance's weight
FULL_WORTH_TOKENS = 20
SHORT_DISCOUNT = 0.1

# Measured on replayed edits with `python -m evals.speed.passes`: the chance that a proposal's first token is accepted,
# and the chance of a divergence at each later one.
PRIORS: dict[Kind, tuple[float, float]] = {
    Kind.MERGED: (0.995, 0.00002),
    Kind.ORIGINAL: (0.97, 0.001),
    Kind.ANCHORED: (0.85, 0.003),
    Kind.GUESSED: (0.50, 0.004),
    Kind.SNIPPET: (0.85, 0.015),
    Kind.SNIPPET_GUESSED: (0.50, 0.020),
    Kind.SUFFIX_LONG: (0.93, 0.003),
    Kind.SUFFIX: (0.68, 0.006),
    Kind.SUFFIX_SHORT: (0.40, 0.050),
    Kind.NGRAM: (0.30, 0.100),
}


class CostTable:
    """Seconds a pass takes by its width.

    Between two widths time is interpolated; beyond the last it goes on at the last slope. With `is_step` a pass costs
    what the next larger width does, as with CUDA graphs captured for certain widths.
    """

    def __init__(self, seconds: Mapping[int, float], is_step: bool = False) -> None:
        if not seconds:
            raise ValueError("a cost table needs a measurement")
        self.widths = sorted(seconds)
        self._seconds = [seconds[width] for width in self.widths]
        self._is_step = is_step

    @classmethod
    def measure(cls, run: Callable[[int], float], step_widths: tuple[int, ...] = ()) -> CostTable:
        """run(width): does such a pass and says how long it took. The first of a width, a warm-up, isn't counted.

        step_widths: the widths of a step table. Stops early on a machine where wide passes take long.
        """
        widths = step_widths or MEASURED_WIDTHS
        seconds: dict[int, float] = {}
        for width in widths:
            run(width)
            fastest = min(run(width) for _ in range(MEASUREMENTS))
            seconds[width] = max(fastest, *seconds.values(), 0.0)
            if 4 * seconds[width] > WARM_UP_S:
                break
        return cls(seconds, is_step=bool(step_widths))

    def seconds(self, width: int) -> float:
        """Time of a pass that feeds `width` tokens; 0 for none."""
        if width <= 0:
            return 0.0
        right = bisect_left(self.widths, width)
        if right < len(self.widths) and (self._is_step or self.widths[right] == width or right == 0):
            return self._seconds[right]
        if len(self.widths) == 1:
            return self._seconds[0] * max(1.0, width / self.widths[0])
        right = min(right, len(self.widths) - 1)
        low, high = self.widths[right - 1], self.widths[right]
        slope = (self._seconds[right] - self._seconds[right - 1]) / (high - low)
        return self._seconds[right - 1] + max(slope, 0.0) * (width - low)

    def width_for(self, seconds: float) -> int:
        """The widest pass that takes no longer than `seconds`, to a sixteenth of it; at least 1."""
        width = 1
        while width < 2**20 and self.seconds(2 * width) <= seconds:
            width *= 2
        step = width // 2
        for _ in range(4):
            if self.seconds(width + step) <= seconds:
                width += step
            step //= 2
        return width


@dataclass(frozen=True, slots=True)
class Stretch:
    """Tokens of a draft that are weighed together. chance: that one of them is accepted, on the average."""

    chance: float
    num_tokens: int


@dataclass(slots=True)
class _Record:
    first_hits: float = 0.0
    first_trials: float = 0.0
    divergences: float = 0.0
    tokens: float = 0.0


@dataclass(slots=True)
class Acceptance:
    """Rates at which proposals are accepted, by kind: known before, and from this request."""

    known: dict[Kind, tuple[float, float]] = field(default_factory=lambda: dict(PRIORS))
    known_edge_hazard: float = EDGE_HAZARD
    _own: dict[Kind, _Record] = field(default_factory=dict)
    _num_edges: int = 0
    _num_edge_divergences: int = 0
    known_branch_right: float = BRANCH_RIGHT
    _num_forks: int = 0
    _num_branches_right: int = 0

    def rates(self, kind: Kind) -> tuple[float, float]:
        """(chance that the first token is accepted, chance of a divergence at each later one)."""
        first, hazard = self.known[kind]
        own = self._own.get(kind)
        if own is None:
            return first, hazard
        return (
            (PRIOR_FIRST * first + own.first_hits) / (PRIOR_FIRST + own.first_trials),
            (PRIOR_TOKENS * hazard + own.divergences) / (PRIOR_TOKENS + own.tokens),
        )

    def survival(self, proposal: Proposal) -> list[Stretch]:
        """The chances that the proposal's tokens, each with all before it, are accepted: falling, cut where tiny."""
        first, hazard = self.rates(proposal.kind)
        past_edge, num_edges = 1 - self.edge_hazard, 0
        stretches: list[Stretch] = []
        start, before = 0, first
        for end in _stretch_ends(len(proposal.tokens)):
            while num_edges < len(proposal.edges) and proposal.edges[num_edges] < end:
                num_edges += 1
            last = first * (1 - hazard) ** (end - 1) * past_edge**num_edges
            if end == start + 1:
                before = last
            if last < MIN_SURVIVAL:
                break
            stretches.append(Stretch((before + last) / 2, end - start))
            start, before = end, last
        return stretches

    def branch_survival(self, survival: Sequence[Stretch], fork: int, rest: Proposal) -> list[Stretch]:
        """`survival` of a branch's own tokens. survival: of the draft that it leaves behind `fork` tokens."""
        ends = accumulate(stretch.num_tokens for stretch in survival)
        reached = next((one.chance for one, end in zip(survival, ends, strict=True) if end >= fork), 0.0) if fork else 1
        first, _ = self.rates(rest.kind)
        scale = reached * self.branch_right / first
        scaled = (Stretch(scale * stretch.chance, stretch.num_tokens) for stretch in self.survival(rest))
        return [stretch for stretch in scaled if stretch.chance >= MIN_SURVIVAL]

    @property
    def branch_right(self) -> float:
        """The chance that a branch is right where the target has come to its fork."""
        known = PRIOR_BRANCHES * self.known_branch_right
        return (known + self._num_branches_right) / (PRIOR_BRANCHES + self._num_forks)

    def observe_branches(self, num_reached: int, num_right: int) -> None:
        """A pass has come to the forks of so many branches, and the target went along with so many of them."""
        self._num_forks += num_reached
        self._num_branches_right += num_right

    @property
    def edge_hazard(self) -> float:
        """The chance that the target departs from a draft at a hunk's edge."""
        return (PRIOR_EDGES * self.known_edge_hazard + self._num_edge_divergences) / (PRIOR_EDGES + self._num_edges)

    def worth(self, proposal: Proposal) -> float:
        """For choosing among proposals: above all a first token that is right, then length.

        A wrong first token costs a whole pass, while a short draft that is right only ends early.
        """
        first, _ = self.rates(proposal.kind)
        return first - SHORT_DISCOUNT * max(0, FULL_WORTH_TOKENS - len(proposal.tokens)) / FULL_WORTH_TOKENS

    def observe(self, draft: Proposal, num_accepted: int) -> None:
        """A pass has verified a draft, and the target agreed with so many of its tokens."""
        own = self._own.setdefault(draft.kind, _Record())
        own.first_trials += 1
        own.first_hits += num_accepted > 0
        own.tokens += max(0, num_accepted - 1)
        self._num_edges += sum(edge <= num_accepted for edge in draft.edges)
        if num_accepted in draft.edges:
            self._num_edge_divergences += 1
        else:
            own.divergences += 0 < num_accepted < len(draft.tokens)

    def learn(self, other: Acceptance) -> None:
        """Take over what another request has seen; old knowledge fades at the priors' own weight."""
        for kind in other._own:
            self.known[kind] = other.rates(kind)
        self.known_edge_hazard = other.edge_hazard
        self.known_branch_right = other.branch_right

    def fork(self) -> Acceptance:
        """A request's own record, which starts at what is known."""
        return Acceptance(dict(self.known), self.known_edge_hazard, known_branch_right=self.known_branch_right)


@dataclass(frozen=True, slots=True)
class Offer:
    """A request's possible share of a pass: tokens that it has to feed anyway (none for a branch of its draft), and a
    draft's survival."""

    num_fed: int
    survival: Sequence[Stretch]


def draft_lengths(offers: Sequence[Offer], costs: CostTable, budget: int) -> list[int]:
    """Number of draft tokens to feed of each offer, in a pass of at most `budget` tokens in all."""
    lengths = [0] * len(offers)
    num_fed = sum(offer.num_fed for offer in offers)
    asking = [index for index, offer in enumerate(offers) if offer.survival]
    if not asking:
        return lengths
    ranked = [(stretch, index) for index in asking for stretch in offers[index].survival]
    if len(asking) > 1:  # likeliest first: a beginning of it is a beginning of each
        ranked.sort(key=lambda one: one[0].chance, reverse=True)
    stretches = [stretch for stretch, _ in ranked]
    num_asking = sum(offers[index].num_fed > 0 for index in asking)
    longest = min(sum(stretch.num_tokens for stretch in stretches), max(0, budget - num_fed))
    widths = _widths(longest, num_fed, costs)
    gains = dict(zip(widths, _gains(stretches, widths), strict=True))
    rate = max((num_asking + gains[width]) / (costs.seconds(num_asking + width) + HOST_S) for width in widths)
    rest = max(widths, key=lambda width: gains[width] / rate - costs.seconds(num_fed + width))
    for stretch, index in ranked:
        taken = min(stretch.num_tokens, rest)
        lengths[index] += taken
        rest -= taken
    return lengths


@lru_cache(1024)
def _stretch_ends(length: int) -> tuple[int, ...]:
    """Ends of the stretches of a draft: after single tokens first, later after as many as the grids' steps."""
    found: list[int] = []
    for step, until in GRIDS:
        found += range((found[-1] if found else 0) + step, min(length, until) + 1, step)
    return (*found, length) if (found[-1] if found else 0) < length else tuple(found)


def _gains(stretches: Sequence[Stretch], widths: Sequence[int]) -> list[float]:
    """Tokens to be expected of the first so many, for each of the widths."""
    ends = [0, *accumulate(map(attrgetter("num_tokens"), stretches))]
    gains = [0.0, *accumulate(stretch.chance * stretch.num_tokens for stretch in stretches)]
    places = [bisect_left(ends, width) for width in widths]
    return [
        gains[place] - (ends[place] - width) * (stretches[place - 1].chance if place else 0.0)
        for place, width in zip(places, widths, strict=True)
    ]


def _widths(longest: int, num_fed: int, costs: CostTable) -> list[int]:
    """Draft lengths worth considering: all small ones, coarser grids, and those that just fill a measured width."""
    grid = {longest}
    for step, end in GRIDS:
        grid.update(range(0, min(longest, end) + 1, step))
    grid |= {width - num_fed for width in costs.widths if 0 <= width - num_fed <= longest}
    return sorted(grid)
