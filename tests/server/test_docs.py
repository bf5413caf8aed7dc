"""The page of what the service answers."""

from __future__ import annotations

from fastedit.server.routes.docs import page_of

DESCRIBED = {
    "info": {"title": "A & B", "description": "Merges <edits>."},
    "paths": {
        "/v1/do": {
            "post": {
                "description": "Do it.",
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Asked"}}}},
                "responses": {"200": {"description": "Done."}, "409": {}},
            },
            "get": {"responses": {}},
        }
    },
    "components": {
        "schemas": {
            "Asked": {
                "required": ["text"],
                "properties": {
                    "text": {"type": "string", "description": "With <tags>."},
                    "mode": {"enum": ["auto", "file"]},
                    "size": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
                    "parts": {"type": "array", "items": {"$ref": "#/components/schemas/Part"}},
                    "rest": {},
                },
                "examples": [{"text": "a < b"}],
            }
        }
    },
}


def test_each_path_has_its_words_fields_and_answers() -> None:
    page = page_of(DESCRIBED)
    assert "<title>A &amp; B</title>" in page
    assert "<code>POST /v1/do</code>" in page
    assert "<code>GET /v1/do</code>" in page
    assert "<code>text</code><td>string<td>With &lt;tags&gt;." in page
    for name, kind in (
        ("mode?", "one of &quot;auto&quot;, &quot;file&quot;"),
        ("size?", "integer or null"),
        ("parts?", "list of Part"),
        ("rest?", "any"),
    ):
        assert f"<code>{name}</code><td>{kind}" in page
    assert "<code>200</code><td>Done." in page
    assert "a &lt; b" in page
    assert "<edits>" not in page
