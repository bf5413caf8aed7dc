"""One source file as synthesis sees it: lines, nesting and declarations, read once and shared by all its edits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from fastedit.lines import body, ending, split_lines
from fastedit.syntax.model import CommentSyntax, Declaration
from fastedit.training.synthesis.blocks import IndentedBlock, hidden_lines, read_blocks, width_of
from fastedit.training.synthesis.languages import Family, LanguageTraits, comments_of, read_outline, traits_of


@dataclass(frozen=True, eq=False)
class Document:
    """A text with what is known of it; equal to nothing but itself.

    lines: without their ends. eol: the end of every line. ends_with_eol: whether the last line has one.
    hidden: lines that start inside a multi-line string or comment. blocks, inside: see `read_blocks`.
    unit: one level of indentation.
    """

    path: str
    language: str
    lines: tuple[str, ...]
    eol: str
    ends_with_eol: bool
    hidden: tuple[bool, ...]
    blocks: tuple[IndentedBlock, ...]
    inside: tuple[int, ...]
    declarations: tuple[Declaration, ...]
    num_errors: int
    unit: str
    comments: CommentSyntax
    traits: LanguageTraits

    @property
    def text(self) -> str:
        return self.eol.join(self.lines) + (self.eol if self.ends_with_eol and self.lines else "")

    def with_lines(self, lines: Sequence[str]) -> Document:
        """The same file with other lines, read anew."""
        return _read(self.path, self.language, tuple(lines), self.eol, self.ends_with_eol, self.unit)


def read_document(path: str, language: str, text: str) -> Document | None:
    """The document of a text, or None where line ends are mixed (no renderer could show such a file)."""
    ended = split_lines(text)
    eol = "\r\n" if ended and ended[0].endswith("\r\n") else "\n"
    if "\r" in text.replace("\r\n", "") or any(ending(line) not in (eol, "") for line in ended):
        return None
    return _read(path, language, tuple(map(body, ended)), eol, text.endswith("\n"))


def with_line_ends(document: Document, eol: str, *, ends_with_eol: bool) -> Document:
    """The same document with other line ends."""
    return Document(**{**document.__dict__, "eol": eol, "ends_with_eol": ends_with_eol})


def _read(path: str, language: str, lines: tuple[str, ...], eol: str, ends_with_eol: bool, unit: str = "") -> Document:
    traits, comments = traits_of(language), comments_of(language)
    hidden = tuple(hidden_lines(lines, triple_quotes=traits.triple_quotes, block_comments=comments.block))
    blocks, inside = read_blocks(lines, hidden, comments=comments.line if traits.family is Family.INDENT else ())
    outline = read_outline("\n".join(lines) + "\n", language)
    return Document(
        path=path,
        language=language,
        lines=lines,
        eol=eol,
        ends_with_eol=ends_with_eol,
        hidden=hidden,
        blocks=blocks,
        inside=inside,
        declarations=outline.declarations,
        num_errors=outline.num_errors,
        unit=unit or indent_unit(lines, hidden),
        comments=comments,
        traits=traits,
    )


def indent_unit(lines: Sequence[str], hidden: Sequence[bool]) -> str:
    """One level of indentation: a tab, or the commonest step to the right among the visible lines."""
    steps: Counter[str] = Counter()
    last = 0
    for line, is_hidden in zip(lines, hidden, strict=True):
        if is_hidden or not line.strip():
            continue
        width = width_of(line)
        if line.startswith("\t"):
            steps["\t"] += 1
        elif width - last in (2, 3, 4, 8):
            steps[" " * (width - last)] += 1
        last = width
    return steps.most_common(1)[0][0] if steps else "    "
