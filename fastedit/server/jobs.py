"""Jobs and their outcomes, as plain data that passes between processes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from fastedit.applied import Applied, Changes, Stats
from fastedit.apply import Begun, apply_edits, asks_target, begin
from fastedit.edits import parse_message
from fastedit.edits.message import edits_for
from fastedit.edits.model import Edit
from fastedit.errors import Warning
from fastedit.guard.verdict import is_worth_asking
from fastedit.merged import DEFAULT_CHOICE, Choice
from fastedit.server.spans import FileSpan, spans_of
from fastedit.syntax import language_of
from fastedit.syntax.languages import language_info, language_of_tag

if TYPE_CHECKING:
    from fastedit.targets.templates import Askable
    from fastedit.verify.asking import DecodeOptions


LARGE_CHARACTERS = 200_000  # of file and edit together: from there on an edit may take more than a moment


@dataclass(frozen=True, slots=True)
class SamplingOptions:
    """The fields of `fastedit.decode.Sampling`, which isn't imported before a target is."""

    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Job:
    """One edit of one file, as asked for.

    sampling: None for greedy. with_spans: whether an outcome that no target streams is to have them. choice: a rule
    for doubt.
    """

    original: str = field(repr=False)
    edit: str = field(repr=False)
    path: str | None = None
    language: str | None = None
    instruction: str | None = field(default=None, repr=False)
    format: str = "auto"
    mode: str = "auto"
    scope: str = "auto"
    sampling: SamplingOptions | None = None
    with_spans: bool = False
    choice: Choice = DEFAULT_CHOICE

    @property
    def name(self) -> str | None:
        """A file name that tells the language: the path or, where it doesn't, one made up from `language`."""
        info = language_info(language_of_tag(self.language or ""))
        if info is None or language_of(self.path, self.original):
            return self.path
        return f"{self.path or 'original'}.{info.extensions[0]}" if info.extensions else self.path

    @property
    def is_large(self) -> bool:
        """Whether it may take so long that small jobs shouldn't wait for it."""
        return len(self.original) + len(self.edit) > LARGE_CHARACTERS

    def edits(self) -> tuple[list[Edit], list[Warning]]:
        """The edits that are meant for the file, and warnings about the others. Raises EditRefused."""
        return edits_for(parse_message(self.edit, format=self.format), self.path)


@dataclass(frozen=True, slots=True)
class JobOutcome:
    """A new file and all that is said about it."""

    text: str = field(repr=False)
    diff: str = field(repr=False)
    changes: Changes
    strategy: str
    warnings: tuple[Warning, ...]
    stats: Stats
    spans: tuple[FileSpan, ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, job: Job, applied: Applied, warnings: Sequence[Warning] = ()) -> JobOutcome:
        named = replace(applied, path=job.path)
        told = (*warnings, *applied.warnings)
        return cls(applied.text, named.diff, named.changes, applied.strategy, told, applied.stats)


@dataclass(frozen=True, slots=True)
class Drafted:
    """A job that a target has a say in, as far as it can be done without."""

    edits: tuple[Edit, ...] = field(repr=False)
    warnings: tuple[Warning, ...]
    begun: Begun = field(repr=False)

    def is_worth_asking(self, original: str, target: Askable) -> bool:
        """Whether the target's word could change anything in `auto`. Of several edits a later one may need it."""
        return len(self.edits) > 1 or is_worth_asking(
            original, self.begun.merged, target.word, only_verifies=target.only_verifies
        )


def run_structural(job: Job) -> JobOutcome:
    """Does the job without a target. Raises EditRefused."""
    edits, warnings = job.edits()
    outcome = _run(job, edits, warnings, mode="structural")
    return replace(outcome, spans=spans_of(job.original, outcome.text)) if job.with_spans else outcome


def run_until_target(job: Job) -> JobOutcome | Drafted:
    """Does the job where no target has a say in it, else the part before one is asked. Raises EditRefused."""
    edits, warnings = job.edits()
    if not any(asks_target(job.mode, edit) for edit in edits):
        return run_structural(job)
    begun = begin(job.original, edits, path=job.name, message=job.edit, instruction=job.instruction, choice=job.choice)
    return Drafted(tuple(edits), tuple(warnings), begun)


def run_drafted(job: Job, drafted: Drafted) -> JobOutcome:
    """Does the rest of a drafted job without a target. Raises EditRefused."""
    outcome = _run(job, drafted.edits, drafted.warnings, mode="structural", begun=drafted.begun)
    return replace(outcome, spans=spans_of(job.original, outcome.text)) if job.with_spans else outcome


def run_with_target(job: Job, drafted: Drafted, target: Askable, options: DecodeOptions) -> JobOutcome:
    """Does the rest of the job with the target. Raises EditRefused, and CancelledError where the options say so."""
    return _run(
        job, drafted.edits, drafted.warnings, mode=job.mode, target=target, options=options, begun=drafted.begun
    )


def _run(
    job: Job,
    edits: Sequence[Edit],
    warnings: Sequence[Warning],
    *,
    mode: str,
    target: Askable | None = None,
    options: DecodeOptions | None = None,
    begun: Begun | None = None,
) -> JobOutcome:
    applied = apply_edits(
        job.original,
        edits,
        path=job.name,
        message=job.edit,
        instruction=job.instruction,
        mode=mode,
        scope=job.scope,
        target=target,
        options=options,
        begun=begun,
        choice=job.choice,
    )
    return JobOutcome.of(job, applied, warnings)
