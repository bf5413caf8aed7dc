"""The models that can be asked: the registry, prompt templates, and loading. Importing this costs no torch."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fastedit.targets.codec import TokenizerCodec
    from fastedit.targets.registry import REGISTRY
    from fastedit.targets.target import Target
    from fastedit.targets.templates import TEMPLATES, PromptTemplate, Turn, read_template, template_named

__all__ = [
    "REGISTRY",
    "TEMPLATES",
    "PromptTemplate",
    "Target",
    "TokenizerCodec",
    "Turn",
    "read_template",
    "template_named",
]

# A run that asks no target needs none of these modules, and they are a third of what it would import.
_MODULES = {
    "codec": ("TokenizerCodec",),
    "registry": ("REGISTRY",),
    "target": ("Target",),
    "templates": ("TEMPLATES", "Turn", "PromptTemplate", "read_template", "template_named"),
}


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"fastedit.targets.{module}"), name)
    raise AttributeError(f"module 'fastedit.targets' has no attribute {name!r}")
