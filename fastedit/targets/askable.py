"""A target as those see it who ask it: its tokenizer and the way it was taught to be asked, whoever computes it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from fastedit.targets.codec import TokenizerCodec
from fastedit.targets.templates import ChatTokenizer, PromptTemplate, prompt_tokens

if TYPE_CHECKING:
    from fastedit.decode.request import EditRequest, Handle

WORD_FILE = "word.json"  # in a target's folder; `python -m evals.applybench judging` measures it
NEARLY_SURE = 1 - 1e-6


@dataclass(frozen=True, slots=True)
class Word:
    """The weight of a target's word on a draft, by how often it agreed with right drafts and with wrong ones.

    agrees: the factor on the odds that a draft is right where the target writes the same; differs: where it writes
    something else. Both are 1 for a target that wasn't measured: its word tells nothing.
    """

    agrees: float = 1.0
    differs: float = 1.0

    def certainty(self, before: float, *, is_agreed: bool) -> float:
        """The probability that a draft is right, given the target's word on it; before: without that."""
        odds = before / (1 - min(before, NEARLY_SURE)) * (self.agrees if is_agreed else self.differs)
        return odds / (1 + odds)


NOTHING = Word()


def read_word(folder: Path) -> Word:
    """The word of the target in a folder; `NOTHING` where it wasn't measured."""
    path = folder / WORD_FILE
    if not path.is_file():
        return NOTHING
    stored = json.loads(path.read_text("utf-8"))
    return Word(float(stored["agrees"]), float(stored["differs"]))


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
