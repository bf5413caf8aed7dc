"""Reads what assistants write: lines that only stand for code, paragraphs that are English, words that name a file.

A *marker* stands for lines of the original (`# ... existing code ...`), a *removal* says what goes
(`# removed: foo`), a *remark* is a comment that could be either a locator, an odd marker or new code:
only the original can tell. Comments that the original has are code, whatever they say.

Files are named in headings, in prose, in a fence's info string, in a first comment. What reads as a name is told here,
hostile names as they are: whether a path may be used is decided where files are opened, and no disk is looked at.

This module knows the wordings and the comment syntaxes, not the original's structure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from fastedit.patterns import pattern

_LIST_ITEM = pattern(r"^(?!\s\*)\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_INLINE_CODE = pattern(r"(`+)[^`\n]+\1")
_CODE_SIGN = pattern(r"[{}\[\]=<>\\|@$]|;(?!\s\S)|\w\(|::|->")
# What no line of a sentence starts with, and what none holds.
_CODE_LINE = pattern(
    r"^(?:\t|\s{4}|\s*(?://|--|/\*|\*/|<[!/?\w%]|@\w|\.\. |%|;|[{}\])]|#|[-\w]+:\s*$|[a-z_][\w.]*\s*=\s)|\s\*\s)"
    r"|\"{3}|'{3}|/\*|\*/|<!--|-->|[{]\s*$"
)
_KEY_ITEM = pattern(r"^\s*-\s+[\w.-]+:(?:\s|$)")
_STATEMENT = pattern(r"^(?:if|for|while|with|elif|else|class|def|case|except|match|when|unless|until|async)\b")
_SHORT = pattern(r"^[A-Z][\w' ,-]{1,40}[.!?:]$")
_PLAIN = pattern(r"^[(\"'“‘«*_]*[^\W\d_]+(?:['’/-][^\W\d_]+)*[)\"'”’»*_]*[.,;:!?…)]*$")
_NEUTRAL = pattern(r"^(?:\W*(?:\d[\d.,:%-]*|[A-Z]{2,}s?|\ufffc)?\W*)$")
_FUNCTION_WORDS = frozenset(
    "the a an so which are it that this be also its any now i we they them there but to of you was were".split()
)
_SENTENCE_END = pattern(r"[.:!?)…\"*\ufffc]$")
_WIDE = pattern(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_WIDE_END = pattern(r"[。：！？）:.!?)]$")
_FIRST_PERSON = pattern(
    r"^(?:[\W_]*)(?:(?:(?:sure|ok|okay|done|now|first|next|then|so|also|and|here)\b[,.!:]?\s*)*)"
    r"(?:I(?:['’](?:ll|m|ve|d))?|we(?:['’](?:ll|re|ve|d))?|let me|let['’]s|here(?:['’]s| is| are))\s",
    re.IGNORECASE,
)
_MAX_TEXT = 4000
_MIN_SHARE, _MIN_SHARE_OF_PERSON, _MIN_SHARE_OF_FRAGMENT = 0.6, 0.35, 0.85
_EXTENSIONS = (
    # program text
    "py pyi pyx ipynb js mjs cjs jsx ts mts cts tsx vue svelte astro go rs java kt kts scala groovy gradle c h cc cpp"
    " cxx hh hpp hxx ino m mm cs fs vb swift rb erb rake gemspec php phtml pl pm lua r jl dart ex exs eex heex erl hrl"
    " hs ml mli clj cljs cljc elm nim zig v sv vhd vhdl sol cu cuh f90 f95 asm s d cr tcl sh bash zsh fish ps1 psm1 bat"
    " cmd awk sql graphql gql proto thrift prisma tf tfvars hcl nix bzl cmake mk make am ac in j2 jinja jinja2 tmpl tpl"
    " mustache hbs el vim"
    # markup, data, configuration
    " html htm xhtml css scss sass less styl xml xsl xsd svg json jsonc json5 jsonl yaml yml toml ini cfg conf cnf"
    " config env properties plist lock csv tsv md mdx markdown rst adoc tex bib txt text po pot service socket timer"
    " desktop rules csproj fsproj sln props targets editorconfig gitignore dockerignore dockerfile patch diff http rest"
    " mod sum"
)
EXTENSIONS = frozenset(_EXTENSIONS.split())
_FILE_NAMES = (
    "Makefile makefile GNUmakefile Dockerfile Containerfile Jenkinsfile Vagrantfile Procfile Gemfile Rakefile Brewfile"
    " Podfile Fastfile Pipfile Justfile justfile Caddyfile Tiltfile Earthfile BUILD WORKSPACE CODEOWNERS LICENSE README"
    " CHANGELOG NOTICE AUTHORS VERSION Cargo.lock go.mod go.sum crontab"
)
FILE_NAMES = frozenset(_FILE_NAMES.split())
# Extensions that attributes and methods also end with: `app.config`, `response.text`.
_ATTRIBUTES = (
    "config text txt service socket target targets timer rules sum http rest env properties in d s m l v r el mod mk am"
    " ac lock patch diff po pot map make plist proto tf props"
)
_ATTRIBUTE_LIKE = frozenset(_ATTRIBUTES.split())
# Names of products and expressions that end like a file.
_PRODUCTS = (
    "node.js vue.js next.js nuxt.js express.js three.js d3.js react.js angular.js chart.js socket.io process.env"
    " response.json request.json res.json req.json resp.json import.meta.env asp.net e.g i.e etc"
)
_NOT_FILES = frozenset(_PRODUCTS.split())
_DOT_FILE = pattern(
    r"^\.(?:env|git[a-z]+|htaccess|editorconfig|flake8|python-version|tool-versions|bash_\w+|profile|pre-commit-config|travis"
    r"|gitlab-ci|[a-z]+(?:rc|ignore))(?:[.-][\w.-]+)?$"
)
# Names of files that are the names of their languages, too.
_LANGUAGES = frozenset("makefile justfile".split())
_LOCATION = pattern(r"(?::\d{1,9}(?:[-:]\d{1,9})?|#L\d{1,9}(?:-L?\d{1,9})?)$")
_FORBIDDEN = pattern(r"[\x00-\x1f`*\"<>|?]|://|\(\)|=|^-|^[.]{3}|…")
_WORD_CHARACTER = pattern(r"\w")
_LABEL = pattern(
    r"^(?:(?:new |updated |modified )?(?:file ?name|file ?path|file|path|in|update|edit|modify))\s*:\s*", re.IGNORECASE
)
_NUMBERING = pattern(r"^(?:\(?\d{1,3}[.):]|step \d{1,3}[.:]?|[-*+])\s+", re.IGNORECASE)
_TAGS = pattern(r"^(?:<[\w-]{1,20}>)+|(?:</[\w-]{1,20}>)+$")
_QUOTED = pattern(r"`([^`\n]{1,300})`|\*\*([^*\n]{1,300})\*\*|\"([^\"\n]{1,300})\"")
_BARE_TOKEN = pattern(r"[^\s`*\"'<>|,;()]{2,300}")
_COMMENT = pattern(
    r"^\s*(?:///?|#+|--|/\*+|<!--|;+|%+|\{/\*|\{#|\"{3}|REM\b)\s*(?P<text>.*?)\s*(?:\*/\}?|-->|#\}|\"{3})?\s*$",
    re.IGNORECASE,
)
_REMAINDER = pattern(r"^(?:$|\s*[-–—:(\[].*$|\s+(?:new file|new)$)", re.IGNORECASE)
_INFO_KEY = pattern(
    r"(?:title|file|filename|file_name|path|filepath|name)\s*[=:]\s*(?:\"([^\"]+)\"|'([^']+)'|([^\s}\"']+))",
    re.IGNORECASE,
)
_CITATION = pattern(r"^\d+:\d+:(.+)$")
_BORROWED = pattern(
    r"\b(?:like|unlike|from|see|than|as in|similar to|matches|mirrors"
    r"|(?:exists?|defined|declared|lives?|used|found|documented|described|kept|imported) (?:in|by|at)"
    r"|(?:include|import|copy|usages?|uses?) of|includes?|imports?)\s+(?:the\s+)?[`*\"]*$",
    re.IGNORECASE,
)
# What follows the name of a file that is only talked about.
_TALKED_ABOUT = pattern(
    r"^[`*\"]*\s+(?:(?:is|was|are|were)(?:n['’]t| not)?(?: (?:only|no longer|already|still|never|also))?"
    r" (?:used|needed|imported|required|unchanged|untouched|unaffected|there)|can go|goes away|stays?|remains?)\b",
    re.IGNORECASE,
)
_BETWEEN_SENTENCES = pattern(r"(?<=[.!?])\s+(?=[A-Z\"`*(])")

PATH_HOLE = "\ufffc"


class LineKind(StrEnum):
    CODE = "code"
    BLANK = "blank"
    MARKER = "marker"
    REMOVAL = "removal"
    REMARK = "remark"


@dataclass(frozen=True, slots=True)
class SnippetLine:
    """One line of a snippet.

    text: without line end. note: what a marker or removal says, else "". whole: for the first part of a
    line that was taken apart at an elided body, the whole line; is_part: one of the other parts.
    """

    text: str
    kind: LineKind
    note: str = ""
    whole: str | None = None
    is_part: bool = False


# (opening, closing) of a comment that fills its line, for every language: a snippet's own language
# tag is too often wrong or missing to rely on it.
COMMENT_FORMS: tuple[tuple[str, str], ...] = (
    ("{/*", "*/}"),
    ("<!--", "-->"),
    ("/*", "*/"),
    ("(*", "*)"),
    ("{{!--", "--}}"),
    ("<%#", "%>"),
    ("{#", "#}"),
    ("///", ""),
    ("//", ""),
    ("--[[", "]]"),
    ("{-", "-}"),
    ("<#", "#>"),
    ("#|", "|#"),
    ("#=", "=#"),
    ("--", ""),
    ("#", ""),
    (";;", ""),
    (";", ""),
    ("%", ""),
    ("'", ""),
    ("REM ", ""),
)
# All that an elision inside a patch can be: dots alone, words between dots, a comment that starts with dots.
_ELISION = re.compile(
    r"^\s*(?:(?:\.{3,}|…)(?:[^=;{}()]*(?:\.{3,}|…))?|(?://|#|--|;|%|/\*|<!--|\{/\*)\s*(?:\.{3,}|…).*)\s*$"
)
_DOTS = r"(?:\.{3,}|…)"
_STARTS_OR_ENDS_IN_DOTS = pattern(rf"^[\[(<{{]?\s*{_DOTS}|{_DOTS}\s*[\])>}}]?$")
_PLAIN_DOTS = pattern(rf"^{_DOTS}$")
_BRACKETED = pattern(r"^[\[(<].*[\])>]$")
_BARE = pattern(
    rf"^(?:{_DOTS}|\[\s*{_DOTS}.*\]|<\s*{_DOTS}[^>]*>|\(\s*{_DOTS}[^)]*\)|{_DOTS}\s*\(.*\)\s*{_DOTS}|{_DOTS}[^.=;{{}}]+{_DOTS})$"
)
_DOCSTRING = pattern(r"^[rbuRBU]?(\"\"\"|''')\s*(.*?)\s*\1$")
_SNIP = pattern(r"^[-=~*\s]*(?:snip|snipped|cut|omitted|elided|skipped)[-=~*\s]*$", re.IGNORECASE)
_SAME = (
    r"unchanged|unmodified|untouched|(?:the )?same(?: code)?(?: as)?(?: before| above| now)?"
    r"|as (?:is|before|now|it is|they are|it was)"
    r"|stays?(?: here| there)?(?: exactly)?(?: the same| as (?:is|it is|they are))?"
    r"|remains?(?: the same| as is| unchanged)?"
    r"|(?:omitted|elided|left out|not shown|skipped)(?: here)?(?: for (?:brevity|clarity|space))?|for brevity"
    r"|(?:no|without) changes?|not changed|keep(?:s)?(?: the)? existing|keep as is|like before|identical"
)
_ELIDED = (
    r"existing|previous|remaining|rest of|other|others|everything (?:above|below|else)"
    r"|code (?:above|below|here|unchanged)|(?:rest|remainder)"
)
_ENDING = pattern(rf"\b(?:{_SAME})\b[\s.!:,)\]]*$", re.IGNORECASE)
_WORDING = pattern(
    rf"(?:^[\s(\[]*(?:{_SAME})\b.{{0,20}}$)"
    rf"|(?:^[\s(\[]*(?:the )?(?:{_ELIDED})\b.{{0,60}}\b(?:code|{_SAME})\b)"
    rf"|(?:^[\s(\[]*(?:{_ELIDED})\s+(?:code|imports?|methods?|functions?|fields?|members?|lines?|entries|items?|cases?|arms?"
    rf"|arguments?|parameters?|properties|statements?|logic|implementation|body|rules?|styles?|keys?|values?|options?"
    rf"|tests?|routes?|steps?|jobs?|variables?|constants?|types?|declarations?|definitions?|content|file|class|method|function)"
    rf"\b.{{0,30}}$)",
    re.IGNORECASE,
)
_CODE_NOUN = pattern(
    r"\b(?:code|rest|remainder|everything|others?|remaining|existing|previous|above|below|imports?|methods?|functions?"
    r"|fields?|members?|body|bodies|implementations?|docstring|constants?|definitions?|declarations?|helpers?)\b",
    re.IGNORECASE,
)
_NAME = r"[`'\"]?[\w$.\[\]-]+(?:\(\))?[`'\"]?"
_NAMES = pattern(rf"^{_NAME}(?:(?:\s*,\s*(?:and\s+)?|\s+(?:and|to|through)\s+){_NAME})*\s+$")
MAX_MARKER_WORDS = 5
_REMOVAL = pattern(
    r"^[\s\[(.…-]*(?:(?:removed?|deleted?|dropped|gone)\s*[:\-–]|(?:removed|deleted|dropped)\s+[`\w].{0,60}$)"
    r"|^[\[(.…].{1,90}\b(?:is|are|was|were|has been|have been|got)\s+(?:now\s+)?(?:removed|deleted|dropped|gone)\b",
    re.IGNORECASE,
)
# Between commas or parentheses only: `x: int = ...` and `tuple[int, ...]` are code.
_INLINE = pattern(rf"[(,]\s*{_DOTS}\s*(?:[),]|$)|/\*\s*{_DOTS}.*?\*/")
_PYTHON_INLINE = pattern(rf"^(?P<head>\s*\S.*:)\s+{_DOTS}\s*(?:#\s*(?P<note>.*))?$")
_BRACE_INLINE = pattern(
    rf"^(?P<head>\s*\S.*\{{)\s*(?P<body>{_DOTS}|/\*.*?{_DOTS}.*?\*/|/\*\s*(?:{_SAME})\s*\*/)\s*(?P<tail>\}}[^{{}}]*)$",
    re.IGNORECASE,
)


def comment_text(line: str) -> str | None:
    """The text of the comment that fills this line, without its delimiters; None where it isn't one."""
    stripped = line.strip()
    for opening, closing in COMMENT_FORMS:
        if stripped.startswith(opening) and stripped.endswith(closing) and len(stripped) >= len(opening) + len(closing):
            inner = stripped[len(opening) : len(stripped) - len(closing) if closing else None]
            if closing and closing in inner:
                return None
            return inner.strip().lstrip("!*/#-").strip() if opening != "#" else inner.lstrip("#").strip()
    return None


