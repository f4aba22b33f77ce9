"""How random the orders of `shuffle_block` are: the table in docs/shuffling.md.

python benchmarks/shuffling.py
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from penstock.engine.order.block_permutation import Blocks
from penstock.engine.order.sampler import Sampler

SIZE = 1_281_167
BATCH = 256
CLASSES = 1000
ORDERS = (None, (1, 4096), (64, 64), (256, 16), (256, 64), (1024, 16), (1024, 1))


def main() -> None:
    print("block | window | samples | distance of neighbors | blocks/batch | classes/batch")
    for sizes in ORDERS:
        blocks = Blocks(*sizes) if sizes else None
        sampler = Sampler(SIZE, SIZE, shuffle=True, seed=1, blocks=blocks)
        order = sampler.select(0).index
        positions = np.empty(SIZE, np.int64)
        positions[order] = np.arange(SIZE)
        apart = np.abs(np.diff(positions)).mean() / SIZE
        batches = order[: SIZE // BATCH * BATCH].reshape(-1, BATCH)[::10]
        block = sizes[0] if sizes else 1
        print(
            *(sizes or ("", "")),
            sizes[0] * sizes[1] if sizes else SIZE,
            f"{apart:.4f}",
            f"{distinct(batches // block):.0f}",
            # As if the data lay sorted by class, the worst case.
            f"{distinct(batches // (SIZE // CLASSES)):.0f}",
            sep=" | ",
        )


def distinct(batches: NDArray[np.int64]) -> float:
    """Return the mean number of different numbers in a batch."""
    return float(np.mean([len(np.unique(batch)) for batch in batches]))


if __name__ == "__main__":
    main()
