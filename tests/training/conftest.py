"""What fitting leaves behind is put back: later tests in the same process read edits by the installed files."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fastedit.anchor.lazy import FITTED
from fastedit.training.alignment.forecast import use_those


@pytest.fixture(autouse=True)
def _installed() -> Iterator[None]:
    yield
    use_those(FITTED)
