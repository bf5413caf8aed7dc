"""The comments in a snippet, and the odds of what each is for.

A comment stands for code, speaks to the reader, or is code itself. A linear classifier gives the odds, from the
characters of its words (n-grams hashed to buckets) and from what stands around it in the snippet and the original; the
search weighs them against everything else. `fastedit.training.alignment` fits it.
"""

from __future__ import annotations

import re
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cache, cached_property, lru_cache
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from rapidfuzz import fuzz, process

from fastedit.anchor.lazy import FITTED
from fastedit.anchor.lazy.lines import DOTS, NAME, Lines
from fastedit.edits.wording import comment_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

# elide: stands for code that isn't shown; where, new, gone: notes to the reader; code: a comment of the file.
ROLES = ("elide", "where", "new", "gone", "code")
BUCKETS = 1 << 13
# What stands around a comment has buckets of its own, behind those of its words, and counts so much each.
SIGN_BUCKETS = 1 << 10
SIGN_WEIGHT = 0.5
MAX_SAME = 20  # lines alike that a neighbour is looked for among
MAX_CHARACTERS = 160
SHORTEST, LONGEST = 2, 5
SHAPE_WEIGHT = 6
_DOTTED = ("...", "…", "⋮")
_CLASSIFIER_FILE = FITTED / "comments.npz"
_SPACE = re.compile(r"\s+")
_IDENTIFIER = re.compile(r"`[^`]*`|\b\w*[a-z]\w*[A-Z_]\w*\b|\b\w+_\w+\b|\w+\(\)")
NAME_LIKE = re.compile(r"[\w$-]+(?=[`():,.]*(?:[\s,]|$))")
_NUMBER = re.compile(r"\d+")
# Behind code: what a comment sign looks like, white space in front.
_TRAILING = re.compile(r"\s+(?P<note>(?:#|//|--|/\*|<!--|\{/\*|\{#|;|%|←|<-|👈|⬅))")
_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`]*`")
_ARROW = re.compile(r"^(?:←|<-+|<=+|👈|⬅)\s*")
_OPENING = re.compile(r"(?:#+|//!?|/\*+|--|<!--|;+|%+|\{/\*|\{#)(?![/!#-])\s*")
_CLOSING = re.compile(r"\s*(?:\*/\}?|-->|#\})$")
# What sets the words of a comment off: a rule, an arrow, brackets around all of it.
_DRESSING = re.compile(
    r"[-=~*>+─┄]{2,}(?=\s*\w)|[-~=]>|<[-=~]+|[←→↑↓⬅⬆👈☝▶►»](?=.)"
    r"|\[(?=[^\[\]]*\]$)|<(?!\w+:)(?=.*>$)|\((?!\w+:/)(?=.*\)$)"
)
_NAME = r"`?[\w$.-]+(?:\(\))?`?"
_NAMES_ALONE = re.compile(rf"{_NAME}(?:(?:,\s*(?:and\s+)?|\s+(?:and|&)\s+){_NAME})*\s*[:.]?")
# Such a comment speaks to a tool: it is code, however it reads.
PRAGMA = re.compile(
    r"^(?:noqa|nosec|noinspection|nolint|type:\s?ignore|ty:\s?ignore|pyright:|pylint:|mypy:|flake8:|fmt:|isort:|ruff:|yapf:"
    r"|pragma:|doctest:|cov(?:erage)?:|[@$]ts-|eslint-|prettier-|biome-|tslint:|stylelint-|istanbul |c8 |v8 ignore"
    r"|(?-i:\[(?:START|END) [\w.-]+\]$)|(?:end)?region\b|snippet-(?:start|end):"
    r"|webpackchunkname|lcov_excl|codespell:|rubocop:|phpcs:|swiftlint:|shellcheck |clang-format|language="
    r"|!\s?/(?:usr/)?bin/|-\*-|(?:en)?coding[:=]|vim?:)",
    re.IGNORECASE,
)
# So many blanks before a comment behind code set it apart from code.
FAR_BLANKS = 3
_FAR_COMMENT = re.compile(r"\S(?: {3,}|\s*\t\s*)(?:#|//|--|/\*|;|%)\S*\s")
_TAIL = re.compile(r"\S\s+(?:#|//|--|/\*|;|%)\s*\w")


