"""Finds the file that each block of a message is for: names in headings, above fences, in their info and first line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from fastedit.edits.blocks import Block
from fastedit.edits.paths import (
    FILE_NAMES,
    PathMention,
    ends_with,
    path_in_comment,
    path_in_info,
    path_in_line,
    path_in_prose,
)
from fastedit.edits.signals import last_sentence, says_deleted, says_new, says_whole

_HEADING = re.compile(r"^ {0,3}#{1,6}\s")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s")


@dataclass(frozen=True, slots=True)
class PlacedBlock:
    """A block with what the message says of it.

    lines: the block's, without a first comment that only names the file (`locator`); where that is the file's own
    first line, only the original can tell. is_cited: the fence
    quotes numbered lines of the file (`12:20:src/x.py`).
    """

    block: Block
    path: str | None
    lines: tuple[str, ...]
    locator: str = ""
    is_new: bool = False
    is_whole: bool = False
    is_cited: bool = False
    has_own_path: bool = False

    @property
    def prose(self) -> str:
        """The prose before the block, with the locator as its last line."""
        return "\n".join((*self.block.prose, self.locator)).strip()

    @property
    def start_line(self) -> int:
        return self.block.start_line + (1 if self.locator else 0)


@dataclass(slots=True)
class PathReader:
    """Walks a message from top to bottom and remembers which file it is about."""

    heading: PathMention | None = None
    is_heading_fresh: bool = False
    last_path: str | None = None
    deleted: list[str] = field(default_factory=list)

    def place(self, block: Block) -> PlacedBlock:
        """The block with its file. To be called for every block, in order."""
        self.read_prose(block.prose)
        sentence = last_sentence(block.prose)
        info_path, is_cited = path_in_info(block.info)
        inline = path_in_prose(sentence)
        locator = path_in_comment(block.lines[0]) if block.lines else None
        mention = self._mention(locator, inline)
        if mention and info_path in FILE_NAMES:
            info_path = None  # `Dockerfile` tells the language first of all
        path = info_path or (mention.path if mention else self.last_path)
        told = [said for said in (mention, inline) if said is not None and said.path == path]
        is_new = any(says_new(said.rest, said.is_alone) for said in told)
        is_whole = says_whole(sentence) or any(says_whole(said.rest) for said in told if said.is_alone)
        is_located = locator is not None and path is not None and ends_with(path, locator.path)
        self.is_heading_fresh = False
        self.last_path = path
        return PlacedBlock(
            block,
            path,
            block.lines[1:] if is_located else block.lines,
            locator=block.lines[0] if is_located else "",
            is_new=is_new,
            is_whole=is_whole,
            is_cited=is_cited,
            has_own_path=bool(info_path or mention),
        )

    def read_prose(self, prose: Sequence[str]) -> None:
        """Takes in headings and lines that name a file by themselves."""
        named = [path_in_line(line) for line in prose]
        for number, line in enumerate(prose):
            mention = named[number]
            if mention is None:
                if _HEADING.match(line):
                    weak = path_in_prose(line.strip("# "))
                    self.heading, self.last_path = None, weak.path if weak else None
                continue
            if says_deleted(mention.rest):
                self.deleted.append(mention.path)
            elif not _is_listed(prose, named, number):
                self.heading, self.is_heading_fresh = mention, True

    def _mention(self, locator: PathMention | None, inline: PathMention | None) -> PathMention | None:
        """The strongest of what names the block's file."""
        if self.heading is not None and self.is_heading_fresh:
            return self.heading
        return locator or inline if self.heading is None else locator or self.heading


def _is_listed(prose: Sequence[str], named: Sequence[PathMention | None], number: int) -> bool:
    """Whether the name is one of a list of files, as in a summary of what changes."""
    if not _ITEM.match(prose[number]):
        return False
    around = [n for n in (number - 1, number + 1) if 0 <= n < len(prose)]
    return any(named[n] is not None and _ITEM.match(prose[n]) for n in around)
