"""The target that comes with FastEdit: loads by itself, merges, and is what its model card says it is."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import fastedit
from fastedit.decode.request import EditRequest, decode_request
from fastedit.draft.model import Draft, Kind
from fastedit.edits import parse_message
from fastedit.guard.verdict import VERIFIED_CERTAINTY
from fastedit.lines import split_lines
from fastedit.targets import Target
from fastedit.targets.default import EMBEDDED_FOLDER
from fastedit.targets.marks import FIRST, NUM_MARKS
from fastedit.verify.excerpts import excerpts_of
from fastedit.verify.windows import whole_file

MAX_BYTES = 48 * 10**6
EXAMPLES = Path(__file__).parents[2] / "examples"
ORIGINAL, EDIT, MERGED = (
    (EXAMPLES / "small-python" / name).read_text("utf-8")
    for name in ("original/files.py", "edit.md", "expected/files.py")
)


class Obeying:
    """A logits processor that leaves only the token that counts."""

    def __init__(self, constraint, num_prompt):
        self.constraint, self.num_prompt = constraint, num_prompt

    def __call__(self, input_ids, scores):
        state = self.constraint.start
        for token in input_ids[0, self.num_prompt :].tolist():
            _, state = self.constraint.choose(state, token)
        token, _ = self.constraint.choose(state, int(scores[0].argmax()))
        only = torch.full_like(scores, -torch.inf)
        only[0, token] = 0.0
        return only


@pytest.fixture(scope="module")
def target():
    return Target.load("embedded")


def test_is_small_and_has_a_model_card():
    files = [path for path in EMBEDDED_FOLDER.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < MAX_BYTES
    card = (EMBEDDED_FOLDER / "README.md").read_text("utf-8")
    assert all(heading in card for heading in ("## How it stands", "## Data", "## Limits"))


def test_confirms_a_draft_in_one_go_and_calls_verified_only_what_is_nearly_certain(target):
    applied = fastedit.apply(ORIGINAL, EDIT, path="files.py", target=target)
    assert (applied.text, applied.warnings) == (MERGED, ())
    assert applied.strategy == ("verified" if applied.stats.certainty >= VERIFIED_CERTAINTY else "structural")
    assert applied.stats.accepted == applied.stats.drafted > 90
    alone = fastedit.apply(ORIGINAL, EDIT, path="files.py", mode="structural").stats.certainty
    assert applied.stats.certainty == pytest.approx(target.word.certainty(alone, is_agreed=True))
    assert 1 < target.word.agrees < 10


def test_finds_the_result_by_itself(target):
    applied = fastedit.apply(ORIGINAL, EDIT, path="files.py", target=target, mode="model", scope="file")
    assert (applied.text, applied.strategy) == (MERGED, "model")


def test_writes_what_transformers_would(target):
    """With the same constraint put into `generate`."""
    from transformers import AutoModelForCausalLM, LogitsProcessorList

    from fastedit.decode import verify_draft

    exact = Target.load("embedded", dtype="float32")
    (excerpt,) = excerpts_of(parse_message(EDIT)[0], [whole_file(split_lines(ORIGINAL), (), ())], split_lines(ORIGINAL))
    drafts = (Draft(ORIGINAL, Kind.ORIGINAL),)
    asked = EditRequest(ORIGINAL, excerpt.text, drafts, (), excerpt.elisions, excerpt.codes)
    request = decode_request(exact, asked, 2048)
    model = AutoModelForCausalLM.from_pretrained(EMBEDDED_FOLDER, dtype=torch.float32, local_files_only=True)
    prompt = torch.tensor([request.prompt])
    obeying = LogitsProcessorList([Obeying(request.constraint, prompt.shape[1])])
    limit = request.max_new_tokens
    output = model.generate(prompt, do_sample=False, max_new_tokens=limit, logits_processor=obeying)[0]
    output = output[prompt.shape[1] :]
    assert verify_draft(exact, asked).tokens == tuple(output.tolist())


@given(st.text(max_size=200))
def test_any_text_comes_back_from_its_tokens(target, text):
    assert target.codec.text(target.codec.encode(text)) == text.encode("utf-8", errors="replace").decode("utf-8")


def test_has_one_token_for_each_mark_and_for_what_an_edit_elides(target):
    marks = "".join(map(chr, range(FIRST, FIRST + NUM_MARKS)))
    assert len(set(target.codec.encode(marks))) == NUM_MARKS
    assert target.codec.special_id(str(target.template.elision)) is not None


def test_without_a_name_it_is_never_asked(monkeypatch):
    monkeypatch.setattr("fastedit.targets.default._chosen", "embedded")
    monkeypatch.setattr("fastedit.targets.default._is_named", False)
    assert fastedit.apply(ORIGINAL, EDIT, path="files.py").stats.passes == 0
    original, edit = (EXAMPLES / "lazy-python" / name for name in ("original/inventory.py", "edit.md"))
    applied = fastedit.apply(original.read_text("utf-8"), edit.read_text("utf-8"), path="inventory.py")
    assert applied.text == (EXAMPLES / "lazy-python" / "expected" / "inventory.py").read_text("utf-8")
    assert applied.stats.passes == 0


def test_with_its_name_it_checks_every_draft(monkeypatch):
    monkeypatch.setattr("fastedit.targets.default._chosen", "embedded")
    monkeypatch.setattr("fastedit.targets.default._is_named", True)
    assert fastedit.apply(ORIGINAL, EDIT, path="files.py").stats.passes > 0
