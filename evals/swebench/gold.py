"""The gold patch as an assistant would have written it: each of its files as an edit in a chosen habit."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from evals.swebench.edits import Message
from evals.swebench.trees import ChangedFile, Store
from fastedit.edits.model import Format
from fastedit.lines import body, split_lines
from fastedit.syntax.languages import language_of
from fastedit.syntax.model import Declaration
from fastedit.training.synthesis import Change, Splice, Tier, make_change
from fastedit.training.synthesis.document import Document, read_document
from fastedit.training.synthesis.model import NEW
from fastedit.training.synthesis.rendering import render
from fastedit.training.synthesis.rendering.lazy import Rendered

DRAWS = 40
FAR_APART = 12  # lines
KIND = "gold"
RAW = "git diff"


class NotRendered(Exception):
    """A file of the gold patch can't be written as an edit of text: it is binary, in another encoding, or a link."""


@dataclass(frozen=True, slots=True)
class Habit:
    """How gold patches are written down. name: a row of the synthesis's tables that messages should show, if any."""

    format: Format = Format.LAZY
    tier: Tier = Tier.CLEAR
    name: str = ""
    seed: int = 1


def gold_messages(store: Store, old: str, new: str, habit: Habit, key: str) -> tuple[Message, ...]:
    """Messages that make one tree of the other, to be applied in their order; the same for the same habit and key.

    A file whose change can't be told unambiguously in the habit comes in one message for each place, as agents edit
    step by step; what can't be told so either, in SEARCH/REPLACE blocks; and what is no text with plain line ends or
    comes or goes as a whole, as the diff that git shows. `written_as` says which. Raises NotRendered.
    """
    return tuple(
        message for file in store.changed(old, new) for message in _messages(store, old, new, file, habit, key)
    )


def _messages(store: Store, old: str, new: str, file: ChangedFile, habit: Habit, key: str) -> list[Message]:
    if not file.is_regular:
        raise NotRendered(f"{file.path} is no regular file")
    try:
        before, after = (store.blob(blob).decode("utf-8") for blob in (file.old, file.new))
    except UnicodeDecodeError as error:
        raise NotRendered(f"{file.path} isn't UTF-8 text") from error
    change = change_between(file.path, before, after) if file.old and file.new else None
    if change is not None:
        rng = random.Random(f"{habit.seed}:{key}:{file.path}")
        whole = _message(change, habit, (habit.format,), rng)
        messages = [whole] if whole is not None else _place_by_place(change, habit, rng)
        if messages:
            return messages
    return [Message(None, f"```diff\n{store.diff(old, new, (file.path,))}```\n", RAW)]


def _place_by_place(change: Change, habit: Habit, rng: random.Random) -> list[Message]:
    """One message for each place, the last place first, so that the others stay where they are; none where that can't
    be done. Places that make no sense without each other (a bracket and its end) share one."""
    document, messages = change.before, []
    pending: list[Splice] = []
    for place in reversed(_places(change)):
        pending = [*place, *pending]
        step = make_change(document, pending, KIND)
        message = _message(step, habit, (habit.format, Format.SEARCH_REPLACE), rng) if step is not None else None
        if step is not None and message is not None:
            messages.append(message)
            document, pending = step.after, []
    return messages if not pending else []


def _places(change: Change) -> list[list[Splice]]:
    """The splices, those of one function together, and outside of functions those that are near each other."""
    places: list[list[Splice]] = []
    for splice in change.splices:
        last = places[-1][-1] if places else None
        if (
            last is not None
            and _home(change, splice) == _home(change, last)
            and (_home(change, splice) is not None or splice.start - last.end < FAR_APART)
        ):
            places[-1].append(splice)
        else:
            places.append([splice])
    return places


def _home(change: Change, splice: Splice) -> Declaration | None:
    """The outermost function that a splice lies in, or None."""
    around = (
        d for d in change.before.declarations if d.kind == "function" and d.start_line <= splice.start < d.end_line
    )
    return next(around, None)


def _message(change: Change, habit: Habit, formats: Sequence[Format], rng: random.Random) -> Message | None:
    """The change in the first of these formats that can tell it, or None."""
    for format in formats:
        if format is Format.LAZY and _rehouses(change):
            continue
        tier = habit.tier if format is habit.format else Tier.CLEAR
        rendered = _drawn(change, format, tier, habit.name, rng)
        if rendered is not None:
            return Message(change.before.path, rendered.text, f"{format.value} {tier.value}", rendered.habits)
    return None


def _rehouses(change: Change) -> bool:
    """Whether code that stays comes to belong to another declaration (a header put into the middle of a function, or
    taken out of it): a snippet would have to leave out code of a function that the file doesn't have."""
    before, after = change.before, change.after
    come = _headers(after, [n for n, origin in enumerate(change.origin) if origin == NEW], before)
    kept = {origin for origin in change.origin if origin != NEW}
    gone = _headers(before, [n for n in range(len(before.lines)) if n not in kept], after)
    return any(
        change.origin[n] != NEW and after.lines[n].strip() for d in come for n in range(d.body_line, d.end_line)
    ) or any(n in kept and before.lines[n].strip() for d in gone for n in range(d.body_line, d.end_line))


def _headers(document: Document, numbers: Sequence[int], other: Document) -> list[Declaration]:
    """The functions and classes whose header is one of these lines, and that the other document doesn't have."""
    names = {(declaration.kind, declaration.name) for declaration in other.declarations}
    return [
        declaration
        for declaration in document.declarations
        if declaration.kind in ("function", "class")
        and declaration.header_line in numbers
        and (declaration.kind, declaration.name) not in names
    ]


def _drawn(change: Change, format: Format, tier: Tier, name: str, rng: random.Random) -> Rendered | None:
    """A rendering that shows the habit of that name, or else the first that was drawn, or None where none was."""
    first = None
    for _ in range(DRAWS):
        rendered = render(change, tier, format, rng)
        if rendered is not None and (not name or name in rendered.habits):
            return rendered
        first = first or rendered
    return first


def change_between(path: str, before: str, after: str) -> Change | None:
    """What synthesis renders, or None where it couldn't show it (mixed line ends, a final newline that comes or goes,
    a result that parses worse than the original)."""
    if before.endswith("\n") != after.endswith("\n"):
        return None
    document = read_document(path, language_of(path, before), before)
    if document is None:
        return None
    new = [body(line) for line in split_lines(after)]
    matcher = SequenceMatcher(None, document.lines, new, autojunk=False)
    splices = [
        Splice(start, end, tuple(new[new_start:new_end]))
        for tag, start, end, new_start, new_end in matcher.get_opcodes()
        if tag != "equal"
    ]
    change = make_change(document, splices, KIND)
    return change if change is not None and change.after.text == after else None
