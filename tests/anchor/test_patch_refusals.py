"""Patches that must not be applied: another version of the file, several equal places, nothing to go by."""

import pytest

from fastedit.anchor.model import Alignment, SegmentKind
from fastedit.anchor.patch.align import align_patch
from fastedit.edits import parse_message
from fastedit.edits.model import Edit, Format, Op, PatchHunk, PatchLine
from fastedit.errors import Code
from support.timing import took

REFUND = """\
class Desk:
    def refund(self, payment, amount):
        if amount > payment.amount:
            raise DeskError("more than was paid")

        reference = self.provider.refund(payment.reference, amount)
        log.info("refunded %s", amount)
        return reference

    def void(self, payment):
        log.info("voided")
        return None
"""
SWITCH = "case 1:\n    stop();\n    break;\ncase 2:\n    stop();\n    break;\ncase 3:\n    stop();\n    break;\n"


def align(original: str, message: str) -> Alignment:
    (edit,) = parse_message(message)
    return align_patch(original.removesuffix("\n").split("\n") if original else [], edit, None)


def code_of(alignment: Alignment) -> Code:
    (problem,) = alignment.problems
    return problem.code


def block(old: str, new: str) -> str:
    return f"<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"


@pytest.mark.parametrize(
    "old",
    [
        "        reference = self.provider.void(payment.reference, amount)\n",
        "        reference = self.provider.refund(payment.reference, payment.currency)\n",
        "        reference = self.provider.refund(payment.reference)\n",
        "        result = self.provider.refund(payment.reference, amount)\n",
        '        log.info("refunded %s of %s", amount, payment)\n',
        "        if amount >= payment.amount:\n",
    ],
)
def test_a_line_to_remove_that_only_resembles_one_is_of_another_version(old: str):
    context = "    def refund(self, payment, amount):\n"
    alignment = align(REFUND, block(context + old, context + "        pass\n"))
    assert code_of(alignment) is Code.ANCHOR_NOT_FOUND
    assert all(segment.kind is SegmentKind.KEEP for segment in alignment.segments)


def test_context_of_another_version_is_refused():
    message = (
        "```diff\n@@ @@\n     def refund(self, order, sum):\n         if sum > order.remaining():\n"
        "             raise ValueError()\n+        order.lock()\n"
        "         self.bank.pay(order)\n         return self.bank.last\n```"
    )
    assert code_of(align(REFUND, message)) is Code.ANCHOR_NOT_FOUND


def test_a_block_to_remove_whose_neighbour_is_gone_is_not_looked_for_elsewhere():
    old = '    def void(self, payment):\n        log.info("voided")\n        return None\n\n    def audit(self):\n'
    assert code_of(align(REFUND, block(old, "    def audit(self):\n"))) is Code.ANCHOR_NOT_FOUND


def test_what_is_nowhere_says_what_is_near():
    message = block("        reference = self.provider.refund(payment.reference, total)\n", "        pass\n")
    (problem,) = align(REFUND, message).problems
    assert problem.code is Code.ANCHOR_NOT_FOUND
    assert "provider" not in problem.message
    nothing = align(REFUND, block("fn main() {}\n", "fn other() {}\n"))
    assert code_of(nothing) is Code.ANCHOR_NOT_FOUND
    assert nothing.problems[0].candidates == ()


@pytest.mark.parametrize("new", ["        return None\n", "        return reference\n", "        gone()\n"])
def test_a_common_line_in_the_result_does_not_make_a_lost_hunk_an_applied_one(new: str):
    alignment = align(REFUND, block("        self.provider.notify(payment)\n        gone()\n", new))
    assert code_of(alignment) is Code.ANCHOR_NOT_FOUND


def test_one_lost_hunk_does_not_move_the_others_but_is_a_problem():
    message = block('        log.info("voided")\n', "        pass\n") + block("        gone()\n", "        here()\n")
    alignment = align(REFUND, message)
    assert code_of(alignment) is Code.ANCHOR_NOT_FOUND
    assert [segment.lines for segment in alignment.segments if segment.kind is SegmentKind.REPLACE] == [
        ("        pass",)
    ]


@pytest.mark.parametrize(
    "message",
    [
        block("    stop();\n    break;\n", "    go();\n    break;\n"),
        "```diff\n@@ @@\n     stop();\n+    log();\n     break;\n```",
        "*** Begin Patch\n*** Update File: a.c\n@@ switch\n     stop();\n+    log();\n*** End Patch",
        "```diff\n@@ -30,2 +30,3 @@\n     stop();\n+    log();\n     break;\n```",
    ],
    ids=["search/replace", "diff", "unknown scope", "line number far from all"],
)
def test_equal_places_are_all_named(message: str):
    (problem,) = align(SWITCH, message).problems
    assert problem.code is Code.ANCHOR_AMBIGUOUS
    assert [candidate.start_line for candidate in problem.candidates] == [1, 4, 7]
    assert all("stop();" in candidate.text for candidate in problem.candidates)