def is_marker_wording(note: str) -> bool:
    """Whether a comment with this text can only be an elision."""
    if _STARTS_OR_ENDS_IN_DOTS.search(note) or _SNIP.match(note):
        return True
    is_bracketed = _BRACKETED.match(note) is not None
    inner = note[1:-1].strip() if is_bracketed else note
    if _WORDING.search(inner):
        return True
    ending = _ENDING.search(inner)
    if ending is None:
        return False
    # A sentence of some length that happens to end so is as good as any other comment.
    is_short = len(inner.split()) <= MAX_MARKER_WORDS or _NAMES.match(inner[: ending.start()]) is not None
    return is_bracketed or is_short or _CODE_NOUN.search(inner) is not None


def is_removal_wording(note: str) -> bool:
    """Whether a comment with this text says that something goes."""
    return bool(_REMOVAL.match(note))


def is_elision(line: str) -> bool:
    """Whether a line of a patch stands for other lines: `...`, `# ...`, `// ... existing code ...`."""
    return bool(_ELISION.match(line))


def elides_inline(text: str) -> bool:
    """Whether a line of code has an elision inside (`def f(self, ..., key=None):`)."""
    return bool(_INLINE.search(text)) and not _BARE.match(text.strip())


def classify_lines(lines: list[str], is_original: Callable[[str], bool]) -> list[SnippetLine]:
    """The snippet's lines with their kinds; elided one-line bodies are taken apart into two or three lines.

    is_original: whether a line (white space ignored) stands in the original; such a line is code, but a
    bare `...` and a comment of nothing but dots are markers all the same.
    """
    result: list[SnippetLine] = []
    for line in lines:
        result.extend(_classify(line, is_original))
    return result


