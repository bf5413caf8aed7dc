"""Reads the prose around a fence: a new file, the whole file, a file to delete, not an edit at all.

Wordings are tables; every one is weak alone, so they only decide what the code itself leaves open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from fastedit.edits.hunks import is_elision
from fastedit.edits.paths import PATH_HOLE, is_file_name
from fastedit.patterns import pattern

_SHELL_TAGS = "bash sh shell zsh fish console terminal shell-session shellsession powershell ps1 pwsh cmd bat batch"
SHELL_TAGS = frozenset(_SHELL_TAGS.split())
_OUTPUT_TAGS = "text txt log logs output stdout plaintext plain ansi traceback mermaid dot graphviz tree"
OUTPUT_TAGS = frozenset(_OUTPUT_TAGS.split())

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
)
_COMMAND = pattern(
    r"^\s*(?:[$>%]\s+\S|(?:[A-Z_]+=\S*\s+)*(?:"
    + "|".join(map(re.escape, _PROGRAMS.split()))
    + r")(?:\s|$)|\./\S+|[\w./-]+/manage\.py\b)"
)
_SHELL_CODE = pattern(
    r"^\s*(?:if |for |while |until |case |function |local |done\b|fi\b|esac\b|then\b|else\b|elif |\}|\w+\(\)|#!)"
)


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
    rf"{PATH_HOLE}\W*(?:deleted?|removed?)\W*$",
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
_SAYS_RUN = _any_of(
    r"^(?:(?:then|now|next|finally|afterwards|after that|and|please),? )*(?:re-?)?"
    r"(?:run|install|execute|start|build|launch|generate)\b",
    r"\b(?:to|and|then|you can|just) (?:re-?)?(?:run|test|verify|try|install|execute|reproduce)\b[^.]{0,60}[:.]?$",
)
_SHOWS_OUTPUT = _any_of(
    r"^(?:sample |expected |example )?(?:output|result|response|log|traceback|error(?: message)?|stack trace)\b"
    r"[^.]{0,30}:?$",
    r"\b(?:prints?|outputs?|printed|responds with|produces|fails with|failed with|logs)"
    r"(?: (?:this|the following|something like(?: this)?))?:$",
    r"\byou(?:'ll| will| should)(?: now| then)? (?:see|get)\b[^.]{0,30}:$",
)
_SHOWS_USE = _any_of(
    r"^(?:example(?: usage)?|usage(?: example)?|for example|e\.g\.)\b[^.]{0,60}:?$",
    r"\b(?:use|call|invoke) it (?:like|as|so|this)\b[^.]{0,30}:?$",
    r"\bcan (?:now |then )?be (?:used|called|invoked) (?:like|as follows|so|this way)\b[^.]{0,20}:$",
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
    paragraph: list[str] = []
    for line in reversed(prose[-MAX_SENTENCE_LINES:]):
        if line.strip():
            paragraph.append(line.strip())
        elif paragraph:
            break
    return re.split(r"(?<=[.!?])\s+(?=[A-Z\"`*(])", " ".join(reversed(paragraph))[-MAX_SENTENCE:])[-1]


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
