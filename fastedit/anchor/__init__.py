"""The alignment of an edit with its original."""

from __future__ import annotations

from fastedit.anchor.model import Alignment, Problem, Segment, SegmentKind
from fastedit.edits.model import Edit, Format
from fastedit.syntax import Outline, outline

__all__ = ["Alignment", "Problem", "Segment", "SegmentKind", "align"]


def align(original: str, edit: Edit, language: str, message: str = "", outlined: Outline | None = None) -> Alignment:
    """How the edit's lines lie on the original's; uncertain parts say so, nothing is refused here.

    message: the assistant's whole message; its prose may say where something goes or what is gone.
    outlined: the original's outline where the caller has it already.
    """
    from fastedit.anchor.snippets import align_snippets
    from fastedit.anchor.whole import align_whole
    from fastedit.lines import body, split_lines

    lines = [body(line) for line in split_lines(original)]
    found = outlined or outline(original, language)
    if edit.format is Format.WHOLE:
        return align_whole(lines, edit.snippets)
    if edit.format is Format.LAZY:
        return align_snippets(lines, edit.snippets, language, message, found)
    from fastedit.anchor.patch import align_patch

    return align_patch(lines, edit, found)
