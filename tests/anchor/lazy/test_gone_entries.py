"""What words say is gone of files of keys, and how it goes together with what snippets show of them."""

from __future__ import annotations

import pytest

from fastedit.anchor.hints import hints_of
from fastedit.anchor.lazy.keys.gone import gone_entries
from fastedit.anchor.lazy.lines import Lines
from fastedit.anchor.lazy.proposals.finder import proposals_for
from fastedit.anchor.lazy.reading import slid
from fastedit.anchor.lazy.readings import readings_of
from fastedit.anchor.lazy.words.spoken import spoken_units
from fastedit.edits.model import Snippet
from fastedit.syntax import outline
from support.aligning import lines_of

SETUP = """\
[metadata]
name = shop
classifiers =
    Topic :: Office
    Framework :: Pens :: 3.7
    Framework :: Pens :: 3.8
"""
PACKAGE = """\
{
  "tools": {
    "deps": {},
    "lint": "1"
  },
  "deps": {
    "pens": "2",
    "ink": "1"
  },
  "paper": {
    "kinds": [
      3
    ],
    "host": "here"
  }
}
"""
JOBS = """\
- job:
    name: early
    run: a.yaml

- job:
    name: wait
    run: w.yaml
"""


def _gone(prose: str, text: str, language: str) -> list[str]:
    original = Lines(lines_of(text))
    return [original.stripped[line] for one in gone_entries(prose, original, language) for line in one.lines]


@pytest.mark.parametrize(
    ("prose", "text", "language", "expected"),
    [
        ("In the classifiers, `Pens :: 3.7` goes.", SETUP, "ini", ["Framework :: Pens :: 3.7"]),
        ("`Pens` goes.", SETUP, "ini", []),
        ("The top-level `deps` goes.", PACKAGE, "json", ['"deps": {', '"pens": "2",', '"ink": "1"', "},"]),
        ("No longer needed: `lint`, both `ink` packages.", PACKAGE, "json", ['"lint": "1"', '"ink": "1"']),
        ("`ink` is still bought, but `lint` is gone.", PACKAGE, "json", ['"lint": "1"']),
        ("`deps` is the complete object, so `lint` is gone.", PACKAGE, "json", ['"lint": "1"']),
    ],
)
def test_finds_the_entries_that_a_clause_means(prose: str, text: str, language: str, expected: list[str]) -> None:
    assert _gone(prose, text, language) == expected


def test_what_has_new_lines_in_it_keeps_what_opens_and_closes_it() -> None:
    """Words may name an object whose contents changed; without its brackets these would be nowhere."""
    lines = lines_of(PACKAGE)
    at = lines.index('    "pens": "2",')
    result = [*lines[:at], '    "chalk": "3"', *lines[at + 2 :]]
    origins = [*range(at), None, *range(at + 2, len(lines))]
    entries = gone_entries("The old `deps` and `lint` go.", Lines(lines), "json")
    found = proposals_for(result, origins, lines, outline(PACKAGE, "json"), hints_of(""), entries=entries)
    gone = [lines[line].strip() for one in found for line in one.gone]
    assert '"lint": "1"' in gone
    assert '"deps": {' not in gone


@pytest.mark.parametrize(("prose", "excepted"), [("delete everything but `kinds`", 1.0), ("delete `kinds`", 0.0)])
def test_what_is_excepted_is_no_likely_unit(prose: str, excepted: float) -> None:
    found = spoken_units(prose, Lines(lines_of(PACKAGE)), {})
    assert [one.values["excepted"] for one in found] == [excepted]


def test_entries_go_where_the_outline_knows_no_language() -> None:
    snippet = Snippet(("name = pens",), prose="Python 3.7 is dropped from the classifiers.")
    found = readings_of(lines_of(SETUP), [snippet], "ini", snippet.prose, outline(SETUP, "ini"))
    assert "    Framework :: Pens :: 3.7" not in found[0].lines
    assert "name = pens" in found[0].lines


def test_new_lines_are_judged_as_whole_blocks() -> None:
    original = Lines(lines_of(JOBS))
    new = ["    name: output", "    run: o.yaml", "", "- job:"]
    assert slid([(5, 5, new)], original) == [(4, 4, ["- job:", *new[:-1]])]


@pytest.mark.parametrize("change", [(5, 6, ["    name: b", "- job:"]), (2, 2, ["    files: x"])])
def test_other_changes_stay_where_they_are(change: tuple[int, int, list[str]]) -> None:
    assert slid([change], Lines(lines_of(JOBS))) == [change]
