"""Paths written out as lines, and facts of the results that they come to."""
