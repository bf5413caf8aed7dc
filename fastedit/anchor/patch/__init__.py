"""Edits with their own context (diffs, SEARCH/REPLACE, V4A) laid on the original: hunks found, told apart, applied."""
