"""Python, Ruby, Lua, Elixir, Bash and PHP."""

from __future__ import annotations

from tree_sitter import Node

from fastedit.syntax.parse import at, child_of_type, either, nothing
from fastedit.syntax.rules.model import GrammarRules, Rule, same, types

_FUNCTION = Rule("function")
_CLASS = Rule("class")


def _assigned(*function_types: str) -> Rule:
    """An assignment `left = right`, a function where `right` is of one of the types."""
    return Rule(
        "value", names=(at("left"),), value=at("right"), body=either(at("right", "body"), at("right")),
        kinds=dict.fromkeys(function_types, "function"), is_local=False,
    )  # fmt: skip


def _first_argument(node: Node) -> Node | None:
    """The first argument of a Ruby or Elixir call."""
    arguments = node.child_by_field_name("arguments") or child_of_type(node, "arguments")
    return arguments.named_child(0) if arguments is not None and arguments.named_child_count else None


def _elixir_name(node: Node) -> Node | None:
    """The name in `def name(args) when guard`."""
    found = _first_argument(node)
    if found is not None and found.type == "binary_operator":
        found = found.child_by_field_name("left")
    if found is not None and found.type == "call":
        found = found.child_by_field_name("target")
    return found


PYTHON = GrammarRules(
    rules={
        "function_definition": _FUNCTION,
        "class_definition": _CLASS,
        "assignment": _assigned("lambda"),
        "pair": Rule("block", names=(at("key"),), body=at("value"), needs=at("value", "<pair>"), is_long=True),
        "type_alias_statement": Rule("class", names=(at("left"),)),
        "import_statement": Rule("import"),
        "import_from_statement": Rule("import", names=(at("module_name"),)),
        "future_import_statement": Rule("import", names=(nothing,)),
    },
    wrappers=types("decorated_definition"),
    attributes=types("decorator"),
    functions=types("lambda"),
    # An expression holds no declaration but the pairs of a dictionary.
    closed=types(
        "parameters argument_list call binary_operator boolean_operator comparison_operator unary_operator not_operator"
        " conditional_expression list tuple set list_comprehension dictionary_comprehension generator_expression"
        " string concatenated_string type attribute subscript pattern_list expression_list await yield"
        " import_statement import_from_statement return_statement raise_statement assert_statement decorator"
    ),
)

RUBY = GrammarRules(
    rules={
        **same(_FUNCTION, "method"),
        "singleton_method": Rule("function", names=(at("object"), at("name"))),
        **same(_CLASS, "class module"),
        "singleton_class": Rule("class", names=(at("value"),)),
        "assignment": _assigned("lambda"),
        "call": Rule(
            "block",
            names=(at("method"), _first_argument),
            joiner=" ",
            body=at("block"),
            needs=at("block"),
            has_name=True,
            is_long=True,
            is_local=True,
        ),
    },
    attached=types("comment"),
    functions=types("lambda block do_block"),
    closed=types("method_parameters string binary array hash"),
)

LUA = GrammarRules(
    rules={
        "function_declaration": _FUNCTION,
        "assignment_statement": Rule(
            "value",
            names=(at("<variable_list>"),),
            value=at("<expression_list>", "value"),
            body=either(at("<expression_list>", "value", "body"), at("<expression_list>", "value")),
            kinds={"function_definition": "function"},
        ),
        "field": Rule(
            "function", value=at("value"), body=at("value", "body"), needs=at("value", "parameters"), has_name=True
        ),
    },
    lone_wrappers=types("variable_declaration"),
    functions=types("function_definition"),
    closed=types("parameters string binary_expression"),
)

ELIXIR = GrammarRules(
    rules={
        "call": Rule(
            "block",
            names=(_elixir_name,),
            keyword=at("target"),
            body=at("<do_block>"),
            has_name=True,
            is_local=True,
            keywords={
                **dict.fromkeys(("defmodule", "defprotocol", "defimpl"), "class"),
                **dict.fromkeys(
                    ("def", "defp", "defmacro", "defmacrop", "defguard", "defguardp", "defdelegate"), "function"
                ),
                **dict.fromkeys(("describe", "test", "schema", "scope", "pipeline"), "block"),
                **dict.fromkeys(("alias", "import", "require", "use"), "import"),
            },
        ),
    },
    attached=types("comment unary_operator"),
    functions=types("anonymous_function"),
    closed=types("string charlist"),
)

BASH = GrammarRules(
    rules={
        "function_definition": _FUNCTION,
        "variable_assignment": Rule("value", body=at("value")),
    },
    lone_wrappers=types("declaration_command"),
    closed=types("command string test_command heredoc_body"),
)

PHP = GrammarRules(
    rules={
        **same(_FUNCTION, "function_definition method_declaration"),
        **same(
            _CLASS,
            "class_declaration interface_declaration trait_declaration enum_declaration namespace_definition",
        ),
        "property_declaration": Rule("value", names=(at("<property_element>", "name"),), body=nothing),
        "const_declaration": Rule("value", names=(at("<const_element>", "<name>"),), body=nothing),
        "enum_case": Rule("value", body=nothing),
        "namespace_use_declaration": Rule(
            "import", names=(either(at("<namespace_use_clause>", "<qualified_name>"), at("<namespace_name>")),)
        ),
        "assignment_expression": _assigned("anonymous_function", "arrow_function"),
    },
    attributes=types("attribute_list"),
    functions=types("anonymous_function arrow_function"),
    closed=types("formal_parameters string encapsed_string binary_expression"),
)

RULES = {"python": PYTHON, "ruby": RUBY, "lua": LUA, "elixir": ELIXIR, "bash": BASH, "php": PHP}
