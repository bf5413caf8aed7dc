"""The alignment of an edit with its original."""

from __future__ import annotations

from fastedit.anchor.model import Alignment, Problem, Segment, SegmentKind
from fastedit.edits.model import Edit, Format
from fastedit.syntax import Outline, outline

__all__ = ["Alignment", "Problem", "Segment", "SegmentKind", "align", "align_readings"]


def align(original: str, edit: Edit, outlined: Outline) -> Alignment:
    """Aligns a whole file or a patch with the original; uncertain parts say so, nothing is refused here."""
    from fastedit.anchor.whole import align_whole
    from fastedit.lines import body, split_lines

    lines = [body(line) for line in split_lines(original)]
    if edit.format is Format.WHOLE:
        return align_whole(lines, edit.snippets, is_exact=True)
    from fastedit.anchor.patch.align import align_patch

    return align_patch(lines, edit, outlined)


def align_readings(
    original: str, edit: Edit, language: str, message: str = "", outlined: Outline | None = None, instruction: str = ""
) -> list[Alignment]:
    """The likeliest ways in which a lazy edit lies on the original, best first; none where it has no code.

    message: the assistant's whole message; its prose may say where something goes or what is gone. outlined: the
    original's outline where the caller has it already.
    """
    from fastedit.anchor.lazy.aligner import align_lazy
    from fastedit.anchor.whole import align_whole, is_whole
    from fastedit.lines import body, split_lines

    lines = [body(line) for line in split_lines(original)]
    if len(edit.snippets) == 1 and is_whole(lines, edit.snippets[0]):
        return [align_whole(lines, edit.snippets, is_exact=False)]
    found = outlined or outline(original, language)
    return align_lazy(lines, edit.snippets, language, message, found, instruction)
