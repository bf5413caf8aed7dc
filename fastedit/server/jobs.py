"""What is to be done and what came of it, as plain data that passes between processes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from fastedit.applied import Applied, Changes, Stats
from fastedit.apply import apply_edits
from fastedit.edits import parse_message
from fastedit.edits.model import Edit
from fastedit.edits.select import edits_for
from fastedit.errors import Warning
from fastedit.server.spans import Span, spans_of
from fastedit.syntax import language_of
from fastedit.syntax.languages import language_info, language_of_tag


@dataclass(frozen=True, slots=True)
class Job:
    """One edit of one file, as asked for. with_spans: whether the outcome is to tell them."""

    original: str = field(repr=False)
    edit: str = field(repr=False)
    path: str | None = None
    language: str | None = None
    instruction: str | None = field(default=None, repr=False)
    format: str = "auto"
    mode: str = "auto"
    scope: str = "auto"
    with_spans: bool = False

    @property
    def name(self) -> str | None:
        """A file name that tells the language: the path or, where it doesn't, one made up from `language`."""
        info = language_info(language_of_tag(self.language or ""))
        if info is None or language_of(self.path, self.original):
            return self.path
        return f"{self.path or 'original'}.{info.extensions[0]}" if info.extensions else self.path

    def edits(self) -> tuple[list[Edit], list[Warning]]:
        """The edits that are meant for the file, and warnings about the others. Raises EditRefused."""
        return edits_for(parse_message(self.edit, format=self.format), self.path)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A new file and all that is said about it."""

    text: str = field(repr=False)
    diff: str = field(repr=False)
    changes: Changes
    strategy: str
    warnings: tuple[Warning, ...]
    stats: Stats
    spans: tuple[Span, ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, job: Job, applied: Applied, warnings: Sequence[Warning] = ()) -> Outcome:
        named = replace(applied, path=job.path)
        spans = spans_of(job.original, applied.text) if job.with_spans else ()
        told = (*warnings, *applied.warnings)
        return cls(applied.text, named.diff, named.changes, applied.strategy, told, applied.stats, spans)


def run_structural(job: Job) -> Outcome:
    """The job done without a target. Raises EditRefused."""
    edits, warnings = job.edits()
    applied = apply_edits(
        job.original,
        edits,
        path=job.name,
        message=job.edit,
        instruction=job.instruction,
        mode="structural",
        scope=job.scope,
    )
    return Outcome.of(job, applied, warnings)
