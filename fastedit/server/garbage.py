"""Keeps collections of garbage short: what a service has loaded once is there for good."""

from __future__ import annotations

import gc


def settle() -> None:
    """Has collections from now on pass over whatever is there already.

    With torch and a model loaded, Python's full collection looks at hundreds of thousands of objects, and every request
    waits for it.
    """
    gc.collect()
    gc.freeze()
