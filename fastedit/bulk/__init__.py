"""Thousands of edits from one file, each done once: `EDITS.jsonl` in, a result a line out, in the same order.

A line is `{"original", "edit", "path"?, "instruction"?, "format"?, "certainty"?, "choose"?, "id"?}`. Its result has a
key, made from the line and from how edits are done: by it a later run knows that this one is done. Results are kept in
`OUTPUT.part` as they come, whatever their order; `OUTPUT` itself appears when all are there.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from fastedit.bulk.rows import PASSING, How, Runner, crashed, read_lines, rows_of
from fastedit.errors import Code, InputRefused

APPLIED = ""  # in place of a refusal's code


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts of edits. done_before: by earlier runs; unfinished: those that the next run tries again."""

    edits: int
    applied: int
    refused: int
    unfinished: int
    done_before: int

    def __str__(self) -> str:
        words = f"{self.edits} edits: {self.applied} applied, {self.refused} refused, {self.unfinished} unfinished"
        return f"{words} ({self.done_before} were done before)"


def apply_many(
    edits: Path, output: Path, how: How, run: Runner, on_progress: Callable[[int, int], None] | None = None
) -> Summary:
    """Does every edit of the file that has no result yet, and writes all results in the edits' order.

    on_progress: gets the number of edits that are done, and of all.
    Raises InputRefused for a line that is no edit (nothing is done then), for an output with other edits' results, and
    where another run writes the same output; what `run` raises. What was done by then is kept.
    """
    lines = read_lines(edits, how)
    wanted = {line.key: line for line in lines}
    with _results(output) as results:
        results.check(wanted.keys())
        done_before = sum(line.key in results for line in lines)
        pending = [line for key, line in wanted.items() if key not in results]
        if on_progress:
            on_progress(done_before, len(lines))
        num_new = 0
        for some in run(rows_of(edits, pending), how):
            results.add(some)
            num_new += len(some)
            if on_progress:
                on_progress(min(done_before + num_new, len(lines)), len(lines))
        missing = [line for line in pending if not results.has_any(line.key)]
        results.add([crashed(row) for row in rows_of(edits, missing)])
        counts = results.finish([line.key for line in lines])
    return Summary(len(lines), *counts, done_before)


@contextmanager
def _results(output: Path) -> Iterator[_Results]:
    """The results so far, for this run alone. Raises InputRefused where another run has them, or they can't be had."""
    part = output.with_name(output.name + ".part")
    try:
        with part.open("a+b") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise InputRefused(Code.CONTENT_CONFLICT, f"another run writes {output}") from error
            try:
                yield _Results(output, part, file)
            finally:
                if not os.fstat(file.fileno()).st_size:
                    part.unlink(missing_ok=True)
    except OSError as error:
        raise InputRefused(Code.INVALID_PATH, f"{output} can't be written: {error.strerror}") from error


class _Results:
    """Results by key: those of an output that is there already, and those of the part, which later ones go to."""

    def __init__(self, output: Path, part: Path, file: BinaryIO) -> None:
        self._output, self._part, self._file = output, part, file
        self._places: dict[str, tuple[Path, int, int]] = {}
        self._codes: dict[str, str] = {}
        if output.exists():
            with output.open("rb") as whole:
                self._read(whole, output)
        file.seek(0)
        end = self._read(file, part)
        file.truncate(end)  # what a run that was killed had half written
        file.seek(end)

    def __contains__(self, key: object) -> bool:
        """Whether there is a result that a later run needn't try again."""
        return key in self._codes and self._codes[key] not in PASSING

    def has_any(self, key: str) -> bool:
        return key in self._codes

    def check(self, wanted: Iterable[str]) -> None:
        """Raises InputRefused where there are results of edits that aren't wanted: they would be lost."""
        if self._codes.keys() - set(wanted):
            message = f"{self._output} has results of other edits or options: name another --output, or remove it"
            raise InputRefused(Code.FILE_EXISTS, message)

    def add(self, results: Sequence[bytes]) -> None:
        """Keeps the results, on disk when this returns."""
        for result in results:
            self._note(result, self._part, self._file.tell())
            self._file.write(result + b"\n")
        self._file.flush()
        os.fdatasync(self._file.fileno())

    def finish(self, keys: Sequence[str]) -> tuple[int, int, int]:
        """Writes the output in the keys' order, all of it or nothing. Counts the applied, refused and unfinished."""
        new = self._output.with_name(self._output.name + ".new")
        with new.open("wb") as file:
            for result in self._ordered(keys):
                file.write(result)
            file.flush()
            os.fsync(file.fileno())
        new.replace(self._output)
        self._part.unlink()
        codes = [self._codes[key] for key in keys]
        applied, unfinished = codes.count(APPLIED), sum(code in PASSING for code in codes)
        return applied, len(codes) - applied - unfinished, unfinished

    def _ordered(self, keys: Sequence[str]) -> Iterator[bytes]:
        paths = {path for path, _, _ in self._places.values()}
        files = {path: path.open("rb") for path in paths}
        try:
            for key in keys:
                path, start, length = self._places[key]
                files[path].seek(start)
                yield files[path].read(length) + b"\n"
        finally:
            for file in files.values():
                file.close()

    def _read(self, file: BinaryIO, path: Path) -> int:
        """Notes the results that a file has, and gives the end of the last whole one. Raises InputRefused."""
        end = 0
        for text in file:
            if not text.endswith(b"\n"):
                break
            try:
                self._note(text[:-1], path, end)
            except (ValueError, KeyError, TypeError) as error:
                message = f"{path} is no output of apply-many: name another --output, or remove it"
                raise InputRefused(Code.FILE_EXISTS, message) from error
            end += len(text)
        return end

    def _note(self, result: bytes, path: Path, start: int) -> None:
        told = json.loads(result)
        self._places[told["key"]] = (path, start, len(result))
        self._codes[told["key"]] = told["error"]["code"] if "error" in told else APPLIED
