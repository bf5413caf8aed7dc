"""Regular expressions that are compiled when first used: most runs need few, and all would take longer than an edit."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any, cast


class _Pattern:
    """Stands for a compiled pattern, which is compiled once one of its attributes is asked for."""

    def __init__(self, text: str, flags: int) -> None:
        self._text, self._flags = text, flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self._text, self._flags)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._compiled, name)
        setattr(self, name, found)  # so that the next call is as fast as the pattern's own
        return found


def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """A stand-in for `re.compile(text, flags)` with its methods and attributes; the functions of `re` don't take it."""
    return cast("re.Pattern[str]", _Pattern(text, flags))
