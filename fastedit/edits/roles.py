"""The purpose of each fence of a message, as it and the prose before it tell.

The prose says the file that a fence is for, and whether it is an edit at all. It may be a snippet, a whole file, one of
a before/after pair, commands to run, output or an example. Wordings are tables; every one is weak alone, so they only
decide what the code itself leaves open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from fastedit.edits.fences import Block
from fastedit.edits.model import Edit, Format, PatchHunk, Snippet, whole_edit
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
from fastedit.edits.search_replace import pair_lines
from fastedit.edits.wording import is_elision
from fastedit.patterns import pattern

_SHELL_TAGS = "bash sh shell zsh fish console terminal shell-session shellsession powershell ps1 pwsh cmd bat batch"
SHELL_TAGS = frozenset(_SHELL_TAGS.split())
_OUTPUT_TAGS = "text txt log logs output stdout plaintext plain ansi traceback mermaid dot graphviz tree"
OUTPUT_TAGS = frozenset(_OUTPUT_TAGS.split())
DATA_TAGS = frozenset("json jsonc json5 yaml yml toml ini xml css scss less".split())
_DOCUMENT_TAGS = "markdown md mdx rst rest restructuredtext adoc asciidoc"
DOCUMENT_TAGS = frozenset(_DOCUMENT_TAGS.split())
DOCUMENT_ENDINGS = (".md", ".mdx", ".markdown", ".rst", ".adoc")
PROGRAM_ENDINGS = tuple(
    f".{ending}" for ending in "py pyi js mjs cjs jsx ts mts cts tsx go rs rb php java cs c cpp".split()
)
MAX_SENTENCE_LINES = 40
MAX_SENTENCE = 600
MAX_COMMANDS = 20
# What the commands that people are told to run start with.
_PROGRAMS = (
    "npm npx pnpm yarn bun bunx node deno corepack pip pip3 pipx python python3 py uv uvx poetry pdm hatch conda mamba"
    " pytest tox nox ruff mypy black isort cargo rustup rustc go gofmt git gh docker docker-compose podman kubectl helm"
    " terraform ansible ansible-playbook make cmake ninja meson gcc clang gradle ./gradlew mvn ./mvnw java javac dotnet"
    " nuget bundle gem rake rails ruby rspec composer php artisan mix elixir swift xcodebuild flutter dart brew apt"
    " apt-get dnf yum apk pacman sudo cd mkdir rm mv cp ls cat curl wget chmod export source echo psql mysql sqlite3"
    " redis-cli nginx systemctl journalctl ssh scp rsync tsc eslint prettier vite next jest vitest playwright alembic"
    " flask django-admin uvicorn gunicorn celery west openocd buf protoc sqlx diesel prisma set time env"
    " pre-commit just invoke turbo nx ng mise"
)
_COMMAND = pattern(
    r"^\s*(?:[$>%]\s+\S|(?:[A-Z_]+=\S*\s+)*(?:"
    + "|".join(map(re.escape, _PROGRAMS.split()))
    + r")(?:\s|$)|\./\S+|[\w./-]+/manage\.py\b)"
)
_SHELL_CODE = pattern(
    r"^\s*(?:if |for |while |until |case |function |local |done\b|fi\b|esac\b|then\b|else\b|elif |\}|\w+\(\)|#!)"
)
_HEADING = re.compile(r"^ {0,3}(?:#{1,6}\s|(?P<bold>\*\*|__)[^*]+(?P=bold):?\s*$)")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s")
_SCRIPT_EXTENSIONS = (".sh", ".bash", ".zsh", ".fish", ".ps1", ".bat", ".cmd")


def _any_of(*patterns: str) -> re.Pattern[str]:
    return pattern("|".join(patterns), re.IGNORECASE)


_NEW_BESIDE = _any_of(
    r"\bnew file\b",
    rf"^\W*(?:new|created?|added?)\W*{PATH_HOLE}",
    rf"{PATH_HOLE}\W*(?:new|created|added)\W*$",
    r"\((?:new|created|added)\)",
    rf"^(?:create|creating|add)\b.{{0,20}}{PATH_HOLE}",
)
_NEW_IN_PROSE = _any_of(
    r"\bnew (?:\w+ ){0,2}(?:file|module|script|component|package|config|migration|helper|class|test)s?\b[^.]{0,25}"
    rf"[\s`*\"(]*{PATH_HOLE}",
    r"\bcreat(?:e|es|ed|ing) (?:(?:a|an|the|this) )?(?:new )?(?:file |module |script |component |helper )?"
    rf"(?:(?:called|named|at) )?[\s`*\"(]*{PATH_HOLE}",
    rf"\bnew [\s`*\"(]*{PATH_HOLE}",
)
_DELETED = _any_of(
    r"\((?:deleted?|removed?|to be deleted)\)",
    rf"^(?:delete|remove)d?(?: file)?\W*{PATH_HOLE}\W*$",
    rf"{PATH_HOLE}\W*(?:deleted?|removed?)(?: it| this file)?(?:\W*$|[.,;])",
)
_LATER_WORDS = (
    r"(?=\s*(?:[.,;:!()\u2013\u2014]|$)|\s+(?:as|because|since|entirely|completely|altogether|too|along|and)\b)"
)
_SAID_DELETED = _any_of(
    rf"^\W*(?:the )?(?:file )?{PATH_HOLE}\W*(?:(?:itself|too|also) )?"
    rf"(?:is|was|gets|has been|can be|must be|should be) (?:now )?(?:deleted|removed){_LATER_WORDS}",
    r"^\W*(?:(?:and|then|also|finally|next|please|now|I|we|you|can|have|I've|we've)\W+)*(?:delete|remove)d? (?:the )?"
    rf"(?:(?:old|unused|now[- ]unused|obsolete|whole|entire|empty) )*(?:file )?\W*{PATH_HOLE}{_LATER_WORDS}",
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
_WHOLE = _any_of(
    r"\b(?:complete|full|whole|entire)\b"
    r"(?:,? (?:and )?(?:new|updated|revised|resulting|modified|rewritten|corrected|fixed|final|improved|finished))*"
    r" (?:(?:contents?|code|source|text|version) (?:of|for) (?:the |this |your )?(?:new |whole |entire )?)?"
    + _FILE_NOUN,
    r"\brewr(?:ite|ote|itten) (?:\S+ ){0,3}(?:from scratch|completely|entirely)",
)
_DENIED = _any_of(
    r"(?:\bnot\b|n't\b|\bwithout\b|\binstead of\b|\brather than\b|\bthan\b|\bno need\b|\btoo long\b)[^,;:.]{0,50}$"
)
_ASKS_TO_RUN = (
    r"^(?:(?:then|now|next|finally|afterwards|after that|and|please),? )*(?:re-?)?"
    r"(?:run|install|execute|start|build|launch|generate)\b"
)
_SAYS_RUN = _any_of(
    _ASKS_TO_RUN,
    r"\b(?:to|and|then|you can|just) (?:re-?)?(?:run|test|verify|try|install|execute|reproduce)\b[^.]{0,60}[:.]?$",
)
_ASKED_TO_RUN = _any_of(_ASKS_TO_RUN)
_SHOWS_OUTPUT = _any_of(
    r"^(?:sample |expected |example )?(?:output|result|response|log|traceback|error(?: message)?|stack trace)\b"
    r"[^.]{0,30}:?$",
    r"\b(?:prints?|outputs?|printed|responds with|produces|fails with|failed with|logs)"
    r"(?: (?:this|the following|something like(?: this)?))?:$",
    r"\byou(?:'ll| will| should)(?: now| then)? (?:see|get)\b[^.]{0,30}:$",
)
_SHOWS_USE = _any_of(
    r"^(?:example(?: usage)?|usage(?: example)?|for example|e\.g\.)\b[^.,]{0,60}:?$",
    r"\b(?:use|call|invoke) it (?:like|as|so|this)\b[^.]{0,30}:?$",
    r"\bcan (?:now |then )?be (?:used|called|invoked) (?:like|as follows|so|this way)\b[^.]{0,20}:$",
    r"^(?:you|one) can (?:now |then )?(?:write|use|do|call|say|pass|set)\b[^.]{0,80}:?$",
    r"^to (?:see|try|use|enable|turn|test|check)\b[^.]{0,80}:$",
    r"\bin (?:a|your|my) (?:project|app|application|component|template|form|test)\b[^.]{0,30}:$",
    r"^(?:exemple|ejemplo|exemplo|beispiel|verwendung|uso|esempio|пример|用法|使用示例|使い方)\b[^.,]{0,60}[:：]?$",
    r"^for reference\b[^.]{0,60}:$",
    r"\b(?:currently|right now|at the moment)\b[^.]{0,40}\b(?:looks? like(?: this)?|reads):$",
)
_BEFORE = _any_of(
    r"^\W*(?:before|old|current|original|existing|from|find|search(?: for)?)(?: (?:code|version|this|lines?))?\W*$",
    r"\b(?:replace|change|find|swap|rewrite|turn)\b(?! (?:it|them|that) )[^.]{0,120}:$",
)
_AFTER = _any_of(
    r"^\W*(?:and )?(?:after|new|with|to|by|into|becomes|replace(?: it| them| that)? (?:with|by)"
    r"|change (?:it|them|that) to|and replace (?:it|them) with)"
    r"(?: (?:this|that|these|the following|code|version|lines?|it))*\W*$"
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


def has_marker(lines: Sequence[str]) -> bool:
    """Whether a comment in the code stands for code that isn't shown."""
    return any(is_elision(line) and line.strip().strip(".…") for line in lines)