def _classify(line: str, is_original: Callable[[str], bool]) -> list[SnippetLine]:
    stripped = line.strip()
    if not stripped:
        return [SnippetLine("", LineKind.BLANK)]
    note = comment_text(line)
    if _BARE.match(stripped):
        return [SnippetLine(line, LineKind.MARKER, stripped)]
    if is_original(line) and not (note is not None and _PLAIN_DOTS.match(note)):
        return [SnippetLine(line, LineKind.CODE)]
    if note is not None:
        return [SnippetLine(line, _comment_kind(note), note)]
    docstring = _DOCSTRING.match(stripped)
    if docstring and is_marker_wording(docstring.group(2).strip("()[] ") or "code"):
        return [SnippetLine(line, LineKind.MARKER, docstring.group(2))]
    return _split_inline(line)


def _comment_kind(note: str) -> LineKind:
    if is_removal_wording(note):
        return LineKind.REMOVAL
    if is_marker_wording(note):
        return LineKind.MARKER
    return LineKind.REMARK


def _split_inline(line: str) -> list[SnippetLine]:
    indent = line[: len(line) - len(line.lstrip())]
    python = _PYTHON_INLINE.match(line)
    if python:
        note = python.group("note") or "..."
        return [
            SnippetLine(python.group("head"), LineKind.CODE, whole=line),
            SnippetLine(indent + "    ...", LineKind.MARKER, note, is_part=True),
        ]
    brace = _BRACE_INLINE.match(line)
    if brace:
        return [
            SnippetLine(brace.group("head").rstrip(), LineKind.CODE, whole=line),
            SnippetLine(indent + "    ...", LineKind.MARKER, brace.group("body"), is_part=True),
            SnippetLine(indent + brace.group("tail").rstrip(), LineKind.CODE, is_part=True),
        ]
    return [SnippetLine(line, LineKind.CODE)]


