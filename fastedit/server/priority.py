"""Who goes first where passes of a target and everything else want the same processor: everything else."""

from __future__ import annotations

import os
import sys
import threading

MODEL_NICE = 3  # steps: enough for short work to come first, and for passes to keep a third of a busy processor
SWITCH_S = 0.001  # how long a thread may keep the interpreter from the one that answers clients; Python's own is 5 ms


def step_back() -> None:
    """Puts the calling thread, and the threads that it starts, behind the others. Does nothing where only whole
    processes have a priority."""
    if sys.platform == "linux":
        thread = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + MODEL_NICE)


def answer_promptly() -> None:
    """Lets the event loop have the interpreter soon, whatever other threads compute."""
    sys.setswitchinterval(SWITCH_S)
