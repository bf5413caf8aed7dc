"""Targets by name for an engine elsewhere: their tokenizer and template, read without the weights."""

from __future__ import annotations

from pathlib import Path

from fastedit.engines.engine import ElsewhereEngine
from fastedit.engines.tokenizer import ChatMarkup, json_of
from fastedit.engines.wire import ServedModel, Server
from fastedit.errors import Code, EngineUnavailable
from fastedit.targets.checkpoint import check_tokenizer, stop_tokens_of
from fastedit.targets.codec import PROBE, TokenizerCodec
from fastedit.targets.registry import folder_of, registered_as, template_of
from fastedit.targets.templates import Askable, RemoteEngine, check_template, read_word


def connect(server: Server, name_or_path: str | Path) -> Askable:
    """The target as the server computes it.

    name_or_path: tells tokenizer and template; the weights aren't looked at, and may be on other machines alone.
    EngineUnavailable(TARGET_UNAVAILABLE), saying what is missing, where that isn't there, the server can't be reached,
    isn't a vLLM that was tried, or serves a model with another tokenizer.
    """
    model = server.model(str(name_or_path))
    target = described(name_or_path, ElsewhereEngine(server, model))
    _check_same(target, server, model)
    return target


def described(name_or_path: str | Path, engine: RemoteEngine | None = None) -> Askable:
    """A target's tokenizer and template. EngineUnavailable(TARGET_UNAVAILABLE), saying what is missing."""
    folder = folder_of(name_or_path)
    check_tokenizer(folder)
    codec = _codec_of(folder)
    markup = ChatMarkup.read(folder)
    template = template_of(name_or_path, folder)
    check_template(template, markup)
    config = json_of(folder, "config.json")
    registered = registered_as(name_or_path)
    configured = json_of(folder, "generation_config.json").get("eos_token_id", config.get("eos_token_id"))
    stop_tokens = stop_tokens_of(configured, codec.special_id(markup.specials.get("eos_token", "")))
    if not stop_tokens:
        raise _unavailable(f"{folder.name} doesn't say which token ends an output.")
    return Askable(
        name=str(name_or_path) if not isinstance(name_or_path, Path) else folder.name,
        tokenizer=markup,
        codec=codec,
        template=template,
        stop_tokens=stop_tokens,
        max_positions=_max_positions(config),
        only_verifies=registered is not None and registered.only_verifies,
        word=read_word(folder),
        engine=engine,
    )


def _codec_of(folder: Path) -> TokenizerCodec:
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise _unavailable("A target's tokenizer needs tokenizers: pip install tokenizers.") from error
    try:
        return TokenizerCodec(Tokenizer.from_file(str(folder / "tokenizer.json")))
    except EngineUnavailable:
        raise
    except Exception as error:
        raise _unavailable(f"tokenizer.json in {folder.name} can't be loaded.") from error


def _max_positions(config: dict[str, object]) -> int:
    text = config.get("text_config")
    found = (text if isinstance(text, dict) else config).get("max_position_embeddings")
    return found if isinstance(found, int) and found > 0 else 2**31


def _check_same(target: Askable, server: Server, model: ServedModel) -> None:
    """Raises EngineUnavailable where the model has another tokenizer: it would read something else than is sent."""
    tokens = server.tokens_of(model.name, PROBE)
    if tokens is None:
        return
    size = target.codec.num_tokens
    if any(token >= size for token in tokens) or target.codec.text(tokens).strip() != PROBE.strip():
        raise _unavailable(f"The engine at {server.url} serves {model.name}, whose tokenizer isn't {target.name}'s.")


def _unavailable(message: str) -> EngineUnavailable:
    return EngineUnavailable(Code.TARGET_UNAVAILABLE, message)
