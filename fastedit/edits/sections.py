"""Parts a message about several files into what is said of each.

Words about one file count against an edit of another: they ask for what isn't done there. A heading, a label or a
sentence that names a file begins what is said of it. Words before the first of these are of the whole change: each file
hears the sentences that name it. So are those behind the last fence, of which its file hears what names none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from fastedit.edits.fences import Block, BlockKind
from fastedit.edits.model import Edit, Snippet
from fastedit.edits.naming import PathMention, ends_with, files_in, path_leading, sentences_of_line
from fastedit.edits.placing import PlacedBlock, is_heading, is_listed, named_by, named_in_heading

Files = frozenset[str]
OF_ALL: Files | None = None


def with_own_words(edits: Sequence[Edit], text: str, placed: Sequence[PlacedBlock]) -> list[Edit]:
    """The edits of a text, each with what it says of the edit's file, where it is about several files.

    placed: the text's blocks.
    """
    paths = frozenset(edit.path for edit in edits if edit.path)
    if len(paths) < 2 or not placed:
        return list(edits)
    rows = _Rows(edits, paths, placed, text.split("\n"))
    heard = {path: rows.heard_by(path) for path in paths}
    blocks = {one.start_line: one for one in placed}
    shared = rows.shared
    return [
        edit if edit.path is None else replace(_with_heard(edit, heard[edit.path], blocks), shared=shared)
        for edit in edits
    ]


def _with_heard(edit: Edit, heard: Sequence[str | None], blocks: Mapping[int, PlacedBlock]) -> Edit:
    """The edit with what its file hears of each row."""
    snippets: list[Snippet] = []
    for snippet in edit.snippets:
        if (placed := blocks.get(snippet.source_line)) is not None:
            start = _first_row(placed.block)
            prose = (*heard[start - len(placed.block.prose) : start], placed.locator)
            snippet = replace(snippet, prose=_joined(prose).strip())
        snippets.append(snippet)
    return replace(edit, message=_joined(heard), snippets=tuple(snippets))


def _joined(heard: Iterable[str | None]) -> str:
    return "\n".join(line for line in heard if line is not None)


class _Rows:
    """The rows of a text, and the files that each is about; None for the whole change."""

    def __init__(
        self, edits: Sequence[Edit], paths: Files, placed: Sequence[PlacedBlock], lines: Sequence[str]
    ) -> None:
        self._paths, self._lines = paths, lines
        self._owners: list[Files | None] = [OF_ALL] * len(lines)
        starts = [(edit.path, row) for edit in edits if edit.path for row in _rows_of(edit)]
        last: Files | None = OF_ALL
        for number, one in enumerate(placed):
            start, self._end = _span(placed, number, len(lines))
            files = frozenset(path for path, row in starts if start <= row < self._end)
            files = files or _matching(paths, one.path) or last or frozenset()
            prose = one.block.prose
            self._owners[start - len(prose) : start] = _owners_of_prose(prose, last, files, paths)
            self._owners[start : self._end] = [files] * (self._end - start)
            last = files
        self._last = last or frozenset()

    def heard_by(self, path: str) -> list[str | None]:
        """The part of each row that a file hears: all of one about it, of others the sentences that may be for it."""
        heard: list[str | None] = []
        for row, (line, owners) in enumerate(zip(self._lines, self._owners, strict=True)):
            if owners is not None:
                heard.append(line if path in owners else None)
                continue
            kept = [one for one in sentences_of_line(line) if self._may_be_for(path, one, is_behind=row >= self._end)]
            heard.append(" ".join(kept) if kept or not line.strip() else None)
        return heard

    def _may_be_for(self, path: str, sentence: str, *, is_behind: bool) -> bool:
        """Whether a sentence names a file, or none where it stands behind the last fence and that is the file's."""
        named = [about for name in files_in(sentence) if (about := _matching(self._paths, name))]
        return any(path in about for about in named) if named else is_behind and path in self._last

    @property
    def shared(self) -> str:
        """The words about the whole change."""
        return "\n".join(line for line, owners in zip(self._lines, self._owners, strict=True) if owners is None)


def _rows_of(edit: Edit) -> Iterator[int]:
    """The rows of the text in which an edit's snippets and hunks start."""
    yield from (snippet.source_line for snippet in edit.snippets)
    yield from (hunk.source_line for hunk in edit.hunks)


def _span(placed: Sequence[PlacedBlock], number: int, num_lines: int) -> tuple[int, int]:
    """The rows of a block with its fences, [start, end)."""
    start = _first_row(placed[number].block)
    block = placed[number].block
    last = block.start_line + len(block.lines) + (block.kind is BlockKind.FENCE and block.is_closed)
    if number + 1 < len(placed):
        last = _first_row(placed[number + 1].block) - len(placed[number + 1].block.prose)
    return start, min(last, num_lines)


def _first_row(block: Block) -> int:
    return block.start_line - (block.kind is BlockKind.FENCE)


def _owners_of_prose(prose: Sequence[str], before: Files | None, files: Files, paths: Files) -> list[Files | None]:
    """The files that each line between two blocks is about. before, files: those of the blocks."""
    named = [_named_in(line) for line in prose]
    owners: list[Files | None] = []
    owner = before
    for number, mention in enumerate(named):
        about = _matching(paths, mention.path) if mention else frozenset()
        is_item = is_listed(prose, named, number)
        if about and not is_item:
            owner = about
        owners.append(about if about and is_item else owner)
    if owner is None or not owner & files:
        start = _last_paragraph(prose)
        owners[start:] = [files] * (len(owners) - start)
    return owners


def _last_paragraph(prose: Sequence[str]) -> int:
    """The row in which the last paragraph begins, or the heading above it."""
    row = len(prose)
    while row and not prose[row - 1].strip():
        row -= 1
    while row and prose[row - 1].strip():
        row -= 1
    above = row
    while above and (not prose[above - 1].strip() or is_heading(prose[above - 1])):
        above -= 1
        row = above if is_heading(prose[above]) else row
    return row


def _named_in(line: str) -> PathMention | None:
    """The file that a line by itself names or begins with, or a heading among other words."""
    return named_by(line) or path_leading(line) or (named_in_heading(line) if is_heading(line) else None)


def _matching(paths: Files, named: str | None) -> Files:
    """Those of the paths that a name is of."""
    return frozenset(path for path in paths if named and (ends_with(path, named) or ends_with(named, path)))
