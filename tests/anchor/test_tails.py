"""Lines that a snippet shows of the end of a block whose beginning it leaves out."""

from __future__ import annotations

import pytest

from support.applying import lazily, replaced

QUEUE = """def run(queue, seen):
    for job in queue:
        if job in seen:
            job.drop()
            continue
        if job.is_old:
            job.keep()
            continue

        try:
            job.start()
        except OSError:
            job.drop()
            continue

        try:
            job.wait()
        finally:
            job.drop()

    while queue:
        queue.pop()
    return seen
"""


@pytest.mark.parametrize(
    ("code", "change"),
    [
        (
            "def run(queue, seen):\n    for job in queue:\n        # ...\n            continue\n\n        try:\n"
            "            job.start(now=True)\n        except OSError:\n            # ...\n\n        # ...\n\n    # ...",
            ("job.start()", "job.start(now=True)"),
        ),
        (
            "def run(queue, seen):\n    # ...\n            job.drop()\n\n    while queue:\n        queue.popleft()\n"
            "    return seen",
            ("queue.pop()", "queue.popleft()"),
        ),
        (
            "def run(queue, seen):\n    for job in queue:\n        # ...\n            job.keep(True)\n"
            "            continue\n\n        try:\n            job.start()\n        # ...\n    # ...",
            ("job.keep()", "job.keep(True)"),
        ),
        (
            "def run(queue, seen):\n    # ...\n            job.drop(None)\n\n    while queue:\n        # ...",
            ("finally:\n            job.drop()", "finally:\n            job.drop(None)"),
        ),
    ],
)
def test_what_follows_tells_which_block_ends(code: str, change: tuple[str, str]):
    assert lazily(QUEUE, code).text == replaced(QUEUE, change)


def test_a_method_without_its_class_is_no_end_of_a_block():
    original = "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        a = 1\n        return a\n"
    code = "# ...\n\n    def g(self):\n        a = 2\n        return a"
    assert lazily(original, code).text == replaced(original, ("a = 1", "a = 2"))


def test_a_block_that_the_snippet_ends_in_goes_on():
    original = "def f(a):\n    b = a\n    if a:\n        g(a)\n        h(a)\n        return a\n    return b\n"
    code = "def f(a):\n    # ...\n    if not a:\n        g(a)"
    assert lazily(original, code).text == replaced(original, ("if a:", "if not a:"))
    whole = "def f(a):\n    b = a\n    if not a:\n        g(a)"
    assert "h(a)" not in lazily(original, whole).text
