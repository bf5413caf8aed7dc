from __future__ import annotations

from dataclasses import replace

import pytest

from fastedit.decode import EditRequest, Sampling, decode_request, make_engine, shared_engine, submit, verify_draft
from fastedit.decode.controller import CostTable
from fastedit.decode.engine import Engine
from fastedit.decode.passes import Verdict
from fastedit.decode.runner import ModelRunner
from fastedit.decode.settings import EngineSettings
from fastedit.draft import Draft, Kind
from fastedit.errors import Code, EngineUnavailable, InputRefused, ResultRefused
from fastedit.targets import TEMPLATES
from support.tiny_targets import FLAT_COSTS, Tiny

SETTINGS = EngineSettings(num_slots=2, slot_len=2048, min_slot_len=16)
ORIGINAL = "def area(width):\n    return width\n"
EDITED = "def area(width, height):\n    return width * height\n"
EDIT = "```python\n" + EDITED + "```"


class Scripted:
    """A runner whose target writes a given answer; everything else is the real one's."""

    def __init__(self, inner, prompt_len, output):
        self.inner, self.prompt_len, self.output = inner, prompt_len, output

    num_slots = property(lambda self: self.inner.num_slots)
    slot_len = property(lambda self: self.inner.slot_len)
    max_len = property(lambda self: self.inner.max_len)
    fallbacks = property(lambda self: self.inner.fallbacks)
    step_widths = property(lambda self: self.inner.step_widths)

    def append(self, appends):
        self.inner.append(appends)
        return [self.verdict(append) if append.num_rows else None for append in appends]

    def verdict(self, append):
        first = append.first_position - self.prompt_len
        own = [self.output[min(max(at, 0), len(self.output) - 1)] for at in range(first, first + append.num_rows)]
        return Verdict.of(own, append.draft)

    def copy_prefix(self, *where):
        self.inner.copy_prefix(*where)

    def move(self, *where):
        self.inner.move(*where)

    def release_memory(self):
        pass


@pytest.fixture
def answering(tiny: Tiny):
    def make(answer, request):
        target = replace(tiny.target, template=TEMPLATES["kortix"])
        runner = ModelRunner(target, SETTINGS)
        prompt_len = len(decode_request(target, request, 2048).prompt)
        output = [*target.codec.encode(answer), target.stop_tokens[0]]
        return target, Engine(Scripted(runner, prompt_len, output), tiny.vocabulary, SETTINGS, CostTable(FLAT_COSTS))

    return make


def decoded(target, engine, request):
    engine.start()
    try:
        return verify_draft(target, request, engine)
    finally:
        engine.close()


def test_the_new_file_comes_without_tags(answering):
    request = EditRequest(ORIGINAL, EDIT, (Draft(EDITED),))
    result = decoded(*answering(f"<updated-code>{EDITED}</updated-code>", request), request)
    assert result.text == EDITED
    assert (result.stats.passes, result.stats.divergences) == (1, 0)


def test_the_original_is_the_draft_where_none_is_given(answering):
    request = EditRequest(ORIGINAL, EDIT, snippets=(EDITED,))
    result = decoded(*answering(f"<updated-code>{EDITED}</updated-code>", request), request)
    assert result.text == EDITED
    assert result.stats.accepted > 20


def test_text_streams_without_tags(answering):
    request = EditRequest(ORIGINAL, EDIT, speculate=False)
    target, engine = answering(f"<updated-code>{EDITED}</updated-code>", request)
    engine.start()
    pieces = list(submit(target, request, engine).stream())
    engine.close()
    assert "".join(pieces) == EDITED
    assert len(pieces) > 10


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (f"<updated-code>{EDITED}", Code.TRUNCATION_DETECTED),  # no closing tag
        (EDITED, Code.TRUNCATION_DETECTED),
        ("I can't do that.", Code.TRUNCATION_DETECTED),
        ("<updated-code>" + "again\n" * 500, Code.TRUNCATION_DETECTED),  # runs into the output's limit
    ],
)
def test_what_is_no_answer_is_refused(answering, answer, code):
    request = EditRequest(ORIGINAL, EDIT, (Draft(EDITED),))
    with pytest.raises(ResultRefused) as refused:
        decoded(*answering(answer, request), request)
    assert refused.value.code == code


def test_an_empty_original_is_no_error(answering):
    request = EditRequest("", EDIT, (Draft(EDITED),))
    assert decoded(*answering(f"<updated-code>{EDITED}</updated-code>", request), request).text == EDITED


def test_a_draft_longer_than_the_output_may_be_is_refused(tiny):
    with pytest.raises(InputRefused, match=r"draft has \d+ tokens.*may have 10") as refused:
        decode_request(tiny.target, EditRequest(ORIGINAL, EDIT, (Draft(EDITED),), max_new_tokens=10), 2048)
    assert refused.value.code == Code.TOO_LARGE


def test_a_prompt_over_the_context_is_refused(tiny):
    engine = make_engine(tiny.target, SETTINGS)
    with pytest.raises(InputRefused, match="hold 4096") as refused:
        submit(tiny.target, EditRequest("x = 1\n" * 1000, EDIT), engine)
    assert refused.value.code == Code.TOO_LARGE


def test_the_output_may_take_what_the_slot_has_left(tiny):
    request = EditRequest(ORIGINAL, EDIT, (Draft(EDITED),))
    generous = decode_request(tiny.target, request, 100_000)
    expected = len(tiny.target.codec.encode(generous.drafts[0].text)) + 1
    assert generous.max_new_tokens > expected + 100
    tight = decode_request(tiny.target, request, len(generous.prompt) + expected + 10)
    assert tight.max_new_tokens == expected + 10


def test_offsets_of_a_draft_move_with_its_tag(tiny):
    target = replace(tiny.target, template=TEMPLATES["kortix"])
    request = decode_request(target, EditRequest(ORIGINAL, EDIT, (Draft("abcdef", edges=(2,), boundaries=(0,)),)), 2048)
    draft = request.drafts[0]
    assert draft.text[draft.edges[0] :].startswith("cdef")
    assert draft.text[draft.boundaries[0] :].startswith("abc")


def test_requests_of_a_target_share_an_engine(tiny):
    engine = shared_engine(tiny.target, SETTINGS)
    assert shared_engine(tiny.target) is engine
    request = EditRequest("a = 1\n", "a = 2", (Draft("a = 2\n", Kind.MERGED),), max_new_tokens=60)
    with pytest.raises(ResultRefused):  # random weights never close the tag
        verify_draft(tiny.target, request)
    with pytest.raises(EngineUnavailable):
        verify_draft(tiny.target, EditRequest("a\n", "b", deadline_s=0.0))


def test_sampled_requests_are_reproducible(tiny):
    engine = make_engine(tiny.target, SETTINGS)
    request = EditRequest("a\n", "b", sampling=Sampling(temperature=1.0, seed=3), max_new_tokens=20)
    outputs = []
    for drafts in ((), (Draft("something else"),)):
        asked = EditRequest(request.original, request.edit, drafts, sampling=request.sampling, max_new_tokens=60)
        handle = engine.submit(decode_request(tiny.target, asked, 2048))
        while engine.step():
            pass
        outputs.append(handle.result(0).tokens)
    assert outputs[0] == outputs[1]
