"""The pipeline: an edit's text and an original in, the exact new text out."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fastedit.anchor.model import Alignment
from fastedit.applied import Applied, Stats
from fastedit.edits import parse_message
from fastedit.edits.message import edits_for
from fastedit.edits.model import Edit, Format
from fastedit.errors import Code, EditRefused, EditUnreadable, InputRefused, Warning
from fastedit.guard import Original
from fastedit.guard.verdict import (
    VERIFIERS_S,
    confirm,
    given_up,
    is_to_be_judged,
    is_torn,
    is_worth_asking,
    passes_worth,
    settled,
    taken,
    unanswered,
    weigh,
)
from fastedit.merged import (
    DEFAULT_CERTAINTY,
    Choice,
    Decision,
    Merged,
    Strategy,
    close_drafts,
    merge,
    message_about,
    structural,
)
from fastedit.syntax import language_of, outline
from fastedit.syntax.model import Outline
from fastedit.syntax.parse import keeping_trees
from fastedit.targets.templates import NOTHING, Word

if TYPE_CHECKING:
    from fastedit.targets.templates import Askable
    from fastedit.verify.asking import Answer, DecodeOptions, TextSender
    from fastedit.verify.windows import Window

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
    find the edit meant for it in a message about several. format: one of `Format`'s, "auto" to tell it by the message.
    mode: one of `MODES`, whose word counts, see README, "Who decides". scope: one of `SCOPES`, what a target is shown.
    certainty: how likely (0 to 1) a lazy edit's reading has to be to be applied. choose: the number of the reading to
    take, as a refusal's candidates have it, where the message has one lazy edit for the file.
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
    sender = _sender_of(original, options)
    started = time.perf_counter()
    language = language_of(path, original)
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
        verdict, cost = _apply_one(whole, merged, edit, request, sender if len(edits) == 1 else None)
        text, alignment = verdict.text, verdict.alignment
        warnings += verdict.warnings
        strategies.append(verdict.strategy)
        stats = stats.plus(cost)
    if text == original:
        warnings.append(Warning("NO_CHANGE", "the edit is in the file already"))
    if sender is not None:
        sender.finish(text)
    stats = replace(stats, total_ms=(time.perf_counter() - started) * 1000 + (begun.ms if begun else 0.0))
    return Applied(original, text, path, _strategy_of(strategies), tuple(warnings), stats, alignment)


def _sender_of(original: str, options: DecodeOptions | None) -> TextSender | None:
    """The sender of the new text for the one who hears of it as it comes; None where nobody does."""
    if options is None or options.on_text is None:
        return None
    from fastedit.verify.asking import TextSender

    return TextSender(original, options.on_text)


@dataclass(frozen=True, slots=True)
class _Request:
    """The arguments that all edits of a call share. target: None where none was named."""

    message: str
    instruction: str | None
    mode: str
    scope: str
    target: Askable | None
    options: DecodeOptions | None

    def words_of(self, original: Original, edit: Edit) -> str:
        """All that is said of an edit."""
        return f"{message_about(original, edit, self.message)}\n{self.instruction or ''}"


def _apply_one(
    original: Original, merged: Merged, edit: Edit, request: _Request, sender: TextSender | None
) -> tuple[Decision, Stats]:
    target = request.target
    is_asked = target is not None and asks_target(request.mode, edit)
    if target is None or not is_asked:
        verdict, stats = structural(merged), Stats()
    elif request.mode == "model":
        verdict, stats = _by_target(original, merged, edit, request, target, sender)
    else:
        verdict, stats = _in_auto(original, merged, edit, _patient(request, target), target, sender, target.word)
    return verdict, replace(stats, certainty=verdict.certainty)


def _patient(request: _Request, target: Askable) -> _Request:
    """The request with an end to the patience for a target that only verifies, where the caller gave none."""
    if not target.only_verifies or request.options is not None:
        return request
    from fastedit.verify.asking import DecodeOptions

    return replace(request, options=DecodeOptions(deadline_s=VERIFIERS_S))


def _by_target(
    original: Original, merged: Merged, edit: Edit, request: _Request, target: Askable, sender: TextSender | None
) -> tuple[Decision, Stats]:
    """The target's own text, for `model`, where the reading puts it that it finds likeliest. Raises EditRefused."""
    draft, cost = merged, Stats()
    if is_to_be_judged(merged, target.word):
        with suppress(InputRefused):  # all readings together may be too large where its own text isn't
            draft, cost = _judged(original, merged, edit, request, target) or (merged, cost)
    answer = _asked(original, draft, edit, request, target, sender.follow(None) if sender else None)
    return taken(original, draft, answer.text, edit, request.words_of(original, edit)), cost.plus(answer.stats)


