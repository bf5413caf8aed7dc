from __future__ import annotations

import pytest

from support.tiny_targets import make_tiny


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return make_tiny(tmp_path_factory.mktemp("target"), "qwen3", vocabulary=400)