def normalised(text: str) -> str:
    """The comment's text as the classifier reads it: lower case, names and numbers replaced by signs."""
    text = _IDENTIFIER.sub("\x01", text[:MAX_CHARACTERS])
    return _SPACE.sub(" ", _NUMBER.sub("0", text)).strip().lower()


def buckets_of(text: str) -> list[int]:
    """The buckets of the text's n-grams, and of its first and last words; with repetitions."""
    return [zlib.crc32(gram.encode()) % BUCKETS for gram in _grams(normalised(text))]


def sign_buckets(signs: Sequence[str]) -> list[int]:
    """The buckets of what stands around a comment."""
    return [BUCKETS + zlib.crc32(sign.encode()) % SIGN_BUCKETS for sign in signs]


def _grams(text: str) -> Iterator[str]:
    padded = f"\x02{text}\x03"
    for length in range(SHORTEST, LONGEST + 1):
        for start in range(len(padded) - length + 1):
            yield padded[start : start + length]
    words = text.split()
    if words:
        yield f"\x04{words[0]}"
        yield f"\x05{words[-1]}"
        yield f"\x06{min(len(words), 12)}"
        for word in words[:20]:
            yield f"\x07{word}"
        # The shape says most, and n-grams alone would learn it by heart: repeated, so that it weighs enough.
        for shape in _shapes(text, words):
            for times in range(SHAPE_WEIGHT):
                yield f"\x08{shape}{times}"


def _shapes(text: str, words: list[str]) -> Iterator[str]:
    starts, ends = text.startswith(_DOTTED), text.endswith(_DOTTED)
    yield f"dots{starts:d}{ends:d}"
    yield f"brackets{text[:1] in '[(<{':d}{text[-1:] in '])>}':d}"
    yield f"dotted{starts or ends:d}{min(len(words), 6)}"
    yield f"ascii{text.isascii():d}"
    yield f"end{text[-1:] if not text[-1:].isalnum() else 'a'}"


