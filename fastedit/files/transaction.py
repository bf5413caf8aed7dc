"""Several files written, all or none: the only place in FastEdit that changes files.

Readers see each file old or new, never half and never missing. Mode, owner (where allowed), access lists and
user attributes stay. After a crash the next run finds the journal and undoes what was begun.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fastedit.errors import Code, EditRefused, EngineUnavailable, InputRefused, Warning
from fastedit.files.journal import (
    DONE_NAME,
    JOURNAL_NAME,
    JOURNAL_NAMES,
    Journal,
    JournalEntry,
    clean_up,
    exists,
    is_own_file,
    locked,
    plan_journal,
    read_journal,
    roll_back,
    seal,
    write_journal,
    write_new_file,
)
from fastedit.files.reading import read_regular_file, sha256_of
from fastedit.files.system import SYSTEM, UNSUPPORTED, Filesystem, refusal

NEW_FILE_MODE = 0o666  # what the umask leaves of it
TEMP_MODE = 0o600
KEPT_XATTRS = ("user.", "system.posix_acl_access")
LOCK_TIMEOUT_S = 2.0


def write_temp(path: Path, data: bytes, like: os.stat_result | None, source: Path, fs: Filesystem) -> None:
    """A new file with the mode, owner and attributes of `source`, whose status is `like`; or a plain one for None."""
    write_new_file(path, data, NEW_FILE_MODE if like is None else TEMP_MODE, fs)
    if like is None:
        return
    handle = fs.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        mode = stat.S_IMODE(like.st_mode)
        if not _keep_owner(handle, like, fs):
            mode &= 0o777  # a file that runs as its owner must not come to run as another
        _copy_xattrs(source, handle, fs)
        fs.fchmod(handle, mode)
        fs.fsync(handle)
    finally:
        fs.close(handle)


def keep_old(entry: JournalEntry, status: os.stat_result, fs: Filesystem) -> None:
    """Gives the old file its second name; a copy, where the file system has no hard links."""
    try:
        fs.link(entry.target, entry.backup)
    except OSError as error:
        if error.errno not in UNSUPPORTED:
            raise
        data, _ = read_regular_file(entry.target, max_bytes=None, name=entry.target.name, fs=fs)
        write_temp(entry.backup, data, status, entry.target, fs)


def create(entry: JournalEntry, fs: Filesystem) -> None:
    """Lets the new file appear in one step, and never over one that is there."""
    try:
        fs.link(entry.temp, entry.target)
    except FileExistsError as error:
        raise InputRefused(Code.FILE_EXISTS, f"{entry.target.name} exists already") from error
    except OSError as error:
        if error.errno not in UNSUPPORTED:
            raise
        if exists(entry.target, fs):
            raise InputRefused(Code.FILE_EXISTS, f"{entry.target.name} exists already") from error
        fs.replace(entry.temp, entry.target)


def require_untouched(path: Path, before: os.stat_result, fs: Filesystem) -> None:
    """Looks at the file a last time before it is replaced, at what changes when another program writes to it."""
    try:
        now = fs.lstat(path)
    except FileNotFoundError as error:
        raise InputRefused(Code.CONTENT_CONFLICT, f"{path.name} has vanished since it was read") from error
    if not os.path.samestat(now, before) or (now.st_size, now.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
        raise InputRefused(Code.CONTENT_CONFLICT, f"{path.name} has changed since it was read")


def _keep_owner(handle: int, like: os.stat_result, fs: Filesystem) -> bool:
    status = fs.fstat(handle)
    if (status.st_uid, status.st_gid) == (like.st_uid, like.st_gid):
        return True
    try:
        fs.fchown(handle, like.st_uid, like.st_gid)
    except PermissionError:
        return False
    return True


def _copy_xattrs(source: Path, handle: int, fs: Filesystem) -> None:
    try:
        for name in fs.list_xattrs(source):
            if name.startswith(KEPT_XATTRS):
                fs.set_xattr(handle, name, fs.get_xattr(source, name))
    except OSError as error:
        if error.errno not in UNSUPPORTED | {errno.EACCES, errno.ENODATA}:
            raise


@dataclass(frozen=True, slots=True)
class Write:
    """An order to fill `path` with `data`. expected: sha256 of what is there, None where there must be nothing.

    like: the file whose mode and owner a new file takes (for a move), or None.
    """

    path: Path
    data: bytes
    expected: str | None = None
    like: Path | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    """An order to delete `path`. expected: sha256 of what stands there now."""

    path: Path
    expected: str


Operation = Write | Delete
Status = os.stat_result | None


def commit(
    root: Path,
    operations: Sequence[Operation],
    *,
    break_hard_links: bool = False,
    dry_run: bool = False,
    lock_timeout_s: float = LOCK_TIMEOUT_S,
    fs: Filesystem = SYSTEM,
) -> tuple[Warning, ...]:
    """Does all the operations or, raising, none. Paths are absolute, inside `root` and without symbolic links.

    break_hard_links: write a file that has several names under this name alone (else refused).
    dry_run: everything is checked and nothing done.
    Raises InputRefused CONTENT_CONFLICT (a file isn't what was expected any more), FILE_EXISTS, INVALID_PATH,
    and EngineUnavailable ENGINE_ERROR where the system can't write.
    """
    warnings = recover(root, lock_timeout_s=lock_timeout_s, fs=fs)
    try:
        folders = {_nearest_folder(operation.path, fs) for operation in operations}
        with locked({root, *folders}, timeout_s=lock_timeout_s, fs=fs):
            if any(exists(root / name, fs) for name in JOURNAL_NAMES):
                raise InputRefused(Code.CONTENT_CONFLICT, f"a journal that isn't yours, or is new, is in {root}")
            before = [_verify(operation, break_hard_links, fs) for operation in operations]
            if dry_run or not operations:
                return warnings
            journal = _plan(root, operations, fs)
            _write_all(journal, operations, before, fs)
            return warnings + _finish(journal, fs)
    except OSError as error:
        raise refusal(error, str(root), "written") from error


def recover(folder: Path, *, lock_timeout_s: float = LOCK_TIMEOUT_S, fs: Filesystem = SYSTEM) -> tuple[Warning, ...]:
    """Ends what a run that was cut off left behind in `folder` or above it: undone, or cleaned up after.

    Raises InputRefused CONTENT_CONFLICT for a journal that isn't ours or whose run is still going on.
    """
    warnings: tuple[Warning, ...] = ()
    for above in (folder, *folder.parents):
        if _has_journal(above, fs):
            with locked([above], timeout_s=lock_timeout_s, fs=fs):
                warnings += _end(above, lock_timeout_s, fs)
    return warnings


def _has_journal(folder: Path, fs: Filesystem) -> bool:
    """Whether a run of this user left a journal in `folder`. Anybody else's must not keep us from working below it."""
    try:
        return any(is_own_file(folder / name, fs) for name in JOURNAL_NAMES)
    except OSError as error:
        raise refusal(error, str(folder), "read") from error


def _end(root: Path, lock_timeout_s: float, fs: Filesystem) -> tuple[Warning, ...]:
    """Undoes, or cleans up after, the runs of any journals in `root`; the lock on `root` is held."""
    warnings: tuple[Warning, ...] = ()
    try:
        for name, end in ((DONE_NAME, clean_up), (JOURNAL_NAME, roll_back)):
            if not is_own_file(root / name, fs):
                continue
            journal = read_journal(root, name, fs)
            if journal is None:
                fs.unlink(root / name)
                continue
            others = {folder for folder in journal.folders if folder != root and exists(folder, fs)}
            with locked(others, timeout_s=lock_timeout_s, fs=fs):
                warnings += (Warning("RECOVERED", f"an earlier run in {root} was cut off"), *end(journal, fs))
    except OSError as error:
        raise refusal(error, str(root), "recovered") from error
    return warnings


def _verify(operation: Operation, break_hard_links: bool, fs: Filesystem) -> Status:
    """The file's status, or None for no file. Raises InputRefused where it isn't what the operation expects."""
    name = operation.path.name
    if not exists(operation.path, fs):
        if operation.expected is None:
            return None
        raise InputRefused(Code.CONTENT_CONFLICT, f"{name} has vanished since it was read")
    if operation.expected is None:
        raise InputRefused(Code.FILE_EXISTS, f"{name} exists already, with another text")
    try:
        data, status = read_regular_file(operation.path, max_bytes=None, name=name, fs=fs)
    except InputRefused as error:
        raise InputRefused(Code.CONTENT_CONFLICT, f"{name} has changed since it was read: {error.message}") from error
    if sha256_of(data) != operation.expected:
        raise InputRefused(Code.CONTENT_CONFLICT, f"{name} has changed since it was read")
    if status.st_nlink > 1 and isinstance(operation, Write) and not break_hard_links:
        message = f"{name} has {status.st_nlink} names (hard links), of which only one would get the new text"
        raise InputRefused(Code.INVALID_PATH, message)
    return status


def _plan(root: Path, operations: Sequence[Operation], fs: Filesystem) -> Journal:
    changes = [
        (operation.path, operation.expected, sha256_of(operation.data) if isinstance(operation, Write) else None)
        for operation in operations
    ]
    missing = {folder for operation in operations for folder in _missing_folders(operation.path, fs)}
    return plan_journal(root, changes, sorted(missing))


def _write_all(journal: Journal, operations: Sequence[Operation], before: Sequence[Status], fs: Filesystem) -> None:
    """Does the operations; what was done is undone again before any exception goes on."""
    try:
        write_journal(journal, fs)
    except FileExistsError as error:
        raise InputRefused(Code.CONTENT_CONFLICT, f"another run is writing in {journal.root}") from error
    try:
        _stage(journal, operations, before, fs)
        _exchange(journal, operations, before, fs)
        seal(journal, fs)
    except BaseException as error:
        _undo(journal, error, fs)
        raise


def _stage(journal: Journal, operations: Sequence[Operation], before: Sequence[Status], fs: Filesystem) -> None:
    """Puts the new texts beside the old files, and gives the old files their second names."""
    for folder in journal.made:
        fs.mkdir(folder)
    for entry, operation, status in zip(journal.entries, operations, before, strict=True):
        if isinstance(operation, Write):
            like = status or (fs.lstat(operation.like) if operation.like else None)
            write_temp(entry.temp, operation.data, like, operation.like or operation.path, fs)
        if status is not None:
            keep_old(entry, status, fs)


def _exchange(journal: Journal, operations: Sequence[Operation], before: Sequence[Status], fs: Filesystem) -> None:
    for entry, operation, status in zip(journal.entries, operations, before, strict=True):
        if status is None:
            create(entry, fs)
            continue
        require_untouched(entry.target, status, fs)
        if isinstance(operation, Write):
            fs.replace(entry.temp, entry.target)
        else:
            fs.unlink(entry.target)


def _undo(journal: Journal, error: BaseException, fs: Filesystem) -> None:
    try:
        roll_back(journal, fs)
    except (OSError, EditRefused) as second:
        message = f"writing failed ({error}), and so did undoing it: the next run in {journal.root} will undo it"
        raise EngineUnavailable(Code.ENGINE_ERROR, message) from second


def _finish(journal: Journal, fs: Filesystem) -> tuple[Warning, ...]:
    """Cleans up after a sealed journal. The files are new by now, whatever happens here."""
    try:
        clean_up(journal, fs)
    except OSError as error:
        message = f"all is written, but {journal.root} couldn't be cleaned up ({error.strerror}); the next run will"
        return (Warning("LEFTOVER", message),)
    return ()


def _nearest_folder(path: Path, fs: Filesystem) -> Path:
    """The innermost folder above `path` that exists."""
    return next(iter(_missing_folders(path, fs)), path).parent


def _missing_folders(path: Path, fs: Filesystem) -> Iterable[Path]:
    """The folders that are to be made for `path`, outermost first."""
    missing: list[Path] = []
    folder = path.parent
    while not exists(folder, fs):
        missing.insert(0, folder)
        folder = folder.parent
    return missing
