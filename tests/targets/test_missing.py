"""What is said of targets that aren't here."""

from __future__ import annotations

import pytest

from fastedit.errors import Code, EditRefused
from fastedit.targets.registry import REGISTRY, folder_of


@pytest.fixture(autouse=True)
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))


@pytest.mark.parametrize("name", ["kortix-1.5b", "osmosis-1.7b", "someone/some-model"])
def test_one_that_can_be_fetched_comes_with_the_command_for_it(name: str) -> None:
    source = REGISTRY[name].source if name in REGISTRY else name
    with pytest.raises(EditRefused, match=f"`hf download {source}`") as caught:
        folder_of(name)
    assert caught.value.code is Code.TARGET_UNAVAILABLE


@pytest.mark.parametrize("name", ["kortix", "a/b/c", "no such thing", "../not/here"])
def test_one_that_the_hub_cannot_have_is_no_target(name: str) -> None:
    with pytest.raises(EditRefused, match="no registered target"):
        folder_of(name)
