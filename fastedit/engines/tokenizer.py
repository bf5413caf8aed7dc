"""A checkpoint's tokenizer without transformers, whose import takes torch's along: text to ids, and chat markup."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from fastedit.errors import Code, EngineUnavailable

TEMPLATE_FILE = "chat_template.jinja"
SPECIALS = ("bos_token", "eos_token", "unk_token", "pad_token")


class ChatMarkup:
    """The part of a tokenizer that puts a chat model's markup around messages.

    chat_template: in Jinja, as checkpoints bring it, or None. specials: the tokens that templates name
    (`eos_token`), as texts.
    """

    def __init__(self, chat_template: str | None, specials: Mapping[str, str]) -> None:
        self.chat_template = chat_template
        self.specials = dict(specials)

    @classmethod
    def read(cls, folder: Path) -> ChatMarkup:
        """The markup of a checkpoint's folder. EngineUnavailable(TARGET_UNAVAILABLE) where a file can't be read."""
        config = json_of(folder, "tokenizer_config.json")
        named = json_of(folder, "special_tokens_map.json") | config
        specials = {name: text for name in SPECIALS if (text := _content(named.get(name)))}
        own = folder / TEMPLATE_FILE
        template = own.read_text("utf-8") if own.is_file() else _default_of(config.get("chat_template"))
        return cls(template, specials)

    def apply_chat_template(self, conversation: Sequence[Mapping[str, str]], **options: Any) -> str:
        """The messages with their markup, as transformers' method of that name gives them with `tokenize=False`.

        EngineUnavailable(TARGET_UNAVAILABLE) where the template can't be used.
        """
        try:
            from jinja2 import TemplateError
        except ImportError as error:
            raise _unavailable("A chat template needs jinja2: pip install jinja2.") from error
        try:
            template = _environment().from_string(self.chat_template or "")
            return str(template.render(messages=conversation, **self.specials, **options))
        except TemplateError as error:
            raise _unavailable(f"The target's chat template can't be used: {type(error).__name__}.") from error


def json_of(folder: Path, name: str) -> dict[str, Any]:
    """A JSON file of a folder; empty where there is none. EngineUnavailable(TARGET_UNAVAILABLE) for a broken one."""
    path = folder / name
    if not path.is_file():
        return {}
    try:
        data = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise _unavailable(f"{name} in {folder.name} is no JSON.") from error
    return data if isinstance(data, dict) else {}


def _environment() -> Any:
    """The dialect of Jinja that chat templates are written in, with nothing that reaches out of the template."""
    from jinja2.ext import Extension, loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Generation(Extension):
        """Reads `{% generation %}`, which marks what a model is trained on, as if it weren't there."""

        tags = {"generation"}  # noqa: RUF012 Jinja's own way of saying so

        def parse(self, parser: Any) -> Any:
            next(parser.stream)
            return parser.parse_statements(("name:endgeneration",), drop_needle=True)

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols]
    )
    environment.filters["tojson"] = _to_json
    environment.globals.update(raise_exception=_raise, strftime_now=_now)
    return environment


def _to_json(value: Any, ensure_ascii: bool = False, indent: int | None = None, **options: Any) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, **options)


def _raise(message: str) -> None:
    from jinja2 import TemplateError

    raise TemplateError(message)


def _now(form: str) -> str:
    return datetime.now().strftime(form)


def _content(token: object) -> str:
    """The text of a special token, which is written as a text or as an object with its properties."""
    found = token.get("content") if isinstance(token, dict) else token
    return found if isinstance(found, str) else ""


def _default_of(template: object) -> str | None:
    """The template itself or, of several with names, the one called `default`."""
    if isinstance(template, list):
        named = {one.get("name"): one.get("template") for one in template if isinstance(one, dict)}
        template = named.get("default")
    return template if isinstance(template, str) else None


def _unavailable(message: str) -> EngineUnavailable:
    return EngineUnavailable(Code.TARGET_UNAVAILABLE, message)
