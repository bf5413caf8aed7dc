"""Measurements: how right and how fast FastEdit is. Nothing in the package imports this."""
