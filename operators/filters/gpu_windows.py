"""Tables of kernels that work on windows around elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Int64s
from ...engine.tensors import TensorListGPU
from ..kernels import Pointers, StructTable, struct_table


def window_table(
    data: TensorListGPU,
    out: TensorListGPU,
    axes: Sequence[int],
    windows: Int64s,
    anchors: Int64s,
    possible: NDArray[np.bool_],
    **columns: Any,
) -> tuple[StructTable, Int64s]:
    """Return the table for windows.cuh, and the number of elements of each result.

    Args:
        data, out: the samples and their results.
        axes: of the windows, from the outermost on; what follows them are channels.
        windows, anchors: extents of each window, and the index in it of the element that becomes
            the result: (batch, axes).
        possible: which samples can be computed; of the others nothing is written.
        columns: further fields.
    """
    before, after = data.extents(), out.extents()
    elements = np.where(possible, after.prod(axis=1), 0)
    table = struct_table(
        "Sample",
        len(before),
        source=Pointers(data.pointers(), "const In*"),
        out=Pointers(out.pointers(), "Out*"),
        elements=elements,
        in_size=_three(before[:, axes], 1),
        size=_three(after[:, axes], 1),
        window=_three(windows, 1),
        anchor=_three(anchors, 0),
        channels=before[:, axes[-1] + 1 :].prod(axis=1).astype(np.int32),
        **columns,
    )
    return table, elements


def _three(values: Int64s, other: int) -> NDArray[np.int32]:
    """Return values of up to three axes as those of three axes: (batch, 3)."""
    columns = np.full((len(values), 3), other, np.int32)
    columns[:, 3 - values.shape[1] :] = values
    return columns
