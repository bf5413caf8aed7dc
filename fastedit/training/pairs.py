"""Training pairs out of synthesised samples: what production asks a target, and the answer.

A pair is one window of a file as the original, the lines of the assistant's edit that belong to it, and the window's
merged text. Windows and excerpts are cut by the code that cuts them in production.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from fastedit.edits import parse_message
from fastedit.edits.message import edits_for
from fastedit.edits.model import Edit, Format
from fastedit.errors import EditRefused
from fastedit.lines import changed_lines, split_lines
from fastedit.syntax import outline
from fastedit.targets.templates import PLAIN, PromptTemplate
from fastedit.training.synthesis import Sample
from fastedit.verify.excerpts import BETWEEN_PARTS, EditLine, excerpt_of, excerpts_of
from fastedit.verify.windows import WHOLE_FILE_SHARE, LineChange, Window, plan_windows, whole_file

SHARE_AT_DEFAULT_CONTEXT = 0.6
CONTEXTS = (2, 30)  # fewest and most lines of context otherwise
TIGHT_CONTEXTS = (1, 6)
TIGHT_DECLARATION_LINES = 8
SHARE_OF_WHOLE_FILES = 0.05
MAX_DIFFED_LINES = 4000
JOINED = (2, 2, 3, 3, 4, 5)  # so many pairs in one


@dataclass(frozen=True, slots=True)
class Pair:
    """A question for a target, and the answer that it should give.

    original, edit, merged: texts. source: what the pair was made from (a path), for telling held-out pairs.
    kind: what was changed; format: how the edit is written. elisions: (start, end) in `edit` of what stands for lines
    that are left out. codes: for each line of `edit` what of it may stand in the result, None for a line that may not.
    """

    original: str
    edit: str
    merged: str
    source: str
    kind: str
    format: str
    elisions: tuple[tuple[int, int], ...] = ()
    codes: tuple[str | None, ...] = ()

    @property
    def edit_lines(self) -> list[EditLine]:
        elided = {self.edit.count("\n", 0, start) for start, _ in self.elisions}
        lines = zip(self.edit.removesuffix("\n").split("\n"), self.codes, strict=True)
        return [EditLine(line, code, number in elided) for number, (line, code) in enumerate(lines)]

    def with_edit(self, lines: Sequence[EditLine]) -> Pair:
        edit = excerpt_of([lines])
        return replace(self, edit=edit.text, elisions=edit.elisions, codes=edit.codes)

    @property
    def is_lazy(self) -> bool:
        """Whether the edit is a lazy one, and no text ends amid a line."""
        texts = self.original, self.edit, self.merged
        return self.format == Format.LAZY.value and all(text.endswith("\n") for text in texts)


def pairs_of(
    sample: Sample, rng: random.Random, tight: float = 0.0, template: PromptTemplate = PLAIN
) -> Iterator[Pair]:
    """A pair for each window of a sample; none where its message isn't read as one edit of the file.

    tight: the share of samples with windows of a few lines, in which more of the tokens decide something. template: how
    much its target is used to see.
    """
    edit = _read(sample)
    lines = split_lines(sample.original)
    changes = changes_between(lines, split_lines(sample.expected))
    if edit is None or not changes:
        return
    windows = _windows(lines, changes, sample, rng, rng.random() < tight, template)
    for window, excerpt in zip(windows, excerpts_of(edit, windows, lines), strict=True):
        shown = window.with_unix_ends() if window.is_crlf else window
        texts = shown.original, excerpt.text, shown.draft.text
        yield Pair(*texts, sample.path, sample.kind, sample.format.value, excerpt.elisions, excerpt.codes)


def with_joined(pairs: Iterable[Pair], share: float, rng: random.Random) -> Iterator[Pair]:
    """The pairs, of which a `share` are several lazy ones joined to one: text with a decision every few lines.

    Patches stay as they are.
    """
    waiting: list[Pair] = []
    wanted = 0
    for pair in pairs:
        if not pair.is_lazy:
            yield pair
            continue
        wanted = wanted or (rng.choice(JOINED) if rng.random() < share else 1)
        waiting.append(pair)
        if len(waiting) == wanted:
            yield joined(waiting)
            waiting, wanted = [], 0


def joined(pairs: Sequence[Pair]) -> Pair:
    """Lazy pairs joined to one: their texts one behind the other, with an elision between two edits."""
    lines: list[EditLine] = []
    for pair in pairs:
        part = pair.edit_lines
        if lines and lines[-1].is_elision == part[0].is_elision:
            part = part[1:] if part[0].is_elision else [EditLine(BETWEEN_PARTS, is_elision=True), *part]
        lines += part
    edit = excerpt_of([lines])
    original, merged = ("".join(texts) for texts in zip(*((pair.original, pair.merged) for pair in pairs), strict=True))
    return replace(pairs[0], original=original, edit=edit.text, merged=merged, elisions=edit.elisions, codes=edit.codes)


def changes_between(old: list[str], new: list[str]) -> list[LineChange]:
    """The shortest line changes that make `new` out of `old`; none where they are equal or too long to compare."""
    if max(len(old), len(new)) > MAX_DIFFED_LINES:
        return []
    return [LineChange(start, end, tuple(lines)) for start, end, lines in changed_lines(old, new)]


def _read(sample: Sample) -> Edit | None:
    try:
        edits, _ = edits_for(parse_message(sample.edit), sample.path)
    except EditRefused:
        return None
    return edits[0] if len(edits) == 1 else None


def _windows(
    lines: list[str],
    changes: list[LineChange],
    sample: Sample,
    rng: random.Random,
    is_tight: bool,
    template: PromptTemplate,
) -> tuple[Window, ...]:
    """The windows as `fastedit.verify.windows` cuts them, but with other numbers of context lines too."""
    declarations = [
        (declaration.start_line, declaration.end_line)
        for declaration in outline(sample.original, sample.language).declarations
    ]
    if is_tight:
        context = rng.randint(*TIGHT_CONTEXTS)
        return plan_windows(
            lines, changes, declarations, context_lines=context, max_declaration_lines=TIGHT_DECLARATION_LINES
        )
    context = template.context_lines if rng.random() < SHARE_AT_DEFAULT_CONTEXT else rng.randint(*CONTEXTS)
    most = template.declaration_lines
    windows = plan_windows(lines, changes, declarations, context_lines=context, max_declaration_lines=most)
    num_shown = sum(window.end - window.start for window in windows)
    if num_shown > WHOLE_FILE_SHARE * len(lines) or rng.random() < SHARE_OF_WHOLE_FILES:
        return (whole_file(lines, changes, declarations),)
    return windows
