"""Reading edits: from the text that an assistant wrote to `Edit`s."""

from fastedit.edits.message import parse_message

__all__ = ["parse_message"]