@cache
def _comment_weights() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Returns (BUCKETS + SIGN_BUCKETS, 5) weights and (5,) biases."""
    with np.load(_CLASSIFIER_FILE) as stored:
        return stored["weights"].astype(np.float32), stored["bias"].astype(np.float32)


@lru_cache(maxsize=4096)
def _comment_scores(text: str, signs: tuple[str, ...]) -> tuple[float, ...]:
    weights, bias = _comment_weights()
    found = buckets_of(text)
    total = bias + weights[found].sum(axis=0) / np.sqrt(max(1, len(found)))
    if signs:
        total = total + SIGN_WEIGHT * weights[sign_buckets(signs)].sum(axis=0)
    total = total - total.max()
    return tuple(float(x) for x in total - np.log(np.exp(total).sum()))


def log_odds(text: str, signs: tuple[str, ...] = ()) -> dict[str, float]:
    """role → natural logarithm of its probability, from the comment's words.

    signs: what stands around it, see `Comments.signs`; where that is known, it says about as much as the words.
    """
    return dict(zip(ROLES, _comment_scores(text, signs), strict=True))


class Comments:
    """The comments of a snippet: the odds of each by its words and by what stands around it."""

    def __init__(self, texts: Sequence[str], original: Lines, language: str) -> None:
        self.shown = Lines(texts)
        self.original = original
        self.language = language
        self._odds: dict[tuple[int, str | None], dict[str, float]] = {}
        lines = enumerate(zip(self.shown.stripped, self.shown.keys, strict=True))
        # The comments that the original doesn't have, and whether there are dots in each.
        self.notes = {
            number: DOTS.search(text) is not None
            for number, (text, key) in lines
            if key and key not in original.places and comment_text(text) is not None
        }
        self._num_dotted = sum(self.notes.values())
        self._lines_known = [number for number, key in enumerate(self.shown.keys) if key in original.places]

    def odds(self, note: str, number: int, code: str | None = None) -> dict[str, float]:
        """role → the log probability that a comment in a line has it; code: what stands before it in the line."""
        key = (number, code)
        if key not in self._odds:
            self._odds[key] = log_odds(note, self.signs(note, number, code))
        return self._odds[key]

    def signs(self, note: str, number: int, code: str | None = None) -> tuple[str, ...]:
        """Signs that tell about a comment in a line beside its words; each a short text of its own.

        code: what stands before it in the line, if anything does.
        """
        return (
            *self._signs_of_words(note),
            *self._signs_of_the_file(note),
            *self._signs_of_neighbours(number, code),
            *self._signs_of_the_gap(number),
            *self._signs_of_the_snippet(number),
            *(() if code is None else self._signs_behind_code(number, code)),
        )

    def between(self, number: int) -> tuple[int, int] | None:
        """The first places in the original of the lines above and below, where both are there; None otherwise."""
        lines = (self._neighbour(number, -1), self._neighbour(number, 1))
        above, below = ([] if one is None else self.original.places.get(self.shown.keys[one], []) for one in lines)
        return (above[0], below[0]) if above and below else None

    def _signs_of_words(self, note: str) -> list[str]:
        names = NAME.findall(note)
        long = [name for name in names if len(name) > 2]
        known = 4 * sum(name in self.original.vocabulary for name in long) // max(1, len(long))
        end = note.rstrip()[-1:]
        was_code = "".join(note.split()) in self.original.places
        return [
            f"known{known}",
            f"known{known} of {min(len(names), 4)}",
            f"ends in {'a' if end.isalnum() else end}",
            f"code {was_code} {PRAGMA.match(note) is not None}",
        ]

    def _signs_of_the_file(self, note: str) -> list[str]:
        """Signs of what the original's own comments are like, and of how much one of them is like this one."""
        own = self.original.comments
        density = int(20 * min(0.3, len(own) / max(1, len(self.original))))
        is_lower = note[:1].islower()
        lower = 3 * sum(text[:1].islower() for text in own) // len(own) if own else "no"
        alike = process.extractOne(note, own, scorer=fuzz.ratio, score_cutoff=50) if own else None
        likeness = bisect_right((50, 65, 75, 85, 93), alike[1]) if alike else 0
        return [
            f"comments {min(4, (1 + len(own)).bit_length() - 1)}",
            f"dense {density}",
            f"lower {is_lower} {lower}",
            f"like {likeness}",
            f"in {self.language}",
        ]

    def _signs_of_neighbours(self, number: int, code: str | None) -> list[str]:
        above, below = self._neighbour(number, -1), self._neighbour(number, 1)
        kind_above, kind_below = self._kind(above), self._kind(below)
        is_known = code is not None and "".join(code.split()) in self.original.places
        place = "alone" if code is None else f"behind {'known' if is_known else 'new'}"
        sign = self.shown.stripped[number][:2] if code is None else "behind"
        side_above, side_below = self._side(number, above), self._side(number, below)
        return [
            f"above {kind_above} {above is not None and number - above > 1}",
            f"below {kind_below} {below is not None and below - number > 1}",
            f"{place} between {kind_above} and {kind_below}",
            f"{sign} in {self.language}",
            f"sides {side_above} {side_below}",
            f"below {kind_below} at {side_below}",
        ]

    def _signs_of_the_gap(self, number: int) -> list[str]:
        """Signs of how many lines the original has between the nearest lines above and below that it has, too."""
        above, new_above = self._known(number, -1)
        below, new_below = self._known(number, 1)
        gap = "open"
        if above is not None and below is not None:
            gap = str(bisect_right((0, 1, 2, 4, 8, 20), self._gap(above, below)))
        return [f"gap {gap}", f"gap {gap} {new_above} {new_below}"]

    def _signs_of_the_snippet(self, number: int) -> list[str]:
        others = len(self.notes) - (number in self.notes)
        dotted = self._num_dotted - self.notes.get(number, False)
        size = bisect_right((2, 4, 8, 20, 50), len(self.shown))
        return [f"dotted {min(3, dotted)} of {min(3, others)}", f"others {min(4, others)}", f"size {size}"]

    def _signs_behind_code(self, number: int, code: str) -> list[str]:
        text = self.shown.texts[number]
        is_far = text[len(code) : len(code) + FAR_BLANKS].isspace() and len(text) >= len(code) + FAR_BLANKS
        return [f"far {is_far} {self._has_far_comments if is_far else ''}", f"tails {self._has_tails}"]

    @cached_property
    def _has_far_comments(self) -> bool:
        """Whether comments stand far behind the code of the original."""
        return any(_FAR_COMMENT.search(text) for text in self.original.stripped)

    @cached_property
    def _has_tails(self) -> bool:
        """Whether comments stand behind code of the original."""
        return any(_TAIL.search(text) for text in self.original.stripped)

    def _neighbour(self, number: int, step: int) -> int | None:
        """The next line that isn't blank, upwards or downwards."""
        at = number + step
        while 0 <= at < len(self.shown) and not self.shown.keys[at]:
            at += step
        return at if 0 <= at < len(self.shown) else None

    def _kind(self, line: int | None) -> str:
        """Tells what a line of the snippet is to the original."""
        if line is None:
            return "edge"
        key = self.shown.keys[line]
        if key not in self.original.places:
            return "comment" if line in self.notes else "new"
        if len(key) < 4:
            return "short"
        return "known" if len(self.original.places[key]) == 1 else "repeated"

    def _side(self, number: int, other: int | None) -> str:
        """Whether a line stands farther left or right than another, or like it."""
        if other is None:
            return "none"
        width, other_width = (
            len(text) - len(text.lstrip()) for text in (self.shown.texts[number], self.shown.texts[other])
        )
        return "like" if width == other_width else "right" if width > other_width else "left"

    def _known(self, number: int, step: int) -> tuple[int | None, int]:
        """The next line, upwards or downwards, that the original has, too, and how many are before it: 2 at most."""
        at = bisect_left(self._lines_known, number) if step < 0 else bisect_right(self._lines_known, number)
        at += min(step, 0)
        line = self._lines_known[at] if 0 <= at < len(self._lines_known) else None
        end = line if line is not None else len(self.shown) if step > 0 else -1
        others = (other for other in range(number + step, end, step) if self.shown.keys[other])
        return line, sum(1 for _ in islice(others, 2))

    def _gap(self, above: int, below: int) -> int:
        """The least number of lines between two lines' places in the original, blank ones left out; -1 for no such."""
        starts, ends = (self.original.places[self.shown.keys[line]][:MAX_SAME] for line in (above, below))
        spans = [(end - start, start, end) for start in starts for end in ends if end > start]
        if not spans:
            return -1
        _, start, end = min(spans)
        return sum(map(bool, self.original.keys[start + 1 : end]))


