"""Edits made from real files, beside the written ones, of which there are few.

Everyday ones are plain: a marker and new code, a changed function, an import. Without these, a fit would give up what
is easy for what is rare. Generated ones tell real changes in the words and habits of assistants.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Indel

from fastedit.anchor.lazy.lines import Lines
from fastedit.edits.model import Format
from fastedit.lines import indent_of
from fastedit.syntax import comment_syntax, outline
from fastedit.syntax.model import Declaration, Outline
from fastedit.training.alignment.additions import Addition, addition_to
from fastedit.training.alignment.cases import CUT, Case, RecordedChange
from fastedit.training.alignment.siblings import sibling_edit
from fastedit.training.synthesis import Splice, Tier, make_change, rendered_sample
from fastedit.training.synthesis.document import read_document

GENERATED = 0.15  # what a generated case weighs, beside 1 for a written one: that is what has to be read
# The shares of everyday edits that are to one of several siblings, and of those and others that put a part of a real
# file back.
AMONG_SIBLINGS, ADDED = 0.75, 0.9
REINDENTED = 0.12  # the share of them that are shown with other steps of indentation
UNITS = ("\t", "  ", "    ")
MAX_LINES = 500
MAX_SHOWN = 25
MIN_TELLING = 8  # characters of a line that tells its place
MAX_TRIES = 4
MARKERS = (
    "... existing code ...",
    "... rest of the file ...",
    "... rest unchanged ...",
    "...",
    "existing code",
    "unchanged",
)
REMARKS = ("end of the public part", "see also the notes", "not used by the tests", "---- helpers ----", "TODO: more")
TWIN_WORDS = ("", "", "Here is the change:", "This fixes it.", "Done.", "Updated:")
MAX_TWINS = 4  # places that a line stands in
_WORD = re.compile(r"[A-Za-z]{3,}")
# A new function, an import and a statement, by language.
_FUNCTIONS = {
    "python": ("def compute_doubled(value):", "    return value * 2"),
    "javascript": ("function computeDoubled(value) {", "  return value * 2;", "}"),
    "typescript": ("export function computeDoubled(value: number): number {", "  return value * 2;", "}"),
    "go": ("func computeDoubled(value int) int {", "\treturn value * 2", "}"),
    "php": ("function computeDoubled($value)", "{", "    return $value * 2;", "}"),
    "c": ("static int computeDoubled(int value)", "{", "    return value * 2;", "}"),
}
_IMPORTS = {
    "python": "import zebra_tools",
    "javascript": "import zebraTools from './zebra_tools.js';",
    "typescript": "import { zebraTools } from './zebra_tools';",
}
_STATEMENTS = {
    "python": 'log.debug("here")',
    "javascript": "console.log('here');",
    "typescript": "console.log('here');",
    "go": 'fmt.Println("here")',
    "php": 'error_log("here");',
    "c": 'printf("here");',
}


@dataclass(frozen=True, slots=True)
class _File:
    """A file to write edits for. end: one behind its last line that isn't blank."""

    lines: tuple[str, ...]
    language: str
    outline: Outline
    marker: str
    end: int

    def top(self, kind: str) -> list[Declaration]:
        """The outermost declarations of a kind."""
        return [one for one in self.outline.declarations if one.parent < 0 and one.kind == kind]


@dataclass(frozen=True, slots=True)
class _Edit:
    """The words before a snippet, the snippet, and the lines of the result. original: where it isn't the file's own."""

    words: str
    shown: list[str]
    result: list[str]
    original: Sequence[str] | None = None


