"""One file's steps: the new text beside it, a second name for the old one, the exchange.

Raises OSError as the system does, and InputRefused where the file isn't what it was.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from fastedit.errors import Code, InputRefused
from fastedit.files.journal import JournalEntry, exists, write_new_file
from fastedit.files.reading import read_regular_file
from fastedit.files.system import UNSUPPORTED, Filesystem

NEW_FILE_MODE = 0o666  # what the umask leaves of it
TEMP_MODE = 0o600
KEPT_XATTRS = ("user.", "system.posix_acl_access")


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
