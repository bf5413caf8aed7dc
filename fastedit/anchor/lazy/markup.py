"""Signs in a whole result that only files of keys and texts have.

A key that goes though no word speaks of it, one that stands twice under its parent; a title with the underline of
another, a heading that stands where something else was.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise

from fastedit.anchor.lazy.keys.trees import KEYED
from fastedit.anchor.lazy.lines import Change, Identity, Lines, columns_of, identity_of
from fastedit.anchor.lazy.shapes import TEXTS, is_underline, kind_of

# Keys. entry_gone: keys and items that go and that no word outside of the snippets names; entry_gone_marked: where a
# snippet says with dots what stays; entry_gone_full: where words call something complete. table_gone: headers of tables
# and rules that go, which nothing replaces. twice: keys that stand twice under a parent.
# Texts. underline_short: a title that is written with an underline too short for it, or that has two. kind_other: lines
# of another kind than those they take the place of: a heading for a key, an item for a paragraph. glued: a heading or a
# directive right behind text.
MARKUP = (
    "entry_gone", "entry_gone_marked", "entry_gone_full", "table_gone", "twice", "underline_short", "kind_other",
    "glued",
)  # fmt: skip
MAX_ABOVE = 400  # lines that a key's parent is looked for in
MAX_COUNT = 3.0
_KEY_KINDS = frozenset({"key", "assign", "entry"})
_HEADER_KINDS = frozenset({"table", "selector"})
_PARTS = re.compile(r"[\w$@/-]{2,}")


def markup_of(
    original: Lines, changes: Sequence[Change], words: frozenset[str], language: str, *, marked: bool, full: bool
) -> dict[str, float]:
    """`MARKUP` of a result, those that aren't 0. changes: lines [start, end) that become others; ascending.

    words: those of the message outside of its snippets. marked: whether a snippet leaves something out with dots; full:
    whether words call something complete.
    """
    if language in KEYED:
        return _keyed(original, changes, words, language, marked=marked, full=full)
    return _written(original, changes) if language in TEXTS else {}


# ---- keys ------------------------------------------------------------------------------------------------------------


def _keyed(
    original: Lines, changes: Sequence[Change], words: frozenset[str], language: str, *, marked: bool, full: bool
) -> dict[str, float]:
    gone = {line for start, end, _ in changes for line in range(start, end)}
    written = {identity for _, _, new in changes for line in new if (identity := identity_of(line.strip()))}
    lost = headers = 0
    for line in gone:
        identity = original.identity(line)
        if identity is None or identity in written or _is_elsewhere(original.keys[line], changes):
            continue
        if identity.kind in _HEADER_KINDS:
            headers += 1
        elif identity.kind in _KEY_KINDS:
            lost += identity.name not in words and not any(part in words for part in _PARTS.findall(identity.name))
    many = math.log1p(lost)
    return {
        "entry_gone": many * (not marked),
        "entry_gone_marked": many * marked,
        "entry_gone_full": many * full,
        "table_gone": math.log1p(headers),
        "twice": min(MAX_COUNT, _num_twice(original, changes, gone, language)),
    }


def _is_elsewhere(key: str, changes: Sequence[Change]) -> bool:
    return any("".join(line.split()).rstrip(",") == key.rstrip(",") for _, _, new in changes for line in new)


def _num_twice(original: Lines, changes: Sequence[Change], gone: set[int], language: str) -> int:
    """Counts the keys that are written where their parent has the same one, and it stays."""
    count = 0
    for start, _, new in changes:
        is_flat = language in ("toml", "ini")
        least: int | None = None  # the columns of what the new lines stand directly in
        for text in new:
            identity = identity_of(text.strip())
            if is_flat and identity is not None and identity.kind == "table":
                break  # the rest stands in a new table
            column = columns_of(text)
            if not text.strip() or (least is not None and column > least):
                continue
            least = column
            if identity is not None and identity.kind in ("key", "assign"):
                count += _has_twin(identity, start, column, original, gone, is_flat=is_flat)
    return count


def _has_twin(identity: Identity, start: int, column: int, original: Lines, gone: set[int], *, is_flat: bool) -> bool:
    places = original.identities.get(identity, ())
    if not 0 < len(places) <= MAX_ABOVE:
        return False
    twins = [at for at in places if at not in gone and original.columns[at] == column and abs(at - start) <= MAX_ABOVE]
    spans = ((min(at, start), max(at, start)) for at in twins)
    return any(_is_one_block(first, last, column, original, is_flat=is_flat) for first, last in spans)


def _is_one_block(first: int, last: int, column: int, original: Lines, *, is_flat: bool) -> bool:
    """Whether nothing between two positions ends the block that the first stands in."""
    for line in range(first + 1, min(last, len(original))):
        found = original.identity(line) if is_flat and original.columns[line] == 0 else None
        if 0 <= original.columns[line] < column or (found is not None and found.kind == "table"):
            return False
        if original.columns[line] == column and original.stripped[line].startswith("- "):
            return False
    return True


# ---- texts -----------------------------------------------------------------------------------------------------------


def _written(original: Lines, changes: Sequence[Change]) -> dict[str, float]:
    f = dict.fromkeys(("underline_short", "kind_other", "glued"), 0.0)
    for start, end, new in changes:
        before = original.stripped[start - 1] if start else ""
        behind = original.stripped[end] if end < len(original) else ""
        texts = [before, *(line.strip() for line in new), behind]
        f["underline_short"] += _num_odd_titles(texts)
        own = [text for text in texts[1:-1] if text]
        old = [original.stripped[at] for at in range(start, end) if original.keys[at]]
        if old and own:
            f["kind_other"] += kind_of(old[0]) != kind_of(own[0])
        f["glued"] += _begins_block(texts[1:-1]) and bool(before) and kind_of(before) in ("", "item", "row", "quote")
    return {name: min(MAX_COUNT, value) for name, value in f.items()}


def _num_odd_titles(texts: Sequence[str]) -> int:
    """Counts the titles with too short an underline, or with two, in new lines with those before and behind them."""
    count = 0
    for title, line in pairwise(texts):
        if is_underline(line):
            is_new = title in texts[1:-1] and bool(title) and kind_of(title) == ""
            count += is_underline(title) or (is_new and len(line) < len(title))
    return count


def _begins_block(texts: Sequence[str]) -> bool:
    """Whether lines begin with a title or a directive."""
    first = texts[0] if texts else ""
    if kind_of(first) in ("heading", "directive"):
        return True
    return len(texts) > 1 and first != "" and kind_of(first) == "" and is_underline(texts[1])
