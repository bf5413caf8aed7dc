"""Reads an assistant's words around the code: what they say about the place and the change.

The words that say of code that it goes or stays are a table, `CUES`, in the languages that assistants write. To know
another is to add it: each entry is a regular expression for one or several whole words; see `CueKind` for what the
kinds mean.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache, lru_cache

from fastedit.edits.wording import without_files
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


# What parts sentences. What stands in backticks is matched first, so that nothing in it does.
_SENTENCE_END = pattern(
    r"`[^`\n]+`|(?P<item>\n\s*(?:[-*+•]|\d+[.)])\s+)|(?<=[.!?;])\s+|(?<=[。！？；])|\n\s*\n|(?<=[:：])[ \t]*\n"
)
_NAME = pattern(r"`([^`\n]+)`")
_COMMENT = pattern(r"^(?:#|//|/\*|--|<!--|;)\s*\S.{5,}")
_WORD = pattern(r"[A-Za-z_$][\w$]*")
# What is said of a file isn't said of anything in one.
_PATH = pattern(
    r"^[\w.@-]*/[\w./@-]+$"
    r"|^[\w.-]+\.(?:py|pyi|m?[jt]sx?|go|rs|java|kt|[ch](?:pp)?|cs|rb|php|md|rst|txt|toml|ya?ml|json|html|s?css|sh|sql|cfg|ini|lock)$"
)
_DOCSTRING_GONE = pattern(
    r"\b(?:removed?|deleted?|drop|dropped|got rid of|get rid of)\s+(?:the\s+|its\s+|their\s+|both\s+)?docstrings?\b"
    r"|\bdocstrings?\b[^.\n]{0,60}\b(?:(?:is|are|was|were) (?:gone|removed|deleted|dropped)|goe?s?(?: away)?)\b",
    re.IGNORECASE,
)
_IMPORTS = pattern(
    r"\b(?:imports?|importe|importen|importaci[oó]n(?:es)?|importaç(?:ão|ões)|importazion[ei]|импорт\w*)\b|导入|インポート|임포트",
    re.IGNORECASE,
)
_FENCE = pattern(r"^\s*(`{3,}|~{3,})")
_QUOTED = pattern(r"`[^`\n]+`|[\"“„][^\"“”„\n]{2,}[\"”“]")
_TOKEN = pattern(
    r"`(?P<name>[^`\n]+)`|[\"“„](?P<text>[^\"“”„\n]{2,})[\"”“]|(?P<open>\()|(?P<close>\))"
    r"|(?P<stop>[;:：.!?。；—]|\s-\s|–)|(?P<and>[,，/&、])"
    r"|(?P<word>[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\d_][\w$'’-]*(?:\(\))?|_\w+(?:\(\))?|\$\w+)"
)
# What of a quote is the name: `a.b.name(...)`, `A::name`, `$name`, `@name`.
_DOTTED = pattern(
    r"^[@&*!]{0,2}(?:[\w$]+(?:\.|::|->|#|\\))*(?P<name>[A-Za-z_$][\w$]*)[!?]?"
    r"(?:\([^()]*(?:\([^()]*\)[^()]*)*\)|<.*>|\[\])?$"
)
_DECLARES = pattern(
    r"^(?:[a-z]+\s+){0,3}?(?:def|class|function|func|fn|struct|enum|trait|interface|type|const|let|var|val)"
    r"\s+(?P<name>[A-Za-z_$][\w$]*)"
    r"|^(?P<assigned>[A-Za-z_$][\w$]*)\s*(?::\s*[^=]+)?(?::=|=)(?!=)"
)
MAX_BETWEEN = 8  # words between one that says that something goes and what it names


# ---- what is said of it ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hints:
    """All that a message's words say about the change.

    removed: names that the words say are gone; mentioned: names in the words (in backticks, or written like code);
    gone: all that they quote as gone, names included; kept: lines that they quote as staying, white space out; imports:
    they say that imports are gone.
    """

    removed: frozenset[str] = frozenset()
    mentioned: frozenset[str] = frozenset()
    gone: tuple[str, ...] = ()
    kept: frozenset[str] = frozenset()
    imports: bool = False


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a quote or a sign of a sentence. text: of a quote, without its signs."""

    kind: CueKind
    text: str


