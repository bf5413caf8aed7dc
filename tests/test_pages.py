"""The pages for developers name files and folders that exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = ("ARCHITECTURE.md", "CONTRIBUTING.md")
# What is written like a path below the root or below fastedit/.
_PATH = re.compile(r"`((?:[\w.-]+/)+[\w.-]*|[\w-]+\.(?:py|md|json))`")


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_names_is_there(page: str) -> None:
    named = set(_PATH.findall((ROOT / page).read_text(encoding="utf-8")))
    assert len(named) > 5
    rooms = ("", "fastedit", "fastedit/anchor", "fastedit/anchor/lazy", "fastedit/targets")
    folders = [ROOT / room for room in rooms]
    missing = [name for name in sorted(named) if not any((folder / name).exists() for folder in folders)]
    assert missing == []


def test_the_way_in_is_short() -> None:
    assert len((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines()) < 120


def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--config-file", "docs/mkdocs.yml", "--site-dir"]
    subprocess.run([*command, tmp_path], cwd=ROOT, check=True)
    assert "faithful" in (tmp_path / "reference" / "fastedit.guard.html").read_text(encoding="utf-8")
