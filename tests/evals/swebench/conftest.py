"""One small repository for the tests of a module."""

from __future__ import annotations

import pytest

from support.swebench_repos import World, make_world


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return make_world(tmp_path_factory.mktemp("world"))
