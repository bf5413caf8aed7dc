"""Names and docstrings of the package: a name means one thing, and a docstring says what it describes."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from evals import house
from evals.house import PACKAGE, docstrings, entered, question_docstrings, rooms, shared_class_names


def test_a_public_class_name_stands_for_one_class() -> None:
    assert shared_class_names(PACKAGE) == {}


def test_no_docstring_opens_with_a_question_word() -> None:
    assert question_docstrings(PACKAGE) == []


@pytest.mark.parametrize("package", ["anchor/patch", "decode", "edits", "server"])
def test_a_package_that_lists_its_modules_lists_all_of_them(package: str) -> None:
    folder = PACKAGE / package
    told = ast.get_docstring(ast.parse((folder / "__init__.py").read_text("utf-8"))) or ""
    listed = re.findall(r"^(\w+) {2,}\S", told, re.MULTILINE)
    modules = [path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()]
    assert sorted(listed) == sorted(name for name in modules if name != "__init__")


def test_rooms_import_only_from_those_above_them() -> None:
    page = (PACKAGE.parent / "ARCHITECTURE.md").read_text("utf-8")
    order = re.findall(r"`fastedit/(\w+)(?:/|\.py)`", page[page.index("## The rooms") : page.index("`kernels/`")])
    assert {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()} <= set(order)
    wrong = [
        f"{path.relative_to(PACKAGE)}: {name}"
        for path, tree in house.trees(PACKAGE).items()
        if (room := path.relative_to(PACKAGE).parts[0].removesuffix(".py")) in order
        for name in imported_rooms(tree)
        if name in order[order.index(room) + 1 :]
    ]
    assert wrong == []


def imported_rooms(tree: ast.Module) -> set[str]:
    """The packages of `fastedit` that a module imports when it is loaded."""
    found = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module]
    return {str(node.module).split(".")[1] for node in found if str(node.module).startswith("fastedit.")}


def test_what_is_wrong_is_found(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text('"""What one does."""\nclass Same:\n    size = 1\n    """How large."""\n')
    (tmp_path / "two.py").write_text('"""Does two."""\nclass Same: ...\nclass _Own: ...\n')
    (tmp_path / "three.py").write_text("class _Own: ...\n")
    assert shared_class_names(tmp_path) == {"Same": ["one.py:2", "two.py:2"]}
    assert question_docstrings(tmp_path) == ["one.py:1: What one does.", "one.py:4: How large."]


def test_called_functions_are_counted_once_all_is_loaded() -> None:
    def run(begin: Callable[[], None]) -> None:
        docstrings(ast.parse(""))
        begin()
        rooms(Path(house.__file__).parent / "missing")

    functions = {name for _, name in entered(run, Path(house.__file__).parent)}
    assert functions >= {"rooms", "trees"}
    assert "docstrings" not in functions
