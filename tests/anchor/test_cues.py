"""Words that say of code that it goes or stays, in several languages."""

from __future__ import annotations

import re

import pytest

from fastedit.anchor.hints import CUES, CueKind, cue_at


def cues(text: str) -> list[tuple[str, CueKind]]:
    """All cues of a text from its first character on, each behind the one before."""
    found: list[tuple[str, CueKind]] = []
    at = 0
    while at < len(text):
        cue = cue_at(text, at)
        if cue is None:
            at += 1
            continue
        kind, end = cue
        found.append((text[at:end], kind))
        at = end
    return found


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("remove", CueKind.REMOVES),
        ("Dropped", CueKind.REMOVED),
        ("no longer needed", CueKind.GOES),
        ("isn't used", CueKind.GOES),
        ("isn\u2019t used", CueKind.GOES),
        ("and", CueKind.AND),
        ("from", CueKind.PLACE),
        ("if", CueKind.IF),
    ],
)
def test_an_english_word_is_a_cue_however_it_is_written(word: str, kind: CueKind) -> None:
    for written in (word, word.upper(), word.capitalize()):
        assert cue_at(written, 0) == (kind, len(word))


@pytest.mark.parametrize("text", ["removed_items", "removeAll", "remove()", "$remove", "unremoved", "remove-all"])
def test_a_part_of_a_name_is_no_cue(text: str) -> None:
    start = text.lower().index("remove")
    assert cue_at(text, start) is None


def test_a_cue_of_several_words_is_read_whole() -> None:
    assert cues("x is no longer needed here") == [("is", CueKind.VERB), ("no longer needed", CueKind.GOES)]
    assert CueKind.GOES not in [kind for _, kind in cues("no longer needed for y")]


@pytest.mark.parametrize("text", ["entfernt", "gel\u00f6scht", "supprim\u00e9", "eliminado"])
def test_other_languages_are_read(text: str) -> None:
    assert cue_at(text, 0) == (CueKind.REMOVED, len(text))


def test_languages_without_blanks_are_read_amid_other_letters() -> None:
    assert cues("\u6211\u5220\u9664\u4e86\u5b83") == [("\u5220\u9664", CueKind.REMOVED)]


def test_each_entry_is_an_expression_and_kinds_have_some() -> None:
    for entries in CUES.values():
        assert entries
        for entry in entries:
            re.compile(entry)
