"""The kernels run in Triton's interpreter here, which has to be said before Triton is imported."""

import os

os.environ["TRITON_INTERPRET"] = "1"

import pytest
import torch


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)
