"""Tables of node types that tell what counts as a declaration in each grammar."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from fastedit.syntax.rules.model import GrammarRules

# language → the module of this package whose RULES has it
_MODULES = {
    "python": "scripts",
    "ruby": "scripts",
    "lua": "scripts",
    "elixir": "scripts",
    "bash": "scripts",
    "php": "scripts",
    "javascript": "ecma",
    "typescript": "ecma",
    "tsx": "ecma",
    "c": "native",
    "cpp": "native",
    "rust": "native",
    "go": "native",
    "swift": "native",
    "java": "managed",
    "csharp": "managed",
    "kotlin": "managed",
    "scala": "managed",
    "html": "markup",
    "vue": "markup",
    "svelte": "markup",
    "xml": "markup",
    "css": "markup",
    "json": "config",
    "yaml": "config",
    "toml": "config",
    "hcl": "config",
}


@cache
def rules_of(language: str) -> GrammarRules | None:
    """The rules for the language's grammar, or None where there are none."""
    module = _MODULES.get(language)
    if module is None:
        return None
    rules = import_module(f"{__name__}.{module}").RULES[language]
    assert isinstance(rules, GrammarRules)
    return rules
