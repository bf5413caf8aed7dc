"""Signs in what goes with a result that it can't be meant: half a pair of brackets goes, one of several like lines.

Like `coherence.py`, these facts are read where all snippets are merged. A careful reader asks of each line that goes
what it declared, whether its kin stay, and whether anybody spoke of it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from rapidfuzz.fuzz import ratio

from fastedit.anchor.lazy.lines import Change, Identity, Lines, bound_names, columns_of, identity_of, is_comment_text
from fastedit.anchor.lazy.message import MessageFacts
from fastedit.patterns import pattern

# unbalanced: kinds of brackets of which more open than before, or fewer. comment_torn: ends of comments that lack the
# other one. directives: `#if`s more than `#endif`s, or fewer.
# lost_...: lines that go and nobody writes anew, by what they are, and by whether the words have their name.
# bound_twice: names that new lines bind, and lines of the same block do that stay though nobody shows them.
# sibling_gone: lines that go for a line like them, though lines as like stay beside them; sibling_unsaid: and no word
# of the message is about what they had of their own.
# comment_cut: stretches of comments that go where the snippet shows what is around them without a gap; cut_lines: their
# size; cut_inside: those with more of the comment behind.
# captured: lines that stay but no longer in the block that they stood in, since new lines come between, and that block
# stays too. closer_off: lines that close a bracket, where another closing line stands at their column above.
# marked_...: in a message with markers, where what goes is mostly shown to: lines that go, stretches of them with
# nothing in their place, and those with fewer lines in it.
LOSSES = (
    "unbalanced", "comment_torn", "directives", "lost_decl_said", "lost_decl_unsaid", "lost_key_said",
    "lost_key_unsaid", "lost_import_said", "lost_import_unsaid", "bound_twice", "sibling_gone", "sibling_unsaid",
    "comment_cut", "comment_cut_lines", "comment_cut_inside", "marked_lines", "marked_bare", "marked_fewer",
    "captured", "closer_off",
)  # fmt: skip
MAX_COUNT = 3.0
NEAR = 25  # lines between two that bind a name
NEAR_SIBLINGS = 12
MIN_LIKE, SLACK = 55.0, 5.0  # percent
MAX_OLD, MAX_NEW = 6, 12  # lines of a change that are compared
MIN_LENGTH = 8  # characters of a line that has siblings
MAX_LENGTH = 200  # of one that declares a variable
MAX_BEHIND = 40  # lines behind a change that are looked at for ones that it captures
MAX_ABOVE = 400  # lines above one that closes a bracket
_KINDS = {"decl": "decl", "case": "decl", "arm": "decl", "key": "key", "import": "import"}
_DIRECTIVE = pattern(r"#\s*(?:(if)|endif)")
_NAME = pattern(r"[A-Za-z_$][\w$]{2,}")
_PARTS = re.compile(r"[./\\:\"'\s]+")
_DECLARED = pattern(r"^(?:[\w:<>,*&]+\s+)+?[*&]*(?P<name>[A-Za-z_]\w*)\s*(?:=.*|\[.*\])?;$")
_TYPED = frozenset("c cpp java csharp objc".split())  # languages whose variables are declared by their type
_PREPROCESSED = frozenset("c cpp csharp objc swift".split())
_GOES_ON = pattern(
    r"[)\]}#]|</|(?:else|elif|except|finally|catch|case|default|when|end|rescue|ensure|public|private)\b"
)
_CLOSES = pattern(r"[)\]}]+[;,]*$")
_NOT_TYPES = frozenset("return throw goto delete using package import typedef new".split())


def losses_of(original: Lines, changes: Sequence[Change], message: MessageFacts, language: str) -> tuple[float, ...]:
    """`LOSSES` of a result. changes: lines [start, end) of the original that become others; ascending."""
    f = dict.fromkeys(LOSSES, 0.0)
    gone = {line for start, end, _ in changes for line in range(start, end)}
    new = [text for _, _, lines in changes for line in lines if (text := line.strip())]
    _count_brackets(f, [original.stripped[line] for line in gone], new, language)
    _count_lost(f, original, gone, new, message)
    if message.is_marked:
        _count_marked(f, original, changes, new)
    for change in changes:
        _count_bound(f, original, change, gone, message, language)
        _count_siblings(f, original, change, gone, message)
        _count_comments(f, original, change, message)
        f["captured"] += _num_captured(original, change, gone)
        f["closer_off"] += _is_closed_askew(original, change)
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
    if language in _PREPROCESSED:
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


# ---- kin -------------------------------------------------------------------------------------------------------------


def _count_siblings(
    f: dict[str, float], original: Lines, change: Change, gone: set[int], message: MessageFacts
) -> None:
    """Fills in the lines that new ones took the place of, though others as like them stay: they may just be new kin."""
    start, end, lines = change
    new = [text for line in lines if (text := line.strip())][:MAX_NEW]
    if start == end or not new:
        return
    written = {name for line in lines for name in _NAME.findall(line)}
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
            own = set(_NAME.findall(text)) - written
            f["sibling_unsaid"] += bool(own) and not own & message.words


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
