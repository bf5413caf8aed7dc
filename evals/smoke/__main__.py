"""Tries what a newcomer does, and tells what doesn't work.

python -m evals.smoke                  # the wheel in an empty environment, and every command that README names
python -m evals.smoke dist FOLDER      # wheels of both packages in FOLDER, installed with a target; the demo
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from evals.smoke.walk import Walk
from evals.smoke.wheels import ROOT, Environment, SmokeFailed, build_wheels

DEMO_S = 600


def main() -> int:
    """Exit status: 0 where everything works."""
    parser = argparse.ArgumentParser(prog="python -m evals.smoke", description=__doc__, allow_abbrev=False)
    parser.add_argument("what", nargs="?", choices=["readme", "dist"], default="readme")
    parser.add_argument("folder", nargs="?", type=Path, help="dist: where the wheels are made")
    arguments = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory(prefix="fastedit-smoke-") as temporary:
            if arguments.what == "dist":
                return _dist(arguments.folder or ROOT / "dist", Path(temporary))
            return _readme(Path(temporary))
    except SmokeFailed as failure:
        print(failure, file=sys.stderr)
        return 1


def _dist(folder: Path, temporary: Path) -> int:
    """Builds the wheels in `folder`, and runs the demo where nothing but they and a target's needs are installed."""
    wheels = build_wheels(folder.resolve())
    print("\n".join(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB" for wheel in wheels), flush=True)
    print("installing them into an empty environment", flush=True)
    made = Environment.make(temporary / "venv", f"{wheels[0]}[model]", str(wheels[1]))
    command = [made.python, ROOT / "examples" / "demo.py"]
    return subprocess.run(command, cwd=temporary, env=made.variables(), timeout=DEMO_S, check=False).returncode


def _readme(temporary: Path) -> int:
    """Installs the wheel with what its service needs, and no model, and tries README's commands there."""
    wheels = build_wheels(temporary / "wheels")
    made = Environment.make(temporary / "venv", f"{wheels[0]}[server]")
    outcomes = []
    for outcome in Walk(made, temporary).outcomes((ROOT / "README.md").read_text("utf-8")):
        state = f"FAILED\n{outcome.problem}" if outcome.problem else outcome.skipped or "ok"
        print(f"{outcome.command}: {state}", flush=True)
        outcomes.append(outcome)
    num_tried = sum(not outcome.skipped for outcome in outcomes)
    num_failed = sum(bool(outcome.problem) for outcome in outcomes)
    print(f"commands={num_tried} failed={num_failed}")
    return 1 if num_failed else 0


if __name__ == "__main__":
    sys.exit(main())
