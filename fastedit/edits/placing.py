"""The file that each block of a message is for, as headings, sentences, a fence's info string and a first comment tell.

Wordings are tables; every one is weak alone, so they only decide what the code itself leaves open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from fastedit.edits.fences import Block
from fastedit.edits.naming import (
    FILE_NAMES,
    PATH_HOLE,
    PathMention,
    ends_with,
    is_file_name,
    path_in_comment,
    path_in_info,
    path_in_line,
    path_in_prose,
    path_leading,
    sentences_of_line,
)
from fastedit.patterns import pattern

_SHELL_TAGS = "bash sh shell zsh fish console terminal shell-session shellsession powershell ps1 pwsh cmd bat batch"
SHELL_TAGS = frozenset(_SHELL_TAGS.split())
DATA_TAGS = frozenset("json jsonc json5 yaml yml toml ini xml css scss less".split())
PROGRAM_ENDINGS = tuple(
    f".{ending}" for ending in "py pyi js mjs cjs jsx ts mts cts tsx go rs rb php java cs c cpp".split()
)
MAX_SENTENCE_LINES = 40
MAX_SENTENCE = 600
_HEADING = re.compile(r"^ {0,3}(?:#{1,6}\s|(?P<bold>\*\*|__)[^*]+(?P=bold):?\s*$)")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s")


def any_of(*patterns: str) -> re.Pattern[str]:
    return pattern("|".join(patterns), re.IGNORECASE)


_NEW_BESIDE = any_of(
    r"\bnew file\b",
    rf"^\W*(?:new|created?|added?)\W*{PATH_HOLE}",
    rf"{PATH_HOLE}\W*(?:new|created|added)\W*$",
    r"\((?:new|created|added)\)",
    rf"^(?:create|creating|add)\b.{{0,20}}{PATH_HOLE}",
)
_NEW_IN_PROSE = any_of(
    r"\bnew (?:\w+ ){0,2}(?:file|module|script|component|package|config|migration|helper|class|test)s?\b[^.]{0,25}"
    rf"[\s`*\"(]*{PATH_HOLE}",
    r"\bcreat(?:e|es|ed|ing) (?:(?:a|an|the|this) )?(?:new )?(?:file |module |script |component |helper )?"
    rf"(?:(?:called|named|at) )?[\s`*\"(]*{PATH_HOLE}",
    rf"\bnew [\s`*\"(]*{PATH_HOLE}",
)
_DELETED = any_of(
    r"\((?:deleted?|removed?|to be deleted)\)",
    rf"^(?:delete|remove)d?(?: file)?\W*{PATH_HOLE}\W*$",
    rf"{PATH_HOLE}\W*(?:deleted?|removed?)(?: it| this file)?(?:\W*$|[.,;])",
)
_END_OF_CLAUSE = (
    r"(?=\s*(?:[.,;:!()\u2013\u2014]|$)|\s+(?:as|because|since|entirely|completely|altogether|too|along|and)\b)"
)
_SAID_DELETED = any_of(
    rf"^\W*(?:the )?(?:file )?{PATH_HOLE}\W*(?:(?:itself|too|also) )?"
    rf"(?:is|was|gets|has been|can be|must be|should be) (?:now )?(?:deleted|removed){_END_OF_CLAUSE}",
    r"^\W*(?:(?:and|then|also|finally|next|please|now|I|we|you|can|have|I've|we've)\W+)*(?:delete|remove)d? (?:the )?"
    rf"(?:(?:old|unused|now[- ]unused|obsolete|whole|entire|empty) )*(?:file )?\W*{PATH_HOLE}{_END_OF_CLAUSE}",
)
_GIT_RM = pattern(r"^\s*(?:\$\s+)?git rm (?!.*--)(?:-[frq]+ )*(?P<names>[\w./@+ -]+?)\s*(?:#.*|&&.*)?$")
_IT_IS_DELETED = pattern(
    r"\W*(?:(?:I|we|you)(?: can| have|'ve)?(?: now)? )?(?:(?:this|the)(?: whole| entire)? file |it )?"
    r"(?:is |was |has been |can be |gets |to be )?(?:now )?(?:deleted?|removed?)"
    r"(?: (?:it|(?:this|the)(?: whole| entire)? file))?(?: (?:entirely|completely|altogether))?\s*(?:[.,;!]|$)",
    re.IGNORECASE,
)
_FILE_NOUN = (
    r"(?:(?:file|module|script|document|page|stylesheet|readme|config(?:uration)?|docker ?file|make ?file)\b"
    r"|`?(?P<name>[\w./-]*\.[\w-]+)\b)"
)
_WHOLE = any_of(
    r"\b(?:complete|full|whole|entire)\b"
    r"(?:,? (?:and )?(?:new|updated|revised|resulting|modified|rewritten|corrected|fixed|final|improved|finished))*"
    r" (?:(?:contents?|code|source|text|version) (?:of|for) (?:the |this |your )?(?:new |whole |entire )?)?"
    + _FILE_NOUN,
    r"\brewr(?:ite|ote|itten) (?:\S+ ){0,3}(?:from scratch|completely|entirely)",
)
_DENIED = any_of(
    r"(?:\bnot\b|n't\b|\bwithout\b|\binstead of\b|\brather than\b|\bthan\b|\bno need\b|\btoo long\b)[^,;:.]{0,50}$"
)


def says_new(rest: str, is_alone: bool) -> bool:
    """Whether a line or sentence, `PATH_HOLE` standing for the path, says that the file is created."""
    return bool((_NEW_BESIDE if is_alone else _NEW_IN_PROSE).search(rest))


def says_it_is_deleted(line: str) -> bool:
    """Whether a line below the name of a file says of it that it goes."""
    return bool(_IT_IS_DELETED.match(line))


def deleted_by(line: str) -> list[str]:
    """The files that sentences of a line of prose say are deleted."""
    named = filter(None, map(path_in_prose, sentences_of_line(line)))
    return [mention.path for mention in named if _SAID_DELETED.search(mention.rest)]


def deleted_in(lines: Sequence[str]) -> list[str]:
    """The files that commands of a fence delete: `git rm old.py`."""
    found = (_GIT_RM.match(line) for line in lines)
    return [name for one in found if one is not None for name in one["names"].split() if is_file_name(name)]


def says_deleted(rest: str) -> bool:
    """Whether a line that names a file says that it goes."""
    return bool(_DELETED.search(rest))


def says_whole(sentence: str) -> bool:
    """Whether a sentence before a fence says that the fence holds the whole file."""
    for found in _WHOLE.finditer(sentence):
        name = found.group("name")
        if (not name or is_file_name(name)) and not _DENIED.search(sentence[: found.start()]):
            return True
    return False


def last_sentence(prose: Sequence[str]) -> str:
    """The last sentence of the last paragraph of these lines, on one line (of a long one the end)."""
    return re.split(r"(?<=[.!?])\s+(?=[A-Z\"`*(])", last_paragraph(prose)[-MAX_SENTENCE:])[-1]


def last_paragraph(prose: Sequence[str]) -> str:
    """The last paragraph of these lines, on one line."""
    paragraph: list[str] = []
    for line in reversed(prose[-MAX_SENTENCE_LINES:]):
        if line.strip():
            paragraph.append(line.strip())
        elif paragraph:
            break
    return " ".join(reversed(paragraph))


def is_shell(info: str) -> bool:
    """Whether a fence's tag says that it holds shell code."""
    return tag_of(info) in SHELL_TAGS


