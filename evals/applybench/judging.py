"""python -m evals.applybench judging: what a target's word on a split's lazy edits of one file is worth.

Readings: all that are close are put to the target as drafts of one prompt, and their log-likelihoods joined to the
alignment's by weights that were fitted to other packages. Does the target choose the right one more often? And which
weight do they deserve beside the readings' probabilities, as `fastedit.targets.templates.Word.shares` joins the two?
Word: the draft is put to the target as `auto` does it. How much likelier is it right where the target writes the same?
What is found goes into the target's `word.json`, which `--save` writes: without it no target judges readings.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evals.accuracy.report import machine
from evals.applybench.judged import TOLD, Row, judged, weighed, worded
from evals.applybench.records import SPLITS, Record, load
from fastedit.anchor.lazy.readings import readings_of
from fastedit.edits import parse_message
from fastedit.edits.message import edits_for
from fastedit.edits.model import Edit, Format
from fastedit.errors import EditRefused
from fastedit.guard import Original
from fastedit.lines import body, split_lines
from fastedit.merged import TRUSTED_CERTAINTY, Choice, Merged, close_drafts, merge
from fastedit.syntax import language_of, outline
from fastedit.targets.registry import folder_of
from fastedit.targets.templates import WORD_FILE
from fastedit.training.sources import is_held_out
from fastedit.verify.asking import DecodeOptions, ask
from fastedit.verify.judging import Drafts, drafts_for
from fastedit.verify.windows import cut_windows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fastedit.decode.request import Constraint
    from fastedit.targets import Target

    Numbers = NDArray[np.float64]

MAX_TOKENS = 8192  # of a prompt and a draft
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
    found |= {"readings": judged(rows), "weight": weighed(rows), "word": worded(rows)}
    measured = _word_file(found["weight"], found["word"], options.split)
    found |= {WORD_FILE: measured, "machine": machine("evals.applybench")}
    if options.save:
        _save(folder_of(options.target) / WORD_FILE, measured)
    text = json.dumps(found, indent=1) + "\n"
    if options.json:
        options.json.write_text(text, "utf-8")
    print(text, end="")
    return 0


def _word_file(weight: Mapping[str, Any], word: Mapping[str, Any], split: str) -> dict[str, Any]:
    """What was measured, as a target's `word.json` has it."""
    command = f"python -m evals.applybench judging --split {split}"
    told = {
        name: found[name] for found in (word, weight) for name in ("agrees", "differs", "readings") if name in found
    }
    return {**told, "measured": command} if told else {}


def _save(path: Path, measured: Mapping[str, Any]) -> None:
    """Writes what was measured into a target's folder; what wasn't stays as it was."""
    before = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    path.write_text(json.dumps({**before, **measured}, indent=1) + "\n", "utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m evals.applybench judging",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--split", choices=SPLITS, default="train")
    parser.add_argument("--target", default="embedded", help="a name, or a folder")
    parser.add_argument("--save", action="store_true", help="write what was measured into the target's folder")
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
    """The row with the close readings that the guard lets pass, and what the target makes of them where it would be
    asked, or one of several is right."""
    lines = [body(line) for line in split_lines(original.text)]
    merged = merge(original, edit, message, None, Choice(certainty=1.0))  # so that all are as good as uncertain
    if len(merged.close) < 2:
        return row
    scored = readings_of(lines, edit.snippets, original.language, message, original.outline)
    drafts = close_drafts(original, edit, merged, f"{message}\n")
    is_right = [draft.text == wanted for draft in drafts]
    is_uncertain = merged.alignment.certainty < TRUSTED_CERTAINTY
    is_counted = len(drafts) > 1 and (any(is_right) or is_uncertain)
    return replace(
        row,
        features=[scored[draft.number - 1].features().tolist() for draft in drafts],
        values=_values(target, original, edit, drafts) if is_counted else [],
        is_right=is_right,
        shares=[draft.alignment.share for draft in drafts],
        draft=drafts.index(merged),
    )


def _values(target: Target, original: Original, edit: Edit, readings: Sequence[Merged]) -> list[list[float]]:
    """What the target makes of each reading, in the order of TOLD; 0 for all where they are too long for it."""
    told = np.zeros((len(readings), len(TOLD)))
    for drafts in drafts_for(target, original, edit, readings, "auto"):
        if len(drafts.prompt) + max(map(len, drafts.outputs)) > min(MAX_TOKENS, target.max_positions):
            return np.zeros_like(told).tolist()
        values = _likelihoods(target, drafts)
        told = np.concatenate([told[:, :3] + values[:, :3], np.minimum(told[:, 3:], values[:, 3:])], axis=1)
    return told.tolist()


def _likelihoods(target: Target, asked: Drafts) -> Numbers:
    """[D, 4]: what the target makes of each draft of a prompt, which is read once.

    The logarithm of its likelihood; that of the tokens alone that are left to the target, which is what it judges by;
    minus the number of tokens that it would choose otherwise; the logarithm of its least likely choice.
    """
    import torch

    prompt, drafts = list(asked.prompt), asked.outputs
    length = max(map(len, drafts))
    ids = torch.zeros((len(drafts), length), dtype=torch.long)
    for number, draft in enumerate(drafts):
        ids[number, : len(draft)] = torch.tensor(draft)
    ids = ids.to(target.device)
    with torch.inference_mode():
        read = target.model(input_ids=torch.tensor([prompt], device=target.device), use_cache=True, logits_to_keep=1)
        cache = read.past_key_values
        cache.batch_repeat_interleave(len(drafts))
        positions = (len(prompt) + torch.arange(length, device=target.device))[None].expand(len(drafts), -1)
        said = target.model(input_ids=ids, past_key_values=cache, position_ids=positions, use_cache=True).logits
        logits = torch.cat([read.logits[:, -1:].expand(len(drafts), -1, -1), said[:, :-1]], dim=1).float()
        each = logits.log_softmax(-1).gather(-1, ids[..., None])[..., 0].double().cpu().numpy()
        own = logits.argmax(-1).tolist()
    told = []
    for number, draft in enumerate(drafts):
        values, free = each[number], asked.choices(draft)
        misses = sum(_chosen(asked.constraint, draft, own[number]))
        told.append([values[: len(draft)].sum(), values[free].sum(), -float(misses), values[free].min()])
    return np.array(told)


def _chosen(constraint: Constraint | None, draft: Sequence[int], own: Sequence[int]) -> Iterator[bool]:
    """For each of a draft's tokens whether the target would have another one."""
    state = constraint.start if constraint is not None else None
    for token, theirs in zip(draft, own, strict=False):
        if constraint is None:
            yield theirs != token
            continue
        yield constraint.choose(state, theirs)[0] != token
        _, state = constraint.choose(state, token)
