"""Means and deviations of a batch along axes, on the GPU; the same numbers in every run."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...engine.batch import Batch
from ...engine.kernels import c_type
from ...engine.operator import Array
from ...engine.tensors import TensorListGPU, address_of
from ...engine.types import to_numpy_type
from ..kernels import descriptors, kernel
from ..numeric.expression import merged, strides

_THREADS = 256
_MOST_BLOCKS = 1024  # a sample; more work is done in loops
_LEAST_SUMMED = 8  # numbers that a thread sums before it shares the work with others of its block
_SUMMED_BYTES = 128  # that a thread sums before further blocks share the work
_PACK_BYTES = 16  # that a thread reads at once,
_MOST_COLUMNS = 4  # if they are not of more columns
_PARTS = 16  # a block's steps are a multiple of that, so packs begin where parts do
ONCE = 4  # bytes: of larger numbers, float64 would lose digits in the difference of large sums
_HUGE = 1 << 26  # elements of a sample; a thread's next steps may lead 32 times as far
SUMS_BYTES = 16  # of `Sums` in kernels/sums.cuh


Members = dict[str, Any]


class Values(NamedTuple):
    """Means or factors on the device, with which samples are broadcast.

    Attributes:
        addresses: of the values for each sample: (batch,).
        steps: how many values apart those of neighbours are on each axis: (batch, ndim).
        memory: what lies there.
    """

    addresses: NDArray[np.uint64]
    steps: NDArray[np.int64]
    memory: Any


class Reduction:
    """The statistics of samples, or of all of them together, along axes.

    Args:
        batch: whose device to use.
        data: the samples.
        shapes: of the samples: (batch, ndim); at least one dimension.
        kept: which axes are not reduced: (batch, ndim).
        exact: float32 or float64, what is computed with.
        whole: whether the samples, which agree on the axes that are kept, are taken together.
    """

    def __init__(
        self,
        batch: Batch,
        data: TensorListGPU,
        shapes: NDArray[np.int64],
        kept: NDArray[np.bool_],
        exact: np.dtype[Any],
        whole: bool,
    ) -> None:
        self._batch, self._data, self._exact, self._whole = batch, data, exact, whole
        statistics = np.where(kept, shapes, 1)
        self._type = to_numpy_type(data.dtype)
        self._steps = strides(statistics)
        self._statistics = statistics.prod(axis=1)
        self._count = np.where(kept, 1, shapes).prod(axis=1)
        # The last axes make runs: a reduced one, and one that is kept behind it.
        extents, roles = merged(shapes, self._steps)
        self._length = self._period = np.ones(len(shapes), np.int64)
        if ((roles[:, -1] != 0) | (extents[:, -1] == 1)).all():
            self._period, extents, roles = extents[:, -1].clip(1), extents[:, :-1], roles[:, :-1]
        if extents.shape[1] and (roles[:, -1] == 0).all():
            self._length, extents, roles = extents[:, -1], extents[:, :-1], roles[:, :-1]
        if not extents.shape[1]:
            extents, roles = np.ones((len(shapes), 1), np.int64), np.zeros((len(shapes), 1), int)
        self._outer, self._roles = extents.clip(1), roles
        elements = shapes.prod(axis=1)
        self._index = index_type(elements)
        self._runs = np.where(elements > 0, extents.prod(axis=1), 0)
        self._steps_of_runs = np.cumprod(self._outer[:, ::-1], axis=1)[:, ::-1] // self._outer
        self._reduced = np.where(roles == 0, self._outer, 1)
        self._kept = self._outer // self._reduced
        if whole:  # all the same, but for samples that could not be computed
            self._statistics[:] = self._statistics.max()
            self._period = np.full_like(self._period, self._period.max())
            self._kept[:] = self._kept.max(axis=0)
        columns = np.minimum(self._period, _THREADS)
        rows = _THREADS // columns
        self._lanes = np.minimum(rows, -(-self._length // _LEAST_SUMMED)).clip(1)
        long = self._lanes == rows
        together = rows // self._lanes
        self._pack = self._columns = 1
        pack = _PACK_BYTES // self._type.itemsize
        if self._period.max() > 1:
            pack = min(pack, _MOST_COLUMNS)
        places = np.stack((self._period * self._type.itemsize, data.pointers().astype(np.int64)))
        fit = (self._period <= _THREADS) | (places % (pack * self._type.itemsize) == 0).all(axis=0)
        if (long & fit)[self._runs > 0].all():
            self._pack, self._columns = pack, pack if self._period.max() > 1 else 1
            self._lanes *= pack
        summed = rows * _SUMMED_BYTES // self._type.itemsize
        shared = -(-self._length // summed)
        splits = np.where(long, shared.clip(1, _MOST_BLOCKS), 1)
        self._part = (-(-self._length // (splits * _PARTS)) * _PARTS).clip(_PARTS)
        self._splits = -(-self._length // self._part)
        self._parts = np.where(self._runs > 0, self._reduced.prod(axis=1) * self._splits, 0)
        blocks = -(-self._runs // together) * -(-self._period // columns)
        self._blocks = min(int((blocks * self._splits).max()), _MOST_BLOCKS)
        self._shared_bytes = _THREADS * self._columns * SUMS_BYTES

    def means(self) -> Values:
        """Return the means."""
        means = self._place()
        self._compute(self._members((np.uint64(0), 0, 0), means=means), self._exact)
        return means

    def factors(self, means: Values, lost: int, scale: float, epsilon: float) -> Values:
        """Return `scale` over the deviation from the means; 0 where that is 0.

        The deviation is the root of the sum of squares over the count less `lost`, plus `epsilon`.
        """
        varies = (means.steps != 0).any(axis=1)
        origins = means.addresses, varies.astype(np.int64), self._roles * varies[:, np.newaxis]
        factors = self._place()
        members = self._members(origins, factors=factors, lost=lost)
        self._compute(members, self._exact, scale, epsilon)
        return factors

    def both(self, lost: int, scale: float, epsilon: float) -> tuple[Values, Values]:
        """Return means and factors."""
        if max(self._exact.itemsize, self._type.itemsize) > ONCE:
            means = self.means()
            return means, self.factors(means, lost, scale, epsilon)
        # Sums from the first numbers as origins.
        steps = self._steps_of_runs * (self._length * self._period)[:, np.newaxis]
        steps *= self._roles != 0
        origins = self._data.pointers()
        if self._whole:
            sample = int((self._runs * self._length * self._period).argmax())
            origins, steps = origins[sample], steps[sample]
        means, factors = self._place(), self._place()
        members = self._members((origins, 1, steps), means, factors, lost)
        self._compute(members, self._type, scale, epsilon)
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
        sizes = self._runs * self._splits * self._period
        self._memory = self._batch.device.buffer(int(sizes.sum()) * SUMS_BYTES)
        count = np.full_like(self._count, self._count.sum()) if self._whole else self._count
        nowhere = np.uint64(0)
        return {
            "source": self._data.pointers(),
            "origins": origins[0],
            "partial": addresses_in(self._memory, sizes, SUMS_BYTES),
            "means": means.addresses if means else nowhere,
            "factors": factors.addresses if factors else nowhere,
            "runs": self._runs,
            "length": self._length,
            "period": self._period,
            "lanes": self._lanes,
            "splits": self._splits,
            "part": self._part,
            "origin_step": origins[1],
            "statistics": self._statistics,
            "parts": self._parts,
            "summed": count,
            "divisor": count - lost,
            "kept": self._kept,
            "reduced": self._reduced,
            "steps": self._steps_of_runs,
            "origin_steps": np.broadcast_to(origins[2], self._outer.shape),
        }

    def _compute(
        self, members: Members, origin: np.dtype[Any], scale: float = 0.0, epsilon: float = 0.0
    ) -> None:
        """Launch `reduce` and `finish`."""
        device, count = self._batch.device, len(self._data)
        table = device.upload(descriptors(count, **members))
        macros = self._macros(origin)
        device.launch(
            kernel("statistics", "reduce", **macros),
            (self._blocks, count),
            (_THREADS,),
            table,
            shared_bytes=self._shared_bytes,
        )
        together = count if self._whole else 1
        most = max(1, int(self._parts.max()))  # sums of a statistic of any sample
        statistics = 1 if self._whole else int(self._statistics.max())
        free = 1 << (max(1, _THREADS // max(1, statistics)).bit_length() - 1)
        lanes = min(free, 1 << (together * most - 1).bit_length())
        blocks = -(-int(self._statistics.max()) // (_THREADS // lanes))
        device.launch(
            kernel("statistics", "finish", **macros),
            (min(blocks, _MOST_BLOCKS), count // together),
            (_THREADS,),
            table,
            np.int32(together),
            np.int32(lanes),
            np.int64(most),
            np.float64(scale),
            np.float64(epsilon),
            shared_bytes=self._shared_bytes,
        )

    def _place(self) -> Values:
        """Return memory for one value a statistic."""
        sizes = np.zeros_like(self._statistics) if self._whole else self._statistics
        nbytes = int(self._statistics[0] if self._whole else sizes.sum()) * self._exact.itemsize
        memory = self._batch.device.buffer(nbytes)
        return Values(addresses_in(memory, sizes, self._exact.itemsize), self._steps, memory)

    def _macros(self, origin: np.dtype[Any]) -> dict[str, str]:
        """Return the macros of kernels/statistics.cu for origins of a type."""
        return {
            "In": c_type(self._type),
            "Exact": c_type(self._exact),
            "Origin": c_type(origin),
            "Index": self._index,
            "OUTER": str(self._outer.shape[1]),
            "PACK": str(self._pack),
            "COLUMNS": str(self._columns),
        }


def index_type(elements: Array) -> str:
    """Return a C type for places in samples, and for those of a thread's next steps behind it."""
    return "int" if int(elements.max()) < _HUGE else "i64"


def addresses_in(memory: Any, sizes: Array, itemsize: int) -> NDArray[np.uint64]:
    """Return where arrays of these sizes lie, one behind the other."""
    offsets = (np.cumsum(sizes) - sizes) * itemsize
    result: NDArray[np.uint64] = np.uint64(address_of(memory)) + offsets.astype(np.uint64)
    return result
