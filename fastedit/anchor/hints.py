"""Reads an assistant's words around the code: what they say about the place and the change."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from fastedit.anchor.cues import CueKind, cue_at
from fastedit.edits.naming import without_files
from fastedit.patterns import pattern

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
