"""The examples for running the service name settings and options that there are."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import yaml

from fastedit.config import SERVER_NAMES
from support.serving import wait_until

DEPLOY = Path(__file__).parents[2] / "examples" / "deploy"
README = Path(__file__).parents[2] / "fastedit" / "server" / "README.md"


def test_every_setting_named_is_one() -> None:
    named = {
        name
        for path in (*filter(Path.is_file, DEPLOY.rglob("*")), README)
        for name in re.findall(r"FASTEDIT_[A-Z_]+", path.read_text("utf-8"))
    }
    beside = ("TARGET", "URL", "API_KEY", "ENGINE_URL", "ENGINE_KEY")  # which the command reads too
    known = {*SERVER_NAMES, *(f"FASTEDIT_{name}" for name in beside)}
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


@dataclass(frozen=True)
class Image:
    """What the Dockerfile's last stage comes to: its variables, its start and its check, and the extras installed."""

    variables: dict[str, str]
    start: list[str]
    check: list[str]
    extras: set[str]


def image(arguments: dict[str, str] | None = None) -> Image:
    """The image that the Dockerfile builds with these build arguments."""
    steps = re.sub(r"\\\n", "", (DEPLOY / "Dockerfile").read_text("utf-8")).split("\n")
    known = dict(re.findall(r"^ARG (\w+)=(.*)$", "\n".join(steps), re.MULTILINE)) | (arguments or {})
    filled = [re.sub(r"\$(\w+)", lambda found: known.get(found[1], found[0]), step) for step in steps]
    last = filled[max(i for i, step in enumerate(filled) if step.startswith("FROM ")) :]
    variables = dict(part.split("=", 1) for step in last if step.startswith("ENV ") for part in step.split()[1:])
    start = next(json.loads(step.removeprefix("ENTRYPOINT ")) for step in last if step.startswith("ENTRYPOINT "))
    check = next(json.loads(step.partition(" CMD ")[2]) for step in last if step.startswith("HEALTHCHECK "))
    installed = next(step for step in filled if " pip install " in step.replace("/bin/pip", " pip") and '".[' in step)
    return Image(variables, start, check, set(re.findall(r"\.\[([\w,]+)\]", installed)[0].split(",")))


def test_an_image_with_a_target_has_what_targets_run_on() -> None:
    project = tomllib.loads((DEPLOY.parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    for arguments in ({}, {"EXTRAS": "server,model", "TARGET": "embedded"}):
        made = image(arguments)
        assert made.extras <= extras.keys()
        assert "server" in made.extras
        assert (made.variables["FASTEDIT_TARGET"] == "none") == ("model" not in made.extras)


def test_the_image_gets_ready_with_what_it_installs(tmp_path: Path) -> None:
    """Its start and its health check, under its variables, where nothing of the extra `model` can be imported."""
    made = image()
    blocked = "import sys\nsys.modules.update(dict.fromkeys(['torch', 'transformers', 'tokenizers', 'safetensors']))\n"
    (tmp_path / "sitecustomize.py").write_text(blocked)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FASTEDIT_")}
    own = {"FASTEDIT_API_KEYS": "a-key-that-is-long-enough", "FASTEDIT_PORT": str(port)}
    environment = kept | made.variables | own | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{DEPLOY.parents[1]}"}
    assert Path(made.start[0]).name == "fastedit"
    assert Path(made.check[0]).name == "python"
    command = [sys.executable, "-m", "fastedit", *made.start[1:]]
    check = [sys.executable, *(part.replace("8377", str(port)) for part in made.check[1:])]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: subprocess.run(check, env=environment, capture_output=True, check=False).returncode == 0)
    finally:
        process.terminate()
        process.wait(30)
