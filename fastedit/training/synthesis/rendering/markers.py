"""Tables of how assistants word the markers for what they leave out, and the comment forms around them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fastedit.syntax.model import CommentSyntax
from fastedit.training.synthesis.model import Tier

ANY, BODY, IMPORTS, NAMED, TOP, BOTTOM = "any", "body", "imports", "named", "top", "bottom"


@dataclass(frozen=True, slots=True)
class MarkerStyle:
    """One assistant's way of writing markers.

    wordings: by what is left out (ANY must be there); several are drawn from. {names} stands for declarations.
    is_bare: without comment syntax around it.
    """

    name: str
    wordings: Mapping[str, tuple[str, ...]]
    is_bare: bool = False


CLEAR_STYLES: tuple[MarkerStyle, ...] = (
    MarkerStyle("existing code", {ANY: ("... existing code ...",)}),
    MarkerStyle(
        "existing, worded",
        {ANY: ("... existing code ...",), IMPORTS: ("... existing imports ...",), BODY: ("... existing code ...",)},
    ),
    MarkerStyle("dots", {ANY: ("...",)}),
    MarkerStyle("ellipsis", {ANY: ("…",)}),
    MarkerStyle(
        "unchanged",
        {
            ANY: ("... unchanged ...",),
            BODY: ("... unchanged ...", "... body unchanged ...", "... rest of the function unchanged ..."),
            IMPORTS: ("... imports unchanged ...", "... imports ..."),
            NAMED: ("... {names} unchanged ...", "... {names} (unchanged) ..."),
            BOTTOM: ("... everything below is unchanged ...", "... rest of the file unchanged ..."),
            TOP: ("... everything above is unchanged ...", "... unchanged ..."),
        },
    ),
    MarkerStyle("brackets", {ANY: ("[... unchanged ...]",), BODY: ("[... unchanged ...]", "[... rest unchanged ...]")}),
    MarkerStyle("tight", {ANY: ("...existing code...",)}),
    MarkerStyle(
        "rest",
        {
            ANY: ("... rest of the code ...", "... other code unchanged ..."),
            BODY: ("... rest of the method stays the same ...", "... rest of the function ..."),
            BOTTOM: ("... rest of the file ...", "... rest of the code stays the same ..."),
            IMPORTS: ("... existing imports ...",),
            NAMED: ("... {names} stay the same ...",),
        },
    ),
    MarkerStyle("same", {ANY: ("... same as before ...",), BODY: ("... same as before ...", "... as before ...")}),
    MarkerStyle("keep", {ANY: ("... keep existing code ...", "... existing code unchanged ...")}),
    MarkerStyle(
        "names",
        {
            ANY: ("... unchanged code ...",),
            NAMED: ("... {names} ...", "... {names} and helpers unchanged ..."),
            BODY: ("... no change ...", "... unchanged ..."),
            IMPORTS: ("... imports ...",),
        },
    ),
    MarkerStyle("capitals", {ANY: ("... EXISTING CODE ...", "... UNCHANGED CODE ...")}),
    MarkerStyle("parentheses", {ANY: ("... (unchanged) ...", "... (existing code) ...")}),
)

SLOPPY_STYLES: tuple[MarkerStyle, ...] = (
    MarkerStyle("bare dots", {ANY: ("...",)}, is_bare=True),
    MarkerStyle("bare brackets", {ANY: ("[...]",)}, is_bare=True),
    MarkerStyle("angle brackets", {ANY: ("<...>", "<... same as before ...>")}, is_bare=True),
    MarkerStyle("bare words", {ANY: ("[... unchanged ...]", "... (unchanged) ...")}, is_bare=True),
    MarkerStyle("bracketed dots", {ANY: ("[...]",)}),
    MarkerStyle("snip", {ANY: ("--- snip ---", "[snip]")}),
    MarkerStyle("keep, no dots", {ANY: ("keep existing code", "existing code here")}),
    MarkerStyle("half dots", {ANY: ("... unchanged", "... same as before")}),
    MarkerStyle(
        "as is",
        {
            ANY: ("unchanged", "(same as before)", "(unchanged)"),
            BODY: ("rest as is", "(rest of the function as before)", "the rest stays the same"),
            NAMED: ("({names} stay as they are)", "{names} unchanged"),
            BOTTOM: ("(rest of the file unchanged)", "remaining code unchanged"),
        },
    ),
    MarkerStyle(
        "remarks",
        {
            ANY: ("[unchanged]", "[same as before]"),
            BODY: ("[rest of the body as now]", "[same body]"),
            NAMED: ("[{names} stay the same]", "[{names}, unchanged]"),
            IMPORTS: ("[imports]",),
        },
    ),
    MarkerStyle("only names", {ANY: ("...",), NAMED: ("{names}", "{names} as they are"), BODY: ("... as before",)}),
    MarkerStyle("omitted", {ANY: ("... (omitted for brevity) ...", "code omitted for brevity")}),
)

STYLES: dict[Tier, tuple[MarkerStyle, ...]] = {
    Tier.CLEAR: CLEAR_STYLES,
    Tier.SLOPPY: CLEAR_STYLES + SLOPPY_STYLES * 2,
    Tier.HARD: CLEAR_STYLES * 2 + SLOPPY_STYLES,
}

COMMONEST = 0.3  # share of messages in the habit that tools ask for: "... existing code ..."


def draw_style(rng: random.Random, tier: Tier) -> MarkerStyle:
    """One assistant's style."""
    return CLEAR_STYLES[0] if rng.random() < COMMONEST else rng.choice(STYLES[tier])


def worded(style: MarkerStyle, situations: Sequence[str], names: Sequence[str], rng: random.Random) -> str:
    """The marker's words for the first of `situations` that the style has words for, without comment syntax."""
    for situation in (*situations, ANY):
        if situation == NAMED and not names:
            continue
        if situation in style.wordings:
            words = rng.choice(style.wordings[situation])
            return words.replace("{names}", joined(names)) if names else words
    return style.wordings[ANY][0]


def joined(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`, or `a ... z` for more."""
    if len(names) == 1:
        return names[0]
    if len(names) > 4:
        return f"{names[0]} to {names[-1]}"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def as_comment(text: str, comments: CommentSyntax, *, block: bool) -> str:
    """The text as a comment of the language; `//` where it has none, as people write in JSON."""
    if comments.block and (block or not comments.line):
        start, end = comments.block[0]
        return f"{start} {text} {end}"
    return f"{comments.line[0] if comments.line else '//'} {text}"
