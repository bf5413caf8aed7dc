"""The words that say of code that it goes or stays: a table, `CUES`, in the languages that assistants write.

To know another is to add it: each entry is a regular expression for one or several whole words; see `CueKind` for what
the kinds mean.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from enum import Enum
from functools import cache

from fastedit.patterns import pattern


class CueKind(Enum):
    """The part that a token plays in a sentence that says what goes.

    REMOVES: what it names goes (`drop x`). REMOVED: the same, or what is named before it (`x removed`). GOES: what is
    named before it goes (`x is gone`). STAYS: what is named before it stays; KEEPS: what it names stays. NAME:
    code; TEXT: in double quotes. PLACE: a place follows, not what
    goes (`from x`). OF: a place if something is named already. WITH: more of the same follow. AND: joins what is
    listed. SMALL: may stand before a name. VERB: another thing is said of what was named. IT: stands for a name. NOT:
    turns a word round. BREAK: another clause begins. IF: tells when, not what. OPEN, CLOSE: brackets. STOP: the
    end of a clause. OTHER: any other word.
    """

    REMOVES = "removes"
    REMOVED = "removed"
    GOES = "goes"
    STAYS = "stays"
    KEEPS = "keeps"
    NAME = "name"
    TEXT = "text"
    PLACE = "place"
    OF = "of"
    WITH = "with"
    AND = "and"
    SMALL = "small"
    VERB = "verb"
    IT = "it"
    NOT = "not"
    BREAK = "break"
    IF = "if"
    OPEN = "open"
    CLOSE = "close"
    STOP = "stop"
    OTHER = "other"


# In the order in which they are tried.
CUES: dict[CueKind, tuple[str, ...]] = {
    CueKind.GOES: (
        # English
        r"(?:no longer|never|not|n['’]t)(?: \w+)? (?:needed|used|called|referenced|required|necessary|wanted|emitted)"
        r"(?: any ?(?:more|longer|where))?(?! for)",
        r"(?:is|are|was|were)n['’]t(?: \w+)? (?:needed|used|called|referenced|required|necessary|wanted|emitted)"
        r"(?: any ?(?:more|longer|where))?(?! for)",
        r"had no callers?", r"ha(?:s|ve) no (?:users?|callers?)(?: left| any ?more)?", r"no need for",
        r"go(?:es)?(?: away| too| as well| also| completely| entirely|(?= (?:together|along|since|because"
        r"|as|from|now|again"
        r"|there)\b)|(?=\s*(?:[,.;:()!—]|$)))",
        r"(?:can|could|may|might|should|must|ha(?:s|ve) to) go(?: away| too| as well)?"
        r"(?! (?:in|to|on|onto|into|at|up|down|here|there|right|below|above|after|before|behind|between|under|next"
        r"|back|with)\b)",
        r"gone", r"(?:is|are|was|were)(?: now)? (?:dead|unused|obsolete|out)", r"out(?=,)",
        r"disappears?(?! (?:under|in|if|when))",
        # German
        r"f(?:ällt|allen|iel|ielen)(?: \w+)? weg", r"entf(?:ällt|allen|iel)", r"weggefallen", r"raus", r"überflüssig",
        r"(?:wird|werden) nicht mehr (?:gebraucht|benötigt|verwendet|aufgerufen)", r"verschwinde[nt]",
        # French
        r"dispara(?:ît|issent|issait)", r"(?:est|sont|a été|ont été) (?:supprim|retir|enlev)ée?s?",
        r"ne (?:sert|servent) plus(?: à rien)?", r"n['’](?:est|sont) plus (?:utilis|nécess|appel)\w+", r"inutiles?",
        # Spanish, Portuguese
        r"(?:se va|se van|desaparece[nm]?|sobra[nm]?)", r"ya no (?:se \w+|hacen? falta|es \w+|son \w+)", r"sai|saem",
        r"(?:fue|fueron|ha sido|han sido|foi|foram) (?:elimin|borr|quit|remov)\w+", r"não (?:é|são) mais \w+",
        # Italian
        r"non serv(?:e|ono) più", r"spari(?:sce|scono)", r"(?:è|sono)(?: stat[aoie])? (?:rimoss|tolt|eliminat)[oaie]",
        # Dutch, Swedish, Danish, Norwegian
        r"verdwijn(?:t|en)", r"vervalt|vervallen", r"niet meer nodig",
        r"försvinner|fjernes|utgår",
        # Polish, Czech, Russian, Ukrainian, Turkish
        r"znika(?:ją)?", r"niepotrzebn\w+", r"zmizel\w*|mizí",
        r"больше не (?:нуж\w+|использу\w+)", r"исчеза\w+", r"уш(?:ёл|ла|ло|ли)",
        r"gereksiz|kalktı",
    ),
    CueKind.REMOVED: (
        r"removed", r"deleted", r"dropped", r"taken out", r"eliminated",
        r"entfernt|gelöscht|gestrichen|rausgeworfen|herausgenommen",
        r"(?:supprim|retir|enlev)(?:é|ée|és|ées)",
        r"(?:elimin|quit|borr)ad[oa]s?|remov(?:i|id[oa]s?)|apagad[oa]s?|tirad[oa]s?",
        r"rimoss[oaie]|tolt[oaie]|eliminat[oaie]", r"verwijderd|weggehaald|geschrapt",
        r"borttag(?:en|na|et)|fjernet|slettet", r"usunięt[eayo]?|odstraněn\w*|smazán\w*",
        r"удал[её]н[аоы]?|удалил[аи]?|убрал[аи]?|видален[аоий]*",
        r"kaldırıldı|kaldırdım|silindi|sildim",
    ),
    CueKind.REMOVES: (
        # English
        r"remov(?:e|es|ing)", r"delet(?:e|es|ing)", r"drop(?:s|ping)?", r"(?:(?:get|gets|got|getting) )?rid of",
        r"(?:take|takes|took|taking)(?: (?:it|them|that|this))?(?: out(?! of)|(?= out of))", r"los(?:e|es|t)(?! in)",
        r"no more", r"out go(?:es)?(?! to)",
        r"eliminates?", r"(?:does|do)(?: not|n['’]t) need(?! to)", r"cuts? out", r"throws? (?:out|away)",
        # German
        r"entferne|lösche|streiche", r"werfe", r"nicht mehr nötig",
        # French
        r"supprim(?:e|er|ez|ons)", r"retir(?:e|er|ez|ons)", r"enl[eè]v(?:e|er|ez|ons)", r"vire[rz]?",
        # Spanish, Portuguese
        r"elimin(?:a|ar|é|o|amos|ei|e)", r"quit(?:a|ar|é|o)", r"borr(?:a|ar|é|o)", r"remov(?:er|o|a)",
        r"apag(?:uei|ar|ue)",
        r"tir(?:ei|ar|e)",
        # Italian
        r"rimuov(?:o|ere|i)", r"tol(?:go|gliere)|togli", r"elimin[oi]",
        # Dutch, Swedish, Danish, Norwegian
        r"verwijder(?:en)?", r"schrap(?:pen|t)?", r"ta(?:r|git)? bort|tog bort", r"fjern(?:er|ede|e)?",
        r"slett(?:er)?",
        # Polish, Czech, Russian, Ukrainian, Turkish
        r"usu(?:ń|wam|nąłem|nęłam|nąć|wa|wamy|ńcie)", r"wyrzuc\w+", r"odstra(?:ň|nil|nila|nit|ňuji)",
        r"sma(?:ž|zal|zat)",
        r"удал(?:и|ить|яю|яем|ите)", r"убрать|убер(?:и|ите|у)|убира\w+", r"видал\w+|прибр\w+",
        r"kaldır(?!ı)\w*", r"sil(?:in|iyorum|elim)?",
    ),
    CueKind.STAYS: (
        r"stays?", r"remains?", r"still (?:needed|used|there|stands?|comes?)", r"still",
        r"the same(?! (?!as|for|here|there|in|on|with)[a-z])", r"unchanged",
        r"untouched", r"(?:is|are) kept", r"bleib(?:t|en)", r"reste(?:nt)?", r"se queda[n]?", r"rest(?:a|ano)",
        r"blijf(?:t)?|blijven",
        r"остаётся|остаются|zostaje|zostają|kalıyor|kalır",
    ),
    CueKind.KEEPS: (
        r"keep(?:s|ing)?", r"kept", r"leav(?:e|es|ing)(?! (?:it |them )?out)", r"behalte[nt]?", r"garder?",
        r"mant(?:én|ener|ieni)",
    ),
    CueKind.WITH: (
        r"(?:together|along) with", r"as well as", r"including", r"mitsamt|samt|sowie", r"ainsi que",
        r"junto (?:con|com|a)",
        r"insieme (?:a|ai|alla|al)", r"inclusief",
    ),
    CueKind.NOT: (
        r"not|never|don['’]t|doesn['’]t|didn['’]t|isn['’]t|aren['’]t|won['’]t|can['’]t|cannot|nicht|kein\w*"
        r"|nie|pas|jamais|non"
        r"|niet|не|nunca|não",
    ),
    CueKind.IF: (
        r"if|what|whatever|when|whenever|unless|until|once|after it|wenn|falls|sobald|quand|lorsque|si|cuando|quando"
        r"|als|если|когда|jeśli|gdy",
    ),
    CueKind.BREAK: (
        r"so that|so|since|because|but|as|while|which|that|who|whose|whereas|although|though|for the rest"
        r"|then|where|how|why"
        r"|in favou?r of|instead of|instead|rather than|weil|denn|aber|sodass|damit|dass|statt|puisque"
        r"|parce que|car|mais"
        r"|donc|alors|au lieu de|porque|pero|así que|por lo que|en vez de|mas|então|perché|quindi|ma|invece"
        r"|want|maar|dus"
        r"|omdat|bo|więc|ale|bet|потому|поэтому|но|так что|вместо|çünkü|ama",
    ),
    CueKind.PLACE: (
        r"from|out of|in|on|at|to|into|onto|inside|within|under|below|above|behind|before|after|between"
        r"|near|next to|beside|by|with"
        r"|for|via|through|around|like|against|per|than|without"
        r"|aus|von|vom|im|auf|unter|über|hinter|vor|nach|zwischen|mit|für|durch|bei|beim|zu|zum|zur"
        r"|dans|sur|sous|avant|après|entre|avec|pour|par|vers|chez|depuis"
        r"|en|desde|sobre|bajo|antes|después|con|para|por|hacia|em|depois|com|na|nas|nos"
        r"|nel|nella|nei|dal|dalla|dai|dalle|sotto|sopra|prima|dopo|tra|per|sul|sulla"
        r"|uit|op|onder|boven|voor|naar|tussen|met|bij|från|på|under|över|efter|före|mellan|fra|ved|før"
        r"|z|ze|w|we|pod|nad|przed|po|między|dla|из|в|во|на|под|над|перед|после|между|для|с|со",
    ),
    CueKind.OF: (r"of|du|des|de la|de|del|da|dos|das|di|della|dei|van|af|av",),
    CueKind.AND: (r"and|or|und|oder|et|ou|y|e|ed|o|en|och|eller|og|oraz|i|и|или|та|ve|veya|nor|plus",),
    CueKind.IT: (
        r"it|they|them|both|this one|that one|these|those|es|sie|beide|ils|elles|les deux|lo|los|las|ambos"
        r"|li|le",
    ),
    CueKind.SMALL: (
        r"the|its|their|a|an|both|all|two|three|four|five|old|our|my|unused|whole|entire|now|also|then"
        r"|deprecated|private|public"
        r"|local|redundant|needless|useless|extra|last|first|second|lone|own|dead|obsolete|again|same|every"
        r"|any|each|only|top-level"
        r"|imports?|functions?|methods?|class(?:es)?|alias(?:es)?|constants?|variables?|fields?|hooks?"
        r"|scripts?|entry|entries|lines?"
        r"|names?|parameters?|arguments?|helpers?|comments?|types?|propert(?:y|ies)|rules?|keys?|options?"
        r"|packages?|declarations?"
        r"|der|die|das|den|dem|ein|eine|einen|beide|beiden|alle|alte|alten|auch|ganze|ganzen"
        r"|unbenutzte[nr]?|ungenutzte[nr]?"
        r"|le|la|les|l|un|une|deux|vieux|vieille|aussi|el|los|las|il|lo|gli|uno|una|anche|também|também os"
        r"|os|as|um|uma"
        r"|het|een|oude|ook|den|det|ett|et|en|stary|starą|też|również|старую?|старый|также|eski",
    ),
    CueKind.VERB: (
        r"is|are|was|were|be|been|being|has|have|had|can|could|will|would|should|must|may|might|does|do|did"
        r"|needs?|uses?|used"
        r"|becomes?|became|gets?|takes?|took|returns?|calls?|says|means|makes?|made|works?|knows|accepts?"
        r"|adds?|added|moves?|moved"
        r"|ist|sind|war|waren|wird|werden|wurde|wurden|hat|haben|kann|können|soll|muss"
        r"|est|sont|était|a été|ont|peut|peuvent|doit|es|son|fue|está|están|puede|pueden|ha|han|é|são|foi|pode"
        r"|è|sono|viene|vengono|può|hanno|heeft|hebben|kan|kunnen|wordt|worden|är|var|har|er|jest|są"
        r"|został\w*|był\w*|může",
    ),
}  # fmt: skip
FIRST_UNSPACED = "\u2e80"
# Written without blanks: the first where what goes may stand on either side.
UNSPACED = {
    CueKind.REMOVED: "删除|删掉|移除|去掉|去除|删了|刪除|移掉",
    CueKind.GOES: "削除|取り除|不要に|不要な|なくな|消え|消し|不再(?:需要|使用)|삭제|제거|없앴|없어",
    CueKind.STAYS: "保留|不变|残[しるり]|そのまま|유지|그대로",
    CueKind.PLACE: "从",
    CueKind.AND: "[、，]|和|与|及|と(?=\\s*`)|와|과",
}


def cue_at(text: str, at: int) -> tuple[CueKind, int] | None:
    """The kind of the cue that begins at a character of a text, and where it ends; None where none does."""
    if text[at] >= FIRST_UNSPACED:
        found = _unspaced().match(text, at)
        return (CueKind(found.lastgroup), found.end()) if found and found.lastgroup else None
    if not text[at].isalpha() or (at and _JOINS.match(text[at - 1])):
        return None
    words, pattern_for = _table()
    patterns = [one for key in (text[at].lower(), "") if (one := pattern_for(key)) is not None]
    matches = [match for one in patterns if (match := one.match(text, at)) is not None]
    cues = [(CueKind(match.lastgroup), match.end()) for match in matches if match.lastgroup]
    word = _LETTERS.match(text, at)
    if word and not _GOES_ON.match(text, word.end()) and word.group().lower() in words:
        cues.append((words[word.group().lower()], word.end()))
    return min(cues, key=lambda cue: _ORDER[cue[0]], default=None)


_ORDER = {kind: number for number, kind in enumerate(CUES)}
_JOINS = pattern(r"[\w$-]")
_GOES_ON = pattern(r"[\w$-]|\(\)")
_LETTERS = pattern(r"[^\W\d_]+")


@cache
def _table() -> tuple[dict[str, CueKind], Callable[[str], re.Pattern[str] | None]]:
    """The plain words with their kinds, and a function that gives the other cues' pattern by their first letter, or "".

    Nearly all cues are plain words, which needn't be tried one after the other.
    """
    words: dict[str, CueKind] = {}
    others: dict[str, dict[CueKind, list[str]]] = {}
    for kind, entries in CUES.items():
        for entry in (one for joined in entries for one in _alternatives(joined)):
            if entry.isalpha():
                words.setdefault(entry, kind)
            else:
                letter = entry[0] if entry[0].isalpha() and entry[1:2] != "?" else ""
                others.setdefault(letter, {}).setdefault(kind, []).append(entry)

    @cache
    def pattern_for(letter: str) -> re.Pattern[str] | None:
        parts = [
            rf"(?P<{kind.value}>(?:{'|'.join(entries)})(?![\w$-]|\(\)))"
            for kind, entries in others.get(letter, {}).items()
        ]
        return re.compile("|".join(parts), re.IGNORECASE) if parts else None

    return words, pattern_for


def _alternatives(entry: str) -> Iterator[str]:
    """The parts of a regular expression between its outermost bars."""
    depth = start = 0
    for at, sign in enumerate(entry):
        depth += (sign in "([") - (sign in ")]")
        if sign == "|" and not depth:
            yield entry[start:at]
            start = at + 1
    yield entry[start:]


@cache
def _unspaced() -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<{kind.value}>{words})" for kind, words in UNSPACED.items()))
