"""The ways in which targets were taught to be asked and to answer, as data: adding a target is adding a row.

The wording of `kortix` and `osmosis` is what their makers published and trained with, to the character.
And a request's prompt as tokens: the template's own markup with its special tokens, a user's text without any.

An `Askable` is a target as those see it who ask it: its tokenizer and its template, whoever computes it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from fastedit.errors import Code, EngineUnavailable
from fastedit.targets.codec import TokenizerCodec

if TYPE_CHECKING:
    from fastedit.decode.request import DecodeRequest, EditRequest, Handle

FIELD = re.compile(r"\{(original|edit|instruction)\}")
# Of a window, where a template doesn't say otherwise; a larger declaration is shown in part.
CONTEXT_LINES, MAX_DECLARATION_LINES = 8, 80
TEMPLATE_FILE = "fastedit.json"  # in a model's folder: its own template
PLACE = "\ue000{}\ue001"  # stands for a message's content while the chat template is rendered
PLACES = re.compile("\ue000(\\d+)\ue001")
WORD_FILE = "word.json"  # in a target's folder; `python -m evals.applybench judging` measures it
NEARLY_SURE = 1 - 1e-6
TINY = 1e-12  # no probability is smaller


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn. content: text with `{original}`, `{edit}` and `{instruction}` in it."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """A way to ask a target, with the wrapping of its answer.

    messages: put through the tokenizer's chat template; where `is_chat` is False they are joined as they are, and
    special tokens in their own words (never in a user's text) are read as such. instruction: what `{instruction}`
    becomes where the request has one; it becomes nothing where it hasn't. elision: what stands in the prompt for the
    edit's `... existing code ...`, in whatever words it was written (None: those words); not where `is_chat`.
    has_marks: whether every line of the original, the edit and the answer has its marks, see `marks`.
    context_lines: how much of a file it is used to see around a change. declaration_lines: how long a declaration with
    a change in it may be to be shown whole.
    answer_open, answer_close: what stands around the new file in the output. chat_options: passed on to the chat
    template.
    """

    name: str
    messages: tuple[Turn, ...]
    answer_open: str = ""
    answer_close: str = ""
    is_chat: bool = True
    instruction: str = "{instruction}\n"
    elision: str | None = None
    has_marks: bool = False
    context_lines: int = CONTEXT_LINES
    declaration_lines: int = MAX_DECLARATION_LINES
    chat_options: Mapping[str, Any] = field(default_factory=dict)

    def fill(self, original: str, edit: str, instruction: str | None) -> list[Turn]:
        """The messages with their fields filled in; what is filled in is never searched for fields again."""
        wording = self.instruction.replace("{instruction}", instruction) if instruction else ""
        values = {"original": original, "edit": edit, "instruction": wording}
        return [Turn(turn.role, FIELD.sub(lambda found: values[found[1]], turn.content)) for turn in self.messages]


KORTIX = PromptTemplate(
    name="kortix",
    messages=(
        Turn(
            "system",
            "You are a coding assistant that helps merge code updates, "
            "ensuring every modification is fully integrated.",
        ),
        Turn(
            "user",
            "Merge all changes from the <update> snippet into the <code> below.\n"
            "- Preserve the code's structure, order, comments, and indentation exactly.\n"
            "- Output only the updated code, enclosed within <updated-code> and </updated-code> tags.\n"
            "- Do not include any additional text, explanations, placeholders, ellipses, or code fences.\n"
            "\n"
            "<code>{original}</code>\n"
            "\n"
            "<update>{edit}</update>\n"
            "\n"
            "Provide the complete updated code.",
        ),
    ),
    answer_open="<updated-code>",
    answer_close="</updated-code>",
)
OSMOSIS = PromptTemplate(
    name="osmosis",
    messages=(
        Turn(
            "system",
            "\n"
            "You are a helpful assistant for a code editor that applies an edit to code to merge them together. "
            "That is, you will be given code wrapper in <code> tags and an edit wrapped in <edit> tags, and you will "
            "apply the edit to the code.\n"
            "\n"
            "For example:\n"
            "\n"
            "<code>\n"
            "CODE_SNIPPET\n"
            "</code>\n"
            "\n"
            "<edit>\n"
            "EDIT_SNIPPET\n"
            "</edit>\n"
            "\n"
            "The code is any type of code and the edit is in the form of code that you need to update along with "
            "comments that indicate where existing code is to be kept.\n"
            "\n"
            "// ... existing code ...\n"
            "FIRST_EDIT\n"
            "// ... existing elements ...\n"
            "SECOND_EDIT\n"
            "// ... existing methods ...\n"
            "THIRD_EDIT\n"
            "// ... existing methods ...\n"
            "\n"
            "The merged code must be exact with no room for any errors. Make sure all whitespaces are preserved "
            "correctly. A small typo in code will cause it to fail to compile or error out, leading to poor user "
            "experience.\n"
            "\n"
            "Output the code wrapped in <code> tags.\n",
        ),
        Turn("user", "<code>\n{original}</code>\n\n<edit>{edit}</edit>"),
    ),
    answer_open="<code>\n",
    answer_close="</code>",
    # Qwen3 would think aloud first; the published model answers at once.
    chat_options={"enable_thinking": False},
)
CHAT = PromptTemplate(
    name="chat",
    messages=(
        Turn(
            "system",
            "You merge edits into source files. You answer with the whole new file between <updated-code> and "
            "</updated-code>, and nothing else.",
        ),
        Turn(
            "user",
            "Merge the edit into the file. Comments such as `... existing code ...` in the edit stand for lines of the "
            "file that stay as they are; never copy such a comment. Change nothing that the edit doesn't change: keep "
            "order, comments, blank lines and indentation exactly.\n"
            "{instruction}\n"
            "<code>{original}</code>\n"
            "\n"
            "<edit>{edit}</edit>",
        ),
    ),
    answer_open="<updated-code>",
    answer_close="</updated-code>",
    instruction="What the edit is for: {instruction}\n",
    chat_options={"enable_thinking": False},
)
# The special tokens keep the delimiters from merging with the code beside them.
PLAIN = PromptTemplate(
    name="plain",
    messages=(Turn("user", "<|original|>{original}<|edit|>{instruction}{edit}<|merged|>"),),
    is_chat=False,
    elision="<|elided|>",
)
# For small models: the less they see, the surer they are.
MARKED = replace(PLAIN, name="marked", has_marks=True, context_lines=4, declaration_lines=8)
TEMPLATES = {template.name: template for template in (KORTIX, OSMOSIS, CHAT, PLAIN, MARKED)}


def template_named(name: str) -> PromptTemplate:
    """The template of that name; EngineUnavailable(TARGET_UNAVAILABLE) where there is none."""
    if name in TEMPLATES:
        return TEMPLATES[name]
    known = ", ".join(sorted(TEMPLATES))
    raise EngineUnavailable(Code.TARGET_UNAVAILABLE, f"There is no prompt template {name!r}; there are {known}.")


def read_template(path: Path) -> PromptTemplate:
    """A user's own template from a JSON file with `PromptTemplate`'s fields.

    EngineUnavailable(TARGET_UNAVAILABLE), naming the file, where it can't be read or isn't one.
    """
    try:
        return _from_data(json.loads(path.read_bytes()), path.stem)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise EngineUnavailable(
            Code.TARGET_UNAVAILABLE, f"{path.name} is no prompt template: {type(error).__name__}: {error}"
        ) from error


def _from_data(data: dict[str, Any], default_name: str) -> PromptTemplate:
    unknown = set(data) - {known.name for known in fields(PromptTemplate)}
    if unknown:
        raise ValueError(f"unknown fields {sorted(unknown)}")
    messages = tuple(Turn(str(turn["role"]), str(turn["content"])) for turn in data["messages"])
    words = "".join(message.content for message in messages)
    missing = [name for name in ("{original}", "{edit}") if name not in words]
    if missing:
        raise ValueError(f"no {' and no '.join(missing)} in its messages")
    for name in ("context_lines", "declaration_lines"):
        if not isinstance(data.get(name, 0), int) or data.get(name, 0) < 0:
            raise ValueError(f"{name} is no number of lines")
    return PromptTemplate(**{"name": default_name, **data, "messages": messages})


class ChatTokenizer(Protocol):
    """A tokenizer as far as prompts need it: one of transformers', or `fastedit.engines.tokenizer.ChatMarkup`."""

    chat_template: Any

    def apply_chat_template(self, conversation: Any, **options: Any) -> Any:
        """The turns with the model's markup around them."""


def prompt_tokens(
    template: PromptTemplate,
    tokenizer: ChatTokenizer,
    codec: TokenizerCodec,
    original: str,
    edit: str,
    instruction: str | None = None,
    elisions: Sequence[tuple[int, int]] = (),
) -> list[int]:
    """The prompt as the target was trained to see it.

    elisions: (start, end) in `edit` of what stands for lines that are left out, in their order.
    Text is tokenised in one piece between special tokens, as `apply_chat_template` would; but only the template's own
    markup can hold special tokens, so that `<|im_end|>` in a source file stays ten characters.
    """
    if template.is_chat:
        pieces = _chat_pieces(template, tokenizer, template.fill(original, edit, instruction))
    else:
        pieces = _raw_pieces(template, original, edit, instruction, elisions)
    tokens: list[int] = [] if template.is_chat else list(codec.lead_tokens)
    plain = ""
    for text, is_markup in pieces:
        for part in _parts(text, codec) if is_markup else (text,):
            special = codec.special_id(part) if is_markup else None
            if special is None:
                plain += part
            else:
                tokens += [*codec.encode(plain), special]
                plain = ""
    return tokens + codec.encode(plain)


def check_template(template: PromptTemplate, tokenizer: ChatTokenizer) -> None:
    """Raises EngineUnavailable(TARGET_UNAVAILABLE) where the template needs a chat template and there is none."""
    if template.is_chat and not tokenizer.chat_template:
        raise EngineUnavailable(
            Code.TARGET_UNAVAILABLE,
            f"The prompt template {template.name!r} needs a chat template, and the target's tokenizer has none.",
        )


def _chat_pieces(
    template: PromptTemplate, tokenizer: ChatTokenizer, messages: list[Turn]
) -> Iterator[tuple[str, bool]]:
    turns = [{"role": message.role, "content": PLACE.format(index)} for index, message in enumerate(messages)]
    markup = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True, **template.chat_options)
    for index, part in enumerate(PLACES.split(str(markup))):
        yield (messages[int(part)].content, False) if index % 2 else (part, True)