def is_shell(info: str) -> bool:
    """Whether a fence's tag says that it holds shell code."""
    return _tag(info) in SHELL_TAGS


def has_commands(info: str, lines: Sequence[str]) -> bool:
    """Whether a fence may hold commands for a person to run rather than code of a file."""
    told = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if (_tag(info) and not is_shell(info)) or not told or any(_SHELL_CODE.match(line) for line in told):
        return False
    num_commands = sum(bool(_COMMAND.match(line)) for line in told)
    return has_prompt(lines) or (num_commands * 2 >= len(told) and len(told) <= MAX_COMMANDS)


def has_prompt(lines: Sequence[str]) -> bool:
    """Whether the first line of a fence starts with a shell's prompt."""
    return next((line for line in lines if line.strip()), "").lstrip().startswith(("$ ", "> ", "% "))


def is_excerpt(lines: Sequence[str]) -> bool:
    """Whether all lines are set in, as only those of a file are: commands for a person start at the margin."""
    return all(line[:1].isspace() for line in lines if line.strip())


def is_of_document(placed: PlacedBlock) -> bool:
    """Whether a fence is for a text, in which commands are set as examples: by its tag, or by the file's name."""
    return _tag(placed.block.info) in DOCUMENT_TAGS or (placed.path or "").lower().endswith(DOCUMENT_ENDINGS)


