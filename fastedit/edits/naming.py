"""Finds the words that name a file: in headings, in prose, in a fence's info string, in a first comment.

What reads as a name is told here, hostile names as they are: whether a path may be used is decided where files are
opened, and no disk is looked at.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fastedit.patterns import pattern

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
    " mod sum podspec xcconfig pbxproj entitlements storyboard xib bazel gn gni star inc ipp tcc ixx cppm"
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
# What stands before the file that a line is about, and behind it.
_LEAD = pattern(
    r"(?:(?:and|then|next|now|finally|also|lastly|first|second|third|und|et|y|e|и|dann|ensuite|luego|poi|затем),?\s+){0,2}"
    r"(?P<inside>in|inside|to|for|dans|en|em|im|nel|nella|в)\s+(?:the\s+)?(?:file\s+)?|(?:and|then|und|et|y)\s+",
    re.IGNORECASE,
)
_LED = pattern(r"[`*\"]*(?:\s*\([^()]*\))?(?:[,:;]|\s+[-\u2013\u2014]|\s*$)")
_BRACKETS = pattern(r"\s*\([^()]*\)(?=\s*[:.]?\s*$)")
_BETWEEN_SENTENCES = pattern(r"(?<=[.!?])\s+(?=[A-Z\"`*(])")
PATH_HOLE = "\ufffc"


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
        return bool(_DOT_FILE.match(name)) or (stem.count(".") == 1 and extension in EXTENSIONS - _ATTRIBUTE_LIKE)
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


def path_leading(line: str) -> PathMention | None:
    """The file that a line begins with, or with `In` and the file, before a comma or a colon: it is about that one."""
    text = _strip_decoration(line)
    lead = _LEAD.match(text)
    text = text[lead.end() :] if lead else text
    found = _QUOTED.match(text) or _BARE_TOKEN.match(text)
    if found is None:
        return None
    token = _clean(next(filter(None, found.groups() or (found.group(),)), "").rstrip(":"))
    behind = text[found.end() - found.group().endswith(":") :]
    is_inside = lead is not None and lead["inside"] is not None
    if not _is_told(token) or not (is_inside or _LED.match(behind)):
        return None
    return PathMention(token, f"{lead.group() if lead else ''}{PATH_HOLE}{behind}")


def path_in_prose(paragraph: str) -> PathMention | None:
    """The file that the last sentence of a paragraph is about: the name it ends with, or the only one in it."""
    sentence = _BETWEEN_SENTENCES.split(paragraph.strip())[-1]
    if mentions := _mentions(before := _BRACKETS.sub("", sentence)):
        sentence = before  # words in brackets behind a name are about others
    else:
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


def files_in(text: str) -> list[str]:
    """The names of files in a text, however they are written."""
    words = (_clean(found.group().strip(".:[]")) for found in _BARE_TOKEN.finditer(text))
    return [word for word in words if _is_told(word)]


def sentences_of_line(line: str) -> list[str]:
    """The sentences that a line of prose has."""
    return _BETWEEN_SENTENCES.split(line)


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
        text = _NUMBERING.sub("", whole.group(2)) + whole.group(3)
    text = re.sub(r"^\*\*((?:new |updated )?(?:file|path|filename)):?\*\*:?\s*", r"\1: ", text, flags=re.IGNORECASE)
    return _LABEL.sub("", text)


def _clean(token: str) -> str:
    """The name without quotes around it, an item's number before it, a line number behind it, or a colon."""
    return _LOCATION.sub("", _NUMBERING.sub("", token.strip()).strip("`'\"").rstrip(":"))
