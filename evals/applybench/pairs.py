"""Collects real changes, a file before and after, from two releases of a package on PyPI or npm.

Nothing of a package is built or run: an archive is fetched by its registry's own client, unpacked, and read. What is
left are text files that exist in both releases and differ by as much as a person would ask for in one go.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from email.parser import HeaderParser
from pathlib import Path, PurePosixPath

FEWEST_CHANGED, MOST_CHANGED = 3, 80
FEWEST_LINES, MOST_LINES = 30, 2500
LONGEST_LINE = 400
CONTEXT = 5
MOST_BYTES = 400_000
FETCH_S = 300

LANGUAGES = {
    ".bash": "bash", ".c": "c", ".cc": "cpp", ".cfg": "ini", ".cmake": "cmake", ".conf": "conf", ".cpp": "cpp",
    ".cs": "csharp", ".css": "css", ".cxx": "cpp", ".ex": "elixir", ".exs": "elixir", ".go": "go",
    ".gradle": "gradle", ".graphql": "graphql", ".h": "c", ".hcl": "hcl", ".hpp": "cpp", ".htm": "html",
    ".html": "html", ".ini": "ini", ".java": "java", ".cjs": "javascript", ".js": "javascript", ".mjs": "javascript",
    ".json": "json", ".jsx": "jsx", ".kt": "kotlin", ".kts": "kotlin", ".less": "less", ".lua": "lua",
    ".m": "objective-c", ".md": "markdown", ".mm": "objective-c", ".php": "php", ".podspec": "ruby",
    ".proto": "protobuf", ".py": "python", ".pyi": "python", ".pyx": "cython", ".rb": "ruby", ".rs": "rust",
    ".rst": "rst", ".sass": "sass", ".scala": "scala", ".scss": "scss", ".sh": "bash", ".sql": "sql",
    ".svelte": "svelte", ".swift": "swift", ".tf": "hcl", ".toml": "toml", ".cts": "typescript",
    ".mts": "typescript", ".ts": "typescript", ".tsx": "tsx", ".vue": "vue", ".xml": "xml",
    ".yaml": "yaml", ".yml": "yaml",
}  # fmt: skip
NAMES = {
    "CMakeLists.txt": "cmake", "Dockerfile": "dockerfile", "Gemfile": "ruby", "Makefile": "make", "Podfile": "ruby",
    "Rakefile": "ruby", "meson.build": "meson",
}  # fmt: skip

LOCKS = re.compile(r"(lock\.(json|ya?ml|toml)|\.lock|-lock\.\w+|shrinkwrap\.json|\.min\.\w+|\.map|\.snap)$", re.I)
CHRONICLES = re.compile(r"^(change(s|log)|history|news|releas\w*|_?version\w*|authors|contributors|license)\b", re.I)
FOREIGN = frozenset(
    "vendor vendored _vendor _vendored third_party third-party thirdparty 3rdparty node_modules extern external "
    "externals deps build bundled umd esm cjs __snapshots__ locale locales site-packages".split()
)
AS_WRITTEN = (".svelte", ".vue")  # what packagers put into dist/ as it is
TESTS = re.compile(r"(^|/)(tests?|testing|__tests__|spec|specs|fixtures)/|(^|/)test_|_test\.|\.(test|spec)\.", re.I)
GENERATED = re.compile(
    r"@generated|auto-?\s?generated|generated (by|from|file)|do not (edit|modify)|__esModule|_interopRequire|"
    r"webpackBootstrap|sourceMappingURL",
    re.I,
)
TOKENS = re.compile(r"\w+|[^\w\s]")
NUMBERS = re.compile(r"\d+(\.\d+)*")


class PairsError(Exception):
    """Says why a package gives no pairs."""


@dataclass(frozen=True, slots=True)
class Release:
    """One release, unpacked. root: its files; licence: what it says about its own."""

    package: str
    version: str
    root: Path
    licence: str


@dataclass(frozen=True, slots=True)
class Pair:
    """One file before and after. file: its path within the package; changed: lines added and removed together."""

    file: str
    language: str
    original: str
    result: str
    changed: int
    hunks: int
    is_test: bool


def language_of(path: str) -> str | None:
    """Tells the language of a file from its name; None for what is no source."""
    name = PurePosixPath(path).name
    if name in NAMES:
        return NAMES[name]
    if name.startswith("Dockerfile."):
        return "dockerfile"
    return LANGUAGES.get(PurePosixPath(name).suffix.lower())


def lines_of(text: str) -> list[str]:
    """Splits at line feeds alone, as diff does; every line keeps its ending."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def diff_of(original: str, result: str, file: str, context: int = CONTEXT) -> str:
    """Writes a unified diff that `git apply` and `patch` take."""
    written = []
    for line in difflib.unified_diff(
        lines_of(original), lines_of(result), f"a/{file}", f"b/{file}", n=context, lineterm="\n"
    ):
        written.append(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n")
    return "".join(written)


def unpack(archive: Path, folder: Path) -> Path:
    """Unpacks an archive, nothing outside folder, and returns the folder that all its files lie in."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as packed:
                packed.extractall(folder)
        else:
            with tarfile.open(archive) as tarred:
                _extract(tarred, folder)
    except (tarfile.TarError, zipfile.BadZipFile, OSError, EOFError) as error:
        raise PairsError(f"{archive.name}: can't be unpacked: {error}") from error
    inside = list(folder.iterdir())
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else folder


def _extract(tarred: tarfile.TarFile, folder: Path) -> None:
    """Extracts the regular files; raises TarError for one outside of the folder. Python 3.11.3 has no filter for it."""
    inside = folder.resolve()
    for member in tarred:
        packed = tarred.extractfile(member) if member.isfile() else None
        if packed is None:
            continue
        target = (inside / member.name).resolve()
        if not target.is_relative_to(inside):
            raise tarfile.TarError(f"{member.name} lies outside of the folder")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(packed.read())


def licence_of(root: Path) -> str:
    """Reads a release's licence from package.json, PKG-INFO or METADATA; empty where it says none."""
    manifest = root / "package.json"
    found = [*root.glob("PKG-INFO"), *root.glob("*.dist-info/METADATA"), *root.glob("*/PKG-INFO")]
    if not found and manifest.is_file():
        try:
            said = json.loads(manifest.read_text("utf-8")).get("license", "")
        except (ValueError, AttributeError):
            return ""
        return str(said.get("type", "") if isinstance(said, dict) else said)
    if not found:
        return ""
    headers = HeaderParser().parsestr(found[0].read_text("utf-8", errors="replace"))
    expression = headers.get("License-Expression")
    if expression:
        return str(expression)
    classified = [
        str(one).split(" :: ")[-1] for one in headers.get_all("Classifier", []) if str(one).startswith("License ::")
    ]
    return " / ".join(classified) or str(headers.get("License", "")).strip().split("\n")[0][:80]


def fetch_pypi(package: str, version: str, folder: Path) -> Release:
    """Fetches one release from PyPI: its sources, or a wheel where there are none. pip unpacks a source archive before
    it looks for what would build it; run by a bare interpreter it finds nothing, and the unpacked sources stay."""
    bare, scratch, wheels = folder / "bare", folder / "scratch", folder / "wheels"
    scratch.mkdir(parents=True, exist_ok=True)
    venv.create(bare, with_pip=False)
    interpreter = bare / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pip = [sys.executable, "-m", "pip", "--python", str(interpreter), "--disable-pip-version-check", "download"]
    wanted = ["--quiet", "--no-deps", f"{package}=={version}", "--dest", str(wheels)]
    as_source = ["--no-binary=:all:", "--no-build-isolation", "--use-pep517", "--no-clean"]
    _run([*pip, *wanted, *as_source], folder, {"TMPDIR": str(scratch), "TEMP": str(scratch)})
    kept = [one for one in scratch.glob("pip-download-*/*") if one.is_dir()]
    if kept:
        return Release(package, version, kept[0], licence_of(kept[0]))
    if not (wheels.is_dir() and any(wheels.iterdir())):
        said = _run([*pip, *wanted, "--only-binary=:all:"], folder, {})
        if said:
            raise PairsError(f"{package}=={version}: not to be had from PyPI: {said}")
    root = unpack(next(wheels.iterdir()), folder / "unpacked")
    return Release(package, version, root, licence_of(root))


def fetch_npm(package: str, version: str, folder: Path) -> Release:
    """Fetches one release from npm."""
    folder.mkdir(parents=True, exist_ok=True)
    said = _run(["npm", "pack", "--silent", "--ignore-scripts", f"{package}@{version}"], folder, {})
    archives = list(folder.glob("*.tgz"))
    if not archives:
        raise PairsError(f"{package}@{version}: not to be had from npm: {said or 'nothing came'}")
    root = unpack(archives[0], folder / "unpacked")
    return Release(package, version, root, licence_of(root))


def _run(command: Sequence[str], folder: Path, environment: dict[str, str]) -> str:
    """Runs a client; returns the last line that it complained with, and nothing if all went well."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        done = subprocess.run(
            command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, timeout=FETCH_S
        )
    except FileNotFoundError:
        return f"no {command[0]} here"
    except subprocess.TimeoutExpired:
        return f"no answer in {FETCH_S} s"
    if done.returncode == 0:
        return ""
    complaints = [line for line in done.stderr.splitlines() if line.strip()]
    return complaints[-1] if complaints else f"exit status {done.returncode}"


def pairs_between(old: Path, new: Path) -> Iterator[Pair]:
    """Yields the files of two unpacked releases that are worth a case: tests last, otherwise in the order of names."""
    found = [one for one in (_pair(old, new, file) for file in _common(old, new)) if one is not None]
    yield from sorted(found, key=lambda one: (one.is_test, one.file))


def _common(old: Path, new: Path) -> Iterator[str]:
    for folder, folders, names in os.walk(new):
        folders[:] = sorted(one for one in folders if one not in FOREIGN and not one.endswith((".egg-info", ".git")))
        for name in sorted(names):
            path = Path(folder, name)
            file = path.relative_to(new).as_posix()
            is_source = language_of(file) and not LOCKS.search(name) and not CHRONICLES.match(name)
            is_built = "dist" in path.relative_to(new).parts and not name.endswith(AS_WRITTEN)
            if is_source and not is_built and _is_plain(path) and _is_plain(old / file):
                yield file


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink() and path.stat().st_size <= MOST_BYTES


def _pair(old: Path, new: Path, file: str) -> Pair | None:
    before, after = (old / file).read_bytes(), (new / file).read_bytes()
    if before == after:
        return None
    try:
        original, result = before.decode(), after.decode()
    except UnicodeDecodeError:
        return None
    language = language_of(file)
    if language is None or "\0" in original or not (_is_readable(original) and _is_readable(result)):
        return None
    if len(_bare(original)) and _bare(original) == _bare(result):
        return None
    lines, later = lines_of(original), lines_of(result)
    if not _changes_enough(lines, later):
        return None
    changed, hunks = _measure(lines, later)
    if not FEWEST_CHANGED <= changed <= MOST_CHANGED or _is_rename(lines, later):
        return None
    return Pair(file, language, original, result, changed, hunks, TESTS.search(file) is not None)


def _is_readable(text: str) -> bool:
    lines = lines_of(text)
    head = "".join(lines[:25])
    return (
        FEWEST_LINES <= len(lines) <= MOST_LINES
        and max(map(len, lines)) <= LONGEST_LINE
        and not GENERATED.search(head)
        and "sourceMappingURL" not in lines[-1]
    )


def _bare(text: str) -> str:
    """Leaves out what tells nothing when it is all that changed: white space, kinds of quotes, numbers of versions."""
    return NUMBERS.sub("0", re.sub(r"[\s'\"`;,]+", "", text))


def _changes_enough(before: Sequence[str], after: Sequence[str]) -> bool:
    """Tells cheaply whether a diff can have the right size, which spares most files a diff."""
    once, then = Counter(before), Counter(after)
    return sum(((once - then) + (then - once)).values()) <= MOST_CHANGED


def _measure(before: list[str], after: list[str]) -> tuple[int, int]:
    """Counts the lines added and removed, and the hunks of a diff with its usual context."""
    changed = hunks = 0
    for line in difflib.unified_diff(before, after, n=CONTEXT):
        if line.startswith("@@"):
            hunks += 1
        elif line[0] in "+-" and line[:4] not in ("+++ ", "--- "):
            changed += 1
    return changed, hunks


def _is_rename(before: list[str], after: list[str]) -> bool:
    """Tells whether one token took the place of another, again and again, and nothing else changed."""
    swaps: Counter[tuple[str, str]] = Counter()
    for kind, first, last, start, end in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        if last - first != end - start:
            return False
        for one, other in zip(before[first:last], after[start:end], strict=True):
            once, then = TOKENS.findall(one), TOKENS.findall(other)
            if len(once) != len(then):
                return False
            swaps.update({pair for pair in zip(once, then, strict=True) if pair[0] != pair[1]})
    return len(swaps) <= 1


def identifier(package: str, file: str, taken: set[str]) -> str:
    """Makes a short name for a pair that none has yet, and takes it."""
    path = PurePosixPath(file)
    stem = path.parent.name if path.stem in ("__init__", "index", "mod", "main") and path.parent.name else path.stem
    slug = re.sub(r"[^a-z0-9]+", "-", f"{package}-{stem}".lower()).strip("-")
    name, number = slug, 2
    while name in taken:
        name, number = f"{slug}-{number}", number + 1
    taken.add(name)
    return name


def write(pair: Pair, name: str, old: Release, new: Release, out: Path, style: str = "", tier: str = "") -> Path:
    """Writes one pair: original/, result/, change.diff and meta.json in a folder of its own."""
    folder, file = out / name, PurePosixPath(pair.file).name
    for side, text in (("original", pair.original), ("result", pair.result)):
        (folder / side).mkdir(parents=True, exist_ok=True)
        (folder / side / file).write_bytes(text.encode())
    (folder / "change.diff").write_bytes(diff_of(pair.original, pair.result, file).encode())
    meta = {
        "id": name,
        "language": pair.language,
        "file": file,
        "source": f"{new.package}=={new.version} {pair.file} ({new.licence})",
        "package": new.package,
        "old": old.version,
        "new": new.version,
        "licence": new.licence,
        "lines": len(lines_of(pair.original)),
        "changed": pair.changed,
        "hunks": pair.hunks,
        "style": style,
        "tier": tier,
    }
    (folder / "meta.json").write_text(json.dumps(meta, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return folder


def collect(package: str, old: str, new: str, out: Path, *, is_npm: bool = False, most: int = 0) -> list[Path]:
    """Fetches two releases and writes their pairs into out, each in a folder of its own. most: 0 for all."""
    fetch = fetch_npm if is_npm else fetch_pypi
    with tempfile.TemporaryDirectory(prefix="applybench-") as folder:
        before = fetch(package, old, Path(folder, "old"))
        after = fetch(package, new, Path(folder, "new"))
        found = list(pairs_between(before.root, after.root))
        taken = {one.name for one in out.iterdir()} if out.is_dir() else set()
        return [
            write(one, identifier(package, one.file, taken), before, after, out) for one in found[: most or len(found)]
        ]


def main(argv: list[str]) -> int:
    """Runs `pairs PACKAGE OLD NEW [--npm] [--out DIR] [--most N]`."""
    parser = argparse.ArgumentParser(prog="python -m evals.applybench pairs", description=collect.__doc__)
    parser.add_argument("package")
    parser.add_argument("old", help="the release before, such as 1.4.0")
    parser.add_argument("new", help="the release after")
    parser.add_argument("--npm", action="store_true", help="take it from npm instead of PyPI")
    parser.add_argument("--out", type=Path, default=Path("pairs"), help="where the pairs go (pairs)")
    parser.add_argument("--most", type=int, default=0, help="how many at most (all)")
    options = parser.parse_args(argv)
    try:
        written = collect(options.package, options.old, options.new, options.out, is_npm=options.npm, most=options.most)
    except PairsError as error:
        print(f"pairs: {error}", file=sys.stderr)
        return 1
    for folder in written:
        print(folder)
    print(f"{len(written)} pairs of {options.package} {options.old} to {options.new} in {options.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
