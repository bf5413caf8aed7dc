"""python -m evals.applybench judging: what a target's word on a split's lazy edits of one file is worth.

Readings: all that are close are put to the target as drafts of one prompt, and their log-likelihoods joined to the
alignment's by weights that were fitted to other packages. Does the target choose the right one more often?
Word: the draft is put to the target as `auto` does it. How much likelier is it right where the target writes the same?
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evals.accuracy.report import machine
from evals.applybench.judged import MAX_READINGS, TOLD, Row, judged, worded
from evals.applybench.records import SPLITS, Record, load
from fastedit.anchor import align_readings
from fastedit.anchor.lazy.readings import readings_of
from fastedit.applied import render
from fastedit.edits import parse_message
from fastedit.edits.message import edits_for
from fastedit.edits.model import Edit, Format
from fastedit.errors import EditRefused, ResultRefused
from fastedit.guard import Original, inspect, refuse_or_warn
from fastedit.lines import body, split_lines
from fastedit.merged import Choice, merge
from fastedit.syntax import language_of, outline
from fastedit.targets.marks import LineMarks, line_copying
from fastedit.training.sources import is_held_out
from fastedit.verify.windows import (
    DecodeOptions,
    LineChange,
    Window,
    ask,
    changes_of,
    cut_windows,
    excerpts_of,
    plan_windows,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastedit.anchor.alignment import Alignment
    from fastedit.targets import Target

    Numbers = NDArray[np.float64]

MAX_TOKENS = 2600  # of a prompt and a draft: a little more than the embedded target was made for
PASSES, PATIENCE_S = 3, 60.0
DTYPES = {"readings": "float32", "word": "auto"}  # for each part, the numbers that the target is computed with


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status 0 whatever is found."""
    options = _parser().parse_args(arguments)
    if options.rows and options.rows.is_file():
        rows = [Row(**json.loads(line)) for line in options.rows.read_text("utf-8").splitlines()]
    else:
        from fastedit.targets import Target

        parts = (options.only,) if options.only else tuple(DTYPES)
        # One for each: a target that an engine works with can't be run as it is any more.
        targets = {part: Target.load(options.target, dtype=DTYPES[part]) for part in parts}
        records = load(options.split)
        if options.held_out:
            records = [one for one in records if is_held_out(one.package or one.id, options.held_out)]
        rows = list(_rows(records, targets, options.count))
        if options.rows:
            options.rows.write_text("".join(json.dumps(asdict(row)) + "\n" for row in rows), "utf-8")
    found = {"split": options.split, "target": options.target, "cases": len(rows)}
    if options.held_out:
        found["held_out"] = options.held_out
    found |= {"readings": judged(rows), "word": worded(rows), "machine": machine("evals.applybench")}
    text = json.dumps(found, indent=1) + "\n"
    if options.json:
        options.json.write_text(text, "utf-8")
    print(text, end="")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m evals.applybench judging",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--split", choices=SPLITS, default="train")
    parser.add_argument("--target", default="embedded", help="one with line marks")
    parser.add_argument("--count", type=int, default=0, metavar="N", help="a fixed sample of N; 0 for all")
    parser.add_argument(
        "--held-out",
        type=float,
        default=0.0,
        metavar="SHARE",
        help="only the packages that a training run with this `data.cases_held_out` (0.2 unless it says so) leaves out",
    )
    parser.add_argument("--only", choices=tuple(DTYPES), help="measure one of the two")
    parser.add_argument("--rows", type=Path, metavar="FILE", help="what was measured, one case a line; read if there")
    parser.add_argument("--json", type=Path, metavar="FILE")
    return parser


# ---- measuring -------------------------------------------------------------------------------------------------------


def _rows(records: Iterable[Record], targets: Mapping[str, Target], count: int) -> Iterable[Row]:
    lazy = [record for record in records if record.format == "lazy" and record.file is not None]
    lazy.sort(key=lambda record: hashlib.sha256(record.id.encode()).digest())
    for number, record in enumerate(lazy[: count or None]):
        if number % 20 == 0:
            print(f"{number} of {count or len(lazy)}", file=sys.stderr, flush=True)
        try:
            row = _row(record, targets)
        except EditRefused:
            continue
        if row is not None:
            yield row


def _row(record: Record, targets: Mapping[str, Target]) -> Row | None:
    """The row of a case; None where its message isn't one lazy edit."""
    assert record.file is not None
    text, wanted = record.files[record.file], (record.expected or {}).get(record.file)
    edits, _ = edits_for(parse_message(record.message), record.file)
    if len(edits) != 1 or edits[0].format is not Format.LAZY:
        return None
    language = language_of(record.file, text)
    original = Original(text, language, outline(text, language))
    row = Row(record.package or record.id, [], [], [])
    if "readings" in targets:
        row = _with_readings(row, targets["readings"], original, edits[0], record.message, wanted)
    if "word" in targets:
        row = _with_word(row, targets["word"], original, edits[0], record.message, wanted)
    return row


def _with_word(row: Row, target: Target, original: Original, edit: Edit, message: str, wanted: str | None) -> Row:
    """The row with what became of the draft; without it where there is none that could be applied."""
    draft = merge(original, edit, message, None, Choice(certainty=0.0))
    if draft.refusal is not None or draft.text == original.text:
        return row
    windows = cut_windows(original, draft, "auto", target)
    try:
        answer = ask(target, original, windows, edit, options=DecodeOptions(deadline_s=PATIENCE_S), max_passes=PASSES)
    except EditRefused:
        return row
    is_agreed = not answer.is_given_up and answer.text == draft.text
    return replace(row, certainty=draft.alignment.certainty, is_draft_right=draft.text == wanted, is_agreed=is_agreed)


