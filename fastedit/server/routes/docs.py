"""GET /docs: what the service answers, as a page that loads nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

router = APIRouter()

STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 0 auto; padding: 1rem }
h2 { margin-top: 2.5rem; border-bottom: 1px solid #8886 } h2 code { font-size: 1.1rem }
table { border-collapse: collapse; width: 100% } td { border-bottom: 1px solid #8884; padding: .3rem .6rem .3rem 0 }
td { vertical-align: top } pre { overflow-x: auto; background: #8881; padding: .7rem }
"""


@router.get("/docs", include_in_schema=False)
async def docs(request: Request) -> HTMLResponse:
    """The OpenAPI description for people."""
    return HTMLResponse(page_of(request.app.openapi()))


def page_of(described: dict[str, Any]) -> str:
    """An OpenAPI description as HTML."""
    title = escape(described["info"]["title"])
    sections = "".join(_sections(described))
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>'
    about = escape(described["info"].get("description", ""))
    intro = f"<p>{about} For programs: <a href=/openapi.json>openapi.json</a>."
    return f"<!DOCTYPE html><html lang=en><head>{head}<style>{STYLE}</style><body><h1>{title}</h1>{intro}{sections}\n"


def _sections(described: dict[str, Any]) -> Iterator[str]:
    for path, methods in described["paths"].items():
        for method, said in methods.items():
            yield f"<h2><code>{method.upper()} {escape(path)}</code></h2><p>{escape(said.get('description', ''))}"
            body = said.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
            if body is not None:
                yield from _body(described, body)
            answers = ((status, answer.get("description", "")) for status, answer in said["responses"].items())
            yield f"<table>{''.join(_row(status, words) for status, words in answers)}</table>"


def _body(described: dict[str, Any], reference: dict[str, Any]) -> Iterator[str]:
    schema = _schema(described, reference)
    required = schema.get("required", ())
    rows = (
        _row(name if name in required else f"{name}?", _type(field), field.get("description", ""))
        for name, field in schema.get("properties", {}).items()
    )
    yield f"<table>{''.join(rows)}</table>"
    for example in schema.get("examples", ()):
        yield f"<pre>{escape(json.dumps(example, indent=1))}</pre>"


def _schema(described: dict[str, Any], reference: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = described
    if "$ref" not in reference:
        return reference
    for part in reference["$ref"].removeprefix("#/").split("/"):
        found = found[part]
    return found


def _type(field: dict[str, Any]) -> str:
    """A field's type in a word or two: `string or null`, `one of "auto", "file"`, `list of ApplyRequest`."""
    if "$ref" in field:
        return str(field["$ref"].rpartition("/")[2])
    if "enum" in field:
        return f"one of {', '.join(map(json.dumps, field['enum']))}"
    if "anyOf" in field:
        return " or ".join(dict.fromkeys(map(_type, field["anyOf"])))
    if field.get("type") == "array":
        return f"list of {_type(field.get('items', {}))}"
    return str(field.get("type", "any"))


def _row(name: str, *words: str) -> str:
    return f"<tr><td><code>{escape(name)}</code>{''.join(f'<td>{escape(word)}' for word in words)}\n"
