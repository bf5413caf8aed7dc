"""Writes the entries of a snippet as the file writes its own: indentation, comments, commas and blank lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from fastedit.anchor.lazy.keys.entries import Entry, plain
from fastedit.anchor.lazy.keys.matching import matched
from fastedit.anchor.lazy.keys.trees import entries_of
from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.words.comments import split_trailing
from fastedit.syntax import comment_syntax

_ASSIGNED = re.compile(r"^(\s*(?:-\s+)*[^:=]*?\s*[:=]\s*)(.*)$", re.DOTALL)


@dataclass(slots=True)
class EntryWriter:
    """Writes entries of a snippet into a file.

    remarks: lines of the snippet that speak to its reader. steps: columns of one level in the snippet, and what is
    written for them.
    """

    original: Lines
    shown: Lines
    language: str
    steps: tuple[int, str] = (1, " ")
    remarks: set[int] = field(default_factory=set)

    def value(self, mine: Entry, shown: Entry) -> list[str] | None:
        """The lines of a value that differs, in the file's writing; None where it is the same."""
        old = "\n".join(self.original.texts[mine.head : mine.end])[mine.column :]
        new = "\n".join(self.shown.texts[shown.head : shown.end])[shown.column :]
        (old_code, old_note), (new_code, new_note) = self.split(old), self.split(new)
        if plain(old_code) == plain(new_code) and (not new_note or plain(new_note) == plain(old_note)):
            return None
        lines = self.written(shown, self.prefix(mine))
        if mine.end == mine.head + 1 and len(lines) == 1:
            begun, given = _ASSIGNED.match(old_code), _ASSIGNED.match(new_code)
            if begun and given and plain(begun[1]) == plain(given[1]):
                lines = [self.prefix(mine) + begun[1] + given[2]]
            else:
                lines = [self.prefix(mine) + new_code]
            lines[0] = lines[0].rstrip() + (new_note or old_note)
        return lines

    def as_shown(self, mine: Entry, shown: Entry) -> list[str]:
        """The lines of a value just as the snippet writes them, with the file's remark behind it."""
        kept, self.steps = self.steps, (1, " ")
        lines = self.written(shown, self.prefix(mine))
        self.steps = kept
        if len(lines) == 1:
            old_note, new_note = self.split(self.original.texts[mine.head][mine.column :])[1], self.split(lines[0])[1]
            lines[0] += old_note if old_note and not new_note else ""
        return lines

    def split(self, text: str) -> tuple[str, str]:
        """A value and the comment behind it with the space before that; none where it takes several lines."""
        if "\n" in text.rstrip():
            return text, ""
        syntax = comment_syntax(self.language)
        found = split_trailing(text, (*syntax.line, *(opening for opening, _ in syntax.block)))
        if found is None:
            return text, ""
        code = found[0].rstrip()
        return code, text[len(code) :]

    def prefix(self, entry: Entry) -> str:
        return self.original.texts[entry.head][: entry.column]

    def inside(self, mine: Entry, beside: Entry | None = None) -> str:
        """The indentation of what stands inside an entry, as beside the one given."""
        if not mine.children:
            head = self.original.texts[mine.head] if mine.column >= 0 else ""
            unit = self.original.indent_unit if self.language not in ("toml", "ini") else ""
            return head[: len(head) - len(head.lstrip())] + unit
        prefix = self.prefix(beside or mine.children[-1])
        return prefix if prefix.isspace() else " " * len(prefix)

    def gap(self, mine: Entry, previous: Entry, shown: Entry, number: int, following: Entry | None = None) -> int:
        """The number of blank lines between an entry and the new one behind it, or between that and what follows."""
        one = following or shown.children[number]
        if following is not None and number + 1 < len(shown.children) and not _is_large(previous):
            return max(0, shown.children[number + 1].start - shown.children[number].end)
        kind = (_is_large(previous), _is_large(one))
        gaps: dict[tuple[bool, bool], Counter[int]] = {}
        for before, behind in zip(mine.children, mine.children[1:], strict=False):
            if not any(self.original.keys[before.end : behind.start]):
                pair = (_is_large(before), _is_large(behind))
                gaps.setdefault(pair, Counter())[behind.start - before.end] += 1
        shown_gap = shown.children[number].start - shown.children[number - 1].end if number else 0
        if following is None and shown_gap > 0 and shown_gap in gaps.get(kind, {}):
            return shown_gap
        for pair in (kind, (True, True)) if any(kind) else (kind,):
            if pair in gaps:
                return max(gaps[pair], key=lambda gap: (gaps[pair][gap], -gap))
        if number and following is None:
            return max(0, shown.children[number].start - shown.children[number - 1].end)
        return int(mine.column < 0 and self.language != "yaml" and any(kind))

    def written(self, shown: Entry, prefix: str, *, with_comments: bool = False) -> list[str]:
        """The snippet's lines of an entry, its first one behind the prefix and the others moved with it."""
        indent = prefix if not prefix.strip() else " " * len(prefix)
        shown_step, step = self.steps
        above = range(shown.start, shown.head) if with_comments else ()
        lines = [indent + comment_text(self.shown.texts[line]) for line in above if line not in self.remarks]
        lines.append(prefix + self.shown.texts[shown.head][shown.column :].rstrip())
        for line in range(shown.head + 1, shown.end):
            text = self.shown.texts[line]
            columns = len(text) - len(text.lstrip()) - shown.column
            if not text.strip():
                lines.append("")
            elif columns < 0:
                lines.append(indent[: max(0, len(indent) + columns)] + text.strip())
            else:
                steps, rest = divmod(columns, shown_step)
                lines.append(indent + step * steps + " " * rest + text.strip())
        return lines

    def has_comments(self, lines: Lines, entry: Entry) -> bool:
        first, last = entry.children[0].start, entry.children[-1].end
        return any(lines.is_comment(line) or self.split(lines.texts[line])[1].strip() for line in range(first, last))

    def written_list(self, mine: Entry, shown: Entry) -> list[str]:
        """All of a list as the snippet has it, comments and blank lines included."""
        first = shown.children[0]
        whole = replace(first, head=first.start, end=shown.children[-1].end, column=first.column)
        known = {spaceless(text): text for text in self.original.texts[mine.children[0].start : mine.children[-1].end]}
        return [known.get(spaceless(line), line) for line in self.written(whole, self.inside(mine))]

    def has_comma(self, text: str) -> bool:
        return self.split(text)[0].rstrip().endswith(",")

    def with_comma(self, text: str, *, wants: bool) -> str:
        code, note = self.split(text)
        return code.rstrip().rstrip(",") + ("," if wants else "") + note


