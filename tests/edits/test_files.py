"""The files that messages are about."""

from __future__ import annotations

import pytest

from fastedit.edits import parse_message
from fastedit.edits.message import NamedFile, named_files
from fastedit.edits.model import Action

LAZY = "```python\n# ... existing code ...\nx = 1\n```\n"
WHOLE = "```python\nx = 1\n```\n"
BLOCK = "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n"


def update(path: str | None, *, can_create: bool = False) -> NamedFile:
    return NamedFile(path, Action.UPDATE, can_create=can_create)


@pytest.mark.parametrize(
    ("message", "files"),
    [
        (LAZY, [update(None)]),
        (f"`src/a.py`:\n{LAZY}\n`src/b.py`:\n{LAZY}\n", [update("src/a.py"), update("src/b.py")]),
        (f"### a.py\n{LAZY}\n### b.py\n{WHOLE}", [update("a.py"), update("b.py", can_create=True)]),
        (f"### b.py\n{LAZY}\n### a.py\n{LAZY}\n### b.py\n{LAZY}", [update("b.py"), update("a.py")]),
        (f"a.py\n{BLOCK}\nb.py\n{BLOCK}", [update("a.py"), update("b.py")]),
        (
            "*** Begin Patch\n*** Add File: new.py\n+x\n*** Delete File: old.py\n"
            "*** Update File: a.py\n*** Move to: b.py\n@@\n-x\n+y\n*** End Patch\n",
            [
                NamedFile("new.py", Action.CREATE, can_create=True),
                NamedFile("old.py", Action.DELETE),
                NamedFile("a.py", Action.UPDATE, "b.py"),
            ],
        ),
        (
            "*** Begin Patch\n*** Delete File: a.py\n*** Add File: a.py\n+x\n*** End Patch\n",
            [update("a.py")],
        ),
    ],
    ids=["none", "two", "one may be new", "one twice", "search/replace", "v4a", "written anew"],
)
def test_files_of_a_message(message: str, files: list[NamedFile]) -> None:
    assert named_files(parse_message(message)) == files
