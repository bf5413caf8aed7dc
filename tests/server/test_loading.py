"""The service's settings reach the engine that computes its target."""

from __future__ import annotations

from pathlib import Path

import pytest

from fastedit.decode.runner import ModelRunner
from fastedit.server.loading import State
from fastedit.server.service import slot_for
from fastedit.server.settings import ServerSettings
from support.tiny_targets import make_tiny

MIB = 1 << 20


@pytest.mark.parametrize(("model_requests", "cache_mib", "num_slots"), [(12, None, 12), (16, 64, 3)])
def test_slots_and_memory_are_as_the_settings_say(
    tmp_path: Path, model_requests: int, cache_mib: int | None, num_slots: int
) -> None:
    """4 KiB a token: 64 MiB, less a row, hold three slots of 4,096 tokens."""
    folder = make_tiny(tmp_path, "qwen3", heads=4, kv_heads=4, head_dim=64)
    slot = slot_for(ServerSettings(target=str(folder), model_requests=model_requests, cache_mib=cache_mib))
    slot.load()
    try:
        assert slot.state is State.READY, slot.reason
        runner = slot._engine._runner
        assert isinstance(runner, ModelRunner)
        assert (runner.num_slots, runner.slot_len) == (num_slots, 4096)
        assert runner.cache_bytes <= (cache_mib or 1024) * MIB
    finally:
        slot.close()
