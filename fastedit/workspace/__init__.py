"""Messages that change files: one file or several, all or nothing."""

from fastedit.workspace.patch import Plan, apply_patch, plan_one, plan_patch, write_plan
from fastedit.workspace.plan import ChangeAction, FileChange, Options

__all__ = ["ChangeAction", "FileChange", "Options", "Plan", "apply_patch", "plan_one", "plan_patch", "write_plan"]
