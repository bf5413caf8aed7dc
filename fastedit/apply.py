"""The pipeline: an edit's text and an original in, the exact new text out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fastedit.anchor.model import Alignment
from fastedit.applied import Applied, Stats
from fastedit.edits import parse_message
from fastedit.edits.model import Edit, Format
from fastedit.edits.select import edits_for
from fastedit.errors import Code, EditRefused, EditUnreadable, InputRefused, Warning
from fastedit.guard import Original
from fastedit.guard.verdict import Strategy, Verdict, given_up, passes_worth, structural, taken, unanswered, weigh
from fastedit.merged import DEFAULT_CERTAINTY, Choice, Merged, merge
from fastedit.syntax import language_of, outline
from fastedit.syntax.model import Outline
from fastedit.syntax.parse import keeping_trees
from fastedit.verify.sender import TextSender

if TYPE_CHECKING:
    from fastedit.targets.askable import Askable
    from fastedit.verify.verified import DecodeOptions

MAX_CHARACTERS = 16 * 1024 * 1024
MODES = ("structural", "model", "auto")
SCOPES = ("windows", "file", "auto")


def apply(
    original: str,
    edit: str,
    *,
    path: str | None = None,
    instruction: str | None = None,
    format: str = "auto",
    mode: str = "auto",
    scope: str = "auto",
    target: Askable | None = None,
    certainty: float | None = None,
    choose: int | None = None,
) -> Applied:
    """The original with the edit in it.

    edit: an assistant's whole message or the bare edit. path: the file's name, for its language and to
    find the edit meant for it in a message about several. format, mode, scope: see ARCHITECTURE. certainty: how likely
    (0 to 1) a lazy edit's reading has to be to be applied. choose: the number of the reading to take, as a refusal's
    candidates have it, where the message has one lazy edit for the file.
    Raises EditRefused (nothing is lost: the original is the caller's) and ValueError for an unknown mode or scope, or
    what `choice_of` refuses.
    """
    edits, warnings = edits_for(parse_message(edit, format=format), path)
    applied = apply_edits(
        original,
        edits,
        path=path,
        message=edit,
        instruction=instruction,
        mode=mode,
        scope=scope,
        target=target,
        choice=choice_of(certainty, choose),
    )
    return applied if not warnings else _with_warnings(applied, warnings)


@dataclass(frozen=True, slots=True)
class Begun:
    """The result of `begin`, as plain data, so that the rest of the work can be done in another process.

    outline: of the original. merged: the first edit's merged draft. ms: how long it took.
    """

    outline: Outline
    merged: Merged
    ms: float


def choice_of(certainty: float | None, choose: int | None) -> Choice:
    """The caller's `Choice`. Raises ValueError for a certainty outside of 0 to 1 or a number below 1."""
    if certainty is not None and not 0 <= certainty <= 1:
        raise ValueError(f"certainty must be between 0 and 1, not {certainty}")
    if choose is not None and choose < 1:
        raise ValueError(f"readings are numbered from 1: there is no {choose}")
    return Choice(DEFAULT_CERTAINTY if certainty is None else certainty, choose)


def check_choice(edits: Sequence[Edit], choice: Choice | None) -> None:
    """Raises EditUnreadable where a reading is chosen but there isn't exactly one lazy edit that it could be of."""
    if choice is None or choice.reading is None:
        return
    num_lazy = sum(edit.format is Format.LAZY for edit in edits)
    if num_lazy == 0:
        raise EditUnreadable(Code.EDIT_UNPARSABLE, "only lazy edits have readings to choose from, and this is none")
    if num_lazy > 1:
        message = f"the message has {num_lazy} lazy edits: a reading can be chosen where there is one, for one file"
        raise EditUnreadable(Code.EDIT_UNPARSABLE, message)


@keeping_trees()
def begin(
    original: str,
    edits: Sequence[Edit],
    *,
    path: str | None = None,
    message: str = "",
    instruction: str | None = None,
    choice: Choice | None = None,
) -> Begun:
    """Does the first part of `apply_edits`, for at least one edit. Raises EditRefused as that does."""
    _check_text(original)
    check_choice(edits, choice)
    started = time.perf_counter()
    whole = _read(original, language_of(path, original))
    merged = merge(whole, edits[0], message, instruction, choice)
    return Begun(whole.outline, merged, (time.perf_counter() - started) * 1000)


@keeping_trees()
def apply_edits(
    original: str,
    edits: Sequence[Edit],
    *,
    path: str | None = None,
    message: str = "",
    instruction: str | None = None,
    mode: str = "auto",
    scope: str = "auto",
    target: Askable | None = None,
    options: DecodeOptions | None = None,
    begun: Begun | None = None,
    choice: Choice | None = None,
) -> Applied:
    """The original with parsed edits in it, one after the other; see `apply`.

    begun: what `begin` gave for the same texts. options: how a target is asked, and who hears of the result as it
    comes. choice: what to do about doubt. Raises CancelledError where they say so.
    """
    if mode not in MODES or scope not in SCOPES:
        raise ValueError(f"mode must be one of {MODES}, scope one of {SCOPES}")
    _check_text(original)
    check_choice(edits, choice)
    request = _Request(message, instruction, mode, scope, _target_for(mode, edits, target), options)
    on_text = options.on_text if options else None
    started = time.perf_counter()
    language = language_of(path, original)
    sender = TextSender(original, on_text) if len(edits) == 1 else None
    text, warnings, strategies, stats = original, list[Warning](), list[Strategy](), Stats()
    alignment: Alignment | None = None
    for number, edit in enumerate(edits):
        if options is not None:
            options.cancellation.check()
        if begun is not None and number == 0:
            whole, merged = Original(text, language, begun.outline), begun.merged
        else:
            whole = _read(text, language)
            merged = merge(whole, edit, message, instruction, choice)
        verdict, cost = _apply_one(whole, merged, edit, request, sender)
        text, alignment = verdict.text, verdict.alignment
        warnings += verdict.warnings
        strategies.append(verdict.strategy)
        stats = stats.plus(cost)
    if text == original:
        warnings.append(Warning("NO_CHANGE", "the edit is in the file already"))
    (sender or TextSender(original, on_text)).finish(text)
    stats = replace(stats, total_ms=(time.perf_counter() - started) * 1000 + (begun.ms if begun else 0.0))
    return Applied(original, text, path, _strategy_of(strategies), tuple(warnings), stats, alignment)


@dataclass(frozen=True, slots=True)
class _Request:
    """The arguments that all edits of a call share. target: None where none was named."""

    message: str
    instruction: str | None
    mode: str
    scope: str
    target: Askable | None
    options: DecodeOptions | None


def _apply_one(
    original: Original, merged: Merged, edit: Edit, request: _Request, sender: TextSender | None
) -> tuple[Verdict, Stats]:
    stats = Stats(certainty=merged.alignment.certainty)
    if not asks_target(request.mode, edit) or _is_settled(request.mode, original, merged):
        return structural(merged), stats
    target = request.target
    if target is None:
        return structural(merged), stats
    from fastedit.verify.verified import ask, cut_windows

    words = f"{request.message}\n{request.instruction or ''}"
    windows = cut_windows(original, merged, request.scope, target)
    agreed = sender.follow(merged.text if request.mode == "auto" else None) if sender else None
    try:
        answer = ask(
            target,
            original,
            windows,
            edit,
            instruction=request.instruction,
            options=request.options,
            max_passes=None if request.mode == "model" else passes_worth(merged),
            on_text=agreed,
        )
    except EditRefused as refused:
        if request.mode == "model":
            raise
        return unanswered(merged, refused), stats
    stats = replace(answer.stats, certainty=merged.alignment.certainty)
    if request.mode == "model":
        return taken(original, merged, answer.text, edit, words), stats
    if answer.is_given_up:
        return given_up(merged), stats
    return weigh(original, merged, answer.text, edit, words, only_verifies=target.only_verifies), stats


def _read(text: str, language: str) -> Original:
    return Original(text, language, outline(text, language))


def _target_for(mode: str, edits: Sequence[Edit], target: Askable | None) -> Askable | None:
    """The target to ask: the given one, else the default where it was named, or the mode needs one.

    The embedded one is asked only where it was named: on edits as assistants write them its word tells too little to
    make anyone wait for it.
    """
    if target is not None or not any(asks_target(mode, edit) for edit in edits):
        return target
    from fastedit.targets.default import default_target, is_named

    return default_target(is_required=mode == "model") if mode == "model" or is_named() else None


def asks_target(mode: str, edit: Edit) -> bool:
    """Whether a target has a say: what a format states exactly needs none."""
    return mode == "model" or (mode == "auto" and edit.format is Format.LAZY)


def _is_settled(mode: str, original: Original, merged: Merged) -> bool:
    """Whether a target's word could change nothing in `auto`: the edit is in the file, or fits two places alike."""
    if mode == "model":
        return False
    refusal = merged.refusal
    if refusal is None:
        return merged.text == original.text
    return refusal.code is Code.ANCHOR_AMBIGUOUS and len(refusal.candidates) > 1


def _strategy_of(strategies: Sequence[Strategy]) -> str:
    """The strategy that leans most on the target, of those of several edits."""
    return max(strategies, key=list(Strategy).index, default=Strategy.STRUCTURAL).value


def _check_text(original: str) -> None:
    if len(original) > MAX_CHARACTERS:
        raise InputRefused(Code.TOO_LARGE, f"the file has {len(original)} characters, the limit is {MAX_CHARACTERS}")
    if "\0" in original:
        raise InputRefused(Code.NOT_TEXT, "the file has NUL characters: it isn't text")


def _with_warnings(applied: Applied, warnings: Sequence[Warning]) -> Applied:
    return replace(applied, warnings=(*warnings, *applied.warnings))


__all__ = ["Applied", "EditRefused", "apply", "apply_edits"]
