"""What must not be in a wheel."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from evals.smoke.wheels import wheel_problems

GOOD = ("fastedit/__init__.py", "fastedit/py.typed", "fastedit/targets/embedded/model.safetensors")


def wheel(folder: Path, *names: str) -> Path:
    path = folder / "fastedit_apply-0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, "")
    return path


def test_a_wheel_with_what_users_need_is_fine(tmp_path: Path) -> None:
    assert wheel_problems(wheel(tmp_path, *GOOD)) == []


@pytest.mark.parametrize(
    "name",
    [
        "fastedit/training/synthesis/model.py",
        "fastedit/training/data/wordings.jsonl.gz",
        "fastedit/targets/embedded/training.png",
        "fastedit/targets/embedded/training.jsonl",
        "tests/test_apply.py",
    ],
)
def test_what_only_developers_need_is_named(tmp_path: Path, name: str) -> None:
    assert name in wheel_problems(wheel(tmp_path, *GOOD, name))[0]


def test_types_have_to_be_announced(tmp_path: Path) -> None:
    assert wheel_problems(wheel(tmp_path, GOOD[0])) == ["no py.typed"]
