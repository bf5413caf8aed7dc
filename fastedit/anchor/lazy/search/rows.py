"""A snippet's lines as the search reads them: each with what its words say it may be.

What a comment may be for is in `comments`. A line is taken apart here where its body is elided, or where a comment
behind it speaks to the reader.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from fastedit.anchor.lazy.lines import DOTS, NAME, WORD, Lines, unwrapped
from fastedit.anchor.lazy.search.placeholders import (
    MIN_ELIDED,
    bracket_of,
    indent_of,
    is_elision,
    is_held,
    is_in_brackets,
    is_shortened,
    logit,
    opens_block,
)
from fastedit.anchor.lazy.words.asides import NO_ASIDES, Asides, less_like_code
from fastedit.anchor.lazy.words.comments import PRAGMA, Comments, is_pointed, log_odds, split_trailing
from fastedit.edits.wording import comment_text
from fastedit.syntax import comment_syntax

_D = r"(?:\.{3,}|…)"
# A line that is nothing but dots, in brackets or with a few words.
_BARE = re.compile(
    rf"^(?:[\[(<{{*~-]*\s*{_D}(?:[^=;{{}}]*{_D})?\s*[\])>}}*~-]*,?|{_D}\s+[^=;{{}}()]{{1,80}}|[\[(<]\s*{_D}(?:[^=;{{}}]{{0,90}}|[^={{}}]{{0,200}}{_D}\s*)[\])>]|[~]{{3,}}"
    rf"|{_D}[^.=;{{}}]+{_D}|{_D}\s*\(.*\)(?:\s*{_D})?)$"
)
_STUB = re.compile(rf"^(?P<head>\s*\S.*:)\s+{_D}\s*(?:#\s*(?P<note>.*))?$")
_ELIDED = rf"(?:{_D}|/\*.*?\*/|//.*?|<!--.*?-->|\{{/\*.*?\*/\}})"
_BRACED = re.compile(rf"^(?P<head>\s*(?:\S.*?)?\{{)\s*(?P<body>{_ELIDED})\s*(?P<tail>\}}[^{{}}]*)$")
_LISTED = re.compile(rf"^(?P<head>\s*\S.*?[\[(])\s*(?P<body>{_D}|/\*.*?\*/)\s*(?P<tail>[\])][^\[\]()]*)$")
_TAGGED = re.compile(rf"^(?P<head>\s*<[^<>/]+>)\s*(?P<body>{_ELIDED})\s*(?P<tail></[\w.:-]+>)$")
# The first line of a docstring of several lines, closed behind it; a function of several lines in one.
_SHORTENED = re.compile(
    rf"^(?P<head>\s*[rbuRBU]?(?P<quotes>\"{{3}}|'{{3}})\s*\S.*?)\s*(?:[\[(]?{_D}[\])]?)?\s*(?P=quotes)$"
)
_ONE_LINE = re.compile(rf"^(?P<head>\s*(?:async\s+)?def\s.*?\)(?:\s*->[^:]*)?:)\s+(?P<body>\S.*{_D}.*)$")
_DOCSTRING = re.compile(r"^[rbuRBU]?(\"\"\"|''')\s*(.*?)\s*\1$")
_INSIDE = re.compile(r"(?<=[(\[{,<])\s*/\*(?P<note>[^*/]*)\*/")
# A line that is cut off, with words or dots in brackets in place of the rest.
_REST = r"[^\[\](){}\"'=;]{1,60}"
_CUT_OFF = re.compile(
    rf"^(?P<head>\s*\S.*?)(?:(?<=[\w.!?)`\"'])\s+|\s*{_D}\s*)(?:\[(?P<note>{_REST})\]|\((?P<words>{_REST})\))[,;.]?$"
)
MIN_CUT_OFF = 8  # characters of it
_QUOTED_NAME = re.compile(r"`([^`\n]+)`")
DOTS_ODDS = {"elide": -0.02, "where": -6.0, "new": -6.0, "gone": -6.0, "code": -4.0}
STUB_ODDS = DOTS_ODDS | {"elide": -0.3, "code": -1.4}  # of dots where the file has such a line, as a body
# Of dots that are the whole body of an overload, or that words call code; of `... words:` beside other markers.
ELLIPSIS_ODDS = DOTS_ODDS | {"elide": -2.5, "code": -0.1}
SENTENCE_ODDS = DOTS_ODDS | {"elide": -1.2, "code": -0.4}
CODE_ODDS = {"elide": -20.0, "where": -20.0, "new": -20.0, "gone": -20.0, "code": 0.0}
# A comment behind code is left out of the result where the classifier gives it less than this to be code.
MAX_CODE_ODDS = math.log(0.5)
PRAGMA_ODDS = -0.01
# Signs of comments that begin code in languages without them: `'key': value`, `--count;`, `#include`, `#private = 1`.
_CODE_ELSEWHERE = ("'", "--", ";", "%", "REM ", "#")
# So many of the comments behind code are taken either way, where the odds are no farther than this from undecided.
MAX_FLIPS, MAX_DOUBT = 2, 1.5
_RST_NOTE = re.compile(r"^\.\.\s+(?:[(\[]|\.{3}|…|.*(?:\.{3}|…)$)")
# Comments whose words stand in the lines below: how these begin, and how they end.
_OPENINGS = {"..": "", "<!--": "-->", "/*": "*/", "/**": "*/", "{/*": "*/}"}
MAX_SPANNING = 6  # lines of such a comment
MIN_SPANNING = -0.2  # the least log odds that it stands for code: as a row it can't be written in lines of its own
MIN_HELD = math.log(0.2)  # the same where brackets hold all of a comment's words, and nothing else tells it from code
_CONTINUED = re.compile(r"^\.{3}(?:\s|$|[)\]}])")  # a line of a session with Python that goes on with the one above
_DEF = re.compile(r"^(?:async\s+)?def\s")
_OVERLOAD = re.compile(r"^@(?:\w+\.)*overload\b")
MAX_HEADER = 20  # lines of a header
MIN_SENTENCE = 3  # words
_STARRED = re.compile(r"^\*\s+(?=[\[(.…])")  # in a block comment
BRACKETED_ODDS = -1.5  # that they are the file's, beside a comment's
MAX_UNEVEN = 3  # characters by which the line below a title may be longer
_HTML_LIKE = frozenset(
    ("html", "vue", "svelte", "xml", "markdown", "jinja", "erb", "php", "javascript", "tsx", "typescript", "")
)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a snippet.

    text: without line end. note: what the comment that fills it says, or None. odds: role → log probability from its
    words. number: the line of the snippet that it comes from. is_dots: nothing but an elision. is_part: made when a
    line was taken apart at an elided body; whole: that line, for the first part. is_quoted: a comment behind it says
    that it stays. names: what its comment names.
    """

    text: str
    number: int
    note: str | None = None
    odds: dict[str, float] | None = None
    is_dots: bool = False
    is_part: bool = False
    whole: str | None = None
    is_quoted: bool = False
    names: frozenset[str] = frozenset()
    is_blank: bool = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "is_blank", not self.text.strip())  # asked for very often

    def role(self, name: str) -> float:
        """The log probability that the row has this role."""
        return (self.odds or CODE_ODDS)[name]