@lru_cache(maxsize=8)
def hints_of(message: str) -> Hints:
    """The hints in a message's prose; what stands in fences doesn't count."""
    prose = prose_of(message)
    mentioned: set[str] = set()
    said = Said()
    for sentence, is_item in sentences_of(prose):
        mentioned |= _names_in(sentence)
        if not _DOCSTRING_GONE.search(sentence):
            said.read(sentence, is_item=is_item)
    gone = [quoted for quoted in said.gone if quoted not in said.stays and _may_go(quoted)]
    return Hints(
        frozenset(name for quoted in gone if (name := name_of(quoted))),
        frozenset(mentioned),
        tuple(quoted.rstrip(". …") for quoted in gone),
        frozenset("".join(quoted.split()) for quoted in said.stays),
        any(names_imports(sentence) for sentence, _ in sentences_of(prose)),
    )


def gone_in(note: str, is_name: Callable[[str], bool]) -> tuple[str, ...]:
    """The names that a snippet's note says are gone: `removed: save`. is_name: whether a plain word names anything."""
    said = Said(is_name)
    said.read(note, is_item=False)
    return tuple(quoted for quoted in said.gone if quoted not in said.stays)


def speaks_of_imports(sentence: str) -> bool:
    """Whether a sentence has a word for imports."""
    return _IMPORTS.search(sentence) is not None


def names_imports(sentence: str) -> bool:
    """Whether a sentence speaks of imports, and of something that goes."""
    if not speaks_of_imports(sentence):
        return False
    tokens = _tokens(sentence, _looks_like_code)
    return any(token.kind in (CueKind.REMOVES, CueKind.REMOVED, CueKind.GOES) for token in tokens)


def says_gone(prose: str) -> bool:
    """Whether any sentence says that something goes."""
    tokens = (token for sentence, _ in sentences_of(prose) for token in _tokens(sentence, _looks_like_code))
    return any(token.kind in (CueKind.REMOVES, CueKind.REMOVED, CueKind.GOES) for token in tokens)


def name_of(quoted: str) -> str:
    """The name that a quote is, or declares; "" where it is something else."""
    text = quoted.strip()
    found = _DOTTED.match(text) or _DECLARES.match(text)
    return next((name for name in found.groups() if name), "") if found else ""


class Said:
    """Collects what sentences say is gone, and what stays: quotes and names written like code, in their order.

    is_name: whether a plain word is a name as well.
    """

    def __init__(self, is_name: Callable[[str], bool] | None = None) -> None:
        self.gone: dict[str, None] = {}
        self.stays: dict[str, None] = {}
        self._is_name = is_name or _looks_like_code
        self._awaits = False  # the sentence before says that what follows is gone
        self._is_in_list = False

    def read(self, sentence: str, *, is_item: bool) -> None:
        """Takes in one sentence. is_item: it is one of a list."""
        tokens = list(_tokens(sentence, self._is_name))
        cues = [at for at, token in enumerate(tokens) if token.kind in _CUES]
        if self._awaits and not cues and (is_item or not self._is_in_list):
            self.gone.update(dict.fromkeys(_objects(tokens, 0)))
            self._awaits = self._is_in_list = is_item
            return
        self._is_in_list = False
        found = False
        for at in cues:
            named = _named_by(tokens, at)
            found = found or bool(named)
            is_kept = tokens[at].kind in (CueKind.STAYS, CueKind.KEEPS)
            (self.stays if is_kept else self.gone).update(dict.fromkeys(named))
        is_open = bool(cues) and tokens[cues[-1]].kind in (CueKind.GOES, CueKind.REMOVES, CueKind.REMOVED)
        self._awaits = is_open and not found and sentence.rstrip().endswith((":", "："))


_COLONS = (":", "：")
_COMMAS = (",", "，")
_CUES = (CueKind.REMOVES, CueKind.REMOVED, CueKind.GOES, CueKind.STAYS, CueKind.KEEPS)
# What begins another clause, as seen from behind.
_ENDS = (CueKind.BREAK, CueKind.STOP, CueKind.OPEN, CueKind.CLOSE, CueKind.VERB, CueKind.IF, *_CUES)
_AUXILIARY = (CueKind.VERB, CueKind.NOT, CueKind.OTHER, CueKind.SMALL, CueKind.IT)


