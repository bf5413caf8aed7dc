"""C, C++, Rust, Go and Swift."""

from __future__ import annotations

from tree_sitter import Node

from fastedit.syntax.parse import at, either, nothing, text_of
from fastedit.syntax.rules.model import GrammarRules, Rule, same, types

_FUNCTION = Rule("function")
_CLASS = Rule("class")
_VALUE = Rule("value", body=nothing)


def _inner_declarator(node: Node) -> Node | None:
    """The next declarator inwards; some grammar rules (`&x`, `(*f)`) give it no field."""
    inner = node.child_by_field_name("declarator")
    if inner is None and node.type in ("reference_declarator", "parenthesized_declarator", "attributed_declarator"):
        inner = next((child for child in node.named_children if not child.is_extra), None)
    return inner


def _declared(node: Node) -> Node | None:
    """The name at the bottom of a chain of C declarators."""
    inner = _inner_declarator(node)
    while inner is not None and (deeper := _inner_declarator(inner)) is not None:
        inner = deeper
    return inner


def _function_declarator(node: Node) -> Node | None:
    """The function declarator on the chain of declarators, if it declares a function and no pointer to one."""
    inner = _inner_declarator(node)
    while inner is not None and inner.type != "function_declarator":
        inner = _inner_declarator(inner)
    target = inner and _inner_declarator(inner)
    return None if target is None or target.type == "parenthesized_declarator" else inner


def _macro_arguments(node: Node) -> Node | None:
    """The arguments of a macro that looks like a function without a type: `TEST(Suite, Name) {`."""
    declarator = node.child_by_field_name("declarator")
    target = declarator and declarator.child_by_field_name("declarator")
    parameters = declarator and declarator.child_by_field_name("parameters")
    if target is None or parameters is None or node.child_by_field_name("type") is not None:
        return None
    is_macro = target.type == "identifier" and text_of(target).isupper()
    has_bare_arguments = all(child.named_child_count == 1 for child in parameters.named_children)
    return parameters if is_macro and has_bare_arguments and parameters.named_child_count else None


_DECLARATION = Rule(
    "value",
    names=(_declared,),
    value=_function_declarator,
    kinds={"function_declarator": "function"},
    body=either(at("declarator", "value"), at("default_value")),
    has_name=True,
)
_C_RULES = {
    "function_definition": Rule("function", names=(_declared, _macro_arguments), joiner=" ", has_name=True),
    **same(_DECLARATION, "declaration field_declaration"),
    **same(Rule("class", needs=at("body")), "struct_specifier union_specifier enum_specifier"),
    "type_definition": Rule("class", names=(_declared,), value=at("type"), body=at("type", "body")),
    **same(Rule("value", body=at("value")), "preproc_def preproc_function_def"),
    **same(Rule("import", names=(at("path"),)), "preproc_include"),
}
C = GrammarRules(
    rules=_C_RULES,
    attributes=types("attribute_declaration attribute_specifier"),
    closed=types(
        "parameter_list expression_statement return_statement string_literal initializer_list binary_expression"
    ),
)
CPP = GrammarRules(
    rules={
        **_C_RULES,
        "class_specifier": Rule("class", needs=at("body")),
        "namespace_definition": _CLASS,
        "concept_definition": _CLASS,
        "alias_declaration": Rule("class", body=nothing),
        "using_declaration": Rule("import", names=(either(at("<qualified_identifier>"), at("<identifier>")),)),
    },
    wrappers=types("template_declaration"),
    attributes=C.attributes,
    functions=types("lambda_expression"),
    closed=C.closed - types("expression_statement return_statement initializer_list"),
)

RUST = GrammarRules(
    rules={
        **same(_FUNCTION, "function_item function_signature_item"),
        **same(_CLASS, "struct_item enum_item union_item trait_item mod_item"),
        "impl_item": Rule("class", names=(at("trait"), at("type")), joiner=" for "),
        "foreign_mod_item": Rule("class", names=(at("<extern_modifier>"),)),
        **same(Rule("class", body=nothing), "type_item associated_type"),
        **same(Rule("value", body=at("value")), "const_item static_item"),
        **same(_VALUE, "field_declaration enum_variant"),
        "macro_definition": Rule("function", body=at("<macro_rule>")),
        "use_declaration": Rule("import", names=(at("argument"),)),
        "extern_crate_declaration": Rule("import"),
    },
    attached=types("line_comment block_comment attribute_item"),
    functions=types("closure_expression"),
    closed=types("parameters token_tree type_arguments binary_expression macro_rule"),
)


def _receiver(node: Node) -> Node | None:
    """The type that a Go method belongs to, without its pointer and type parameters."""
    found = at("receiver", "<parameter_declaration>", "type")(node)
    while found is not None and found.type in ("pointer_type", "generic_type", "parenthesized_type"):
        found = found.child_by_field_name("type") or found.named_child(0)
    return found


GO = GrammarRules(
    rules={
        "function_declaration": _FUNCTION,
        "method_declaration": Rule("function", names=(_receiver, at("name"))),
        "type_spec": Rule("class", body=either(at("type", "<field_declaration_list>"), at("type", "<method_elem>"))),
        "type_alias": Rule("class", body=nothing),
        "method_elem": Rule("function"),
        **same(_VALUE, "field_declaration"),
        **same(Rule("value", body=at("value")), "const_spec var_spec"),
        "import_declaration": Rule("import", names=(at("<import_spec>", "path"),), body=at("<import_spec_list>")),
        "call_expression": Rule(
            "block",
            names=(at("function"), at("arguments", "<interpreted_string_literal>")),
            joiner=" ",
            needs=lambda node: (
                at("arguments", "<interpreted_string_literal>")(node) and at("arguments", "<func_literal>")(node)
            ),
            body=at("arguments", "<func_literal>", "body"),
            is_long=True,
            is_local=True,
        ),
    },
    lone_wrappers=types("type_declaration const_declaration var_declaration"),
    functions=types("func_literal"),
    closed=types("parameter_list binary_expression selector_expression interpreted_string_literal"),
)

SWIFT = GrammarRules(
    rules={
        **same(
            _FUNCTION,
            "function_declaration init_declaration protocol_function_declaration operator_declaration",
        ),
        "deinit_declaration": Rule("function", label="deinit"),
        "subscript_declaration": Rule("function", names=(nothing,), label="subscript", body=at("<computed_property>")),
        **same(_CLASS, "class_declaration protocol_declaration"),
        "typealias_declaration": Rule("class", body=nothing),
        "associatedtype_declaration": Rule("class", body=nothing),
        "property_declaration": Rule("value", body=either(at("computed_value"), at("value"))),
        "protocol_property_declaration": _VALUE,
        "enum_entry": _VALUE,
        "import_declaration": Rule("import", names=(at("<identifier>"),)),
        "macro_declaration": _FUNCTION,
    },
    attached=types("comment multiline_comment"),
    attributes=types("attribute"),
    modifiers=types("modifiers"),
    functions=types("lambda_literal computed_property"),
    closed=types("parameter line_string_literal type_annotation"),
)

RULES = {"c": C, "cpp": CPP, "rust": RUST, "go": GO, "swift": SWIFT}
