"""Signs in what goes with a result that it can't be meant: half a pair of brackets goes, one of several like lines.

Like `COHERENCE`, these facts are read where all snippets are merged. A careful reader asks of each line that goes
what it declared, whether its kin stay, and whether anybody spoke of it.

Some signs only files of keys and texts have: a key that goes though no word speaks of it, one that stands twice under
its parent; a title with the underline of another, a heading that stands where something else was.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from rapidfuzz.fuzz import ratio

from fastedit.anchor.lazy.identity import PREPROCESSED, Identity, bound_names, columns_of, identity_of, is_comment_text
from fastedit.anchor.lazy.keys.trees import KEYED
from fastedit.anchor.lazy.lines import Change, Lines
from fastedit.anchor.lazy.result.message import NAME, MessageFacts
from fastedit.anchor.lazy.words.shapes import TEXTS, is_underline, kind_of
from fastedit.patterns import pattern

# unbalanced: kinds of brackets of which more open than before, or fewer. comment_torn: ends of comments that lack the
# other one. directives: `#if`s more than `#endif`s, or fewer.
# lost_...: lines that go and nobody writes anew, by what they are, and by whether the words have their name.
# bound_twice: names that new lines bind, and lines of the same block do that stay though nobody shows them.
# sibling_gone: lines that go for a line like them, though lines as like stay beside them; sibling_unsaid: and no word
# of the message is about what they had of their own.
# swapped_kin: lines that go for a line about something else, between others of their kind, though no snippet shows what
# is beside it on both sides: it may just be added. swapped_odd: the only such line of a result that adds elsewhere.
# marked_swapped: changes beside a marker that give up one of several of a kind for another one; marked_swapped_unsaid:
# and no word of the message is about what goes.
# comment_cut: stretches of comments that go where the snippet shows what is around them without a gap; cut_lines: their
# size; cut_inside: those with more of the comment behind.
# captured: lines that stay but no longer in the block that they stood in, since new lines come between, and that block
# stays too. closer_off: lines that close a bracket, where another closing line stands at their column above.
# closer_askew: those that stand at another column than the line that opens it, more of them than before.
# marked_...: in a message with markers, where what goes is mostly shown to: lines that go, stretches of them with
# nothing in their place, and those with fewer lines in it.
LOSSES = (
    "unbalanced", "comment_torn", "directives", "lost_decl_said", "lost_decl_unsaid", "lost_key_said",
    "lost_key_unsaid", "lost_import_said", "lost_import_unsaid", "bound_twice", "sibling_gone", "sibling_unsaid",
    "swapped_kin", "swapped_odd", "marked_swapped", "marked_swapped_unsaid", "comment_cut", "comment_cut_lines",
    "comment_cut_inside", "marked_lines", "marked_bare", "marked_fewer", "captured", "closer_off", "closer_askew",
)  # fmt: skip
MAX_COUNT = 3.0
NEAR = 25  # lines between two that bind a name
NEAR_SIBLINGS = 12
MAX_SWAPPED, MIN_ADDING = 2, 3  # lines that go for others in one place; places in which a result adds
MIN_LIKE, SLACK = 55.0, 5.0  # percent
MAX_OLD, MAX_NEW = 6, 12  # lines of a change that are compared
MIN_LENGTH = 8  # characters of a line that has siblings
MAX_LENGTH = 200  # of one that declares a variable
MAX_BEHIND = 40  # lines behind a change that are looked at for ones that it captures
MAX_ABOVE = 400  # lines above one that closes a bracket
_KINDS = {"decl": "decl", "case": "decl", "arm": "decl", "key": "key", "import": "import"}
_KIN_KINDS = frozenset("entry key decl tag case arm selector table import".split())
MIN_KIN = 1  # others of a kind
_DIRECTIVE = pattern(r"#\s*(?:(if)|endif)")
_PARTS = re.compile(r"[./\\:\"'\s]+")
_DECLARED = pattern(r"^(?:[\w:<>,*&]+\s+)+?[*&]*(?P<name>[A-Za-z_]\w*)\s*(?:=.*|\[.*\])?;$")
_TYPED = frozenset("c cpp java csharp objc".split())  # languages whose variables are declared by their type
_GOES_ON = pattern(
    r"[)\]}#]|</|(?:else|elif|except|finally|catch|case|default|when|end|rescue|ensure|public|private)\b"
)
_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'")
_CLOSES = pattern(r"[)\]}]+[;,]*$")
_NOT_TYPES = frozenset("return throw goto delete using package import typedef new".split())
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
_KEY_KINDS = frozenset({"key", "assign", "entry"})
_HEADER_KINDS = frozenset({"table", "selector"})
_KEY_PARTS = re.compile(r"[\w$@/-]{2,}")


def losses_of(original: Lines, changes: Sequence[Change], message: MessageFacts, language: str) -> tuple[float, ...]:
    """`LOSSES` of a result. changes: lines [start, end) of the original that become others; ascending."""
    f = dict.fromkeys(LOSSES, 0.0)
    gone = {line for start, end, _ in changes for line in range(start, end)}
    new = [text for _, _, lines in changes for line in lines if (text := line.strip())]
    _count_brackets(f, [original.stripped[line] for line in gone], new, language)
    _count_lost(f, original, gone, new, message)
    if message.is_marked:
        _count_marked(f, original, changes, new)
    _count_swaps(f, original, changes, message)
    for change in changes:
        _count_bound(f, original, change, gone, message, language)
        _count_siblings(f, original, change, gone, message)
        _count_comments(f, original, change, message)
        _count_marked_swap(f, original, change, message)
        f["captured"] += _num_captured(original, change, gone)
        f["closer_off"] += _is_closed_askew(original, change)
        f["closer_askew"] += _num_askew(original, change)
    return tuple(min(MAX_COUNT, f[name]) for name in LOSSES)


@lru_cache(maxsize=8192)  # results of one edit are asked for the same lines
def _identity(text: str) -> Identity | None:
    return identity_of(text)


def _count_brackets(f: dict[str, float], old: Sequence[str], new: Sequence[str], language: str) -> None:
    """Fills in what is open in the lines that come otherwise than in those that go."""
    before = "\n".join(text for text in old if not is_comment_text(text))
    after = "\n".join(text for text in new if not is_comment_text(text))
    for opening, closing in ("()", "[]", "{}"):
        more = after.count(opening) - after.count(closing) - before.count(opening) + before.count(closing)
        f["unbalanced"] += more != 0
    f["comment_torn"] = float(abs(_open_comments(new) - _open_comments(old)))
    if language in PREPROCESSED:
        f["directives"] = float(abs(_directives(new) - _directives(old)))


def _open_comments(texts: Sequence[str]) -> int:
    """Counts how many more comments begin than end, where lines begin or end with their signs."""
    return sum(text.startswith("/*") for text in texts) - sum(text.endswith("*/") for text in texts)


def _directives(texts: Sequence[str]) -> int:
    """Counts how many more `#if`s than `#endif`s there are."""
    found = (_DIRECTIVE.match(text) for text in texts if text[:1] == "#")
    return sum(1 if one[1] else -1 for one in found if one is not None)


def _count_lost(
    f: dict[str, float], original: Lines, gone: set[int], new: Sequence[str], message: MessageFacts
) -> None:
    """Fills in the lines of a kind and a name that go and that nobody writes anew."""
    written = {_identity(text) for text in new}
    for line in gone:
        found = original.identity(line)
        kind = _KINDS.get(found.kind) if found is not None else None
        if found is None or kind is None or found in written:
            continue
        name = next((part for part in reversed(_PARTS.split(found.name)) if part), "")
        is_said = name in (message.prose_words if kind == "decl" else message.words)
        f[f"lost_{kind}_{'said' if is_said else 'unsaid'}"] += 1


def _count_marked(f: dict[str, float], original: Lines, changes: Sequence[Change], new: Sequence[str]) -> None:
    """Fills in what goes, for a message with markers."""
    written = {"".join(text.split()) for text in new}
    num_gone = 0
    for start, end, lines in changes:
        old = [line for line in range(start, end) if original.keys[line]]
        num_gone += sum(not original.is_trivial[line] and original.keys[line] not in written for line in old)
        is_bare = not any(map(str.strip, lines))
        f["marked_bare"] += bool(old) and is_bare
        f["marked_fewer"] += not is_bare and end - start > len(lines)
    f["marked_lines"] = math.log1p(num_gone)


# ---- twice -----------------------------------------------------------------------------------------------------------


def _count_bound(
    f: dict[str, float], original: Lines, change: Change, gone: set[int], message: MessageFacts, language: str
) -> None:
    """Fills in the names that a change binds though a line of the same block does that nobody shows."""
    start, end, lines = change
    for text in lines:
        names = _bound(text, language)
        column = columns_of(text) if names else 0
        for name in names:
            for line in original.word_places.get(name, ()):
                is_near = start - NEAR <= line < end + NEAR and line not in gone and original.columns[line] == column
                if not is_near or original.keys[line] in message.keys:
                    continue
                between = range(line, start) if line < start else range(end, line)
                if name in _bound(original.texts[line], language) and all(
                    original.columns[at] < 0 or original.columns[at] >= column for at in between
                ):
                    f["bound_twice"] += 1


@lru_cache(maxsize=8192)
def _bound(line: str, language: str) -> tuple[str, ...]:
    """The names that a line binds, a variable that is declared by its type among them."""
    names = bound_names(line, language)
    found = _DECLARED.match(line.strip()) if language in _TYPED and len(line) < MAX_LENGTH else None
    if found is None or found["name"] in names or line.split()[0] in _NOT_TYPES:
        return names
    return (*names, found["name"])


# ---- blocks ----------------------------------------------------------------------------------------------------------


def _num_captured(original: Lines, change: Change, gone: set[int]) -> int:
    """Counts the lines behind a change that its new lines take out of a block that stays.

    The first line behind, and each that stands further out than those before it: the others are in blocks of these.
    """
    new = [line for line in change[2] if line.strip() and not _GOES_ON.match(line.strip())]
    new = [line for line in new if not is_comment_text(line.strip())]
    if not new:
        return 0
    outermost = min(map(columns_of, new))
    count, least = 0, -1
    for at in range(change[1], min(len(original), change[1] + MAX_BEHIND)):
        column = original.columns[at]
        if at in gone or column < 0 or (0 <= least <= column) or original.is_trivial[at]:
            continue
        if column <= outermost:
            break
        least = column
        count += any(block not in gone and original.columns[block] >= outermost for block in original.ancestors(at))
    return count


def _is_closed_askew(original: Lines, change: Change) -> bool:
    """Whether a line that is written to close a bracket has another such above it at its column, and no opening one."""
    start, end, new = change
    old = [original.texts[line] for line in range(start, end)]
    return any(
        _closes_askew(new[:number], original, start, line)
        and not any(_closes_askew(old[:at], original, start, one) for at, one in enumerate(old))
        for number, line in enumerate(new)
    )


def _closes_askew(above: Sequence[str], original: Lines, start: int, line: str) -> bool:
    if not _CLOSES.match(line.strip()):
        return False
    column = columns_of(line)
    for text in reversed(above):
        if text.strip() and columns_of(text) <= column:
            return _CLOSES.match(text.strip()) is not None
    for at in range(start - 1, max(-1, start - MAX_ABOVE), -1):
        if 0 <= original.columns[at] <= column:
            return _CLOSES.match(original.stripped[at]) is not None
    return False


def _num_askew(original: Lines, change: Change) -> int:
    """Counts the lines that close a bracket elsewhere than the line that opens it stands; more of them than before."""
    start, end, new = change
    old = [original.texts[line] for line in range(start, end)]
    more = _closers_askew(new, original, start)
    return max(0, more - _closers_askew(old, original, start)) if more else 0


def _closers_askew(lines: Sequence[str], original: Lines, start: int) -> int:
    return sum(
        columns_of(line) not in _opening_columns(lines[:number], original, start, line)
        for number, line in enumerate(lines)
        if _CLOSES.match(line.strip())
    )


def _opening_columns(above: Sequence[str], original: Lines, start: int, closing: str) -> set[int]:
    """The columns of the line that opens what another closes, and of the one that its statement begins with.

    The closing line's own where none is found.
    """
    columns = set[int]()
    depth = _brackets(closing)[0]
    least = max(-1, start - MAX_ABOVE)
    for text in (*reversed(above), *(original.texts[at] for at in range(start - 1, least, -1))):
        closes, opens = _brackets(text)
        depth -= opens
        if opens and depth <= 0:
            columns.add(columns_of(text))
            depth = 0
            if not closes:
                return columns
        depth += closes
    return columns or {columns_of(closing)}


@lru_cache(maxsize=8192)
def _brackets(line: str) -> tuple[int, int]:
    """The number of brackets that a line closes and doesn't open, and of those that it leaves open."""
    opens = closes = 0
    for sign in _STRING.sub("", line) if not is_comment_text(line.strip()) else "":
        if sign in "([{":
            opens += 1
        elif sign in ")]}":
            closes, opens = closes + (not opens), opens - bool(opens)
    return closes, opens


