"""Gold patches are written as edits that determine the result: applied in order, they give the gold patch's files."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest

import fastedit
from evals.swebench.edits import Message
from evals.swebench.gold import RAW, Habit, NotRendered, change_between, gold_messages
from evals.swebench.trees import Store, Stores
from fastedit.edits.model import Format
from fastedit.training.synthesis import Tier
from support.swebench_repos import SHELF, commit

FIXED = SHELF.replace("return None", 'raise KeyError(f"no {name} here")').replace("count=1", "count=2")
LESS = "        self._less(name)\n        return name\n\n    def _less(self, name):\n        self.items[name] -= 1\n"
MOVED = SHELF.replace("        self.items[name] -= 1\n", LESS)


def trees(tmp_path: Path, before: dict[str, str | bytes], after: dict[str, str | bytes]) -> tuple[Store, str, str]:
    revision = commit(tmp_path / "clones" / "repo", before)
    store = Stores(tmp_path / "clones", tmp_path / "stores").of("x/repo")
    old = store.tree_of(revision)
    files = {name: text if isinstance(text, bytes) else text.encode() for name, text in after.items()}
    return store, old, store.with_files(old, files)


def applied(text: str, messages: tuple[Message, ...]) -> str:
    for message in messages:
        text = fastedit.apply(text, message.text, path=message.path, mode="structural").text
    return text


@pytest.mark.parametrize("format", Format)
@pytest.mark.parametrize("tier", [Tier.CLEAR, Tier.SLOPPY])
def test_every_habit_tells_the_whole_change(tmp_path: Path, format: Format, tier: Tier) -> None:
    store, old, new = trees(tmp_path, {"shelf.py": SHELF}, {"shelf.py": FIXED})
    messages = gold_messages(store, old, new, Habit(format, tier), "key")
    assert applied(SHELF, messages) == FIXED
    if tier is Tier.CLEAR:
        assert [message.written_as for message in messages] == [f"{format.value} clear"]


def test_the_same_habit_and_key_write_the_same(tmp_path: Path) -> None:
    store, old, new = trees(tmp_path, {"shelf.py": SHELF}, {"shelf.py": FIXED})
    first, again = (gold_messages(store, old, new, Habit(seed=3), "key") for _ in range(2))
    assert first == again
    others = {gold_messages(store, old, new, Habit(seed=3), f"key {number}") for number in range(8)}
    assert len(others) > 1


def test_a_habit_by_name_is_shown_where_it_can_be(tmp_path: Path) -> None:
    store, old, new = trees(tmp_path, {"shelf.py": SHELF}, {"shelf.py": FIXED})
    (message,) = gold_messages(store, old, new, Habit(Format.SEARCH_REPLACE, name="cline"), "key")
    assert "cline" in message.habits
    assert "------- SEARCH" in message.text


def test_a_new_line_of_spaces_comes_in_another_format(tmp_path: Path) -> None:
    # A snippet can't say that only white space changes: context quoted otherwise is still context.
    after = SHELF.replace("self.capacity = capacity", "self.capacity  =  capacity").replace("count=1", "count=2")
    store, old, new = trees(tmp_path, {"shelf.py": SHELF}, {"shelf.py": after})
    messages = gold_messages(store, old, new, Habit(), "key")
    assert {message.written_as for message in messages} == {"lazy clear", "search_replace clear"}
    assert applied(SHELF, messages) == after


def test_code_that_gets_another_function_is_no_lazy_edit(tmp_path: Path) -> None:
    store, old, new = trees(tmp_path, {"shelf.py": SHELF}, {"shelf.py": MOVED})
    messages = gold_messages(store, old, new, Habit(), "key")
    assert {message.written_as for message in messages} == {"search_replace clear"}
    assert applied(SHELF, messages) == MOVED


def test_files_that_come_or_go_and_odd_ends_come_as_git_shows_them(tmp_path: Path) -> None:
    before: dict[str, str | bytes] = {"odd.py": "a = 1\r\nb = 2\nc = 3\n", "end.py": "a = 1\nb = 2"}
    after: dict[str, str | bytes] = {
        "odd.py": "a = 1\r\nb = 3\nc = 3\n",
        "end.py": "a = 1\nb = 2\n",
        "new.py": "x = 1\n",
    }
    store, old, new = trees(tmp_path, before, after)
    messages = gold_messages(store, old, new, Habit(), "key")
    assert [message.written_as for message in messages] == [RAW] * 3
    assert [message.path for message in messages] == [None] * 3


@pytest.mark.parametrize("data", [b"\x00\x01\x02", "caf\u00e9".encode("latin-1")])
def test_what_is_no_text_is_told(tmp_path: Path, data: bytes) -> None:
    store, old, new = trees(tmp_path, {"x.txt": "x\n"}, {"x.txt": data})
    if b"\x00" in data:
        (message,) = gold_messages(store, old, new, Habit(), "key")
        assert message.written_as == RAW
    else:
        with pytest.raises(NotRendered, match=r"x\.txt"):
            gold_messages(store, old, new, Habit(), "key")


def test_changes_of_real_modules_come_out_whole() -> None:
    text = Path(sysconfig.get_paths()["stdlib"], "textwrap.py").read_text("utf-8")
    after = text.replace("def dedent(text):", "def dedent(text, strict=False):").replace(
        "import re\n", "import re\nimport sys\n"
    )
    change = change_between("textwrap.py", text, after)
    assert change is not None
    assert change.after.text == after
    assert len(change.splices) == 2
    assert change_between("textwrap.py", text, text.rstrip("\n")) is None
