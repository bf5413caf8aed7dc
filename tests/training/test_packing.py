from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from fastedit.errors import SettingsError
from fastedit.targets.codec import TokenizerCodec
from fastedit.targets.marks import end_mark, mark
from fastedit.targets.templates import MARKED, PLAIN
from fastedit.training.documents import TokenizedExample, read_shard, shards_in, write_shards
from fastedit.training.packing import choices_of, pack, rows
from fastedit.training.tokenizer import train_tokenizer

ROW = 96


def document(number: int, length: int, num_prompt: int) -> TokenizedExample:
    return TokenizedExample(np.arange(1000 * number, 1000 * number + length, dtype=np.uint32), num_prompt)


def documents(sizes: list[tuple[int, int]]) -> list[TokenizedExample]:
    return [document(number, prompt + answer, prompt) for number, (prompt, answer) in enumerate(sizes)]


SIZES = st.lists(st.tuples(st.integers(1, 60), st.integers(1, 50)), max_size=12)


def test_a_row_tells_what_follows_each_output_place():
    row = pack([document(0, 5, 3), document(1, 4, 1)], ROW)
    assert row.tokens[0, :9].tolist() == [0, 1, 2, 3, 4, 1000, 1001, 1002, 1003]
    assert row.positions[0, :9].tolist() == [0, 1, 2, 3, 4, 0, 1, 2, 3]
    assert row.bounds[:4].tolist() == [0, 5, 9, 9]
    assert row.outputs.tolist() == [2, 3, 5, 6, 7]
    assert row.targets.tolist() == [3, 4, 1001, 1002, 1003]
    assert row.documents.tolist() == [0, 0, 1, 1, 1]
    assert row.num_tokens == 9


def test_refuses_what_does_not_fit():
    with pytest.raises(ValueError, match="97"):
        pack([document(0, 97, 3)], ROW)


@given(SIZES)
def test_every_document_that_fits_is_in_exactly_one_row(sizes):
    all_documents = documents(sizes)
    packed = list(rows(iter(all_documents), ROW))
    starts = [int(row.tokens[0, bound]) for row in packed for bound in row.bounds.unique()[:-1]]
    assert sorted(starts) == [int(one.tokens[0]) for one in all_documents if len(one) <= ROW]
    assert all(len(row.bounds) == len(packed[0].bounds) for row in packed)
    assert all(torch.equal(row.targets, row.tokens[0, row.outputs + 1]) for row in packed)


@given(SIZES)
def test_shards_give_back_what_was_written(tmp_path_factory, sizes):
    folder = tmp_path_factory.mktemp("shards")
    written = documents(sizes)
    assert write_shards(written, folder) == len(shards_in(folder))
    read = [one for path in shards_in(folder) for one in read_shard(path)]
    assert [one.tokens.tolist() for one in read] == [one.tokens.tolist() for one in written]
    assert [one.num_prompt for one in read] == [one.num_prompt for one in written]


def test_of_an_answer_with_line_marks_only_what_is_chosen_counts():
    tokenizer = train_tokenizer(["ab cd ef"] * 9, 300)
    codec = TokenizerCodec(tokenizer.backend_tokenizer)
    answer = codec.encode(f"{mark(3)}ab\n{end_mark(mark(3))}{mark(4)}{mark(9)}cd\n{end_mark(mark(4))}")
    end = int(tokenizer.eos_token_id)
    tokens = np.array([7, 8, *answer, end], dtype=np.uint32)
    row = pack([TokenizedExample(tokens, 2)], 64, choices_of(MARKED, tokenizer))
    chosen = [mark(3), "ab", mark(4), mark(9), "cd"]
    assert row.targets.tolist() == [*(codec.encode(one)[0] for one in chosen), end]
    assert tokens[row.outputs + 1].tolist() == row.targets.tolist()
    assert choices_of(PLAIN, tokenizer) is None


def test_documents_without_anything_to_choose_are_refused():
    choices = choices_of(MARKED, train_tokenizer(["ab cd ef"] * 9, 300))
    with pytest.raises(SettingsError, match="line marks"):
        pack([TokenizedExample(np.array([7, 8, 9], dtype=np.uint32), 1)], 64, choices)
