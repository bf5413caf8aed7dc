"""One tiny checkpoint a family, made once."""

from __future__ import annotations

import pytest
import torch

from support.tiny_targets import Tiny, make_tiny


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def tiny_folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("tiny")
    folders = {family: make_tiny(root / family, family) for family in ("llama", "qwen2", "qwen3")}
    folders["merges"] = make_tiny(root / "merges", "qwen3", vocabulary=400)
    folders["endless"] = make_tiny(root / "endless", "llama", is_endless=True)
    return folders


@pytest.fixture(scope="session")
def tinies(tiny_folders):
    return {name: Tiny.load(folder) for name, folder in tiny_folders.items()}


@pytest.fixture(scope="session")
def tiny(tinies):
    return tinies["qwen3"]
