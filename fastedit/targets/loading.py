"""Lets a program tell that a target is being made ready, which takes seconds: loaded, and its passes measured."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

Announcer = Callable[[str], AbstractContextManager[None]]  # of the target's name


def _silent(_: str) -> AbstractContextManager[None]:
    return nullcontext()


_announcer: Announcer = _silent


def announce_by(announcer: Announcer) -> None:
    """Has whatever makes a target ready happen inside `announcer(name)` from now on, in the thread that asked for it.

    For programs; a library leaves its caller's terminal and signals alone.
    """
    global _announcer
    _announcer = announcer


def getting_ready(name: str) -> AbstractContextManager[None]:
    """The context in which the target of this name is to be made ready."""
    return _announcer(name)