@dataclass(frozen=True, slots=True)
class _Words:
    """Counts of a text's words: plain ones, those that are code, and those that only a sentence needs."""

    plain: int
    code: int
    function: int

    @property
    def share(self) -> float:
        return self.plain / max(1, self.plain + self.code)


def is_prose(paragraph: str) -> bool:
    """Whether a paragraph (or line) reads as a sentence to a person, not as code or data.

    Most of its words are plain ones, it starts and ends as a sentence does; code names in it don't matter.
    """
    lines = paragraph[:_MAX_TEXT].strip("\n").split("\n")
    if _has_code_line(lines) or _KEY_ITEM.match(lines[0]):
        return False
    text = _without_code(_LIST_ITEM.sub("", " ".join(line.strip() for line in lines))).strip()
    if not text:
        return False
    if _SHORT.match(text) or _is_wide_sentence(text):
        return True
    words = _count(text)
    if _CODE_SIGN.search(text) and not words.function:
        return False
    if _is_label(text, words):
        return True
    if is_first_person(text):
        return words.plain >= 3 and words.share >= _MIN_SHARE_OF_PERSON
    starts_well = _starts_well(text) or bool(_LIST_ITEM.match(paragraph))
    if starts_well and _SENTENCE_END.search(text):
        return words.plain >= 4 and words.share >= _MIN_SHARE
    return words.plain >= 6 and words.function >= 2 and words.share >= _MIN_SHARE_OF_FRAGMENT


