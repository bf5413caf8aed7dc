"""JavaScript, TypeScript and TSX."""

from __future__ import annotations

from tree_sitter import Node

from fastedit.syntax.parse import at, child_of_type, either, nothing, text_of
from fastedit.syntax.rules.model import GrammarRules, Rule, same, types

_FUNCTIONS = ("arrow_function", "function_expression", "generator_function")
_KINDS = {**dict.fromkeys(_FUNCTIONS, "function"), "class": "class"}


def _wrapped_function(value: Node) -> Node | None:
    """The function in `useCallback(() => {})` or `React.memo(function () {})`; not in `items.map(...)`."""
    if value.type != "call_expression":
        return None
    callee = value.child_by_field_name("function")
    is_plain = callee is not None and (callee.type == "identifier" or text_of(callee).startswith(b"React."))
    arguments = value.child_by_field_name("arguments") if is_plain else None
    return child_of_type(arguments, *_FUNCTIONS) if arguments is not None else None


def _value(node: Node) -> Node | None:
    """The value that is assigned: a function even where a call wraps it."""
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    return value and (_wrapped_function(value) or value)


def _body(node: Node) -> Node | None:
    value = _value(node)
    return value and (value.child_by_field_name("body") or value)


def _one_of(node: Node, *value_types: str) -> Node | None:
    """The value that is assigned, if it is of one of the types."""
    value = _value(node)
    return value if value is not None and value.type in value_types else None


def _callback(node: Node) -> Node | None:
    """The function that a call such as `it("works", () => {})` is given."""
    arguments = node.child_by_field_name("arguments")
    return child_of_type(arguments, *_FUNCTIONS) if arguments is not None else None


def _callee(node: Node) -> Node | None:
    """The node that is called; in a chain of calls the last link of it."""
    callee = node.child_by_field_name("function")
    target = callee and callee.child_by_field_name("object")
    is_chain = target is not None and target.type == "call_expression"
    return callee.child_by_field_name("property") if callee is not None and is_chain else callee


def _callback_body(node: Node) -> Node | None:
    callback = _callback(node)
    return callback and callback.child_by_field_name("body")


def _label(node: Node) -> Node | None:
    """The string that a call has as its first argument."""
    arguments = node.child_by_field_name("arguments")
    first = arguments.named_child(0) if arguments is not None and arguments.named_child_count else None
    return first if first is not None and first.type in ("string", "template_string") else None


_FUNCTION = Rule("function")
_CLASS = Rule("class")
_MEMBER = Rule("value", body=nothing)
_FIELD = Rule("value", names=(either(at("name"), at("property")),), value=_value, kinds=_KINDS, body=_body)

_RULES = {
    **same(_FUNCTION, "function_declaration generator_function_declaration method_definition"),
    **same(_CLASS, "class_declaration class"),
    "field_definition": _FIELD,
    "variable_declarator": Rule("value", value=_value, kinds=_KINDS, body=_body),
    "assignment_expression": Rule("value", names=(at("left"),), value=_value, kinds=_KINDS, body=_body),
    "pair": Rule(
        "block",
        names=(at("key"),),
        value=_value,
        kinds=_KINDS,
        body=_body,
        is_long=True,
        needs=lambda node: _one_of(node, "object", "array", "class", *_FUNCTIONS),
    ),
    "export_statement": Rule(
        "value",
        names=(nothing,),
        label="default",
        value=_value,
        kinds=_KINDS,
        body=_body,
        needs=lambda node: _one_of(node, "object", "array", "call_expression", *_FUNCTIONS),
    ),
    "call_expression": Rule(
        "block",
        names=(_callee, _label),
        joiner=" ",
        needs=lambda node: _label(node) and _callback(node),
        body=_callback_body,
        is_long=True,
        is_local=True,
    ),
    "import_statement": Rule("import", names=(at("source", "<string_fragment>"),)),
}

JAVASCRIPT = GrammarRules(
    rules=_RULES,
    wrappers=types("export_statement"),
    lone_wrappers=types("lexical_declaration variable_declaration"),
    attached=types("comment decorator"),
    attributes=types("decorator"),
    functions=types(" ".join(_FUNCTIONS) + " class_static_block"),
    closed=types(
        "formal_parameters string template_string regex import_statement export_clause jsx_opening_element"
        " jsx_closing_element augmented_assignment_expression update_expression"
    ),
)

TYPESCRIPT = GrammarRules(
    rules={
        **_RULES,
        **same(_FUNCTION, "function_signature method_signature abstract_method_signature"),
        **same(_CLASS, "abstract_class_declaration interface_declaration enum_declaration internal_module module"),
        "type_alias_declaration": Rule("class", body=at("value")),
        "public_field_definition": _FIELD,
        **same(_MEMBER, "property_signature enum_assignment"),
    },
    wrappers=JAVASCRIPT.wrappers | types("ambient_declaration"),
    lone_wrappers=JAVASCRIPT.lone_wrappers,
    attached=JAVASCRIPT.attached,
    attributes=JAVASCRIPT.attributes,
    functions=JAVASCRIPT.functions,
    closed=JAVASCRIPT.closed | types("type_annotation type_parameters type_arguments implements_clause"),
)

RULES = {"javascript": JAVASCRIPT, "typescript": TYPESCRIPT, "tsx": TYPESCRIPT}
