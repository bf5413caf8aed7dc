"""The proposer as vLLM calls it, with outputs that are known instead of a model."""

from __future__ import annotations

import logging
from statistics import median

import numpy as np
import pytest

from fastedit.errors import EngineUnavailable
from fastedit.targets.codec import TokenizerCodec
from fastedit.targets.synthetic import make_tokenizer
from fastedit.targets.templates import KORTIX, PromptTemplate, Turn, prompt_tokens
from fastedit.vllm import Proposer
from support.rows import Row, config_for, run

LIMIT = 127
MAX_STEP_MS = 0.2


def original_of(number, num_functions=40):
    functions = [
        f"def function_{number}_{index}(first, second):\n    total = first * {index} + second\n    return total\n\n\n"
        for index in range(num_functions)
    ]
    return "".join(functions)


def edit_of(number, index, line):
    return (
        f"# ... existing code ...\ndef function_{number}_{index}(first, second):\n    {line}\n"
        "    return total\n\n\n# ... existing code ...\n"
    )


@pytest.fixture(scope="module")
def tokenizer():
    return make_tokenizer((original_of(1), edit_of(1, 1, "total = 1")), 500)


@pytest.fixture(scope="module")
def codec(tokenizer):
    return TokenizerCodec(tokenizer.backend_tokenizer)


@pytest.fixture(scope="module")
def folder(tokenizer, tmp_path_factory):
    folder = tmp_path_factory.mktemp("target")
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture
def made():
    """Makes proposers for a tokenizer's folder, and ends them with the test."""
    proposers = []

    def make(folder, **changes):
        proposers.append(Proposer(config_for(folder, **changes)))
        return proposers[-1]

    yield make
    for proposer in proposers:
        proposer.close()


@pytest.fixture
def proposer(made, folder):
    return made(folder)


def row_for(tokenizer, codec, number=1, index=20, line="total = second - first", written=None):
    """A Kortix prompt, and the output that its edit means, or one with the line `written` instead."""
    original, edit = original_of(number), edit_of(number, index, line)
    old = f"    total = first * {index} + second\n"
    merged = original.replace(old, f"    {written or line}\n")
    assert merged != original
    output = [*codec.encode(f"<updated-code>{merged}</updated-code>"), tokenizer.eos_token_id]
    return Row(prompt_tokens(KORTIX, tokenizer, codec, original, edit), output)


