"""Has the drafts of prompts made: by a process, so that the engine's never waits for Python's lock meanwhile.

A thread asks the process and keeps what it made, by prompt. The process ends with the engine's.
"""

from __future__ import annotations

import logging
import os
import pickle
import subprocess
import sys
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import numpy as np

from fastedit.targets.codec import TokenizerCodec
from fastedit.targets.templates import PromptTemplate
from fastedit.vllm.lookup import Tokens
from fastedit.vllm.planning import Plan, Planner

logger = logging.getLogger(__name__)

START = "import sys; sys.path[:] = sys.argv[1:]; from fastedit.vllm.making import serve; serve()"


class Maker:
    """Has plans made, one after the other.

    tokenizer: the target's, as a `tokenizers.Tokenizer`. templates, ending: see `Planner`. num_kept: prompts whose
    drafts are kept.
    """

    num_kept = 256

    def __init__(self, tokenizer: Any, templates: Sequence[PromptTemplate], ending: Sequence[int]) -> None:
        self._codec = TokenizerCodec(tokenizer)
        self._setup = (tokenizer.to_str(), tuple(templates), tuple(ending))
        self._kept: OrderedDict[bytes, Plan] = OrderedDict()  # the thread's own
        self._process: subprocess.Popen[bytes] | None = None
        self._is_closed = False
        self._thread = ThreadPoolExecutor(1, "fastedit-draft")
        self._thread.submit(self._ask, np.zeros(1, np.int32))  # starts both, and loads what the first edit needs

    @property
    def codec(self) -> TokenizerCodec:
        return self._codec

    def begin(self, prompt: Tokens) -> Future[Plan]:
        """Starts to make a prompt's plan. prompt: (N,), not to be changed afterwards."""
        return self._thread.submit(self._plan, prompt)

    def run(self, work: Callable[[], None]) -> Future[None]:
        """Has the thread do something else that would take the engine's loop too long."""
        return self._thread.submit(work)

    def close(self) -> None:
        """Ends the thread and the process; what was asked for is an empty plan."""
        self._is_closed = True
        if self._process is not None:
            self._process.kill()
        self._thread.shutdown(cancel_futures=True)
        self._end_process()

    def _plan(self, prompt: Tokens) -> Plan:
        key = prompt.tobytes()
        plan = self._kept[key] if key in self._kept else self._ask(prompt)
        self._kept[key] = plan
        self._kept.move_to_end(key)
        while len(self._kept) > self.num_kept:
            self._kept.popitem(last=False)
        return plan

    def _ask(self, prompt: Tokens) -> Plan:
        """The process's plan; an empty one, with a line in the log, where it fails or dies: the next gets another."""
        if self._is_closed:
            return ()
        try:
            process = self._process = self._process or self._started()
            assert process.stdin is not None
            assert process.stdout is not None
            pickle.dump(prompt, process.stdin)
            process.stdin.flush()
            plan, problem = pickle.load(process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            plan, problem = (), f"its process has ended ({type(error).__name__})"
            self._end_process()
        if problem and not self._is_closed:
            logger.warning("no merged draft for a prompt, it is looked up only: %s", problem)
        for one in plan:
            one.source.use(self._codec)
        made: Plan = plan
        return made

    def _end_process(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):  # what was still to be written has no reader
                    pipe.close()

    def _started(self) -> subprocess.Popen[bytes]:
        # Not multiprocessing: vLLM's workers are daemons, which may have no such children.
        command = [sys.executable, "-c", START, *sys.path]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdin is not None
        pickle.dump(self._setup, process.stdin)
        return process


def serve() -> None:
    """The process: a plan for each prompt from standard input, until that ends."""
    from tokenizers import Tokenizer

    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything prints must not get among the answers
    asked = sys.stdin.buffer
    tokenizer, templates, ending = pickle.load(asked)
    planner = Planner(TokenizerCodec(Tokenizer.from_str(tokenizer)), templates, ending)
    while True:
        try:
            prompt = pickle.load(asked)
        except EOFError:
            return
        pickle.dump(_answer(planner, prompt.tolist()), answers)
        answers.flush()


def _answer(planner: Planner, prompt: list[int]) -> tuple[Plan, str]:
    try:
        return planner.plan(prompt), ""
    except Exception as error:  # noqa: BLE001 one prompt must not end the process
        return (), f"{type(error).__name__}: {error}"
