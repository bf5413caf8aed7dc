"""The examples for running the service name settings and options that there are."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from fastedit.config import SERVER_NAMES

DEPLOY = Path(__file__).parents[2] / "examples" / "deploy"
README = Path(__file__).parents[2] / "fastedit" / "server" / "README.md"


def test_every_setting_named_is_one() -> None:
    named = {
        name
        for path in (*DEPLOY.iterdir(), README)
        for name in re.findall(r"FASTEDIT_[A-Z_]+", path.read_text("utf-8"))
    }
    known = {*SERVER_NAMES, "FASTEDIT_TARGET", "FASTEDIT_URL", "FASTEDIT_API_KEY"}
    assert named <= known
    assert {"FASTEDIT_API_KEYS", "FASTEDIT_HOST", "FASTEDIT_DRAIN_S"} <= named


def test_the_readme_has_every_setting() -> None:
    text = README.read_text("utf-8")
    assert [name for name in SERVER_NAMES if f"`{name}`" not in text] == []


def test_containers_get_time_to_drain() -> None:
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]["fastedit"]
    grace_s = int(compose["stop_grace_period"].removesuffix("s"))
    assert grace_s >= float(compose["environment"]["FASTEDIT_DRAIN_S"]) + 5
    assert compose["ports"][0].startswith("127.0.0.1:")
    assert (DEPLOY.parents[1] / "examples" / "deploy" / "Dockerfile").is_file()
    assert "8377" in (DEPLOY / "Dockerfile").read_text()