def is_prose_paragraph(lines: Sequence[str]) -> bool:
    """Whether these lines are prose together, or every list item of theirs is."""
    if is_prose("\n".join(lines)) or all(is_prose(line) for line in lines):
        return True
    items: list[list[str]] = []
    for line in lines:
        if _LIST_ITEM.match(line) or not items:
            items.append([])
        items[-1].append(line.strip() if items[-1] else line)
    return len(items) > 1 and all(is_prose("\n".join(item)) or _is_told_item("\n".join(item)) for item in items)


def is_first_person(text: str) -> bool:
    """Whether a text starts as only the one who made the edit would write (`I'll`, `Here's`)."""
    return bool(_FIRST_PERSON.match(text))


def is_list(lines: Sequence[str]) -> bool:
    """Whether a paragraph starts with a list item."""
    return bool(lines and _LIST_ITEM.match(lines[0]))


def _is_told_item(item: str) -> bool:
    """Whether a list item is a part of a sentence (`a second example with the keyword;`)."""
    if not _LIST_ITEM.match(item) or _KEY_ITEM.match(item) or _has_code_line(item.split("\n")):
        return False
    words = _count(_without_code(_LIST_ITEM.sub("", item)))
    return words.plain >= 4 and words.function >= 1 and words.share >= _MIN_SHARE


