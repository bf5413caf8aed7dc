"""The Replay target answers from known outputs, and the engine follows it with any draft."""

from __future__ import annotations

import pytest

from evals.speed.pairs import derived_pairs, snippets_of
from evals.speed.passes import count_passes, from_originals
from evals.speed.replay import ReplayRunner, Trace
from fastedit.decode.request import DecodeRequest
from fastedit.decode.runner import ModelRunner
from fastedit.decode.settings import EngineSettings
from fastedit.draft import Draft, Kind

SETTINGS = EngineSettings(num_slots=4, slot_len=1024, min_slot_len=16)


@pytest.mark.parametrize("batch", [1, 3])
def test_known_outputs_come_out_whatever_the_draft(tiny, batch):
    replay = ReplayRunner(ModelRunner(tiny.target, SETTINGS))
    engine = tiny.engine(SETTINGS, replay)
    prompt = tuple(range(10, 40))
    texts = [f"def f{number}(x):\n    return x + {number}\n" for number in range(batch)]
    for drafts in ((), (Draft(texts[0]),), (Draft("quite different", Kind.ORIGINAL),)):
        traces = [Trace(prompt, (*tiny.target.codec.encode(text), tiny.target.stop_tokens[0])) for text in texts]
        replay.traces += traces
        handles = [engine.submit(DecodeRequest(prompt, 100, drafts)) for _ in texts]
        while engine.step():
            pass
        assert [handle.result(0).tokens for handle in handles] == [trace.output for trace in traces]


def test_derived_pairs_differ_in_a_few_places(tiny):
    pairs = derived_pairs(6)
    assert all(0 < pair.changed_share < 0.2 for pair in pairs)
    assert pairs == derived_pairs(6)
    count = count_passes(from_originals(pairs), tiny.target.codec)
    assert count.num_places > 5
    assert count.num_least < count.passes
    assert count.passes_per_place <= 2.5


def test_snippets_are_cut_at_markers():
    message = "Do this:\n```python\na = 1\n# ... existing code ...\nb = 2\n```\nand\n```diff\n@@\n-c\n+d\n e\n```\n"
    assert snippets_of(message) == ("a = 1\n", "b = 2\n", "d\ne\n")
    blocks = "<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n"
    assert snippets_of(blocks) == ("old\n", "new\n")
