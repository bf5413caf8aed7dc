"""Everyday edits that put a part of a real file where it was."""

from __future__ import annotations

import random

import pytest

from fastedit.training.alignment.additions import Addition, addition_to

CLASS = """\
\"\"\"Keeps items.\"\"\"

import json


class Store:
    def __init__(self, path):
        self.path = path
        self.items = []

    def load(self):
        # the file may be large
        with open(self.path) as file:
            self.items = json.load(file)

    def size(self, limit):
        first = len(self.items)
        return min(first, limit)


def open_store(path):
    store = Store(path)
    store.load()
    return store


def close_store(store):
    store.items = []
    store.path = None
    return store
"""
OBJECT = """\
const settings = {
  name: 'store',
  limits: {
    items: 10,
    pages: 20,
    readers: 30,
  },
};

function load(path) {
  const text = read(path);
  return parse(text);
}

function save(path, text) {
  const file = open(path);
  file.write(text);
}
"""
WORKFLOW = """\
name: ci
on: [push]
jobs:
  lint:
    runs-on: ubuntu-22.04
    timeout-minutes: 5
  test:
    runs-on: ubuntu-22.04
    timeout-minutes: 20
  build:
    runs-on: ubuntu-22.04
    timeout-minutes: 30
"""
PACKAGE = """\
{
  "name": "store",
  "version": "1.2.3",
  "private": true,
  "engines": {
    "node": ">=18",
    "npm": ">=9"
  }
}
"""


def additions(text: str, language: str) -> list[Addition]:
    made = (addition_to(text.splitlines(), language, random.Random(seed)) for seed in range(80))
    return [one for one in made if one is not None]


@pytest.mark.parametrize(
    ("text", "language"), [(CLASS, "python"), (OBJECT, "javascript"), (WORKFLOW, "yaml"), (PACKAGE, "json")]
)
def test_either_side_of_an_edit_is_the_file(text: str, language: str) -> None:
    made = additions(text, language)
    assert len({(one.words, *one.shown) for one in made}) > 8
    for one in made:
        assert text.splitlines() in (one.original, one.result)
        assert one.original != one.result
        assert one.shown


def test_a_message_shows_what_it_adds() -> None:
    for one in additions(CLASS, "python") + additions(OBJECT, "javascript"):
        shown = {line.strip().rstrip(",;") for line in one.shown}
        added = [line.strip().rstrip(",;") for line in one.result if line.strip() and line not in one.original]
        assert set(added) <= shown


def test_what_goes_is_named_and_not_shown() -> None:
    gone = [one for one in additions(CLASS, "python") if len(one.result) < len(one.original)]
    assert gone
    for one in gone:
        lines = [line for line in one.original if line not in one.result and line.strip()]
        assert lines
        assert not set(lines) & set(one.shown)
        assert any(word.strip("`.:") in "\n".join(lines) for word in one.words.split() if word.startswith("`"))


@pytest.mark.parametrize("text", ["", "a = 1\n", "```\n" * 10, "x\n" * 2000])
def test_a_file_that_edits_cannot_be_made_for_has_none(text: str) -> None:
    assert additions(text, "python") == []
