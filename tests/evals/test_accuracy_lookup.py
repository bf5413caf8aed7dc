"""The target alone beside fastedit, with a tiny target: it is asked as it was taught; its answer counts as it is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from evals.accuracy.__main__ import main
from evals.accuracy.outcomes import Outcome
from fastedit.targets import default
from fastedit.targets.synthetic import Shape, make_checkpoint

ORIGINAL = "\n\n".join(f"def {name}(x):\n    y = x + {number}\n    return y\n" for number, name in enumerate("abcdef"))


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_checkpoint(tmp_path_factory.mktemp("tiny"), Shape(positions=32_768), ["def f(x):\n    return x\n"])


@pytest.fixture
def own_default() -> Iterator[None]:
    chosen = default._chosen
    yield
    default.choose_default(chosen)


@pytest.mark.usefixtures("own_default")
def test_all_ways_are_scored(tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "letters.py").write_text(ORIGINAL, "utf-8")
    result = tmp_path / "lookup.json"
    arguments = ["lookup", "--n", "1", "--sources", str(tmp_path / "letters.py"), "--target", str(tiny)]
    assert main([*arguments, "--tier", "clear", "--json", str(result)]) == 0
    assert capsys.readouterr().out.rstrip().split("\n")[-1] == "edits=1"
    written = json.loads(result.read_text("utf-8"))
    assert list(written["peers"]) == ["fastedit, structural", "fastedit, auto", "fastedit, model", "target alone"]
    # Random weights write no whole file: half an answer is none.
    assert written["peers"]["target alone"]["counts"] == {Outcome.REFUSED: 1}
    assert sum(written["peers"]["fastedit, structural"]["counts"].values()) == 1


@pytest.mark.usefixtures("own_default")
def test_a_target_that_is_not_there_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lookup", "--target", str(tmp_path)]) == 1
    assert "TARGET_UNAVAILABLE" in capsys.readouterr().err
