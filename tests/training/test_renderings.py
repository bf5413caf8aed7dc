"""Renderings, read by readers that know nothing of FastEdit."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastedit.edits.model import Format
from fastedit.training.synthesis import Change, Sample, Splice, Tier, generate, make_change
from fastedit.training.synthesis.document import read_document
from fastedit.training.synthesis.rendering import render
from fastedit.training.synthesis.rendering.markers import CLEAR_STYLES, SLOPPY_STYLES
from support.edits import SOURCES, samples
from support.readers import expert_read, fences, git_apply, literal_replace, v4a_apply

BENT_HEADERS = {"header joined", "parameters elided", "stub bodies", "markers: only names"}
BENT_LINES = {"comment dropped", "comment shortened", "path comment", "removal comment", "locator comment"}


def chosen(format: Format, tier: Tier) -> list[Sample]:
    return [s for s in samples() if s.format is format and s.tier is tier and "\r" not in s.original]


def test_clear_diffs_apply_with_git(tmp_path: Path) -> None:
    for number, sample in enumerate(chosen(Format.UDIFF, Tier.CLEAR)):
        got = git_apply(tmp_path / str(number), sample.path, sample.original, sample.edit)
        assert got == sample.expected


def test_clear_blocks_apply_by_literal_replacement() -> None:
    found = chosen(Format.SEARCH_REPLACE, Tier.CLEAR)
    assert found
    for sample in found:
        assert literal_replace(sample.original, sample.edit) == sample.expected


def test_clear_v4a_patches_apply_by_their_grammar() -> None:
    found = [s for s in chosen(Format.V4A, Tier.CLEAR) if s.original.endswith("\n")]
    assert found
    for sample in found:
        assert v4a_apply(sample.original, sample.edit) == sample.expected


def test_a_whole_file_is_the_only_fence() -> None:
    for sample in samples():
        if sample.format is Format.WHOLE:
            (text,) = fences(sample.edit)
            assert text.rstrip("\n") == sample.expected.replace("\r\n", "\n").rstrip("\n")


def test_lines_of_clear_snippets_are_markers_or_come_from_the_changed_file() -> None:
    words = {wording for style in CLEAR_STYLES for texts in style.wordings.values() for wording in texts}
    plain = {re.sub(r"\{names\}.*", "", wording).strip() for wording in words} - {""}
    for sample in chosen(Format.LAZY, Tier.CLEAR):
        after = set(sample.expected.split("\n"))
        for line in "".join(fences(sample.edit)).split("\n"):
            assert line in after or any(word in line for word in plain), (line, sample.edit)


def test_lines_of_all_snippets_are_accounted_for() -> None:
    """Sloppy snippets bend lines; with white space left out, few lines are neither the file's nor markers."""
    for sample in samples():
        if sample.format is not Format.LAZY or BENT_HEADERS & set(sample.habits):
            continue
        after = {re.sub(r"\s", "", line) for line in sample.expected.split("\n")}
        lines = [re.sub(r"\s", "", line) for fence in fences(sample.edit) for line in fence.split("\n")]
        strange = [line for line in lines if line not in after and not re.search(MARKER_CORE, line)]
        assert len(strange) <= 3 * len(BENT_LINES & set(sample.habits)), (strange, sample.edit)


MARKER_CORE = re.compile(
    "|".join(
        re.escape(re.sub(r"\s", "", part))
        for style in (*CLEAR_STYLES, *SLOPPY_STYLES)
        for texts in style.wordings.values()
        for wording in texts
        for part in wording.split("{names}")
        if part.strip(" [](),")
    )
    + r"|docstringunchanged|sameparameters|existingparameters"
)


def test_every_habit_occurs() -> None:
    careless = generate(SOURCES, seed=8, n=250, tiers=[Tier.SLOPPY, Tier.HARD], edits_per_document=3)
    seen = {habit for sample in careless for habit in sample.habits}
    wanted = {
        "a fence for each place", "no class", "no marker at an end", "flush left",
        "shifted", "other unit", "parameters elided", "docstring elided", "stub bodies",
        "path comment", "removal comment",
        "wrong numbers", "no numbers", "no leading space", "no space on blank lines",
        "no file header", "aider", "cline", "original", "scopes", "no scopes", "no end line",
    }  # fmt: skip
    wanted |= {f"markers: {style.name}" for style in SLOPPY_STYLES}
    assert not wanted - seen


LINES = st.integers(12, 60)


@st.composite
def line_edits(draw: st.DrawFn) -> Change:
    """A change of a text without blank or repeated lines, with one to four splices."""
    count = draw(LINES)
    text = "".join(f"{number * 7919 % 1009} entry number {number}\n" for number in range(count))
    document = read_document("notes.unknown", "", text)
    assert document is not None
    cuts = sorted(draw(st.lists(st.integers(1, count - 1), min_size=2, max_size=8, unique=True)))
    splices = []
    for index, (start, end) in enumerate(zip(cuts[::2], cuts[1::2], strict=False)):
        new = tuple(f"fresh line {index} {row} of the edit" for row in range(draw(st.integers(0, 4))))
        splices.append(Splice(start, min(end, start + draw(st.integers(0, 4))), new))
    change = make_change(document, splices, "lines")
    return change if change is not None else draw(line_edits())


@given(line_edits(), st.integers(0, 10**6), st.sampled_from([Tier.CLEAR, Tier.HARD]))
def test_a_lazy_edit_of_distinct_lines_means_what_the_rules_say(change: Change, seed: int, tier: Tier) -> None:
    rendered = render(change, tier, Format.LAZY, random.Random(seed))
    if rendered is None or len(fences(rendered.text)) != 1 or set(rendered.habits) & {"flush left", "shifted"}:
        return
    snippet = fences(rendered.text)[0].split("\n")
    snippet = [line.rstrip() for line in snippet if not line.endswith("notes.unknown")]
    marker = re.compile(r"^(?!.*(?:entry number|fresh line)).*\S")
    assert expert_read(list(change.before.lines), snippet, marker) == list(change.after.lines)


@given(line_edits(), st.integers(0, 10**6))
@pytest.mark.parametrize("format", [Format.SEARCH_REPLACE, Format.V4A])
def test_patches_of_distinct_lines_apply_exactly(format: Format, change: Change, seed: int) -> None:
    rendered = render(change, Tier.CLEAR, format, random.Random(seed))
    if rendered is None:
        return
    read = literal_replace if format is Format.SEARCH_REPLACE else v4a_apply
    assert read(change.before.text, rendered.text) == change.after.text
