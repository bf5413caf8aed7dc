"""The guard: what refuses a lazy edit's result, and what only warns."""

from __future__ import annotations

import pytest

from fastedit import EditRefused, Warning, apply
from fastedit.anchor.model import Alignment, Segment, SegmentKind
from fastedit.edits.model import Edit, Format
from fastedit.errors import Code
from fastedit.guard import Original, inspect, refuse_or_warn
from fastedit.syntax import outline
from support.applying import fenced, lazily, refusal

FUNCTIONS = "".join(f"def step_{number}(value):\n    return value + {number}\n\n\n" for number in range(12))
TABLE = "".join(f"limit_{number} = {number}\n" for number in range(60))


def found(original: str, text: str, segments: tuple[Segment, ...], format: Format = Format.LAZY) -> list[Code]:
    """The codes of what speaks against a result, the fatal ones only."""
    before = Original(original, "python", outline(original, "python"))
    findings = inspect(before, text, Alignment(segments), (Edit(format),), "")
    return [finding.code for finding in findings if finding.is_fatal]


def codes(warnings: tuple[Warning, ...]) -> set[str]:
    return {warning.code for warning in warnings}


def search_replace(old: str, new: str) -> str:
    return f"<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"


# -- markers -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("marker", ["# ... existing code ...", "    # …", "// ... rest unchanged ..."])
def test_a_marker_in_the_result_is_fatal(marker: str):
    new = ("x = 1", marker)
    segments = (Segment(SegmentKind.REPLACE, 0, 1, new),)
    assert Code.MARKER_LEAKAGE in found("x = 0\n", "\n".join(new) + "\n", segments)


def test_a_marker_that_the_file_has_already_is_not():
    original = "# ... existing code ...\nx = 0\n"
    segments = (Segment(SegmentKind.REPLACE, 0, 2, ("# ... existing code ...", "x = 1")),)
    assert found(original, original.replace("0", "1"), segments) == []


# -- syntax --------------------------------------------------------------------------------------------------------


def test_a_lazy_edit_that_breaks_the_syntax_is_refused():
    refused = refusal(FUNCTIONS, "# ...\ndef step_3(value):\n    return (value + 3\n# ...")
    assert refused.code == "SYNTAX_BROKEN"


def test_an_exact_edit_that_breaks_the_syntax_is_warned_of():
    applied = apply(FUNCTIONS, search_replace("    return value + 3\n", "    return (value + 3\n"), path="a.py")
    assert applied.text == FUNCTIONS.replace("value + 3\n", "(value + 3\n")
    assert "SYNTAX_BROKEN" in codes(applied.warnings)


def test_errors_that_the_file_has_already_do_not_count():
    original = "def broken(:\n    pass\n\n\n" + FUNCTIONS
    applied = lazily(original, "# ...\ndef step_3(value):\n    return value * 3\n# ...")
    assert applied.text == original.replace("value + 3\n", "value * 3\n")
    assert "SYNTAX_BROKEN" not in codes(applied.warnings)


def test_an_edit_may_mend_the_syntax():
    original = FUNCTIONS.replace("value + 3\n", "(value + 3\n")
    applied = lazily(original, "# ...\ndef step_3(value):\n    return value + 3\n\n\ndef step_4(value):\n    # ...")
    assert applied.text == FUNCTIONS
    assert applied.warnings == ()


def test_no_grammar_no_verdict():
    original = "begin alpha\n  set x 1\nend\nbegin beta\n  set y 2\nend\n"
    applied = lazily(original, "begin beta\n  set y ((2\nend", "script.zzz")
    assert applied.text == original.replace("y 2", "y ((2")
    assert applied.warnings == ()


# -- what is lost --------------------------------------------------------------------------------------------------

SHORTENED = """
def step_0(value):
    return value + 0


def step_{last}(value):
    return value + {last}

# ...
"""


