"""What a service has loaded isn't looked at again by collections of garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from fastedit.server.loading import State, TargetSlot
from fastedit.server.workers import settle
from fastedit.targets import Target
from support.tiny_targets import make_tiny


@pytest.fixture(autouse=True)
def unfrozen() -> Iterator[None]:
    yield
    gc.unfreeze()


def test_collections_pass_over_what_was_there() -> None:
    kept = [[number] for number in range(1000)]
    settle()
    assert not any(each is kept for each in gc.get_objects())


def test_what_comes_later_is_collected() -> None:
    settle()
    later: list[object] = []
    later.append(later)
    del later
    assert gc.collect() >= 1


def test_a_loaded_target_is_settled(tmp_path: Path) -> None:
    slot = TargetSlot("tiny", target=Target.load(make_tiny(tmp_path, "qwen3", vocabulary=400), template="plain"))
    slot.load()
    try:
        assert slot.state is State.READY
        assert not any(each is slot.target for each in gc.get_objects())
    finally:
        slot.close()
