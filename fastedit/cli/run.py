"""One run of `fastedit apply`: from the request to the exit status, with no traceback on the way."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastedit.applied import Applied
from fastedit.apply import apply_edits
from fastedit.cli import INTERRUPTED
from fastedit.cli.edit_text import read_edit
from fastedit.cli.output import Show, make_report, print_error, print_json, print_refusal, print_report, print_traceback
from fastedit.cli.terminal import write_bytes
from fastedit.config import Settings, load_settings
from fastedit.errors import Code, EditRefused, EngineUnavailable, SettingsError, Warning
from fastedit.merged import DEFAULT_CHOICE, Choice
from fastedit.workspace import Options, Plan, plan_one, plan_patch, write_plan

if TYPE_CHECKING:
    from fastedit.cli.interactive import Merge
    from fastedit.targets.templates import Askable

PIPE_CLOSED = 141


@dataclass(frozen=True, slots=True)
class Request:
    """The arguments and options of the command line.

    edit: None for the clipboard. file: None where the edit names its files, below root.
    lint, test: shell commands that are run after writing, and that have to succeed.
    """

    edit: Path | None
    file: Path | None
    root: Path
    show: Show
    mode: str | None = None
    scope: str | None = None
    format: str = "auto"
    instruction: str | None = None
    target: str | None = None
    server: str | None = None
    engine_url: str | None = None
    is_json: bool = False
    break_hard_links: bool = False
    choice: Choice = DEFAULT_CHOICE
    interactive: bool = False
    commit: bool = False
    lint: str | None = None
    test: str | None = None
    retry_prompt: bool = False

    @property
    def checks(self) -> list[str]:
        return [command for command in (self.lint, self.test) if command]


def run(request: Request) -> int:
    """Does what is asked, prints what became of it, and gives the exit status."""
    try:
        return _apply(request, load_settings())
    except EditRefused as refusal:
        print_traceback()
        print_refusal(refusal, is_json=request.is_json)
        if request.retry_prompt:
            from fastedit.cli.retry import retry_prompt

            write_bytes(retry_prompt(refusal).encode("utf-8", "surrogateescape"))
        return refusal.exit_status
    except SettingsError:
        raise
    except KeyboardInterrupt:
        print_error("interrupted, nothing was written")
        return INTERRUPTED
    except BrokenPipeError:
        _silence_stdout()
        return PIPE_CLOSED
    except Exception as error:  # noqa: BLE001 whatever else goes wrong is ours, and users get no traceback
        print_traceback()
        message = f"unexpected {type(error).__name__}, nothing was written; FASTEDIT_DEBUG=1 shows the details"
        failure = EngineUnavailable(Code.ENGINE_ERROR, message)
        print_refusal(failure, is_json=request.is_json)
        return failure.exit_status


def _apply(request: Request, settings: Settings) -> int:
    message = read_edit(request.edit, settings.max_file_bytes)
    started = time.perf_counter()
    plan = plan_of(request, settings, message, _asked(settings) if request.interactive else None)
    report = make_report(plan, request.show)
    is_written = request.show is Show.SUMMARY
    if not is_written:
        warnings = write_plan(plan, break_hard_links=request.break_hard_links, dry_run=True)
    else:
        warnings = _write(plan, request)
    elapsed_ms = (time.perf_counter() - started) * 1000
    try:
        if request.is_json:
            print_json(report, warnings, elapsed_ms, is_written=is_written)
        else:
            print_report(report, warnings, elapsed_ms, settings.has_color)
    except Exception as error:
        if not is_written:
            raise
        # The files are new by now: an output that can't be written doesn't change that.
        if not isinstance(error, OSError):
            print_error(f"applied, but what came of it can't be printed ({type(error).__name__})")
        _silence_stdout()
    return 0


def _write(plan: Plan, request: Request) -> tuple[Warning, ...]:
    """Writes the plan, has it looked over as asked, and keeps what `fastedit undo` needs. Raises EditRefused."""
    from fastedit.cli.afterwards import commit_message, look_over
    from fastedit.workspace.kept import read_before

    before = read_before(plan)
    if request.commit:
        from fastedit.cli.afterwards import check_committable

        check_committable(plan.root, [file.path for file in before])
    with _uninterrupted(is_to_the_end=not request.checks and not request.commit):
        warnings = write_plan(plan, break_hard_links=request.break_hard_links)
    look_over(plan, before, request.checks, commit_message(plan, request.instruction) if request.commit else None)
    return warnings


def _asked(settings: Settings) -> Callable[[Merge], Merge]:
    """Makes whoever sits at the terminal have a say in a merge."""
    from fastedit.cli.interactive import ask_at_terminal, asking
    from fastedit.cli.terminal import shown_diff

    return lambda merge: asking(merge, ask_at_terminal, lambda diff: shown_diff(diff, settings.has_color))


def _announced(merge: Merge) -> Merge:
    """Makes a terminal be told which file is being merged, where that takes long."""
    from fastedit.cli.loading import waiting

    def merged(original: str, edits: Any, **how: Any) -> Applied:
        with waiting(f"merging {how.get('path') or 'the edit'}"):
            return merge(original, edits, **how)

    return merged


def plan_of(request: Request, settings: Settings, message: str, asked: Callable[[Merge], Merge] | None = None) -> Plan:
    """The plan of a message's changes as the options and settings want it. asked: puts questions into merging edits.

    Raises EditRefused.
    """
    mode, target = request.mode or settings.mode, request.target or settings.target
    if target:
        from fastedit.targets.default import choose_default

        choose_default(target)
    if mode != "structural":
        from fastedit.cli.loading import shown
        from fastedit.targets.loading import announce_by

        announce_by(shown)
    if not target and mode != "model":
        # One edit has no use for the threads that numpy's library starts, and starting them takes processor time.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    merger = _merger(request, settings, mode, target)
    merger = _announced(merger or apply_edits)
    if asked is not None:
        merger = asked(merger)
    options = Options(
        message,
        request.instruction,
        mode,
        request.scope or settings.scope,
        target=_elsewhere(request, settings, mode, target),
        max_file_bytes=settings.max_file_bytes,
        apply=merger,
        choice=request.choice,
    )
    if request.file is None:
        return plan_patch(request.root, options, format=request.format)
    return plan_one(request.file, options, format=request.format)


def _merger(request: Request, settings: Settings, mode: str, target: str | None) -> Callable[..., Applied] | None:
    """The function by which a service merges edits: the one that is named, or else one of the user's that has the
    target loaded which would be asked. None where there is none."""
    url = request.server or settings.url
    if url is None and (request.engine_url or settings.engine_url):
        return None
    if url is None and (mode == "structural" or request.interactive or not _asks(mode, target)):
        return None
    from fastedit.remote import Remote, own_service

    if url is not None:
        return Remote(url, settings.api_key, request.format).apply_edits
    return own_service(target, settings.api_key, request.format, mode)


def _asks(mode: str, target: str | None) -> bool:
    """Whether a lazy edit would make a target work, so that a service that has it loaded saves time."""
    from fastedit.targets.default import NO_TARGET

    return target != NO_TARGET if target else mode == "model"


def _elsewhere(request: Request, settings: Settings, mode: str, target: str | None) -> Askable | None:
    """The target as a vLLM computes it, where one is named and edits are merged here. Raises EngineUnavailable."""
    url = request.engine_url or settings.engine_url
    if url is None or mode == "structural" or request.server or settings.url:
        return None
    from fastedit.engines.target import connect
    from fastedit.engines.wire import Server
    from fastedit.targets.default import EMBEDDED

    return connect(Server(url.rstrip("/"), settings.engine_key), target or EMBEDDED)


@contextmanager
def _uninterrupted(*, is_to_the_end: bool) -> Iterator[None]:
    """Ignores the signals that ask the process to end, for the few milliseconds that writing takes.

    is_to_the_end: they stay ignored after that, as nothing but the end of the run is left.
    """
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, signal.SIG_IGN) for number in numbers}
    try:
        yield
    finally:
        if not is_to_the_end:
            for number, handler in before.items():
                signal.signal(number, handler)


def _silence_stdout() -> None:
    """Lets Python flush its buffers at exit into nothing, instead of complaining about a closed pipe."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