def _in_auto(
    original: Original,
    merged: Merged,
    edit: Edit,
    request: _Request,
    target: Askable,
    sender: TextSender | None,
    word: Word,
) -> tuple[Decision, Stats]:
    """The likeliest of close readings, by the target's word too, the draft or the target's text, whichever counts in
    `auto`. Raises EditRefused where none does. word: the target's, as far as it counts yet.
    """
    if not is_worth_asking(original.text, merged, word, only_verifies=target.only_verifies):
        return structural(merged), Stats()
    if not is_to_be_judged(merged, word):
        return _with_word_of(original, merged, edit, request, target, sender, word)
    try:
        judged = _judged(original, merged, edit, request, target)
    except EditRefused as refused:
        return unanswered(merged, refused, only_verifies=target.only_verifies), Stats()
    if judged is None:
        return _in_auto(original, merged, edit, request, target, sender, replace(word, readings=0.0))
    draft, cost = judged
    if target.only_verifies or draft.refusal is None:
        return settled(draft), cost
    # None is likely enough, so its own text is asked for; what it finds likely has been counted.
    verdict, more = _with_word_of(original, draft, edit, request, target, sender, NOTHING)
    return verdict, cost.plus(more)


def _with_word_of(
    original: Original,
    merged: Merged,
    edit: Edit,
    request: _Request,
    target: Askable,
    sender: TextSender | None,
    word: Word,
) -> tuple[Decision, Stats]:
    """The draft or the target's text, whichever counts in `auto`. Raises EditRefused where neither does."""
    only_verifies = target.only_verifies
    agreed = sender.follow(merged.text) if sender else None
    max_passes = passes_worth(merged, only_verifies=only_verifies)
    try:
        answer = _asked(original, merged, edit, request, target, agreed, max_passes)
    except EditRefused as refused:
        return unanswered(merged, refused, only_verifies=only_verifies), Stats()
    if only_verifies:
        is_agreed = not answer.is_given_up and answer.text == merged.text
        return confirm(merged, is_agreed=is_agreed, word=word), answer.stats
    if answer.is_given_up:
        return given_up(merged), answer.stats
    return weigh(original, merged, answer.text, edit, request.words_of(original, edit), word), answer.stats


def _judged(
    original: Original, merged: Merged, edit: Edit, request: _Request, target: Askable
) -> tuple[Merged, Stats] | None:
    """The reading that target and alignment together find likeliest; None where there is nothing to choose. Raises
    EditRefused."""
    from fastedit.verify.judging import judge

    return judge(
        target,
        original,
        edit,
        merged,
        request.scope,
        words=request.words_of(original, edit),
        instruction=request.instruction,
        options=request.options,
    )


def _asked(
    original: Original,
    merged: Merged,
    edit: Edit,
    request: _Request,
    target: Askable,
    on_text: Callable[[Window, str], None] | None,
    max_passes: int | None = None,
) -> Answer:
    """The target's answer about the draft's windows. Raises EditRefused."""
    from fastedit.verify.asking import ask
    from fastedit.verify.windows import cut_windows

    # One that sees a single one of several places alike can't but find it right.
    is_choosing = is_torn(merged) and not target.only_verifies
    others = close_drafts(original, edit, merged, request.words_of(original, edit)) if is_choosing else ()
    windows = cut_windows(original, merged, request.scope, target, others)
    return ask(
        target,
        original,
        windows,
        edit,
        instruction=request.instruction,
        options=request.options,
        max_passes=max_passes,
        on_text=on_text,
    )


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
