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
    ],
)
def test_a_summary_tells_whose_text_it_is(strategy, stats, told):
    applied = Applied("a\n", "b\n", "app.py", strategy, stats=stats)
    change = FileChange("app.py", ChangeAction.UPDATE, "0", "1", applied, diff=applied.diff)
    assert summary(change) == f"app.py: 1 hunk, +1 -1, {told}"
