"""How many examples properties are tried with: few and always the same ones by default, so that the suite is quick and
says the same each time; `HYPOTHESIS_PROFILE` asks for more, and other ones each time."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

SHARES = {"default": 0.25, "full": 1.0, "thorough": 10.0}  # of the number that a test names
FEWEST = 10
NUMBER = 100  # where a test names none

_PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "default")


def load_profile() -> None:
    """Sets what holds for tests without settings of their own. ValueError for a profile that doesn't exist."""
    if _PROFILE not in SHARES:
        raise ValueError(f"HYPOTHESIS_PROFILE is {_PROFILE}: {', '.join(SHARES)} are there")
    settings.register_profile(
        _PROFILE,
        # The machine that runs the suite may be busy: no example has a deadline of its own.
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        derandomize=_PROFILE == "default",
        max_examples=_scaled(NUMBER),
    )
    settings.load_profile(_PROFILE)


def examples(number: int) -> settings:
    """The settings for so many examples in the profile `full`, and their share in others."""
    return settings(max_examples=_scaled(number))


def share_of(number: int, fewest: int = 1) -> int:
    """How many of so many random cases are tried, in tests that draw them without Hypothesis: all of them in `full`."""
    return max(fewest, round(number * SHARES[_PROFILE]))


def _scaled(number: int) -> int:
    return share_of(number, FEWEST)
