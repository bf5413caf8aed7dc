from __future__ import annotations

import pytest

from fastedit.draft import Kind, SnippetDrafter, Transcript
from fastedit.draft.lookup import FOLLOWED_LINES, indent_unit
from support.drafting import follow

SNIPPET = """def send(self, request):
    for attempt in range(self.retries):
        response = self.post(request)
        if response.ok:
            return response
    raise Failed(request)
"""


def drafter_over(codec, *snippets, original=""):
    transcript = Transcript(codec)
    return SnippetDrafter(snippets, original, codec, transcript), transcript


def proposed(drafter, codec, limit=1000):
    proposal = drafter.propose(limit)
    return None if proposal is None else codec.text(proposal.tokens)


def test_continues_a_line_that_was_begun(codec):
    drafter, transcript = drafter_over(codec, SNIPPET)
    transcript.extend(codec.encode("class Client:\n\ndef send("))
    assert "def send(" + proposed(drafter, codec) == SNIPPET


@pytest.mark.parametrize(
    ("original", "indent", "expected"),
    [
        ("class A:\n    x\n", "    ", "\n        for attempt"),  # deeper than the snippet
        ("class A:\n\tx\n", "\t", "\n\t\tfor attempt"),  # tabs where the snippet has spaces
        ("class A:\n  x\n", "  ", "\n    for attempt"),  # two blanks where it has four
    ],
)
def test_lines_take_the_files_indentation(codec, original, indent, expected):
    drafter, transcript = drafter_over(codec, SNIPPET, original=original)
    transcript.extend(codec.encode(f"{indent}def send(self"))
    assert expected in proposed(drafter, codec)


def test_a_snippet_at_another_depth_and_unit_costs_few_passes(codec):
    original = "class A:\n\tdef f(self):\n\t\tpass\n"
    output = codec.encode("\n".join("\t" * depth + line for depth, line in placed(SNIPPET)) + "\n")
    drafter, transcript = drafter_over(codec, SNIPPET, original=original)
    assert follow(drafter, transcript, output).passes <= 6


def placed(snippet):
    for line in snippet.splitlines():
        content = line.lstrip()
        yield 1 + (len(line) - len(content)) // 4, content


def test_proposes_nothing_past_the_end_of_a_piece(codec):
    drafter, transcript = drafter_over(codec, "first(1)\nsecond(2)\n", "third(3)\n")
    transcript.extend(codec.encode("first(1)\nsec"))
    assert proposed(drafter, codec) == "ond(2)\n"
    transcript.extend(codec.encode("ond(2)\n"))
    assert proposed(drafter, codec) is None


def test_follows_lines_that_stand_in_the_file_already(codec):
    """The line before the new one is context: the original's copy of it leads to the edit's next line."""
    drafter, transcript = drafter_over(codec, "    keep(this)\n    add(that)\n")
    transcript.extend(codec.encode("  keep(this)\n"))
    assert proposed(drafter, codec) == "  add(that)\n"
    assert drafter.propose(9).kind == Kind.SNIPPET


def test_a_short_beginning_is_only_a_guess(codec):
    drafter, transcript = drafter_over(codec, "alpha = 1\n", "alphabet = 2\n")
    transcript.extend(codec.encode("alp"))
    assert drafter.propose(9).kind == Kind.SNIPPET_GUESSED


def test_line_ends_are_the_outputs(codec):
    drafter, transcript = drafter_over(codec, "one\ntwo\nthree\n")
    transcript.extend(codec.encode("zero\r\none"))
    assert proposed(drafter, codec) == "\r\ntwo\r\nthree\r\n"


def test_has_nothing_to_say_without_snippets(codec):
    drafter, transcript = drafter_over(codec)
    assert drafter.propose(5) is None
    transcript.extend(codec.encode("x\ny"))
    assert drafter.propose(5) is None


@pytest.mark.parametrize(
    ("text", "unit"),
    [("a:\n\tb\n", "\t"), ("a:\n  b:\n    c\n", "  "), ("/**\n * x\n */\nf {\n    g\n}\n", "    "), ("a\nb\n", "    ")],
)
def test_indentation_unit(text, unit):
    assert indent_unit([text]) == unit


def test_a_long_output_is_followed_by_its_last_lines(codec, monkeypatch):
    """A file that was in step for thousands of lines doesn't hold up the pass in which it no longer is."""
    followed = []
    follow_line = SnippetDrafter._follow
    monkeypatch.setattr(SnippetDrafter, "_follow", lambda self, line: followed.append(line) or follow_line(self, line))
    drafter, transcript = drafter_over(codec, SNIPPET)
    transcript.extend(codec.encode("x = 1\n" * 5000 + "    def send(self, request):\n        for attempt"))
    assert proposed(drafter, codec).startswith(" in range(self.retries):\n            response")
    assert len(followed) <= FOLLOWED_LINES
