"""Modules of the standard library that can be tested by themselves, with the tests that the library brings for them."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

from evals.swebench.environments import EnvironmentFailed, find_python

# module: test file of the library's own test package. Packages are taken whole. All of them take under two seconds.
SUITES: dict[str, str] = {
    "textwrap": "test_textwrap.py",
    "configparser": "test_configparser.py",
    "shlex": "test_shlex.py",
    "html": "test_htmlparser.py",
    "fractions": "test_fractions.py",
    "graphlib": "test_graphlib.py",
    "pprint": "test_pprint.py",
    "ipaddress": "test_ipaddress.py",
    "difflib": "test_difflib.py",
    "plistlib": "test_plistlib.py",
    "optparse": "test_optparse.py",
    "copy": "test_copy.py",
    "netrc": "test_netrc.py",
    "string": "test_string.py",
    "getopt": "test_getopt.py",
    "filecmp": "test_filecmp.py",
    "reprlib": "test_reprlib.py",
    "mimetypes": "test_mimetypes.py",
    "base64": "test_base64.py",
    "fnmatch": "test_fnmatch.py",
    "quopri": "test_quopri.py",
    "codeop": "test_codeop.py",
    "colorsys": "test_colorsys.py",
    "zipapp": "test_zipapp.py",
    "timeit": "test_timeit.py",
    "random": "test_random.py",
    "cmd": "test_cmd.py",
    "http": "test_http_cookies.py",
}
# Where the test package is not installed, these modules' own examples are their tests.
EXAMPLES = ("difflib", "statistics", "pickletools", "http", "json", "fractions", "uuid", "heapq")
DOCTESTS = '''"""The examples in the documentation of the modules, as tests."""

import doctest
import importlib

MODULES = {modules!r}


def load_tests(loader, tests, pattern):
    for name in MODULES:
        tests.addTests(doctest.DocTestSuite(importlib.import_module(name)))
    return tests
'''
ASK = """
import json, platform, sys, sysconfig
print(json.dumps([sys.executable, platform.python_version(), sysconfig.get_path("stdlib")]))
"""


class DemoError(Exception):
    """No instances can be made here."""


@dataclass(frozen=True, slots=True)
class Library:
    """An interpreter's standard library. python: the command; stdlib: its folder."""

    python: str
    version: str
    stdlib: Path

    @property
    def has_tests(self) -> bool:
        return (self.stdlib / "test" / "support").is_dir()


@dataclass(frozen=True, slots=True)
class Subject:
    """A module with its tests. files, tests: path in the repository → text."""

    name: str
    files: dict[str, str]
    tests: dict[str, str]


def library_of(python: str) -> Library:
    """The standard library of an interpreter (`3.12`, or a path). Raises DemoError where it doesn't run."""
    try:
        done = subprocess.run([find_python(python), "-I", "-c", ASK], capture_output=True, check=True, timeout=60)
    except (EnvironmentFailed, OSError, subprocess.SubprocessError) as error:
        raise DemoError(f"{python} doesn't run: {error}") from error
    executable, version, stdlib = json.loads(done.stdout)
    return Library(executable, version, Path(stdlib))


def subjects_of(library: Library) -> list[Subject]:
    """The subjects in the order of the tables; those that this library doesn't have are left out."""
    names = list(SUITES) if library.has_tests else list(EXAMPLES)
    return [subject for name in names if (subject := read_subject(library, name)) is not None]


def read_subject(library: Library, name: str) -> Subject | None:
    """A module with its tests, or None where this library lacks one of them."""
    module, package = library.stdlib / f"{name}.py", library.stdlib / name
    paths = [module] if module.is_file() else sorted(package.glob("*.py"))
    if not paths:
        return None
    files = {path.relative_to(library.stdlib).as_posix(): path.read_text("utf-8") for path in paths}
    if not library.has_tests:
        modules = [path.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for path in files]
        return Subject(name, files, {"tests/test_examples.py": DOCTESTS.format(modules=modules)})
    suite = library.stdlib / "test" / SUITES[name]
    return Subject(name, files, {f"tests/{suite.name}": suite.read_text("utf-8")}) if suite.is_file() else None
