"""Reads the words before a snippet: they announce something new, a change, or a place for it.

"Then add the method, following `hasMany`" and "`hasMany` becomes" may stand before the same lines. Only the last
sentence counts, and it is one more fact for the search: what the lines themselves say may outweigh it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fastedit.patterns import pattern

SENTENCE_END = pattern(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n")
_CODE = pattern(r"`[^`\n]*`")
# English, German, Spanish, Portuguese, French, Italian, Dutch, Swedish, Polish, Russian, Japanese, Chinese.
_ADDS = pattern(
    r"\b(?:add(?:s|ed|ing|ition\w*)?|append\w*|insert\w*|new|extra|put|introduc\w+|another|goes|helper"
    r"|hinzu\w*|füg\w*|neue?[rsmn]?|zusätzlich\w*|kommt|añad\w+|agreg\w+|nuev[oa]s?|adicion\w+|acrescent\w+|nov[oa]s?"
    r"|ajout\w+|nouve\w+|aggiung\w+|nuov\w+|toevoeg\w*|voeg|nieuwe?|lägg|nya?|doda\w+|now[aeyi]\w*|nowego)\b"
    r"|добав\w+|нов\w+|追加|新しい|添加|新增",
    re.IGNORECASE,
)
_CHANGES = pattern(
    r"\b(?:replac\w+|chang\w+|becom\w+|instead|rewrit\w+|renam\w+|updat\w+|now|use[sd]?|fix\w*|turn\w*|swap\w*|mak(?:e|es|ing)"
    r"|let|was|were|longer|drop\w*|remov\w*|delet\w*|gone|switch\w*|convert\w*|rework\w*|simplif\w*|looks?|reads?"
    r"|ersetz\w*|wird|werden|statt|änder\w*|jetzt|reemplaz\w+|cambi\w+|ahora|queda|substitu\w+|agora|fica|remplac\w+"
    r"|devien\w+|sostitu\w+|diventa\w*|vervang\w*|wordt|ersätt\w*|blir|zamie\w+|zmie\w+)\b|замен\w+|измен\w+|теперь|変更|替换|改",
    re.IGNORECASE,
)
_PLACES = pattern(
    r"\b(?:after|before|below|above|beneath|under|underneath|behind|beside|between|following|next to|end of|to the end"
    r"|at the (?:end|top|bottom)|nach|vor|hinter|unter|über|zwischen|am ende|después|antes|debajo|entre|al final|depois"
    r"|abaixo|après|avant|sous|dopo|prima|sotto|onder|boven|achter|efter|före|po|przed|pod)\b|после|перед|под|後に|前に|之后|之前",
    re.IGNORECASE,
)
_BLANKS = pattern(
    r"(?<!no )(?<!without a )(?<!the )\b(?:blank|empty) lines?\b|leerzeilen?|líneas? (?:en blanco|vacías?)"
    r"|linhas? (?:em branco|vazias?)|lignes? vides?|saut de ligne|rig(?:a|he) vuot[ae]|lege regel|tom rad"
    r"|пуст\w+ строк\w+|pust\w+ (?:lini|wiersz)\w*|空行|빈 줄",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Intent:
    """The announcements of a sentence, each 0 or 1. adds: something new; changes: a change; placed: where it goes."""

    adds: float = 0.0
    changes: float = 0.0
    placed: float = 0.0


def intent_of(prose: str) -> Intent:
    """Reads the last sentence of the words before a snippet; names in backticks don't count."""
    sentences = [one for one in SENTENCE_END.split(prose) if one.strip()]
    if not sentences:
        return Intent()
    words = _CODE.sub(" ", sentences[-1])
    return Intent(*(float(bool(found.search(words))) for found in (_ADDS, _CHANGES, _PLACES)))


def asks_blanks(prose: str) -> bool:
    """Whether words speak of a blank line that is to be."""
    return bool(_BLANKS.search(prose))
