"""`parse_message`: what an assistant wrote as one `Edit` for each file and format; and the files that these name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from fastedit.edits.bare import bare_snippets, ends_in_heading, has_loose_marker
from fastedit.edits.calls import (
    Call,
    calls_in,
    edits_of_call,
    fenced_below,
    path_of_call,
    with_fences,
    words_of_call,
)
from fastedit.edits.fences import Block, BlockKind, split_message
from fastedit.edits.model import Action, Edit, Format, Snippet, longest, whole_edit
from fastedit.edits.naming import ends_with
from fastedit.edits.placing import PathReader, PlacedBlock
from fastedit.edits.roles import code_edit, edits_among, edits_beside_patch, is_pair, pair_edit, snippet_of
from fastedit.edits.search_replace import is_search_replace, parse_search_replace
from fastedit.edits.sections import with_own_words
from fastedit.edits.tags import Tagged, begins_tagged, read_tagged
from fastedit.edits.unified_diff import has_changes, is_unified_diff, parse_unified_diff
from fastedit.edits.v4a import is_v4a, parse_v4a
from fastedit.edits.wording import LineKind, classify_lines, elides_inline
from fastedit.errors import Code, EditUnreadable, Warning

AUTO = "auto"
_DIFF_TAGS = ("diff", "patch", "udiff")
_PATCH_FORMATS = (Format.UDIFF, Format.SEARCH_REPLACE, Format.V4A)


def parse_message(text: str, *, format: str = AUTO) -> list[Edit]:
    """Parses a message into what it wants done, one edit for each file and format, in order.

    format: `auto`, or a `Format` that every block is then read as. A fence that doesn't say whether it is a
    whole file comes back as LAZY; only the original can tell. Raises EditUnreadable: EDIT_EMPTY where there
    is no code, EDIT_UNPARSABLE (with the 1-based line) where a patch is broken or `format` is unknown.
    """
    forced = _forced(format)
    if forced is None and (calls := calls_in(text)):
        return _joined(edit for call in calls for edit in _of_call(call))
    if forced is None and begins_tagged(text):
        return _of_tagged(read_tagged(text))
    given, text = text, with_fences(text) if forced is None else text
    message = split_message(text)
    reader = PathReader()
    placed = [reader.place(block) for block in message.blocks]
    reader.read_prose(message.tail)
    is_bare = forced is None and (has_loose_marker(message) or ends_in_heading(message))
    is_bare = is_bare and all(detect(block) is Format.LAZY for block in placed)
    edits = _read_all(placed, forced) if placed and not is_bare else _read_bare(text, forced)
    changed = [edit.path for edit in edits if edit.path]  # what is shown of a file outweighs a word that it goes
    gone = [path for path in reader.deleted if not any(is_same_file(path, other) for other in changed)]
    edits.extend(Edit(Format.WHOLE, path, Action.DELETE) for path in gone)
    if not edits:
        raise EditUnreadable(Code.EDIT_EMPTY, "the text holds no code and no patch")
    found = with_own_words(_joined(_with_full_paths(edits)), text, placed)
    return found if text == given else [_said_in(edit, text) for edit in found]


def _of_call(call: Call) -> list[Edit]:
    """The edits of one tool call, with its words; those that name no file are for the one that the call names."""
    found, words = edits_of_call(call), words_of_call(call)
    edits = _of_code(words, found) if isinstance(found, str) else [_said_in(edit, words) for edit in found]
    return [edit if edit.path is not None else replace(edit, path=path_of_call(call)) for edit in edits]


def _of_tagged(tagged: Tagged) -> list[Edit]:
    """The edits of a request to apply one, as chat messages hold it; the original in it is the caller's affair."""
    return _of_code(tagged.instruction or "", tagged.edit)


def _of_code(words: str, code: str) -> list[Edit]:
    """The edits of code that stands apart from the words about it."""
    edits = parse_message(code)
    if all(edit.format is Format.LAZY for edit in edits):
        words = fenced_below(words, code)
        edits = parse_message(words)
    return [_said_in(edit, words) for edit in edits]


def _said_in(edit: Edit, text: str) -> Edit:
    """The edit with the text that speaks of it, where it isn't told to be a part of that."""
    return edit if edit.message is not None else replace(edit, message=text)


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
    paths = {edit.path for edit in edits if edit.path and edit.action is not Action.DELETE}
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
                message=first.message if edit.message is None else f"{first.part_of('')}\n\n{edit.message}",
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