def _has_code_line(lines: Sequence[str]) -> bool:
    return any(_CODE_LINE.search(_without_code(line)) for line in lines)


def _without_code(text: str) -> str:
    return _INLINE_CODE.sub("\ufffc", text)


def _starts_well(text: str) -> bool:
    first = text.lstrip("\"'“‘«*_(")[:1]
    return first.isupper() or first == "\ufffc" or (first > "\x7f" and not first.islower())


def _is_label(text: str, words: _Words) -> bool:
    """Whether nothing but plain words stand around quoted code ("in `main`:"), or before a colon."""
    if words.code or text[-1] not in ".:,":
        return False
    if "\ufffc" in text:
        return words.plain >= 1
    return text[-1] == ":" and words.plain >= 4 and words.function >= 1 and not _STATEMENT.match(text)


def _is_wide_sentence(text: str) -> bool:
    """Whether the text is a sentence in a script that puts no spaces between words."""
    wide = len(_WIDE.findall(text))
    return wide >= 3 and wide * 2 >= len(text.replace("\ufffc", "")) and bool(_WIDE_END.search(text))


def _count(text: str) -> _Words:
    plain = code = function = 0
    for word in text.split():
        if _NEUTRAL.match(word) or _WIDE.search(word):
            continue
        if _PLAIN.match(word):
            plain += 1
            function += word.strip("(\"'*_.,;:!?)").lower().split("'")[0].split("’")[0] in _FUNCTION_WORDS
        else:
            code += "\ufffc" not in word
    return _Words(plain, code, function)


