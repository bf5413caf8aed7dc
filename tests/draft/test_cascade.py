from __future__ import annotations

from fastedit.draft import Cascade, Draft, Kind, Proposal, SuffixDrafter, TextDrafter, Transcript
from support.drafting import follow, words_of


class Fixed:
    def __init__(self, *tokens, kind=Kind.SUFFIX):
        self.proposal = Proposal(list(tokens), kind)
        self.num_asked = 0

    def propose(self, limit):
        self.num_asked += 1
        return self.proposal


def test_a_text_in_step_is_asked_alone(codec):
    transcript = Transcript(codec)
    text = TextDrafter(Draft("one two three"), codec, transcript)
    lookup = Fixed(1, 2, 3)
    cascade = Cascade([text], [lookup], worth=lambda proposal: len(proposal.tokens))
    assert codec.text(cascade.propose(9).tokens) == "one two three"
    assert lookup.num_asked == 0


def test_otherwise_the_worthiest_proposal_is_taken(codec):
    transcript = Transcript(codec)
    text = TextDrafter(Draft("one two three"), codec, transcript)
    cascade = Cascade([text], [Fixed(5, kind=Kind.NGRAM), Fixed(6, kind=Kind.SUFFIX_LONG)], worth=lambda p: p.tokens[0])
    transcript.extend(codec.encode("quite other words"))
    assert cascade.propose(9).tokens == [6]


def test_the_merged_draft_comes_before_the_original(codec):
    transcript = Transcript(codec)
    merged = TextDrafter(Draft("one two"), codec, transcript)
    original = TextDrafter(Draft("one three", Kind.ORIGINAL), codec, transcript)
    cascade = Cascade([merged, original], [], worth=lambda _: 0)
    assert codec.text(cascade.propose(9).tokens) == "one two"


def test_nothing_to_say(codec):
    assert Cascade([], [], worth=lambda _: 0).propose(5) is None


def test_the_original_and_the_edit_make_up_for_a_wrong_merged_draft(codec):
    original = "".join(f"line {letter} of the file\n" for letter in "abcdefghij")
    new = "a new line from the edit\nand one more\n"
    right = original.replace("line d", new + "line d")
    wrong = original.replace("line h", new + "line h")
    transcript = Transcript(codec)
    texts = [
        TextDrafter(Draft(wrong), codec, transcript, (0,)),
        TextDrafter(Draft(original, Kind.ORIGINAL), codec, transcript, (0,)),
    ]
    lookup = SuffixDrafter(lambda: [codec.encode(new), codec.encode(original)], transcript)
    cascade = Cascade(texts, [lookup], worth=lambda proposal: proposal.kind in (Kind.ANCHORED, Kind.SUFFIX))
    followed = follow(cascade, transcript, words_of(codec, right), limit=100)
    assert transcript.tokens == words_of(codec, right)
    assert followed.passes <= 10