@dataclass(frozen=True, slots=True)
class Taste:
    """A way to take lines that can be taken in two ways.

    keeps_notes: a comment behind code is code. keeps_stubs: a body of dots is code. joins: a statement of several
    lines that the original has in one line is quoted. by_keys: a partial object is merged key by key. flipped: what a
    comment behind code says that is taken otherwise than its words suggest. keeps_asides: so a comment is code that
    speaks of the edit, or that the message calls one for the reader.
    """

    keeps_notes: bool = False
    keeps_stubs: bool = False
    joins: bool = False
    by_keys: bool = False
    flipped: str | None = None
    keeps_asides: bool = False

    @property
    def flips_note(self) -> bool:
        """Whether a comment behind code is taken otherwise than its words suggest."""
        return self.flipped is not None


def variants_of(
    texts: Sequence[str], original: Lines, language: str = "", asides: Asides = NO_ASIDES
) -> list[tuple[Taste, list[Row]]]:
    """The rows in the usual taste, then in those others that make a difference."""
    texts = [text.rstrip("\r") for text in texts]
    comments = Comments(texts, original, language)
    reader = _Reader(original, language, Taste(), comments, asides)
    found = [(Taste(), reader.all_rows(texts))]
    flips = sorted((note for note in reader.doubts if reader.doubts[note] < MAX_DOUBT), key=reader.doubts.__getitem__)
    tastes = [Taste(keeps_notes=True), Taste(keeps_stubs=True), Taste(joins=True)]
    for taste in (*tastes, *(Taste(flipped=note) for note in flips[:MAX_FLIPS])):
        reader = _Reader(original, language, taste, comments, asides)
        rows = reader.all_rows(texts)
        taste = replace(taste, keeps_asides=reader.keeps_asides)
        if all(rows != others for _, others in found):
            found.append((taste, rows))
    return found


