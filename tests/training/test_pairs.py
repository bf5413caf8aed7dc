from __future__ import annotations

import random
from collections import Counter
from functools import cache

from fastedit.lines import split_lines
from fastedit.training.pairs import Pair, changes_between, joined, pairs_of, with_joined
from fastedit.training.synthesis import generate
from fastedit.verify.windows import whole_file
from support.edits import ORIGINALS

SAMPLES = list(generate([ORIGINALS], seed=5, n=60))


def made_pairs(seed: int):
    rng = random.Random(seed)
    return [(sample, pair) for sample in SAMPLES for pair in pairs_of(sample, rng)]


@cache
def all_pairs():
    return made_pairs(1)


def test_a_pair_is_a_part_of_the_file_and_what_becomes_of_it():
    pairs = all_pairs()
    assert len(pairs) > len(SAMPLES) / 2
    for sample, pair in pairs:
        original, expected = (text.replace("\r\n", "\n") for text in (sample.original, sample.expected))
        assert pair.original in original
        assert pair.merged in expected
        assert pair.original != pair.merged


def test_tight_windows_hold_the_same_changes_among_fewer_lines():
    usual, tight = (
        [pair for sample in SAMPLES for pair in pairs_of(sample, random.Random(1), share)] for share in (0, 1)
    )
    assert {pair.source for pair in tight} == {pair.source for pair in usual}
    assert len("".join(pair.original for pair in tight)) < 0.6 * len("".join(pair.original for pair in usual))
    assert all(pair.original != pair.merged for pair in tight)


def lazy(original: str, edit: str, merged: str) -> Pair:
    lines = edit.split("\n")[:-1]
    starts = [sum(len(line) + 1 for line in lines[:at]) for at in range(len(lines))]
    elisions = tuple((start, start + 3) for start, line in zip(starts, lines, strict=True) if line == "...")
    codes = tuple(None if line == "..." else line for line in lines)
    return Pair(original, edit, merged, "a.py", "made", "lazy", elisions, codes)


def test_edits_are_joined_with_what_leaves_out_the_rest_between_them():
    one, two, three = lazy("a\n", "b\n", "b\n"), lazy("x\n", "x\ny\n...\n", "x\ny\n"), lazy("c\n", "...\nd\n", "c\nd\n")
    pair = joined([one, two, three])
    assert (pair.original, pair.merged) == ("a\nx\nc\n", "b\nx\ny\nc\nd\n")
    assert pair.edit == "b\n...\nx\ny\n...\nd\n"
    assert [pair.edit[start:end] for start, end in pair.elisions] == ["...", "..."]
    assert pair.codes == ("b", None, "x", "y", None, "d")


def test_lazy_pairs_alone_are_joined_and_none_is_lost():
    pairs = [pair for _, pair in all_pairs()]
    mixed = list(with_joined(pairs, 0.5, random.Random(3)))
    assert {pair for pair in pairs if pair.format != "lazy"} == {pair for pair in mixed if pair.format != "lazy"}
    assert 0 < len(pairs) - len(mixed) < len(pairs)
    text = "".join(sorted("".join(pair.merged for pair in mixed)))
    assert len(text) > 0.9 * sum(len(pair.merged) for pair in pairs)  # a last few may still have waited
    assert list(with_joined(pairs, 0.0, random.Random(3))) == pairs


def test_a_single_window_holds_the_whole_change():
    num_pairs = Counter(id(sample) for sample, _ in all_pairs())
    for sample, pair in all_pairs():
        original, expected = (text.replace("\r\n", "\n") for text in (sample.original, sample.expected))
        if num_pairs[id(sample)] == 1 and original.count(pair.original) == 1:
            assert original.replace(pair.original, pair.merged) == expected


def test_the_edit_is_shown_without_fences_and_prose():
    for sample, pair in all_pairs():
        if sample.format == "lazy" and "```" in sample.edit and "```" not in sample.expected:
            assert "```" not in pair.edit


def test_patches_are_shown_as_columns():
    shown = [pair for _, pair in all_pairs() if pair.format in ("udiff", "search_replace", "v4a")]
    assert shown
    for pair in shown:
        assert all(line[0] in " -+." for line in pair.edit.split("\n") if line)


def test_is_the_same_for_the_same_seed():
    assert made_pairs(3) == made_pairs(3)


def test_changes_lead_from_one_text_to_the_other():
    for sample in SAMPLES:
        old, new = split_lines(sample.original), split_lines(sample.expected)
        assert whole_file(old, changes_between(old, new), ()).draft.text == sample.expected
    assert changes_between(["a\n"], ["a\n"]) == []
