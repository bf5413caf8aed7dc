"""The message around the fences: prose, paths and info strings, as tables."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from fastedit.edits.model import Format
from fastedit.training.synthesis.corpus import is_comment
from fastedit.training.synthesis.document import Document
from fastedit.training.synthesis.model import Change, Tier

INTROS: tuple[str, ...] = (
    "Here's the updated code:",
    "Here is the change:",
    "Sure, here's the edit for `{path}`:",
    "I've made the change in `{path}`.",
    "Done. Only the parts that change are shown:",
    "This should do it:",
    "The following edit takes care of it.",
    "I've updated the code as you asked:",
    "Good catch. This fixes it:",
    "Let me make that change.",
    "Okay, here is what I'd change:",
    "That needs a small change in `{name}`:",
    "I changed `{name}` and left everything else alone.",
    "`{name}` is the only place that has to change:",
)
WHOLE_INTROS: tuple[str, ...] = (
    "Here is the complete updated file:",
    "The whole file with the change in it:",
    "Here's the full new version of `{path}`:",
    "I rewrote the file; this is all of it:",
)
REPLACED = "Only the code that changes is shown; please leave everything that I don't mention as it is."
OUTROS: tuple[str, ...] = (
    "",
    "",
    "",
    "Everything else stays the same.",
    "Let me know if you'd like tests for this.",
    "The rest of the file is unchanged.",
    "No other places need to change.",
)
BETWEEN: tuple[str, ...] = ("Then:", "And further down:", "and", "The second place:", "Also here:", "", "Next:")
DECORATORS_GONE: tuple[str, ...] = (
    "The `{text}` above `{name}` is gone.",
    "`{text}` goes from `{name}`, too.",
    "I dropped the `{text}` line of `{name}`.",
)
COMMENTS_GONE: tuple[str, ...] = ("The comment `{text}` is outdated, so it goes.", "I removed the comment `{text}`.")
DOCSTRINGS_GONE: tuple[str, ...] = (
    "The docstring of `{name}` is gone.",
    "I removed the docstring of `{name}`, too.",
)
DELETIONS: tuple[str, ...] = (
    "`{name}` is gone, since nothing uses it any more.",
    "I removed `{name}`.",
    "`{name}` isn't needed any more, so it's deleted.",
)

DOCSTRING = re.compile(r"[rRuU]?(?:\"\"\"|\'\'\'|\"|\')")
TAGS: dict[str, tuple[str, ...]] = {
    "python": ("python", "python", "py"),
    "javascript": ("javascript", "js", "jsx"),
    "typescript": ("typescript", "ts"),
    "cpp": ("cpp", "c++"),
    "csharp": ("csharp", "cs"),
    "bash": ("bash", "sh"),
    "yaml": ("yaml", "yml"),
    "rust": ("rust", "rs"),
    "kotlin": ("kotlin", "kt"),
    "": ("", "text"),
}
PATCH_TAGS: dict[Format, tuple[str, ...]] = {
    Format.UDIFF: ("diff", "diff", "patch", "udiff"),
    Format.V4A: ("", "diff", "patch", "text"),
}
PATH_FORMS: tuple[str, ...] = (
    "### `{path}`",
    "**`{path}`**",
    "`{path}`:",
    "{path}",
    "### {path}",
    "**{path}**",
    "File: `{path}`",
)
INFO_FORMS: tuple[str, ...] = ("{tag}:{path}", '{tag} title="{path}"', "{tag} {path}")


@dataclass(frozen=True, slots=True)
class WrittenFence:
    """One fenced block. prose: the paragraph before it."""

    lines: tuple[str, ...]
    tag: str = ""
    prose: str = ""
    is_fenced: bool = True


def tag_of(document: Document, rng: random.Random) -> str:
    """A fence's language tag, now and then none."""
    if rng.random() < 0.06:
        return ""
    return rng.choice(TAGS.get(document.language, (document.language,)))


def patch_tag(format: Format, document: Document, rng: random.Random) -> str:
    """A tag for a fence that holds a patch."""
    return rng.choice(PATCH_TAGS[format]) if format in PATCH_TAGS else tag_of(document, rng)


