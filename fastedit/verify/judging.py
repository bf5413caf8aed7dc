"""Judges the close readings of an edit: all are drafts of the same prompts, and a target says how likely it finds each.

Nothing is written. The first draft is scored behind its prompt; then all others are, in one pass as far as they fit,
from where they part: the prompt, and what they all begin with, is copied from the first one's rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from fastedit.applied import Stats
from fastedit.decode.request import (
    Constraint,
    DecodeRequest,
    DecodeResult,
    EditRequest,
    Group,
    Handle,
    decode_request,
)
from fastedit.edits.model import Edit
from fastedit.guard import Original
from fastedit.lines import split_lines
from fastedit.merged import Merged, chosen, close_drafts
from fastedit.verify.asking import DecodeOptions, sum_of
from fastedit.verify.excerpts import excerpts_of
from fastedit.verify.windows import joined_changes, windows_of_drafts

if TYPE_CHECKING:
    from fastedit.targets import Target
    from fastedit.targets.templates import Askable


@dataclass(frozen=True, slots=True)
class Drafts:
    """A window's prompt, and behind it what each reading makes of the window, in tokens with a stop token.

    constraint: what the target's outputs obey.
    """

    prompt: tuple[int, ...]
    outputs: tuple[tuple[int, ...], ...]
    constraint: Constraint | None

    @property
    def num_shared(self) -> int:
        """Tokens that all outputs begin with."""
        places = enumerate(zip(*self.outputs, strict=False))
        return next((at for at, tokens in places if len(set(tokens)) > 1), min(map(len, self.outputs)))

    @property
    def requests(self) -> list[DecodeRequest]:
        """A request for each output's likelihood, behind what all begin with."""
        shared = self.num_shared
        prompt = self.prompt + self.outputs[0][:shared]
        return [DecodeRequest.scoring(prompt, output[shared:]) for output in self.outputs]

    def likelihoods(self, logprobs: Sequence[Sequence[float]]) -> list[float]:
        """The logarithm of each output's likelihood, up to what they share. logprobs: of each request's tokens.

        Only the tokens count that are left to the target: a constraint's are certain.
        """
        shared = self.num_shared
        return [
            sum(logprobs[at - shared] for at in self.choices(output) if at >= shared)
            for output, logprobs in zip(self.outputs, logprobs, strict=True)
        ]

    def choices(self, output: Sequence[int]) -> list[int]:
        """The places in an output whose tokens the target chooses; all where there is no constraint."""
        if self.constraint is None:
            return list(range(len(output)))
        state, found = self.constraint.start, list[int]()
        for at, token in enumerate(output):
            if not state:
                found.append(at)
            _, state = self.constraint.choose(state, token)
        return found


def judge(
    target: Askable,
    original: Original,
    edit: Edit,
    merged: Merged,
    scope: str,
    *,
    words: str,
    instruction: str | None = None,
    options: DecodeOptions | None = None,
) -> tuple[Merged, Stats] | None:
    """The likeliest of the readings close to a draft, by the alignment's word and the target's, with what that took.

    It is refused where it isn't certain enough. None where the guard leaves nothing to choose. words: the message's and
    the instruction's. EditRefused where the target can't say, as `Engine.submit` and a deadline have it;
    CancelledError.
    """
    drafts = close_drafts(original, edit, merged, words)
    if len(drafts) < 2:
        return None
    asked = drafts_for(target, original, edit, drafts, scope, instruction)
    if not asked:
        return None
    results = _scored(target, asked, options or DecodeOptions())
    likelihoods = [0.0] * len(drafts)
    for one, own in zip(asked, results, strict=True):
        found = one.likelihoods([result.logprobs for result in own])
        likelihoods = [before + more for before, more in zip(likelihoods, found, strict=True)]
    shares = target.word.shares([draft.alignment.share for draft in drafts], likelihoods)
    stats = replace(sum_of([result.stats for own in results for result in own]), readings_judged=len(drafts))
    return chosen(original, edit, drafts, shares, words), stats


def drafts_for(
    target: Askable,
    original: Original,
    edit: Edit,
    readings: Sequence[Merged],
    scope: str,
    instruction: str | None = None,
) -> list[Drafts]:
    """The prompt and the readings' texts for each window in which they differ, as the target is asked."""
    lines = split_lines(original.text)
    of_readings = windows_of_drafts(original, readings, scope, target)
    shown = [
        replace(windows[0], changes=tuple(joined_changes([window.changes for window in windows])))
        for windows in zip(*of_readings, strict=True)
    ]
    asked: list[Drafts] = []
    for windows, whole, excerpt in zip(
        zip(*of_readings, strict=True), shown, excerpts_of(edit, shown, lines), strict=True
    ):
        own = [window.with_unix_ends() if whole.is_crlf else window for window in windows]
        request = EditRequest(
            own[0].original,
            excerpt.text,
            tuple(window.draft for window in own),
            excerpt.runs,
            excerpt.elisions,
            excerpt.codes,
            instruction,
        )
        asked.append(_in_tokens(target, request))
    return [one for one in asked if len(set(one.outputs)) > 1]


def _in_tokens(target: Askable, request: EditRequest) -> Drafts:
    whole = decode_request(target, request, target.max_positions)
    texts = [draft.text for draft in whole.drafts[: len(request.drafts)]]  # the bare original follows
    outputs = tuple((*target.codec.encode(text), target.stop_tokens[0]) for text in texts)
    return Drafts(whole.prompt, outputs, whole.constraint)


def _scored(target: Askable, asked: Sequence[Drafts], options: DecodeOptions) -> list[list[DecodeResult]]:
    """The results of each window's requests: of the first ones, which read the prompts, and then of all others."""
    requests = [one.requests for one in asked]
    firsts = _together(target, [own[0] for own in requests], options)
    others = iter(_together(target, [request for own in requests for request in own[1:]], options))
    return [[first, *(next(others) for _ in own[1:])] for first, own in zip(firsts, requests, strict=True)]


def _together(target: Askable, requests: Sequence[DecodeRequest], options: DecodeOptions) -> list[DecodeResult]:
    """The requests' results. They begin in one pass, and the first ones with those of the group's other edits."""
    handles: list[Handle] = []
    place = options.place if options.place is not None and not options.place.is_taken else Group(1).place()
    try:
        with place:
            for request in requests:
                handles.append(_submit(target, replace(request, deadline_s=options.left_s), place.group))
                options.cancellation.watch(handles[-1])
        return [handle.result() for handle in handles]
    except BaseException:
        for handle in handles:
            handle.cancel()
        raise


def _submit(target: Askable, request: DecodeRequest, group: Group) -> Handle:
    if target.engine is not None:
        return target.engine.score(request)
    from fastedit.decode.api import shared_engine

    return shared_engine(cast("Target", target)).submit(request, group=group)