def test_two_of_three_equal_places_are_ambiguous_too():
    twice = block("    stop();\n", "    go();\n") * 2
    assert {problem.code for problem in align(SWITCH, twice).problems} == {Code.ANCHOR_AMBIGUOUS}


def test_hunks_that_change_the_same_line_differently():
    message = block("case 1:\n    stop();\n", "case 1:\n    go();\n") + block(
        "case 1:\n    stop();\n", "case 1:\n    wait();\n"
    )
    assert align(SWITCH, message).problems


def test_new_lines_without_context_need_a_place():
    assert code_of(align(REFUND, block("", "import os\n"))) is Code.ANCHOR_NOT_FOUND
    numbered = "```diff\n@@ -5,0 +6,1 @@\n+        audit()\n```"
    assert code_of(align(REFUND, numbered)) is Code.ANCHOR_NOT_FOUND


def test_a_line_number_without_context_is_believed_where_the_others_prove_right():
    message = (
        "```diff\n@@ -2 +2 @@\n-    def refund(self, payment, amount):\n+    def refund(self, payment):\n"
        "@@ -10,0 +11,1 @@\n+        audit()\n```"
    )
    alignment = align(REFUND, message)
    assert alignment.problems == ()
    assert [(segment.start, segment.lines) for segment in alignment.segments if segment.kind is SegmentKind.INSERT] == [
        (10, ("        audit()",))
    ]


def test_lines_left_out_of_what_is_removed_are_not_removed_silently():
    old = "    def refund(self, payment, amount):\n        return reference\n"
    assert align(REFUND, block(old, "")).problems


def test_new_lines_behind_an_elision_with_nothing_after_them():
    message = block("class Desk:\n    ...\n", "class Desk:\n    ...\n    x = 1\n")
    assert code_of(align(REFUND, message)) is Code.ANCHOR_NOT_FOUND


def hunk(*lines: tuple[Op, str], hint: int | None = None) -> PatchHunk:
    return PatchHunk(tuple(PatchLine(op, text) for op, text in lines), line_hint=hint)


BIG = [
    f"{'    ' * (n % 4)}value_{n % 977} = compute_{n % 1231}(item_{n}, {n % 7})" if n % 6 else "" for n in range(50_000)
]
SAME = ["    x = 1"] * 4000
PATHOLOGICAL = {
    "exact": (
        BIG,
        [hunk(*((Op.KEEP, BIG[n + k]) for k in range(6)), (Op.ADD, "new")) for n in range(10, 40_000, 2_000)],
    ),
    "misquoted": (
        BIG,
        [hunk(*((Op.KEEP, BIG[n + k] + "q") for k in range(6)), (Op.ADD, "new")) for n in range(10, 20_000, 2_000)],
    ),
    "absent": (BIG, [hunk(*((Op.DELETE, f"gone {k} and {k}") for k in range(2_000)))]),
    "long": (BIG, [hunk(*((Op.KEEP, BIG[n] + ("q" if n % 7 else "")) for n in range(900)), (Op.ADD, "new"))]),
    "one of 4000": (SAME, [hunk((Op.KEEP, SAME[0]), (Op.ADD, "y"))]),
    "3000 of 4000": (SAME, [hunk(*((Op.KEEP, SAME[0]) for _ in range(3_000)), (Op.ADD, "y"))]),
    "300 hunks": (SAME, [hunk((Op.KEEP, SAME[0]), (Op.ADD, f"y{n}")) for n in range(300)]),
    "300 numbered hunks": (SAME, [hunk((Op.KEEP, SAME[0]), (Op.ADD, f"y{n}"), hint=10 * n) for n in range(300)]),
    "4000 blank lines": ([""] * 4000, [hunk((Op.KEEP, ""), (Op.ADD, "y"), (Op.KEEP, ""))]),
}


@pytest.mark.parametrize("name", PATHOLOGICAL)
def test_work_is_bounded(name: str):
    original, hunks = PATHOLOGICAL[name]
    assert took(lambda: align_patch(original, Edit(Format.UDIFF, hunks=tuple(hunks)), None)) < 500


def test_numbers_tell_among_thousands_of_equal_lines():
    alignment = align_patch(
        SAME, Edit(Format.UDIFF, hunks=(hunk((Op.KEEP, SAME[0]), (Op.ADD, "y"), hint=2_000),)), None
    )
    assert alignment.problems == ()
    assert [segment.start for segment in alignment.segments if segment.kind is SegmentKind.INSERT] == [2_001]
