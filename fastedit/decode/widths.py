"""Few widths instead of any: what a CPU's library remembers for every shape that it meets must not grow with use.

oneDNN, which forms torch's bfloat16 products on x86, makes a program for every shape, in half a millisecond, and keeps
the last 1,024 of them for the whole process: 0.55 MiB each, whatever the shape (torch 2.13, AVX-512). A pass of a new
width would be four or more of them. So a pass on a CPU is filled up with rows that nobody reads, which costs a few
per cent where the width came before and less than the new programs where it didn't; attention does the same with its
blocks, see `attention.causal_attention`.
"""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional

from fastedit.decode.verify import TokenChooser

SMALLEST_STEP = 8
STEPS_PER_DOUBLING = 8


def repeated_width(width: int) -> int:
    """The next of few widths: 1, then multiples of SMALLEST_STEP, later STEPS_PER_DOUBLING from one power of two to the
    next. So fewer than 8 rows are added, or less than an eighth.
    """
    if width <= 1:
        return width
    octave = 1 << ((width - 1).bit_length() - 1)  # octave < width <= 2 * octave
    step = max(SMALLEST_STEP, octave // STEPS_PER_DOUBLING)
    return -(-width // step) * step


class FewWidthsChooser(TokenChooser):
    """A TokenChooser that forms its logits at repeated widths."""

    def logits(self, hidden: Tensor) -> Tensor:
        """float32 [R, V]."""
        num_rows = len(hidden)
        filled = functional.pad(hidden, (0, 0, 0, repeated_width(num_rows) - num_rows))
        return super().logits(filled)[:num_rows]
