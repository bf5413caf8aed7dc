"""Bytes on disk: reading text files and writing several of them, all or none."""

from fastedit.files.reading import (
    UTF_8,
    Encoding,
    TextFile,
    decode,
    encode,
    read_regular_file,
    read_text_file,
    sha256_of,
    too_large,
)
from fastedit.files.system import SYSTEM, Filesystem, refusal
from fastedit.files.transaction import Delete, Operation, Write, commit, recover

__all__ = [
    "SYSTEM",
    "UTF_8",
    "Delete",
    "Encoding",
    "Filesystem",
    "Operation",
    "TextFile",
    "Write",
    "commit",
    "decode",
    "encode",
    "read_regular_file",
    "read_text_file",
    "recover",
    "refusal",
    "sha256_of",
    "too_large",
]
