"""A change as unified diff, SEARCH/REPLACE blocks, V4A patch or whole file, well-formed and as models write them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from fastedit.edits.model import Format, Op, PatchLine
from fastedit.lines import indent_of
from fastedit.training.synthesis.model import Change, Tier
from fastedit.training.synthesis.rendering.hunks import HunkText, hunks_of, scope_region, unique_hunks
from fastedit.training.synthesis.rendering.lazy import Habits, Rendered
from fastedit.training.synthesis.rendering.message import WrittenFence, message, patch_tag

NO_NEWLINE = "\\ No newline at end of file"
MAX_WHOLE_FILE = 600


def render_udiff(change: Change, tier: Tier, rng: random.Random) -> Rendered | None:
    """A unified diff. Clear: as `diff -u` writes it. Else: numbers wrong or missing, spaces and headers lost."""
    habits = Habits()
    context = 3 if tier is Tier.CLEAR else rng.choice((1, 2, 3, 3, 4))
    numbers = "right" if tier is Tier.CLEAR else rng.choice(("wrong", "none", "dots", "scope"))
    hunks = hunks_of(change, context) if numbers == "right" else unique_hunks(change, context)
    if hunks is None:
        return None
    lines = _headers(change, tier, rng, habits)
    writes = _line_writer(change, hunks, tier, rng, habits)
    for hunk in hunks:
        lines.append(_range_line(change, hunk, numbers, rng, habits))
        lines += [writes(line) for line in hunk.lines]
        if numbers == "right":
            lines = _with_no_newline_marks(change, hunk, lines)
    fence = WrittenFence(tuple(lines), patch_tag(Format.UDIFF, change.before, rng))
    return Rendered(message(change, [fence], tier, rng), tuple(habits))


def _headers(change: Change, tier: Tier, rng: random.Random, habits: Habits) -> list[str]:
    path = change.before.path
    kinds = ["git", "plain", "prefixed"] + (["none", "bare"] if tier is not Tier.CLEAR else [])
    kind = rng.choice(kinds)
    if kind == "none":
        habits.note("no file header")
        return []
    if kind == "bare" or kind == "plain":
        return [f"--- {path}", f"+++ {path}"]
    top = [f"diff --git a/{path} b/{path}"] if kind == "git" else []
    return [*top, f"--- a/{path}", f"+++ b/{path}"]


def _range_line(change: Change, hunk: HunkText, numbers: str, rng: random.Random, habits: Habits) -> str:
    old, new = len(hunk.old), len(hunk.new)
    old_start, new_start = hunk.old_start + (old > 0), hunk.new_start + (new > 0)
    scope = scope_region(change, hunk)
    heading = f" {scope[0].strip()}" if scope and rng.random() < 0.3 else ""
    if numbers == "right":
        return f"@@ -{old_start},{old} +{new_start},{new} @@{heading}"
    if numbers == "wrong":
        habits.note("wrong numbers")
        start = max(1, old_start + rng.randint(-40, 40))
        return f"@@ -{start},{rng.randint(1, 30)} +{start + rng.randint(-3, 3)},{rng.randint(1, 30)} @@{heading}"
    habits.note("no numbers")
    if numbers == "scope" and scope:
        return f"@@ {scope[0].strip()} @@" if rng.random() < 0.3 else f"@@ @@ {scope[0].strip()}"
    return "@@ ... @@" if numbers == "dots" else "@@"


def _line_writer(
    change: Change, hunks: Sequence[HunkText], tier: Tier, rng: random.Random, habits: Habits
) -> Callable[[PatchLine], str]:
    """A function that writes a patch line: with its sign, unless models' habits take over."""
    kept = [line.text for hunk in hunks for line in hunk.lines if line.op is Op.KEEP]
    bare = (
        tier is not Tier.CLEAR
        and rng.random() < 0.35
        and not any(t.startswith(("+", "-", "@", "\\", "*")) for t in kept)
    )
    blank = tier is not Tier.CLEAR and rng.random() < 0.4
    if bare:
        habits.note("no leading space")
    elif blank:
        habits.note("no space on blank lines")

    def write(line: PatchLine) -> str:
        if line.op is Op.KEEP and (bare or (blank and not line.text)):
            return line.text
        return line.op.value + line.text

    return write


def _with_no_newline_marks(change: Change, hunk: HunkText, lines: list[str]) -> list[str]:
    """`\\ No newline at end of file` behind the last line of each side that has none."""
    if change.before.ends_with_eol or hunk.old_end < len(change.before.lines):
        return lines
    start = len(lines) - len(hunk.lines)
    result = lines[:start]
    last_old = max((i for i, line in enumerate(hunk.lines) if line.op is not Op.ADD), default=-1)
    last_new = max((i for i, line in enumerate(hunk.lines) if line.op is not Op.DELETE), default=-1)
    for index, text in enumerate(lines[start:]):
        result.append(text)
        if index in (last_old, last_new):
            result.append(NO_NEWLINE)
    return result


BLOCK_STYLES: dict[str, tuple[str, str, str]] = {
    "aider": ("<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE"),
    "cline": ("------- SEARCH", "=======", "+++++++ REPLACE"),
    "original": ("<<<<<<< ORIGINAL", "=======", ">>>>>>> UPDATED"),
}


