"""The steps of all samples of a batch, as arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Array
from ...engine.graph.row_arguments import try_rows
from ...engine.tensors import TensorList
from .effects import EFFECTS, WIDTH, Floats


class Chains(NamedTuple):
    """The steps of the samples of a batch.

    Attributes:
        steps: (batch, most, 1 + WIDTH). Steps without an effect, which are skipped, are zeros, and
            so are those of samples with errors.
        usable: which samples have no error: (batch,).
    """

    steps: Floats
    usable: NDArray[np.bool_]


def chains_of(
    batch: BatchContext,
    steps: TensorList | None,
    effect: str | None,
    steps_of: Callable[[Array | None], Floats],
) -> Chains:
    """Return the steps of a batch. Samples with steps that the CPU refuses are not usable.

    Args:
        steps: of each sample; with `effect`, its parameter.
        effect: the only effect, or None.
        steps_of: see `Request`.
    """
    usable = np.ones(batch.size, bool)
    dense = steps is not None and steps.is_dense_tensor() and steps.dense()[:1].size > 0
    table = np.zeros((batch.size, 1, 1 + WIDTH), np.float32)
    given = steps.dense() if steps is not None and dense else None
    if effect is None and given is not None and given.shape[2:] == (1 + WIDTH,):
        table = given.astype(np.float32)  # a copy
    elif effect is not None and (steps is None or _fits(effect, given)):
        declared = EFFECTS[effect]
        table[:, 0, 0] = declared.number
        if given is not None and declared.width:
            table[:, 0, 1 : 1 + declared.width] = given.reshape(batch.size, -1)
    else:
        rows: list[Floats] = [np.zeros((0, 1 + WIDTH), np.float32)] * batch.size

        def read(row: int) -> None:
            rows[row] = steps_of(None if steps is None else steps.row(row))

        usable[try_rows(batch, range(batch.size), read)] = False
        table = np.zeros((batch.size, max(1, *map(len, rows)), 1 + WIDTH), np.float32)
        for row, chosen in enumerate(rows):
            table[row, : len(chosen)] = chosen
    numbers = table[..., 0]
    wrong = ~np.isfinite(table)
    wrong[..., 0] |= (numbers < 0) | (numbers >= len(EFFECTS))
    if wrong.any():
        usable &= ~wrong.any(axis=(1, 2))
        table[~usable] = 0
    table[numbers < 1] = 0
    return Chains(table, usable)


def _fits(effect: str, numbers: Array | None) -> bool:
    """Return whether all samples have the numbers of a parameter."""
    width = EFFECTS[effect].width
    return numbers is not None and (not width or numbers[0].size == width)
