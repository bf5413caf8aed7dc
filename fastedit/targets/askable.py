"""A target as those see it who ask it: its tokenizer and the way it was taught to be asked, whoever computes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from fastedit.guard.word import NOTHING, Word
from fastedit.targets.codec import TokenizerCodec
from fastedit.targets.templates import ChatTokenizer, PromptTemplate, prompt_tokens

if TYPE_CHECKING:
    from fastedit.decode.request import EditRequest, Handle


class RemoteEngine(Protocol):
    """An engine that computes a target which isn't loaded here."""

    def submit(self, target: Askable, request: EditRequest) -> Handle:
        """Sends a request off; the handle streams the new file's text, as `fastedit.decode.submit` has it."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Askable:
    """Everything needed to ask a model.

    stop_tokens: the ids that end an output, the one that a draft should end with first.
    max_positions: the longest prompt and output together that the model was made for.
    only_verifies: in `auto` it confirms drafts, and its own text never stands for one. word: what its word is worth
    then.
    notes: the parts of the checkpoint that aren't computed as they were made.
    engine: what computes it; None for FastEdit's own engine, which needs a `Target`.
    """

    name: str
    tokenizer: ChatTokenizer
    codec: TokenizerCodec
    template: PromptTemplate
    stop_tokens: tuple[int, ...]
    max_positions: int
    only_verifies: bool = False
    word: Word = NOTHING
    notes: tuple[str, ...] = ()
    engine: RemoteEngine | None = None

    @property
    def verifier(self) -> Word | None:
        """Its word, where it only verifies; None where its own text may count."""
        return self.word if self.only_verifies else None

    def prompt(
        self, original: str, edit: str, instruction: str | None = None, elisions: Sequence[tuple[int, int]] = ()
    ) -> list[int]:
        """The tokens of a request, by the target's template; nothing in the texts is read as a special token.

        elisions: see `prompt_tokens`.
        """
        return prompt_tokens(self.template, self.tokenizer, self.codec, original, edit, instruction, elisions)