def render_search_replace(change: Change, tier: Tier, rng: random.Random) -> Rendered | None:
    """SEARCH/REPLACE blocks, each with an old text that occurs once."""
    hunks = unique_hunks(change, rng.choice((0, 1, 1, 2, 3)))
    if hunks is None or any(not hunk.old for hunk in hunks):
        return None
    if any(line.startswith(("=======", "<<<<<<<", ">>>>>>>")) for hunk in hunks for line in (*hunk.old, *hunk.new)):
        return None
    habits = Habits()
    style = rng.choice(("aider", "aider", "cline", "original"))
    habits.note(style)
    blocks = []
    for hunk in hunks:
        pair = hunk.old, hunk.new
        if tier is not Tier.CLEAR:
            pair = _careless_block(change, hunk, rng, habits)
        start, middle, end = BLOCK_STYLES[style]
        blocks.append([start, *pair[0], middle, *pair[1], end])
    if tier is Tier.SLOPPY and len(habits) < 2:
        return None
    tag = patch_tag(Format.SEARCH_REPLACE, change.before, rng)
    if rng.random() < 0.5:
        joint = [""] if rng.random() < 0.7 else []
        lines = [line for index, block in enumerate(blocks) for line in (joint if index else []) + block]
        return Rendered(message(change, [WrittenFence(tuple(lines), tag)], tier, rng), tuple(habits))
    is_fenced = tier is Tier.CLEAR or rng.random() < 0.85
    fences = [WrittenFence(tuple(block), tag, is_fenced=is_fenced) for block in blocks]
    return Rendered(message(change, fences, tier, rng), tuple(habits))


def _careless_block(change: Change, hunk: HunkText, rng: random.Random, habits: Habits) -> tuple[list[str], list[str]]:
    """Both sides of a block with their white space drifted alike."""
    old, new = list(hunk.old), list(hunk.new)
    dice = rng.random()
    if dice < 0.4:
        shared = min((indent_of(line) for line in (*old, *new) if line.strip()), key=len)
        if shared and all(line.startswith(shared) or not line.strip() for line in (*old, *new)):
            habits.note("flush left")
            cut = rng.choice((len(shared), max(1, len(shared) // 2)))
            return [line[cut:] for line in old], [line[cut:] for line in new]
    if dice < 0.7 and change.before.unit == "\t":
        habits.note("spaces for tabs")
        return [line.replace("\t", "    ") for line in old], [line.replace("\t", "    ") for line in new]
    if dice < 0.9 and (kept := [line for line in old if line in new and line.strip()]):
        habits.note("trailing space")
        line = rng.choice(kept)
        return [text + " " if text == line else text for text in old], [
            text + " " if text == line else text for text in new
        ]
    return old, new


def render_v4a(change: Change, tier: Tier, rng: random.Random) -> Rendered | None:
    """An apply_patch message, its places told by unique lines or by `@@` scopes."""
    habits = Habits()
    context = 3 if tier is Tier.CLEAR else rng.choice((1, 2, 3))
    scopes = _scopes(change, hunks_of(change, context)) if rng.random() < 0.7 else None
    hunks = unique_hunks(change, context, within=[region for _, region in scopes] if scopes else None)
    if hunks is not None and scopes is not None:
        scopes = _scopes(change, hunks)
    if hunks is None or (scopes is not None and len(scopes) != len(hunks)):
        return None
    habits.note("scopes" if scopes else "no scopes")
    lines = ["*** Begin Patch", f"*** Update File: {change.before.path}"]
    writes = _line_writer(change, hunks, tier, rng, habits)
    last = range(0)
    for index, hunk in enumerate(hunks):
        header, region = scopes[index] if scopes else ("", range(0))
        lines.append(f"@@ {_scope_text(header, tier, rng)}" if region != last else "@@")
        lines += [writes(line) for line in hunk.lines]
        last = region
        if hunk.old_end == len(change.before.lines) and rng.random() < 0.5:
            lines.append("*** End of File")
    if tier is Tier.CLEAR or rng.random() < 0.7:
        lines.append("*** End Patch")
    else:
        habits.note("no end line")
    fence = WrittenFence(tuple(lines), patch_tag(Format.V4A, change.before, rng))
    return Rendered(message(change, [fence], tier, rng), tuple(habits))


def _scopes(change: Change, hunks: Sequence[HunkText]) -> list[tuple[str, range]] | None:
    """For each hunk the header of the function that it lies in, behind its header; None where one has none."""
    scopes = [scope_region(change, hunk) for hunk in hunks]
    found = [scope for scope in scopes if scope is not None]
    if len(found) < len(hunks) or any(h.old_start <= s[1].start for h, s in zip(hunks, found, strict=True)):
        return None
    return found


def _scope_text(header: str, tier: Tier, rng: random.Random) -> str:
    if tier is Tier.CLEAR or rng.random() < 0.6:
        return header if rng.random() < 0.5 else header.strip()
    return header.strip().rstrip("{:").strip()


def render_whole(change: Change, tier: Tier, rng: random.Random) -> Rendered | None:
    """The whole new file in one fence."""
    if len(change.after.lines) > MAX_WHOLE_FILE or not any(line.strip() for line in change.after.lines):
        return None
    fence = WrittenFence(change.after.lines, patch_tag(Format.WHOLE, change.before, rng))
    return Rendered(message(change, [fence], tier, rng, is_whole=True), ())
