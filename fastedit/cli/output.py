"""The command's output: summaries, diffs, texts, refusals; for people or, with --json, for programs.

The result that was asked for goes to standard output, all that is said about it to standard error.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from fastedit.applied import Applied
from fastedit.cli.terminal import print_diff, visible, write_bytes
from fastedit.config import load_settings
from fastedit.errors import Candidate, EditRefused, SettingsError, Warning
from fastedit.workspace import ChangeAction, FileChange, Plan

VERBS = {
    ChangeAction.CREATE: "created",
    ChangeAction.DELETE: "deleted",
    ChangeAction.MOVE: "moved",
    ChangeAction.NONE: "nothing to change",
}


class Show(StrEnum):
    """The kinds of output. Only for SUMMARY anything is written to a file."""

    SUMMARY = "summary"
    DIFF = "diff"
    TEXT = "text"
    CHECK = "check"


@dataclass(frozen=True, slots=True)
class Report:
    """The output about a plan, worked out before the plan is written so that nothing can go wrong after that.

    body: the result that was asked for besides the summaries, as it goes to standard output.
    """

    show: Show
    summaries: tuple[str, ...]
    body: bytes
    warnings: tuple[tuple[str, Warning], ...]
    records: tuple[dict[str, Any], ...]


def make_report(plan: Plan, show: Show) -> Report:
    """The report of a plan. For TEXT the plan has one change."""
    bodies = {
        Show.DIFF: "".join(change.diff for change in plan.changes).encode("utf-8", "surrogateescape"),
        Show.TEXT: plan.planned[0].data if plan.planned else b"",
    }
    warnings = [("", warning) for warning in plan.warnings]
    warnings += [(change.path, warning) for change in plan.changes for warning in change.warnings]
    return Report(
        show,
        tuple(map(summary, plan.changes)),
        bodies.get(show, b""),
        tuple(warnings),
        tuple(_record(change, show) for change in plan.changes),
    )


def summary(change: FileChange) -> str:
    """One line about a change: `app.py: 3 hunks, +12 -4, verified (210 of 210 drafted tokens accepted in 1 pass)`."""
    name = f"{change.moved_from} -> {change.path}" if change.moved_from else change.path
    words = [VERBS[change.action]] if change.action in VERBS else []
    _, *hunks = ("\n" + change.diff).split("\n@@ ")
    if hunks and change.action in (ChangeAction.UPDATE, ChangeAction.MOVE):
        words.append(f"{len(hunks)} hunk{'s' * (len(hunks) != 1)}")
    if hunks:
        words.append(" ".join(f"{sign}{sum(hunk.count(f'{chr(10)}{sign}') for hunk in hunks)}" for sign in "+-"))
    if change.applied:
        words.append(_how(change.applied))
    return f"{name}: {', '.join(words)}"


def _how(applied: Applied) -> str:
    """The strategy and, where a target was asked, how many readings it judged and drafted tokens it accepted."""
    stats = applied.stats
    if not stats.passes:
        return applied.strategy
    passes = "1 pass" if stats.passes == 1 else f"{stats.passes} passes"
    done = [f"{stats.readings_judged} readings judged"] if stats.readings_judged else []
    if stats.drafted or not done:
        done.append(f"{stats.accepted} of {stats.drafted} drafted tokens accepted")
    return f"{applied.strategy} ({', '.join(done)} in {passes})"


def print_report(report: Report, warnings: Sequence[Warning], elapsed_ms: float, has_color: bool | None) -> None:
    """Prints for a person. Raises OSError where standard output can't be written."""
    for path, warning in (*report.warnings, *(("", warning) for warning in warnings)):
        place = path if warning.line is None else f"{path}:{warning.line + 1}"
        _say(f"{place + ': ' if place else ''}warning: {warning.message} ({warning.code})")
    if report.show is Show.DIFF:
        print_diff(report.body, has_color)
    elif report.show is Show.TEXT:
        write_bytes(report.body)
    lines = [f"{line}, {elapsed_ms:.0f} ms" if len(report.summaries) == 1 else line for line in report.summaries]
    if len(lines) > 1:
        lines.append(f"{len(lines)} files, {elapsed_ms:.0f} ms")
    if report.show in (Show.SUMMARY, Show.CHECK):
        write_bytes("".join(line + "\n" for line in lines).encode("utf-8", "surrogateescape"))
    else:
        _say("\n".join(lines))


def print_json(report: Report, warnings: Sequence[Warning], elapsed_ms: float, *, is_written: bool) -> None:
    """Prints one JSON object for a program. Raises OSError where standard output can't be written."""
    others = [warning for path, warning in report.warnings if not path] + list(warnings)
    record = {
        "files": report.records,
        "warnings": [asdict(warning) for warning in others],
        "written": is_written,
        "elapsed_ms": round(elapsed_ms, 3),
    }
    write_bytes(json.dumps(record).encode() + b"\n")


def print_refusal(refusal: EditRefused, *, is_json: bool) -> None:
    """Says why nothing was done, and which places may have been meant."""
    if is_json:
        candidates = [asdict(candidate) for candidate in refusal.candidates]
        error = {"code": refusal.code.value, "message": refusal.message, "candidates": candidates}
        write_bytes(json.dumps({"error": error | {"certainty": refusal.certainty}}).encode() + b"\n")
        return
    print_error(f"{refusal.message} ({refusal.code.value})")
    for candidate in refusal.candidates:
        _say(f"  {_place(candidate)}: {candidate.words}")
    if any(candidate.choice for candidate in refusal.candidates):
        _say("choose one with --choose N or --interactive")


def print_error(message: str) -> None:
    _say(f"fastedit: {message}")


def print_traceback() -> None:
    """Prints how the error came about that is being handled, where FASTEDIT_DEBUG asks for it."""
    with suppress(SettingsError):
        if load_settings().is_debugging:
            traceback.print_exc()


def _place(candidate: Candidate) -> str:
    """`file:line`, as editors and terminals make it a link."""
    if candidate.end_line == 0:
        return candidate.path
    return f"{candidate.path}:{candidate.start_line + 1}"


def _record(change: FileChange, show: Show) -> dict[str, Any]:
    applied = change.applied
    record: dict[str, Any] = {
        "path": change.path,
        "action": change.action.value,
        "moved_from": change.moved_from,
        "before": change.before,
        "after": change.after,
        "strategy": applied.strategy if applied else None,
        "changes": asdict(applied.changes) if applied else None,
        "warnings": [asdict(warning) for warning in change.warnings],
        "stats": asdict(applied.stats) if applied else None,
    }
    if show is Show.DIFF:
        record["diff"] = change.diff
    if show is Show.TEXT and applied:
        record["text"] = applied.text
    return record


def _say(text: str) -> None:
    """Prints a line about the run on standard error, where there is one that takes it."""
    with suppress(OSError, AttributeError):
        sys.stderr.buffer.write(visible(text).encode("utf-8", "surrogateescape") + b"\n")
        sys.stderr.buffer.flush()
