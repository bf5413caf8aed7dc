"""`python -m vllm.entrypoints.openai.api_server`, as far as the stand-in goes. FAKE_VLLM tells how it is to fail."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from support.standin_vllm import StandIn, edited

if os.environ.get("FAKE_VLLM") == "broken":
    raise SystemExit("ValueError: no weights for this machine")

parser = argparse.ArgumentParser()
for option in ("model", "served-model-name", "host", "port", "speculative-config"):
    parser.add_argument(f"--{option}")
given, others = parser.parse_known_args()
# A process of its own, as vLLM has one for its model.
core = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
if told := os.environ.get("FAKE_VLLM_PIDS"):
    with open(told, "a", encoding="utf-8") as file:
        print(os.getpid(), core.pid, " ".join(others), file=file, flush=True)
server = StandIn(Path(given.model), edited, name=given.served_model_name, key=os.environ["VLLM_API_KEY"])
server.serve_at(given.host, int(given.port))
