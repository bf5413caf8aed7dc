"""Thousands of edits from one file: every one done once, in order, whatever ends a run."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from fastedit import apply
from fastedit.bulk import Summary, apply_many
from fastedit.bulk.local import LocalRunner
from fastedit.bulk.rows import BulkEdit, How, apply_row, crashed
from fastedit.errors import Code, EditRefused
from support.command import fastedit

ORIGINAL = "def area(width):\n    return width\n\n\ndef name():\n    return 'shape'\n"
HOW = How("structural")


def edit(number: int) -> dict[str, Any]:
    patch = f"<<<<<<< SEARCH\n    return 'shape'\n=======\n    return 'shape {number}'\n>>>>>>> REPLACE\n"
    return {"original": ORIGINAL, "edit": patch, "path": "shapes.py", "id": number}


def write(folder: Path, *rows: dict[str, Any] | str) -> Path:
    path = folder / "edits.jsonl"
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows), "utf-8")
    return path


def results(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n")[:-1]]


class Counting:
    """A runner that counts the rows it is given. ends_after: the number of results after which it raises."""

    def __init__(self, ends_after: int | None = None) -> None:
        self.rows: list[bytes] = []
        self._ends_after = ends_after

    def __call__(self, rows: Iterable[BulkEdit], how: How) -> Iterator[Sequence[bytes]]:
        for number, row in enumerate(rows):
            if number == self._ends_after:
                raise KeyboardInterrupt
            self.rows.append(row.text)
            yield [apply_row(row, how)]


def test_results_come_in_the_edits_order(tmp_path: Path) -> None:
    missing = edit(3) | {"original": "nothing\n"}
    edits = write(tmp_path, *map(edit, range(20)), "", missing, {"original": "", "edit": "", "id": "empty"})
    output = tmp_path / "out.jsonl"
    summary = apply_many(edits, output, HOW, LocalRunner(2))
    assert summary == Summary(edits=22, applied=20, refused=2, unfinished=0, done_before=0)
    made = results(output)
    assert [one["id"] for one in made] == [*range(20), 3, "empty"]
    for number, one in enumerate(made[:20]):
        expected = apply(ORIGINAL, edit(number)["edit"], path="shapes.py", mode="structural")
        assert one["result"]["text"] == expected.text == ORIGINAL.replace("'shape'", f"'shape {number}'")
    assert [one["error"]["code"] for one in made[20:]] == ["ANCHOR_NOT_FOUND", "EDIT_EMPTY"]
    assert not (tmp_path / "out.jsonl.part").exists()


def test_a_run_that_was_ended_goes_on(tmp_path: Path) -> None:
    edits, output = write(tmp_path, *map(edit, range(9))), tmp_path / "out.jsonl"
    first, second = Counting(ends_after=4), Counting()
    with pytest.raises(KeyboardInterrupt):
        apply_many(edits, output, HOW, first)
    assert not output.exists()
    with (tmp_path / "out.jsonl.part").open("ab") as part:
        part.write(b'{"key": "half wri')  # as a run that was killed leaves it
    assert apply_many(edits, output, HOW, second).done_before == 4
    assert len(second.rows) == 5
    assert not set(first.rows) & set(second.rows)
    whole = tmp_path / "whole.jsonl"
    apply_many(edits, whole, HOW, Counting())
    assert output.read_bytes() == whole.read_bytes()


def test_what_is_done_is_not_done_again(tmp_path: Path) -> None:
    edits, output = write(tmp_path, *map(edit, range(3))), tmp_path / "out.jsonl"
    apply_many(edits, output, HOW, Counting())
    before = output.read_bytes()
    again = Counting()
    assert apply_many(edits, output, HOW, again).done_before == 3
    assert (again.rows, output.read_bytes()) == ([], before)
    more = write(tmp_path, *map(edit, range(5)))
    assert apply_many(more, output, HOW, again).done_before == 3
    assert (len(again.rows), len(results(output))) == (2, 5)


def test_an_edit_that_stands_twice_is_done_once(tmp_path: Path) -> None:
    edits, output, runner = write(tmp_path, edit(1), edit(2), edit(1)), tmp_path / "out.jsonl", Counting()
    assert apply_many(edits, output, HOW, runner).edits == 3
    assert [one["id"] for one in results(output)] == [1, 2, 1]
    assert len(runner.rows) == 2


def test_what_failed_for_now_is_tried_again(tmp_path: Path) -> None:
    edits, output = write(tmp_path, edit(1), edit(2)), tmp_path / "out.jsonl"

    def failing(rows: Iterable[BulkEdit], how: How) -> Iterator[Sequence[bytes]]:
        yield [crashed(row) if b'"id": 2' in row.text else apply_row(row, how) for row in rows]

    assert apply_many(edits, output, HOW, failing).unfinished == 1
    again = Counting()
    assert apply_many(edits, output, HOW, again) == Summary(2, 2, 0, 0, 1)
    assert len(again.rows) == 1


def test_a_row_without_a_result_is_told(tmp_path: Path) -> None:
    def losing(rows: Iterable[BulkEdit], how: How) -> Iterator[Sequence[bytes]]:
        yield [apply_row(row, how) for row in list(rows)[1:]]

    output = tmp_path / "out.jsonl"
    assert apply_many(write(tmp_path, edit(1), edit(2)), output, HOW, losing).unfinished == 1
    assert results(output)[0]["error"]["code"] == "ENGINE_ERROR"


def test_a_row_that_kills_its_process_takes_no_other_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    poisoned(tmp_path, monkeypatch)
    edits = write(tmp_path, *map(edit, range(12)), edit(99) | {"instruction": "POISON"}, *map(edit, range(12, 24)))
    output = tmp_path / "out.jsonl"
    summary = apply_many(edits, output, HOW, LocalRunner(2))
    assert (summary.applied, summary.unfinished) == (24, 1)
    assert results(output)[12]["error"] == {
        "code": "ENGINE_ERROR",
        "message": "the process that merged the edit has died",
        "candidates": [],
        "certainty": None,
    }


def poisoned(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Has processes that are started from now on die of rows that have POISON in them."""
    (folder / "sitecustomize.py").write_text(
        "import os\nimport fastedit.bulk.rows as rows\nwhole = rows.apply_row\n"
        "rows.apply_row = lambda row, how: os._exit(9) if b'POISON' in row.text else whole(row, how)\n"
    )
    root = str(Path(__file__).parents[2])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(folder), root)))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "not JSON"),
        ("[]", "not an object"),
        ('{"original": ""}', "`edit` is missing"),
        ('{"original": "", "edit": 3}', "`edit` has a value of the wrong type"),
        ('{"original": "", "edit": "", "choose": true}', "`choose` has a value of the wrong type"),
        ('{"original": "", "edit": "", "pth": "a"}', "there is no field `pth`"),
        ('{"original": "", "edit": "", "certainty": 2}', "certainty must be between 0 and 1"),
        ('{"original": "", "edit": "", "format": "x"}', "'x' is not a valid Format"),
    ],
)
def test_a_line_that_is_no_edit_is_named_before_anything_is_done(tmp_path: Path, line: str, words: str) -> None:
    edits, output, runner = write(tmp_path, edit(1), "", line), tmp_path / "out.jsonl", Counting()
    with pytest.raises(EditRefused) as refused:
        apply_many(edits, output, HOW, runner)
    assert refused.value.code is Code.EDIT_UNPARSABLE
    assert refused.value.message.startswith(f"{edits}:3: {words}")
    assert (runner.rows, list(tmp_path.iterdir())) == ([], [edits])