def gone(first: int, last: int) -> str:
    return "".join(f"def step_{number}(value):\n    return value + {number}\n\n\n" for number in range(first, last))


def deletion(num_functions: int) -> tuple[Segment, ...]:
    """An alignment that drops the second and following functions of `FUNCTIONS`."""
    end = 4 + 4 * num_functions
    return (
        Segment(SegmentKind.KEEP, 0, 4),
        Segment(SegmentKind.DELETE, 4, end),
        Segment(SegmentKind.KEEP, end, 48),
    )


@pytest.mark.parametrize("num_functions", [1, 2, 5])
def test_declarations_that_go_without_a_word_are_fatal(num_functions: int):
    text = FUNCTIONS.replace(gone(1, 1 + num_functions), "")
    assert found(FUNCTIONS, text, deletion(num_functions)) == [Code.SYMBOL_LOST]
    assert found(FUNCTIONS, text, deletion(num_functions), Format.UDIFF) == []


def test_declarations_may_go_for_others_that_are_written_in_their_place():
    new = "def walk(value):\n    return value\n\n\ndef run(value):\n    return 2 * value\n\n\n"
    segments = (
        Segment(SegmentKind.KEEP, 0, 4),
        Segment(SegmentKind.REPLACE, 4, 12, tuple(new.splitlines())),
        Segment(SegmentKind.KEEP, 12, 48),
    )
    assert found(FUNCTIONS, FUNCTIONS.replace(gone(1, 3), new), segments) == []


def test_declarations_that_the_message_names_may_go():
    before = Original(FUNCTIONS, "python", outline(FUNCTIONS, "python"))
    text = FUNCTIONS.replace(gone(1, 6), "")
    message = "`step_1`, `step_2`, `step_3`, `step_4` and `step_5` are gone."
    findings = inspect(before, text, Alignment(deletion(5)), (Edit(Format.LAZY),), message)
    assert [(finding.code, finding.is_fatal) for finding in findings] == [(Code.SYMBOL_LOST, False)]
    assert "step_1" in findings[0].message


CLASS = "class Size:\n    width: int\n    height: int\n\n\n" + "limit = 1\n"
EMPTIED = (
    Segment(SegmentKind.KEEP, 0, 1),
    Segment(SegmentKind.REPLACE, 1, 3, ("    depth: int",)),
    Segment(SegmentKind.KEEP, 3, 6),
)


@pytest.mark.parametrize(
    ("message", "expected"),
    [("```python\nclass Size:\n    depth: int\n```", True), ("`width` and `height` go.\n", False)],
)
def test_a_type_does_not_lose_all_its_members_without_a_word(message: str, expected: bool):
    before = Original(CLASS, "python", outline(CLASS, "python"))
    text = CLASS.replace("    width: int\n    height: int\n", "    depth: int\n")
    findings = inspect(before, text, Alignment(EMPTIED), (Edit(Format.LAZY),), message)
    assert any(finding.is_fatal for finding in findings) is expected


def test_fields_of_a_message_that_are_not_shown_stay():
    original = 'syntax = "proto3";\n\nmessage Request {\n  bytes name = 1;\n  int64 lease = 2;\n}\n'
    text = lazily(original, "message Request {\n  string owner = 3;\n}", path="a.proto", certainty=0.0).text
    assert "bytes name = 1;" in text
    assert "int64 lease = 2;" in text


@pytest.mark.parametrize(("message", "expected"), [("```proto\nrpc Try\n```", True), ("`Hold` is `Try` now.", False)])
def test_a_type_does_not_lose_its_only_member_without_a_word(message: str, expected: bool):
    original = "service Lock {\n  rpc Hold(Request) returns (Response);\n}\n"
    before = Original(original, "proto", outline(original, "proto"))
    segments = Segment(SegmentKind.REPLACE, 1, 2, ("  rpc Try(Request) returns (Response);",))
    alignment = Alignment((Segment(SegmentKind.KEEP, 0, 1), segments, Segment(SegmentKind.KEEP, 2, 3)))
    findings = inspect(before, original.replace("Hold", "Try"), alignment, (Edit(Format.LAZY),), message)
    assert any(finding.is_fatal for finding in findings) is expected