def with_commas(merged: list[str], original: Lines, before: Entry, language: str) -> list[str]:
    """The lines of merged code with the commas that objects need which have others than before.

    The last member has one where the file's had. before: the root of the original.
    """
    behind = entries_of(merged, language) if language != "python" else None  # whose members nothing parts
    if behind is None:
        return merged
    result = list(merged)
    writer = EntryWriter(original, Lines(merged), language)
    for mine, one in _changed_blocks(before, behind):
        ends = [writer.has_comma(merged[child.end - 1]) for child in one.children]
        if len(ends) < 2 or 2 * sum(ends[:-1]) < len(ends) - 1 or not any(ends):
            continue
        ended_so = writer.has_comma(original.texts[mine.children[-1].end - 1])
        for child in one.children:
            wants = child is not one.children[-1] or ended_so
            if writer.has_comma(merged[child.end - 1]) != wants and not merged[child.end - 1].rstrip().endswith(";"):
                result[child.end - 1] = writer.with_comma(merged[child.end - 1], wants=wants)
    return result


def _changed_blocks(mine: Entry, merged: Entry) -> Iterator[tuple[Entry, Entry]]:
    """The blocks below two entries that have other members than before."""
    for one, number in zip(merged.children, matched(mine.children, merged.children), strict=True):
        other = None if number is None else mine.children[number]
        if other is None or not (one.is_block and other.is_block):
            continue
        yield from _changed_blocks(other, one)
        if other.children and [child.key for child in other.children] != [child.key for child in one.children]:
            yield other, one


def steps_of(original: Lines, snippet: Lines, mine: Entry, shown: Entry) -> tuple[int, str]:
    """(columns, text): how many columns of the snippet are one level of the original, and how that is written."""
    for one, inside in _nested(mine, shown):
        step, shown_step = (entry.children[0].column - entry.column for entry in (one, inside))
        if step > 0 and shown_step > 0:
            written = original.texts[one.children[0].head][one.column : one.children[0].column]
            return shown_step, written if written.isspace() else " " * step
    unit, shown_unit = original.indent_unit, len(snippet.indent_unit)
    if "\t" not in unit and (snippet.indent_unit == "\t" or shown_unit in original.columns):
        return 1, "\t" if snippet.indent_unit == "\t" else " "
    return shown_unit, unit


def _nested(mine: Entry, shown: Entry) -> Iterator[tuple[Entry, Entry]]:
    """The blocks that both have and that hold something in both."""
    for one, number in zip(shown.children, matched(mine.children, shown.children), strict=True):
        if number is not None and one.children and mine.children[number].children:
            yield mine.children[number], one
            yield from _nested(mine.children[number], one)


def comment_text(text: str) -> str:
    """A line of a comment without its indentation; those below the first of `/**` stand one further right."""
    text = text.strip()
    return f" {text}" if text.startswith("*") else text


def spaceless(text: str) -> str:
    return "".join(text.split()).replace("'", '"')


def _is_large(entry: Entry) -> bool:
    """Whether an entry is one that files set off from others."""
    return entry.is_block or entry.end - entry.head > 1
