"""HTML, Vue, Svelte, XML and CSS."""

from __future__ import annotations

from tree_sitter import Node

from fastedit.syntax.parse import at, child_of_type, either, text_of
from fastedit.syntax.rules.model import GrammarRules, Injection, Rule, same, types

# Elements that a reader would point at by their tag alone.
_LANDMARKS = types(
    "html head body header footer main nav section article aside form table thead tbody template script style"
    " ul ol dl dialog figure fieldset details select"
)
_VOID = frozenset(b"area base br col embed hr img input link meta param source track wbr".split())
# What a `lang` or `type` attribute calls the languages that can be read.
_LANGUAGES = {
    **dict.fromkeys(("ts", "typescript"), "typescript"),
    "tsx": "tsx",
    **dict.fromkeys(("js", "jsx", "javascript", "module", "text/javascript", "application/javascript"), "javascript"),
    **dict.fromkeys(("text/babel", "text/jsx"), "javascript"),
    **dict.fromkeys(("application/json", "application/ld+json", "importmap"), "json"),
    **dict.fromkeys(("css", "text/css", "postcss"), "css"),
    **dict.fromkeys(("scss", "text/scss"), "scss"),
    "less": "less",
}


def _start_tag(node: Node) -> Node | None:
    return child_of_type(node, "start_tag", "self_closing_tag", "STag", "EmptyElemTag")


def _attributes(tag: Node, source: bytes) -> dict[str, str]:
    """The attributes of a start tag with their values, without quotes."""
    found: dict[str, str] = {}
    for attribute in tag.named_children:
        if attribute.type in ("attribute", "Attribute") and attribute.named_child_count:
            text = source[attribute.start_byte : attribute.end_byte].decode("utf-8", "replace")
            name, _, value = text.partition("=")
            found.setdefault(name.strip(), value.strip().strip("\"'"))
    return found


def _element_name(node: Node, source: bytes) -> str:
    """`tag#id` or `tag.class`, the tag alone for a landmark; "" for what no reader would name."""
    tag = _start_tag(node)
    tag_name = tag and child_of_type(tag, "tag_name", "Name")
    if tag is None or tag_name is None:
        return ""
    name = source[tag_name.start_byte : tag_name.end_byte].decode("utf-8", "replace")
    is_long = node.start_point.row != node.end_point.row
    attributes = _attributes(tag, source)
    if attributes.get("id"):
        return f"{name}#{attributes['id']}"
    if is_long and attributes.get("class"):
        return ".".join((name, *attributes["class"].split()))
    return name if is_long and name.lower() in _LANDMARKS else ""


def _void_tag(node: Node) -> Node | None:
    """The tag of an element that has no end tag: to the grammar what follows it is still inside."""
    tag = child_of_type(node, "start_tag")
    name = tag and child_of_type(tag, "tag_name")
    return tag if name and text_of(name).lower() in _VOID else None


def _xml_name(node: Node, source: bytes) -> str:
    """The tag of an element, with its id or name where it has one."""
    tag = _start_tag(node)
    tag_name = tag and child_of_type(tag, "Name")
    if tag is None or tag_name is None:
        return ""
    name = source[tag_name.start_byte : tag_name.end_byte].decode("utf-8", "replace")
    attributes = _attributes(tag, source)
    label = next((attributes[key] for key in ("id", "name", "key", "Include") if attributes.get(key)), "")
    return f"{name}#{label}" if label else name


def _section_name(node: Node, source: bytes) -> str:
    """The tag of a component's section with its bare attributes: `script setup`, `style scoped`."""
    tag = _start_tag(node)
    tag_name = tag and child_of_type(tag, "tag_name")
    if tag is None or tag_name is None:
        return ""
    name = source[tag_name.start_byte : tag_name.end_byte].decode("utf-8", "replace")
    return " ".join((name, *(key for key, value in _attributes(tag, source).items() if not value)))


def _content_language(default: str) -> Injection:
    """The raw text of a script or style element, whose `lang` or `type` may say what it is in."""

    def language(node: Node, source: bytes) -> str:
        tag = _start_tag(node)
        attributes = _attributes(tag, source) if tag is not None else {}
        named = attributes.get("lang") or attributes.get("type") or ""
        return _LANGUAGES.get(named.lower(), "") if named else default

    return Injection(at("<raw_text>"), language)


_INJECTIONS = {"script_element": _content_language("javascript"), "style_element": _content_language("css")}
_ELEMENT = Rule("block", namer=_element_name, head=_start_tag, end=_void_tag)
_SECTION = Rule("section", namer=_section_name, head=_start_tag)
_COMPONENT_ELEMENT = Rule(
    "block",
    namer=_element_name,
    head=_start_tag,
    end=_void_tag,
    keyword=at("<start_tag>", "<tag_name>"),
    keywords={"template": "section", "": "block"},
)

HTML = GrammarRules(
    rules=same(_ELEMENT, "element script_element style_element"),
    injections=_INJECTIONS,
    closed=types("start_tag end_tag"),
)
COMPONENT = GrammarRules(
    rules={"element": _COMPONENT_ELEMENT, **same(_SECTION, "script_element style_element")},
    injections=_INJECTIONS,
    closed=HTML.closed,
)
XML = GrammarRules(
    rules={"element": Rule("block", namer=_xml_name, head=_start_tag)},
    attached=types("Comment"),
    closed=types("STag ETag EmptyElemTag"),
)


def _prelude(node: Node, source: bytes) -> str:
    """An at-rule's text up to its block."""
    block = child_of_type(node, "block", "keyframe_block_list")
    end = block.start_byte if block is not None else node.end_byte
    text = source[node.start_byte : min(end, node.start_byte + 400)].decode("utf-8", "replace")
    return " ".join(text.split()).strip(" ;")


_BLOCK = either(at("<block>"), at("<keyframe_block_list>"))
_CSS_RULES = {
    "rule_set": Rule("block", names=(at("<selectors>"),), body=_BLOCK, has_name=True),
    **same(
        Rule("block", namer=_prelude, body=_BLOCK),
        "media_statement supports_statement keyframes_statement at_rule container_statement layer_statement"
        " scope_statement",
    ),
    "keyframe_block": Rule("block", namer=_prelude, body=_BLOCK),
    **same(Rule("import", namer=_prelude), "import_statement"),
    "declaration": Rule("value", names=(at("<property_name>"),), has_name=True),
}
CSS = GrammarRules(rules=_CSS_RULES, closed=types("selectors declaration"))

RULES = {"html": HTML, "vue": COMPONENT, "svelte": COMPONENT, "xml": XML, "css": CSS}
