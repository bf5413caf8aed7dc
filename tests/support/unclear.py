"""How much to ask of an edit so that its likeliest reading is just not certain enough, whatever the fits make of it."""

from __future__ import annotations

import pytest

from fastedit import EditRefused, apply

MORE = 0.01


def just_too_much(file: str, message: str) -> float:
    """The certainty that the likeliest reading of an unclear edit lacks by a hair."""
    with pytest.raises(EditRefused) as caught:
        apply(file, message, path="a.py", mode="structural", certainty=1.0)
    assert caught.value.certainty is not None
    return caught.value.certainty + MORE
