"""Makes the drafts of a prompt: off the engine's loop, and once for each prompt."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from fastedit.draft.model import Draft, Kind
from fastedit.draft.source import Source
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
from fastedit.vllm.lookup import Tokens
from fastedit.vllm.marked import MarkedPrompt
from fastedit.vllm.prompts import Asked, Predicted, prompt_text, read_prompt

logger = logging.getLogger(__name__)

MAX_KEPT = 256  # prompts whose drafts are kept
ELIDED = "// ... existing code ..."  # for a prompt's special token
ANY_READING = Choice(certainty=0.0)  # the target judges it, so the likeliest is worth proposing whatever its chance


@dataclass(frozen=True, slots=True)
class Planned:
    """A text that the output probably runs along, in the target's tokens."""

    draft: Draft
    source: Source


Plan = tuple[Planned, ...]  # the most trusted first; empty where nothing is known of a prompt


class Maker:
    """Makes plans in a thread of its own, one after the other.

    templates: in which prompts are read, the target's own first. ending: the stop token that outputs end with.
    """

    def __init__(self, codec: TokenizerCodec, templates: Sequence[PromptTemplate], ending: Sequence[int]) -> None:
        self._codec, self._templates, self._ending = codec, tuple(templates), tuple(ending)
        self._kept: OrderedDict[bytes, Plan] = OrderedDict()  # the thread's own
        self._thread = ThreadPoolExecutor(1, "fastedit-draft")

    def begin(self, prompt: Tokens) -> Future[Plan]:
        """Starts to make a prompt's plan. prompt: (N,), not to be changed afterwards."""
        return self._thread.submit(self._plan, prompt)

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _plan(self, prompt: Tokens) -> Plan:
        key = prompt.tobytes()
        if key not in self._kept:
            self._kept[key] = self._made(prompt)
        self._kept.move_to_end(key)
        while len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)
        return self._kept[key]

    def _made(self, prompt: Tokens) -> Plan:
        try:
            asked = read_prompt(prompt_text(prompt.tolist(), self._codec), self._templates, self._codec)
            drafts = drafts_of(asked) if asked else ()
        except Exception as error:  # noqa: BLE001 a draft that can't be made must not end the engine
            logger.warning("no merged draft for a prompt, it is looked up only: %s: %s", type(error).__name__, error)
            drafts = ()
        return tuple(Planned(draft, Source(draft, self._codec, self._ending)) for draft in drafts)


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
