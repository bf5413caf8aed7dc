"""Drafts from the edit's own new lines, put at the indentation of the place where the target writes them.

An edit often stands at another indentation than the file, or with spaces where the file has tabs; then its tokens
are nowhere the output's, although its lines are. So lines are compared without their indentation, and proposed with
the one that the output is using.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fastedit.draft.model import Codec, Kind, Proposal, Transcript
from fastedit.lines import body, indent_of, split_lines

TAB_COLUMNS = 8
DEFAULT_UNIT = "    "
FOLLOWED_LINES = 64  # of those written since it was last asked: earlier ones tell little, and all of a file take long
LONG_CONTENT = 8  # so many characters of a line are found by more than chance


@dataclass(frozen=True, slots=True)
class IndentedLine:
    """A line of the edit: its indentation in columns and its content. is_last: the next one isn't its neighbour."""

    columns: int
    content: str
    is_last: bool


class SnippetDrafter:
    """Follows the output line by line through the edit's pieces.

    snippets: the edit's new lines, cut where it elides something. original: says how the file indents.
    """

    def __init__(self, snippets: Sequence[str], original: str, codec: Codec, transcript: Transcript) -> None:
        self._lines = [line for snippet in snippets for line in _lines_of(snippet)]
        self._places = _places(self._lines)
        self._unit = _columns(indent_unit(snippets))
        self._file_unit = indent_unit((original,))
        self._learned: dict[int, str] = {}  # what the output made of a snippet's column
        self._codec = codec
        self._transcript = transcript
        self._seen_byte = 0  # start of the output's line that isn't finished
        self._next_line = 0  # the snippet's line that should come now
        self._last_indent = ""  # of the output's last line with content
        self._newline = "\n"

    def propose(self, limit: int) -> Proposal | None:
        started = self._started_line()
        if started is None:
            return None
        indent, content = indent_of(started), started[len(indent_of(started)) :]
        index, is_certain = self._line_for(content)
        if index is None:
            return None
        text = self._rest(index, indent, content, limit)
        tokens = self._codec.encode(text)[:limit] if text else []
        return Proposal(tokens, Kind.SNIPPET if is_certain else Kind.SNIPPET_GUESSED) if tokens else None

    def _started_line(self) -> str | None:
        """The line that the target is writing; None in the middle of a character. Follows what came before."""
        text, end = self._transcript.whole_text(self._seen_byte)
        if end < len(self._transcript.data):
            return None
        *finished, started = text.split("\n")
        for line in finished[-FOLLOWED_LINES:]:
            self._follow(line)
        self._seen_byte = self._transcript.line_start(end)
        return started

    def _follow(self, line: str) -> None:
        self._newline = "\r\n" if line.endswith("\r") else "\n"
        line = body(line.rstrip("\r"))
        content = line.strip()
        if content:
            self._last_indent = indent_of(line)
        found = self._next_line if self._content_at(self._next_line) == content else self._find(content, whole=True)
        if found is None:
            self._next_line = len(self._lines)
            return
        self._next_line = found + 1
        if content:
            self._learned[self._lines[found].columns] = indent_of(line)

    def _line_for(self, content: str) -> tuple[int | None, bool]:
        """The snippet's line that begins with `content`, and whether it is more than a guess."""
        expected = self._content_at(self._next_line)
        is_due = self._next_line > 0 and not self._lines[self._next_line - 1].is_last
        if expected is not None and is_due and expected.startswith(content):
            return self._next_line, True
        if not content.strip():
            return None, False
        return self._find(content, whole=False), len(content) >= LONG_CONTENT

    def _find(self, content: str, whole: bool) -> int | None:
        """The first line with this content (or one that begins with it), those ahead before those behind."""
        if whole:
            places = self._places.get(content, [])
        else:
            places = [index for index, line in enumerate(self._lines) if line.content.startswith(content)]
        return next((index for index in places if index >= self._next_line), places[0] if places else None)

    def _content_at(self, index: int) -> str | None:
        return self._lines[index].content if index < len(self._lines) else None

    def _rest(self, index: int, indent: str, content: str, limit: int) -> str:
        """The rest of line `index`, and the lines that follow it in its piece: enough for `limit` tokens."""
        first = self._lines[index]
        if content:
            reference, pieces = (first.columns, indent), [first.content[len(content) :]]
        else:
            reference = self._reference(index, indent)
            wanted = self._indented(first, reference)
            if not wanted.startswith(indent):
                return ""
            pieces = [(wanted + first.content)[len(indent) :]]
        length = len(pieces[0])
        while not self._lines[index].is_last and length < 8 * limit:
            index += 1
            line = self._lines[index]
            pieces.append(self._indented(line, reference) + line.content if line.content else "")
            length += len(pieces[-1]) + 1
        return self._newline.join(pieces) + self._newline

    def _reference(self, index: int, indent: str) -> tuple[int, str]:
        """Columns of a snippet line and the indentation that the output gave it: of the last line with content."""
        before = index - 1
        while before > 0 and not self._lines[before].content:
            before -= 1
        if before < 0 or not self._lines[before].content:
            return self._lines[index].columns, indent or self._last_indent
        return self._lines[before].columns, self._last_indent

    def _indented(self, line: IndentedLine, reference: tuple[int, str]) -> str:
        """The indentation that `line` gets: what its column got before, or else levels counted from the reference."""
        if line.columns in self._learned:
            return self._learned[line.columns]
        columns, indent = reference
        levels, rest = divmod(abs(line.columns - columns), self._unit)
        step = self._file_unit * levels + " " * rest
        return indent + step if line.columns >= columns else indent[: max(0, len(indent) - len(step))]


def indent_unit(texts: Iterable[str]) -> str:
    """Finds one level of indentation: a tab, or the commonest step of two blanks or more between neighbours."""
    steps: Counter[str] = Counter()
    for text in texts:
        before = ""
        for line in split_lines(text):
            if line.strip():
                indent = indent_of(line)
                if indent.startswith(before) and (step := indent[len(before) :]) not in ("", " "):
                    steps[step] += 1
                before = indent
    return steps.most_common(1)[0][0] if steps else DEFAULT_UNIT


def _places(lines: Sequence[IndentedLine]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for index, line in enumerate(lines):
        places.setdefault(line.content, []).append(index)
    return places


def _columns(indent: str) -> int:
    return len(indent.expandtabs(TAB_COLUMNS))


def _lines_of(snippet: str) -> Iterator[IndentedLine]:
    lines = [body(line) for line in split_lines(snippet)]
    for index, line in enumerate(lines):
        columns = _columns(indent_of(line))
        yield IndentedLine(columns, line.strip(), is_last=index == len(lines) - 1)
