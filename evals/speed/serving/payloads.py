"""What is sent: edits of the apply cases, and small lazy edits of files of one size."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evals.speed.pairs import load_pairs
from evals.speed.serving.load import http_request

MAX_CASE_LINES = 1500
FUNCTION_LINES = 6

Body = dict[str, Any]


def case_requests(folder: Path | None, mode: str) -> tuple[list[bytes], str]:
    """Requests of the apply cases (of derived edits where there are none), and where they come from."""
    pairs, source = load_pairs(folder)
    bodies = [
        {"original": pair.original, "edit": pair.edit, "path": pair.name.partition("/")[2] or "a.py", "mode": mode}
        for pair in pairs
        if pair.num_lines <= MAX_CASE_LINES
    ]
    return [request_of(body) for body in bodies], source


def request_of(body: Body) -> bytes:
    return http_request("/v1/apply", json.dumps(body).encode())


def batches(bodies: list[Body], size: int) -> Iterator[bytes]:
    """The edits in batches."""
    for index in range(0, len(bodies), size):
        together = {"requests": bodies[index : index + size]}
        yield http_request("/v1/apply/batch", json.dumps(together).encode())


def small_edits(num_lines: int, mode: str, count: int, first: int = 0) -> list[Body]:
    """Lazy edits that rewrite one function of a file of so many lines each.

    first: number of the first one. Edits of different numbers are of different files from their first line on, so that
    none finds an earlier one's work done.
    """
    functions = num_lines // FUNCTION_LINES
    bodies: list[Body] = []
    for number in range(first, first + count):
        original = "".join(_function(number, index, "+") for index in range(functions))
        edit = f"# ... existing code ...\n\n{_function(number, number * 7 % functions, '*')}\n# ... existing code ...\n"
        # The functions are much alike, as no real file's are: the alignment isn't certain of each.
        bodies.append({"original": original, "edit": edit, "path": "steps.py", "mode": mode, "certainty": 0.0})
    return bodies


def _function(file: int, index: int, sign: str) -> str:
    return (
        f"def step_{file}_{index}(value, limit={index}):\n"
        f'    """Step {index} of way {file}."""\n'
        f"    total = value {sign} {index}\n"
        f"    return min(total, limit)\n\n\n"
    )


def uncertain_edits(num_bytes: int) -> Iterator[bytes]:
    """Requests without end, each with a lazy edit that fits hundreds of places of a file of about so many bytes.

    The files differ in their first line; they are written once, since making them anew would take as long as reading
    them does.
    """
    twin = "def step_{}(value):\n    total = value + 1\n    return min(total, 10)\n\n\n"
    header = f"# way {0:08d}\n"
    original = header + "".join(twin.format(number) for number in range(num_bytes // len(twin.format(10_000))))
    edit = "# ... existing code ...\n    total = value + 2\n    return min(total, 10)\n# ... existing code ...\n"
    request = request_of({"original": original, "edit": edit, "path": "steps.py", "mode": "structural"})
    for number in itertools.count():
        yield request.replace(b"# way 00000000", b"# way %08d" % number, 1)
