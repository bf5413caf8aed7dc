"""A request's prompt as tokens: the template's own markup with its special tokens, a user's text without any."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from fastedit.errors import Code, EngineUnavailable
from fastedit.targets.codec import TokenizerCodec
from fastedit.targets.templates import FIELD, PromptTemplate, Turn

PLACE = "\ue000{}\ue001"  # stands for a message's content while the chat template is rendered
PLACES = re.compile("\ue000(\\d+)\ue001")


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
