"""The training loop: rows in, steps out, with a log, a state to go on from and exactness measured on the way."""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Generator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import torch
from accelerate import Accelerator, InitProcessGroupKwargs  # type: ignore[import-untyped]

from fastedit.training.bar import progress_bar
from fastedit.training.create import Trainee, make_trainee
from fastedit.training.documents import HELD_OUT, TokenizedExample, read_shard, shards_in
from fastedit.training.exactness import measure
from fastedit.training.export import export
from fastedit.training.forward import RowModel
from fastedit.training.masters import Masters
from fastedit.training.optimizer import Optimizers
from fastedit.training.packing import PackedRow, choices_of, rows
from fastedit.training.prefetch import prefetched
from fastedit.training.schedule import progress, rate_factor, stage_at
from fastedit.training.settings import Stage, TrainingSettings
from fastedit.training.state import Progress, load_state, save_state
from fastedit.training.stream import DocumentStream

LOG = "log.jsonl"
STRAGGLER_PATIENCE = timedelta(hours=2)  # a paused process is no dead one


def train(settings: TrainingSettings) -> Path:
    """The folder of the checkpoint, after making what the run reads and training to the end of the schedule.

    Goes on where an earlier sitting stopped. Without `data.sources` nothing is made: the shards have to be there, and
    what makes them needn't be installed.

    SIGTERM and SIGINT end the sitting after the step under way, its state saved.
    """
    accelerator = Accelerator(
        cpu=not torch.cuda.is_available(), kwargs_handlers=[InitProcessGroupKwargs(timeout=STRAGGLER_PATIENCE)]
    )
    if settings.data.sources:
        from fastedit.training.prepare import prepare

        with accelerator.main_process_first():
            prepare(settings)
    return Trainer(settings, make_trainee(settings), accelerator).run()


