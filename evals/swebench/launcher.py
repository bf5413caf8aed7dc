"""Runs inside a sandbox, before the command: takes on its limits, then becomes the command.

    python launcher.py [--with-parent PID] [--memory BYTES] [--file-size BYTES] [--loopback] [--init] -- COMMAND...

Started by path with `-I`, so it may import nothing but the standard library.
"""

from __future__ import annotations

import argparse
import ctypes
import fcntl
import os
import resource
import signal
import socket
import struct
import sys

PR_SET_PDEATHSIG = 1
SIOCSIFFLAGS = 0x8914
IFF_UP_RUNNING = 0x41


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--with-parent", type=int, default=0, help="die as soon as this process, the parent, does")
    parser.add_argument("--memory", type=int, default=0, help="bytes of address space for each process")
    parser.add_argument("--file-size", type=int, default=0, help="bytes for each file that is written")
    parser.add_argument("--loopback", action="store_true", help="bring up 127.0.0.1 in a network of one's own")
    parser.add_argument("--init", action="store_true", help="stay as the first process and run the command below it")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    if options.with_parent:
        _die_with(options.with_parent)
    for kind, limit in ((resource.RLIMIT_AS, options.memory), (resource.RLIMIT_FSIZE, options.file_size)):
        if limit:
            resource.setrlimit(kind, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if options.loopback:
        _bring_up_loopback()
    if options.init and (child := os.fork()):
        sys.exit(_wait_for(child))
    os.execvp(options.command[0], options.command)


def _die_with(parent: int) -> None:
    """Has this process, and what it becomes, killed with its parent (Linux; elsewhere nothing happens)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it died before it could be watched
            sys.exit(1)


def _bring_up_loopback() -> None:
    """Tests talk to servers of their own: a fresh network namespace has its loopback down."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        request = struct.pack("16sH14x", b"lo", IFF_UP_RUNNING)
        fcntl.ioctl(control, SIOCSIFFLAGS, request)


def _wait_for(child: int) -> int:
    """The child's exit status, other orphans reaped meanwhile: what is asked of the first process of a namespace."""
    while True:
        pid, status = os.wait()
        if pid == child:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


if __name__ == "__main__":
    main()