def num_needed(row):
    """The fewest passes: the first gives one token, each other one a whole draft and one."""
    return 1 + -(-(len(row.output) - 1) // (LIMIT + 1))


def test_the_merged_draft_is_written_in_as_few_passes_as_there_can_be(proposer, tokenizer, codec):
    row = row_for(tokenizer, codec)
    run(proposer, [row])
    # One more: the first draft is proposed before the merged one is there.
    assert row.num_steps <= num_needed(row) + 1
    assert row.num_accepted >= 0.9 * row.num_drafted


def test_after_a_divergence_the_draft_goes_on(proposer, tokenizer, codec):
    written = "total = (second - first) * 2"
    row = row_for(tokenizer, codec, written=written)
    run(proposer, [row])
    # At worst each token of the new line takes a pass; what comes behind it must not.
    assert row.num_steps <= num_needed(row) + len(codec.encode(written))


def test_rows_are_known_again_wherever_they_stand(proposer, tokenizer, codec):
    rows = [row_for(tokenizer, codec, number, 5 + number) for number in range(6)]
    run(proposer, rows, seed=3)
    assert all(row.num_steps <= num_needed(row) + 2 for row in rows)


def test_equal_prompts_may_run_side_by_side(proposer, tokenizer, codec):
    rows = [row_for(tokenizer, codec), row_for(tokenizer, codec), row_for(tokenizer, codec, written="total = 0")]
    run(proposer, rows, seed=4)
    assert all(row.num_steps <= num_needed(row) + 8 for row in rows)


def test_a_row_still_reading_its_prompt_gets_no_draft(proposer, tokenizer, codec):
    prompt = row_for(tokenizer, codec).prompt
    table = np.array([prompt], np.int32)
    assert proposer.propose([[]], np.array([len(prompt)], np.int32), table) == [[]]


def test_a_prediction_in_the_prompt_is_proposed(proposer, tokenizer, codec):
    text = original_of(7)
    template = PromptTemplate("test", (Turn("user", f"Say it.\n<prediction>\n{text}</prediction>"),))
    row = Row(
        prompt_tokens(template, tokenizer, codec, "", ""),
        [*codec.encode(text.replace("second\n", "third\n", 1)), tokenizer.eos_token_id],
    )
    run(proposer, [row])
    assert row.num_steps <= num_needed(row) + 6


def test_a_prompt_that_asks_for_no_edit_is_looked_up_only(proposer, tokenizer, codec):
    template = PromptTemplate("test", (Turn("user", "Repeat: " + "one two three four five six seven. " * 3),))
    row = Row(
        prompt_tokens(template, tokenizer, codec, "", ""), codec.encode("one two three four five six seven. " * 9)
    )
    run(proposer, [row])
    assert row.num_steps < len(row.output) / 4


def test_no_draft_reaches_beyond_the_longest_text(made, folder, tokenizer, codec):
    row = row_for(tokenizer, codec)
    longest = len(row.prompt) + 200
    proposer = made(folder, max_tokens=longest)
    row.output = row.output[:199]
    run(proposer, [row], max_tokens=longest)
    table = np.array([[*row.prompt, *row.output, 7]], np.int32)
    assert proposer.propose([[7]], np.array([longest], np.int32), table) == [[]]


def test_with_many_requests_at_once_drafts_are_as_short_as_the_schedule_says(made, folder, tokenizer, codec):
    proposer = made(folder, schedule=[(1, 1, 127), (2, 2, 8), (3, 8, 0)])
    rows = [row_for(tokenizer, codec, number) for number in range(3)]
    most = {}
    plain = proposer.propose

    def watched(sampled, *rest):
        drafts = plain(sampled, *rest)
        most[len(sampled)] = max(most.get(len(sampled), 0), *map(len, drafts))
        return drafts

    proposer.propose = watched
    rows[1].output, rows[2].output = rows[1].output[:400], rows[2].output[:40]
    run(proposer, rows, seed=2)
    assert most == {3: 0, 2: 8, 1: 127}
    # The first 40 tokens one by one, 360 by 9 each, the rest by 128 each.
    assert rows[0].num_steps <= 40 + 50 + num_needed(rows[0]) + 2


def test_only_the_first_rank_drafts(made, folder, tokenizer, codec):
    row = row_for(tokenizer, codec)
    run(made(folder, rank=1), [row])
    assert row.num_steps == len(row.output)


@pytest.mark.parametrize("has_tokenizer", [True, False])
def test_without_a_tokenizer_there_is_look_up_and_one_line_in_the_log(
    made, has_tokenizer, tmp_path, tokenizer, codec, caplog
):
    with caplog.at_level(logging.WARNING):
        proposer = made(tmp_path / "empty", has_tokenizer=has_tokenizer)
    assert len(caplog.messages) == 1
    assert "\n" not in caplog.messages[0]
    row = row_for(tokenizer, codec)
    run(proposer, [row])
    assert row.num_steps < len(row.output) / 4


def test_a_folder_with_its_own_template_is_read_by_it(made, tokenizer, codec, tmp_path):
    own = PromptTemplate("own", (Turn("user", "FILE {original} CHANGE {edit} DONE"),), "[", "]")
    tokenizer.save_pretrained(tmp_path)
    (tmp_path / "fastedit.json").write_text(
        '{"messages": [{"role": "user", "content": "FILE {original} CHANGE {edit} DONE"}],'
        ' "answer_open": "[", "answer_close": "]"}'
    )
    row = row_for(tokenizer, codec)
    row.prompt = prompt_tokens(own, tokenizer, codec, original_of(1), edit_of(1, 20, "total = second - first"))
    merged = codec.text(row.output).removeprefix("<updated-code>").removesuffix("</updated-code>")
    row.output = [*codec.encode(f"[{merged}]"), tokenizer.eos_token_id]
    run(made(tmp_path, model=tmp_path), [row])
    assert row.num_steps <= num_needed(row) + 1


def test_a_template_that_is_none_is_named(made, folder, tmp_path):
    (tmp_path / "fastedit.json").write_text('{"messages": []}')
    with pytest.raises(EngineUnavailable, match=r"fastedit\.json is no prompt template"):
        made(folder, model=tmp_path)


def test_a_token_that_the_tokenizer_lacks_ends_the_drafts_and_nothing_else(proposer, tokenizer, codec):
    row = row_for(tokenizer, codec)
    row.output = [*row.output[:50], 100_000, *row.output[50:]]
    run(proposer, [row])
    assert row.num_steps < len(row.output)


def test_a_step_costs_next_to_nothing(proposer, tokenizer, codec):
    rows = [row_for(tokenizer, codec, number, 30, written="total = third") for number in range(4)]
    taken = run(proposer, rows, seed=1)
    assert 1000 * median(taken) < MAX_STEP_MS


def test_a_process_that_died_is_replaced_and_its_prompt_looked_up(proposer, tokenizer, codec, caplog):
    row = row_for(tokenizer, codec)
    run(proposer, [row])
    maker = proposer._maker
    maker._process.kill()
    run(proposer, [row_for(tokenizer, codec, 2)])
    assert "its process has ended" in caplog.messages[-1]
    row = row_for(tokenizer, codec, 3)
    run(proposer, [row])
    assert row.num_steps <= num_needed(row) + 1
