"""The pipeline: an edit's text and an original in, the exact new text out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fastedit.anchor import align
from fastedit.anchor.model import Alignment, SegmentKind
from fastedit.applied import Applied, Stats, render
from fastedit.edits import parse_message
from fastedit.edits.model import Edit
from fastedit.edits.select import edits_for
from fastedit.errors import Code, EditRefused, EngineUnavailable, InputRefused, PlaceUnknown, Warning
from fastedit.guard import Original, inspect, refuse_or_warn
from fastedit.syntax import language_of, outline

if TYPE_CHECKING:
    from fastedit.targets import Target

MAX_CHARACTERS = 16 * 1024 * 1024
MIN_CERTAINTY = 0.5
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
    target: Target | None = None,
) -> Applied:
    """The original with the edit in it.

    edit: an assistant's whole message or the bare edit. path: the file's name, for its language and to
    find the edit meant for it in a message about several. format, mode, scope: see ARCHITECTURE.
    Raises EditRefused (nothing is lost: the original is the caller's) and ValueError for an unknown mode or scope.
    """
    edits, warnings = edits_for(parse_message(edit, format=format), path)
    applied = apply_edits(
        original, edits, path=path, message=edit, instruction=instruction, mode=mode, scope=scope, target=target
    )
    return applied if not warnings else _with_warnings(applied, warnings)


def apply_edits(
    original: str,
    edits: Sequence[Edit],
    *,
    path: str | None = None,
    message: str = "",
    instruction: str | None = None,
    mode: str = "auto",
    scope: str = "auto",
    target: Target | None = None,
) -> Applied:
    """The original with parsed edits in it, one after the other; see `apply`."""
    if mode not in MODES or scope not in SCOPES:
        raise ValueError(f"mode must be one of {MODES}, scope one of {SCOPES}")
    _check_text(original)
    started = time.perf_counter()
    if mode == "model":
        raise EngineUnavailable(Code.TARGET_UNAVAILABLE, "no target is installed; mode='structural' needs none")
    language = language_of(path, original)
    text = original
    warnings: list[Warning] = []
    certainty = 1.0
    alignment: Alignment | None = None
    for edit in edits:
        before = Original(text, language, outline(text, language))
        alignment = align(text, edit, language, message, before.outline)
        _refuse_uncertain(alignment)
        text = render(text, alignment)
        warnings += refuse_or_warn(inspect(before, text, alignment, (edit,), f"{message}\n{instruction or ''}"))
        warnings += [Warning("NOTE", note) for note in alignment.notes]
        certainty = min(certainty, alignment.certainty)
    if text == original:
        warnings.append(Warning("NO_CHANGE", "the edit is in the file already"))
    elapsed_ms = (time.perf_counter() - started) * 1000
    stats = Stats(total_ms=elapsed_ms, certainty=certainty)
    return Applied(original, text, path, "structural", tuple(warnings), stats, alignment)


def _check_text(original: str) -> None:
    if len(original) > MAX_CHARACTERS:
        raise InputRefused(Code.TOO_LARGE, f"the file has {len(original)} characters, the limit is {MAX_CHARACTERS}")
    if "\0" in original:
        raise InputRefused(Code.NOT_TEXT, "the file has NUL characters: it isn't text")


def _refuse_uncertain(alignment: Alignment) -> None:
    for problem in alignment.problems:
        raise PlaceUnknown(problem.code, problem.message, problem.candidates)
    for segment in alignment.segments:
        if segment.kind is not SegmentKind.KEEP and segment.certainty < MIN_CERTAINTY:
            raise PlaceUnknown(
                Code.ANCHOR_AMBIGUOUS,
                f"lines {segment.start + 1}-{segment.end}: not certain what the edit means here ({segment.reason})",
            )


def _with_warnings(applied: Applied, warnings: Sequence[Warning]) -> Applied:
    return Applied(
        applied.original,
        applied.text,
        applied.path,
        applied.strategy,
        (*warnings, *applied.warnings),
        applied.stats,
        applied.alignment,
    )


__all__ = ["Applied", "EditRefused", "apply", "apply_edits"]