# ---- kin -------------------------------------------------------------------------------------------------------------


def _count_siblings(
    f: dict[str, float], original: Lines, change: Change, gone: set[int], message: MessageFacts
) -> None:
    """Fills in the lines that new ones took the place of, though others as like them stay: they may just be new kin."""
    start, end, lines = change
    new = [text for line in lines if (text := line.strip())][:MAX_NEW]
    if start == end or not new:
        return
    written = {name for line in lines for name in NAME.findall(line)}
    known = {_identity(text) for text in new}
    old = [line for line in range(start, end) if _tells(original, line) and not original.is_comment(line)]
    for line in old[:MAX_OLD]:
        text, identity = original.stripped[line], original.identity(line)
        if len(text) < MIN_LENGTH or (identity is not None and identity in known):
            continue
        alike = max(_ratio(text, other) for other in new)
        if not MIN_LIKE <= alike < 100:
            continue
        if any(alike - SLACK <= _ratio(text, original.stripped[at]) < 100 for at in _beside(original, line, gone)):
            f["sibling_gone"] += 1
            own = set(NAME.findall(text)) - written
            f["sibling_unsaid"] += bool(own) and not own & message.words


def _count_marked_swap(f: dict[str, float], original: Lines, change: Change, message: MessageFacts) -> None:
    """Fills in whether a change gives up one of several of a kind, beside a marker, for another one."""
    start, end, lines = change
    old = [line for line in range(start, end) if _tells(original, line) and not original.is_comment(line)]
    new = [text for line in lines if (text := line.strip()) and not is_comment_text(text)]
    if not old or not new or not {"".join(text.split()) for text in (new[0], new[-1])} & message.beside_markers:
        return
    kind = _kind(original, old[0])
    if (
        kind not in _KIN_KINDS
        or sum(_kind(original, at) == kind for at in _beside(original, old[0], set(old))) < MIN_KIN
    ):
        return
    written = {name for text in new for name in NAME.findall(text)}
    own = {name for line in old for name in NAME.findall(original.stripped[line])} - written
    first, other = (set(NAME.findall(text)) for text in (original.stripped[old[0]], new[0]))
    identity = original.identity(old[0])
    is_other = identity != _identity(new[0]) or (
        identity is not None and len(original.identities[identity]) > 1 and 2 * len(first - other) >= len(other)
    )
    if own and is_other:
        f["marked_swapped"] += 1
        f["marked_swapped_unsaid"] += not own & message.words


