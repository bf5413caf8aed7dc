"""Not a test: a program that `test_launches` runs in a process of its own, without the interpreter.

Calls every public kernel through Triton's own launcher up to where the driver would take over: arguments are bound,
specialised (a size of 1, a pointer's alignment, a TMA descriptor) and compiled as on a Hopper GPU. Prints the kernels.
"""

from typing import Any

import torch
from torch import Tensor
from triton.backends.compiler import GPUTarget
from triton.runtime.driver import driver
from triton.runtime.jit import JITFunction


class NoDevice:
    """As much of a driver as compiling asks for."""

    def get_current_device(self) -> int:
        return 0

    def get_current_stream(self, device: int) -> int:
        return 0

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("cuda", 90, 32)


def launch_without_device() -> None:
    launch = JITFunction.run

    def compile_only(self: JITFunction, *args: Any, grid: Any, warmup: bool, **options: Any) -> Any:
        kernel = launch(self, *args, grid=grid, warmup=True, **options)
        print(self.__name__, "wgmma" if "wgmma" in kernel.asm["ptx"] else "-")
        return kernel

    driver.set_active(NoDevice())
    JITFunction.run = compile_only


def index(*values: int) -> Tensor:
    return torch.tensor(values, dtype=torch.int32)


def half(*shape: int) -> Tensor:
    return torch.zeros(shape, dtype=torch.bfloat16)


def call_everything() -> None:
    from fastedit_kernels import EXACT, FAST, Sampling, gpu
    from fastedit_kernels.gpu.noise_kernel import gumbel_rows

    many = 257  # rows that go to the library's product
    gpu.verify(half(many, 64), half(300, 64), torch.zeros(many, dtype=torch.int32), index(0, many), mode=FAST)
    for rows in (1, 128):
        cu_rows, drafts = index(0, rows), torch.zeros(rows, dtype=torch.int32)
        sampling = Sampling(torch.zeros(1, dtype=torch.int64), torch.ones(1), index(*range(rows)))
        gpu.verify(half(rows, 64), half(300, 64), drafts, cu_rows, vocab_size=290)
        gpu.verify(half(rows, 64), half(300, 64), drafts, cu_rows, sampling=sampling, need_logprobs=True)
        gpu.verify(half(rows, 60), half(300, 60), drafts, cu_rows, mode=FAST)  # rows off the copy engine's grid
        gpu.rms_norm_residual(half(rows, 64), half(rows, 64), half(64), 1e-6)
        gpu.silu_mul(half(rows, 64))
    keys, values = half(1001, 2, 64), half(1001, 2, 64)
    for chunk in (1, 20):
        where = (keys, values, index(0, chunk), index(0), index(700))
        gpu.chunk_attention(half(chunk, 4, 64), *where, slot_len=1000, max_chunk=chunk, scale=0.1, mode=EXACT)
        gpu.chunk_attention(half(chunk, 4, 64), *where, slot_len=1000, max_chunk=chunk, scale=0.1, window=99, mode=FAST)
        gpu.append(half(chunk, 2, 64), half(chunk, 2, 64), *where, slot_len=1000)
        angles = torch.zeros(1000, 32)
        for norm in (None, half(64)):
            gpu.rope_append(
                half(chunk, 8 * 64), angles, angles, *where, slot_len=1000, num_heads=4, query_norm=norm, key_norm=norm
            )
    gumbel_rows(torch.zeros(2, dtype=torch.int64), index(1, 2), index(*range(9)))


if __name__ == "__main__":
    launch_without_device()
    call_everything()
