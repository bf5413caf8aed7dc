"""Reads edits: from the text that an assistant wrote to `Edit`s.

message         the way in: `parse_message`, and which of a message's edits are for a file
calls           edits in tool calls
bare            snippets of a message without fences
model           edits as data
fences          a message taken apart: fences, patches without one, the prose between them
sections        the part of a message about several files that each of them hears
placing         the file that each block is for
roles           the purpose of a fence: an edit, commands, output, an example
wording         lines that only stand for code, paragraphs that are prose
naming          file names as assistants write them
tags            an edit between `<code>` and `<update>`
hunks           a hunk's lines as they were meant, for the readers of patches
unified_diff    a reader of patches, as are the next two
search_replace  blocks of what is and what shall be
v4a             patches from `*** Begin Patch` on
"""

from fastedit.edits.message import parse_message

__all__ = ["parse_message"]
