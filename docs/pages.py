"""The site's pages: those of the repository, under their own paths, and one of each room's public docstrings."""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")
ROOMS = ("fastedit", "kernels", "editor_plugins", "evals")  # folders with READMEs of their own
PACKAGE = ROOT / "fastedit"
LEFT_OUT = {"training"}  # not in the wheel


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds all pages to the (otherwise empty) site."""
    readmes = [path for room in ROOMS for path in sorted((ROOT / room).rglob("README.md"))]
    for path in [*(ROOT / page for page in PAGES), *(one for one in readmes if "node_modules" not in one.parts)]:
        uri = path.relative_to(ROOT).as_posix()
        files.append(File.generated(config, uri, abs_src_path=str(path)))
    for name, modules in _rooms().items():
        content = f"# {name}\n\n" + "\n\n".join(f"::: {module}" for module in modules) + "\n"
        files.append(File.generated(config, f"reference/{name}.md", content=content))
    return files


def _rooms() -> dict[str, list[str]]:
    """Public modules by room."""
    rooms: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if parts[-1] == "__init__":
            parts = parts[:-1]
        if parts[-1].startswith("_") or (len(parts) > 1 and parts[1] in LEFT_OUT):
            continue
        room = ".".join(parts[:2]) if (ROOT / Path(*parts[:2])).is_dir() else "fastedit"
        rooms.setdefault(room, []).append(".".join(parts))
    return rooms