def _with_readings(row: Row, target: Target, original: Original, edit: Edit, message: str, wanted: str | None) -> Row:
    """The row with the likeliest readings that the guard lets pass; what the target makes of them only where one of
    several is right, since no other row is counted."""
    text, lines = original.text, [body(line) for line in split_lines(original.text)]
    found = align_readings(text, edit, original.language, message, original.outline)
    scored = readings_of(lines, edit.snippets, original.language, message, original.outline)
    if len(found) != len(scored):  # a whole file, which isn't searched for
        return row
    kept: list[tuple[Alignment, list[float]]] = []
    for alignment, reading in zip(found, scored, strict=True):
        try:
            refuse_or_warn(inspect(original, render(text, alignment), alignment, (edit,), message))
        except ResultRefused:
            continue
        kept.append((alignment, reading.features().tolist()))
    kept = kept[:MAX_READINGS]
    alignments = [alignment for alignment, _ in kept]
    is_right = [render(text, alignment) == wanted for alignment in alignments]
    is_counted = len(kept) > 1 and any(is_right)
    return replace(
        row,
        features=[features for _, features in kept],
        values=_values(target, original, edit, alignments) if is_counted else [],
        is_right=is_right,
    )


def _values(target: Target, original: Original, edit: Edit, readings: Sequence[Alignment]) -> list[list[float]]:
    """What the target makes of each reading, in the order of TOLD; 0 for all where they are too long for it.

    The windows are those of all readings' changes together, so that every reading is a draft of the same prompts.
    """
    lines = split_lines(original.text)
    changes = [changes_of(lines, split_lines(render(original.text, reading)), reading) for reading in readings]
    declarations = [(found.start_line, found.end_line) for found in original.outline.declarations]
    template = target.template
    windows = plan_windows(
        lines,
        _together(changes),
        declarations,
        context_lines=template.context_lines,
        max_declaration_lines=template.declaration_lines,
    )
    told = np.zeros((len(readings), len(TOLD)))
    for window, excerpt in zip(windows, excerpts_of(edit, windows, lines), strict=True):
        marks = LineMarks(window.original, excerpt.text, excerpt.elisions, excerpt.codes)
        marked, elisions = marks.marked_edit
        prompt = target.prompt(marks.marked_original, marked, None, elisions)
        texts = [marks.marked_text(_within(window, own).draft.text) for own in changes]
        drafts = [[*target.codec.encode(text), target.stop_tokens[0]] for text in texts]
        if len(prompt) + max(map(len, drafts)) > MAX_TOKENS:
            return np.zeros_like(told).tolist()
        values = _likelihoods(target, prompt, drafts, marks)
        told = np.concatenate([told[:, :3] + values[:, :3], np.minimum(told[:, 3:], values[:, 3:])], axis=1)
    return told.tolist()


def _together(changes: Sequence[Sequence[LineChange]]) -> list[LineChange]:
    """Changes that cover those of all readings, each with all lines that a reading writes there."""
    found: list[LineChange] = []
    for change in sorted((one for own in changes for one in own), key=lambda one: (one.start, one.end)):
        if found and change.start <= found[-1].end:
            last = found.pop()
            change = LineChange(last.start, max(last.end, change.end), (*last.lines, *change.lines))
        found.append(change)
    return found


def _within(window: Window, changes: Sequence[LineChange]) -> Window:
    own = tuple(one for one in changes if window.start <= one.start and one.end <= window.end)
    return Window(window.start, window.end, window.lines, own)


def _likelihoods(target: Target, prompt: list[int], drafts: Sequence[list[int]], marks: LineMarks) -> Numbers:
    """[D, 4]: what the target makes of each draft of a prompt, which is read once.

    The logarithm of its likelihood; that of the tokens alone that the lines' marks leave to the target; minus the
    number of tokens that it would choose otherwise; the logarithm of its least likely choice.
    """
    import torch

    constraint = line_copying(target.codec, prompt, marks.original_numbers)
    assert constraint is not None
    length = max(map(len, drafts))
    ids = torch.zeros((len(drafts), length), dtype=torch.long)
    for number, draft in enumerate(drafts):
        ids[number, : len(draft)] = torch.tensor(draft)
    with torch.inference_mode():
        read = target.model(input_ids=torch.tensor([prompt]), use_cache=True, logits_to_keep=1)
        cache = read.past_key_values
        cache.batch_repeat_interleave(len(drafts))
        positions = (len(prompt) + torch.arange(length))[None].expand(len(drafts), -1)
        said = target.model(input_ids=ids, past_key_values=cache, position_ids=positions, use_cache=True).logits
        logits = torch.cat([read.logits[:, -1:].expand(len(drafts), -1, -1), said[:, :-1]], dim=1).float()
        each = logits.log_softmax(-1).gather(-1, ids[..., None])[..., 0].double().numpy()
        own = logits.argmax(-1).tolist()
    told = []
    for number, draft in enumerate(drafts):
        state, free, misses = constraint.start, list[int](), 0
        for at, token in enumerate(draft):
            if not state:
                free.append(at)
            misses += constraint.choose(state, own[number][at])[0] != token
            _, state = constraint.choose(state, token)
        values = each[number]
        told.append([values[: len(draft)].sum(), values[free].sum(), -float(misses), values[free].min()])
    return np.array(told)
