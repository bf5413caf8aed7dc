from __future__ import annotations

import pytest

from fastedit.training.schedule import progress, rate_factor, stage_at
from fastedit.training.settings import ScheduleSettings, Stage

SETTINGS = ScheduleSettings(
    minutes=10, tokens=1000, warmup_steps=4, decay_from=0.5, final_rate=0.1, stages=(Stage(0.0, 64), Stage(0.3, 128))
)


def test_a_run_is_over_when_time_or_tokens_are_used_up():
    assert progress(SETTINGS, 60.0, 200) == pytest.approx(0.2)
    assert progress(SETTINGS, 300.0, 200) == pytest.approx(0.5)
    assert progress(SETTINGS, 0.0, 5000) == 1.0
    assert progress(ScheduleSettings(minutes=1), 30.0, 10**9) == pytest.approx(0.5)


def test_the_rate_rises_stays_and_falls():
    assert [rate_factor(SETTINGS, step, 0.0) for step in range(5)] == [0.25, 0.5, 0.75, 1.0, 1.0]
    assert rate_factor(SETTINGS, 100, 0.5) == 1.0
    assert rate_factor(SETTINGS, 100, 0.75) == pytest.approx(0.55)
    assert rate_factor(SETTINGS, 100, 1.0) == pytest.approx(0.1)


def test_documents_get_longer():
    assert [stage_at(SETTINGS, share).max_tokens for share in (0.0, 0.29, 0.3, 1.0)] == [64, 64, 128, 128]