def _raw_pieces(
    template: PromptTemplate, original: str, edit: str, instruction: str | None, elisions: Sequence[tuple[int, int]]
) -> Iterator[tuple[str, bool]]:
    wording = template.instruction.replace("{instruction}", instruction) if instruction else ""
    values = {
        "original": [(original, False)],
        "edit": _edit_pieces(edit, elisions, template.elision),
        "instruction": [(wording, False)],
    }
    for message in template.messages:
        for index, part in enumerate(FIELD.split(message.content)):
            yield from values[part] if index % 2 else [(part, True)]


def _edit_pieces(edit: str, elisions: Sequence[tuple[int, int]], markup: str | None) -> list[tuple[str, bool]]:
    if markup is None:
        return [(edit, False)]
    pieces: list[tuple[str, bool]] = []
    at = 0
    for start, end in elisions:
        pieces += [(edit[at:start], False), (markup, True)]
        at = end
    return [*pieces, (edit[at:], False)]


def _parts(markup: str, codec: TokenizerCodec) -> list[str]:
    if not codec.special_contents:
        return [markup]
    return re.split(f"({'|'.join(map(re.escape, codec.special_contents))})", markup)


# ---- a target as those see it who ask it -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Word:
    """The weight of a target's word on a draft, by how often it agreed with right drafts and with wrong ones.

    agrees: the factor on the odds that a draft is right where the target writes the same; differs: where it writes
    something else. Both are 1 for a target that wasn't measured: its word tells nothing. readings: the weight of its
    log-likelihoods of close readings beside the logarithms of their probabilities; 0 for one that isn't to judge them.
    """

    agrees: float = 1.0
    differs: float = 1.0
    readings: float = 0.0

    def certainty(self, before: float, *, is_agreed: bool) -> float:
        """The probability that a draft is right, given the target's word on it; before: without that."""
        odds = before / (1 - min(before, NEARLY_SURE)) * (self.agrees if is_agreed else self.differs)
        return odds / (1 + odds)

    def shares(self, before: Sequence[float], likelihoods: Sequence[float]) -> list[float]:
        """The probabilities of readings, given how likely the target finds each of their texts.

        before: without that; likelihoods: their logarithms. p_i becomes proportional to p_i * exp(readings * l_i), and
        the sum stays: that one of these is right at all, the target doesn't say.
        """
        pairs = zip(before, likelihoods, strict=True)
        scores = [math.log(max(share, TINY)) + self.readings * likelihood for share, likelihood in pairs]
        odds = [math.exp(score - max(scores)) for score in scores]
        return [sum(before) * one / sum(odds) for one in odds]


