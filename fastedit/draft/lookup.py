"""Drafts from what was written before: the original, the edit and the output itself.

Both tokenise and index their sources when first asked, so that a request whose draft never diverges pays nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from fastedit.draft.automaton import ROOT, SuffixAutomaton
from fastedit.draft.model import Kind, Proposal
from fastedit.draft.transcript import Transcript

Sources = Callable[[], Sequence[Sequence[int]]]

LONG_MATCH = 8
SOURCE_END = -1  # between two sources; no token has this id


class SuffixDrafter:
    """Proposes what followed the first occurrence of the longest suffix of the output that occurred before.

    sources: makes them, in order of preference (the edit before the original); the output comes last.
    """

    def __init__(self, sources: Sources, transcript: Transcript) -> None:
        self._sources = sources
        self._transcript = transcript
        self._automaton: SuffixAutomaton | None = None
        self._seen = 0
        self._state, self._length = ROOT, 0

    def propose(self, limit: int) -> Proposal | None:
        automaton = self._automaton = self._automaton or _automaton_over(self._sources())
        self._catch_up(automaton)
        if self._length == 0:
            return None
        start = automaton.first_end[self._state]
        tokens = _copied(automaton.text, start, limit)
        return Proposal(tokens, self._kind()) if tokens else None

    def _kind(self) -> Kind:
        if self._length >= LONG_MATCH:
            return Kind.SUFFIX_LONG
        return Kind.SUFFIX if self._length > 1 else Kind.SUFFIX_SHORT

    def _catch_up(self, automaton: SuffixAutomaton) -> None:
        # The state is moved on before the token is added, or every token would match itself.
        for token in self._transcript.tokens[self._seen :]:
            self._state, self._length = automaton.advance(self._state, self._length, token)
            automaton.append(token)
        self._seen = len(self._transcript.tokens)


class NgramDrafter:
    """Proposes what followed the latest occurrence of the last `n` tokens."""

    def __init__(self, sources: Sources, transcript: Transcript, n: int = 3) -> None:
        self._sources = sources
        self._transcript = transcript
        self._n = n
        self._text: list[int] = []
        self._latest: dict[tuple[int, ...], int] = {}
        self._seen = 0
        self._found: int | None = None

    def propose(self, limit: int) -> Proposal | None:
        if not self._text:
            for source in reversed(self._sources()):
                self._add(source)
                self._add((SOURCE_END,))
        self._add(self._transcript.tokens[self._seen :])
        self._seen = len(self._transcript.tokens)
        if self._found is None or self._seen < self._n:
            return None
        tokens = _copied(self._text, self._found, limit)
        return Proposal(tokens, Kind.NGRAM) if tokens else None

    def _add(self, tokens: Iterable[int]) -> None:
        text, latest, n = self._text, self._latest, self._n
        for token in tokens:
            text.append(token)
            key = tuple(text[-n:])
            self._found = latest.get(key)
            latest[key] = len(text)


def _automaton_over(sources: Sequence[Sequence[int]]) -> SuffixAutomaton:
    automaton = SuffixAutomaton()
    for source in sources:
        for token in source:
            automaton.append(token)
        automaton.append(SOURCE_END)
    return automaton


def _copied(text: list[int], start: int, limit: int) -> list[int]:
    """Up to `limit` tokens of `text` from `start` on, to the end of their source.

    Where they reach the end of everything, the copy goes on with itself: what repeats goes on repeating.
    """
    tokens = text[start : start + limit]
    if SOURCE_END in tokens:
        return tokens[: tokens.index(SOURCE_END)]
    while tokens and len(tokens) < limit:
        tokens += tokens[: limit - len(tokens)]
    return tokens
