"""JSON, YAML, TOML and HCL."""

from __future__ import annotations

import re

from tree_sitter import Node

from fastedit.syntax.parse import at, either, nothing
from fastedit.syntax.rules.model import GrammarRules, Rule, same, types


def _key(node: Node, source: bytes) -> str:
    """The key of a mapping's pair, without quotes."""
    key = node.child_by_field_name("key")
    if key is None:
        return ""
    return source[key.start_byte : min(key.end_byte, key.start_byte + 400)].decode("utf-8", "replace").strip("\"'")


def _block_header(node: Node, source: bytes) -> str:
    """A block's words up to its `{`, without quotes: `resource aws_s3_bucket data`."""
    start = next((child for child in node.children if child.type in ("block_start", "{")), None)
    end = start.start_byte if start is not None else node.end_byte
    text = source[node.start_byte : min(end, node.start_byte + 400)].decode("utf-8", "replace")
    return re.sub(r"\s+", " ", text.replace('"', "")).strip()


def _item_name(node: Node, source: bytes) -> str:
    """The name that the first pair of a sequence's item gives it, as in `- name: Build`; "" where it doesn't."""
    pair = at("<block_node>", "<block_mapping>", "<block_mapping_pair>")(node)
    value = pair and pair.child_by_field_name("value")
    if pair is None or value is None or value.type != "flow_node" or _key(pair, source) not in _NAMING_KEYS:
        return ""
    return (
        source[value.start_byte : min(value.end_byte, value.start_byte + 400)].decode("utf-8", "replace").strip("\"'")
    )


_NAMING_KEYS = frozenset({"name", "id", "key", "title", "path", "alert", "job_name", "uses", "hosts", "host"})
_KINDS = {"object": "block", "array": "block", "block_node": "block"}
# A key with its value on the same line is found by its line alone, and data files consist of little else.
_PAIR = Rule("value", namer=_key, value=at("value"), kinds=_KINDS, body=at("value"), is_long=True)

JSON = GrammarRules(rules={"pair": _PAIR}, closed=types("string"), flat=types("pair object array"))
YAML = GrammarRules(
    rules={**same(_PAIR, "block_mapping_pair"), "block_sequence_item": Rule("block", namer=_item_name, body=nothing)},
    closed=types("flow_node plain_scalar block_scalar"),
    flat=types("block_mapping_pair block_sequence_item"),
    has_loose_ends=True,
)

_TOML_KEY = either(at("<dotted_key>"), at("<bare_key>"), at("<quoted_key>"))
_TOML_VALUE = either(at("<array>"), at("<inline_table>"))
TOML = GrammarRules(
    rules={
        **same(Rule("block", names=(_TOML_KEY,), body=nothing), "table table_array_element"),
        "pair": Rule(
            "value",
            names=(_TOML_KEY,),
            value=_TOML_VALUE,
            body=_TOML_VALUE,
            kinds={"array": "block", "inline_table": "block"},
        ),
    },
    closed=types("string array inline_table"),
    has_loose_ends=True,
)
HCL = GrammarRules(
    rules={
        "block": Rule("block", namer=_block_header, body=at("<block_start>")),
        "attribute": Rule("value", names=(at("<identifier>"),), body=nothing),
    },
    closed=types("expression"),
)

RULES = {"json": JSON, "yaml": YAML, "toml": TOML, "hcl": HCL}
