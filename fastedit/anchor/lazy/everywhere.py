"""Changes that are meant for every place: `each of the three`, `in both`, shown once."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fastedit.anchor.lazy.lines import Change

MIN_TELLING = 8  # characters of what is changed
MAX_PLACES = 20
_SAID = re.compile(
    r"\b(?:each|every(?:where)?|all|both|throughout|same|twice|likewise|two|three|four|five|six|seven|eight|"
    r"jede\w*|alle[ns]?|beide\w*|überall|gleich\w*|zwei|drei|vier|cada|tod[oa]s|amb[oa]s|mism\w+|dos|tres|cuatro|"
    r"chaque|tous|toutes|deux|trois|quatre|partout|même\w*|ogni|tutt[ie]|entramb\w+|stess\w+|ovunque|due|tre|quattro|"
    r"mesm\w+|dois|duas|três|quatro|кажд\w+|все\w*|оба|обе|двух|тр[иё]х|wszystki\w+|każd\w+|oba|obie|dwa|trzy|elke|twee|drie)\b"
    r"|每|所有|都|全部|两处|两个|三处|すべて|全て|両方|それぞれ|모든|각각|둘 다",
    re.IGNORECASE,
)


def says_everywhere(words: str) -> bool:
    """Whether words speak of several places."""
    return _SAID.search(words) is not None


def repeated(changes: Sequence[Change], original: Sequence[str]) -> list[Change]:
    """The changes, each of them also made where the original has the same lines again; none where it nowhere has.

    changes: lines [start, end) of the original that become others; ascending. Where the lines stand at another column
    there, so do the new ones.
    """
    more: list[Change] = []
    taken = {line for start, end, _ in changes for line in range(start, end)}
    keys = ["".join(line.split()) for line in original]
    for start, end, new in changes:
        block = keys[start:end]
        if not new or sum(map(len, block)) < MIN_TELLING:
            continue
        places = [at for at in range(len(keys) - len(block) + 1) if keys[at] == block[0] and at != start]
        places = [at for at in places if keys[at : at + len(block)] == block]
        free = [at for at in places if not taken.intersection(range(at, at + len(block)))]
        if not free or len(places) > MAX_PLACES:
            continue
        for at in free:
            if not taken.intersection(range(at, at + len(block))):
                taken.update(range(at, at + len(block)))
                more.append((at, at + len(block), _moved(new, original[start], original[at])))
    return sorted((*changes, *more), key=lambda one: (one[0], one[1])) if more else []


def _moved(new: Sequence[str], from_line: str, to_line: str) -> list[str]:
    """The lines at the indentation of another line than the one they were written for."""
    before, behind = (line[: len(line) - len(line.lstrip())] for line in (from_line, to_line))
    if before == behind:
        return list(new)
    return [behind + line[len(before) :] if line.startswith(before) and line.strip() else line for line in new]
