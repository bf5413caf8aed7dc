"""A shop."""
import os
from typing import (
    Any,
    Callable,
)

LIMIT = 10
TABLE: dict[str, int] = {
    "a": 1,
}


# Reads a file.
# Twice.
@cache
@retry(
    times=3,
)
def read(
    path: str,
    *,
    mode: str = "r",
) -> str:
    # open it
    def inner(x): return x

    with open(path) as f:
        return inner(f.read())
    # done


@dataclass
class Shop(Base, metaclass=Meta):
    name: str
    open = True

    async def sell(self, item):
        x = 1
        return item

    # in between
    @property
    def size(self) -> int:
        return 1

    class Inner:
        pass


if os.name == "nt":
    def only_windows():
        # nothing
else:
    pass

handler = lambda event: event
