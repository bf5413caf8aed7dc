"""Changes that only the words tell of: what goes, moves or is renamed, and what goes with it."""