# ---- file names ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PathMention:
    """A file name in a line. rest: the line with `PATH_HOLE` in its place; is_alone: the line is but the name."""

    path: str
    rest: str = ""
    is_alone: bool = False


def is_file_name(token: str) -> bool:
    """Whether a word can only be a file's name: by its extension or a well-known name."""
    if not token or len(token) > 300 or _FORBIDDEN.search(token) or token.lower() in _NOT_FILES:
        return False
    name = re.split(r"[/\\]", token)[-1]
    if name in FILE_NAMES or re.match(r"^(?:Dockerfile|Makefile|\.env)[.\w-]*$", name):
        return True
    stem, dot, extension = name.rpartition(".")
    if not dot:
        return False
    if not stem or name.startswith("."):
        return bool(_DOT_FILE.match(name))
    return extension in EXTENSIONS and bool(_WORD_CHARACTER.search(stem))


def is_path(token: str) -> bool:
    """Whether a quoted word that stands alone reads as a path: a file name, or anything with a folder in it."""
    if is_file_name(token):
        return True
    if _FORBIDDEN.search(token) or " " in token or len(token) > 300:
        return False
    parts = re.split(r"[/\\]", token)
    return len(parts) > 1 and bool(parts[-1]) and bool(_WORD_CHARACTER.search(parts[-1]))


def path_in_line(line: str) -> PathMention | None:
    """The file that a line by itself names: `### \\`src/x.py\\` (new)`, `**x.ts**`, `File: a/b.go`, `src/x.py:`."""
    text = _strip_decoration(line)
    quoted = _QUOTED.match(text)
    if quoted:
        token = _clean(next(filter(None, quoted.groups()), ""))
        rest = text[quoted.end() :]
        if is_path(token) and _REMAINDER.match(rest):
            return PathMention(token, _beside(line, quoted.group()), is_alone=True)
        return None
    bare = re.match(r"[^\s`*\"'<>|,;]+", text)
    if not bare:
        return None
    token = _clean(bare.group().rstrip(":"))
    rest = text[bare.end() :]
    is_named = is_file_name(token) or (is_path(token) and token.startswith(("/", "./", "../", "~/")))
    if is_named and _REMAINDER.match(rest) and len(rest.split()) <= 12:
        return PathMention(token, _beside(line, bare.group()), is_alone=True)
    return None


def path_in_prose(paragraph: str) -> PathMention | None:
    """The file that the last sentence of a paragraph is about: the name it ends with, or the only one in it."""
    sentence = _BETWEEN_SENTENCES.split(paragraph.strip())[-1]
    mentions = _mentions(sentence)
    if not mentions:
        return None
    start, end, token = mentions[-1]
    if (
        re.fullmatch(r"[\s`*\"):.]*(?:\([^()]*\)\s*[:.]?)?", sentence[end:])
        or len({path for _, _, path in mentions}) == 1
    ):
        return PathMention(token, f"{sentence[:start]} {PATH_HOLE} {sentence[end:]}".strip())
    return None


def path_in_info(info: str) -> tuple[str | None, bool]:
    """The path in a fence's info string, and whether it only cites lines that are there (`12:20:src/x.py`)."""
    keyed = _INFO_KEY.search(info)
    if keyed:
        token = _clean(next(filter(None, keyed.groups()), ""))
        if is_path(token) or is_file_name(token):
            return token, False
    for word in info.strip().strip("{}").split():
        cited = _CITATION.match(word)
        if cited and is_path(cited.group(1)):
            return _clean(cited.group(1)), True
        _, colon, after = word.partition(":")
        if colon and is_path(_clean(after)) and word[1:3] != ":\\":
            return _clean(after), False
        if is_file_name(_clean(word)) and word not in _LANGUAGES:
            return _clean(word), False
    return None, False