def asks_to_run(prose: Sequence[str]) -> bool:
    """Whether the sentence before a fence begins as one that tells a person to run what it holds."""
    return bool(_ASKED_TO_RUN.search(last_sentence(prose)))


def says_run(prose: Sequence[str]) -> bool:
    """Whether the prose before a fence tells a person to run what it holds."""
    return bool(_SAYS_RUN.search(last_sentence(prose)))


def is_output(info: str, prose: Sequence[str]) -> bool:
    """Whether a fence shows what a program prints."""
    tag = _tag(info)
    return tag in OUTPUT_TAGS or (tag in ("", "json", "http") and bool(_SHOWS_OUTPUT.search(last_sentence(prose))))


def is_example(prose: Sequence[str]) -> bool:
    """Whether the prose introduces a fence as an example of use, or as code that is only quoted."""
    return bool(_SHOWS_USE.search(last_sentence(prose)))


def is_before(prose: Sequence[str]) -> bool:
    """Whether the prose before a fence says that it shows the code as it is (`Replace this:`)."""
    return bool(_BEFORE.search(last_sentence(prose)))


def is_after(prose: Sequence[str]) -> bool:
    """Whether the prose between two fences says that the second takes the place of the first (`with:`)."""
    told = [line for line in prose if line.strip()]
    return len(told) == 1 and bool(_AFTER.search(told[0].strip().lstrip("#").strip()))


def _tag(info: str) -> str:
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
    return _tag(info) in DATA_TAGS and path.lower().endswith(PROGRAM_ENDINGS)


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


def snippet_of(placed: PlacedBlock) -> Snippet:
    """The block as a snippet, its locator gone from the code and kept in the prose."""
    return Snippet(placed.lines, placed.block.info, placed.prose, placed.start_line)


