"""A deployment that can't be is refused in one line, before any cluster is asked; the examples can be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from fastedit.cluster.arguments import read_cluster, read_settings
from fastedit.errors import SettingsError
from support.command import fastedit

EXAMPLES = Path(__file__).parents[2] / "examples" / "deploy" / "ray"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"replicas": 0}, "replicas: Input should be greater than or equal to 1"),
        ({"replicas": 3, "max_replicas": 2}, "Value error, max_replicas is 2, but there are 3 at least"),
        ({"replica": 3}, "replica: Extra inputs are not permitted"),
        ({"settings": {"prt": 1}}, "FASTEDIT_PRT: Extra inputs are not permitted"),
        ({"settings": {"host": "0.0.0.0"}}, "others can reach 0.0.0.0: set FASTEDIT_API_KEYS"),
    ],
)
def test_what_cannot_be_deployed(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingsError) as refused:
        read_settings(read_cluster(arguments))
    assert str(refused.value).startswith(words)


def test_the_command_says_what_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fastedit.cli.deploy.find_spec", lambda name: None if name == "ray" else name)
    refused = fastedit("deploy", cwd=tmp_path)
    assert (refused.status, refused.stderr) == (2, "fastedit: ray isn't installed: pip install 'fastedit-apply[ray]'\n")


def test_the_examples_are_deployments() -> None:
    found = 0
    for path in sorted(EXAMPLES.glob("*.yaml")):
        for application in yaml.safe_load(path.read_text("utf-8"))["applications"]:
            if application["import_path"] == "fastedit.cluster.deploy:build":
                assert read_settings(read_cluster(application["args"])).port == 8377
                found += 1
    assert found >= 2
