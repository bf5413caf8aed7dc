"""Look-ups: drafts from what was written before, for where no text is in step with the output.

`SuffixDrafter` and `NgramDrafter` propose what followed the output's last tokens in the edit, the original or the
output itself. Nothing is indexed for that: the places where the last token occurs are found by a scan of an array, and
of those few the ones where the tokens before it occur, too. That takes some ten microseconds in ten thousand tokens. An
index would take tens of milliseconds to build, and while one request builds it all the others wait.

`SnippetDrafter` proposes the edit's own new lines. They often stand at another indentation than the file, or with
spaces where the file has tabs; then their tokens are nowhere the output's, although the lines are. So lines are
compared without their indentation, and proposed with the one that the output is using.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastedit.draft.model import Codec, Kind, Proposal, Transcript
from fastedit.lines import body, indent_of, split_lines

Tokens = NDArray[np.int64]
Sources = Callable[[], Sequence[Tokens | Sequence[int]]]

LONG_MATCH = 8
LONGEST_MATCH = 32  # more tokens tell no places apart
SOURCE_END = -1  # between two sources; no token has this id
TAB_COLUMNS = 8
DEFAULT_UNIT = "    "
FOLLOWED_LINES = 64  # of those written since it was last asked: earlier ones tell little, and all of a file take long
LONG_CONTENT = 8  # so many characters of a line are found by more than chance


def as_tokens(tokens: Tokens | Sequence[int]) -> Tokens:
    """The same as an array, which one that several drafters search should be."""
    return np.asarray(tokens, np.int64)


def matches(tokens: NDArray[np.integer[Any]], longest: int) -> tuple[NDArray[np.intp], int]:
    """(ascending ends of all earlier occurrences of the longest suffix of `tokens` that has one, its length).

    longest: a longer suffix isn't looked for. (none, 0) where the last token is new.
    """
    last = len(tokens) - 1
    if last < 1 or longest < 1:
        return np.empty(0, np.intp), 0
    ends = np.flatnonzero(tokens[:last] == tokens[last]) + 1
    length = min(len(ends), 1)
    while 0 < length < longest:
        if len(ends) == 1:  # how far a single place goes is one comparison
            most = min(longest, int(ends[0]))
            here, there = tokens[last + 1 - most : last + 1], tokens[ends[0] - most : ends[0]]
            differs = (here != there)[::-1]
            return ends, int(differs.argmax()) if differs.any() else most
        # What begins before the first token wraps round and is cut off.
        longer = ends[(ends > length) & (tokens[ends - length - 1] == tokens[last - length])]
        if not len(longer):
            break
        ends, length = longer, length + 1
    return ends, length


def kind_of_match(length: int) -> Kind:
    if length >= LONG_MATCH:
        return Kind.SUFFIX_LONG
    return Kind.SUFFIX if length > 1 else Kind.SUFFIX_SHORT


class SuffixDrafter:
    """Proposes what followed the first occurrence of the longest suffix of the output that occurred before.

    sources: makes them, in order of preference (the edit before the original); the output comes last. They are made
    when first asked for, so that a request whose draft never diverges pays nothing.
    """

    def __init__(self, sources: Sources, transcript: Transcript) -> None:
        self._sources = sources
        self._transcript = transcript
        self._text: _Text | None = None

    def propose(self, limit: int) -> Proposal | None:
        text = self._text = self._text or _Text(self._sources())
        text.follow(self._transcript)
        ends, length = text.matches(LONGEST_MATCH)
        if not length:
            return None
        tokens = text.copied(int(ends[0]), limit)
        return Proposal(tokens, kind_of_match(length)) if tokens else None


class NgramDrafter:
    """Proposes what followed the latest occurrence of the last `n` tokens. sources: as for `SuffixDrafter`."""

    def __init__(self, sources: Sources, transcript: Transcript, n: int = 3) -> None:
        self._sources = sources
        self._transcript = transcript
        self._n = n
        self._text: _Text | None = None

    def propose(self, limit: int) -> Proposal | None:
        text = self._text = self._text or _Text(reversed(self._sources()))
        text.follow(self._transcript)
        ends, length = text.matches(self._n)
        if length < self._n:
            return None
        tokens = text.copied(int(ends[-1]), limit)
        return Proposal(tokens, Kind.NGRAM) if tokens else None


class _Text:
    """Sources, each with an end, and behind them the output so far."""

    def __init__(self, sources: Iterable[Tokens | Sequence[int]]) -> None:
        parts = [part for source in sources for part in (source, (SOURCE_END,))]
        self._tokens: Tokens = np.concatenate([as_tokens(part) for part in ((), *parts)])
        self._size = len(self._tokens)
        self._num_written = 0

    def follow(self, transcript: Transcript) -> None:
        """Adds what the target has written since."""
        new = transcript.tokens[self._num_written :]
        self._num_written += len(new)
        end = self._size + len(new)
        if end > len(self._tokens):
            grown = np.empty(2 * end, np.int64)
            grown[: self._size] = self._tokens[: self._size]
            self._tokens = grown
        self._tokens[self._size : end] = new
        self._size = end

    def matches(self, longest: int) -> tuple[NDArray[np.intp], int]:
        """`matches` of the output's last tokens, of at most `longest`."""
        return matches(self._tokens[: self._size], min(longest, self._num_written))

    def copied(self, start: int, limit: int) -> list[int]:
        """Up to `limit` tokens from `start` on, to the end of their source.

        Where they reach the end of everything, the copy goes on with itself: what repeats goes on repeating.
        """
        tokens: list[int] = self._tokens[start : min(start + limit, self._size)].tolist()
        if SOURCE_END in tokens:
            return tokens[: tokens.index(SOURCE_END)]
        while tokens and len(tokens) < limit:
            tokens += tokens[: limit - len(tokens)]
        return tokens


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
