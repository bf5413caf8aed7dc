"""Reads what a text is made of: its language, declarations, comment syntax and parse errors."""

from __future__ import annotations

from fastedit.syntax.languages import LANGUAGES, comment_syntax, language_of, language_of_tag
from fastedit.syntax.model import CommentSyntax, Declaration, Outline
from fastedit.syntax.outline import outline, snippet_outline
from fastedit.syntax.parse import added_errors, count_errors

__all__ = [
    "LANGUAGES",
    "CommentSyntax",
    "Declaration",
    "Outline",
    "added_errors",
    "comment_syntax",
    "count_errors",
    "language_of",
    "language_of_tag",
    "outline",
    "snippet_outline",
]
