"""The mean of checkpoints' weights."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from fastedit.errors import SettingsError
from fastedit.training.average import WEIGHTS, average, main


def checkpoint(folder: Path, value: float, size: int = 2) -> Path:
    folder.mkdir()
    save_file({"weight": torch.full((size,), value, dtype=torch.bfloat16)}, folder / WEIGHTS)
    (folder / "config.json").write_text(folder.name, "utf-8")
    return folder


def test_weights_are_averaged_and_the_rest_is_the_first_s(tmp_path: Path) -> None:
    folders = [checkpoint(tmp_path / name, value) for name, value in (("one", 1.0), ("two", 2.0), ("three", 6.0))]
    assert main([*map(str, folders), "--out", str(tmp_path / "mean")]) == 0
    weight = load_file(tmp_path / "mean" / WEIGHTS)["weight"]
    assert (weight.tolist(), weight.dtype) == ([3.0, 3.0], torch.bfloat16)
    assert (tmp_path / "mean" / "config.json").read_text("utf-8") == "one"


def test_weights_of_other_shapes_are_refused(tmp_path: Path) -> None:
    folders = [checkpoint(tmp_path / "one", 1.0), checkpoint(tmp_path / "two", 2.0, size=3)]
    with pytest.raises(SettingsError, match="of one shape"):
        average(folders, tmp_path / "mean")


@pytest.mark.parametrize("second", ["two", "missing"])
def test_the_command_says_in_one_line_what_is_wrong(
    second: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = [checkpoint(tmp_path / "one", 1.0), checkpoint(tmp_path / "two", 2.0, size=3).with_name(second)]
    assert main([*map(str, folders), "--out", str(tmp_path / "mean")]) == 2
    said = capsys.readouterr().err
    assert said.startswith("average: ")
    assert said.count("\n") == 1
    assert not (tmp_path / "mean").exists()
