"""The pieces of the decoding benchmark: a target, an engine that replays known outputs, and what a request took."""

from __future__ import annotations

import platform
import resource
import subprocess
import sys
import sysconfig
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import torch
import transformers
from transformers import AutoModelForCausalLM, PreTrainedModel

from evals.speed.replay import ReplayRunner, Trace
from evals.speed.window_edits import lazy_edit, snippets
from fastedit.decode import Engine, EngineSettings, decode_request
from fastedit.decode.api import vocabulary_of
from fastedit.decode.request import DecodeResult, EditRequest
from fastedit.decode.runner import ModelRunner
from fastedit.draft.model import Draft, Kind
from fastedit.targets import Target
from fastedit.targets.synthetic import Shape, make_checkpoint
from fastedit.verify.windows import Window

EMBEDDED_SHAPE = Shape(
    family="qwen3", hidden=256, layers=6, heads=4, kv_heads=2, head_dim=64, intermediate=768, vocabulary=8192,
    positions=2**18,
)  # fmt: skip
# A busy machine stretches wall time at random; with one thread, CPU time is what wall time would be on a quiet one.
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}


@dataclass(frozen=True, slots=True)
class Measured:
    """seconds: from the request's texts to the new file, tokenising included."""

    seconds: float
    result: DecodeResult


class Bench:
    """A target with random weights (or a checkpoint), its engine, and a twin of the model for transformers' ways."""

    def __init__(self, checkpoint: Path | None, dtype: str, settings: EngineSettings, clock: str = "wall") -> None:
        transformers.utils.logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        self.clock = CLOCKS[clock]
        with tempfile.TemporaryDirectory() as folder:
            source = checkpoint or make_checkpoint(Path(folder), EMBEDDED_SHAPE, stdlib_texts(60), dtype=dtype)
            template = None if checkpoint else "plain"
            self.target = Target.load(source, device="cpu", dtype=dtype, template=template)
            self.model: PreTrainedModel = AutoModelForCausalLM.from_pretrained(
                source, dtype=getattr(torch, dtype), attn_implementation="sdpa"
            )
            self.model.train(False)
        self.runner = ModelRunner(self.target, settings)
        self._replay = ReplayRunner(self.runner)
        self.engine = Engine(self._replay, vocabulary_of(self.target), settings)

    @property
    def num_parameters(self) -> int:
        return sum(parameter.numel() for parameter in self.model.parameters())

    def trace(self, window: Window) -> Trace:
        """What the target is asked for a window, and the answer that is known."""
        asked = decode_request(self.target, request_for(window, window.draft), self.engine.max_len)
        output = self.target.codec.encode(asked.drafts[0].text)
        return Trace(asked.prompt, (*output, self.target.stop_tokens[0]))

    def fastedit(self, windows: list[tuple[Window, Trace]], with_merged_draft: bool) -> list[Measured]:
        """Decode the windows one after the other, no prompt's beginning taken from an earlier one."""
        return [self._decode(window, trace, with_merged_draft) for window, trace in windows]

    def _decode(self, window: Window, trace: Trace, with_merged_draft: bool) -> Measured:
        self.engine.forget_prefixes()
        self._replay.traces.append(trace)
        draft = window.draft if with_merged_draft else Draft(window.original, Kind.ORIGINAL)
        started_s = self.clock()
        handle = self.engine.submit(decode_request(self.target, request_for(window, draft), self.engine.max_len))
        while self.engine.step():
            pass
        result = handle.result(0)
        seconds = self.clock() - started_s
        if result.tokens != trace.output:
            raise RuntimeError("the replayed output came out otherwise")
        return Measured(seconds, result)


def request_for(window: Window, draft: Draft) -> EditRequest:
    return EditRequest(window.original, lazy_edit(window), (draft,), snippets(window))


def stdlib_texts(count: int) -> list[str]:
    """Modules of the standard library, to train a tokenizer on."""
    paths = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))[:count]
    return [path.read_bytes().decode("utf-8", errors="replace") for path in paths]


def machine() -> dict[str, object]:
    """What the figures were taken on."""
    return {
        "processor": _processor(),
        "threads": torch.get_num_threads(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "commit": _commit(),
        "command": "python -m " + " ".join(["evals.speed.decode", *sys.argv[1:]]),
    }


def peak_rss_bytes() -> int:
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().split("\n")
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{len(names)} cores of {names[0]}" if names else platform.processor()


def _commit() -> str:
    try:
        done = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    except OSError:
        return "unknown"
    return done.stdout.strip() or "unknown"
