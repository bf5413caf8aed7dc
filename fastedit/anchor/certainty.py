"""How often each kind of segment is right: what the alignment says of itself before margins are counted in.

The figures are shares of right segments on generated edits of all tiers (`python -m evals.accuracy`
prints the curve), rounded down. A change in the alignment may move them: measure before trusting them.
"""

from __future__ import annotations

BETWEEN_NEIGHBOURS = 0.99
REPLACES_WHAT_LAY_BETWEEN = 0.98
DELETED_BY_ADJACENCY = 0.9
LONG_DELETION = 0.6
CHANGED = 0.94
RE_INDENTED = 0.94
CLOSED = 0.8
ELIDED_HEADER = 0.9
LOST_DECORATOR = 0.8
SAID_TO_GO = 0.97
MOVED = 0.9
BESIDE_A_MARKER = 0.9
AT_AN_EMPTY_MARKER = 0.95
BETWEEN_MARKERS = 0.4
NEW_OR_RENAMED = 0.45
BESIDE_A_NAMED_MARKER = 0.9
BEHIND_A_JUMP = 0.8
BLANK_LINES = 0.9
FOUND_NO_PLACE = 0.4
