"""Properties of outlines that hold for any text at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastedit.lines import split_lines
from fastedit.syntax import LANGUAGES, added_errors, language_of, outline, snippet_outline
from fastedit.syntax.model import Outline
from fastedit.syntax.scanners import can_scan
from support.examples import examples

READABLE = sorted(info.name for info in LANGUAGES if info.grammar or can_scan(info.name))
TEXTS = {
    language_of(path.stem): path.read_bytes().decode()
    for path in sorted(Path(__file__).parent.glob("samples/*.sample"))
}
PIECES = ["", "\n", "{", "}", '"', "'", "(", "/*", "#", "\r\n", "\t", "\n\n    "]
relaxed = examples(60)


def assert_sound(found: Outline, num_lines: int) -> None:
    before = None
    for index, declaration in enumerate(found.declarations):
        assert 0 <= declaration.start_line <= declaration.header_line
        assert declaration.header_line < declaration.body_line <= declaration.end_line <= max(num_lines, 1)
        assert -1 <= declaration.parent < index
        if declaration.parent >= 0:
            parent = found.declarations[declaration.parent]
            assert parent.start_line <= declaration.start_line
            assert declaration.end_line <= parent.end_line
            assert declaration.depth == parent.depth + 1
        else:
            assert declaration.depth == 0
        if before is not None and before.parent == declaration.parent:
            assert before.end_line - 1 <= declaration.header_line
        before = declaration
        assert "\n" not in declaration.signature


@relaxed
@given(st.sampled_from(READABLE), st.binary(max_size=400))
def test_random_bytes_have_a_sound_outline(language: str, raw: bytes) -> None:
    text = raw.decode("utf-8", "replace")
    assert_sound(outline(text, language), len(split_lines(text)))


@examples(200)
@given(st.data())
def test_samples_with_pieces_cut_out_have_a_sound_outline(data: st.DataObject) -> None:
    language = data.draw(st.sampled_from(sorted(TEXTS)))
    text = TEXTS[language]
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 60)))
        text = text[:start] + data.draw(st.sampled_from(PIECES)) + text[end:]
    assert_sound(outline(text, language), len(split_lines(text)))
    assert added_errors(text, text, language) == 0


@examples(150)
@given(st.data())
def test_pieces_of_samples_are_sound_snippets(data: st.DataObject) -> None:
    language = data.draw(st.sampled_from(sorted(TEXTS)))
    lines = TEXTS[language].split("\n")
    start = data.draw(st.integers(0, len(lines) - 1))
    piece = lines[start : data.draw(st.integers(start, len(lines)))]
    assert_sound(snippet_outline(piece, language), len(piece))


@pytest.mark.parametrize("language", READABLE)
def test_an_outline_depends_on_nothing_but_the_text(language: str) -> None:
    text = TEXTS.get(language, "a {\n}\n")
    assert outline(text, language) == outline(text, language)
