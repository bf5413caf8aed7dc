"""What became of each test is read from what real runners print."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from evals.swebench.logs import READERS, Status, not_passed

UNITTEST = '''
import sys, unittest

class T(unittest.TestCase):
    def test_ok(self): pass
    def test_documented(self):
        """A line about it ... and more."""
    def test_loud(self): print("noise ... ok?", file=sys.stderr)
    def test_half_a_line(self): sys.stderr.write("no end")
    def test_fails(self): self.assertEqual(1, 2)
    def test_breaks(self): raise RuntimeError("x ... ok")
    def test_documented_and_failing(self):
        """It says ok."""
        self.fail("no")
    @unittest.skip("later ... ok")
    def test_skipped(self): pass
    @unittest.expectedFailure
    def test_known(self): self.fail()
    @unittest.expectedFailure
    def test_unexpected(self): pass
    def test_parts(self):
        for number in range(3):
            with self.subTest(number=number):
                self.assertNotEqual(number, 1)
    def test_whole_parts(self):
        for number in range(3):
            with self.subTest(number=number):
                pass
'''
PYTEST = """
import pytest

def test_ok(): print("FAILED test_module.py::test_ok - no, only printed")
def test_fails(): assert 1 == 2, "a - b"
@pytest.mark.parametrize("text", ["a", "b c", "b d", "e - f"])
def test_each(text): assert text != "b d"
@pytest.mark.skip(reason="later")
def test_skipped(): pass
@pytest.mark.xfail
def test_known(): assert False
@pytest.mark.xfail(strict=False)
def test_unexpected(): pass
@pytest.fixture
def broken(): raise RuntimeError("no")
def test_error(broken): pass
"""


def output(tmp_path: Path, source: str, *command: str) -> str:
    (tmp_path / "test_module.py").write_text(source, "utf-8")
    done = subprocess.run(
        [sys.executable, *command],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout


def test_unittest(tmp_path: Path) -> None:
    found = READERS["unittest"](output(tmp_path, UNITTEST, "-m", "unittest", "-v", "test_module"))
    names = {name.split()[0]: status for name, status in found.items()}
    passed = {"test_ok", "test_documented", "test_loud", "test_half_a_line", "test_known", "test_whole_parts"}
    assert {name for name, status in names.items() if status is Status.PASSED} == passed
    assert names["test_skipped"] is Status.SKIPPED
    failed = {"test_fails", "test_breaks", "test_documented_and_failing", "test_unexpected", "test_parts"}
    assert {name for name, status in names.items() if status is Status.FAILED} == failed
    assert all("test_module.T" in name for name in found)


def test_doctests_in_unittest(tmp_path: Path) -> None:
    source = '"""\n>>> 1 + 1\n2\n"""\ndef f():\n    """\n    >>> f()\n    3\n    """\n'
    runner = "import doctest, sys\ndef load_tests(l, tests, p):\n    import code_module\n"
    runner += "    tests.addTests(doctest.DocTestSuite(code_module))\n    return tests\n"
    (tmp_path / "code_module.py").write_text(source, "utf-8")
    found = READERS["unittest"](output(tmp_path, runner, "-m", "unittest", "-v", "test_module"))
    assert found == {"code_module ()": Status.PASSED, "f (code_module)": Status.FAILED}


def test_pytest(tmp_path: Path) -> None:
    found = READERS["pytest"](
        output(tmp_path, PYTEST, "-m", "pytest", "-rA", "-p", "no:cacheprovider", "test_module.py")
    )
    short = {name.removeprefix("test_module.py::"): status for name, status in found.items()}
    assert short["test_ok"] is short["test_known"] is short["test_each[a]"] is Status.PASSED
    assert short["test_fails"] is short["test_error"] is Status.FAILED
    assert short["test_each[b c]"] is Status.PASSED
    assert short["test_each[b d]"] is Status.FAILED
    assert short["test_each[b"] is Status.FAILED  # SWE-bench knows such names by their first word: one of them fails


def test_colours_are_no_part_of_a_name() -> None:
    text = "\x1b[32mPASSED\x1b[0m tests/test_x.py::\x1b[1mtest_one\x1b[0m"
    assert READERS["pytest"](text) == {"tests/test_x.py::test_one": Status.PASSED}


def test_bare_lines() -> None:
    text = "sympy/core/tests/test_x.py[3]\ntest_a ok\ntest_b F\ntest_c E   [FAIL]\ntest_d s\ntest_e f\n"
    found = READERS["bare"](text)
    assert [found[f"test_{name}"] for name in "abcd"] == [Status.PASSED, Status.FAILED, Status.FAILED, Status.SKIPPED]


@pytest.mark.parametrize("reader", READERS.values())
def test_no_tests_are_none(reader: object) -> None:
    assert callable(reader)
    assert reader("Traceback (most recent call last):\nImportError: no\n") == {}


def test_tests_that_are_missing_have_not_passed() -> None:
    assert not_passed(("a", "b", "c"), {"a": Status.PASSED, "b": Status.SKIPPED}) == ["b", "c"]