def _named_by(tokens: Sequence[Token], at: int) -> list[str]:
    """The names of which the word at `at` says that they go, or stay."""
    before = [token for token in tokens[max(0, at - 3) : at] if token.kind in (*_AUXILIARY, CueKind.IF)]
    if any(token.kind in (CueKind.NOT, CueKind.IF) for token in before):
        return []
    kind = tokens[at].kind
    objects = _objects(tokens, at + 1)
    if kind in (CueKind.REMOVES, CueKind.KEEPS):
        return objects or _listed_behind(tokens, at) or _subjects(tokens, at, meant=True)
    subjects = _subjects(tokens, at, meant=False)
    is_passive = kind is CueKind.REMOVED and at > 0 and tokens[at - 1].kind is CueKind.VERB
    if kind is CueKind.REMOVED and not is_passive:
        return objects or subjects or _listed_behind(tokens, at)
    return [*subjects, *_companions(tokens, at + 1)] if subjects else objects or _listed_behind(tokens, at)


def _listed_behind(tokens: Sequence[Token], at: int) -> list[str]:
    """The names that a colon behind a token introduces: `I removed what was deprecated: x, y`."""
    for colon in range(at + 1, len(tokens)):
        if tokens[colon].kind in _CUES:
            return []
        if tokens[colon].text in _COLONS:
            return _objects(tokens, colon + 1)
    return []


def _objects(tokens: Sequence[Token], start: int) -> list[str]:
    """The names from a token on until another clause begins: `remove x and y from z` names x and y."""
    names: list[str] = []
    is_place = is_joined = False
    num_between = num_before_comma = 0
    for at, token in _outside_brackets(tokens, start):
        if _ends_objects(token, is_joined, bool(names), num_between) or (at == start > 0 and token.text in _COMMAS):
            if token.kind in (CueKind.GOES, CueKind.STAYS) and num_before_comma:
                return names[:num_before_comma]  # what follows the comma is what the next cue is said of
            break
        if token.kind in (CueKind.NAME, CueKind.TEXT):
            names += [] if is_place else [token.text]
            num_between = 0
        elif token.kind in (CueKind.PLACE, CueKind.OF):
            is_place = token.kind is CueKind.PLACE or bool(names)
        elif token.kind is CueKind.WITH or (token.kind is CueKind.SMALL and is_joined):
            is_place = False
        elif token.text in _COMMAS:
            num_before_comma = len(names)
        num_between += token.kind is CueKind.OTHER
        is_joined = token.kind is CueKind.AND
    return names


def _outside_brackets(tokens: Sequence[Token], start: int) -> Iterator[tuple[int, Token]]:
    """Yields the tokens from one on with their places, without those that stand in brackets."""
    depth = 0
    for at, token in enumerate(tokens[start:], start):
        depth += token.kind is CueKind.OPEN
        if not depth:
            yield at, token
        depth -= token.kind is CueKind.CLOSE and depth > 0


def _ends_objects(token: Token, is_joined: bool, has_names: bool, num_between: int) -> bool:
    """Whether a token begins another clause, or says something else. is_joined: behind a comma or an `and`."""
    if token.kind in (CueKind.BREAK, CueKind.IF, *_CUES):
        return True
    if token.kind in (CueKind.STOP, CueKind.VERB):
        return has_names or (token.kind is CueKind.STOP and token.text not in _COLONS)
    is_far = num_between >= MAX_BETWEEN or (is_joined and (has_names or num_between > 0))
    return token.kind is CueKind.OTHER and is_far


def _companions(tokens: Sequence[Token], start: int) -> list[str]:
    """The names that go with what is gone: `x is gone together with y`."""
    if start < len(tokens) and tokens[start].kind is CueKind.WITH:
        return _objects(tokens, start + 1)
    return []