def rows_of(
    texts: Sequence[str],
    original: Lines,
    language: str = "",
    taste: Taste | None = None,
    asides: Asides = NO_ASIDES,
) -> list[Row]:
    """The snippet's lines as rows, without blank ones at either end."""
    texts = [text.rstrip("\r") for text in texts]
    return _Reader(original, language, taste or Taste(), Comments(texts, original, language), asides).all_rows(texts)


def _unwrapped(rows: list[Row], original: Lines) -> list[Row]:
    """The rows with statements joined that the original has in one line."""
    if not any(row.text.rstrip().endswith(("(", "[", "{", ",")) for row in rows):
        return rows
    shown = Lines([row.text for row in rows])
    result: list[Row] = []
    at = 0
    while at < len(rows):
        is_open = not rows[at].is_blank and shown.stripped[at][-1:] in ("(", "[", "{", ",")
        span = shown.statement_span(at) if is_open else 1
        if span > 1 and shown.keys[at] not in original.places:
            line = _line_like(unwrapped(" ".join(shown.stripped[at : at + span])), original)
            if line is not None:
                indent = rows[at].text[: len(rows[at].text) - len(rows[at].text.lstrip())]
                result.append(replace(rows[at], text=indent + original.stripped[line]))
                at += span
                continue
        result.append(rows[at])
        at += 1
    return result


def _line_like(joined: str, original: Lines) -> int | None:
    """The first line of the original that equals a statement, both without white space; None where none does."""
    places = original.places.items()
    return next((line for key, (line, *_) in places if len(key) >= len(joined) and unwrapped(key) == joined), None)


def names_in(text: str) -> frozenset[str]:
    """The words of a note that look like names: quoted, called, or written like code."""
    quoted = {word for part in _QUOTED_NAME.findall(text) for word in NAME.findall(part)}
    plain = {
        word
        for word in NAME.findall(_QUOTED_NAME.sub(" ", text))
        if "_" in word or any(letter.isupper() for letter in word[1:]) or f"{word}(" in text
    }
    return frozenset(quoted | plain)


