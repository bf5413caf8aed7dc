"""The paths that the service answers."""
