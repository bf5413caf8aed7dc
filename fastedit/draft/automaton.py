"""A suffix automaton over tokens: the longest earlier occurrence of what was just written, O(1) amortised a token.

After Blumer et al. (1985); used for drafting as in SAM-Decoding (Hu et al., 2024). The automaton accepts every
substring of the text that it was fed; each state stands for the substrings with the same end positions, and its
suffix link leads to the longest suffix with more end positions than that.
"""

from __future__ import annotations

ROOT = 0


class SuffixAutomaton:
    """An automaton of all suffixes of `text`, which is everything fed so far.

    first_end[state]: index in `text` behind the first occurrence of the state.
    """

    def __init__(self) -> None:
        self.text: list[int] = []
        self.first_end: list[int] = [0]
        self._next: list[dict[int, int]] = [{}]
        self._link: list[int] = [-1]
        self._length: list[int] = [0]
        self._last = ROOT

    def __len__(self) -> int:
        return len(self._next)

    def append(self, token: int) -> None:
        """Adds one token to the text. O(1) amortised."""
        self.text.append(token)
        state = self._new_state(self._length[self._last] + 1, len(self.text), {}, ROOT)
        before, following = self._last, self._next
        while before != -1 and token not in following[before]:
            following[before][token] = state
            before = self._link[before]
        if before != -1:
            self._link[state] = self._split(before, token)
        self._last = state

    def advance(self, state: int, length: int, token: int) -> tuple[int, int]:
        """The state and length of the longest suffix of (matched text + token) that occurs in the text.

        state, length: what the last call gave, (ROOT, 0) at the start. O(1) amortised over a run of calls.
        """
        following = self._next
        while state != ROOT and token not in following[state]:
            state = self._link[state]
            length = self._length[state]
        if token in following[state]:
            return following[state][token], length + 1
        return ROOT, 0

    def _split(self, before: int, token: int) -> int:
        """The state of exactly (longest of `before`) + token, cloned off the one reached where that is longer."""
        reached = self._next[before][token]
        if self._length[before] + 1 == self._length[reached]:
            return reached
        clone = self._new_state(
            self._length[before] + 1, self.first_end[reached], self._next[reached].copy(), self._link[reached]
        )
        while before != -1 and self._next[before].get(token) == reached:
            self._next[before][token] = clone
            before = self._link[before]
        self._link[reached] = clone
        return clone

    def _new_state(self, length: int, first_end: int, following: dict[int, int], link: int) -> int:
        self._next.append(following)
        self._length.append(length)
        self._link.append(link)
        self.first_end.append(first_end)
        return len(self._next) - 1