def generated_cases(changes: Sequence[RecordedChange], count: int, chance: random.Random) -> list[Case]:
    """At most `count` of the changes, drawn, each told as assistants do, of those that can be told without a doubt."""
    cases: list[Case] = []
    for number in chance.sample(range(len(changes)), len(changes)):
        if len(cases) == count:
            break
        change = changes[number]
        document = read_document(change.file, change.language, "".join(f"{line}\n" for line in change.original))
        if document is None:
            continue
        steps = Indel.opcodes(change.original, change.result)
        splices = [
            Splice(step.src_start, step.src_end, change.result[step.dest_start : step.dest_end])
            for step in steps
            if step.tag != "equal"
        ]
        made = make_change(document, splices, "recorded")
        sample = None if made is None else rendered_sample(made, chance.choice(list(Tier)), Format.LAZY, chance)
        if sample is not None:
            name = f"generated-{number}"
            package, texts = change.package or name, (sample.original, sample.edit, sample.expected)
            cases.append(Case(name, package, change.file, *texts, GENERATED))
    return cases


def everyday_cases(changes: Sequence[RecordedChange], count: int, chance: random.Random) -> list[Case]:
    """At most `count` edits of drawn results of the changes; of none a second before each had one, and no third."""
    cases: list[Case] = []
    numbers = chance.sample(range(len(changes)), len(changes))
    for at, number in enumerate((*numbers, *numbers)):
        if len(cases) == count:
            break
        change = changes[number]
        edit = _everyday_edit(change, chance)
        if edit is None:
            continue
        shown = _reindented(edit.shown, change, chance) if chance.random() < REINDENTED else edit.shown
        message = "\n".join((edit.words, "", f"```{change.language}", *shown, "```", ""))
        original = "".join(f"{line}\n" for line in edit.original or change.result)
        expected = "".join(f"{line}\n" for line in edit.result)
        package = change.package or f"plain-{number}"
        cases.append(Case(f"plain-{at}", package, change.file, original, message, expected, CUT))
    return cases


def twin_cases(changes: Sequence[RecordedChange], count: int, chance: random.Random) -> list[Case]:
    """At most `count` messages that change a line which stands in a file several times, with nothing that tells which.

    They have to be refused: one of the places may look a little likelier, but that is no reason to take it.
    """
    cases: list[Case] = []
    for number in chance.sample(range(len(changes)), len(changes)):
        if len(cases) == count:
            break
        file = _file_of(changes[number], chance)
        shown = None if file is None else _twin_of(file, chance)
        if shown is not None:
            message = "\n".join((chance.choice(TWIN_WORDS), "", f"```{changes[number].language}", *shown, "```", ""))
            original, name = "".join(f"{line}\n" for line in changes[number].result), f"twin-{number}"
            package = changes[number].package or name
            cases.append(Case(name, package, changes[number].file, original, message, None, CUT))
    return cases


def _twin_of(file: _File, chance: random.Random) -> list[str] | None:
    """A snippet with the changed form of a line that the file has several times, indented; None where it has none."""
    places: dict[str, list[int]] = {}
    for at, line in enumerate(file.lines):
        places.setdefault(line, []).append(at)
    found = [
        (line, same)
        for line, same in places.items()
        if 2 <= len(same) <= MAX_TWINS
        and line[:1].isspace()
        and len(line.strip()) >= MIN_TELLING
        and _WORD.search(line)
    ]
    if not found:
        return None
    line, same = chance.choice(found)
    word = chance.choice(_WORD.findall(line))
    shown = [line.replace(word, f"{word}_{chance.choice(('new', 'all', '2'))}", 1)]
    above = {file.lines[at - 1] for at in same}
    if len(above) == 1 and chance.random() < 0.5:
        shown.insert(0, *above)
    marker = f"{chance.choice(('', line[: len(line) - len(line.lstrip())]))}{file.marker}"
    if chance.random() < 0.7:
        shown.insert(0, marker)
    if chance.random() < 0.7:
        shown.append(marker)
    return shown


def _everyday_edit(change: RecordedChange, chance: random.Random) -> Addition | _Edit | None:
    """An edit for the file that a change led to; None where none was found."""
    way = chance.random()
    if way < AMONG_SIBLINGS:
        added = sibling_edit(change.result, change.language, chance)
    else:
        added = addition_to(change.result, change.language, chance) if way < ADDED else None
    file = _file_of(change, chance) if added is None else None
    return added if file is None else _edit_of(file, chance)


