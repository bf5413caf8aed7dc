"""A service whose target stands in for a trained one: a model of the embedded one's size, computed in full.

Its weights are random, so its own decisions would say nothing about edits; it decides as the first draft says, as a
trained target does nearly always. `python -m evals.speed.serving` serves it until it is told to stop.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from evals.speed.bench import EMBEDDED_SHAPE, stdlib_texts
from evals.speed.replay import ReplayRunner, Trace
from fastedit.decode import DecodeRequest, Engine, EngineSettings, Handle, api
from fastedit.decode.api import vocabulary_of
from fastedit.decode.runner import ModelRunner
from fastedit.targets import Target
from fastedit.targets.synthetic import make_checkpoint


class AgreeingEngine(Engine):
    """Decodes as the drafts say."""

    def __init__(self, target: Target, settings: EngineSettings) -> None:
        self._replay = ReplayRunner(ModelRunner(target, settings))
        self._target = target
        super().__init__(self._replay, vocabulary_of(target), settings)

    def submit(self, request: DecodeRequest, handle: Handle | None = None) -> Handle:
        output = self._target.codec.encode(request.drafts[0].text)
        self._replay.traces.append(Trace(request.prompt, (*output, self._target.stop_tokens[0])))
        return super().submit(request, handle)


def make_standin() -> Target:
    """A target with random weights whose shared engine agrees with every draft."""
    with tempfile.TemporaryDirectory() as folder:
        made = make_checkpoint(Path(folder), EMBEDDED_SHAPE, stdlib_texts(60))
        target = Target.load(made, device="cpu", template="embedded")
    engine = api._engines[target] = AgreeingEngine(target, EngineSettings())
    engine.start()
    return target
