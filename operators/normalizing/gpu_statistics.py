"""Means and deviations of a batch along axes, on the GPU.

The order of the sums is fixed, so every run gives the same numbers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import DType, Int64s
from ...engine.gpu.kernels import c_type
from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Array
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ..elementwise.gpu_expression import merged, strides
from ..kernels import Pointers, addresses_in, kernel, struct_table

_THREADS = 256
_PACK_BYTES = 16  # bytes that a thread reads at once
_MOST_COLUMNS = 4  # maximum number of columns in a pack
_STEP_ALIGNMENT = 16  # a block's number of steps is a multiple of this, so packs stay aligned
ONCE = 4  # itemsize of the largest dtype whose sums one pass computes in float64 without loss
SUMS_BYTES = 16  # sizeof(Sums) in normalizing/sums.cuh

MAX_BLOCKS = 1024
"""Maximum number of blocks of a sample; the blocks loop over further work."""

MIN_RUN_ELEMENTS = 8
"""Minimum number of elements of a run for each thread."""

THREAD_BYTES = 128
"""Bytes that each thread sums, if a run has more than one block."""

WIDE_INDEX_ELEMENTS = 1 << 26
"""Number of elements from which indices in a sample have 64 bits. A thread may compute indices up
to 32 times as large."""

Members = dict[str, Any]


class Values(NamedTuple):
    """Means or factors on the device, which broadcast with the samples.

    Attributes:
        addresses: address of each sample's values: (batch,).
        steps: strides of the values on each axis, in values: (batch, ndim).
        memory: the values, which must live until the kernel is launched.
    """

    addresses: NDArray[np.uint64]
    steps: Int64s
    memory: Any


class _Runs:
    """The samples as runs: the last reduced axes, and the kept axes that follow.

    Attributes:
        steps: strides of the statistics on each axis, in statistics: (batch, ndim).
        statistics: number of statistics of each sample: (batch,).
        summed: number of elements of a statistic: (batch,).
        length, period: steps of a run, and elements of a step: (batch,).
        outer: extents of the axes before the runs: (batch, axes).
        kept: like `outer`, but 1 for reduced axes.
        reduced: like `outer`, but 1 for kept axes.
        roles: strides of the statistics on the axes of `outer`; 0 for reduced axes.
        runs: number of runs of each sample: (batch,).
        index: C type of indices in samples.
    """

    def __init__(self, shapes: Int64s, kept: NDArray[np.bool_]) -> None:
        statistics = np.where(kept, shapes, 1)
        self.steps = strides(statistics)
        self.statistics = statistics.prod(axis=1)
        self.summed = np.where(kept, 1, shapes).prod(axis=1)
        extents, roles = merged(shapes, self.steps)
        self.length = self.period = np.ones(len(shapes), np.int64)
        if ((roles[:, -1] != 0) | (extents[:, -1] == 1)).all():
            self.period, extents, roles = extents[:, -1].clip(1), extents[:, :-1], roles[:, :-1]
        if extents.shape[1] and (roles[:, -1] == 0).all():
            self.length, extents, roles = extents[:, -1], extents[:, :-1], roles[:, :-1]
        if not extents.shape[1]:
            extents, roles = np.ones((len(shapes), 1), np.int64), np.zeros((len(shapes), 1), int)
        elements = shapes.prod(axis=1)
        self.outer, self.roles = extents.clip(1), roles
        self.runs = np.where(elements > 0, extents.prod(axis=1), 0)
        self.reduced = np.where(roles == 0, self.outer, 1)
        self.kept = self.outer // self.reduced
        self.index = index_type(elements)

    def merge_statistics(self) -> None:
        """Give all samples the same statistics, also samples with errors."""
        self.statistics[:] = self.statistics.max()
        self.period = np.full_like(self.period, self.period.max())
        self.kept[:] = self.kept.max(axis=0)

    @property
    def steps_of_runs(self) -> Int64s:
        """Strides of the axes of `outer`, in runs: (batch, axes)."""
        steps: Int64s = np.cumprod(self.outer[:, ::-1], axis=1)[:, ::-1] // self.outer
        return steps


class _RunDivision:
    """The division of runs among threads and blocks.

    Attributes:
        pack: elements that a thread reads at once.
        columns: number of statistics to which the elements of a pack belong.
        lanes: elements of a column that a block reads at once: (batch,).
        steps_per_block: steps of a run that a block sums: (batch,).
        splits: number of blocks of a run: (batch,).
        partial_sums: number of partial sums of a statistic: (batch,).
        blocks: number of blocks of a sample.
    """

    def __init__(self, runs: _Runs, pointers: NDArray[np.uint64], itemsize: int) -> None:
        columns = np.minimum(runs.period, _THREADS)
        rows = _THREADS // columns
        self.lanes = np.minimum(rows, -(-runs.length // MIN_RUN_ELEMENTS)).clip(1)
        long, together = self.lanes == rows, rows // self.lanes
        self.pack = self.columns = 1
        self._set_packs(runs, pointers.astype(np.int64), itemsize, long)
        summed = rows * THREAD_BYTES // itemsize
        splits = np.where(long, (-(-runs.length // summed)).clip(1, MAX_BLOCKS), 1)
        aligned = -(-runs.length // (splits * _STEP_ALIGNMENT)) * _STEP_ALIGNMENT
        self.steps_per_block = aligned.clip(_STEP_ALIGNMENT)
        self.splits = -(-runs.length // self.steps_per_block)
        self.partial_sums = np.where(runs.runs > 0, runs.reduced.prod(axis=1) * self.splits, 0)
        blocks = -(-runs.runs // together) * -(-runs.period // columns)
        self.blocks = min(int((blocks * self.splits).max()), MAX_BLOCKS)

    def _set_packs(self, runs: _Runs, pointers: Int64s, itemsize: int, long: Array) -> None:
        """Let threads read packs if all runs are long and aligned to packs."""
        several = runs.period.max() > 1
        pack = _PACK_BYTES // itemsize
        if several:
            pack = min(pack, _MOST_COLUMNS)
        offsets = np.stack((runs.period * itemsize, pointers))
        fit = (runs.period <= _THREADS) | (offsets % (pack * itemsize) == 0).all(axis=0)
        if (long & fit)[runs.runs > 0].all():
            self.pack, self.columns = pack, pack if several else 1
            self.lanes *= pack


class Reduction:
    """The statistics of each sample, or of all samples together, along axes.

    Args:
        data: the samples.
        shapes: of the samples: (batch, ndim); at least one dimension.
        kept: whether each axis is kept, and not reduced: (batch, ndim).
        exact: float32 or float64, the dtype of the statistics.
        whole: whether the statistics are common to all samples, which agree on the kept axes.
    """

    def __init__(
        self,
        batch: BatchContext,
        data: TensorListGPU,
        shapes: Int64s,
        kept: NDArray[np.bool_],
        exact: DType,
        whole: bool,
    ) -> None:
        self._batch, self._data, self._exact, self._whole = batch, data, exact, whole
        self._dtype = to_numpy_type(data.dtype)
        self._runs = _Runs(shapes, kept)
        if whole:
            self._runs.merge_statistics()
        self._division = _RunDivision(self._runs, data.pointers(), self._dtype.itemsize)

    def means(self) -> Values:
        """Return the means."""
        means = self._new_values()
        self._compute(self._members((np.zeros(1, np.uint64), 0, 0), means=means), self._exact)
        return means

    def factors(self, means: Values, lost: int, scale: float, epsilon: float) -> Values:
        """Return `scale` over the deviation from the means; 0 where that is 0.

        The deviation is the root of the sum of squares over the count less `lost`, plus `epsilon`.
        """
        varies = (means.steps != 0).any(axis=1)
        origins = means.addresses, varies.astype(np.int64), self._runs.roles * varies[:, np.newaxis]
        factors = self._new_values()
        members = self._members(origins, factors=factors, lost=lost)
        self._compute(members, self._exact, scale, epsilon)
        return factors

    def both(self, lost: int, scale: float, epsilon: float) -> tuple[Values, Values]:
        """Return means and factors."""
        if max(self._exact.itemsize, self._dtype.itemsize) > ONCE:
            means = self.means()
            return means, self.factors(means, lost, scale, epsilon)
        # Sums from the first numbers as origins.
        runs = self._runs
        steps = runs.steps_of_runs * (runs.length * runs.period)[:, np.newaxis]
        steps *= runs.roles != 0
        origins = self._data.pointers()
        if self._whole:
            sample = int((runs.runs * runs.length * runs.period).argmax())
            origins, steps = origins[sample], steps[sample]
        means, factors = self._new_values(), self._new_values()
        members = self._members((origins, 1, steps), means, factors, lost)
        self._compute(members, self._dtype, scale, epsilon)
        return means, factors

    def _members(
        self,
        origins: tuple[Any, Any, Any],
        means: Values | None = None,
        factors: Values | None = None,
        lost: int = 0,
    ) -> Members:
        """Return the members of `Reduced` and the memory of the sums.

        Args:
            origins: addresses, and steps on the period and on the axes around the runs.
            means, factors: where results go.
            lost: see `factors`.
        """
        runs, division = self._runs, self._division
        sizes = runs.runs * division.splits * runs.period
        self._memory = self._batch.device.buffer(int(sizes.sum()) * SUMS_BYTES)
        count = np.full_like(runs.summed, runs.summed.sum()) if self._whole else runs.summed
        nowhere = np.zeros(1, np.uint64)
        return {
            "source": Pointers(self._data.pointers(), "const In*"),
            "origins": Pointers(origins[0], "const Origin*"),
            "partial": addresses_in(self._memory, sizes, SUMS_BYTES),
            "means": Pointers(means.addresses if means else nowhere, "Exact*"),
            "factors": Pointers(factors.addresses if factors else nowhere, "Exact*"),
            "runs": runs.runs,
            "length": runs.length,
            "period": runs.period,
            "lanes": division.lanes,
            "splits": division.splits,
            "part": division.steps_per_block,
            "origin_step": origins[1],
            "statistics": runs.statistics,
            "parts": division.partial_sums,
            "summed": count,
            "divisor": count - lost,
            "kept": runs.kept,
            "reduced": runs.reduced,
            "steps": runs.steps_of_runs,
            "origin_steps": np.broadcast_to(origins[2], runs.outer.shape),
        }

    def _compute(
        self, members: Members, origin: DType, scale: float = 0.0, epsilon: float = 0.0
    ) -> None:
        """Launch `reduce`, which sums, and `finish`, which makes statistics of the sums."""
        count, division = len(self._data), self._division
        device, macros = self._batch.device, self._macros(origin)
        table = device.upload_table(struct_table("Reduced", count, **members))
        shared = _THREADS * division.columns * SUMS_BYTES
        reduce = kernel("normalizing/statistics", "reduce", **macros)
        device.launch(reduce, (division.blocks, count), (_THREADS,), table, shared_bytes=shared)
        together = count if self._whole else 1
        most = max(1, int(division.partial_sums.max()))  # maximum over all samples
        largest = int(self._runs.statistics.max())
        free = _THREADS // max(1, 1 if self._whole else largest)
        lanes = min(1 << (max(1, free).bit_length() - 1), 1 << (together * most - 1).bit_length())
        blocks = min(-(-largest // (_THREADS // lanes)), MAX_BLOCKS)
        device.launch(
            kernel("normalizing/statistics", "finish", **macros),
            (blocks, count // together),
            (_THREADS,),
            table,
            np.int32(together),
            np.int32(lanes),
            np.int64(most),
            np.float64(scale),
            np.float64(epsilon),
            shared_bytes=shared,
        )

    def _new_values(self) -> Values:
        """Return memory for one value a statistic."""
        statistics = self._runs.statistics
        sizes = np.zeros_like(statistics) if self._whole else statistics
        nbytes = int(statistics[0] if self._whole else sizes.sum()) * self._exact.itemsize
        memory = self._batch.device.buffer(nbytes)
        addresses = addresses_in(memory, sizes, self._exact.itemsize)
        return Values(addresses, self._runs.steps, memory)

    def _macros(self, origin: DType) -> dict[str, str | int]:
        """Return the macros of statistics.cu for origins of a dtype."""
        return {
            "In": c_type(self._dtype),
            "Exact": c_type(self._exact),
            "Origin": c_type(origin),
            "Index": self._runs.index,
            "OUTER": self._runs.outer.shape[1],
            "PACK": self._division.pack,
            "COLUMNS": self._division.columns,
        }


def index_type(elements: Array) -> str:
    """Return a C type for the indices in samples that a thread computes."""
    return "int" if int(elements.max()) < WIDE_INDEX_ELEMENTS else "i64"