def _reindented(shown: Sequence[str], change: RecordedChange, chance: random.Random) -> Sequence[str]:
    """The lines of a snippet with steps of another width than the file has; as they are where these aren't whole."""
    lines = Lines(change.result)
    unit = lines.indent_unit
    indents = [indent_of(line) for line in shown if line.strip()]
    if not any(column > 0 for column in lines.columns) or any(one.replace(unit, "") for one in indents):
        return shown
    other = chance.choice([one for one in UNITS if one != unit])
    return [other * (len(indent_of(line)) // len(unit)) + line.lstrip() for line in shown]


def _file_of(change: RecordedChange, chance: random.Random) -> _File | None:
    """The file of a change, where it is small and whole and edits can be written for its language."""
    lines = change.result
    if change.language not in _FUNCTIONS or len(lines) > MAX_LINES or any("```" in line for line in lines):
        return None
    found = outline("\n".join(lines), change.language)
    end = next((number + 1 for number in range(len(lines) - 1, -1, -1) if lines[number].strip()), 0)
    if found.num_errors or not end:
        return None
    marker = f"{comment_syntax(change.language).line[0]} {chance.choice(MARKERS)}"
    return _File(lines, change.language, found, marker, end)


def _edit_of(file: _File, chance: random.Random) -> _Edit | None:
    kinds: Sequence[Callable[[_File, random.Random], _Edit | None]]
    kinds = (_appended, _imported, _logged, _changed, _changed_above, _dropped)
    for _ in range(MAX_TRIES):
        edit = chance.choice(kinds)(file, chance)
        if edit is not None:
            return edit
    return None


def _appended(file: _File, chance: random.Random) -> _Edit | None:
    """A marker, then a new function at the end of the file."""
    if not _ends_in_declaration(file):
        return None
    blanks = [""] * _gap(file)
    function = list(_FUNCTIONS[file.language])
    result = [*file.lines[: file.end], *blanks, *function, *file.lines[file.end :]]
    words = chance.choice(("I added a helper at the end of the file.", "New function at the bottom:", "A helper:"))
    return _Edit(words, [file.marker, *blanks[: chance.choice((1, 2))], *function], result)


def _imported(file: _File, chance: random.Random) -> _Edit | None:
    """An import behind others, a marker, and a function that needs it."""
    imports = file.top("import")
    if len(imports) < 2 or file.language not in _IMPORTS or not _ends_in_declaration(file):
        return None
    at = chance.choice(imports).end_line
    new, function = _IMPORTS[file.language], _FUNCTIONS[file.language]
    lines, end = file.lines, file.end
    result = [*lines[:at], new, *lines[at:end], *[""] * _gap(file), *function, *lines[end:]]
    shown = [*lines[max(0, at - chance.choice((1, 1, 2))) : at], new, "", file.marker, "", *function]
    return _Edit("I added the import and the function.", shown, result)


def _logged(file: _File, chance: random.Random) -> _Edit | None:
    """A new statement inside a function, between markers."""
    chosen = _statement_of(file, chance)
    if chosen is None:
        return None
    function, at = chosen
    lines = file.lines
    before, line = lines[at - 1].rstrip(), lines[at]
    opens = ("(", "[", "{", ",", "\\")
    if line.strip()[0] in ")]}" or before.endswith(opens) or line.rstrip().endswith(opens) or lines.count(line) > 1:
        return None
    indent = line[: len(line) - len(line.lstrip())]
    new, marker = indent + _STATEMENTS[file.language], indent + file.marker
    shown = [*lines[function.header_line : function.body_line], marker, new, line, marker]
    shown += [] if file.language == "python" else ["}"]
    if chance.random() < 0.7:
        shown = [file.marker, "", *shown]
    return _Edit("A log line before that statement.", shown, [*lines[:at], new, *lines[at:]])


def _changed(file: _File, chance: random.Random) -> _Edit | None:
    """A function shown whole, one of its statements changed."""
    chosen = _statement_of(file, chance)
    if chosen is None:
        return None
    function, at = chosen
    lines = file.lines
    if function.end_line - function.header_line > MAX_SHOWN or not lines[at].strip().endswith((";", ")")):
        return None
    new = lines[at].replace("(", "(strict, ", 1)
    if new == lines[at]:
        return None
    shown = [*lines[function.header_line : at], new, *lines[at + 1 : function.end_line]]
    return _Edit("Here is the changed function:", shown, [*lines[:at], new, *lines[at + 1 :]])


def _changed_above(file: _File, chance: random.Random) -> _Edit | None:
    """A function shown whole and changed, right behind which a comment stands that isn't shown: it stays."""
    edit = _changed(file, chance)
    if edit is None:
        return None
    start = next(at for at in range(len(edit.result)) if edit.result[at : at + len(edit.shown)] == edit.shown)
    end = start + len(edit.shown)
    if end < file.end and file.lines[end].strip():
        return None
    remark = f"{file.marker.split()[0]} {chance.choice(REMARKS)}"
    shown = [file.marker, "", *edit.shown] if chance.random() < 0.5 else edit.shown
    result = [*edit.result[:end], remark, *edit.result[end:]]
    return _Edit(edit.words, shown, result, [*file.lines[:end], remark, *file.lines[end:]])


def _dropped(file: _File, chance: random.Random) -> _Edit | None:
    """A statement or an import that is gone: what stood around it is shown side by side, between markers."""
    lines = file.lines
    imports = {line for one in file.top("import") for line in range(one.start_line, one.end_line)}
    places = [at for at in range(2, file.end - 2) if _stands_alone(lines, at, imports)]
    if not places:
        return None
    at = chance.choice(places)
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    shown = [*lines[at - chance.choice((1, 2)) : at], *lines[at + 1 : at + 1 + chance.choice((1, 2))]]
    if chance.random() < 0.8:
        shown = [indent + file.marker, *shown, indent + file.marker]
    words = chance.choice(("Cleaned up a little:", "That line isn't needed any more.", "Here is the change:"))
    return _Edit(words, shown, [*lines[:at], *lines[at + 1 :]])


def _stands_alone(lines: Sequence[str], at: int, imports: Container[int]) -> bool:
    """Whether a line is a whole statement between two others, each of them the only one of its kind in the file."""
    around = lines[at - 1 : at + 2]
    if any(lines.count(line) > 1 or len(line.strip()) <= MIN_TELLING for line in around):
        return False
    if len({len(line) - len(line.lstrip()) for line in around}) > 1:
        return False
    closed = all(line.count(a) == line.count(b) for line in around for a, b in ("()", "[]", "{}"))
    return closed and (all(one in imports for one in (at - 1, at, at + 1)) or lines[at].rstrip().endswith((";", ")")))


def _statement_of(file: _File, chance: random.Random) -> tuple[Declaration, int] | None:
    """A line inside one of the file's functions that says enough to be found again."""
    functions = [one for one in file.top("function") if one.end_line - one.start_line > 4]
    if not functions:
        return None
    function = chance.choice(functions)
    inside = range(function.body_line + 1, function.end_line - 1)
    telling = [line for line in inside if len(file.lines[line].strip()) > MIN_TELLING]
    return (function, chance.choice(telling)) if telling else None


def _ends_in_declaration(file: _File) -> bool:
    top = [one for one in file.outline.declarations if one.parent < 0]
    return bool(top) and top[-1].end_line >= file.end - 1 and top[-1].kind in ("function", "class")


def _gap(file: _File) -> int:
    """The number of blank lines that the file mostly has before its outermost functions and classes.

    Where it has none behind other code, what its language's files have.
    """
    counts: Counter[int] = Counter()
    for one in file.outline.declarations:
        if one.parent < 0 and one.kind not in ("import", "value") and one.end_line - one.start_line > 1:
            above = next((at for at in range(one.start_line - 1, -1, -1) if file.lines[at].strip()), None)
            if above is not None:
                counts[one.start_line - 1 - above] += 1
    return counts.most_common(1)[0][0] if counts else 2 if file.language == "python" else 1
