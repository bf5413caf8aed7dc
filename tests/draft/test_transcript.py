from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fastedit.draft import Transcript


class ByteCodec:
    def encode(self, text):
        return list(text.encode())

    def piece(self, token):
        return bytes((token,))


@given(text=st.text(max_size=40), cuts=st.lists(st.integers(0, 200), max_size=8))
def test_streamed_text_is_whole_characters_and_adds_up(text, cuts):
    data = text.encode()
    transcript = Transcript(ByteCodec())
    streamed, at, byte = "", 0, 0
    for cut in [*sorted(min(cut, len(data)) for cut in cuts), len(data)]:
        transcript.extend(data[at:cut])
        at = cut
        piece, byte = transcript.whole_text(byte)
        streamed += piece
        assert text.startswith(streamed)
    assert streamed == text


def test_bytes_that_are_no_text_are_given_out_as_such():
    transcript = Transcript(ByteCodec())
    transcript.extend(b"a\xff\x80b")
    assert transcript.whole_text() == ("a\ufffd\ufffdb", 4)


def test_knows_where_tokens_and_lines_begin():
    transcript = Transcript(ByteCodec())
    transcript.extend(b"ab\ncd")
    assert [transcript.start_of(index) for index in (0, 3, 5)] == [0, 3, 5]
    assert [transcript.line_start(byte) for byte in (0, 2, 3, 5)] == [0, 0, 3, 3]
