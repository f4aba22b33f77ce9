"""Samples normalised with their own statistics, in one launch that reads them once, on the GPU."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.batch import Batch
from ...engine.kernels import c_type
from ...engine.tensors import TensorListGPU
from ...engine.types import to_numpy_type
from ..kernels import descriptors, kernel, lanes_of
from ..numeric.expression import merged, strides
from .statistics import ONCE, SUMS_BYTES, addresses_in

_THREADS = 128
_KEPT = {True: 19, False: 16}  # packs of a row that a thread keeps, by whether they have 16 bytes
_PATIENCE = 1 << 14  # how often a block looks for the sums of others: some milliseconds
_MOST_ROWS = 16  # a sample
_MOST_PERIOD = 64
_MOST_SUMS = 1024  # of a row, all of which each of its blocks adds up


class _Rows(NamedTuple):
    """What has statistics of its own: steps of neighbours that are kept apart.

    Attributes:
        outer: rows of a sample: (batch,).
        elements: of a row: (batch,).
        period: how many neighbours: (batch,).
    """

    outer: NDArray[np.int64]
    elements: NDArray[np.int64]
    period: NDArray[np.int64]


def standardized(
    batch: Batch,
    data: TensorListGPU,
    shapes: NDArray[np.int64],
    kept: NDArray[np.bool_],
    lost: int,
    scale: float,
    epsilon: float,
    shift: float,
    dtype: np.dtype,
) -> TensorListGPU | None:
    """Return the samples normalised with their own statistics, in a type.

    None if one pass would lose accuracy, if what belongs together lies in too many places, or if
    the device may be too small for the blocks of a row to be at work together.

    Args:
        batch: whose device to use.
        data: the samples.
        shapes: of the samples: (batch, ndim); at least one dimension.
        kept: which axes are not reduced: (batch, ndim).
        lost, scale, epsilon: of the deviations: see `Reduction.factors`.
        shift: what is added last.
        dtype: of the results.
    """
    source, rows = to_numpy_type(data.dtype), _rows(shapes, kept)
    if rows is None or source.itemsize > ONCE or dtype == np.float64:
        return None
    lanes = lanes_of(max(source.itemsize, dtype.itemsize))
    packs = _KEPT[lanes * source.itemsize == 16]
    width, repeat = _THREADS * lanes, np.lcm(rows.period, lanes)
    least = -(-(rows.elements + lanes) // (packs * repeat)) * repeat  # between a thread's packs
    blocks: NDArray[np.int64] = -(-least // width)
    step, sums = blocks * width // repeat * repeat, blocks * rows.period
    most = int(blocks.max())
    if sums.max() > _MOST_SUMS or most > batch.device.multiprocessors:
        return None
    out = batch.device.empty(data.extents(), dtype)
    sample = np.repeat(np.arange(len(data)), rows.outer)
    begin = np.arange(len(sample)) - np.repeat(rows.outer.cumsum() - rows.outer, rows.outer)
    begin *= rows.elements[sample]
    memory = batch.device.buffer(int(sums[sample].sum()) * SUMS_BYTES)
    batch.device.fill(memory, 0xFF)
    table = descriptors(
        len(sample),
        source=data.pointers()[sample] + (begin * source.itemsize).astype(np.uint64),
        out=out.pointers()[sample] + (begin * dtype.itemsize).astype(np.uint64),
        partial=addresses_in(memory, sums[sample], SUMS_BYTES),
        elements=rows.elements[sample],
        period=rows.period[sample],
        step=step[sample],
        parts=blocks[sample],
        divisor=rows.elements[sample] // rows.period[sample] - lost,
    )
    one = int(rows.period.max() == 1)
    macros = {"In": c_type(source), "Out": c_type(dtype), "Exact": "float", "Index": "int"}
    macros |= {"Origin": c_type(source), "ONE": str(one), "KEPT": str(packs)}
    batch.device.launch(
        kernel("standardize", "standardize", **macros),
        (len(sample) * most,),
        (_THREADS,),
        batch.device.upload(table),
        np.int32(most),
        np.int32(_PATIENCE),
        np.float64(scale),
        np.float64(epsilon),
        np.float32(shift),
        shared_bytes=_THREADS * (1 if one else lanes) * SUMS_BYTES,
    )
    return out


def _rows(shapes: NDArray[np.int64], kept: NDArray[np.bool_]) -> _Rows | None:
    """Return the rows of samples; None if they have not that form, or too many or too wide ones."""
    extents, steps = merged(shapes, strides(np.where(kept, shapes, 1)))
    some = (steps != 0).sum(axis=0) > 0
    roles: list[bool] = some.tolist()
    if (some & (steps == 0) & (extents > 1)).any():
        return None  # an axis that is kept in some samples only
    outer = period = np.ones(len(shapes), np.int64)
    if len(roles) > 1 and roles[0]:
        outer, extents, roles = extents[:, 0].clip(1), extents[:, 1:], roles[1:]
    if roles[-1]:
        period, extents, roles = extents[:, -1].clip(1), extents[:, :-1], roles[:-1]
    if roles not in ([], [False]) or outer.max() > _MOST_ROWS or period.max() > _MOST_PERIOD:
        return None
    return _Rows(outer, shapes.prod(axis=1) // outer, period)