class Trainer:
    """One process of a run. All processes hold all weights and average their gradients."""

    def __init__(self, settings: TrainingSettings, trainee: Trainee, accelerator: Accelerator) -> None:
        self._settings, self._trainee, self._accelerator = settings, trainee, accelerator
        self._folder = settings.path(settings.output)
        self._folder.mkdir(parents=True, exist_ok=True)
        trainee.model.to(accelerator.device).train()
        longest = max(stage.max_tokens for stage in settings.schedule.stages)
        self._model = RowModel(trainee.model, compile=settings.model.compile, longest=longest)
        self._choices = choices_of(trainee.template, trainee.tokenizer)
        self._masters = Masters(trainee.model)
        self._optimizers = Optimizers(self._masters.masters, settings.optimizer)
        self._progress = Progress()
        self._saved_at = self._measured_at = 0.0  # minutes
        self._clock = time.monotonic()
        self._unlogged = (0.0, 0.0)  # tokens and seconds since the last entry of the log
        self._is_stopped = False
        self._resume()

    def run(self) -> Path:
        previous = {number: signal.signal(number, self._stop) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            self._loop()
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)
        self._save()
        if self._share >= 1.0:
            self._evaluate()
        if self._is_main:
            return export(self._trainee, self._masters, self._folder / "checkpoint")
        return self._folder / "checkpoint"

    @property
    def _is_main(self) -> bool:
        return bool(self._accelerator.is_main_process)

    @property
    def _share(self) -> float:
        return progress(self._settings.schedule, self._progress.elapsed_s, self._progress.num_tokens)

    def _loop(self) -> None:
        self._clock = time.monotonic()
        with progress_bar("training", is_shown=self._is_main and sys.stderr.isatty()) as show:
            while self._goes_on():
                stage = self._stage
                with closing(self._batches(stage)) as batches:
                    for batch in batches:
                        self._step(batch)
                        show(self._share)
                        self._after_step()
                        if not self._goes_on() or self._stage != stage:
                            break

    def _after_step(self) -> None:
        """Saves and measures when it is time to."""
        minutes = self._progress.elapsed_s / 60
        if minutes - self._saved_at > self._settings.schedule.save_minutes:
            self._save()
        if minutes - self._measured_at > self._settings.evaluation.every_minutes:
            self._evaluate()
        self._clock = time.monotonic()

    def _goes_on(self) -> bool:
        """Whether there is more to do; the same for all processes, so that they stop after the same step."""
        is_stopped = self._summed(torch.tensor([float(self._is_stopped)], dtype=torch.float64))
        return self._share < 1.0 and not bool(is_stopped[0])

    def _step(self, batch: list[PackedRow]) -> None:
        """One step of the optimizers. What a GPU computes isn't waited for: it is asked for its next work meanwhile."""
        sums = torch.zeros(2, dtype=torch.float64, device=self._accelerator.device)  # loss, right tokens
        for row in batch:
            scored = self._model(row)
            scored.loss.backward()  # type: ignore[no-untyped-call]
            self._masters.collect()
            sums += torch.stack([scored.loss.detach().double(), scored.is_right.sum().double()])
        counts = [float(sum(len(row.targets) for row in batch)), float(sum(row.num_tokens for row in batch))]
        if self._accelerator.num_processes > 1:
            summed = self._summed(torch.cat([sums, sums.new_tensor(counts)]))
            sums, counts = summed[:2], summed[2:].tolist()
            self._masters.gradient.copy_(self._accelerator.reduce(self._masters.gradient, "sum"))
        self._masters.gradient.div_(counts[0])
        norm = self._masters.clip(self._settings.optimizer.max_norm)
        factor = rate_factor(self._settings.schedule, self._progress.step, self._share)
        self._optimizers.step(factor)
        self._masters.write_back()
        self._masters.zero()
        self._count(sums, counts, norm, factor)

    def _summed(self, numbers: torch.Tensor) -> torch.Tensor:
        if self._accelerator.num_processes == 1:
            return numbers
        summed: torch.Tensor = self._accelerator.reduce(numbers.to(self._accelerator.device), "sum").cpu()
        return summed

    def _count(self, sums: torch.Tensor, counts: list[float], norm: torch.Tensor, factor: float) -> None:
        """Adds a step to the progress and, now and then, to the log.

        sums: loss and right tokens; counts: tokens of answers, and of all.
        """
        state = self._progress
        state.step += 1
        state.num_tokens += int(counts[1])
        # One clock for all processes, or they would not agree on when a stage ends.
        clock = torch.tensor([time.monotonic() - self._clock if self._is_main else 0.0], dtype=torch.float64)
        elapsed_s = float(self._summed(clock)[0])
        state.elapsed_s += elapsed_s
        self._unlogged = (self._unlogged[0] + counts[1], self._unlogged[1] + elapsed_s)
        if state.step % self._settings.schedule.log_steps == 0:
            loss, num_right = sums.tolist()
            self._log(
                loss=round(loss / counts[0], 5),
                token_accuracy=round(num_right / counts[0], 5),
                norm=round(float(norm), 3),
                rate=round(factor, 4),
                tokens_per_s=round(self._unlogged[0] / self._unlogged[1]),
            )
            self._unlogged = (0.0, 0.0)

    def _log(self, **values: Any) -> None:
        if not self._is_main:
            return
        state = self._progress
        entry = {"step": state.step, "tokens": state.num_tokens, "minutes": round(state.elapsed_s / 60, 2), **values}
        with (self._folder / LOG).open("a", encoding="utf-8") as log:
            log.write(json.dumps(entry) + "\n")

    @property
    def _stage(self) -> Stage:
        return stage_at(self._settings.schedule, self._share)

    def _batches(self, stage: Stage) -> Generator[list[PackedRow]]:
        """Batches of rows for this process, endless."""
        made = self._made_batches(stage)
        if self._accelerator.device.type == "cuda":
            made = prefetched(([row.pinned() for row in batch], num_read) for batch, num_read in made)
        with closing(made):
            for batch, num_read in made:
                yield batch
                self._progress.shards_read = num_read

    def _made_batches(self, stage: Stage) -> Generator[tuple[list[PackedRow], int]]:
        """Each batch, and how many shards were read for it and those before."""
        schedule, data = self._settings.schedule, self._settings.data
        stream = DocumentStream(
            self._settings.path(data.shards),
            stage.max_tokens,
            self._accelerator.process_index,
            self._accelerator.num_processes,
            data.seed,
            self._progress.shards_read,
        )
        packed = rows(iter(stream), schedule.row_tokens, self._choices)
        while True:
            batch = [next(packed) for _ in range(schedule.rows_per_step)]
            yield batch, stream.num_read

    def _evaluate(self) -> None:
        self._measured_at = self._progress.elapsed_s / 60
        if not self._is_main:
            return
        evaluation = self._settings.evaluation
        row_tokens = self._settings.schedule.row_tokens
        groups = measure(self._model, self._held_out(), evaluation.lengths, row_tokens, self._choices)
        for group in groups:
            self._log(
                max_tokens=group.max_tokens,
                documents=group.num_documents,
                exact=round(group.exact_share, 4),
                held_out_accuracy=round(group.token_accuracy, 5),
            )

    def _held_out(self) -> list[TokenizedExample]:
        folder = self._settings.path(self._settings.data.shards) / HELD_OUT
        documents = [document for path in shards_in(folder) for document in read_shard(path)]
        return documents[: self._settings.evaluation.documents]

    def _stop(self, number: int, frame: Any) -> None:
        self._is_stopped = True

    def _save(self) -> None:
        self._saved_at = self._progress.elapsed_s / 60
        if self._is_main:
            save_state(self._folder, self._progress, self._masters.state(), self._optimizers.state())

    def _resume(self) -> None:
        saved = load_state(self._folder)
        if saved is not None:
            self._progress, masters, optimizers = saved
            self._masters.load(masters)
            self._optimizers.load(optimizers)
            self._saved_at = self._measured_at = self._progress.elapsed_s / 60
