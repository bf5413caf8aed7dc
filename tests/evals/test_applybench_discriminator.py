"""Written and generated messages told apart by their manner."""

from __future__ import annotations

import random

from evals.applybench.discriminator import MASK, masked, told_apart


def messages(words: str, prefix: str, count: int = 60) -> list[tuple[str, str]]:
    chance = random.Random(prefix)
    return [(f"{prefix}{n}", " ".join(chance.choices(words.split(), k=12))) for n in range(count)]


def test_other_words_are_told_and_the_same_are_not() -> None:
    one = messages("remains same here", "a")
    assert told_apart(one, messages("unchanged below stays", "b"))["told"] > 0.95
    assert 0.3 < told_apart(one, messages("remains same here", "b"))["told"] < 0.7
    assert told_apart([], []) == {"messages": 0}


def test_code_of_the_file_is_no_manner() -> None:
    assert masked("So:\n    return 1\n# ...\n", "def f():\n  return 1\n") == f"So:\n{MASK}\n# ...\n"