def test_other_results_are_kept(tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    apply_many(write(tmp_path, edit(1)), output, HOW, Counting())
    before = output.read_bytes()
    for number, how in ((2, HOW), (1, How("auto"))):
        with pytest.raises(EditRefused, match="has results of other edits or options") as refused:
            apply_many(write(tmp_path, edit(number)), output, how, Counting())
        assert (refused.value.code, output.read_bytes()) == (Code.FILE_EXISTS, before)
    output.write_text("a poem\n")
    with pytest.raises(EditRefused, match="no output of apply-many"):
        apply_many(write(tmp_path, edit(1)), output, HOW, Counting())
    assert output.read_text() == "a poem\n"


def test_two_runs_write_no_output_at_once(tmp_path: Path) -> None:
    edits, output = write(tmp_path, edit(1)), tmp_path / "out.jsonl"
    with (tmp_path / "out.jsonl.part").open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(EditRefused, match="another run writes"):
            apply_many(edits, output, HOW, Counting())


def test_the_command(tmp_path: Path) -> None:
    write(tmp_path, edit(1), edit(2) | {"original": "nothing\n"})
    made = fastedit("apply-many", "edits.jsonl", "--jobs", "1", cwd=tmp_path)
    words = "2 edits: 1 applied, 1 refused, 0 unfinished (0 were done before)"
    assert (made.status, made.stdout.decode()) == (0, f"edits.results.jsonl: {words}\n")
    assert [list(one)[-1] for one in results(tmp_path / "edits.results.jsonl")] == ["result", "error"]


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("none.jsonl",), 3, "fastedit: none.jsonl can't be read: No such file or directory (INVALID_PATH)\n"),
        (("edits.jsonl", "--output", "no/out.jsonl"), 3, "fastedit: no/out.jsonl can't be written: No such file"),
        (("bad.jsonl",), 3, "fastedit: bad.jsonl:1: `edit` is missing (EDIT_UNPARSABLE)\n"),
        (("edits.jsonl", "--ray"), 2, "fastedit: Ray isn't installed: pip install 'fastedit-apply[ray]'\n"),
        (("edits.jsonl", "--address", "a:1"), 2, "--address is for --ray"),
        (("edits.jsonl", "--ray", "--jobs", "2"), 2, "--jobs is for this machine"),
    ],
)
def test_what_the_command_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], status: int, words: str
) -> None:
    monkeypatch.setattr("fastedit.cli.apply_many.find_spec", lambda _: None)
    write(tmp_path, edit(1))
    (tmp_path / "bad.jsonl").write_text('{"original": ""}\n')
    refused = fastedit("apply-many", *arguments, cwd=tmp_path)
    assert (refused.status, refused.stdout) == (status, b"")
    assert words in refused.stderr
    assert "Traceback" not in refused.stderr
    assert not list(tmp_path.glob("*.results.jsonl*"))


def test_ctrl_c_keeps_what_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, *map(edit, range(3)))
    monkeypatch.setattr("fastedit.cli.apply_many._runner", lambda _: Counting(ends_after=2))
    ended = fastedit("apply-many", "edits.jsonl", cwd=tmp_path)
    assert (ended.status, ended.stderr.count("\n")) == (130, 1)
    assert len(results(tmp_path / "edits.results.jsonl.part")) == 2
