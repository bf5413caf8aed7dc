"""An edit request in a target's own words and tokens, and its answer as the new file. Imports no torch: the target may
be computed elsewhere."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fastedit.decode.request import DecodeRequest, DecodeResult, EditRequest, Handle
from fastedit.draft.model import Draft, Kind
from fastedit.errors import Code, EditRefused, InputRefused, ResultRefused
from fastedit.targets.answer import AnswerStream, extract_answer
from fastedit.targets.copying import line_copying
from fastedit.targets.marks import LineMarks, has_marks, shifted_offsets

if TYPE_CHECKING:
    from fastedit.targets.askable import Askable

OUTPUT_SLACK = 128  # tokens that an output may have beyond draft and edit


def decode_request(target: Askable, request: EditRequest, max_len: int) -> DecodeRequest:
    """The request in the target's own words and tokens, limited to `max_len` with its output.

    InputRefused(TOO_LARGE), with both numbers, where the draft is longer than the output may be.
    """
    original = request.original
    marks = _marks_of(request) if target.template.has_marks else None
    if marks is not None:
        request = _marked(request, marks)
    # Where a merged draft turns out wrong, the bare original is often right again.
    drafts = (*request.drafts, Draft(request.original, Kind.ORIGINAL))
    wrapped = tuple(_wrapped(draft, target) for draft in drafts)
    num_expected = len(target.codec.encode(wrapped[0].text)) + 1
    prompt = tuple(target.prompt(request.original, request.edit, request.instruction, request.elisions))
    constraint = line_copying(target.codec, prompt, marks.original_numbers) if marks is not None else None
    limit = request.max_new_tokens
    if limit is None:
        generous = num_expected + len(target.codec.encode(request.edit)) + OUTPUT_SLACK
        limit = max(num_expected, min(generous, max_len - len(prompt)))
    elif request.drafts and limit < num_expected:
        raise InputRefused(Code.TOO_LARGE, f"The draft has {num_expected} tokens; the output may have {limit}.")
    return DecodeRequest(
        prompt=prompt,
        max_new_tokens=limit,
        drafts=wrapped,
        snippets=request.snippets or (request.edit,),
        original=original,
        sampling=request.sampling,
        speculate=request.speculate,
        max_chunk=request.max_chunk,
        max_passes=request.max_passes,
        deadline_s=request.deadline_s,
        constraint=constraint,
    )


def _marks_of(request: EditRequest) -> LineMarks:
    """The marks of a request's lines; InputRefused(NOT_TEXT) where its texts hold such marks."""
    if has_marks(request.original + request.edit + "".join(draft.text for draft in request.drafts)):
        raise InputRefused(Code.NOT_TEXT, "The texts have private-use characters that the target needs itself.")
    return LineMarks(request.original, request.edit, request.elisions, request.codes)


def _marked(request: EditRequest, marks: LineMarks) -> EditRequest:
    """The request as a target with line marks is asked it."""
    drafts = tuple(_with_marks(draft, marks) for draft in request.drafts)
    edit, elisions = marks.marked_edit
    # No snippets: they have no marks, and what is looked up in them would be refused at each line's start.
    return replace(request, original=marks.marked_original, edit=edit, elisions=elisions, drafts=drafts, snippets=())


def _with_marks(draft: Draft, marks: LineMarks) -> Draft:
    text = marks.marked_text(draft.text)
    edges, boundaries = shifted_offsets(draft.edges, text), shifted_offsets(draft.boundaries, text)
    return replace(draft, text=text, edges=edges, boundaries=boundaries)


def _wrapped(draft: Draft, target: Askable) -> Draft:
    """The draft as a whole answer, between the template's tags."""
    opening, closing = target.template.answer_open, target.template.answer_close
    shift = len(opening)
    return replace(
        draft,
        text=opening + draft.text + closing,
        edges=tuple(shift + edge for edge in draft.edges),
        boundaries=tuple(shift + boundary for boundary in draft.boundaries),
    )


class EditHandle(Handle):
    """A handle whose text is the new file, without the template's tags: the pieces joined are the result's text."""

    def __init__(self, target: Askable, request: EditRequest) -> None:
        super().__init__()
        self._template = target.template
        self._original = request.original
        self._answer = AnswerStream(target.template, request.original)
        self._num_given = 0

    def push(self, text: str) -> None:
        self._give(self._answer.feed(text))

    def finish(self, outcome: DecodeResult | BaseException) -> None:
        if isinstance(outcome, DecodeResult):
            outcome = self._extracted(outcome)
        if isinstance(outcome, DecodeResult):
            self._give(outcome.text[self._num_given :])
        super().finish(outcome)

    def _give(self, text: str) -> None:
        self._num_given += len(text)
        super().push(text)

    def _extracted(self, result: DecodeResult) -> DecodeResult | EditRefused:
        if result.is_given_up:
            return replace(result, text="".join(self._pieces))
        if not result.is_finished:
            num_tokens = result.stats.completion_tokens
            return ResultRefused(
                Code.TRUNCATION_DETECTED, f"The target hadn't finished after {num_tokens} tokens, the output's limit."
            )
        try:
            return replace(result, text=extract_answer(result.text, self._template, self._original))
        except ResultRefused as refused:
            return refused
