"""Tells how far a whole result bears out what its message shows and says.

The snippets show lines in their order, with their indentation and the blank lines between; a result that has them
otherwise is seldom meant. The words, and the notes in the snippets, name things: what they call unchanged can't go.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from fastedit.anchor.lazy.comments import log_odds
from fastedit.anchor.lazy.lines import Change, Lines, columns_of
from fastedit.anchor.lazy.message import DOTS, NAME, MessageFacts, code_key, note_behind

# shown_lost: lines of code shown that the result doesn't have. num_changes, num_changed: how much changes.
# blank_lost: lines that follow each other in a snippet with a blank line between them that the result lacks. uneven:
# those with another indentation against each other; uneven_kept: where one of them is an old line; uneven_turned: where
# the one that was further in no longer is.
# dots_written: new lines with dots, which may stand for code. notes_written: lines that only get a note behind them;
# talk_written: how likely such notes, behind any new line, speak to the reader.
# said_gone: names that the words mention and that stand nowhere any more, said_gone_asked: that they say are gone.
# noted_gone, noted_gone_asked: names that a note in a snippet has and that stand nowhere any more, by whether it says
# that something goes. noted_line_gone: names in notes for which a line goes that is about them.
FULFILLED = (
    "shown_lost", "num_changes", "num_changed", "blank_lost", "uneven", "uneven_kept", "uneven_turned", "dots_written",
    "notes_written", "talk_written", "said_gone", "said_gone_asked", "noted_gone", "noted_gone_asked",
    "noted_line_gone",
)  # fmt: skip
MAX_COUNT = 3.0


def fulfilled_by(original: Lines, changes: Sequence[Change], message: MessageFacts) -> tuple[float, ...]:
    """`FULFILLED` of a result. changes: lines [start, end) of the original that become others; ascending."""
    f = dict.fromkeys(FULFILLED, 0.0)
    gone = {line for start, end, _ in changes for line in range(start, end)}
    new = [text for _, _, lines in changes for line in lines if (text := line.strip())]
    f["num_changes"] = math.log(max(1, len(changes)))
    f["num_changed"] = math.log1p(sum(end - start + len(lines) for start, end, lines in changes)) / 2
    written = {code_key(text) for text in new}
    lost = sum(key not in written and all(at in gone for at in places) for key, places in message.code)
    f["shown_lost"] = math.log1p(lost)
    for change in changes:
        _count_steps(f, original, change, message)
    f["dots_written"] = sum(bool(DOTS.search(text)) and "".join(text.split()) not in original.places for text in new)
    _count_notes(f, original, new)
    _count_names(f, original, gone, new, message)
    return tuple(min(MAX_COUNT, f[name]) for name in FULFILLED)


def _count_steps(f: dict[str, float], original: Lines, change: Change, message: MessageFacts) -> None:
    """Fills in the lines that follow each other as in a snippet, but for blank lines and indentation."""
    start, end, lines = change
    before, behind = original.beside(start, end)
    first = max(before, 0)
    texts = [*original.texts[first:start], *lines, *original.texts[end : behind + 1]]
    new = range(start - first, start - first + len(lines))
    row, last = -1, ""
    for at, text in enumerate(texts):
        key = "".join(text.split())
        if not key:
            continue
        step = message.steps.get((last, key)) if last else None
        if step is not None and (row in new or at in new):
            _compare(f, step.columns, columns_of(text) - columns_of(texts[row]), row in new and at in new)
            f["blank_lost"] += step.is_apart and at - row == 1
        row, last = at, key


def _compare(f: dict[str, float], shown: int, made: int, are_new: bool) -> None:
    """Fills in whether a line is as much further in than the one before as the snippet shows it."""
    if shown != made:
        f["uneven" if are_new else "uneven_kept"] += 1
        f["uneven_turned"] += (shown > 0) != (made > 0) or (shown < 0) != (made < 0)


def _count_notes(f: dict[str, float], original: Lines, new: Sequence[str]) -> None:
    """Fills in the notes behind new lines, which may only be for the reader."""
    for text in new:
        note = note_behind(text)
        if note and "".join(text.split()) not in original.places:
            f["notes_written"] += code_key(text) in original.places
            f["talk_written"] += sum(math.exp(log_odds(note)[role]) for role in ("where", "new", "gone"))


def _count_names(
    f: dict[str, float], original: Lines, gone: set[int], new: Sequence[str], message: MessageFacts
) -> None:
    """Fills in the names that stand nowhere any more, by who speaks of them."""
    lost = _names_gone(original, gone, new)
    for name in message.mentioned & lost:
        f["said_gone_asked" if name in message.hints.removed else "said_gone"] += 1
    for note in message.notes if gone else ():
        if note.text in new:
            continue
        for name in note.names:
            if name in lost:
                f["noted_gone_asked" if note.says_gone() else "noted_gone"] += 1
            elif _loses_line(original, gone, new, name):
                f["noted_line_gone"] += not note.says_gone()


def _loses_line(original: Lines, gone: set[int], new: Sequence[str], name: str) -> bool:
    """Whether a line goes that is about a name, and none that comes has it."""
    for line in original.word_places.get(name, ()):
        found = original.identity(line) if line in gone else None
        if found is not None and name in found.name:
            return not any(name in text for text in new)
    return False


def _names_gone(original: Lines, gone: set[int], new: Sequence[str]) -> frozenset[str]:
    """The names of lines that go which stand nowhere any more."""
    old = {name for line in gone for name in NAME.findall(original.stripped[line])}
    old -= {name for text in new for name in NAME.findall(text)}
    return frozenset(name for name in old if all(line in gone for line in original.word_places.get(name, ())))