def _subjects(tokens: Sequence[Token], end: int, *, meant: bool) -> list[str]:
    """The names that the clause before a token is about; where that is a pronoun, those that the sentence is about.

    meant: only what a pronoun stands for.
    """
    has_pronoun = any(token.kind is CueKind.IT for token in tokens[max(0, end - 3) : end + 2])
    while end > 0 and tokens[end - 1].kind in (CueKind.VERB, CueKind.NOT):
        end -= 1
    names: list[str] = []
    first: list[str] = []
    is_place = is_apart = is_behind_cue = False
    before = CueKind.BREAK
    for token in tokens[:end]:
        if token.kind in _ENDS or (is_behind_cue and token.text in _COMMAS):
            first = first or names
            names, is_place, is_apart, is_behind_cue = [], False, False, token.kind in _CUES
        elif token.kind in (CueKind.NAME, CueKind.TEXT):
            if is_apart or before is CueKind.OTHER:
                first, names = first or names, []
            names += [] if is_place else [token.text]
            is_apart = False
        elif token.kind in (CueKind.PLACE, CueKind.OF):
            is_place = token.kind is CueKind.PLACE or bool(names)
        elif token.kind is CueKind.SMALL and before is CueKind.AND:
            is_place = False
        elif token.text in _COMMAS and before is CueKind.OTHER:
            is_apart = True
        before = token.kind
    return names if names and not meant else first if has_pronoun else []


def _tokens(sentence: str, is_name: Callable[[str], bool]) -> Iterator[Token]:
    """The tokens of a sentence. Cues are looked for outside of quotes only."""
    at = 0
    masked = _QUOTED.sub(lambda found: "`" * len(found.group()), sentence)
    while at < len(sentence):
        cue = cue_at(masked, at)
        if cue is not None:
            yield Token(cue[0], sentence[at : cue[1]])
            at = cue[1]
            continue
        found = _TOKEN.match(sentence, at)
        if found is not None and found.lastgroup is not None:
            yield _token(found.lastgroup, found[found.lastgroup], is_name)
        at = found.end() if found is not None else at + 1


def _token(group: str, text: str, is_name: Callable[[str], bool]) -> Token:
    if group == "text":
        return Token(CueKind.TEXT, f'"{text}"')
    if group == "word":
        return Token(CueKind.NAME if is_name(text.removesuffix("()")) or text.endswith("()") else CueKind.OTHER, text)
    return Token(CueKind(group), text)


def is_path(quoted: str) -> bool:
    """Whether what the words quote names a file."""
    return bool(_PATH.match(quoted))


def _may_go(quoted: str) -> bool:
    """Whether a quote may name something inside a file: it is no path, or a package with a scope (`@scope/name`)."""
    return quoted.startswith("@") or not is_path(quoted)


def _names_in(sentence: str) -> set[str]:
    """The words of a sentence that stand in backticks, or are written like code; names of files aren't code."""
    sentence = without_files(sentence)
    quotes = [quoted for quoted in _NAME.findall(sentence) if not is_path(quoted)]
    names = {word for quoted in quotes for word in _WORD.findall(quoted)}
    return names | {word for word in _WORD.findall(sentence) if _looks_like_code(word)}


def sentences_of(prose: str) -> Iterator[tuple[str, bool]]:
    """The sentences, each with whether it is an item of a list; what stands in backticks is never parted."""
    start, is_item = 0, False
    for found in _SENTENCE_END.finditer(prose):
        if not found.group().startswith("`"):
            if prose[start : found.start()].strip():
                yield prose[start : found.start()], is_item
            start, is_item = found.end(), found["item"] is not None
    if prose[start:].strip():
        yield prose[start:], is_item


def prose_of(message: str) -> str:
    """The message's lines outside of fences."""
    lines: list[str] = []
    closing: str | None = None
    for line in message.split("\n"):
        fence = _FENCE.match(line)
        if closing is None and fence:
            closing = fence.group(1)[:3]
        elif closing is not None and fence and fence.group(1).startswith(closing):
            closing = None
        elif closing is None:
            lines.append(line)
    return "\n".join(lines)


def _looks_like_code(word: str) -> bool:
    return "_" in word or any(character.isupper() for character in word[1:])
