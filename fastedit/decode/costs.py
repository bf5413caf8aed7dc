"""Seconds that a pass takes, measured, by the number of tokens fed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping

MEASURED_WIDTHS = (1, 16, 64, 256)
WARM_UP_S = 1.0  # the measurement stops where the next width would take longer than this
MEASUREMENTS = 3  # of a width, of which the fastest counts: a busy machine only ever adds time


class CostTable:
    """Seconds a pass takes by its width.

    Between two widths time is interpolated; beyond the last it goes on at the last slope. With `is_step` a pass costs
    what the next larger width does, as with CUDA graphs captured for certain widths.
    """

    def __init__(self, seconds: Mapping[int, float], is_step: bool = False) -> None:
        if not seconds:
            raise ValueError("a cost table needs a measurement")
        self.widths = sorted(seconds)
        self._seconds = [seconds[width] for width in self.widths]
        self._is_step = is_step

    @classmethod
    def measure(cls, run: Callable[[int], float], step_widths: tuple[int, ...] = ()) -> CostTable:
        """run(width): does such a pass and says how long it took. The first of a width, a warm-up, isn't counted.

        step_widths: the widths of a step table. Stops early on a machine where wide passes take long.
        """
        widths = step_widths or MEASURED_WIDTHS
        seconds: dict[int, float] = {}
        for width in widths:
            run(width)
            fastest = min(run(width) for _ in range(MEASUREMENTS))
            seconds[width] = max(fastest, *seconds.values(), 0.0)
            if 4 * seconds[width] > WARM_UP_S:
                break
        return cls(seconds, is_step=bool(step_widths))

    def seconds(self, width: int) -> float:
        """Time of a pass that feeds `width` tokens; 0 for none."""
        if width <= 0:
            return 0.0
        right = bisect_left(self.widths, width)
        if right < len(self.widths) and (self._is_step or self.widths[right] == width or right == 0):
            return self._seconds[right]
        if len(self.widths) == 1:
            return self._seconds[0] * max(1.0, width / self.widths[0])
        right = min(right, len(self.widths) - 1)
        low, high = self.widths[right - 1], self.widths[right]
        slope = (self._seconds[right] - self._seconds[right - 1]) / (high - low)
        return self._seconds[right - 1] + max(slope, 0.0) * (width - low)

    def width_for(self, seconds: float) -> int:
        """The widest pass that takes no longer than `seconds`, to a sixteenth of it; at least 1."""
        width = 1
        while width < 2**20 and self.seconds(2 * width) <= seconds:
            width *= 2
        step = width // 2
        for _ in range(4):
            if self.seconds(width + step) <= seconds:
                width += step
            step //= 2
        return width
