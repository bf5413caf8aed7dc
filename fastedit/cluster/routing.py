"""Tells which file a request is about: requests about one file go to one replica, which has read it before."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

SESSION_HEADER = "x-session-id"  # by which a client may tell its project: file names alone are much alike
HEAD_CHARACTERS = 512  # of a file without a name; most edits are further down
# The fields in which the shapes that the service speaks have a file's text, by the first that is there.
TEXT_FIELDS = ("original", "initial_code", "initialCode")


@dataclass(frozen=True, slots=True)
class RoutedRequest:
    """A request as far as a front has to understand it.

    key: the same for requests about the same file, "" where any replica will do. is_streamed: whether the answer comes
    in pieces.
    """

    key: str = ""
    is_streamed: bool = False


def read_asked(headers: Mapping[str, str], body: bytes) -> RoutedRequest:
    """The request's file and kind. A body that can't be read is any replica's to refuse. headers: in lower case."""
    try:
        fields = json.loads(body) if body else None
    except ValueError:
        return RoutedRequest()
    if not isinstance(fields, dict):
        return RoutedRequest()
    scope = (headers.get(SESSION_HEADER, ""), headers.get("authorization", ""))
    name = _file_of(fields)
    # A digest, so that nothing of a file or a key gets into Ray's logs.
    key = hashlib.sha256("\0".join((*scope, name)).encode("utf-8", "surrogatepass")).hexdigest() if name else ""
    return RoutedRequest(key, fields.get("stream") is True)


def _file_of(fields: Mapping[str, Any]) -> str:
    """The path of the file, or else the beginning of its text."""
    batch = fields.get("requests")
    if isinstance(batch, list) and batch and isinstance(batch[0], dict):
        fields = batch[0]  # a batch stays together: a target reads its edits in the same passes
    path = fields.get("path")
    if isinstance(path, str) and path:
        return f"path {path}"
    texts = (fields.get(name) for name in TEXT_FIELDS)
    text = next((text for text in texts if isinstance(text, str) and text), None) or _file_of_chat(fields)
    return f"text {text[:HEAD_CHARACTERS]}" if text else ""


def _file_of_chat(fields: Mapping[str, Any]) -> str:
    """The file in a chat's prediction or, behind `<code>`, in its last message."""
    prediction, messages = fields.get("prediction"), fields.get("messages")
    if isinstance(prediction, dict) and isinstance(prediction.get("content"), str):
        return str(prediction["content"])
    last = messages[-1] if isinstance(messages, list) and messages else None
    content = last.get("content") if isinstance(last, dict) else None
    return content.partition("<code>")[2] if isinstance(content, str) else ""
