"""`--retry-prompt`: puts a refusal into words that an assistant can do something with."""

from __future__ import annotations

from fastedit.errors import Candidate, Code, EditRefused

ADVICE = {
    Code.ANCHOR_NOT_FOUND: "Some of the lines that you show as unchanged aren't in the file. Copy them exactly.",
    Code.ANCHOR_AMBIGUOUS: "It can be read in several ways. Show more of the unchanged lines around each change, with "
    "the function or class that it is in, and a comment `... existing code ...` for everything between.",
    Code.CONTENT_CONFLICT: "The file has changed meanwhile. Ask me for its present text first.",
    Code.EDIT_EMPTY: "There was no code in it. Put the changed lines into a fenced code block.",
    Code.EDIT_UNPARSABLE: "It was broken or cut off. Send it again whole.",
    Code.MARKER_LEAKAGE: "A comment like `... existing code ...` would have ended up in the file. Put one only between "
    "lines that are in the file.",
    Code.TRUNCATION_DETECTED: "It would have removed more than it shows. Show what is to be removed, and mark what "
    "stays with a comment `... existing code ...`.",
    Code.SYMBOL_LOST: "It would have removed a definition that it says nothing of. Mark what stays with a comment "
    "`... existing code ...`, or say that the definition is to go.",
    Code.SYNTAX_BROKEN: "The result would have been no valid code. Check brackets and indentation.",
    Code.BLAST_RADIUS_EXCEEDED: "It would have changed far more than it shows. Send the changed lines alone.",
    Code.CHECK_FAILED: "The change was taken back, since a check failed after it. Correct it.",
}
GENERAL = "Send the edit again in another way: a unified diff with exact context, or SEARCH/REPLACE blocks."


def retry_prompt(refusal: EditRefused) -> str:
    """Text to paste to the assistant whose edit was refused: why, where, and what would help."""
    lines = [f"Your edit wasn't applied ({refusal.code.value}): {refusal.message}", ""]
    if refusal.candidates:
        lines += ["It may have been meant for:", *(_place(one) for one in refusal.candidates), ""]
    lines += [ADVICE.get(refusal.code, GENERAL), "Send this edit alone, and nothing that is applied already."]
    return "\n".join(lines) + "\n"


def _place(candidate: Candidate) -> str:
    place = f"{candidate.path}:{candidate.start_line + 1}" if candidate.end_line else candidate.path
    quoted = "".join(f"\n    {line}" for line in candidate.text.split("\n")[:6]) if candidate.text else ""
    return f"- {place}: {candidate.words}{quoted}"
