"""A uvicorn that serves until it is told to stop."""

from __future__ import annotations

import ipaddress

import uvicorn

from fastedit.errors import SettingsError
from fastedit.server.app import create_app
from fastedit.server.settings import ServerSettings


def serve(settings: ServerSettings) -> None:
    """Serves until SIGTERM or SIGINT. SettingsError where the settings would open the service to everybody."""
    check_exposure(settings)
    config = uvicorn.Config(create_app(settings), host=settings.host, port=settings.port, ws="none")
    uvicorn.Server(config).run()


def check_exposure(settings: ServerSettings) -> None:
    """SettingsError for an address that others can reach without a key."""
    if not is_loopback(settings.host) and not settings.keys:
        raise SettingsError(f"others can reach {settings.host}: set FASTEDIT_API_KEYS or FASTEDIT_API_KEYS_FILE")


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
