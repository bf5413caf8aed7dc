"""A run's changes of several files, written down before they are made, so that a crash leaves nothing half done; and
the locks on folders that keep two runs from writing to the same files at once.

Life of a journal:

    .fastedit-journal        from before the first change until the last: whoever finds it undoes the changes
    .fastedit-journal.done   every change is made: whoever finds it removes what was kept for undoing

For each file, `.fastedit-TOKEN-N.new` is the text to come and `.fastedit-TOKEN-N.old` a second name of the
old file, both in the file's own folder.

The kernel drops a lock when its holder dies, and no lock file stays behind. Other programs don't know of
the locks: what they change is noticed by comparing hashes.
"""

from __future__ import annotations

import errno
import json
import os
import re
import secrets
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from fastedit.errors import Code, InputRefused, Warning
from fastedit.files.reading import read_regular_file, sha256_of
from fastedit.files.system import UNSUPPORTED, Filesystem, refusal

POLL_S = 0.005
JOURNAL_NAME = ".fastedit-journal"
DONE_NAME = ".fastedit-journal.done"
JOURNAL_NAMES = (JOURNAL_NAME, DONE_NAME)
TEMP_NAME = re.compile(r"\.fastedit-[0-9a-f]{16}-\d+\.(?:new|old)")
MAX_JOURNAL_BYTES = 1 << 24


@contextmanager
def locked(folders: Iterable[Path], *, timeout_s: float, fs: Filesystem) -> Iterator[None]:
    """Holds the exclusive locks of `folders`, taken in one order by everyone, so that nobody waits in a circle.

    A file system that knows no locks is written to without. Raises InputRefused CONTENT_CONFLICT where another
    run holds one for longer than `timeout_s`, INVALID_PATH where a folder can't be opened.
    """
    deadline = time.monotonic() + timeout_s
    with ExitStack() as stack:
        for folder in sorted(set(folders)):
            try:
                handle = fs.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
                stack.callback(_release, handle, fs)
                _lock(handle, folder, deadline, fs)
            except OSError as error:
                raise refusal(error, str(folder), "locked") from error
        yield


def _release(handle: int, fs: Filesystem) -> None:
    # Only writers lose anything by a failing close, and by now the files may be new.
    with suppress(OSError):
        fs.close(handle)


def _lock(handle: int, folder: Path, deadline: float, fs: Filesystem) -> None:
    while True:
        try:
            return fs.lock(handle)
        except BlockingIOError as error:
            if time.monotonic() >= deadline:
                message = f"another run of FastEdit is writing in {folder}"
                raise InputRefused(Code.CONTENT_CONFLICT, message) from error
            time.sleep(POLL_S)
        except OSError as error:
            if error.errno not in UNSUPPORTED:
                raise
            return None


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One file's change. old, new: sha256 of its bytes before and after, or None where there is no file."""

    target: Path
    temp: Path
    backup: Path
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True)
class Journal:
    """The changes of one run, all inside `root`. made: the folders that it makes, outermost first."""

    root: Path
    entries: tuple[JournalEntry, ...]
    made: tuple[Path, ...] = ()

    @property
    def path(self) -> Path:
        return self.root / JOURNAL_NAME

    @property
    def done_path(self) -> Path:
        return self.root / DONE_NAME

    @property
    def folders(self) -> set[Path]:
        """The folders in which names come and go."""
        return {entry.target.parent for entry in self.entries} | {folder.parent for folder in self.made}


def plan_journal(root: Path, changes: list[tuple[Path, str | None, str | None]], made: list[Path]) -> Journal:
    """A journal with fresh names for (target, old, new) changes."""
    token = secrets.token_hex(8)
    entries = []
    for number, (target, old, new) in enumerate(changes):
        beside = target.parent / f".fastedit-{token}-{number}"
        entries.append(JournalEntry(target, beside.with_suffix(".new"), beside.with_suffix(".old"), old, new))
    return Journal(root, tuple(entries), tuple(made))


def write_journal(journal: Journal, fs: Filesystem) -> None:
    """Puts the journal on the disk. Raises OSError, EEXIST where there is one already."""
    data = json.dumps(
        {
            "entries": [
                {
                    "target": _relative(entry.target, journal.root),
                    "temp": entry.temp.name,
                    "backup": entry.backup.name,
                    "old": entry.old,
                    "new": entry.new,
                }
                for entry in journal.entries
            ],
            "made": [_relative(folder, journal.root) for folder in journal.made],
        }
    )
    write_new_file(journal.path, data.encode(), 0o600, fs)
    try:
        sync_folder(journal.root, fs)
    except BaseException:
        remove(journal.path, fs)
        raise


def read_journal(root: Path, name: str, fs: Filesystem) -> Journal | None:
    """The journal in `root`, or None where it was cut off while being written (nothing had been changed then).

    Raises InputRefused CONTENT_CONFLICT for a journal that isn't ours: what it asks for must not be done.
    """
    data, status = read_regular_file(root / name, max_bytes=MAX_JOURNAL_BYTES, name=name, fs=fs)
    try:
        record = json.loads(data)
    except ValueError:
        return None
    try:
        if status.st_uid != os.geteuid():
            raise ValueError("another user's")
        entries = tuple(_entry(root, fields) for fields in record["entries"])
        return Journal(root, entries, tuple(_inside(root, folder) for folder in record["made"]))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        message = f"{root / name} isn't a journal of yours; look at it, and remove it if you don't need it"
        raise InputRefused(Code.CONTENT_CONFLICT, message) from error


