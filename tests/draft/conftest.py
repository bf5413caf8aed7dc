from __future__ import annotations

import pytest

from support.drafting import WordCodec


@pytest.fixture
def codec():
    return WordCodec()
