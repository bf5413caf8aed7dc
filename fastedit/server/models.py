"""The names that OpenAI's clients can give as `model`."""

from __future__ import annotations

MODES = {"fastedit": "auto", "fastedit-structural": "structural", "fastedit-model": "model"}
DEFAULT = "fastedit"


def mode_of(model: str | None) -> str:
    """The mode that a model's name asks for. Clients bring other services' names along: those get what `auto` does."""
    return MODES[known_model(model)]


def known_model(model: str | None) -> str:
    """The model's name where it is one of ours, else the default one."""
    return model if model in MODES else DEFAULT
