"""Instances are read from every form in which they are published, or refused with the reason."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from evals.swebench.edits import answer_of, read_answers
from evals.swebench.instances import Instance, InstancesError, load_instances

ROW = {
    "instance_id": "a__b-1", "repo": "a/b", "base_commit": "c0ffee", "patch": "p", "test_patch": "t",
    "FAIL_TO_PASS": ["one"], "PASS_TO_PASS": ["two", "three"], "version": "1.2", "hints_text": "not used",
}  # fmt: skip


def written(tmp_path: Path, *rows: object, name: str = "instances.jsonl") -> str:
    path = tmp_path / name
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n\n", "utf-8")
    return str(path)


def test_rows_are_read_and_written_alike(tmp_path: Path) -> None:
    (instance,) = load_instances(written(tmp_path, ROW))
    assert instance == Instance("a__b-1", "a/b", "c0ffee", "p", "t", ("one",), ("two", "three"), "1.2")
    assert load_instances(written(tmp_path, instance.as_row())) == [instance]


def test_lists_of_tests_may_be_json_in_a_string(tmp_path: Path) -> None:
    row = ROW | {"FAIL_TO_PASS": '["one"]', "PASS_TO_PASS": '["two", "three"]'}
    assert load_instances(written(tmp_path, row)) == load_instances(written(tmp_path, ROW))


def test_a_json_file_holds_a_list(tmp_path: Path) -> None:
    assert len(load_instances(written(tmp_path, [ROW, ROW | {"instance_id": "x"}], name="instances.json"))) == 2


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([ROW | {"patch": None}], "no text in patch"),
        ([ROW | {"FAIL_TO_PASS": "["}], "no JSON"),
        ([ROW | {"PASS_TO_PASS": [1]}], "list of names"),
        ([ROW, ROW], "same name"),
        ([ROW | {"instance_id": "../x"}], "name of a folder"),
        ([["no object"]], "objects"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, rows: list[object], words: str) -> None:
    with pytest.raises(InstancesError, match=words):
        load_instances(written(tmp_path, *rows))


def test_a_broken_line_is_told_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "instances.jsonl"
    path.write_text(json.dumps(ROW) + "\n{broken\n", "utf-8")
    with pytest.raises(InstancesError, match="line 2"):
        load_instances(str(path))


@pytest.mark.parametrize(("source", "package"), [("x.parquet", "pyarrow"), ("org/set", "datasets")])
def test_packages_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch, source: str, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(InstancesError, match=package):
        load_instances(source)


def test_parquet_is_read(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "instances.parquet"
    parquet.write_table(pyarrow.Table.from_pylist([ROW]), path)
    assert load_instances(str(path)) == load_instances(written(tmp_path, ROW))
    path.write_bytes(b"no parquet")
    with pytest.raises(InstancesError, match="can't be read"):
        load_instances(str(path))


def test_answers_are_found_by_instance(tmp_path: Path) -> None:
    instance = load_instances(written(tmp_path, ROW))[0]
    path = Path(written(tmp_path, {"instance_id": "a__b-1", "message": "the edit"}, name="answers.jsonl"))
    (message,) = answer_of(read_answers(path), instance)
    assert (message.path, message.text) == (None, "the edit")
    assert answer_of({}, instance) == ()


@pytest.mark.parametrize("rows", [[{"instance_id": "x"}], [{"message": "x"}], [{"instance_id": "x", "edit": ""}] * 2])
def test_answers_that_say_too_little_are_refused(tmp_path: Path, rows: list[object]) -> None:
    with pytest.raises(InstancesError, match="row"):
        read_answers(Path(written(tmp_path, *rows)))


def test_hub_data_sets_are_loaded_by_name_and_split(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str]] = []

    def load_dataset(name: str, *, split: str) -> list[dict[str, object]]:
        asked.append((name, split))
        if split == "none":
            raise ConnectionError("no network")
        return [ROW]

    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=load_dataset))  # type: ignore[arg-type]
    assert [one.instance_id for one in load_instances("org/set")] == ["a__b-1"]
    assert [one.instance_id for one in load_instances("org/set:dev")] == ["a__b-1"]
    assert asked == [("org/set", "test"), ("org/set", "dev")]
    with pytest.raises(InstancesError, match="no network"):
        load_instances("org/set:none")
