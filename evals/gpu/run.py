"""Everything of QUEUE.md that is ready to run on a GPU, in one command and under nine minutes.

    python evals/gpu/run.py [FOLDER] [--only NAME,NAME] [--budget SECONDS] [--list]

FOLDER is $OUT where it isn't given. It gets results.json (every section's data, as they come), log.txt (what they
printed) and targets.txt. Sections run in processes of their own: one that fails, hangs or runs out of its time stops
no other. Nothing but the repository, torch and Triton is needed.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from threading import Lock
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from evals.gpu.sections import SECTIONS, Section  # noqa: E402
from evals.gpu.targets import as_text, findings  # noqa: E402

BUDGET_S = 525
LEAST_S = 15  # a section with less time left isn't started
SIDE_BY_SIDE = 6
KEPT_OUTPUT = 6000  # characters of a section's output that results.json keeps; log.txt has it all


class Record:
    """results.json and log.txt, rewritten whenever a section ends."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._lock = Lock()
        self.results: dict[str, Any] = {}

    def add(self, section: Section, entry: dict[str, Any], output: str) -> None:
        with self._lock:
            self.results[section.name] = entry
            (self._folder / "results.json").write_text(json.dumps(self.results, indent=1) + "\n")
            with (self._folder / "log.txt").open("a") as log:
                log.write(f"===== {section.name}: {entry['status']}, {entry['seconds']} s\n{output}\n")
            print(f"{section.name}: {entry['status']}, {entry['seconds']} s", flush=True)

    def close(self) -> str:
        text = as_text(findings(self.results))
        (self._folder / "targets.txt").write_text(text + "\n")
        return text


def run_section(section: Section, deadline: float, scratch: Path, record: Record) -> None:
    """Run one section, within its own limit and the deadline, and record how it went and what it left."""
    started = time.monotonic()
    limit = min(section.limit_s, deadline - started)
    folder = scratch / section.name
    folder.mkdir()
    result = folder / (section.result or "none")
    if section.tool and not shutil.which(section.tool):
        status, output = f"left out: no {section.tool} here", ""
    elif limit < LEAST_S:
        status, output = "left out: no time left", ""
    else:
        names = {"python": sys.executable, "result": str(result), "folder": str(folder)}
        status, output = run_command([part.format_map(names) for part in section.command], limit)
    entry = {"status": status, "seconds": round(time.monotonic() - started, 1), "output": output[-KEPT_OUTPUT:]}
    record.add(section, entry | {"data": held(result)}, output)


def run_command(command: list[str], limit_s: float) -> tuple[str, str]:
    """(how it ended, what it printed); it and all its children are stopped after `limit_s`."""
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment(), stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            code = process.wait(timeout=limit_s)
            status = "done" if code == 0 else f"exit status {code}"
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            status = f"stopped after {limit_s:.0f} s"
        output.seek(0)
        return status, output.read()


def environment() -> dict[str, str]:
    """This process's, with the repository's packages importable and output that isn't held back."""
    path = os.pathsep.join(filter(None, (str(ROOT / "kernels"), str(ROOT), os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1", "TRITON_INTERPRET": "0"}


def held(result: Path) -> Any:
    """What the section wrote, also where it was stopped midway; None where that can't be read."""
    try:
        return json.loads(result.read_text())
    except (OSError, ValueError):
        return None


def run(sections: list[Section], folder: Path, budget_s: float) -> str:
    """Run the sections, those that time nothing side by side first; the targets as text."""
    deadline = time.monotonic() + budget_s
    record = Record(folder)
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            running = [pool.submit(run_section, s, deadline, scratch, record) for s in sections if not s.is_timed]
            for finished in as_completed(running):
                finished.result()
        for section in sections:
            if section.is_timed:
                run_section(section, deadline, scratch, record)
    return record.close()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=os.environ.get("OUT"))
    parser.add_argument("--only", metavar="NAME,NAME", help="only sections whose names start so")
    parser.add_argument("--budget", type=float, default=BUDGET_S, metavar="SECONDS")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args(arguments)
    wanted = tuple(options.only.split(",")) if options.only else ("",)
    sections = [section for section in SECTIONS if section.name.startswith(wanted)]
    if options.list:
        print("\n".join(f"{section.name} ({section.limit_s} s at most)" for section in sections))
        return 0
    if options.folder is None or not sections:
        parser.error("no folder for the results: give one, or set $OUT" if sections else "no such section")
    print(run(sections, Path(options.folder), options.budget))
    return 0


if __name__ == "__main__":
    sys.exit(main())
