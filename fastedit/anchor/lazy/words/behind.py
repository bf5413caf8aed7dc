"""Tells the words below a snippet that say where it goes from those that introduce the next one.

"…, after the `b` import, then in `run`": the first part stands below the snippet that it places.
"""

from __future__ import annotations

from fastedit.anchor.lazy.words.phrases import BESIDE, EDGES, SENTENCE_END, mentions, plain
from fastedit.patterns import pattern

# A sentence that goes on where the one above a snippet stopped, with a word for a place: "right below the imports".
_GOES_ON = pattern(
    r"\s*(?:\(|…\s*|\.\.\.\s*)?(?:(?:all|and|both|right|directly|just|as|comes?|goes|go|stands?|each)\s+){0,3}"
    r"(?:after|before|below|above|between|behind|beneath|under|in front of|at the (?:very )?(?:end|top|bottom)"
    r"|as (?:the )?(?:very )?(?:last|first)|nach|vor|hinter|unter|über|zwischen|am ende|après|avant|sous|entre"
    r"|después|antes|debajo|dopo|prima|sotto|depois|abaixo)\b"
)
# A sentence that says where something goes that was shown already.
_SAYS_WHERE = pattern(
    r"(?i:\s*(?:(?:it|that|this|they|these|those|both|all)|(?:the|that|this|die|der|das|la|le|el|il|o|a)\s+(?:new\s+)?[\w`.-]+(?:\s[\w`.-]+)?)\s+"
    r"(?:\w+\s+)?(?:goes?|belongs?|comes?|sits?|stands?|is placed|are placed|kommt|kommen|gehört|steht|va|van|vient)\s"
    r"|\s*(?:goes|comes|belongs|sits)\s)"
)
# Where words go on with what the next snippet is for.
_NEXT = pattern(r"[,;]\s+(?:and\s+)?(?:then|next|dann|puis|luego|poi)\b|[,;]\s+and\s+(?=in\b|at\b)")

_BRACKET = pattern(r"`[^`\n]*`|[()]")


def parted(prose: str, *, is_last: bool = False) -> tuple[str, str]:
    """(what the words below a snippet say of its place, the words for the next one); "" where they say nothing of it.

    is_last: no snippet follows, so that a sentence that ends in a colon doesn't introduce one.
    """
    start = len(prose) - len(prose.lstrip())
    closed = _end_of_bracket(prose, start)
    if closed and _is_of_the_one_above(prose[start + 1 : closed - 1], prose[closed:]):
        return prose[start + 1 : closed - 1], prose[closed:].lstrip(".,; ")
    stop = SENTENCE_END.search(prose, start)
    end = stop.start() if stop is not None else len(prose)
    first = prose[start:end]
    goes_on = _GOES_ON.match(first)
    if not goes_on and not _SAYS_WHERE.match(first):
        return "", prose
    following = _NEXT.search(first)
    if following is not None:
        return first[: following.start()], prose[start + following.start() + 1 :]
    introduces = first.rstrip().endswith(":") or not prose[end:].strip()
    if introduces and not is_last:
        return "", prose
    return first, prose[end:]


def _end_of_bracket(prose: str, start: int) -> int:
    """The position behind the bracket that closes the one which words begin with; 0 where they begin with none."""
    depth = 0
    for found in _BRACKET.finditer(prose, start):
        if depth == 0 and found.start() != start:
            return 0
        depth += {"(": 1, ")": -1}.get(found.group(), 0)
        if depth == 0:
            return found.end()
    return 0


def _is_of_the_one_above(inside: str, rest: str) -> bool:
    """Whether words in brackets tell the place of the snippet above them, and introduce no other by a colon."""
    if inside.rstrip().endswith(":") or rest.lstrip().startswith(":"):
        return False
    kinds = {kind for sentence in SENTENCE_END.split(inside) for kind, _ in mentions(plain(sentence))}
    return not kinds.isdisjoint((*BESIDE, *EDGES))
