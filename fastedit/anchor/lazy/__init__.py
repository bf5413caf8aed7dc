"""Lazy edits laid on their original by one fitted search: see README.md beside this file. Nothing is imported here, for
numpy takes its time."""

from pathlib import Path

FITTED = Path(__file__).with_name("fitted")  # the folder of what is fitted, and how that came about
