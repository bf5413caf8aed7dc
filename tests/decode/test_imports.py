"""Decoding runs where only torch and transformers are installed, as on a GPU machine."""

from __future__ import annotations

import subprocess
import sys

from support.bare import BLOCKED


def run(code):
    command = [sys.executable, "-c", BLOCKED + code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=250, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_decoding_needs_only_torch_and_transformers():
    assert run("import fastedit.decode, fastedit.targets, fastedit.verify.windows; print('ok')").strip() == "ok"


def test_the_gpu_benchmark_runs_through():
    printed = run(
        "from evals.gpu.engine_bench import main, TINY\n"
        "import evals.gpu.engine_bench as bench\n"
        "pairs = bench.load_traces\n"
        "bench.load_traces = lambda: (lambda codec, found: (codec, found[:3]))(*pairs())\n"
        "bench.SLOT_LEN, bench.PLAIN_CONTEXT, bench.PLAIN_PASSES = 6000, 500, 2\n"
        "report = main(None, 60, (TINY,))\n"
        "batches = report['shapes']['tiny']['batches']\n"
        "assert batches['1 merged']['acceptance_rate'] == 1.0, batches\n"
        "assert batches['1 original']['divergences'] > 0, batches\n"
    )
    assert "decode_tok_s" in printed


def test_drafting_and_targets_cost_no_torch():
    run("import fastedit.draft, fastedit.targets, fastedit.verify.windows\nassert 'torch' not in sys.modules")
