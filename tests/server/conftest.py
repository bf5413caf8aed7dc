"""One service without a target for all tests that change nothing about it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("fastapi")

from support.serving import Running, running


@pytest.fixture(scope="session")
def plain() -> Iterator[Running]:
    with running() as service:
        yield service
