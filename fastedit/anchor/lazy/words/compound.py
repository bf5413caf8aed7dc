"""The statements that lines begin: with their bodies, and with all the branches of `if` and `try`."""

from __future__ import annotations

import re

from fastedit.anchor.lazy.lines import CLOSER, Lines
from fastedit.patterns import pattern

MAX_COMPOUND = 400  # lines
_HEADS = frozenset("if unless try for foreach while until switch match case with do begin select repeat".split())
BRANCHES = frozenset("else elif elsif elseif except catch finally rescue ensure otherwise".split())
_SIGNED = frozenset("#if #ifdef #ifndef #region".split())
CONTROL = _HEADS | BRANCHES | _SIGNED | {"#else", "#elif"}
_HEAD = pattern(rf"(?:async\s+|await\s+)?@?(?P<word>{'|'.join(sorted(_HEADS))})\b(?!\s*[=.,:](?!\s*$)|\()")
_CALLED_HEAD = pattern(
    r"@?(?P<word>if|for|foreach|while|until|switch|match|catch|with)\s*\(.*(?:[{(:,&|]|\bthen|\)|do)$"
)
_BRANCH = pattern(rf"(?:\}}\s*)?@?(?P<word>{'|'.join(sorted(BRANCHES))})\b")
_CLOSES = pattern(r"(?:[\])};,]+|(?:end|fi|done|esac|endif|endfor|endwhile)\b;?|\{|\)\s*(?:\{|:|then))$")
_SIGN = pattern(r"#\s*(?P<word>ifdef|ifndef|if|region|elif|else|endif|endregion)\b")
_TABLE = pattern(r"^\[{1,2}[^\]]+\]{1,2}\s*(?:#.*)?$")


def control_word(text: str) -> str:
    """The control word that a stripped line begins with: "if", "else", "#if"; "" where it has none."""
    sign = _SIGN.match(text)
    if sign is not None:
        return f"#{sign['word']}"
    found = _BRANCH.match(text) or _HEAD.match(text) or _CALLED_HEAD.match(text)
    return found["word"] if found is not None else ""


def compound_at(line: int, original: Lines) -> range:
    """The whole compound statement whose header or branch a line is, none where it is neither."""
    word = control_word(original.stripped[line])
    if not word or word in ("#endif", "#endregion"):
        return range(0)
    if word.startswith("#"):
        return _signed(line, original)
    start = _head_of(line, original) if word in BRANCHES else line
    end = _end_of_branches(start, original) if start >= 0 else 0
    return range(start, end) if end > start + 1 else range(0)


def branch_at(line: int, original: Lines) -> range:
    """The header and body of one branch alone; a header's without those that follow it."""
    word = control_word(original.stripped[line])
    if not word or word.startswith("#"):
        return range(0)
    end = line + 1
    while end < len(original) and (not original.keys[end] or original.columns[end] > original.columns[line]):
        end += 1
    while not original.keys[end - 1]:
        end -= 1
    return range(line, end)


def unit_at(line: int, original: Lines) -> tuple[int, int]:
    """The statement, block, table or entry that a line begins, or the line alone."""
    columns, column = original.columns, original.columns[line]
    if _TABLE.match(original.stripped[line]):
        end = line + 1
        while end < len(original) and not _TABLE.match(original.stripped[end]):
            end += 1
        while not original.keys[end - 1]:
            end -= 1
        return line, end
    if control_word(original.stripped[line]) not in BRANCHES:
        whole = compound_at(line, original)
        if whole:
            return whole.start, whole.stop
    end = line + 1
    while end < len(original) and (not original.keys[end] or columns[end] > column):
        end += 1
    while not original.keys[end - 1]:
        end -= 1
    if end < len(original) and end > line + 1 and columns[end] == column:
        closing = original.stripped[end]
        end += bool(CLOSER.match(closing)) or closing.startswith(("{% end", "{%- end"))
    if end == line + 1 and original.identity(line) is not None:
        end = line + max(1, original.statement_span(line))
    return line, end


def _head_of(line: int, original: Lines) -> int:
    """The header of the statement that a branch belongs to, -1 where there is none."""
    column = original.columns[line]
    for at in range(line - 1, max(-1, line - MAX_COMPOUND), -1):
        if not original.keys[at] or original.columns[at] > column:
            continue
        text = original.stripped[at]
        if original.columns[at] < column:
            return -1
        if _BRANCH.match(text) or _CLOSES.match(text):
            continue
        return at if control_word(text) else -1
    return -1


def _end_of_branches(start: int, original: Lines) -> int:
    """The line behind a statement's body, its other branches and what closes it."""
    column, end = original.columns[start], start + 1
    is_closed = False
    for at in range(start + 1, min(len(original), start + MAX_COMPOUND)):
        text = original.stripped[at]
        if not text:
            continue
        if original.columns[at] < column:
            break
        if original.columns[at] == column:
            is_branch = _BRANCH.match(text) is not None
            is_closer = _CLOSES.match(text) is not None and not is_closed
            if not is_branch and not is_closer:
                break
            is_closed = is_closer and text[0] not in "{)"
        elif is_closed:
            break
        end = at + 1
    return end


def _signed(line: int, original: Lines) -> range:
    """The lines from a preprocessor's `#if` to its `#endif`."""
    depth, start = 0, line
    while start >= 0 and not re.match(r"#\s*(?:if|region)", original.stripped[start]):
        start -= 1
    for at in range(max(0, start), min(len(original), start + MAX_COMPOUND)):
        found = _SIGN.match(original.stripped[at])
        if found is not None:
            word = found["word"]
            depth += word.startswith(("if", "region")) - word.startswith("end")
            if depth == 0:
                return range(start, at + 1)
    return range(0)
