"""Java, C#, Kotlin and Scala."""

from __future__ import annotations

from fastedit.syntax.parse import at, either, itself, nothing
from fastedit.syntax.rules.model import GrammarRules, Rule, same, types

_FUNCTION = Rule("function")
_CLASS = Rule("class")
_VALUE = Rule("value", body=nothing)

JAVA = GrammarRules(
    rules={
        **same(
            _FUNCTION,
            "method_declaration constructor_declaration compact_constructor_declaration"
            " annotation_type_element_declaration",
        ),
        "static_initializer": Rule("function", label="static", body=at("<block>")),
        **same(
            _CLASS,
            "class_declaration interface_declaration enum_declaration record_declaration"
            " annotation_type_declaration module_declaration",
        ),
        **same(
            Rule("value", names=(at("declarator", "name"),), body=at("declarator", "value")),
            "field_declaration constant_declaration",
        ),
        "enum_constant": Rule("value"),
        "import_declaration": Rule("import", names=(either(at("<scoped_identifier>"), at("<identifier>")),)),
    },
    attached=types("line_comment block_comment"),
    attributes=types("marker_annotation annotation"),
    modifiers=types("modifiers"),
    functions=types("lambda_expression"),
    closed=types("formal_parameters string_literal binary_expression"),
)

_VARIABLE = ("<variable_declaration>", "<variable_declarator>")
CSHARP = GrammarRules(
    rules={
        **same(
            _FUNCTION,
            "method_declaration constructor_declaration local_function_statement delegate_declaration"
            " conversion_operator_declaration",
        ),
        "destructor_declaration": Rule("function"),
        "operator_declaration": Rule("function", names=(at("operator"),)),
        "indexer_declaration": Rule(
            "function", names=(nothing,), label="this", body=either(at("accessors"), at("value"))
        ),
        **same(
            _CLASS,
            "class_declaration interface_declaration struct_declaration record_declaration enum_declaration"
            " namespace_declaration file_scoped_namespace_declaration record_struct_declaration",
        ),
        "property_declaration": Rule("value", body=either(at("accessors"), at("value"))),
        "event_declaration": Rule("value", body=at("accessors")),
        **same(
            Rule("value", names=(at(*_VARIABLE, "name"),), body=nothing), "field_declaration event_field_declaration"
        ),
        "enum_member_declaration": _VALUE,
        "using_directive": Rule("import", names=(either(at("<qualified_name>"), at("<identifier>")),)),
    },
    attributes=types("attribute_list"),
    functions=types("lambda_expression anonymous_method_expression"),
    closed=types("parameter_list string_literal binary_expression"),
)

_KOTLIN_BODY = either(
    at("<function_body>", "<block>"), at("<function_body>"), at("<class_body>"), at("<enum_class_body>"), at("<block>")
)
KOTLIN = GrammarRules(
    rules={
        "function_declaration": Rule("function", body=_KOTLIN_BODY),
        "secondary_constructor": Rule("function", label="constructor", body=_KOTLIN_BODY),
        "anonymous_initializer": Rule("function", label="init", body=_KOTLIN_BODY),
        **same(Rule("class", body=_KOTLIN_BODY), "class_declaration object_declaration"),
        "companion_object": Rule("class", label="Companion", body=_KOTLIN_BODY),
        "type_alias": Rule("class", names=(at("type"),), body=nothing),
        "property_declaration": Rule(
            "value", names=(at("<variable_declaration>", "<identifier>"),), body=nothing, is_local=False
        ),
        "enum_entry": Rule("value", names=(at("<identifier>"),), body=at("<class_body>")),
        "import": Rule("import", names=(at("<qualified_identifier>"),)),
    },
    attached=types("line_comment block_comment"),
    attributes=types("annotation file_annotation"),
    modifiers=types("modifiers"),
    functions=types("lambda_literal anonymous_function getter setter"),
    closed=types("function_value_parameters class_parameters string_literal binary_expression"),
)

SCALA = GrammarRules(
    rules={
        **same(_FUNCTION, "function_definition function_declaration"),
        **same(
            _CLASS,
            "class_definition object_definition trait_definition enum_definition given_definition package_object",
        ),
        "type_definition": Rule("class", body=nothing),
        **same(
            Rule("value", names=(at("pattern"),), body=at("value")),
            "val_definition var_definition val_declaration var_declaration",
        ),
        "import_declaration": Rule("import", names=(itself,)),
    },
    attached=types("comment block_comment"),
    attributes=types("annotation"),
    functions=types("lambda_expression"),
    closed=types("parameters class_parameters string"),
)

RULES = {"java": JAVA, "csharp": CSHARP, "kotlin": KOTLIN, "scala": SCALA}