def path_in_comment(line: str) -> PathMention | None:
    """The file that a comment names and nothing else: `// src/x.ts`, `# django/forms/fields.py - DecimalField`."""
    comment = _COMMENT.match(line)
    if not comment or line.startswith("#!"):
        return None
    text = comment.group("text")
    labelled = _LABEL.sub("", text)
    token_match = re.match(r"`?([^\s`*\"'<>|,;]+)`?", labelled)
    if not token_match:
        return None
    token = _clean(token_match.group(1).rstrip(":"))
    rest = labelled[token_match.end() :]
    if not is_file_name(token) or not _REMAINDER.match(rest):
        return None
    if (
        "/" in token
        or "\\" in token
        or labelled != text
        or not rest.strip()
        or re.search(r"\bnew\b", rest, re.IGNORECASE)
    ):
        return PathMention(token, _beside(text, token_match.group()), is_alone=True)
    return None


def ends_with(path: str, name: str) -> bool:
    """Whether a path is `name`, or ends with all its parts."""
    parts, last = re.split(r"[/\\]", path), re.split(r"[/\\]", name)
    return parts[-len(last) :] == last


def without_files(text: str) -> str:
    """The text with a space in the place of each file's name, however the name is written."""
    return _BARE_TOKEN.sub(lambda found: " " if _is_told(_clean(found.group().strip(".:[]"))) else found.group(), text)


def _mentions(sentence: str) -> list[tuple[int, int, str]]:
    """(start, end, path) of the file names in a sentence, without those that are only compared with."""
    found: list[tuple[int, int, str]] = []
    covered = 0
    for match in _QUOTED.finditer(sentence):
        token = _clean(next(filter(None, match.groups()), ""))
        if _is_told(token) and not _is_borrowed(sentence, match):
            found.append((match.start(), match.end(), token))
    if found:
        return found
    for match in _BARE_TOKEN.finditer(sentence):
        token = _clean(match.group().rstrip(".:"))
        if match.start() >= covered and "/" in token and is_file_name(token) and not _is_borrowed(sentence, match):
            found.append((match.start(), match.end(), token))
            covered = match.end()
    return found


def _is_told(token: str) -> bool:
    """Whether a word in prose is a file's name, rather than an attribute's: `app.config`."""
    return is_file_name(token) and ("/" in token or token.rpartition(".")[2] not in _ATTRIBUTE_LIKE)


def _is_borrowed(sentence: str, name: re.Match[str]) -> bool:
    """Whether the sentence only compares with this file, or says what is (in) it, rather than what becomes of it."""
    before, after = sentence[max(0, name.start() - 40) : name.start()], sentence[name.end() : name.end() + 60]
    return bool(_BORROWED.search(before) or _TALKED_ABOUT.match(after))


def _beside(line: str, name: str) -> str:
    return line.replace(name, PATH_HOLE, 1).strip(" \t#*_:")


def _strip_decoration(line: str) -> str:
    """The line without heading marks, numbering, emphasis around all of it and a label such as `File:`."""
    text = (
        line.strip().lstrip("#>").strip().rstrip("#").strip() if line.lstrip().startswith(("#", ">")) else line.strip()
    )
    text = _TAGS.sub("", _NUMBERING.sub("", text))
    whole = re.fullmatch(r"(\*\*|__|\*|_)(.+?)\1(:?)", text)
    if whole and whole.group(1) not in whole.group(2):
        text = whole.group(2) + whole.group(3)
    text = re.sub(r"^\*\*((?:new |updated )?(?:file|path|filename)):?\*\*:?\s*", r"\1: ", text, flags=re.IGNORECASE)
    return _LABEL.sub("", text)


def _clean(token: str) -> str:
    """The name without quotes around it, a line number behind it, or a colon."""
    return _LOCATION.sub("", token.strip().strip("`'\"").rstrip(":"))
