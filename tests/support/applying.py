"""`apply` without a target, as the tests of the structural path call it."""

from __future__ import annotations

import pytest

from fastedit import Applied, EditRefused, apply


def fenced(code: str, info: str = "") -> str:
    """A message that is one fence."""
    return f"```{info}\n{code.strip(chr(10))}\n```\n"


def lazily(original: str, code: str, path: str | None = "sample.py", certainty: float | None = None) -> Applied:
    """What a message with this snippet makes of the original."""
    return apply(original, fenced(code), path=path, mode="structural", certainty=certainty)


def refusal(original: str, code: str, path: str | None = "sample.py") -> EditRefused:
    """How a message with this snippet is refused; the test fails where it isn't."""
    with pytest.raises(EditRefused) as caught:
        lazily(original, code, path)
    return caught.value


def replaced(text: str, *changes: tuple[str, str]) -> str:
    """The text with each old part, which it has once, replaced by the new one."""
    for old, new in changes:
        assert text.count(old) == 1, f"found {text.count(old)} times:\n{old}"
        text = text.replace(old, new)
    return text
