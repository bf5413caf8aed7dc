"""Partial files of keys merged key by key: what a snippet shows of them changes, what it doesn't show stays.

| file | what it does |
|---|---|
| `entries.py` | what has a name or a place of its own in such a file, and the lines that it takes |
| `members.py` | reads what classes, types and objects of code hold as entries |
| `trees.py` | the tree of a text, by its language; reads YAML, TOML and INI, style sheets as entries |
| `matching.py` | which entries of the file those of the snippet are |
| `merger.py`, `writing.py` | what changes then; how it is written |
| `objects.py` | the same for JSON, by its bytes; what a snippet shows of an object, read |
| `gone.py` | which entries the words say are gone |
| `placing.py` | where new entries go |
| `merging.py` | the ways to merge a snippet, each with another result, and what speaks for them |
"""

from fastedit.anchor.lazy.keys.merging import KEYS, MergedKeys, merged_by_keys

__all__ = ["KEYS", "MergedKeys", "merged_by_keys"]
