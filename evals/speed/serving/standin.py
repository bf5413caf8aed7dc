"""A service whose target stands in for a trained one: a model of the embedded one's size, computed in full.

Its weights are random, so its own decisions would say nothing about edits; it decides as the first draft says, as a
trained target does nearly always. `python -m evals.speed.serving` serves it until it is told to stop.
"""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path

from evals.speed.bench import EMBEDDED_SHAPE, stdlib_texts
from evals.speed.replay import ReplayRunner, Trace
from fastedit.decode import DecodeRequest, Engine, EngineSettings, Handle, api
from fastedit.decode.api import vocabulary_of
from fastedit.decode.request import Group
from fastedit.decode.runner import ModelRunner
from fastedit.decode.sequence import Sequence
from fastedit.errors import InputRefused
from fastedit.targets import Target
from fastedit.targets.synthetic import make_checkpoint

DONE = Trace((), ())  # in place of one that is no longer needed: the numbers of the others stay


class AgreeingEngine(Engine):
    """Decodes as the drafts say."""

    def __init__(self, target: Target, settings: EngineSettings) -> None:
        self._replay = ReplayRunner(ModelRunner(target, settings))
        self._target = target
        self._submitting = threading.Lock()  # traces stand in the order of the requests' numbers
        super().__init__(self._replay, vocabulary_of(target), settings)

    def submit(self, request: DecodeRequest, handle: Handle | None = None, group: Group | None = None) -> Handle:
        output = self._target.codec.encode(request.drafts[0].text)
        with self._submitting:
            self._replay.traces.append(Trace(request.prompt, (*output, self._target.stop_tokens[0])))
            try:
                return super().submit(request, handle, group)
            except InputRefused:
                self._replay.traces.pop()  # it got no number
                raise

    def _finish(self, sequence: Sequence, error: BaseException | None) -> None:
        super()._finish(sequence, error)
        self._replay.traces[sequence.number] = DONE


def make_standin() -> Target:
    """A target with random weights whose shared engine agrees with every draft."""
    with tempfile.TemporaryDirectory() as folder:
        made = make_checkpoint(Path(folder), EMBEDDED_SHAPE, stdlib_texts(60))
        target = Target.load(made, device="cpu", template="plain")
    engine = api._engines[target] = AgreeingEngine(target, EngineSettings())
    engine.start()
    return target
