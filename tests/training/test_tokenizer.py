from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastedit.targets.codec import TokenizerCodec
from fastedit.targets.templates import PLAIN
from fastedit.training.tokenizer import SPECIAL_TOKENS, train_tokenizer

CODE = (
    "class Shape:\n    def area(self, width=10):\n        return self.width * width\n\n\n"
    "func main() {\n\tif x == nil {\n\t\treturn err\n\t}\n}\n"
)


@pytest.fixture(scope="module")
def codec():
    return TokenizerCodec(train_tokenizer([CODE] * 20, 400).backend_tokenizer)


@given(st.text())
def test_any_text_comes_back(codec, text):
    assert codec.text(codec.encode(text)) == text.encode("utf-8", "replace").decode()


@given(st.lists(st.text(alphabet="ab \t\n(_.1é", max_size=12), max_size=6))
def test_lines_are_tokenised_alone(codec, lines):
    """What a drafter relies on: a text's tokens are its lines' tokens."""
    text = "\n".join(lines)
    assert codec.encode(text) == [token for line in text.splitlines(keepends=True) for token in codec.encode(line)]


def test_a_line_begins_with_its_indentation(codec):
    pieces = [codec.piece(token) for token in codec.encode("\n        return x1\n")]
    assert pieces[0] == b"\n"
    assert b"".join(pieces[1 : 1 + sum(piece.isspace() for piece in pieces[1:-1])]) == b" " * 8
    assert pieces[-2:] == [b"1", b"\n"]


def test_has_the_template_s_special_tokens(codec):
    for token in SPECIAL_TOKENS:
        assert codec.special_id(token) is not None
        assert token in ("<|pad|>", "<|end|>", PLAIN.elision) or token in PLAIN.messages[0].content
