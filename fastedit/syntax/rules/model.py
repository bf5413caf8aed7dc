"""The vocabulary of the rule tables: `Rule` for a node type, `GrammarRules` for a grammar."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from tree_sitter import Node

from fastedit.syntax.parse import Selector, at

_NOTHING: Mapping[str, str] = MappingProxyType({})
_NAME = at("name")
_BODY = at("body")


@dataclass(frozen=True, slots=True)
class Rule:
    """When and how a node is a declaration.

    kind: see `Declaration`; overruled by `kinds[type of the value node]` and `keywords[text of the
    keyword node]` (no declaration without such a row; a row "" is for all other texts).
    names: nodes whose texts, joined by `joiner`, are the name; label: the name where there are none.
    namer: makes the name instead, from node and source; "" means no declaration.
    body: the first node behind the header. head: the header's last node, where there is no such body.
    end: its last node, where the node itself goes on behind the declaration.
    value: what is declared where that says what it is; it makes no declaration of its own.
    needs: must find a node. has_name: must have a name. is_long: must stand on several lines.
    is_local: counts inside functions too; None means that functions and classes do and others don't.
    """

    kind: str
    names: tuple[Selector, ...] = (_NAME,)
    joiner: str = "."
    label: str = ""
    namer: Callable[[Node, bytes], str] | None = None
    body: Selector = _BODY
    head: Selector | None = None
    end: Selector | None = None
    value: Selector | None = None
    kinds: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    keyword: Selector | None = None
    keywords: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    needs: Selector | None = None
    has_name: bool = False
    is_long: bool = False
    is_local: bool | None = None


@dataclass(frozen=True, slots=True)
class Injection:
    """Text in another language inside a node. language: its name by the node and the source, or ""."""

    content: Selector
    language: Callable[[Node, bytes], str]


@dataclass(frozen=True, slots=True)
class GrammarRules:
    """The rules of one grammar, by node type.

    wrappers: belong to the declaration right inside them (`export`, `template<>`); lone_wrappers: only
    where they hold one. attached: siblings that belong to the declaration below them (comments,
    attributes). attributes: children before the header; modifiers: children that hold such.
    functions: anonymous functions, whose values are local. closed: not looked into; flat: not looked into
    where they stand on one row.
    has_loose_ends: a node may end with the comment above the next one.
    """

    rules: Mapping[str, Rule]
    wrappers: frozenset[str] = frozenset()
    lone_wrappers: frozenset[str] = frozenset()
    attached: frozenset[str] = frozenset({"comment"})
    attributes: frozenset[str] = frozenset()
    modifiers: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()
    closed: frozenset[str] = frozenset()
    flat: frozenset[str] = frozenset()
    injections: Mapping[str, Injection] = field(default_factory=dict)
    has_loose_ends: bool = False


def same(rule: Rule, types: str) -> dict[str, Rule]:
    """A table with the same rule for several node types, given with blanks between."""
    return dict.fromkeys(types.split(), rule)


def types(names: str) -> frozenset[str]:
    """A set of node types, given with blanks between."""
    return frozenset(names.split())
