"""Spans join and apply to the new text, whatever the texts and however the new one comes in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fastedit.lines import split_lines
from fastedit.server.spans import FileSpan, SpanWriter, spans_of

LINE = st.sampled_from(["a\n", "b\n", "\n", "  c\r\n", "d\n", "e\u2028f\n", "g\x0c\n"])
TEXT = st.builds(lambda lines, end: "".join(lines) + end, st.lists(LINE, max_size=14), st.sampled_from(["", "h", "\r"]))


def check(original: str, text: str, spans: list[FileSpan]) -> None:
    assert "".join(span.text for span in spans) == text
    lines = split_lines(original)
    at = 0
    for span in spans:
        assert span.start_line == at
        assert span.start_line < span.end_line or span.text
        assert span.is_kept == ("".join(lines[at : span.end_line]) == span.text)
        at = span.end_line
    assert at == len(lines)


@given(TEXT, TEXT)
def test_spans_of_two_texts(original: str, text: str) -> None:
    check(original, text, list(spans_of(original, text)))


@given(TEXT, TEXT, st.lists(st.integers(1, 9), min_size=1))
def test_spans_of_a_growing_text(original: str, text: str, widths: list[int]) -> None:
    writer, spans, at = SpanWriter(original), list[FileSpan](), 0
    for width in widths * len(text):
        spans += writer.feed(text[at : at + width])
        at += width
    check(original, text, spans + writer.finish())


def test_a_line_that_changes_is_all_that_is_replaced() -> None:
    old = "".join(f"{n}\n" for n in range(100))
    new = old.replace("50\n", "fifty\n")
    writer = SpanWriter(old)
    changed = [span for span in writer.feed(new) + writer.finish() if not span.is_kept]
    assert changed == [FileSpan(50, 51, "fifty\n", False)]
    assert [span for span in spans_of(old, new) if not span.is_kept] == changed


def test_one_long_line_in_many_pieces_takes_linear_time() -> None:
    writer = SpanWriter("x" * 1_000_000)
    for _ in range(100_000):
        assert writer.feed("xxxxxxxxxx") == []
    assert writer.finish() == [FileSpan(0, 1, "x" * 1_000_000, True)]
