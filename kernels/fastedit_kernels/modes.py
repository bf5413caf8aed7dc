"""The two promises that a pass can keep: `EXACT` and `FAST`.

A matrix product of 16 rows and one of 128 go through different kernels and differ in the last bits, and now and
then a near-tie flips. So what a row's logits depend on is a choice:

`EXACT`  prompt and seed only, whatever the draft, the chunks and the batch mates. Every pass is padded to one row
         bucket (a 128-row tile costs what 16 rows cost while the pass is memory-bound), keys are always summed in
         the same splits, and `verify` and attention always run the same tile.
`FAST`   any bucket, any tile, splits by load. The flip rate against `EXACT` is measured, not assumed.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mode:
    """How a pass may be cut up.

    row_buckets: the numbers of packed tokens that a pass is padded to, ascending. is_exact: one tile for every
    number of rows. keys_per_split: keys that one attention program sums, None to choose by load.
    """

    name: str
    row_buckets: tuple[int, ...]
    is_exact: bool
    keys_per_split: int | None = None

    def row_bucket(self, num_rows: int) -> int:
        """The smallest bucket that holds `num_rows`; ValueError where none does."""
        for bucket in self.row_buckets:
            if num_rows <= bucket:
                return bucket
        raise ValueError(f"{num_rows} rows don't fit the largest row bucket {self.row_buckets[-1]} of mode {self.name}")


EXACT = Mode("exact", row_buckets=(128,), is_exact=True, keys_per_split=512)
FAST = Mode("fast", row_buckets=(1, 16, 32, 64, 128, 192, 256, 512, 1024, 2048), is_exact=False)
