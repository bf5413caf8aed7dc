"""The way to a Ray cluster, or one line that says why there is none."""

from __future__ import annotations

import logging
import socket
from typing import Any
from urllib.parse import urlsplit

import ray

from fastedit.errors import Code, EngineUnavailable

REACH_S = 5.0  # Ray itself waits for two minutes, and then ends the process
AUTO = "auto"


def connect(address: str | None) -> bool:
    """Connects to the cluster at `host:port`; without an address to RAY_ADDRESS's or this machine's or, where none
    runs, to a new one. Gives whether it is a new one, which ends with this process.

    Raises EngineUnavailable where the cluster can't be reached.
    """
    if ray.is_initialized():
        return False
    if address is not None and address != AUTO:
        _check_reachable(address)
    try:
        _init(address or AUTO)
        return False
    except ConnectionError as error:
        if address is not None:
            raise _unreachable(address, error) from error
    except (ValueError, RuntimeError, SystemExit) as error:
        raise _unreachable(address or AUTO, error) from error
    _init(None)
    return True


def _init(address: str | None) -> Any:
    return ray.init(address, log_to_driver=False, logging_level=logging.ERROR)


def _check_reachable(address: str) -> None:
    parts = urlsplit(address if "://" in address else f"//{address}")
    try:
        socket.create_connection((parts.hostname or "", parts.port or 0), REACH_S).close()
    except (OSError, ValueError) as error:
        raise _unreachable(address, error) from error


def _unreachable(address: str, error: BaseException) -> EngineUnavailable:
    reason = getattr(error, "strerror", None) or str(error).partition("\n")[0]
    return EngineUnavailable(Code.TARGET_UNAVAILABLE, f"no Ray cluster answers at {address}: {reason}")