def message(
    change: Change,
    fences: Sequence[WrittenFence],
    tier: Tier,
    rng: random.Random,
    *,
    notes: Sequence[str] = (),
    is_whole: bool = False,
) -> str:
    """The whole text of the assistant. notes: sentences that the reader needs; is_whole: the fence is the new file."""
    name = _changed_name(change)
    intros = list(WHOLE_INTROS) if is_whole else [intro for intro in INTROS if name or "{name}" not in intro]
    parts = []
    if rng.random() < 0.92 or notes or is_whole:
        parts.append(rng.choice(intros).replace("{path}", change.before.path).replace("{name}", name))
    if notes:
        parts[-1] = " ".join([parts[-1].rstrip(":").rstrip(".") + ".", *notes])
    form = rng.choice(("", "", "", "before", "info")) if tier is not Tier.HARD else rng.choice(("", "", "before"))
    for index, fence in enumerate(fences):
        if fence.prose:
            parts.append(fence.prose)
        elif index and rng.random() < 0.6:
            parts.append(rng.choice([text for text in BETWEEN if text]))
        parts.append(_fenced(fence, change.before.path, form, rng))
    outro = rng.choice(OUTROS)
    if outro and not is_whole:
        parts.append(outro)
    return "\n\n".join(parts) + "\n"


def _fenced(fence: WrittenFence, path: str, form: str, rng: random.Random) -> str:
    if not fence.is_fenced:
        return "\n".join(fence.lines)
    info = fence.tag
    heading = ""
    if form == "info" and fence.tag:
        info = rng.choice(INFO_FORMS).replace("{tag}", fence.tag).replace("{path}", path)
    elif form == "before":
        heading = rng.choice(PATH_FORMS).replace("{path}", path) + rng.choice(("\n", "\n\n"))
    mark = "```"
    while any(line.lstrip().startswith(mark) for line in fence.lines):
        mark += "`"
    return "\n".join([heading + mark + info, *fence.lines, mark])


def _changed_name(change: Change) -> str:
    """The name of the innermost declaration that the first splice touches, or ""."""
    at = change.splices[0].start
    name = ""
    for declaration in change.before.declarations:
        if declaration.start_line <= at < declaration.end_line and declaration.name.isidentifier():
            name = declaration.name
    return name


def deleted_names(change: Change) -> list[str]:
    """The functions and classes that go without anything in their place, and don't move elsewhere."""
    arrived = {line.strip() for splice in change.splices for line in splice.lines}
    return [
        declaration.name
        for declaration in change.before.declarations
        if declaration.kind in ("function", "class")
        and declaration.name.isidentifier()
        and change.before.lines[declaration.header_line].strip() not in arrived
        and any(
            s.start <= declaration.header_line and declaration.end_line <= s.end and not s.lines for s in change.splices
        )
    ]


def deleted_comments(change: Change) -> list[str]:
    """The comments that go by themselves: context is often quoted without its comments, so a reader has to be told."""
    gone = []
    for splice in change.splices:
        lines = [line.strip() for line in change.before.lines[splice.start : splice.end] if line.strip()]
        if lines and not splice.lines and all(is_comment(change.before, line) for line in lines):
            gone.append(lines[0])
    return gone


def deleted_docstrings(change: Change) -> list[str]:
    """The functions and classes that lose their docstrings, without which code is often quoted: it has to be told."""
    names = []
    for splice in change.splices:
        old = next((line.strip() for line in change.before.lines[splice.start : splice.end] if line.strip()), "")
        new = next((line.strip() for line in splice.lines if line.strip()), "")
        if not change.before.traits.triple_quotes or not DOCSTRING.match(old) or DOCSTRING.match(new):
            continue
        names += [
            d.name
            for d in change.before.declarations
            if d.kind in ("function", "class") and d.header_line < splice.start <= d.body_line < splice.end
        ]
    return names


def deleted_decorators(change: Change) -> list[tuple[str, str]]:
    """The decorators that go while what they belong to stays, each with its name: a reader has to be told of them."""
    start = change.before.traits.decorator
    gone = []
    for splice in change.splices:
        lines = [line.strip() for line in change.before.lines[splice.start : splice.end] if line.strip()]
        if not start or splice.lines or not lines or not all(line.startswith(start) for line in lines):
            continue
        owner = next((d for d in change.before.declarations if d.start_line <= splice.start <= d.header_line), None)
        gone.append((lines[0], owner.name if owner is not None and owner.name else "it"))
    return gone
