"""V4A patches, well-formed and careless."""

from textwrap import dedent

import pytest

from fastedit.edits.model import Action, Edit, Format, Op
from fastedit.edits.v4a import is_v4a, parse_v4a, raw_end
from fastedit.errors import Code, EditUnreadable


def parse(text: str) -> list[Edit]:
    return parse_v4a(dedent(text).strip("\n").split("\n"), 0)


def test_all_operations():
    added, deleted, moved = parse(
        """
        *** Begin Patch
        *** Add File: docs/new.md
        +# Title
        +
        +text
        *** Delete File: old.py
        *** Update File: lib/pump.py
        *** Move to: lib/engine.py
        @@ class Pump:
        @@     def start(self):
        -        pass
        +        self.run()
        *** End of File
        *** End Patch
        """
    )
    assert (added.path, added.action, added.hunks[0].new) == ("docs/new.md", Action.CREATE, ["# Title", "", "text"])
    assert (deleted.path, deleted.action, deleted.hunks) == ("old.py", Action.DELETE, ())
    assert (moved.path, moved.new_path, moved.format) == ("lib/pump.py", "lib/engine.py", Format.V4A)
    (hunk,) = moved.hunks
    assert (hunk.scopes, hunk.at_end) == (("class Pump:", "def start(self):"), True)
    assert (hunk.old, hunk.new) == (["        pass"], ["        self.run()"])


def test_each_scope_line_behind_code_starts_a_hunk():
    (edit,) = parse(
        """
        *** Update File: a.py
        @@ def one():
        -    1
        +    2
        @@
         x
        +y
        @@ -10,2 +11,3 @@ def three():
         z
        +w
        """
    )
    assert [(hunk.scopes, hunk.line_hint) for hunk in edit.hunks] == [
        (("def one():",), None),
        ((), None),
        (("def three():",), 9),
    ]


def test_hunk_without_any_scope_line():
    (edit,) = parse("*** Begin Patch\n*** Update File: a.py\n a\n-b\n+c\n*** End Patch")
    assert edit.hunks[0].old == ["a", "b"]


def test_missing_last_line_and_missing_blanks():
    (edit,) = parse(
        """
        *** Begin Patch
        *** Update File: src/lib.rs
        @@ fn size_hint
            fn size_hint(&self) -> usize {
                let low = self.low();
        +        // never more
                low
            }
        """
    )
    assert edit.hunks[0].old == [
        "    fn size_hint(&self) -> usize {",
        "        let low = self.low();",
        "        low",
        "    }",
    ]


def test_added_file_without_plus_signs():
    (edit,) = parse_v4a(["*** Add File: a.txt", "one", "two", ""], 0)
    assert edit.hunks[0].new == ["one", "two"]


def test_text_around_the_patch_is_no_part_of_it():
    (edit,) = parse("apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch\nEOF")
    assert [line.op for line in edit.hunks[0].lines] == [Op.DELETE, Op.ADD]


@pytest.mark.parametrize(
    "first", ["*** Begin Patch", "*** Update File: a.py", "*** Create File: a.py", "***Update File: a.py"]
)
def test_is_v4a(first: str):
    assert is_v4a(["prose", first])


def test_asterisks_are_no_patch():
    assert not is_v4a(["***", "*** bold ***", "**Update File: a.py**"])


def test_update_without_a_hunk_is_refused_with_its_line():
    with pytest.raises(EditUnreadable, match="line 8: ") as refused:
        parse_v4a(["*** Begin Patch", "*** Update File: a.py", "*** End Patch"], 6)
    assert refused.value.code is Code.EDIT_UNPARSABLE


def test_unfenced_patch_ends_with_its_last_line_or_before_prose():
    whole = ["*** Begin Patch", "*** Update File: a", "@@", "-x", "*** End Patch", "prose"]
    assert raw_end(whole, 0) == 5
    cut = ["*** Update File: a", "@@", "-x", "+y", "", "Now it compiles again, as before.", ""]
    assert raw_end(cut, 0) == 5
    assert raw_end(["text"], 0) == 0