def test_a_declaration_that_is_still_named_somewhere_is_not_lost():
    original = FUNCTIONS + "HOOKS = [step_1, step_2]\n"
    before = Original(original, "python", outline(original, "python"))
    findings = inspect(before, original.replace(gone(1, 3), ""), Alignment(deletion(2)), (Edit(Format.LAZY),), "")
    assert findings == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("print(step_1(2))\n", [Code.SYMBOL_LOST]),
        ("print(steps.step_1(2))\n", []),  # another one
        ("print('step_1(2)')\n", []),
    ],
)
def test_a_declaration_that_goes_while_it_is_still_called_is_fatal(line: str, expected: list[Code]):
    text = FUNCTIONS.replace(gone(1, 2), "") + line
    segments = (*deletion(1), Segment(SegmentKind.KEEP, 48, 48 + line.count("\n")))
    assert found(FUNCTIONS + line, text, segments) == expected
    before = Original(FUNCTIONS + line, "python", outline(FUNCTIONS + line, "python"))
    findings = inspect(before, text, Alignment(segments), (Edit(Format.LAZY),), "I removed `step_1`.")
    assert not any(finding.is_fatal for finding in findings)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("```python\nprint(step_1(2))\n```", [Code.SYMBOL_LOST]),  # what calls it doesn't say that it goes
        ("```python\nfrom steps import step_1\nprint(step_1(2))\n```", []),
        ("`step_1()` is gone.", []),
    ],
)
def test_an_edit_may_not_call_what_it_deletes(message: str, expected: list[Code]):
    line = "print(step_1(2))\n"
    text = FUNCTIONS.replace(gone(1, 2), "") + line
    segments = (*deletion(1), Segment(SegmentKind.INSERT, 48, 48, (line.strip(),)))
    before = Original(FUNCTIONS, "python", outline(FUNCTIONS, "python"))
    findings = inspect(before, text, Alignment(segments), (Edit(Format.LAZY),), message)
    assert [finding.code for finding in findings if finding.is_fatal] == expected


def test_a_declaration_that_goes_without_a_word_is_refused():
    assert refusal(FUNCTIONS, SHORTENED.format(last=2)).code in ("SYMBOL_LOST", "ANCHOR_AMBIGUOUS")


def test_most_of_a_file_gone_is_fatal():
    kept = TABLE.split("\n", 20)
    text = "\n".join(kept[:20]) + "\n"
    segments = (Segment(SegmentKind.KEEP, 0, 20), Segment(SegmentKind.DELETE, 20, 60))
    assert found(TABLE, text, segments) == [Code.TRUNCATION_DETECTED]
    assert found(TABLE, text, segments, Format.WHOLE) == []


def test_what_is_written_anew_is_not_lost():
    kept = TABLE.split("\n", 20)
    text = "\n".join(kept[:20]) + "\nlimits = range(60)\n"
    segments = (Segment(SegmentKind.KEEP, 0, 20), Segment(SegmentKind.REPLACE, 20, 60, ("limits = range(60)",)))
    assert found(TABLE, text, segments) == []
    quoted = (Segment(SegmentKind.KEEP, 0, 20), Segment(SegmentKind.REPLACE, 20, 60, ("limit_7 = 7",)))
    assert found(TABLE, text, quoted) == [Code.TRUNCATION_DETECTED]


def test_what_stands_for_several_declarations_does_not_account_for_them():
    original = FUNCTIONS * 2
    text = "def all(value):\n    return value\n"
    segments = (Segment(SegmentKind.REPLACE, 0, original.count("\n"), tuple(text.split("\n"))),)
    assert Code.TRUNCATION_DETECTED in found(original, text, segments)


