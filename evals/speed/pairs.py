"""Pairs of an original and its edited text, from a folder of cases or derived from the standard library.

A folder of cases holds `ID/original/`, `ID/expected/` (same relative paths) and `ID/edit.md`.
"""

from __future__ import annotations

import difflib
import random
import re
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DEFAULT_CASES = Path("../shared/apply_cases/cases")
MARKER = re.compile(r"^\W*(\.\.\.|…)(?!\w)|existing|unchanged|as (before|is)\b")
FENCE = re.compile(r"^(`{3,}|~{3,})")


@dataclass(frozen=True, slots=True)
class Pair:
    """edit: the message that asks for the change. snippets: its new lines, cut at the markers."""

    name: str
    original: str
    edited: str
    edit: str
    snippets: tuple[str, ...]

    @property
    def num_lines(self) -> int:
        return self.original.count("\n") + 1

    @property
    def changed_share(self) -> float:
        """Share of the lines of both texts that aren't in the other."""
        old, new = self.original.split("\n"), self.edited.split("\n")
        return 1 - difflib.SequenceMatcher(None, old, new, autojunk=False).ratio()


def load_pairs(folder: Path | None, num_derived: int = 24) -> tuple[list[Pair], str]:
    """The pairs and a sentence on where they come from.

    folder: None for `DEFAULT_CASES`; where that doesn't exist, pairs are derived from the standard library, and the
    sentence says so loudly. An explicitly named folder has to exist.
    """
    chosen = DEFAULT_CASES if folder is None else folder
    if folder is None and not chosen.is_dir():
        return derived_pairs(num_derived), "NO APPLY CASES FOUND: pairs derived from the standard library instead"
    return sorted(_from_cases(chosen), key=lambda pair: pair.name), f"pairs from {chosen.name}"


def derived_pairs(count: int, seed: int = 0) -> list[Pair]:
    """Standard-library modules with a few lines changed, inserted and deleted, and the snippet that says so."""
    chance = random.Random(seed)
    paths = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
    texts = [(path.stem, path.read_bytes().decode("utf-8", errors="replace")) for path in paths]
    usable = [(name, text) for name, text in texts if 100 <= text.count("\n") <= 800]
    return [_derived(name, text, chance) for name, text in chance.sample(usable, min(count, len(usable)))]


def edit_of(lines: list[str], count: int, chance: random.Random, length: int = 5) -> list[tuple[int, int, list[str]]]:
    """`count` changes (start, end, new lines) of about `length` lines in all, in order, apart from each other."""
    slots = [index for index in range(4, len(lines) - 4) if lines[index].strip()]
    places = sorted(chance.sample(slots, min(count, len(slots))))
    changes: list[tuple[int, int, list[str]]] = []
    for place in places:
        if changes and place < changes[-1][1] + 3:
            continue
        indent = lines[place][: len(lines[place]) - len(lines[place].lstrip())]
        kind = chance.choice(("insert", "replace", "replace", "delete"))
        renamed = re.sub(r"\b([a-z_]{4,})\b", lambda match: f"{match[1]}_{chance.randrange(10)}", lines[place], count=1)
        added = [f"{indent}checked_{chance.randrange(1000)} = validate({chance.randrange(1000)}, strict=True)"]
        new = {"insert": [lines[place], *added * max(1, length // count)], "replace": [renamed], "delete": []}[kind]
        changes.append((place, place + 1, new))
    return changes


def _derived(name: str, text: str, chance: random.Random) -> Pair:
    lines = text.split("\n")
    changes = edit_of(lines, chance.choice((1, 1, 2, 3, 5, 8)), chance)
    edited, snippets, at = [], [], 0
    for start, end, new in changes:
        edited += [*lines[at:start], *new]
        snippets.append("\n".join([*lines[max(at, start - 3) : start], *new, *lines[end : end + 3]]))
        at = end
    edited += lines[at:]
    edit = "\n# ... existing code ...\n".join(snippets)
    return Pair(f"stdlib-{name}", text, "\n".join(edited), edit, tuple(snippets))


def _from_cases(folder: Path) -> Iterator[Pair]:
    for case in sorted(path for path in folder.iterdir() if (path / "expected").is_dir()):
        message = (case / "edit.md").read_bytes().decode("utf-8")
        for expected in sorted(path for path in (case / "expected").rglob("*") if path.is_file()):
            relative = expected.relative_to(case / "expected")
            original = case / "original" / relative
            if not original.is_file():
                continue
            old, new = (path.read_bytes().decode("utf-8") for path in (original, expected))
            if old != new:
                yield Pair(f"{case.name}/{relative}", old, new, message, snippets_of(message))


def snippets_of(message: str) -> tuple[str, ...]:
    """The new lines of a message's edits, cut at markers and hunks: fences, diffs and SEARCH/REPLACE blocks."""
    pieces: list[list[str]] = [[]]
    fence, is_diff = "", False
    for line in message.replace("\r\n", "\n").split("\n"):
        opening = FENCE.match(line.strip())
        if opening and (not fence or opening[1] == fence):
            fence = "" if fence else opening[1]
            pieces.append([])
            is_diff = False
        elif line.startswith(("@@", "*** ", "+++ ", "<<<<<<<", "=======", ">>>>>>>")):
            is_diff = is_diff or line.startswith(("@@", "*** ", "+++ "))
            pieces.append([])
            fence = fence or ("-" if not line.startswith(">>>>>>>") else "")
        elif fence and MARKER.search(line):
            pieces.append([])
        elif fence and not (is_diff and line.startswith("-")):
            pieces[-1].append(line[1:] if is_diff else line)
    return tuple("\n".join(piece) + "\n" for piece in pieces if any(line.strip() for line in piece))
