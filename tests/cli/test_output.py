from __future__ import annotations

import pytest

from fastedit.applied import Applied, Stats
from fastedit.cli.output import summary
from fastedit.workspace import ChangeAction, FileChange


@pytest.mark.parametrize(
    ("strategy", "stats", "told"),
    [
        ("structural", Stats(), "structural"),
        (
            "verified",
            Stats(passes=1, drafted=210, accepted=210),
            "verified (210 of 210 drafted tokens accepted in 1 pass)",
        ),
        ("model", Stats(passes=3, drafted=40, accepted=12), "model (12 of 40 drafted tokens accepted in 3 passes)"),
        ("structural", Stats(passes=2, readings_judged=3), "structural (3 readings judged in 2 passes)"),
        (
            "model",
            Stats(passes=4, drafted=9, accepted=8, readings_judged=2),
            "model (2 readings judged, 8 of 9 drafted tokens accepted in 4 passes)",
        ),
    ],
)
def test_a_summary_tells_whose_text_it_is(strategy, stats, told):
    applied = Applied("a\n", "b\n", "app.py", strategy, stats=stats)
    change = FileChange("app.py", ChangeAction.UPDATE, "0", "1", applied, diff=applied.diff)
    assert summary(change) == f"app.py: 1 hunk, +1 -1, {told}"
