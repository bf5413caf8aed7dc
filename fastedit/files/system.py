"""The system calls that reading and writing go through: the seam at which tests make the N-th one fail."""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path

from fastedit.errors import Code, EditRefused, EngineUnavailable, InputRefused

# What a path can be blamed for; anything else (a full disk, a broken one) isn't the caller's mistake.
PATH_ERRORS = frozenset(
    {
        errno.EACCES,
        errno.EBUSY,  # mounted over
        errno.EEXIST,
        errno.EISDIR,
        errno.ELOOP,
        errno.ENAMETOOLONG,
        errno.ENOENT,
        errno.ENOTDIR,
        errno.EPERM,
        errno.EROFS,
        errno.ETXTBSY,
    }
)
UNSUPPORTED = frozenset({errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM, errno.EINVAL, errno.EMLINK})


class Filesystem:
    """`os`, call by call. Every method does one system call and raises OSError as that does."""

    def lstat(self, path: Path) -> os.stat_result:
        return os.lstat(path)

    def fstat(self, handle: int) -> os.stat_result:
        return os.fstat(handle)

    def open(self, path: Path, flags: int, mode: int = 0o600) -> int:
        return os.open(path, flags | os.O_CLOEXEC, mode)

    def close(self, handle: int) -> None:
        os.close(handle)

    def read(self, handle: int, num_bytes: int) -> bytes:
        return os.read(handle, num_bytes)

    def write(self, handle: int, data: memoryview) -> int:
        return os.write(handle, data)

    def fsync(self, handle: int) -> None:
        os.fsync(handle)

    def lock(self, handle: int) -> None:
        """Takes the handle's exclusive lock, or raises BlockingIOError at once."""
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def fchmod(self, handle: int, mode: int) -> None:
        os.fchmod(handle, mode)

    def fchown(self, handle: int, uid: int, gid: int) -> None:
        os.fchown(handle, uid, gid)

    def list_xattrs(self, path: Path) -> list[str]:
        return os.listxattr(path, follow_symlinks=False) if hasattr(os, "listxattr") else []

    def get_xattr(self, path: Path, name: str) -> bytes:
        return os.getxattr(path, name, follow_symlinks=False)

    def set_xattr(self, handle: int, name: str, value: bytes) -> None:
        os.setxattr(handle, name, value)

    def replace(self, source: Path, target: Path) -> None:
        os.replace(source, target)

    def link(self, source: Path, target: Path) -> None:
        os.link(source, target, follow_symlinks=False)

    def unlink(self, path: Path) -> None:
        os.unlink(path)

    def mkdir(self, path: Path) -> None:
        os.mkdir(path)

    def rmdir(self, path: Path) -> None:
        os.rmdir(path)


SYSTEM = Filesystem()


def refusal(error: OSError, name: str, purpose: str) -> EditRefused:
    """The refusal that stands for a failed system call. purpose: what it was for, such as "read"."""
    message = f"{name} can't be {purpose}: {os.strerror(error.errno or errno.EIO)}"
    if error.errno in PATH_ERRORS:
        return InputRefused(Code.INVALID_PATH, message)
    return EngineUnavailable(Code.ENGINE_ERROR, message)