def test_a_long_declaration_that_the_message_says_is_gone_is_not_lost():
    long = "def old():\n" + "".join(f"    step({number})\n" for number in range(40))
    original = f"{long}\n\n{FUNCTIONS[:200]}"
    before = Original(original, "python", outline(original, "python"))
    segments = (Segment(SegmentKind.DELETE, 0, 43), Segment(SegmentKind.KEEP, 43, original.count("\n")))
    text = original.split("\n", 43)[-1]
    said, silent = (
        [finding.code for finding in inspect(before, text, Alignment(segments), (Edit(Format.LAZY),), message)]
        for message in ("I removed `old`.", "")
    )
    assert Code.TRUNCATION_DETECTED not in said
    assert Code.TRUNCATION_DETECTED in silent


def test_nearly_all_lines_changed_is_fatal():
    segments = (Segment(SegmentKind.REPLACE, 0, 55, ("x = 1",) * 55), Segment(SegmentKind.KEEP, 55, 60))
    text = "x = 1\n" * 55 + "".join(TABLE.splitlines(keepends=True)[55:])
    assert found(TABLE, text, segments) == [Code.BLAST_RADIUS_EXCEEDED]
    assert found(TABLE, text, segments, Format.SEARCH_REPLACE) == []


def test_a_small_file_may_change_as_a_whole():
    original = "a = 1\nb = 2\nc = 3\n"
    assert found(original, "d = 4\n", (Segment(SegmentKind.REPLACE, 0, 3, ("d = 4",)),)) == []


def test_a_whole_file_may_shrink_to_anything():
    message = "Here is the complete new file:\n\n" + fenced("limit_0 = 0")
    applied = apply(TABLE, message, path="a.py", format="whole", mode="structural")
    assert applied.text == "limit_0 = 0\n"


# -- what a finding becomes ----------------------------------------------------------------------------------------


def test_no_change_is_not_looked_at():
    broken = "def f(:\n# ... existing code ...\n"
    assert found(broken, broken, (Segment(SegmentKind.KEEP, 0, 2),)) == []


def test_the_first_fatal_finding_refuses_and_the_others_are_warnings():
    before = Original("x = 0\n", "python", outline("x = 0\n", "python"))
    segments = (Segment(SegmentKind.REPLACE, 0, 1, ("x = (", "# ... rest ...")),)
    findings = inspect(before, "x = (\n# ... rest ...\n", Alignment(segments), (Edit(Format.LAZY),), "")
    assert {finding.code for finding in findings} == {Code.MARKER_LEAKAGE, Code.SYNTAX_BROKEN}
    with pytest.raises(EditRefused) as caught:
        refuse_or_warn(findings)
    assert caught.value.code in {"MARKER_LEAKAGE", "SYNTAX_BROKEN"}
    harmless = inspect(before, "x = (\n", Alignment(segments), (Edit(Format.UDIFF),), "")
    assert codes(refuse_or_warn(harmless)) == {"SYNTAX_BROKEN"}
    assert refuse_or_warn([]) == ()


def test_a_marker_that_the_file_has_already_may_not_come_in_once_more():
    original = "TEXT = '''\n# ... existing code ...\n'''\nx = 1\n"
    marker = "# ... existing code ..."
    segments = (Segment(SegmentKind.KEEP, 0, 3), Segment(SegmentKind.REPLACE, 3, 4, (marker, "x = 2")))
    assert found(original, original.replace("x = 1", f"{marker}\nx = 2"), segments) == [Code.MARKER_LEAKAGE]
    moved = (Segment(SegmentKind.REPLACE, 0, 3, ("TEXT = r'''", marker, "'''")), Segment(SegmentKind.KEEP, 3, 4))
    assert found(original, original.replace("'''\n#", "r'''\n#", 1), moved) == []
