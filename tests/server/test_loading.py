"""The target's engine gets what the service's settings say."""

from __future__ import annotations

import pytest

from fastedit.server.loading import State
from fastedit.server.service import Service
from fastedit.server.settings import ServerSettings
from support.tiny_targets import make_tiny


@pytest.mark.parametrize("num_requests", [2, 12])
def test_as_many_requests_are_decoded_at_once_as_the_settings_say(tmp_path, num_requests):
    folder = make_tiny(tmp_path, "qwen3", vocabulary=400)
    settings = ServerSettings(target=str(folder), device="cpu", model_requests=num_requests)
    slot = Service(settings).slot
    slot.load()
    try:
        assert slot.state is State.READY, slot.explanation
        assert slot.engine._runner.num_slots == num_requests
    finally:
        slot.close()