def roll_back(journal: Journal, fs: Filesystem) -> tuple[Warning, ...]:
    """Undoes what the journal's run has done so far; doing it twice is the same as once. Raises OSError."""
    warnings = [warning for entry in reversed(journal.entries) for warning in _restore(entry, fs)]
    for folder in reversed(journal.made):
        if exists(folder, fs):
            _remove_folder(folder, fs)
    for folder in journal.folders:
        if exists(folder, fs):
            sync_folder(folder, fs)
    remove(journal.path, fs)
    return tuple(warnings)


def seal(journal: Journal, fs: Filesystem) -> None:
    """Makes the changes final: the one step that decides between all old and all new. Raises OSError."""
    for folder in journal.folders:
        sync_folder(folder, fs)
    fs.replace(journal.path, journal.done_path)


def clean_up(journal: Journal, fs: Filesystem) -> tuple[Warning, ...]:
    """Removes what was kept for undoing a sealed journal. Raises OSError."""
    # The seal must be on the disk first: half of the old files gone under an open journal can't be undone.
    sync_folder(journal.root, fs)
    for entry in journal.entries:
        remove(entry.backup, fs)
        remove(entry.temp, fs)
    remove(journal.done_path, fs)
    return ()


def exists(path: Path, fs: Filesystem) -> bool:
    """Whether there is something of that name, be it a broken link. Raises OSError where that can't be told."""
    try:
        fs.lstat(path)
    except FileNotFoundError:
        return False
    return True


def is_own_file(path: Path, fs: Filesystem) -> bool:
    """Whether there is a regular file of that name that belongs to this user. Raises OSError."""
    try:
        status = fs.lstat(path)
    except FileNotFoundError:  # or another run is done with it
        return False
    return stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()


def remove(path: Path, fs: Filesystem) -> None:
    """Removes the file, if there is one."""
    if exists(path, fs):
        fs.unlink(path)


def sync_folder(folder: Path, fs: Filesystem) -> None:
    handle = fs.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fs.fsync(handle)
    finally:
        fs.close(handle)


def write_new_file(path: Path, data: bytes, mode: int, fs: Filesystem) -> None:
    """A new file that is on the disk when this returns. Raises OSError, EEXIST where there is one already."""
    handle = fs.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    try:
        try:
            view = memoryview(data)
            while view:
                view = view[fs.write(handle, view) :]
            fs.fsync(handle)
        finally:
            fs.close(handle)
    except BaseException:
        fs.unlink(path)
        raise


def _restore(entry: JournalEntry, fs: Filesystem) -> list[Warning]:
    warnings = []
    if entry.old is None:
        if _is_ours(entry, fs):
            fs.unlink(entry.target)
    elif exists(entry.backup, fs):
        if _is_same_file(entry.target, entry.backup, fs) or (present := _present_hash(entry.target, fs)) == entry.old:
            fs.unlink(entry.backup)
        elif present in (entry.new, None):
            fs.replace(entry.backup, entry.target)
        else:
            message = f"{entry.target} was changed since; its text from before is in {entry.backup.name}"
            warnings.append(Warning("CHANGED_SINCE", message))
    remove(entry.temp, fs)
    return warnings


def _is_ours(entry: JournalEntry, fs: Filesystem) -> bool:
    """Whether the journal's run created the file that now stands at the entry's target."""
    if not exists(entry.target, fs):
        return False
    if exists(entry.temp, fs):
        return _is_same_file(entry.target, entry.temp, fs)
    return _present_hash(entry.target, fs) == entry.new


def _present_hash(path: Path, fs: Filesystem) -> str | None:
    """sha256 of the file's bytes; None where there is nothing, "" for what isn't a regular file."""
    if not exists(path, fs):
        return None
    try:
        return sha256_of(read_regular_file(path, max_bytes=None, name=str(path), fs=fs)[0])
    except InputRefused:
        return ""


def _is_same_file(one: Path, other: Path, fs: Filesystem) -> bool:
    return exists(one, fs) and os.path.samestat(fs.lstat(one), fs.lstat(other))


def _remove_folder(folder: Path, fs: Filesystem) -> None:
    try:
        fs.rmdir(folder)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):  # someone put a file there meanwhile
            raise


def _entry(root: Path, fields: dict[str, str]) -> JournalEntry:
    target = _inside(root, fields["target"])
    names = fields["temp"], fields["backup"]
    if not all(TEMP_NAME.fullmatch(name) for name in names):
        raise ValueError("names that FastEdit doesn't give")
    temp, backup = (target.parent / name for name in names)
    return JournalEntry(target, temp, backup, fields["old"], fields["new"])


def _relative(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()


def _inside(root: Path, name: str) -> Path:
    pure = PurePosixPath(name)
    folder = root / pure.parent
    if pure.is_absolute() or ".." in pure.parts or not pure.name or folder.resolve() != folder:
        raise ValueError("a path that leaves the root")
    return root / pure
