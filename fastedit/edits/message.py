"""`parse_message`: what an assistant wrote as one `Edit` for each file and format; and the files that these name.

Some messages don't fence their code. Tool calls are what agents send to `str_replace`, `edit_file` and their kin, bare
or as APIs wrap it:

    {"path": "a.py", "old_str": "...", "new_str": "..."}                     also old_string, oldText; edits: [...]
    {"command": "create", "path": "a.py", "file_text": "..."}
    {"target_file": "a.py", "code_edit": "..."}                              the code_edit is a message of its own
    {"name": ..., "arguments": "{...}"}, {"type": "tool_use", "input": {...}}, {"tool_calls": [...]}, a list of such

Of a message without any fence, some paragraphs are the file's, and others only speak about it. Where the file itself is
prose (Markdown, reST), all is taken for its text but what only the one who made the edit would say.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any

from fastedit.edits.fences import Block, BlockKind, Message, split_message
from fastedit.edits.model import Action, Edit, Format, PatchHunk, Snippet, longest, whole_edit
from fastedit.edits.roles import (
    PathReader,
    PlacedBlock,
    code_edit,
    edits_among,
    edits_beside_patch,
    has_marker,
    is_pair,
    last_sentence,
    pair_edit,
    snippet_of,
)
from fastedit.edits.search_replace import is_search_replace, pair_lines, parse_search_replace
from fastedit.edits.unified_diff import has_changes, is_unified_diff, parse_unified_diff
from fastedit.edits.v4a import is_v4a, parse_v4a
from fastedit.edits.wording import (
    LineKind,
    classify_lines,
    comment_text,
    elides_inline,
    ends_with,
    is_elision,
    is_first_person,
    is_list,
    is_prose,
    is_prose_paragraph,
    path_in_line,
)
from fastedit.errors import Code, EditUnreadable, Warning

AUTO = "auto"
_DIFF_TAGS = ("diff", "patch", "udiff")
_PATCH_FORMATS = (Format.UDIFF, Format.SEARCH_REPLACE, Format.V4A)
PATHS = ("path", "file_path", "target_file", "filePath", "targetFile", "filename", "file")
OLD = ("old_str", "old_string", "oldText", "old_text", "oldString")
NEW = ("new_str", "new_string", "newText", "new_text", "newString")
WHOLE = ("file_text", "fileText", "content", "contents")
MESSAGES = ("code_edit", "codeEdit", "patch", "diff", "input")
CREATES = ("create", "create_file", "write", "write_file", "write_to_file", "Write")
WRAPPERS = ("tool_calls", "choices", "message", "function", "arguments", "content", "output", "input", "parameters")
PATCH = "*** Begin Patch"
MAX_DEPTH = 8
_FENCED = re.compile(r"\s*```(?:json)?\n(.*?)\n```\s*", re.DOTALL)
Call = dict[str, Any]
_MARKUP = re.compile(r"^(?:#{2,6} \S|\|.*\|\s*$|\.\. \S|\[[^\]]+\]: |!\[|`{3,}|~{3,})")
_SET_IN = re.compile(r"^(?:\t| {4})")
_PLAIN = re.compile(
    r"^(?!(?:if|for|while|with|class|def|type|module|import|from|package) )[^\W\d_][^{}\[\]=<>;:|@$#()]*:?$"
)
_HEADING = re.compile(r"^#{2,6} \S")
_DOTTED = re.compile(r"^(?:\.{3,}|…).*(?:\.{3,}|…)$")
_UNDERLINE = re.compile(r"^([=~^\"-])\1{2,}\s*$")
_ABOUT_THE_FILE = re.compile(
    r"^(?:add|update|change|fix|replace|remove|rename|move|document|mention|rewrite|reword|drop|correct)\w*\b.{0,80}"
    r"\b(?:sections?|paragraphs?|readme|docs|headings?|lists?|tables?|files?|lines?|sentences?|links?|notes?|chapters?)\b",
    re.IGNORECASE | re.DOTALL,
)
_CLOSING = re.compile(
    r"^(?:I(?:['’](?:m|d|ve|ll))?|everything else|the rest|the others?|nothing else|no other|let me know"
    r"|that(?:['’]s| is| should)|tell me)\b",
    re.IGNORECASE,
)
_BRACKETS = (
    (re.compile(r"(?:^|\s)/\*", re.MULTILINE), "*/"),
    (re.compile("<!--"), "-->"),
    (re.compile(r"--\[\["), "]]"),
)
_QUOTES = ('"""', "'''", "`")


def parse_message(text: str, *, format: str = AUTO) -> list[Edit]:
    """Parses a message into what it wants done, one edit for each file and format, in order.

    format: `auto`, or a `Format` that every block is then read as. A fence that doesn't say whether it is a
    whole file comes back as LAZY; only the original can tell. Raises EditUnreadable: EDIT_EMPTY where there
    is no code, EDIT_UNPARSABLE (with the 1-based line) where a patch is broken or `format` is unknown.
    """
    forced = _forced(format)
    if forced is None and (calls := calls_in(text)):
        return _joined(edit for call in calls for edit in _of_call(call))
    message = split_message(text)
    reader = PathReader()
    placed = [reader.place(block) for block in message.blocks]
    reader.read_prose(message.tail)
    is_bare = forced is None and (has_loose_marker(message) or ends_in_heading(message))
    is_bare = is_bare and all(detect(block) is Format.LAZY for block in placed)
    edits = _read_all(placed, forced) if placed and not is_bare else _read_bare(text, forced)
    edits.extend(Edit(Format.WHOLE, path, Action.DELETE) for path in reader.deleted)
    if not edits:
        raise EditUnreadable(Code.EDIT_EMPTY, "the text holds no code and no patch")
    return _joined(_with_full_paths(edits))


def _of_call(call: Call) -> list[Edit]:
    """The edits of one tool call; those that name no file are for the one that the call names."""
    found = edits_of_call(call)
    edits = parse_message(found) if isinstance(found, str) else found
    return [edit if edit.path is not None else replace(edit, path=path_of_call(call)) for edit in edits]


def _forced(format: str) -> Format | None:
    if format == AUTO:
        return None
    try:
        return Format(format)
    except ValueError:
        known = ", ".join([AUTO, *Format])
        raise EditUnreadable(Code.EDIT_UNPARSABLE, f"unknown format; known are {known}") from None


def detect(placed: PlacedBlock) -> Format:
    """The format of a block's text; LAZY stands for any code without a patch in it."""
    lines = placed.lines
    if is_search_replace(lines):
        return Format.SEARCH_REPLACE
    if is_v4a(lines):
        return Format.V4A
    tag = placed.block.info.lower().split(" ")[0].split(":")[0]
    if is_unified_diff(lines) or (tag in _DIFF_TAGS and has_changes(lines)):
        return Format.UDIFF
    return Format.LAZY


def _read_all(placed: Sequence[PlacedBlock], forced: Format | None) -> list[Edit]:
    """The edits of all blocks in order."""
    formats = [detect(block) for block in placed]
    if forced in _PATCH_FORMATS:
        matching = [block for block, found in zip(placed, formats, strict=True) if found is forced]
        return [edit for block in matching or placed for edit in _read_patch(block, forced)]
    fences = [block for block in placed if block.block.kind is BlockKind.FENCE]
    if forced is Format.WHOLE:
        return _whole_files(fences)
    if forced is Format.LAZY:
        return [Edit(Format.LAZY, block.path, snippets=(snippet_of(block),)) for block in edits_among(fences)]
    code = [block for block, found in zip(placed, formats, strict=True) if found is Format.LAZY]
    chosen = edits_among(code) if len(code) == len(placed) else edits_beside_patch(code)
    return _in_order(placed, formats, chosen)


def _in_order(placed: Sequence[PlacedBlock], formats: Sequence[Format], chosen: Sequence[PlacedBlock]) -> list[Edit]:
    edits: list[Edit] = []
    is_chosen = {id(block) for block in chosen}
    paired: set[int] = set()
    for number, (block, found) in enumerate(zip(placed, formats, strict=True)):
        if found is not Format.LAZY:
            edits.extend(_read_patch(block, found))
        elif number + 1 < len(placed) and formats[number + 1] is Format.LAZY and is_pair(block, placed[number + 1]):
            edits.append(pair_edit(block, placed[number + 1]))
            paired.update((id(block), id(placed[number + 1])))
        elif id(block) in is_chosen and id(block) not in paired:
            _check_closed(block)
            edits.append(code_edit(block))
    return edits


def _check_closed(placed: PlacedBlock) -> None:
    """Code that doesn't end in a marker may, without its fence's end, have been cut off anywhere."""
    last = next((line for line in reversed(placed.lines) if line.strip()), "")
    if not placed.block.is_closed and classify_lines([last], lambda _: False)[-1].kind is not LineKind.MARKER:
        line = placed.block.start_line
        raise EditUnreadable(
            Code.EDIT_UNPARSABLE, f"the fence of line {line} is never closed: the message may have been cut off"
        )


def _read_patch(placed: PlacedBlock, format: Format) -> list[Edit]:
    """The edits of one block in a patch format; files that it doesn't name are the block's."""
    readers: dict[Format, Callable[[Sequence[str], int], list[Edit]]] = {
        Format.UDIFF: parse_unified_diff,
        Format.V4A: parse_v4a,
        Format.SEARCH_REPLACE: _search_replace_edits,
    }
    edits = readers[format](placed.lines, placed.start_line)
    return [edit if edit.path is not None else replace(edit, path=placed.path) for edit in edits]


def _search_replace_edits(lines: Sequence[str], first_line: int) -> list[Edit]:
    files = parse_search_replace(lines, first_line)
    return [Edit(Format.SEARCH_REPLACE, blocks.path, hunks=blocks.hunks) for blocks in files]


def _whole_files(fences: Sequence[PlacedBlock]) -> list[Edit]:
    by_path: dict[str | None, list[PlacedBlock]] = {}
    for block in edits_among(fences):
        by_path.setdefault(block.path, []).append(block)
    return [
        whole_edit(
            path,
            longest([snippet_of(block) for block in blocks]),
            is_new=any(block.is_new for block in blocks),
            is_exact=True,
        )
        for path, blocks in by_path.items()
    ]


def _read_bare(text: str, forced: Format | None) -> list[Edit]:
    """A text without any fence: code as it stands, or no edit."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    if not text.strip():
        return []
    if forced in _PATCH_FORMATS:
        placed = PlacedBlock(_bare_block(lines), None, tuple(lines))
        return _read_patch(placed, forced)
    if forced is Format.WHOLE:
        return [whole_edit(None, Snippet(_without_last_end(lines)), is_new=False, is_exact=True)]
    snippets = [Snippet(_without_last_end(lines))] if forced else bare_snippets(text)
    return [Edit(Format.LAZY, snippets=tuple(snippets))] if snippets else []


def _without_last_end(lines: Sequence[str]) -> tuple[str, ...]:
    """The lines of a text that was split at line ends, of which the last one has no line behind it."""
    return tuple(lines if lines[-1] else lines[:-1])


def _with_full_paths(edits: Iterable[Edit]) -> list[Edit]:
    """The edits with a path that is only the end of one other path in the message written out."""
    edits = list(edits)
    paths = {edit.path for edit in edits if edit.path}
    full: dict[str, str] = {}
    for path in paths:
        longer = [other for other in paths if other != path and ends_with(other, path)]
        if len(longer) == 1:
            full[path] = longer[0]
    named = {edit.path for edit in edits if edit.format in (Format.UDIFF, Format.V4A)}
    return [
        replace(edit, path=full[edit.path]) if edit.path in full and edit.path not in named else edit for edit in edits
    ]


def _joined(edits: Iterable[Edit]) -> list[Edit]:
    """One edit for each file and format: the snippets and hunks of later ones go to the first.

    A snippet without a path belongs to the only file of the message, if there is but one.
    """
    edits = list(edits)
    paths = {edit.path for edit in edits if edit.path}
    only = next(iter(paths)) if len(paths) == 1 else None
    joined: list[Edit] = []
    places: dict[tuple[str | None, Format], int] = {}
    for edit in edits:
        edit = replace(edit, path=edit.path or only)
        key = (edit.path, edit.format)
        if edit.action is Action.UPDATE and edit.format is not Format.WHOLE and key in places:
            first = joined[places[key]]
            joined[places[key]] = replace(
                first,
                snippets=first.snippets + edit.snippets,
                hunks=first.hunks + edit.hunks,
                new_path=first.new_path or edit.new_path,
            )
            continue
        if edit.action is Action.UPDATE:
            places[key] = len(joined)
        joined.append(edit)
    return joined


def _bare_block(lines: Sequence[str]) -> Block:
    return Block(BlockKind.RAW, tuple(lines), "", (), 0)


def edits_for(edits: Sequence[Edit], path: str | None) -> tuple[list[Edit], list[Warning]]:
    """The edits for `path` in their order, with warnings about the others.

    An edit without a path is for the file; one with a path is where the names agree from the end. Where
    nothing agrees, edits for one single other name are taken with a warning: the alignment decides then
    whether the file is the right one. Raises EditUnreadable where the message is about several others.
    """
    if path is None:
        return list(edits), []
    mine = [edit for edit in edits if edit.path is None or is_same_file(edit.path, path)]
    if mine:
        skipped = sorted({edit.path for edit in edits if edit.path and edit not in mine})
        return mine, [Warning("OTHER_FILES", f"not applied here: {', '.join(skipped)}")] if skipped else []
    names = sorted({edit.path for edit in edits if edit.path})
    if len(names) > 1:
        raise EditUnreadable(Code.EDIT_EMPTY, f"no edit for {path} in the message, only for {', '.join(names)}")
    return list(edits), [Warning("OTHER_PATH", f"the message names {names[0]}, applied to {path}")]


def is_same_file(named: str, path: str) -> bool:
    """Whether the shorter of the two paths is the end of the other (`a/`, `b/`, `./` in front and case apart)."""
    ours, theirs = _parts(path.casefold()), _parts(named.casefold())
    shared = min(len(ours), len(theirs))
    return shared > 0 and ours[-shared:] == theirs[-shared:]


def _parts(path: str) -> tuple[str, ...]:
    parts = PurePosixPath(path.replace("\\", "/")).parts
    return tuple(part for part in parts if part not in (".", "/"))


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file as the message names it.

    path: None for whichever file the message is applied to. can_create: nothing that is said needs the file to be
    there already.
    """

    path: str | None
    action: Action
    new_path: str | None = None
    can_create: bool = False


def named_files(edits: Sequence[Edit]) -> list[NamedFile]:
    """Each file that the edits are for, once, in their order."""
    grouped: dict[str | None, list[Edit]] = {}
    for edit in edits:
        grouped.setdefault(edit.path, []).append(edit)
    return [_named(path, mine) for path, mine in grouped.items()]


def needs_original(edit: Edit) -> bool:
    """Whether the edit speaks of lines that a file must already have."""
    if edit.format is Format.WHOLE:
        return False
    if edit.format is Format.LAZY:
        lines = [line for snippet in edit.snippets for line in snippet.lines]
        shown = classify_lines(lines, lambda _: False)
        return any(line.kind in (LineKind.MARKER, LineKind.REMOVAL) or elides_inline(line.text) for line in shown)
    return edit.new_path is not None or not edit.hunks or any(hunk.old for hunk in edit.hunks)


def _named(path: str | None, edits: Sequence[Edit]) -> NamedFile:
    first, last = edits[0], edits[-1]
    action = Action.UPDATE
    if last.action is Action.DELETE:
        action = Action.DELETE
    elif first.action is Action.CREATE:
        action = Action.CREATE
    new_path = next((edit.new_path for edit in reversed(edits) if edit.new_path), None)
    can_create = action is not Action.DELETE and (first.action is Action.CREATE or not needs_original(first))
    return NamedFile(path, action, new_path, can_create)


# ---- without fences --------------------------------------------------------------------------------------------------


def calls_in(text: str) -> list[Call]:
    """The calls that a text consists of; none where it is anything else."""
    fenced = _FENCED.fullmatch(text)
    said = (fenced[1] if fenced else text).strip()
    if not said.startswith(("{", "[")) or not any(name in said for name in (*OLD, *WHOLE, *MESSAGES)):
        return []
    try:
        return list(_calls(json.loads(said), "", 0))
    except (ValueError, RecursionError):
        return []


def edits_of_call(call: Call) -> list[Edit] | str:
    """The edits that a call asks for, or the message that it holds. Raises EditUnreadable where it lacks something."""
    path = _first(call, PATHS)
    message = _first(call, MESSAGES)
    if message is not None and _first(call, OLD) is None:
        return message
    whole = _first(call, WHOLE)
    if whole is not None:
        return [Edit(Format.WHOLE, path, Action.CREATE, snippets=(Snippet(tuple(_lines(whole))),))]
    pairs = call.get("edits") if isinstance(call.get("edits"), list) else [call]
    return [_replacement(path, pair) for pair in pairs or ()]


def path_of_call(call: Call) -> str | None:
    """The file that a call names."""
    return _first(call, PATHS)


def _replacement(path: str | None, pair: Any) -> Edit:
    old, new = (_first(pair, names) if isinstance(pair, dict) else None for names in (OLD, NEW))
    if old is None or new is None:
        raise EditUnreadable(Code.EDIT_UNPARSABLE, "a tool call lacks the old or the new text")
    if not old:
        return Edit(Format.WHOLE, path, Action.CREATE, snippets=(Snippet(tuple(_lines(new))),))
    hunk = PatchHunk(tuple(pair_lines(_lines(old), _lines(new))))
    return Edit(Format.SEARCH_REPLACE, path, hunks=(hunk,))


def _calls(value: Any, name: str, depth: int) -> Iterator[Call]:
    """The calls in a value, however they are wrapped. name: of the tool, as far as a wrapper has told."""
    if depth > MAX_DEPTH:
        return
    if isinstance(value, str) and value.lstrip().startswith(("{", "[")):
        value = json.loads(value)
    if isinstance(value, list):
        for one in value:
            yield from _calls(one, name, depth + 1)
    elif isinstance(value, dict):
        name = value["name"] if isinstance(value.get("name"), str) else name
        if _is_call(value, name):
            yield value
            return
        for wrapper in WRAPPERS:
            if isinstance(value.get(wrapper), (dict, list, str)):
                yield from _calls(value[wrapper], name, depth + 1)


def _is_call(value: Call, name: str) -> bool:
    if _first(value, OLD) is not None and _first(value, NEW) is not None:
        return True
    message = _first(value, MESSAGES)
    if message is not None and message.lstrip().startswith(PATCH):
        return True
    if _first(value, PATHS) is None:
        return False
    creates = _first(value, WHOLE) is not None and (name in CREATES or value.get("command") in CREATES)
    return creates or message is not None or _has_pairs(value.get("edits"))


def _has_pairs(edits: Any) -> bool:
    if not isinstance(edits, list) or not edits:
        return False
    return all(isinstance(one, dict) and _first(one, OLD) is not None for one in edits)


def _first(call: Call, names: tuple[str, ...]) -> str | None:
    """The text under the first of the names that the call has."""
    return next((call[name] for name in names if isinstance(call.get(name), str)), None)


def _lines(text: str) -> list[str]:
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]


class _Kind(StrEnum):
    PROSE = "prose"
    CODE = "code"
    MARKUP = "markup"
    COMMENT = "comment"


@dataclass(frozen=True, slots=True)
class _Paragraph:
    """The message's lines [start, end) between two empty ones."""

    kind: _Kind
    start: int
    end: int
    text: str = field(repr=False)

    @property
    def is_told(self) -> bool:
        """Whether the paragraph speaks to the reader of the message: in the first person, or with code to follow."""
        return self.kind is _Kind.PROSE and (is_first_person(self.text) or self.text.rstrip().endswith((":", "：")))


def bare_snippets(text: str) -> list[Snippet]:
    """A message without fences as code, the sentences before, between and behind it left out; none where it's prose."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    paragraphs = _paragraphs(lines)
    if not any(paragraph.kind is not _Kind.PROSE for paragraph in paragraphs):
        return []
    if (parts := _indented_parts(paragraphs)) is None:
        parts = [_document(paragraphs)] if _is_document(paragraphs) else _code_parts(lines, paragraphs)
    snippets: list[Snippet] = []
    done = 0
    for part in parts:
        start, end = part[0].start, part[-1].end
        snippets.append(Snippet(tuple(lines[start:end]), prose="\n".join(lines[done:start]).strip(), source_line=start))
        done = end
    return snippets


def has_loose_marker(message: Message) -> bool:
    """Whether a marker stands outside of every fence and none inside: then the fences are the file's own text.

    A fence that nothing ends may be the end of one that the message doesn't show: what it holds is outside, too.
    """
    if any(block.is_closed and has_marker(block.lines) for block in message.blocks):
        return False
    is_torn = any(not block.is_closed for block in message.blocks)
    outside = [line for block in message.blocks for line in block.prose]
    return any(
        is_elision(line) and (comment_text(line) or (is_torn and _DOTTED.match(line)))
        for line in (*outside, *message.tail)
    )


def ends_in_heading(message: Message) -> bool:
    """Whether a heading ends a message that announces no fence: then all of it is the file's own text."""
    tail = [line for line in message.tail if line.strip()]
    if len(tail) < 2 or not _HEADING.match(tail[-1]) or path_in_line(tail[-1]):
        return False
    return not any(last_sentence(block.prose).endswith((":", "：")) for block in message.blocks)


def _paragraphs(lines: Sequence[str]) -> list[_Paragraph]:
    """The paragraphs in order; code right below the first sentences is one of its own."""
    found: list[_Paragraph] = []
    start = 0
    while start < len(lines):
        if not lines[start].strip():
            start += 1
            continue
        end = start
        while end < len(lines) and lines[end].strip():
            end += 1
        if not found:
            end = start + _num_told(lines[start:end])
        found.append(_Paragraph(_kind_of(lines[start:end]), start, end, "\n".join(lines[start:end])))
        start = end
    return found


def _num_told(lines: Sequence[str]) -> int:
    """Counts the lines of a first paragraph that introduce the code below them; all where it isn't so."""
    if is_prose_paragraph(lines):
        return len(lines)
    for count in range(min(len(lines) - 1, 12), 0, -1):
        told = "\n".join(lines[:count])
        if is_prose(told) and (is_first_person(told) or told.rstrip().endswith(":")):
            return count
    return len(lines)


def _kind_of(lines: Sequence[str]) -> _Kind:
    if any(_MARKUP.match(line) for line in lines) or _has_title(lines):
        return _Kind.MARKUP
    if all(comment_text(line) is not None or is_elision(line) for line in lines):
        return _Kind.COMMENT
    if is_prose_paragraph(lines):
        return _Kind.MARKUP if lines[-1].rstrip().endswith("::") else _Kind.PROSE
    return _Kind.CODE


def _has_title(lines: Sequence[str]) -> bool:
    """Whether one of the lines is underlined."""
    titled = pairwise(lines)
    return any(
        _UNDERLINE.match(line) and title[:1].strip() and comment_text(title) is None and not is_elision(title)
        for title, line in titled
    )


def _is_document(paragraphs: Sequence[_Paragraph]) -> bool:
    """Whether what the message edits is a text rather than a program."""
    around = [number for number, paragraph in enumerate(paragraphs) if paragraph.kind is not _Kind.PROSE]
    inner = paragraphs[around[0] : around[-1] + 1]
    kinds = [paragraph.kind for paragraph in inner]
    num_code = kinds.count(_Kind.CODE)
    has_markup = _Kind.MARKUP in kinds
    if not num_code and not has_markup:
        return any(is_elision(line) for paragraph in paragraphs for line in paragraph.text.split("\n")) and any(
            paragraph.kind is _Kind.PROSE for paragraph in paragraphs[1:]
        )
    num_text = sum(paragraph.kind is _Kind.PROSE and (has_markup or not paragraph.is_told) for paragraph in inner)
    if has_markup:
        # Beside titles and directives, what is indented may as well be an example.
        num_code = sum(paragraph.kind is _Kind.CODE and not paragraph.text[:1].isspace() for paragraph in inner)
    return num_text + kinds.count(_Kind.MARKUP) > num_code


def _document(paragraphs: Sequence[_Paragraph]) -> list[_Paragraph]:
    """The paragraphs of a text file without the message's own first and last ones."""
    first, last = 0, len(paragraphs)
    opening = paragraphs[0]
    if opening.kind is _Kind.PROSE and (is_first_person(opening.text) or _ABOUT_THE_FILE.match(opening.text)):
        first = 1
    while last - first > 1 and paragraphs[last - 1].kind is _Kind.PROSE and _CLOSING.match(paragraphs[last - 1].text):
        last -= 1
    return list(paragraphs[first:last])


def _indented_parts(paragraphs: Sequence[_Paragraph]) -> list[list[_Paragraph]] | None:
    """The runs of paragraphs set in as Markdown's code is, where each stands below words at the margin; else None."""
    parts: list[list[_Paragraph]] = []
    is_below = False
    for paragraph in paragraphs:
        is_code = all(_SET_IN.match(line) for line in paragraph.text.split("\n"))
        if not is_code and paragraph.kind is not _Kind.PROSE and not _is_plain(paragraph.text):
            return None
        if is_code and not is_below:
            parts.append([])
        if is_code:
            parts[-1].append(paragraph)
        is_below = is_code
    first = paragraphs[0]
    return parts if parts and (first.kind is _Kind.PROSE or first.text.endswith(":")) else None


def _is_plain(text: str) -> bool:
    """Whether a line holds but words, as one that introduces code does: `then at the end of the list`."""
    return len(text.split()) > 2 and _PLAIN.match(text) is not None and "\n" not in text


def _code_parts(lines: Sequence[str], paragraphs: Sequence[_Paragraph]) -> list[list[_Paragraph]]:
    """The runs of code paragraphs between what the message tells its reader."""
    first = _num_leading(paragraphs)
    last = max(number for number, paragraph in enumerate(paragraphs) if paragraph.kind is not _Kind.PROSE)
    inside = _inside(lines)
    parts: list[list[_Paragraph]] = [[]]
    for number, paragraph in enumerate(paragraphs[first:], first):
        is_told = number > last or (paragraph.is_told and not inside[paragraph.start])
        if paragraph.kind is not _Kind.PROSE or not is_told:
            parts[-1].append(paragraph)
        elif parts[-1]:
            parts.append([])
    return [part for part in parts if part]


def _num_leading(paragraphs: Sequence[_Paragraph]) -> int:
    """Counts the paragraphs that the message speaks before its code. A list is one of them below a colon only."""
    for number, paragraph in enumerate(paragraphs):
        is_loose = number > 0 and not paragraphs[number - 1].text.rstrip().endswith((":", "："))
        if paragraph.kind is not _Kind.PROSE or (is_loose and is_list(paragraph.text.split("\n"))):
            return number
    return len(paragraphs)


def _inside(lines: Sequence[str]) -> list[bool]:
    """For each line whether a comment or string that started above it goes on there."""
    inside: list[bool] = []
    is_quoted = dict.fromkeys(_QUOTES, False)
    is_bracketed = [False] * len(_BRACKETS)
    for line in lines:
        inside.append(any(is_quoted.values()) or any(is_bracketed))
        for quotes in _QUOTES:
            is_quoted[quotes] ^= bool(line.count(quotes) % 2)
        for number, (opening, closing) in enumerate(_BRACKETS):
            start = max((found.start() for found in opening.finditer(line)), default=-1)
            if start >= 0 or closing in line:
                is_bracketed[number] = start > line.rfind(closing)
    return inside
