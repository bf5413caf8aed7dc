"""Every system call of a transaction fails once, fails for good, or is the last: all old or all new, always."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest

from fastedit.errors import Code, EditRefused
from fastedit.files import Delete, Operation, Write, commit, recover, sha256_of
from fastedit.files.journal import JOURNAL_NAME
from fastedit.files.system import Filesystem
from support.filesystem import Crash, FaultyFilesystem, crash, fail_from_then_on, fail_once, kill

Tree = dict[str, bytes]
OLD: Tree = {"a.txt": b"old a\n", "src/b.txt": b"old b\n", "src/gone.txt": b"old c\n"}


def update(root: Path, name: str, data: bytes) -> Write:
    return Write(root / name, data, sha256_of(OLD[name]))


SCENARIOS: dict[str, tuple[Callable[[Path], list[Operation]], Tree]] = {
    "one file": (lambda root: [update(root, "a.txt", b"new a\n")], {**OLD, "a.txt": b"new a\n"}),
    "two files": (
        lambda root: [update(root, "a.txt", b"new a\n"), update(root, "src/b.txt", b"")],
        {**OLD, "a.txt": b"new a\n", "src/b.txt": b""},
    ),
    "a new file in new folders": (
        lambda root: [Write(root / "x/y/new.txt", b"new\n")],
        {**OLD, "x/y/new.txt": b"new\n"},
    ),
    "a deletion": (
        lambda root: [Delete(root / "a.txt", sha256_of(OLD["a.txt"]))],
        {name: data for name, data in OLD.items() if name != "a.txt"},
    ),
    "all at once": (
        lambda root: [
            update(root, "a.txt", b"new a\n"),
            Write(root / "x/moved.txt", b"new c\n", like=root / "src/gone.txt"),
            Delete(root / "src/gone.txt", sha256_of(OLD["src/gone.txt"])),
            update(root, "src/b.txt", b"new b\n"),
        ],
        {"a.txt": b"new a\n", "src/b.txt": b"new b\n", "x/moved.txt": b"new c\n"},
    ),
}
scenarios = pytest.mark.parametrize("scenario", SCENARIOS)
MAX_CALLS = 500


def make_root(folder: Path) -> Path:
    root = folder.resolve()
    for name, data in OLD.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    return root


def tree(root: Path) -> Tree:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def folders(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_dir()}


def parents(names: Tree) -> set[str]:
    return {str(parent) for name in names for parent in PurePosixPath(name).parents} - {"."}


def num_open_handles() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.fixture
def roots(tmp_path: Path) -> Callable[[int], Path]:
    def root(number: int) -> Path:
        folder = tmp_path / str(number)
        folder.mkdir()
        return make_root(folder)

    return root


@scenarios
@pytest.mark.parametrize("fault", [fail_once, fail_from_then_on, crash])
def test_the_nth_call_fails(roots: Callable[[int], Path], scenario: str, fault: Callable[[int, int], None]) -> None:
    operations, new = SCENARIOS[scenario]
    num_handles = num_open_handles()
    for n in range(1, MAX_CALLS):
        root = roots(n)
        fs = FaultyFilesystem(fault, n)
        try:
            commit(root, operations(root), fs=fs)
        except (EditRefused, Crash):
            expected = OLD
        else:
            expected = new
        if fault is fail_once and expected is OLD:
            assert tree(root) == OLD, (n, fs.calls)  # undone at once, without anyone having to recover
        recover(root)
        outcome = tree(root)
        assert outcome == expected or (fault is crash and outcome == new), (n, fs.calls)
        assert folders(root) == parents(OLD) | parents(outcome), (n, fs.calls)
        assert num_open_handles() == num_handles, (n, fs.calls)
        if len(fs.calls) < n:
            assert expected is new
            return
    pytest.fail("never got through")


@scenarios
def test_recovering_may_crash_too(roots: Callable[[int], Path], scenario: str) -> None:
    operations, new = SCENARIOS[scenario]
    num_calls = count_calls(roots(0), operations)
    for n in range(1, num_calls + 1, 7):  # every pair is too slow
        for m in range(1 + n % 3, MAX_CALLS, 3):
            root = roots(n * MAX_CALLS + m)
            with pytest.raises(Crash):
                commit(root, operations(root), fs=FaultyFilesystem(crash, n))
            fs = FaultyFilesystem(crash, m)
            try:
                recover(root, fs=fs)
            except Crash:
                recover(root)
            assert tree(root) in (OLD, new), (n, m)
            if len(fs.calls) < m:
                break


@scenarios
def test_readers_see_old_or_new_at_every_moment(roots: Callable[[int], Path], scenario: str) -> None:
    operations, new = SCENARIOS[scenario]
    root = roots(0)

    def look() -> None:
        for name in OLD:
            if name in new:
                assert (root / name).read_bytes() in (OLD[name], new[name])
        for name in new.keys() - OLD.keys():
            if (root / name).exists():
                assert (root / name).read_bytes() == new[name]

    commit(root, operations(root), fs=FaultyFilesystem(watch=look))
    assert tree(root) == new


@pytest.mark.parametrize(
    "scenario", [pytest.param(name, marks=[] if name == "two files" else pytest.mark.slow) for name in SCENARIOS]
)
def test_kill_at_any_call(roots: Callable[[int], Path], scenario: str) -> None:
    operations, new = SCENARIOS[scenario]
    outcomes = set()
    for n in range(1, count_calls(roots(0), operations) + 1):
        root = roots(n)
        child = os.fork()
        if not child:
            commit(root, operations(root), fs=FaultyFilesystem(kill, n))
            os._exit(0)
        assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
        recover(root)
        assert tree(root) in (OLD, new), n
        outcomes.add(tree(root) == new)
    assert outcomes == {True, False}


def test_a_crashed_run_is_undone_by_the_next_one_and_said(roots: Callable[[int], Path]) -> None:
    root = roots(0)
    with pytest.raises(Crash):
        commit(root, SCENARIOS["two files"][0](root), fs=FaultyFilesystem(crash, call_number(roots(1), "replace")))
    assert tree(root) != OLD
    warnings = commit(root, [update(root, "src/b.txt", b"later\n")])
    assert [warning.code for warning in warnings] == ["RECOVERED"]
    assert tree(root) == {**OLD, "src/b.txt": b"later\n"}


def test_recovery_is_found_from_below_and_spares_what_was_written_since(roots: Callable[[int], Path]) -> None:
    root = roots(0)
    with pytest.raises(Crash):
        commit(root, SCENARIOS["two files"][0](root), fs=FaultyFilesystem(crash, call_number(roots(1), "replace") + 1))
    assert (root / "a.txt").read_bytes() == b"new a\n"
    (root / "a.txt").write_bytes(b"mine\n")
    warnings = recover(root / "src")
    assert {"RECOVERED", "CHANGED_SINCE"} == {warning.code for warning in warnings}
    assert (root / "a.txt").read_bytes() == b"mine\n"
    kept = [name for name in tree(root) if name.endswith(".old")]
    assert [tree(root)[name] for name in kept] == [b"old a\n"]


@pytest.mark.parametrize(
    "record",
    [
        '{"entries": [{"target": "../x", "temp": "T.new", "backup": "T.old", "old": null, "new": "0"}], "made": []}',
        '{"entries": [{"target": "/etc/x", "temp": "T.new", "backup": "T.old", "old": null, "new": "0"}], "made": []}',
        '{"entries": [{"target": "out/x", "temp": "T.new", "backup": "T.old", "old": "0", "new": "0"}], "made": []}',
        '{"entries": [{"target": "b", "temp": "a.txt", "backup": "T.old", "old": "0", "new": "0"}], "made": []}',
        '{"entries": [], "made": ["../x"]}',
        '{"entries": 3}',
        "[]",
    ],
)
def test_a_journal_that_is_not_ours_is_not_obeyed(tmp_path: Path, record: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    root = tmp_path / "root"
    root.mkdir()
    make_root(root)
    (root / "out").symlink_to(outside)
    (root / ".fastedit-journal").write_text(record.replace("T.", ".fastedit-0123456789abcdef-0."))
    before = tree(tmp_path)
    with pytest.raises(EditRefused) as caught:
        commit(root.resolve(), [update(root.resolve(), "a.txt", b"new")])
    assert caught.value.code == Code.CONTENT_CONFLICT
    assert tree(tmp_path) == before


def test_a_journal_that_goes_while_it_is_looked_at_is_another_runs_that_is_done(tmp_path: Path) -> None:
    class Ending(Filesystem):
        """The run that the journal is of ends behind the first look at it."""

        def lstat(self, path: Path) -> os.stat_result:
            status = super().lstat(path)
            if path.name == JOURNAL_NAME:
                path.unlink()
            return status

    (tmp_path / JOURNAL_NAME).write_text("")
    assert recover(tmp_path, fs=Ending()) == ()
    assert tree(tmp_path) == {}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_the_journal_of_another_user_is_left_alone_and_blocks_only_its_own_folder(
    roots: Callable[[int], Path],
) -> None:
    root = roots(0)
    journal = root / ".fastedit-journal"
    journal.write_text('{"entries": [], "made": []}')
    os.chown(journal, 12345, 12345)
    expected = sha256_of(OLD["src/b.txt"])
    assert commit(root / "src", [Write(root / "src/b.txt", b"new\n", expected)]) == ()
    with pytest.raises(EditRefused) as caught:
        commit(root, [update(root, "a.txt", b"new\n")])
    assert caught.value.code == Code.CONTENT_CONFLICT
    assert (root / "a.txt").read_bytes() == OLD["a.txt"]
    assert journal.exists()


def test_a_journal_that_was_cut_off_means_that_nothing_had_begun(roots: Callable[[int], Path]) -> None:
    root = roots(0)
    (root / ".fastedit-journal").write_text('{"entries": [{"target": "a.t')
    recover(root)
    assert tree(root) == OLD


def test_without_hard_links_old_files_are_copied(roots: Callable[[int], Path]) -> None:
    class NoLinks(FaultyFilesystem):
        def link(self, source: Path, target: Path) -> None:
            raise OSError(errno.EPERM, "no hard links here")

    operations, new = SCENARIOS["all at once"]
    for n in range(1, MAX_CALLS):
        root = roots(n)
        fs = NoLinks(crash, n)
        try:
            commit(root, operations(root), fs=fs)
        except Crash:
            recover(root)
            assert tree(root) in (OLD, new), (n, fs.calls)
        else:
            assert tree(root) == new
            return


def test_without_locks_files_are_written_all_the_same(roots: Callable[[int], Path]) -> None:
    class NoLocks(FaultyFilesystem):
        def lock(self, handle: int) -> None:
            raise OSError(errno.ENOTSUP, "no locks here")

    root = roots(0)
    operations, new = SCENARIOS["all at once"]
    commit(root, operations(root), fs=NoLocks())
    assert tree(root) == new


def test_what_is_written_while_we_write_is_noticed(roots: Callable[[int], Path]) -> None:
    root = roots(0)
    fs = FaultyFilesystem()

    def interfere() -> None:
        if fs.calls[-1] == "link":  # the old text has been checked, the new one waits beside it
            (root / "src/b.txt").write_bytes(b"mine\n")

    fs.watch = interfere
    with pytest.raises(EditRefused) as caught:
        commit(root, SCENARIOS["two files"][0](root), fs=fs)
    assert caught.value.code == Code.CONTENT_CONFLICT
    assert tree(root) == {**OLD, "src/b.txt": b"mine\n"}


def count_calls(root: Path, operations: Callable[[Path], list[Operation]]) -> int:
    fs = FaultyFilesystem()
    commit(root, operations(root), fs=fs)
    return len(fs.calls)


def call_number(root: Path, name: str) -> int:
    """The number of the call after the first `name` in the "two files" scenario."""
    fs = FaultyFilesystem()
    commit(root, SCENARIOS["two files"][0](root), fs=fs)
    return fs.calls.index(name) + 2
