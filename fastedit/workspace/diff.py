"""The diff of a whole file's change, as `git apply` and `patch` take it."""

from __future__ import annotations

from fastedit.applied import unified_diff

DEV_NULL = "/dev/null"


def file_diff(old_name: str | None, before: str, new_name: str | None, after: str) -> str:
    """A unified diff from one file to the other; None stands for no file. Empty where nothing changes."""
    name = new_name or old_name or ""
    body = unified_diff(before, after, name)
    if old_name == new_name:
        return body
    if old_name and new_name:
        head = f"diff --git a/{old_name} b/{new_name}\nrename from {old_name}\nrename to {new_name}\n"
        return head + body.replace(f"--- a/{name}\n", f"--- a/{old_name}\n", 1)
    kind, missing = ("new", "--- a/") if new_name else ("deleted", "+++ b/")
    head = f"diff --git a/{name} b/{name}\n{kind} file mode 100644\n"
    return head + body.replace(f"{missing}{name}\n", f"{missing[:4]}{DEV_NULL}\n", 1)
