"""Copying of marked lines, in tokens: what a target may write next once it has said which line comes.

Within a line there is no choice left: behind its mark stands that line, as the prompt has it, and what a target would
write otherwise could only be a slip. It is free in the marks, behind a mark that the prompt doesn't have, and in how
deep a new line stands.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from fastedit.targets.codec import TokenizerCodec
from fastedit.targets.marks import FIRST, NUM_LINES, NUM_MARKS

State = tuple[tuple[int, int], ...]  # (line, index of its next token)
ANYTHING: State = ()


@dataclass(frozen=True, slots=True)
class MarkTokens:
    """Token ids. starts, ends: of marks before and behind lines, with their numbers. indents: of blanks and tabs."""

    starts: dict[int, int]
    ends: frozenset[int]
    indents: frozenset[int]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the prompt.

    tokens: its own mark where another one is before it, its text and its end mark. indent: the token at which its
    indentation begins; text: the one behind it. is_new: it may stand deeper or less deep than the prompt has it.
    """

    tokens: tuple[int, ...]
    indent: int
    text: int
    is_new: bool


@dataclass(frozen=True)
class LineCopying:
    """The rule for what may be written next, a `fastedit.decode.request.Constraint`.

    A state has the lines that may be under way, with the next token of each; it is empty where anything may follow.
    Of several lines with one mark, the edit's and the original's, the target's own tokens tell which it is.
    """

    lines: tuple[Line, ...]
    by_mark: dict[int, State]
    indents: frozenset[int] = field(repr=False)

    @property
    def start(self) -> State:
        return ANYTHING

    def choose(self, state: State, own: int) -> tuple[int, State]:
        """The next token and the state behind it: `own` where it may stand, else the line's own next token, of the
        edit's line before the original's."""
        if not state:
            return own, self.by_mark.get(own, ANYTHING)
        allowed: dict[int, list[tuple[int, int]]] = {}
        for number, at in state:
            line = self.lines[number]
            allowed.setdefault(line.tokens[at], []).append((number, at + 1))
            if line.is_new and line.indent <= at <= line.text:
                if own in self.indents and own != line.tokens[at]:
                    allowed.setdefault(own, []).append((number, line.text))
                if at < line.text:
                    allowed.setdefault(line.tokens[line.text], []).append((number, line.text + 1))
        token = own if own in allowed else next(iter(allowed))
        following = allowed[token]
        is_over = any(at == len(self.lines[number].tokens) for number, at in following)
        return token, ANYTHING if is_over else tuple(following)


def line_copying(codec: TokenizerCodec, prompt: Sequence[int], old: Collection[int]) -> LineCopying | None:
    """The rule for a prompt; None for a tokenizer that has no token for each mark.

    old: the numbers of the original's marks.
    """
    marks = mark_tokens(codec)
    if marks is None:
        return None
    lines, by_mark = list[Line](), dict[int, list[tuple[int, int]]]()
    for start, end in _lines_in(prompt, marks):
        tokens = tuple(prompt[start + 1 : end + 1])
        indent = int(tokens[0] in marks.starts)
        text = indent
        while tokens[text] in marks.indents:
            text += 1
        is_new = indent > 0 or marks.starts[prompt[start]] not in old
        # The edit's first: where the target's own tokens fit neither, it is meant.
        by_mark.setdefault(prompt[start], []).insert(0, (len(lines), 0))
        if indent:
            by_mark.setdefault(tokens[0], []).insert(0, (len(lines), 1))
        lines.append(Line(tokens, indent, text, is_new))
    return LineCopying(tuple(lines), {mark: tuple(places) for mark, places in by_mark.items()}, marks.indents)


def _lines_in(prompt: Sequence[int], marks: MarkTokens) -> list[tuple[int, int]]:
    """The positions of each line's first mark and of its end mark."""
    found: list[tuple[int, int]] = []
    start: int | None = None
    for index, token in enumerate(prompt):
        if token in marks.starts and (start is None or index > start + 1):
            start = index
        elif token in marks.ends and start is not None:
            found.append((start, index))
            start = None
    return found


@lru_cache(maxsize=4)
def mark_tokens(codec: TokenizerCodec) -> MarkTokens | None:
    """The tokens for marks; None where one of them takes several."""
    ids = [codec.encode(chr(FIRST + number)) for number in range(NUM_MARKS)]
    if any(len(tokens) != 1 for tokens in ids):
        return None
    starts = {tokens[0]: number for number, tokens in enumerate(ids[:NUM_LINES])}
    pieces = ((token, codec.piece(token)) for token in range(codec.num_tokens))
    indents = frozenset(token for token, piece in pieces if piece and not piece.strip(b" \t"))
    return MarkTokens(starts, frozenset(tokens[0] for tokens in ids[NUM_LINES:]), indents)