NOTHING = Word()


def read_word(folder: Path) -> Word:
    """The word of the target in a folder; `NOTHING` where it wasn't measured."""
    path = folder / WORD_FILE
    if not path.is_file():
        return NOTHING
    stored = json.loads(path.read_text("utf-8"))
    return Word(**{one.name: float(stored[one.name]) for one in fields(Word) if one.name in stored})


class RemoteEngine(Protocol):
    """An engine that computes a target which isn't loaded here."""

    def submit(self, target: Askable, request: EditRequest) -> Handle:
        """Sends a request off; the handle streams the new file's text, as `fastedit.decode.submit` has it."""

    def score(self, request: DecodeRequest) -> Handle:
        """Sends off a request for how likely an output is; the handle ends with its tokens' logprobs."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Askable:
    """Everything needed to ask a model.

    stop_tokens: the ids that end an output, the one that a draft should end with first.
    max_positions: the longest prompt and output together that the model was made for.
    only_verifies: in `auto` it confirms drafts, and its own text never stands for one. word: what its word is worth.
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

    def prompt(
        self, original: str, edit: str, instruction: str | None = None, elisions: Sequence[tuple[int, int]] = ()
    ) -> list[int]:
        """The tokens of a request, by the target's template; nothing in the texts is read as a special token.

        elisions: see `prompt_tokens`.
        """
        return prompt_tokens(self.template, self.tokenizer, self.codec, original, edit, instruction, elisions)