def split_trailing(line: str, signs: Sequence[str]) -> tuple[str, str] | None:
    """The code of a line and what the comment behind it says; None where there is no comment behind code.

    signs: how a comment may begin in the language; arrows always do.
    """
    if not line.strip():
        return None
    masked = _STRING.sub(lambda found: "s" * len(found.group()), line)
    for found in _TRAILING.finditer(masked):
        code, note = line[: found.start()], line[found.start("note") :].strip()
        if not code.strip():
            continue
        if is_pointed(note):
            return code.rstrip(), note
        if note.startswith(tuple(signs)):
            text = comment_text(note)
            return None if text is None else (code.rstrip(), text)
    return None


def is_pointed(note: str) -> bool:
    """Whether a note begins with an arrow at the code before it."""
    return bool(_ARROW.match(note))


def dressing(line: str) -> str:
    """The sign with which a comment that fills a line sets its words off, as in `# --- words ---`; "" for none."""
    opening = _OPENING.match(line.strip())
    if opening is None:
        return ""
    found = _DRESSING.match(_CLOSING.sub("", line.strip()[opening.end() :]))
    if found is None or (not opening.group()[-1].isspace() and found.group() in ("[", "<", "(")):
        return ""
    return found.group()[0]


def names_alone(note: str) -> list[str]:
    """The names that a note is nothing but a list of, or only one; none where it says anything else."""
    return NAME_LIKE.findall(note.replace(" and ", ",")) if _NAMES_ALONE.fullmatch(note.strip()) else []