def _count_swaps(f: dict[str, float], original: Lines, changes: Sequence[Change], message: MessageFacts) -> None:
    """Fills in the lines that go for a line of their kind that is about something else."""
    written = {"".join(text.split()) for _, _, new in changes for text in new}
    num_adding = num_swaps = 0
    for start, end, new in changes:
        code = [line for line in new if line.strip()]
        old = [line for line in range(start, end) if _tells(original, line)]
        num_adding += bool(code) and not any(original.keys[start:end])
        swapped = _swapped(original, old, code, written) if code and old else ()
        if not 0 < len(swapped) <= MAX_SWAPPED:
            continue
        num_swaps += 1
        kind = _kind(original, swapped[0])
        before, behind = original.beside(start, end)
        column = original.columns[swapped[0]]
        is_between = all(
            0 <= at < len(original) and original.columns[at] == column and _kind(original, at) == kind
            for at in (before, behind)
        )
        f["swapped_kin"] += is_between and not _is_shown_between(original, before, code, behind, message)
    f["swapped_odd"] = float(num_swaps == 1 and num_adding >= MIN_ADDING)


def _swapped(original: Lines, old: Sequence[int], new: Sequence[str], written: set[str]) -> list[int]:
    """The old lines of the kind of a change's first new one that are about what no new line of it is about."""
    known = [_identity(line.strip()) for line in new]
    if known[0] is None:
        return []
    column, kind = columns_of(new[0]), known[0].kind
    lines = (line for line in old if original.columns[line] == column and not original.is_comment(line))
    others = [line for line in lines if _kind(original, line) and original.identity(line) not in known]
    others = [line for line in others if original.keys[line] not in written]
    return others if others and _kind(original, others[0]) == kind else []


