"""Training from shards that exist needs torch and what loads models, and nothing that reads or makes edits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from fastedit.training.documents import HELD_OUT, Document, write_shards
from fastedit.training.tokenizer import train_tokenizer
from support.bare import BLOCKED

CONFIG = """
output = "run"
[model]
tokenizer = "tokenizer"
hidden = 32
layers = 2
heads = 2
kv_heads = 2
head_dim = 16
intermediate = 32
begins_copying = false
[data]
shards = "shards"
[schedule]
tokens = 3000
row_tokens = 512
log_steps = 1
stages = [{ start = 0.0, max_tokens = 512 }]
"""
TRAIN = """
from pathlib import Path
from fastedit.training.settings import read_settings
from fastedit.training.trainer import train
print(train(read_settings(Path(sys.argv[1]))))
"""


@pytest.fixture
def folder(tmp_path):
    train_tokenizer(["def a(b):\n    return b\n"] * 20, 300).save_pretrained(tmp_path / "tokenizer")
    rng = np.random.default_rng(0)
    documents = [Document(rng.integers(0, 250, 120).astype(np.uint32), 60) for _ in range(30)]
    write_shards(documents[:25], tmp_path / "shards")
    write_shards(documents[25:], tmp_path / "shards" / HELD_OUT)
    (tmp_path / "run.toml").write_text(CONFIG)
    return tmp_path


def test_trains_without_what_makes_edits(folder):
    command = [sys.executable, "-c", BLOCKED + TRAIN, str(folder / "run.toml")]
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=110, check=False, env=one_thread)
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()) == folder / "run" / "checkpoint"
    entries = [json.loads(line) for line in (folder / "run" / "log.jsonl").read_text().splitlines()]
    assert any("exact" in entry for entry in entries)
    assert (folder / "run" / "checkpoint" / "model.safetensors").is_file()
