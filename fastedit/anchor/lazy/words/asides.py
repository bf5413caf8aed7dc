"""Words of a message about the signs in its snippets: dots that are code, remarks that are only for the reader."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from fastedit.patterns import pattern

_SENTENCE = re.compile(r"(?<=[.!?:)])\s+|\n{2,}|\n(?=\s*(?:[-*+]|\d+\.)\s|```)")
_FENCED = re.compile(r"^(```+|~~~+).*?(?:^\1[`~]*\s*$|\Z)", re.MULTILINE | re.DOTALL)
_QUOTED = re.compile(r"`([^`\n]+)`|[\"“]([^\"“”\n]+)[\"”]")
_QUOTED_DOTS = re.compile(r"`[^`\n]*(?:\.{3}|…)`")
_CODE = pattern(
    r"\b(?:literal(?:ly)?|(?:real|actual) (?:code|python)|(?:is|are|as) code|ellipsis|stubs?"
    r"|instead of (?:the |a )?`(?:pass|return)"
    r"|echter code|(?:ist|sind) code|es código|son código|(?:est|sont) du code|è codice|sono codice)\b"
    r"|`(?:\.{3}|…)` bod(?:y|ies)\b|\bbod(?:y|ies) (?:of |is |are |becomes? )?`(?:\.{3}|…)`",
    re.IGNORECASE,
)
_ONE_LINE = pattern(
    r"\bon(?:to)? (?:the|its|their|one|a single|the same) (?:(?:def|`def`|signature|header|same|own) )*lines?\b",
    re.IGNORECASE,
)
_LEFT_OUT = pattern(
    r"\b(?:unchanged|existing|stands? for|left out|omitted|rest|remaining|skipped|same|your|as (?:is|before|now|it was)"
    r"|stays?)\b",
    re.IGNORECASE,
)
_NO_MARKER = pattern(r"\b(?:not|no|isn['’]t|aren['’]t|nicht|kein|pas|no son) \w", re.IGNORECASE)
_REMARK = pattern(
    r"\b(?:remarks?|notes?|comments?|arrows?|(?:an)?merkung(?:en)?|kommentare?|hinweise?|pfeile?|comentarios?|notas?"
    r"|commentaires?|remarques?|fl[eè]ches?|commenti|commento|nota)\b",
    re.IGNORECASE,
)
_FOR_THE_READER = pattern(
    r"\b(?:just|only|meant|is|are) for you\b|(?:not|n['’]t)\b.{0,30}\b(?:for|into|part of) the file"
    r"|\bfor your (?:eyes|information)|\bnot code\b|n['’]t (?:need to |have to )?(?:be kept|stay)\b|\bn[uo]r für dich"
    r"|\bnicht (?:für|in) die datei|\bnicht übernehmen|\bs[oó]lo para ti|\bno (?:van|va) en el fichero"
    r"|\bpas (?:pour|dans) le fichier|\bpour toi\b|\bsolo per te\b",
    re.IGNORECASE,
)
# Words of a comment that speak of the edit: what a line was before, what else has become of it.
_OF_THE_EDIT = pattern(
    r"^(?:(?:already|still) (?:there|here|in the file|present)|(?:is )?(?:already )?unchanged\b"
    r"|(?:was )?moved (?:here|up|down|from|to)\b|replaces (?:the|both|all|what|`)|instead of (?:the |`)?\S+$"
    r"|in place of the|(?:this|that) (?:is|was) the (?:\w+ )?(?:first|second|third|last|one)\b"
    r"|new,|the old\b.{1,40}\bnow$|the new (?:name|home|place) of|was (?:\S+ )?(?:before|until now|earlier)$"
    r"|renamed from\b|(?:schon|bereits) (?:da|vorhanden)\b|hierher verschoben|ersetzt (?:den|die|das)\b"
    r"|ya (?:está|estaba)\b|déjà (?:là|présent))",
    re.IGNORECASE,
)
_FOR_NOBODY_ELSE = pattern(r"(?:<-+|—|-) (?:just|only) an? (?:remark|note)\b|\bleave it out$", re.IGNORECASE)
OF_THE_EDIT_ODDS = -2.0  # that such a comment is code
FOR_THE_READER_ODDS, ALL_FOR_THE_READER_ODDS = -5.0, -2.5  # where words say that it isn't: of one, of all remarks


@dataclass(frozen=True, slots=True)
class Asides:
    """The words of a message about the signs in its snippets.

    dots_are_code: of `...` that it isn't left out. quoted: what the sentences quote that call a remark in a snippet
    one for the reader. has_remark, has_remarks: whether a sentence says so of one, or of several, without a quote.
    """

    dots_are_code: bool = False
    quoted: frozenset[str] = frozenset()
    has_remark: bool = False
    has_remarks: bool = False

    def against_code(self, text: str, note: str, is_behind_code: bool) -> float:
        """The (negative) shift of the log odds that a new remark in a line is code."""
        if any(name in text for name in self.quoted):
            return FOR_THE_READER_ODDS
        if self.has_remarks or (self.has_remark and is_behind_code):
            return ALL_FOR_THE_READER_ODDS
        if _FOR_NOBODY_ELSE.search(note):
            return FOR_THE_READER_ODDS
        return OF_THE_EDIT_ODDS if speaks_of_the_edit(note) else 0.0


NO_ASIDES = Asides()


def asides_of(message: str) -> Asides:
    """Reads the words of a message about the signs in its snippets."""
    prose = _FENCED.sub("\n\n", message)
    sentences = [one for one in _SENTENCE.split(prose) if one]
    quoted: set[str] = set()
    has_remark = has_remarks = False
    for one in sentences:
        found = _REMARK.search(one)
        if found is None or not _FOR_THE_READER.search(one):
            continue
        quotes = {word for pair in _QUOTED.findall(one) for word in pair if word}
        quoted |= quotes
        is_plural = found.group().endswith(("s", "en", "i"))
        has_remark, has_remarks = has_remark or not quotes, has_remarks or (is_plural and not quotes)
    return Asides(any(map(_calls_dots_code, sentences)), frozenset(quoted), has_remark, has_remarks)


def _calls_dots_code(sentence: str) -> bool:
    """Whether a sentence says that dots are code, rather than what they stand for."""
    if not _QUOTED_DOTS.search(sentence):
        return bool(_ONE_LINE.search(sentence)) and bool(_CODE.search(sentence))
    if _LEFT_OUT.search(sentence) and not _NO_MARKER.search(sentence):
        return False
    return bool(_CODE.search(sentence) or _ONE_LINE.search(sentence))


def speaks_of_the_edit(note: str) -> bool:
    """Whether a comment tells what a line was, or where it came from, as only a message does."""
    return bool(_OF_THE_EDIT.search(note.strip(" ()[]")))


def less_like_code(odds: dict[str, float], by: float) -> dict[str, float]:
    """The log odds of a comment, shifted by some (negative) number against its being code."""
    shifted = odds | {"code": odds["code"] + by}
    total = math.log(sum(math.exp(odd) for odd in shifted.values()))
    return {role: odd - total for role, odd in shifted.items()}
