"""Tells how far a run is, and what follows from it: the learning rate and the stage of the documents."""

from __future__ import annotations

from fastedit.training.settings import ScheduleSettings, Stage


def progress(settings: ScheduleSettings, elapsed_s: float, num_tokens: int) -> float:
    """The share of the run that is over, by time or by tokens, whichever is further."""
    by_time = elapsed_s / 60 / settings.minutes if settings.minutes else 0.0
    by_tokens = num_tokens / settings.tokens if settings.tokens else 0.0
    return min(1.0, max(by_time, by_tokens))


def rate_factor(settings: ScheduleSettings, step: int, share: float) -> float:
    """The factor of the learning rates: it rises over the first steps, stays level, and falls at the end."""
    warm = min(1.0, (step + 1) / max(1, settings.warmup_steps))
    if share <= settings.decay_from:
        return warm
    left = (1.0 - share) / max(1e-9, 1.0 - settings.decay_from)
    return warm * (settings.final_rate + (1.0 - settings.final_rate) * left)


def stage_at(settings: ScheduleSettings, share: float) -> Stage:
    """The stage that says how long documents may be at this point of the run."""
    begun = [stage for stage in settings.stages if stage.start <= share] or list(settings.stages[:1])
    return max(begun, key=lambda stage: stage.start)
