"""The snippets and words of a message, and how much of them a result bears out.

A reading is chosen for how well it explains the snippets. Whether it is right also shows in what the message asks for
and the result doesn't have: code in the prose that is nowhere, a name for another that stands as before, a snippet that
changes nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from fastedit.anchor.hints import Hints, is_path, says_gone
from fastedit.anchor.lazy.everywhere import says_everywhere
from fastedit.anchor.lazy.lines import KEY_WORD, Change, Lines
from fastedit.patterns import pattern

# missing: code in the prose that neither the original nor the result has. renamed_not: pairs of quotes, one for the
# other, that don't show in the result. lost: code of the snippets that the result doesn't have. idle: snippets that
# change nothing. removed: names said to be gone. everywhere: several places are spoken of. unknown: names in the prose
# that nobody else knows. twice: lines beside changes that the original has twice. hunks, changed: how much changes.
# asks_gone: the words say that something goes.
TOLD = (
    "missing", "renamed", "renamed_not", "lost", "idle", "removed", "everywhere", "unknown", "twice", "hunks",
    "changed", "asks_gone",
)  # fmt: skip
_QUOTE = pattern(r"`([^`\n]{2,})`")
_RENAMED = pattern(
    r"`([^`\n]+)`(?:\s+\w+){0,3}\s*(?:→|->|=>|⇒|\b(?:becomes?|to|by|with|into|wird|zu|durch|devient|par|por|pasa a)\b)"
    r"(?:\s+\w+){0,2}\s*`([^`\n]+)`"
)
_INSTEAD = pattern(
    r"`([^`\n]+)`\s+(?:instead of|rather than|in place of|replaces|statt|anstelle von)\s+(?:\w+\s+)?`([^`\n]+)`"
    r"|`([^`\n]+)`\s*[(–,]\s*(?:\w+\s+)?(?:was|were|formerly|previously|war|bisher|vorher|était|antes|era|prima|было|был)"
    r"\s+`([^`\n]+)`"
)
# Two for two: `a` / `b` to `c` / `d`.
_RENAMED_BOTH = pattern(
    r"`([^`\n]+)`\s*(?:/|,|&|and|und|y|et|e)\s*`([^`\n]+)`\s*(?:→|->|=>|⇒|\b(?:becomes?|to|by|with|into)\b)\s*"
    r"`([^`\n]+)`\s*(?:/|,|&|and|und|y|et|e)\s*`([^`\n]+)`"
)
# Lines of prose that quote: `> like this`, or indented as code is.
_QUOTED_LINE = pattern(r"^(?:>[ \t]?|[ ]{4,}|\t)(\S.*)$")
_CODE = pattern(r"[(){}\[\]=<>;+*/%&|!\"']|\w\s\w|\w\.\w")
MAX_COUNT = 3.0


@dataclass(frozen=True)
class Shown:
    """The snippets and words of a message, for all of its readings.

    keys: the lines of its snippets without white space, blank ones too; prose: its words around them.
    """

    keys: tuple[tuple[str, ...], ...]
    hints: Hints
    prose: str

    @cached_property
    def lines(self) -> frozenset[str]:
        """The lines that tell something."""
        return frozenset(key for own in self.keys for key in own if sum(one.isalnum() for one in key) > 1)

    @cached_property
    def gone(self) -> frozenset[str]:
        """The code that the words say is gone, without white space."""
        return frozenset(map(_bare, self.hints.gone))

    @cached_property
    def quotes(self) -> tuple[str, ...]:
        """The code that the prose quotes."""
        lines = (found[1] for line in self.prose.split("\n") if (found := _QUOTED_LINE.match(line)) is not None)
        quoted = (one.strip() for one in (*_QUOTE.findall(self.prose), *lines))
        return tuple(dict.fromkeys(one for one in quoted if _CODE.search(one) and not is_path(one)))

    @cached_property
    def renamed(self) -> tuple[tuple[str, str], ...]:
        """Pairs of quotes: what was, and what is to be in its place."""
        pairs = [*_RENAMED.findall(self.prose)]
        pairs += [(old or was, new or now) for new, old, now, was in _INSTEAD.findall(self.prose)]
        for first, second, new_first, new_second in _RENAMED_BOTH.findall(self.prose):
            pairs = [pair for pair in pairs if pair != (second, new_first)]
            pairs += [(first, new_first), (second, new_second)]
        return tuple(dict.fromkeys((old.strip(), new.strip()) for old, new in pairs))

    @cached_property
    def asks_gone(self) -> bool:
        """Whether the words say that something goes."""
        return says_gone(self.prose)

    @cached_property
    def asks_everywhere(self) -> bool:
        """Whether the words speak of several places."""
        return says_everywhere(self.prose)


def shown_of(snippets: Sequence[Sequence[str]], hints: Hints, prose: str) -> Shown:
    """Collects what a message shows and says. snippets: the lines of each."""
    return Shown(tuple(tuple(map(_bare, snippet)) for snippet in snippets), hints, prose)


def _changed(keys: Sequence[str], changes: Sequence[Change], new_keys: Sequence[Sequence[str]]) -> list[str]:
    """The keys of a result. new_keys: those of the new lines of each change."""
    result = list(keys)
    for (start, end, _), new in zip(reversed(changes), reversed(new_keys), strict=True):
        result[start:end] = new
    return result


def _bare(text: str) -> str:
    """A text without white space."""
    return "".join(text.split())


def told_by(shown: Shown, original: Lines, changes: Sequence[Change]) -> dict[str, float]:
    """`TOLD` of a result. changes: lines [start, end) of the original that become others; ascending."""
    keys, places = original.keys, original.places
    new_keys = [[_bare(line) for line in new] for _, _, new in changes]
    written = Counter(key for new in new_keys for key in new)
    gone = Counter(key for start, end, _ in changes for key in keys[start:end])
    lost = sum(not written[key] and len(places.get(key, ())) <= gone[key] for key in shown.lines)
    mentioned = [name for name in shown.hints.mentioned if len(name) > 2]
    known = original.key_words | set(KEY_WORD.findall("\n".join(written))) if mentioned else set()
    before = after = ""
    if shown.quotes or shown.renamed:
        before, after = "\n".join(keys), "\n".join(_changed(keys, changes, new_keys))
    beside = [at for start, end, _ in changes for at in (start - 1, end) if 0 <= at < len(keys) and keys[at]]
    values = {
        "missing": sum(one not in after and one not in before for one in map(_bare, shown.quotes)),
        "renamed": len(shown.renamed),
        "renamed_not": sum(
            new not in after or (old not in new and after.count(old) >= before.count(old) > 0)
            for old, new in (map(_bare, pair) for pair in shown.renamed)
        ),
        "lost": math.log1p(lost),
        "idle": sum(not any(written[key] for key in own if key) for own in shown.keys) if changes else 0,
        "removed": len(shown.hints.removed),
        "everywhere": shown.asks_everywhere,
        "unknown": sum(name not in known for name in mentioned),
        "twice": sum(len(places[keys[at]]) > 1 for at in beside) / max(1, len(beside)),
        "hunks": math.log(max(1, len(changes))),
        "changed": math.log1p(sum(end - start + len(new) for start, end, new in changes)) / 2,
        "asks_gone": shown.asks_gone,
    }
    return {name: min(MAX_COUNT, float(value)) for name, value in values.items()}
