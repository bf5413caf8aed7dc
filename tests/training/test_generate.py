"""The stream of samples: the same for the same seed, with everything in it that it promises."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from pathlib import Path

from fastedit.edits.model import Format
from fastedit.syntax import count_errors
from fastedit.training.synthesis import BY_CARE, Tier, generate
from fastedit.training.synthesis.changes import COMBINED, MAKERS
from support.edits import ORIGINALS, SOURCES, samples


def test_is_the_same_for_the_same_seed() -> None:
    first = list(generate([ORIGINALS], seed=3, n=40))
    again = list(generate([ORIGINALS], seed=3, n=40))
    other = list(generate([ORIGINALS], seed=4, n=40))
    assert first == again
    assert first != other


def test_is_a_stream() -> None:
    assert len(list(islice(generate(SOURCES, seed=1, n=10**9), 3))) == 3


def test_gives_no_more_than_was_asked_for() -> None:
    assert len(list(generate([ORIGINALS], seed=1, n=7))) == 7
    assert list(generate([ORIGINALS], seed=1, n=0)) == []


def test_only_the_wanted_tiers_and_formats_come() -> None:
    chosen = list(generate([ORIGINALS], seed=1, n=30, tiers=[Tier.HARD], formats=[Format.V4A, Format.UDIFF]))
    assert {sample.tier for sample in chosen} == {Tier.HARD}
    assert {sample.format for sample in chosen} == {Format.V4A, Format.UDIFF}


def test_kinds_tiers_formats_and_languages_occur() -> None:
    kinds = Counter(sample.kind for sample in samples())
    assert len(set(MAKERS) & set(kinds)) > 0.9 * len(MAKERS)
    assert kinds[COMBINED] > 0.1 * len(samples())
    assert {sample.tier for sample in samples()} == set(BY_CARE)
    assert {sample.format for sample in samples()} == set(Format)
    assert {sample.language for sample in samples()} >= {"python", "javascript", "go", "yaml", "toml", "json", "html"}


def test_deletions_are_at_least_a_tenth() -> None:
    shorter = [s for s in samples() if len(s.expected.split("\n")) < len(s.original.split("\n"))]
    assert len(shorter) >= 0.1 * len(samples())


def test_many_snippets_end_without_a_marker() -> None:
    lazy = [sample for sample in samples() if sample.format is Format.LAZY and sample.tier is not Tier.CLEAR]
    assert sum("no marker at an end" in sample.habits for sample in lazy) >= 0.2 * len(lazy)


def test_every_change_changes_something_and_parses_no_worse() -> None:
    for sample in samples():
        assert sample.original != sample.expected
        before = count_errors(sample.original, sample.language)
        after = count_errors(sample.expected, sample.language)
        assert (after or 0) <= (before or 0), sample.path


def test_line_ends_and_final_newline_of_the_original_stay() -> None:
    endings = Counter()
    for sample in samples():
        is_crlf = "\r\n" in sample.original
        endings[is_crlf, sample.original.endswith("\n")] += 1
        assert ("\r\n" in sample.expected) == is_crlf
        assert sample.expected.replace("\r\n", "").count("\n") == (0 if is_crlf else sample.expected.count("\n"))
        assert sample.original.endswith("\n") == sample.expected.endswith("\n")
        assert "\r" not in sample.edit
    assert len(endings) >= 3


def test_originals_that_are_kept_apart_never_come() -> None:
    apart = ORIGINALS / "queue.js"
    chosen = list(generate([ORIGINALS], seed=1, n=60, apart=[apart]))
    assert chosen
    assert not any(sample.path == "queue.js" for sample in chosen)


def test_near_duplicates_come_once(tmp_path: Path) -> None:
    text = (ORIGINALS / "queue.js").read_text("utf-8")
    for number in range(4):
        (tmp_path / f"copy{number}.js").write_text(text.replace("retries: 3", f"retries: {number}"), "utf-8")
    paths = {sample.path for sample in generate([tmp_path], seed=1, n=30, edits_per_document=30)}
    assert len(paths) == 1


def test_unfit_files_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "binary.py").write_bytes(b"\0\1\2" * 500)
    (tmp_path / "latin.py").write_bytes("# caf\xe9\nx = 1\n".encode("latin-1") * 30)
    (tmp_path / "short.py").write_text("x = 1\n", "utf-8")
    (tmp_path / "minified.js").write_text("var a=1;" * 500 + "\n" * 30, "utf-8")
    (tmp_path / "picture.xyz").write_text("line\n" * 50, "utf-8")
    (tmp_path / "link.py").symlink_to(tmp_path / "nowhere.py")
    assert list(generate([tmp_path], seed=1, n=5)) == []
