"""The edits: the project's golden cases, as the embedded target is asked about them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fastedit.apply import begin
from fastedit.decode import EditRequest, decode_request
from fastedit.edits import parse_message
from fastedit.edits.message import edits_for
from fastedit.guard import Original
from fastedit.lines import split_lines
from fastedit.syntax import language_of
from fastedit.targets import Target
from fastedit.verify.excerpts import excerpts_of
from fastedit.verify.windows import cut_windows

GOLDEN = Path(__file__).parents[3] / "tests" / "golden"


@dataclass(frozen=True, slots=True)
class Case:
    """name: the edit's. prompt: token ids. max_tokens: as FastEdit's own engine would limit the output."""

    name: str
    prompt: tuple[int, ...]
    max_tokens: int


def load_cases(target: Target, most: int) -> list[Case]:
    """The first window of each of the first `most` golden edits."""
    folders = sorted(path.parent for path in GOLDEN.glob("*/edit.md"))
    return [_case(target, folder) for folder in folders[:most]]


def _case(target: Target, folder: Path) -> Case:
    (file,) = folder.glob("original.*")
    original, message = file.read_bytes().decode(), (folder / "edit.md").read_bytes().decode()
    edits, _ = edits_for(parse_message(message), file.name)
    begun = begin(original, edits, path=file.name, message=message)
    whole = Original(original, language_of(file.name, original), begun.outline)
    windows = cut_windows(whole, begun.merged, "auto", target)
    excerpt = excerpts_of(edits[0], windows, split_lines(original))[0]
    window = windows[0].with_unix_ends() if windows[0].is_crlf else windows[0]
    asked = EditRequest(window.original, excerpt.text, (window.draft,), excerpt.runs, excerpt.elisions, excerpt.codes)
    request = decode_request(target, asked, target.max_positions)
    return Case(folder.name, request.prompt, request.max_new_tokens)
