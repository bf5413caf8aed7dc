"""The drafts of a prompt: what it asks for, merged. Runs in the maker's process, and imports no torch."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from fastedit.draft.model import Draft, Kind
from fastedit.draft.text import Source
from fastedit.edits import parse_message
from fastedit.edits.model import Edit, Format, Snippet
from fastedit.errors import EditRefused
from fastedit.guard import Original
from fastedit.lines import body, split_lines
from fastedit.merged import Choice, merge
from fastedit.syntax import language_of, language_of_tag, outline
from fastedit.syntax.parse import keeping_trees
from fastedit.targets.codec import TokenizerCodec
from fastedit.targets.templates import PromptTemplate
from fastedit.vllm.marked import MarkedPrompt
from fastedit.vllm.prompts import Asked, Predicted, prompt_text, read_prompt

logger = logging.getLogger(__name__)

ELIDED = "// ... existing code ..."  # for a prompt's special token
ANY_READING = Choice(certainty=0.0)  # the target judges it, so the likeliest is worth proposing whatever its chance


@dataclass(frozen=True, slots=True)
class Planned:
    """A text that the output probably runs along, in the target's tokens."""

    draft: Draft
    source: Source


Plan = tuple[Planned, ...]  # the most trusted first; empty where nothing is known of a prompt


@dataclass(frozen=True, slots=True)
class Planner:
    """Makes plans. templates: in which prompts are read, the target's own first. ending: the token outputs end with."""

    codec: TokenizerCodec
    templates: Sequence[PromptTemplate]
    ending: Sequence[int]

    def plan(self, prompt: Sequence[int]) -> Plan:
        asked = read_prompt(prompt_text(prompt, self.codec), self.templates, self.codec)
        drafts = drafts_of(asked) if asked else ()
        return tuple(Planned(draft, Source(draft, self.codec, self.ending)) for draft in drafts)


def drafts_of(asked: Asked | Predicted) -> tuple[Draft, ...]:
    """The whole outputs that may come, tags included, the likeliest first."""
    if isinstance(asked, Predicted):
        return (Draft(asked.text),)
    if asked.has_marks:
        return _marked_drafts(asked)
    edit = asked.edit if asked.elision is None else asked.edit.replace(asked.elision, ELIDED)
    texts = [(asked.original, Kind.ORIGINAL)]
    try:
        texts.insert(0, (_merged(asked.original, parse_message(edit), edit, asked.instruction), Kind.MERGED))
    except EditRefused as refused:
        logger.info("no merged draft for a prompt, the bare original is: %s", refused.message)
    return tuple(Draft(asked.opening + text + asked.closing, kind) for text, kind in texts)


def _marked_drafts(asked: Asked) -> tuple[Draft, ...]:
    prompt = MarkedPrompt.read(asked.original, asked.edit, ELIDED)
    original = Draft(asked.original, Kind.ORIGINAL)
    edit = Edit(Format.LAZY, snippets=(Snippet(tuple(map(body, split_lines(prompt.edit)))),))
    try:
        text = _merged(prompt.original, [edit], prompt.edit, f"{asked.instruction}\n{prompt.instruction}".strip())
    except EditRefused as refused:
        logger.info("no merged draft for a prompt, the bare original is: %s", refused.message)
        return (original,)
    return Draft(prompt.marked_text(text)), original


@keeping_trees()
def _merged(original: str, edits: Sequence[Edit], message: str, instruction: str) -> str:
    """The merged draft, however uncertain. EditRefused where there is none."""
    text = original
    for edit in edits:
        infos = [snippet.info for snippet in edit.snippets if snippet.info]
        language = language_of(edit.path, text) or (language_of_tag(infos[0]) if infos else "")
        whole = Original(text, language, outline(text, language))
        text = merge(whole, edit, message, instruction or None, ANY_READING).text
    return text
