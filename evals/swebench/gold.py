"""The gold patch as an assistant would have written it: each of its files as an edit in a chosen habit."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from evals.swebench.edits import Message
from evals.swebench.trees import ChangedFile, Store
from fastedit.edits.model import Format
from fastedit.lines import body, split_lines
from fastedit.syntax.languages import language_of
from fastedit.training.synthesis import Change, Splice, Tier, make_change
from fastedit.training.synthesis.document import read_document
from fastedit.training.synthesis.rendering import Rendered, render

DRAWS = 40
KIND = "gold"
RAW = "git diff"


class NotRendered(Exception):
    """A file of the gold patch can't be written as an edit of text: it is binary, a link or a submodule."""


@dataclass(frozen=True, slots=True)
class Habit:
    """How gold patches are written down. name: a row of the synthesis's tables that messages should show, if any."""

    format: Format = Format.LAZY
    tier: Tier = Tier.CLEAR
    name: str = ""
    seed: int = 1


def gold_messages(store: Store, old: str, new: str, habit: Habit, key: str) -> tuple[Message, ...]:
    """One message for each file that differs between two trees, the same for the same habit and key.

    A file that can't be told unambiguously in the habit is written as SEARCH/REPLACE blocks or else as the diff that
    git shows; `written_as` says so. Raises NotRendered.
    """
    return tuple(_message(store, old, new, file, habit, key) for file in store.changed(old, new))


def _message(store: Store, old: str, new: str, file: ChangedFile, habit: Habit, key: str) -> Message:
    if not file.is_regular:
        raise NotRendered(f"{file.path} is no regular file")
    try:
        before, after = (store.blob(blob).decode("utf-8") for blob in (file.old, file.new))
    except UnicodeDecodeError as error:
        raise NotRendered(f"{file.path} isn't UTF-8 text") from error
    if file.old is not None and file.new is not None:
        rng = random.Random(f"{habit.seed}:{key}:{file.path}")
        change = change_between(file.path, before, after)
        for format, tier in _ways(habit) if change is not None else ():
            rendered = _drawn(change, format, tier, habit.name, rng) if change is not None else None
            if rendered is not None:
                return Message(file.path, rendered.text, f"{format.value} {tier.value}", rendered.habits)
    diff = store.diff(old, new, (file.path,))
    if "GIT binary patch" in diff:
        raise NotRendered(f"{file.path} is binary")
    return Message(None, f"```diff\n{diff}```\n", RAW)


def _ways(habit: Habit) -> Iterator[tuple[Format, Tier]]:
    yield habit.format, habit.tier
    if habit.format is not Format.SEARCH_REPLACE:
        yield Format.SEARCH_REPLACE, Tier.CLEAR


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
