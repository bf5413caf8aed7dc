from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from fastedit.errors import Code, EngineUnavailable
from fastedit.targets import TokenizerCodec
from fastedit.targets.synthetic import make_tokenizer

TEXTS = ["def f(x):\n    return x + 1\n" * 5, "naïve → 'quoted' \t 12\r\n"]


def byte_level():
    return make_tokenizer(TEXTS, 350).backend_tokenizer


def sentence_piece():
    """Like Llama 2's: a space mark before every word, bytes for what the vocabulary lacks."""
    tokenizer = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    byte_tokens = [f"<0x{byte:02X}>" for byte in range(256)]
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=["<unk>", "<s>", "</s>", *byte_tokens], show_progress=False
    )
    tokenizer.train_from_iterator(["def f(x): return x + 1", "name value"], trainer)
    spec = Tokenizer.from_str(tokenizer.to_str().replace('"special":true', '"special":true'))
    spec.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return _with_bytes_as_ordinary_tokens(spec, byte_tokens)


def _with_bytes_as_ordinary_tokens(tokenizer, byte_tokens):
    import json

    spec = json.loads(tokenizer.to_str())
    spec["added_tokens"] = [token for token in spec["added_tokens"] if token["content"] not in byte_tokens]
    return Tokenizer.from_str(json.dumps(spec))


@pytest.fixture(scope="module", params=[byte_level, sentence_piece])
def codec(request):
    return TokenizerCodec(request.param())


texts = st.text(st.sampled_from("aedfx(): \n\t\r1é→😀'<|im_end>\u2028\x00"), max_size=40)


@given(text=texts)
def test_pieces_are_the_texts_bytes(codec, text):
    tokens = codec.encode(text)
    assert b"".join(map(codec.piece, tokens)) == text.encode()
    assert codec.text(tokens) == text


@given(text=texts)
def test_special_tokens_in_a_text_are_text(codec, text):
    for special in codec.special_contents:
        tokens = codec.encode(text + special + text)
        assert codec.special_id(special) not in tokens
        assert codec.text(tokens) == text + special + text


def test_a_continuation_gets_no_space_before_it(codec):
    assert codec.text(codec.encode("value")) == "value"
    assert codec.text(codec.encode(" value")) == " value"


def test_special_tokens_are_empty_pieces(codec):
    for content in codec.special_contents:
        assert codec.piece(codec.special_id(content)) == b""


@pytest.mark.parametrize("make", [byte_level, sentence_piece])
def test_added_tokens_that_are_not_special_keep_their_text(make):
    tokenizer = make()
    tokenizer.add_tokens(["÷", "<think>", "        ", AddedToken("§ ", rstrip=True)])
    codec = TokenizerCodec(tokenizer)
    ids = [codec.special_id(content) for content in ("÷", "<think>", "        ", "§ ")]
    assert [codec.piece(token) for token in ids] == ["÷".encode(), b"<think>", b" " * 8, "§ ".encode()]
    text = "a ÷ b <think>\n        return §  1\n"
    tokens = codec.encode(text)
    assert codec.text(tokens) == text
    if make is byte_level:  # what is text is read as the target was taught to; what looks like markup is characters
        assert [token in tokens for token in ids] == [True, False, True, False]


@pytest.mark.parametrize("token", [-1, 10**6])
def test_an_unknown_token_is_an_engine_error(codec, token):
    with pytest.raises(EngineUnavailable) as failed:
        codec.piece(token)
    assert failed.value.code == Code.ENGINE_ERROR


def test_what_stands_before_every_text_is_known():
    assert TokenizerCodec(byte_level()).lead_tokens == ()
    assert TokenizerCodec(sentence_piece()).lead_tokens == (1,)


def test_other_tokenizers_are_refused():
    tokenizer = Tokenizer(models.WordLevel({"a": 0, "[UNK]": 1}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    with pytest.raises(EngineUnavailable) as refused:
        TokenizerCodec(tokenizer)
    assert refused.value.code == Code.TARGET_UNAVAILABLE


def test_what_a_caller_does_to_its_tokens_is_its_own_business():
    """Long texts are remembered, not shared."""
    codec = TokenizerCodec(byte_level())
    text = TEXTS[0] * 20
    first = codec.encode(text)
    expected = list(first)
    first.append(7)
    assert codec.encode(text) == expected
