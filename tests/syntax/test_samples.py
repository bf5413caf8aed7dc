"""One short file for each language against the outline that a reader would draw of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from fastedit.syntax import language_of, outline
from fastedit.syntax.model import Outline

SAMPLES = sorted(Path(__file__).parent.glob("samples/*.sample"))


def drawn(found: Outline) -> str:
    """One row for each declaration: start, header, body and end line, then kind and name, indented by depth."""
    return "".join(
        f"{d.start_line:3} {d.header_line:3} {d.body_line:3} {d.end_line:3} {'  ' * d.depth}{d.kind} {d.name}".rstrip()
        + "\n"
        for d in found.declarations
    )


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_outline_is_as_drawn(path: Path) -> None:
    text = path.read_bytes().decode()
    found = outline(text, language_of(path.stem, text))
    assert drawn(found) == path.with_suffix(".outline").read_text()
    assert found.num_errors == 0
    assert found.is_complete


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_outline_is_the_same_with_crlf(path: Path) -> None:
    text = path.read_bytes().decode()
    language = language_of(path.stem, text)
    if language in ("bash", "make"):
        pytest.skip("a carriage return is part of a word in a shell")
    assert drawn(outline(text.replace("\n", "\r\n"), language)) == drawn(outline(text, language))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_a_file_cut_off_anywhere_keeps_what_was_whole(path: Path) -> None:
    text = path.read_bytes().decode()
    language = language_of(path.stem, text)
    lines = text.splitlines(keepends=True)
    whole = {(d.kind, d.name, d.header_line) for d in outline(text, language).declarations}
    for num_lines in range(0, len(lines), 3):
        found = outline("".join(lines[:num_lines]), language)
        assert all(d.end_line <= num_lines for d in found.declarations)
        done = [d for d in outline(text, language).declarations if d.depth == 0 and d.end_line <= num_lines]
        kept = {(d.kind, d.name, d.header_line) for d in found.declarations}
        lost = {(d.kind, d.name, d.header_line) for d in done} - kept
        assert len(lost) <= len(done) * 0.34, (num_lines, lost)
    assert whole
