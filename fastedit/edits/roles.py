"""The purpose of each fence of a message, as it and the prose before it tell.

A fence may be an edit or none at all: a snippet, a whole file, one of a before/after pair, commands to run, output or
an example. Wordings are tables; every one is weak alone, so they only decide what the code itself leaves open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from fastedit.edits.model import Edit, Format, PatchHunk, Snippet, whole_edit
from fastedit.edits.placing import PlacedBlock, any_of, is_shell, last_sentence, tag_of
from fastedit.edits.search_replace import pair_lines
from fastedit.edits.wording import is_elision
from fastedit.patterns import pattern

_OUTPUT_TAGS = "text txt log logs output stdout plaintext plain ansi traceback mermaid dot graphviz tree"
OUTPUT_TAGS = frozenset(_OUTPUT_TAGS.split())
_DOCUMENT_TAGS = "markdown md mdx rst rest restructuredtext adoc asciidoc"
DOCUMENT_TAGS = frozenset(_DOCUMENT_TAGS.split())
DOCUMENT_ENDINGS = (".md", ".mdx", ".markdown", ".rst", ".adoc")
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
_SCRIPT_EXTENSIONS = (".sh", ".bash", ".zsh", ".fish", ".ps1", ".bat", ".cmd")
_ASKS_TO_RUN = (
    r"^(?:(?:then|now|next|finally|afterwards|after that|and|please),? )*(?:re-?)?"
    r"(?:run|install|execute|start|build|launch|generate)\b"
)
_SAYS_RUN = any_of(
    _ASKS_TO_RUN,
    r"\b(?:to|and|then|you can|just) (?:re-?)?(?:run|test|verify|try|install|execute|reproduce)\b[^.]{0,60}[:.]?$",
)
_ASKED_TO_RUN = any_of(_ASKS_TO_RUN)
_SHOWS_OUTPUT = any_of(
    r"^(?:sample |expected |example )?(?:output|result|response|log|traceback|error(?: message)?|stack trace)\b"
    r"[^.]{0,30}:?$",
    r"\b(?:prints?|outputs?|printed|responds with|produces|fails with|failed with|logs)"
    r"(?: (?:this|the following|something like(?: this)?))?:$",
    r"\byou(?:'ll| will| should)(?: now| then)? (?:see|get)\b[^.]{0,30}:$",
)
_SHOWS_USE = any_of(
    r"^(?:example(?: usage)?|usage(?: example)?|for example|e\.g\.)\b[^.,]{0,60}:?$",
    r"\b(?:use|call|invoke) it (?:like|as|so|this)\b[^.]{0,30}:?$",
    r"\bcan (?:now |then )?be (?:used|called|invoked) (?:like|as follows|so|this way)\b[^.]{0,20}:$",
    r"^you can (?:now|then) (?:write|use|call)\b[^.]{0,80}:?$",
    r"^(?:exemple|ejemplo|exemplo|beispiel|verwendung|uso|esempio|пример|用法|使用示例|使い方)\b[^.,]{0,60}[:：]?$",
    r"^for reference\b[^.]{0,60}:$",
    r"\b(?:currently|right now|at the moment)\b[^.]{0,40}\b(?:looks? like(?: this)?|reads):$",
)
_BEFORE = any_of(
    r"^\W*(?:before|old|current|original|existing|from|find|search(?: for)?)(?: (?:code|version|this|lines?))?\W*$",
    r"\b(?:replace|change|find|swap|rewrite|turn)\b(?! (?:it|them|that) )[^.]{0,120}:$",
)
_AFTER = any_of(
    r"^\W*(?:and )?(?:after|new|with|to|by|into|becomes|replace(?: it| them| that)? (?:with|by)"
    r"|change (?:it|them|that) to|and replace (?:it|them) with)"
    r"(?: (?:this|that|these|the following|code|version|lines?|it))*\W*$"
)


def has_marker(lines: Sequence[str]) -> bool:
    """Whether a comment in the code stands for code that isn't shown."""
    return any(is_elision(line) and line.strip().strip(".…") for line in lines)


def has_commands(info: str, lines: Sequence[str]) -> bool:
    """Whether a fence may hold commands for a person to run rather than code of a file."""
    told = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if (tag_of(info) and not is_shell(info)) or not told or any(_SHELL_CODE.match(line) for line in told):
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
    return tag_of(placed.block.info) in DOCUMENT_TAGS or (placed.path or "").lower().endswith(DOCUMENT_ENDINGS)


def asks_to_run(prose: Sequence[str]) -> bool:
    """Whether the sentence before a fence begins as one that tells a person to run what it holds."""
    return bool(_ASKED_TO_RUN.search(last_sentence(prose)))


def says_run(prose: Sequence[str]) -> bool:
    """Whether the prose before a fence tells a person to run what it holds."""
    return bool(_SAYS_RUN.search(last_sentence(prose)))


def is_output(info: str, prose: Sequence[str]) -> bool:
    """Whether a fence shows what a program prints."""
    tag = tag_of(info)
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
    # An example of use begins at the margin, and isn't a part of a text: such a one belongs to the file.
    is_of_file = is_excerpt(lines) or tag_of(info) in DOCUMENT_TAGS
    return Role.OTHER if is_output(info, prose) or (is_example(prose) and not is_of_file) else Role.EDIT


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