def tag_of(info: str) -> str:
    return info.strip().lower().split(" ")[0].split(":")[0].strip("{}.") if info.strip() else ""


@dataclass(frozen=True, slots=True)
class PlacedBlock:
    """A block with what the message says of it.

    lines: the block's, without a first comment that only names the file (`locator`); where that is the file's own
    first line, only the original can tell. is_cited: the fence quotes numbered lines of the file (`12:20:src/x.py`).
    is_later: only the heading above an earlier fence names its file.
    """

    block: Block
    path: str | None
    lines: tuple[str, ...]
    locator: str = ""
    is_new: bool = False
    is_whole: bool = False
    is_cited: bool = False
    has_own_path: bool = False
    is_later: bool = False

    @property
    def prose(self) -> str:
        """The prose before the block, with the locator as its last line."""
        return "\n".join((*self.block.prose, self.locator)).strip()

    @property
    def start_line(self) -> int:
        return self.block.start_line + (1 if self.locator else 0)


@dataclass(slots=True)
class PathReader:
    """Walks a message from top to bottom and remembers which file it is about."""

    heading: PathMention | None = None
    is_heading_fresh: bool = False
    last_path: str | None = None
    deleted: list[str] = field(default_factory=list)
    _is_just_named: bool = False  # nothing was said since the heading

    def place(self, block: Block) -> PlacedBlock:
        """The block with its file. To be called for every block, in order."""
        self.read_prose(block.prose)
        self._is_just_named = False
        self.deleted += deleted_in(block.lines) if is_shell(block.info) else []
        sentence = last_sentence(block.prose)
        info_path, is_cited = path_in_info(block.info)
        leading = path_leading(last_paragraph(block.prose))
        inline = path_in_prose(sentence) or leading
        if leading is None and inline is not None and says_new(inline.rest, is_alone=False):
            leading = inline
        if inline is not None and _is_of_another_kind(block.info, inline.path):
            inline = None
        locator = path_in_comment(block.lines[0]) if block.lines else None
        mention = self._mention(locator, inline, is_led=leading is not None)
        if mention and info_path in FILE_NAMES:
            info_path = None  # `Dockerfile` tells the language first of all
        if mention is not None and mention is inline and leading is not None and self.heading is not None:
            self.heading = leading  # what follows without a name is of this file
        path = info_path or (mention.path if mention else self.last_path)
        told = [said for said in (mention, inline) if said is not None and said.path == path]
        is_new = any(says_new(said.rest, said.is_alone) for said in told)
        is_whole = says_whole(sentence) or any(says_whole(said.rest) for said in told if said.is_alone)
        is_located = locator is not None and path is not None and ends_with(path, locator.path)
        is_fresh, self.is_heading_fresh = self.is_heading_fresh or inline is not None, False
        self.last_path = path
        return PlacedBlock(
            block,
            path,
            block.lines[1:] if is_located else block.lines,
            locator=block.lines[0] if is_located else "",
            is_new=is_new,
            is_whole=is_whole,
            is_cited=is_cited,
            has_own_path=bool(info_path or mention),
            is_later=info_path is None and mention is not None and mention is self.heading and not is_fresh,
        )

    def read_prose(self, prose: Sequence[str]) -> None:
        """Takes in headings and lines that name a file by themselves."""
        named = [named_by(line) for line in prose]
        for number, line in enumerate(prose):
            mention = named[number]
            if mention is None:
                self.deleted += deleted_by(line)
                if is_heading(line):
                    weak = named_in_heading(line)
                    self.heading, self.last_path = None, weak.path if weak else None
                elif line.strip() and self._is_just_named and says_it_is_deleted(line):
                    self.deleted.append(self._take_heading())
                self._is_just_named = self._is_just_named and not line.strip()
                continue
            self._is_just_named = False
            if says_deleted(mention.rest):
                self.deleted.append(mention.path)
            elif not is_listed(prose, named, number):
                self.heading, self.is_heading_fresh, self._is_just_named = mention, True, True

    def _take_heading(self) -> str:
        """The path of the last heading, which no block belongs to."""
        assert self.heading is not None
        path = self.heading.path
        self.heading, self.last_path, self.is_heading_fresh = None, None, False
        return path

    def _mention(self, locator: PathMention | None, inline: PathMention | None, *, is_led: bool) -> PathMention | None:
        """The strongest of what names the block's file. is_led: the paragraph before it begins with a file."""
        if self.heading is not None and self.is_heading_fresh:
            return self.heading
        return locator or inline if self.heading is None or is_led else locator or self.heading


def _is_of_another_kind(info: str, path: str) -> bool:
    """Whether a fence's tag names a format of data, and a path that the prose only mentions is that of a program."""
    return tag_of(info) in DATA_TAGS and path.lower().endswith(PROGRAM_ENDINGS)


def is_heading(line: str) -> bool:
    """Whether a line of prose is a heading, by its sign or because all of it is bold."""
    return _HEADING.match(line) is not None


def named_by(line: str) -> PathMention | None:
    """The file that a line of prose names and nothing else, as a heading or a comment does."""
    return path_in_line(line) or path_in_comment(line)


def named_in_heading(line: str) -> PathMention | None:
    """The file that a heading names among other words."""
    return path_in_prose(line.strip().strip("#*_: "))


def is_listed(prose: Sequence[str], named: Sequence[PathMention | None], number: int) -> bool:
    """Whether the name is one of a list of files, as in a summary of what changes."""
    if not _ITEM.match(prose[number]):
        return False
    around = [n for n in (number - 1, number + 1) if 0 <= n < len(prose)]
    return any(named[n] is not None and _ITEM.match(prose[n]) for n in around)