def code_edit(placed: PlacedBlock) -> Edit:
    """A code fence as an edit: created, whole where the message says so, else LAZY."""
    snippet = snippet_of(placed)
    if placed.is_new and not has_marker(placed.lines):
        return whole_edit(placed.path, snippet, is_new=True)
    if placed.is_whole and not any(is_elision(line) for line in placed.lines):
        return whole_edit(placed.path, snippet, is_new=False)
    return Edit(Format.LAZY, placed.path, snippets=(snippet,))


def pair_edit(before: PlacedBlock, after: PlacedBlock) -> Edit:
    """Two fences of which the second takes the place of the first."""
    hunk = PatchHunk(tuple(pair_lines(before.lines, after.lines)), source_line=before.start_line)
    return Edit(Format.SEARCH_REPLACE, before.path or after.path, hunks=(hunk,))


def is_pair(before: PlacedBlock, after: PlacedBlock) -> bool:
    """Whether the prose says `replace this:` before the first and `with:` before the second."""
    same_file = after.path in (before.path, None) or before.path is None
    return same_file and is_before(before.block.prose) and is_after(after.block.prose) and bool(before.lines)


class Role(StrEnum):
    """The purpose of a code fence, as far as it and the prose before it tell."""

    EDIT = "edit"
    COMMANDS = "commands"
    SESSION = "session"
    OTHER = "other"


def role_of(placed: PlacedBlock) -> Role:
    """COMMANDS for what looks like commands but would do for a part of a script, too; SESSION where it has a prompt."""
    lines, prose, info = placed.lines, placed.block.prose, placed.block.info
    if not any(line.strip() for line in lines):
        return Role.EDIT if placed.is_new else Role.OTHER
    if placed.is_cited:
        return Role.OTHER
    if has_marker(lines) or (placed.path and placed.has_own_path and _is_script(placed.path)):
        return Role.EDIT
    if has_commands(info, lines):
        if is_excerpt(lines) and not asks_to_run(prose):
            return Role.EDIT
        if says_run(prose):
            return Role.OTHER
        return Role.SESSION if has_prompt(lines) else Role.COMMANDS
    if placed.has_own_path and not placed.is_later:
        return Role.EDIT
    return Role.OTHER if is_output(info, prose) or is_example(prose) else Role.EDIT


def _role_among_files(placed: PlacedBlock) -> Role:
    """The role of a fence in a message about several files: shell code that no name stands above is for a person."""
    is_named = placed.has_own_path and not placed.is_later
    if is_shell(placed.block.info) and not is_named and not has_marker(placed.lines):
        return role_of(placed) if _may_hold_shell(placed.path or "") else Role.OTHER
    role = role_of(placed)
    return Role.EDIT if is_named and is_of_document(placed) and role is Role.COMMANDS else role


def _may_hold_shell(path: str) -> bool:
    return _is_script(path) or path.lower().endswith((*DOCUMENT_ENDINGS, ".yml", ".yaml"))


def edits_among(placed: Sequence[PlacedBlock]) -> list[PlacedBlock]:
    """The code fences that are edits. Where none is for certain, all that hold code are taken for it.

    What looks like commands is an edit beside parts of a script or of a text, not beside another language.
    """
    is_about_several = len({block.path for block in placed if block.path}) > 1
    roles = [_role_among_files(block) if is_about_several else role_of(block) for block in placed]
    edits = [block for block, role in zip(placed, roles, strict=True) if role is Role.EDIT]
    wanted = {Role.EDIT}
    if not edits or all(is_shell(block.block.info) for block in edits):
        wanted.add(Role.COMMANDS)
    elif any(is_of_document(block) for block in edits) and not is_about_several:
        wanted |= {Role.COMMANDS, Role.SESSION}
    found = [block for block, role in zip(placed, roles, strict=True) if role in wanted]
    return found or [block for block in placed if any(line.strip() for line in block.lines)]


def edits_beside_patch(placed: Sequence[PlacedBlock]) -> list[PlacedBlock]:
    """The code fences that are edits in a message that holds patches: a nameless one may only show what they did."""
    return [
        block for block in placed if role_of(block) is Role.EDIT and (block.has_own_path or has_marker(block.lines))
    ]


def _is_script(path: str) -> bool:
    name = re.split(r"[/\\]", path)[-1]
    return "." not in name.lstrip(".") or name.endswith(_SCRIPT_EXTENSIONS)
