"""Normalize samples with their own statistics on the GPU, in one launch that reads them once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import DType
from ...engine.gpu.kernels import c_type
from ...engine.graph.context import BatchContext
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ..elementwise.gpu_expression import merged, strides
from ..kernels import Pointers, StructTable, addresses_in, kernel, lanes_of, struct_table
from .gpu_statistics import ONCE, SUMS_BYTES

_THREADS = 128
_KEPT = {True: 19, False: 16}
"""Packs of a row that a thread keeps in registers: True for packs of 16 bytes."""
_MOST_ROWS = 16  # maximum number of rows of a sample
_MOST_PERIOD = 64  # maximum number of statistics of a row

MAX_POLLS = 1 << 14
"""Number of times that a block polls for the sums of other blocks, in some milliseconds. After
that, the block sums the row itself."""

MAX_PARTIAL_SUMS = 1024
"""Maximum number of partial sums of a row; each block of the row adds them up."""


class Spread(NamedTuple):
    """Parameters of the normalization.

    Attributes:
        lost: difference between the number of elements and the divisor of the sum of squares.
        scale: numerator of the factors.
        epsilon: number to add to the variances.
        shift: number to add to the results.
    """

    lost: int
    scale: float
    epsilon: float
    shift: float


class _Rows(NamedTuple):
    """Rows of samples. Element i of a row belongs to statistic i modulo `period` of the row.

    Attributes:
        outer: number of rows of a sample: (batch,).
        elements: number of elements of a row: (batch,).
        period: number of statistics of a row: (batch,).
    """

    outer: NDArray[np.int64]
    elements: NDArray[np.int64]
    period: NDArray[np.int64]


class _RowDivision(NamedTuple):
    """The division of rows among blocks and threads.

    Attributes:
        lanes: elements of a pack, which a thread processes together.
        packs: packs that a thread keeps in registers.
        blocks: number of blocks of a row of each sample: (batch,).
        step: elements between two packs of a thread: (batch,).
    """

    lanes: int
    packs: int
    blocks: NDArray[np.int64]
    step: NDArray[np.int64]


def standardized(
    batch: BatchContext,
    data: TensorListGPU,
    shapes: NDArray[np.int64],
    kept: NDArray[np.bool_],
    spread: Spread,
    dtype: np.dtype,
) -> TensorListGPU | None:
    """Return the samples normalized with their own statistics.

    Return None if one pass would lose accuracy, or if the axes do not form rows. Return None also
    if the device may be too small for all blocks of a row to run at the same time.

    Args:
        data: the samples.
        shapes: of the samples: (batch, ndim); at least one dimension.
        kept: whether each axis is kept, and not reduced: (batch, ndim).
        spread: parameters of the normalization.
        dtype: of the results.
    """
    source, rows = to_numpy_type(data.dtype), _rows(shapes, kept)
    if rows is None or source.itemsize > ONCE or dtype == np.float64:
        return None
    division = _divided(rows, source.itemsize, dtype.itemsize)
    sums = division.blocks * rows.period
    if sums.max() > MAX_PARTIAL_SUMS or division.blocks.max() > batch.device.multiprocessors:
        return None
    out = batch.device.empty(data.extents(), dtype)
    memory = batch.device.buffer(int((sums * rows.outer).sum()) * SUMS_BYTES)
    batch.device.fill(memory, 0xFF)
    table = _table(data, out, rows, division, memory, spread.lost)
    _launch(batch, table, source, dtype, rows, division, spread)
    return out


def _divided(rows: _Rows, *itemsizes: int) -> _RowDivision:
    lanes = lanes_of(max(itemsizes))
    packs = _KEPT[lanes * itemsizes[0] == 16]
    width, repeat = _THREADS * lanes, np.lcm(rows.period, lanes)
    least = -(-(rows.elements + lanes) // (packs * repeat)) * repeat  # between a thread's packs
    blocks: NDArray[np.int64] = -(-least // width)
    return _RowDivision(lanes, packs, blocks, blocks * width // repeat * repeat)


def _table(
    data: TensorListGPU,
    out: TensorListGPU,
    rows: _Rows,
    division: _RowDivision,
    memory: object,
    lost: int,
) -> StructTable:
    """Return the table of all rows of all samples."""
    sample = np.repeat(np.arange(len(data)), rows.outer)
    start = np.arange(len(sample)) - np.repeat(rows.outer.cumsum() - rows.outer, rows.outer)
    start *= rows.elements[sample]

    def first_of(rows_of_samples: TensorListGPU) -> NDArray[np.uint64]:
        itemsize = to_numpy_type(rows_of_samples.dtype).itemsize
        addresses: NDArray[np.uint64] = rows_of_samples.pointers()[sample]
        return addresses + (start * itemsize).astype(np.uint64)

    sums = division.blocks * rows.period
    return struct_table(
        "Row",
        len(sample),
        source=Pointers(first_of(data), "const In*"),
        out=Pointers(first_of(out), "Out*"),
        partial=addresses_in(memory, sums[sample], SUMS_BYTES),
        elements=rows.elements[sample],
        period=rows.period[sample],
        step=division.step[sample],
        parts=division.blocks[sample],
        divisor=rows.elements[sample] // rows.period[sample] - lost,
    )


def _launch(
    batch: BatchContext,
    table: StructTable,
    source: DType,
    dtype: DType,
    rows: _Rows,
    division: _RowDivision,
    spread: Spread,
) -> None:
    one = bool(rows.period.max() == 1)
    macros: dict[str, str | int] = {"In": c_type(source), "Out": c_type(dtype)}
    macros |= {"Exact": "float", "Index": "int", "Origin": c_type(source)}
    macros |= {"ONE": one, "KEPT": division.packs, "LANES": division.lanes, "THREADS": _THREADS}
    most = int(division.blocks.max())
    batch.device.launch(
        kernel("normalizing/standardize", "standardize", **macros),
        (len(table) * most,),
        (_THREADS,),
        table,
        np.int32(most),
        np.int32(MAX_POLLS),
        np.float64(spread.scale),
        np.float64(spread.epsilon),
        np.float32(spread.shift),
        shared_bytes=_THREADS * (1 if one else division.lanes) * SUMS_BYTES,
    )


def _rows(shapes: NDArray[np.int64], kept: NDArray[np.bool_]) -> _Rows | None:
    """Return the rows of samples, or None if the axes do not form rows within the limits."""
    extents, steps = merged(shapes, strides(np.where(kept, shapes, 1)))
    some = (steps != 0).sum(axis=0) > 0
    roles: list[bool] = some.tolist()
    if (some & (steps == 0) & (extents > 1)).any():
        return None  # some samples keep an axis that other samples reduce
    outer = period = np.ones(len(shapes), np.int64)
    if len(roles) > 1 and roles[0]:
        outer, extents, roles = extents[:, 0].clip(1), extents[:, 1:], roles[1:]
    if roles[-1]:
        period, extents, roles = extents[:, -1].clip(1), extents[:, :-1], roles[:-1]
    if roles not in ([], [False]) or outer.max() > _MOST_ROWS or period.max() > _MOST_PERIOD:
        return None
    return _Rows(outer, shapes.prod(axis=1) // outer, period)