def _kind(original: Lines, line: int) -> str:
    """The kind of what a line is about, "" where that isn't known."""
    found = original.identity(line)
    return found.kind if found is not None else ""


def _is_shown_between(original: Lines, before: int, new: Sequence[str], behind: int, message: MessageFacts) -> bool:
    """Whether a snippet shows new lines right between two old ones."""
    first, last = ("".join(line.split()) for line in (new[0], new[-1]))
    return (original.keys[before], first) in message.steps and (last, original.keys[behind]) in message.steps


@lru_cache(maxsize=8192)
def _ratio(text: str, other: str) -> float:
    return ratio(text, other)


def _tells(original: Lines, line: int) -> bool:
    return bool(original.keys[line]) and not original.is_trivial[line]


def _beside(original: Lines, line: int, gone: set[int]) -> Iterator[int]:
    """Yields the lines near one, at its column, that stay."""
    for at in range(max(0, line - NEAR_SIBLINGS), min(len(original), line + NEAR_SIBLINGS + 1)):
        if at not in gone and original.columns[at] == original.columns[line] and _tells(original, at):
            yield at


def _count_comments(f: dict[str, float], original: Lines, change: Change, message: MessageFacts) -> None:
    """Fills in the parts of comments that go though the snippet shows what is above and below as one."""
    start, end, lines = change
    old = [line for line in range(start, end) if original.keys[line]]
    new = [text for line in lines if (text := line.strip())]
    if not old or not all(map(original.is_comment, old)) or not all(map(is_comment_text, new)):
        return
    if _open_comments(new) != _open_comments([original.stripped[line] for line in old]):
        return
    before, behind = original.beside(start, end)
    above = "".join(new[-1].split()) if new else original.keys[before] if before >= 0 else ""
    below = original.keys[behind] if behind < len(original) else ""
    if is_comment_text(above) and (above, below) in message.steps:
        f["comment_cut"] += 1
        f["comment_cut_lines"] += math.log1p(max(0, len(old) - len(new))) / 2
        f["comment_cut_inside"] += is_comment_text(below)


# ---- keys and texts --------------------------------------------------------------------------------------------------


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
            lost += identity.name not in words and not any(part in words for part in _KEY_PARTS.findall(identity.name))
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
