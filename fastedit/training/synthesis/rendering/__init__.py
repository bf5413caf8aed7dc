"""Renderings: a change written down as an assistant would, in a way that determines the result."""

from __future__ import annotations

import random
from collections.abc import Callable

from fastedit.edits.model import Format
from fastedit.training.synthesis.model import Change, Tier
from fastedit.training.synthesis.rendering.lazy import Rendered, render_lazy
from fastedit.training.synthesis.rendering.patches import (
    render_search_replace,
    render_udiff,
    render_v4a,
    render_whole,
)

RENDERERS: dict[Format, Callable[[Change, Tier, random.Random], Rendered | None]] = {
    Format.LAZY: render_lazy,
    Format.UDIFF: render_udiff,
    Format.SEARCH_REPLACE: render_search_replace,
    Format.V4A: render_v4a,
    Format.WHOLE: render_whole,
}


def render(change: Change, tier: Tier, format: Format, rng: random.Random) -> Rendered | None:
    """The message for a change, or None where this draw would leave a reader in doubt (another draw may not)."""
    return RENDERERS[format](change, tier, rng)
