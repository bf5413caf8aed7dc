"""FastEdit applies the edits that coding assistants write: exactly, and fast."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastedit.applied import Applied, Changes, Stats
from fastedit.apply import apply
from fastedit.errors import Candidate, Code, EditRefused, FastEditError, Warning

if TYPE_CHECKING:
    from fastedit.workspace import FileChange, apply_patch

__all__ = [
    "Applied",
    "Candidate",
    "Changes",
    "Code",
    "EditRefused",
    "FastEditError",
    "FileChange",
    "Stats",
    "Warning",
    "apply",
    "apply_patch",
]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name in ("FileChange", "apply_patch"):
        from fastedit import workspace

        return getattr(workspace, name)
    raise AttributeError(f"module 'fastedit' has no attribute {name!r}")