class _Reader:
    """Reads lines as rows, given the original and its language."""

    def __init__(self, original: Lines, language: str, taste: Taste, comments: Comments, asides: Asides) -> None:
        self.original = original
        self.language = language
        self.taste = taste
        self.comments = comments
        self.asides = asides
        syntax = comment_syntax(language)
        self.signs = (*syntax.line, *(opening for opening, _ in syntax.block))
        if not syntax.line:
            self.signs = (*self.signs, "//", "#")
        if language in _HTML_LIKE:
            self.signs = (*self.signs, "{#", "{/*", "//", "<%")
        self.doubts: dict[str, float] = {}
        self.keeps_asides = False
        self.brackets = {bracket_of(text) for text in comments.shown.stripped if is_in_brackets(text)} - {""}
        self.has_signs = bool(syntax.line)
        self.has_stars = any(opening.startswith("/*") for opening, _ in syntax.block)
        self.allows_comments = language != "json" or any(map(original.is_comment, range(len(original))))

    def all_rows(self, texts: Sequence[str]) -> list[Row]:
        """The rows of all lines, without blank ones at either end."""
        first = next((n for n, text in enumerate(texts) if text.strip()), len(texts))
        last = next((n for n in range(len(texts), first, -1) if texts[n - 1].strip()), first)
        rows: list[Row] = []
        number = first
        while number < last:
            joined, count = self._spanning_marker(texts[:last], number) or (texts[number], 1)
            rows.extend(self.rows(joined, number))
            number += count
        return _unwrapped(rows, self.original) if self.taste.joins else rows

    def _spanning_marker(self, texts: Sequence[str], number: int) -> tuple[str, int] | None:
        """A comment over several lines that stands for code, in one line, and how many it is; None for any other."""
        opening = texts[number].strip()
        if opening not in _OPENINGS:
            return None
        closing, below = _OPENINGS[opening], texts[number + 1 : number + MAX_SPANNING]
        if closing:
            count = next((at for at, text in enumerate(below, 1) if text.strip().endswith(closing)), 0)
        else:
            count = len(list(takewhile(lambda text: indent_of(text) > indent_of(texts[number]), below)))
        inner = [text.strip() for text in below[:count] if text.strip() != closing]
        note = " ".join(text.removesuffix(closing).strip(" *") for text in inner).strip()
        words = note.strip("()[] ")
        is_dotted = DOTS.match(words) or DOTS.search(words[-3:])
        least = MIN_SPANNING if closing or not is_held(note) else MIN_HELD
        if not note or "@" in note or not (is_dotted or log_odds(words)["elide"] > least):
            return None
        if any("".join(text.split()) in self.original.places for text in inner):
            return None
        return f"{texts[number].rstrip()} {note} {closing}".rstrip(), count + 1

    def rows(self, text: str, number: int) -> list[Row]:
        stripped = text.strip()
        if not stripped:
            return [Row(text, number)]
        key = "".join(stripped.split())
        is_known = key in self.original.places
        is_dots = _BARE.match(stripped) and not self._is_underline(stripped, number)
        is_dots = is_dots and not self._continues_sample(stripped, number)
        if is_dots and not (is_known and stripped not in ("...", "…")):
            odds = self._odds_of_dots(stripped, number, is_known)
            is_sure = odds["elide"] > odds["code"]
            return [Row(text, number, stripped, odds, is_dots=is_sure, names=self._names(stripped))]
        note = self._row_of_note(text, number, is_known)
        if note is not None:
            return [note]
        docstring = _DOCSTRING.match(stripped)
        if docstring and not is_known:
            shortened = None if self.taste.keeps_stubs else _SHORTENED.match(text)
            rows = self._at_docstring(shortened["head"], shortened["quotes"], text, number) if shortened else []
            if rows:  # its first line is the file's
                return rows
            odds = log_odds(docstring.group(2))
            if odds["elide"] > odds["code"] or DOTS.fullmatch(docstring.group(2)):
                return [Row(text, number, docstring.group(2), odds)]
        if is_known:
            return [Row(text, number)]
        return self._taken_apart(text, number)

    def _odds_of_dots(self, text: str, number: int, is_known: bool) -> dict[str, float]:
        """The log odds of what a line of dots is for. is_known: whether the file has such a line."""
        if text in ("...", "…"):
            is_body = self.language == "python" and self._is_whole_body(number)
            if is_body and (self.asides.dots_are_code or self._is_overload(number)):
                return ELLIPSIS_ODDS
            return STUB_ODDS if is_known else DOTS_ODDS
        is_sentence = text[-1] in ":." and not DOTS.search(text[-3:]) and len(WORD.findall(text)) >= MIN_SENTENCE
        return SENTENCE_ODDS if is_sentence and self._has_other_markers(text) else DOTS_ODDS

    def _continues_sample(self, text: str, number: int) -> bool:
        """Whether a line with dots in front goes on with the `>>>` line above it, as in a session with Python."""
        if not _CONTINUED.match(text):
            return False
        stripped, at = self.comments.shown.stripped, number - 1
        while at >= 0 and _CONTINUED.match(stripped[at]):
            at -= 1
        if at < 0 or not stripped[at].startswith(">>> "):
            return False
        return not DOTS.search(text[3:]) and log_odds(text[3:].strip())["elide"] < MIN_ELIDED

    def _is_whole_body(self, number: int) -> bool:
        """Whether a line is all there is below a header of Python, but for a docstring."""
        shown = self.comments.shown
        above = next((at for at in range(number - 1, -1, -1) if shown.keys[at]), None)
        below = next((at for at in range(number + 1, len(shown)) if shown.keys[at]), None)
        if above is None or (below is not None and shown.columns[below] >= shown.columns[number]):
            return False
        is_header = shown.stripped[above].endswith(":") and shown.columns[above] < shown.columns[number]
        return is_header or shown.stripped[above].endswith(('"""', "'''"))

    def _is_overload(self, number: int) -> bool:
        """Whether a line is in a function that is declared as an overload, which has no other body than dots."""
        shown = self.comments.shown
        above = range(number - 1, max(-1, number - MAX_HEADER), -1)
        header = next((at for at in above if _DEF.match(shown.stripped[at])), 0)
        return header > 0 and bool(_OVERLOAD.match(shown.stripped[header - 1]))

    def _has_other_markers(self, text: str) -> bool:
        """Whether other lines with dots stand for code in a snippet, and are written otherwise than this one."""
        others = (other for other in self.comments.shown.stripped if other != text and DOTS.search(other))
        return any(
            not other.startswith(("...", "…")) and (_BARE.match(other) or comment_text(other) is not None)
            for other in others
        )

    def _row_of_note(self, text: str, number: int, is_known: bool) -> Row | None:
        """The row of a line that is a comment, or words that may be one; None for any other."""
        stripped = text.strip()
        note, is_bracketed = self._note(stripped), False
        if note is None and not is_known:
            inner = _STARRED.sub("", stripped) if self.has_stars else stripped
            is_bracketed = is_in_brackets(inner) or bracket_of(inner) in self.brackets
            is_bracketed |= inner != stripped and bool(_BARE.match(inner))
            note = inner.strip("[]()<>") if is_bracketed else stripped[2:] if self._is_rst_note(stripped) else None
        if note is None:
            return None
        note = note.strip()
        odds = self._odds(note, number)
        if DOTS.fullmatch(note.strip("[](){}<> ")):
            odds = DOTS_ODDS
        return Row(
            text, number, note, less_like_code(odds, BRACKETED_ODDS) if is_bracketed else odds, names=self._names(note)
        )

    def _note(self, text: str) -> str | None:
        """The text of the comment that a line is; None for code that begins like a comment of another language."""
        sign = next((sign for sign in _CODE_ELSEWHERE if text.startswith(sign)), None)
        if sign is not None and not text.startswith(self.signs) and not DOTS.search(text):
            is_apart = text[len(sign) : len(sign) + 1] in ("", " ", "#", "!")
            is_code = self.has_signs if sign not in ("#", "--") else not is_apart
            if is_code or (sign == "'" and "'" in text[1:]):
                return None
        return comment_text(text)

    def _against_code(self, note: str, number: int, code: str | None) -> float:
        """The (negative) shift of the log odds that a comment in a line is code, by the message's words."""
        if self.comments.shown.keys[number] in self.original.places or PRAGMA.match(note):
            return 0.0
        return self.asides.against_code(self.comments.shown.texts[number], note, code is not None)

    def _odds(self, note: str, number: int, code: str | None = None) -> dict[str, float]:
        """The log odds of what a comment in a line may be for; no comment is code in a JSON file without any.

        code: what stands before it.
        """
        odds = self.comments.odds(note, number, code)
        against = self._against_code(note, number, code)
        if against:
            odds = less_like_code(odds, against)
        if self.allows_comments:
            return odds
        total = math.log(sum(math.exp(odd) for role, odd in odds.items() if role != "code"))
        return {role: odd - total for role, odd in odds.items()} | {"code": CODE_ODDS["elide"]}

    def _is_underline(self, text: str, number: int) -> bool:
        """Whether a line of tildes sets off a title above it, rather than standing for something."""
        above = self.comments.shown.stripped[number - 1] if number else ""
        is_title = any(map(str.isalnum, above)) and len(above) <= len(text) <= len(above) + MAX_UNEVEN
        return not text.strip("~") and is_title

    def _is_rst_note(self, text: str) -> bool:
        """Whether a line is a comment of reStructuredText, or is written like one that stands for something."""
        if self.language in ("rst", "restructuredtext"):
            return text.startswith(".. ") and "::" not in text and not text.startswith(".. _") and text[3:4] != "|"
        return bool(_RST_NOTE.match(text))

    def _names(self, note: str) -> frozenset[str]:
        return frozenset(word for word in NAME.findall(note) if word in self.original.vocabulary) | names_in(note)

    def _taken_apart(self, text: str, number: int) -> list[Row]:
        """A line of code as rows: at an elided body, and without a note behind it."""
        if not self.taste.keeps_stubs:
            rows = self._cut_off(text, number) or self._at_stub(text, number) or self._abbreviated(text, number)
            if rows:
                return rows
        trailing = split_trailing(text, self.signs)
        if trailing is None:
            return [Row(text, number)]
        code, note = trailing
        if self.taste.keeps_notes:
            self.keeps_asides |= self._against_code(note, number, code) < 0
            return [Row(text, number)]
        odds = self._odds(note, number, code)
        if PRAGMA.match(note):
            odds = odds | {"code": PRAGMA_ODDS}
        is_known = "".join(code.split()) in self.original.places
        if not DOTS.match(note) and not is_pointed(note) and self._is_kept(note, odds["code"], is_known):
            self.keeps_asides |= self._against_code(note, number, code) < 0
            return [Row(text, number)]
        indent = text[: len(text) - len(text.lstrip())]
        if odds["elide"] > -1.5 and code.rstrip().endswith(("{", "(", "[", ":", ">")) and is_known:
            dots = Row(f"{indent}    ...", number, note, DOTS_ODDS, is_dots=True, names=self._names(note))
            return [Row(code, number, whole=text), dots]
        stays = odds["elide"] > max(odds["new"], odds["gone"], odds["where"])
        rows = [Row(code, number)] if is_known else self._at_stub(code, number)
        return [replace(row, is_quoted=stays) for row in rows or [Row(code, number)]]

    def _is_kept(self, note: str, code: float, is_known: bool) -> bool:
        """Whether a comment behind code belongs to it; notes how much its words leave open.

        is_known: whether the file has the code without it, so that nothing would change without the comment.
        """
        if is_known and code > MAX_CODE_ODDS:
            return True
        self.doubts[note] = abs(logit(code) - logit(MAX_CODE_ODDS))
        return (code > MAX_CODE_ODDS) != (note == self.taste.flipped)

    def _at_stub(self, text: str, number: int) -> list[Row]:
        indent = text[: len(text) - len(text.lstrip())]
        found = _STUB.match(text) or _ONE_LINE.match(text)
        if found and opens_block(found["head"], self.original):
            note = found.groupdict().get("note") or "..."
            return [
                Row(found["head"], number, whole=text, is_quoted=is_shortened(found["head"], self.original)),
                Row(f"{indent}    ...", number, note, DOTS_ODDS, is_dots=True, is_part=True),
            ]
        found = _SHORTENED.match(text)
        if found:
            return self._at_docstring(found["head"], found["quotes"], text, number)
        for pattern in (_BRACED, _LISTED, _TAGGED):
            found = pattern.match(text)
            if not found:
                continue
            if found["head"].strip() == "{" not in self.original.places:  # `{ /* ... */ }` is a comment of JSX, too
                continue
            inner = comment_text(found["body"]) or found["body"]
            if is_elision(inner) and (pattern is _BRACED or opens_block(found["head"], self.original)):
                names = names_in(inner)
                is_quoted = is_shortened(found["head"], self.original)
                return [
                    Row(found["head"].rstrip(), number, whole=text, is_quoted=is_quoted),
                    Row(f"{indent}    ...", number, inner, DOTS_ODDS, is_dots=True, is_part=True, names=names),
                    Row(indent + found["tail"].rstrip(), number, is_part=True),
                ]
        return []

    def _cut_off(self, text: str, number: int) -> list[Row]:
        """The row of a line of which only the beginning is shown: `prefix [same as now]`; none for others."""
        found = _CUT_OFF.match(text)
        if found is None or not is_elision(found["note"] or found["words"]):
            return []
        head = "".join(found["head"].split())
        if len(head) < MIN_CUT_OFF or not any(key.startswith(head) and key != head for key in self.original.places):
            return []
        return [Row(f"{found['head']} ...", number, whole=text)]

    def _abbreviated(self, text: str, number: int) -> list[Row]:
        """The row of a line in which a comment stands for code: `solve(/* as before */);`; none for others."""
        found = _INSIDE.search(text) if self.has_stars else None
        if found is None or not is_elision(found["note"]):
            return []
        return [Row(f"{text[: found.start()]}...{text[found.end() :]}", number, whole=text)]

    def _at_docstring(self, head: str, quotes: str, text: str, number: int) -> list[Row]:
        """The rows of a docstring of which only the first line is shown; none where the original has no such line."""
        line = next(iter(self.original.places.get("".join(head.split()), ())), None)
        if line is None:
            return []
        indent = text[: len(text) - len(text.lstrip())]
        rows = [
            Row(head, number, whole=text),
            Row(f"{indent}...", number, "...", DOTS_ODDS, is_dots=True, is_part=True),
        ]
        end = next((one for one in self.original.stripped[line + 1 :] if quotes in one), "")
        return [*rows, Row(indent + quotes, number, is_part=True)] if end == quotes else rows
