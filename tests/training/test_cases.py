"""Cases to learn from: as they were written and told anew, whole packages held out."""

from __future__ import annotations

import gzip
import json
import random
from itertools import islice
from pathlib import Path

import pytest

from fastedit.errors import SettingsError
from fastedit.training.cases import case_samples, change_between, read_cases
from fastedit.training.prepare import held_out_cases, held_out_pairs, sample_pairs, seen_cases
from fastedit.training.settings import DataSettings, ModelSettings, TrainingSettings
from support.edits import ORIGINALS

ORIGINAL = "\n".join(["def load(path):", "    data = read(path)", "    check(data)", "    return data", ""])
RESULT = ORIGINAL.replace("read(path)", "fetch(path)")
MESSAGE = "Fetched:\n\n```python\n    data = fetch(path)\n    check(data)\n```\n"


def split(folder: Path, packages: list[str]) -> Path:
    shape = {"format": "lazy", "file": "store.py", "message": MESSAGE, "id": "one"}
    shape |= {"files": {"store.py": ORIGINAL}, "expected": {"store.py": RESULT}}
    refused = shape | {"package": "refused", "expected": None}
    with gzip.open(folder / "cases.jsonl.gz", "wt", encoding="utf-8") as file:
        for record in [*({**shape, "package": name} for name in packages), refused]:
            file.write(json.dumps(record) + "\n")
    return folder / "cases.jsonl.gz"


def test_messages_come_as_written_and_retold(tmp_path: Path) -> None:
    (case,) = read_cases(split(tmp_path, ["one"]))
    samples = list(islice(case_samples([case], random.Random(0)), 30))
    assert {sample.expected for sample in samples} == {RESULT}
    assert any(sample.edit == MESSAGE for sample in samples)
    assert len({sample.edit for sample in samples}) > 3


def test_a_change_between_texts_is_the_change() -> None:
    change = change_between("store.py", ORIGINAL, RESULT)
    assert change is not None
    assert change.after.text == RESULT
    assert [splice.start for splice in change.splices] == [1]


def test_packages_are_held_out_whole(tmp_path: Path) -> None:
    path = split(tmp_path, [f"package{number}" for number in range(40)])
    settings = TrainingSettings(
        output="", data=DataSettings(cases=(str(path),), cased=1.0, cases_held_out=0.5), folder=tmp_path
    )
    seen = {case.package for case in seen_cases(settings)}
    held_out = {case.package for case in held_out_cases(settings)}
    assert 5 < len(seen) < 35
    assert len(seen | held_out) == 40
    assert not seen & held_out
    assert "refused" not in seen


def test_a_run_is_evaluated_on_the_messages_that_it_holds_out(tmp_path: Path) -> None:
    shape = ModelSettings(template="plain")
    cases = str(split(tmp_path, ["one"]))

    def settings(held_out: float) -> TrainingSettings:
        data = DataSettings(sources=(str(ORIGINALS),), held_out=0.5, cases=(cases,), cased=0.9, cases_held_out=held_out)
        return TrainingSettings(output="", model=shape, data=data, folder=tmp_path)

    assert any(pair.source == "store.py" for pair in islice(held_out_pairs(settings(1.0)), 8))
    assert all(pair.source != "store.py" for pair in islice(held_out_pairs(settings(0.0)), 8))
    with pytest.raises(SettingsError, match="to learn from"):
        next(sample_pairs(settings(1.0)))


def test_pairs_come_of_cases(tmp_path: Path) -> None:
    path = split(tmp_path, ["one"])
    data = DataSettings(sources=(str(ORIGINALS),), cases=(str(path),), cased=1.0, cases_held_out=0.0)
    settings = TrainingSettings(output="", model=ModelSettings(template="plain"), data=data, folder=tmp_path)
    pairs = list(islice(sample_pairs(settings), 5))
    assert {pair.source for pair in pairs} == {"store.py"}
    assert all("fetch(path)" in pair.merged for pair in pairs)


def test_files_that_are_no_split_are_refused(tmp_path: Path) -> None:
    (tmp_path / "no.gz").write_text("no", "utf-8")
    with pytest.raises(SettingsError, match=r"no\.gz can't be read"):
        list(read_cases(tmp_path / "no.gz"))
    with pytest.raises(SettingsError, match="no lazy edit"):
        next(case_samples([], random.Random(0)))
