"""Means and deviations of a batch along axes, on the GPU; the same numbers in every run."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..engine.batch import Batch
from ..engine.kernels import Kernel, c_type
from ..engine.operator import Array
from ..engine.tensors import TensorListGPU, address_of
from ..engine.types import to_numpy_type
from ._expression import merged, strides
from .kernels import descriptors, kernel

_THREADS = 256
_MOST_BLOCKS = 1024  # a sample; more work is done in loops
_LEAST_SUMMED = 8  # numbers that a thread sums before it shares the work with others of its block
_SUMMED = 64  # numbers that a thread sums before further blocks share the work,
_ENOUGH_THREADS = 1 << 17  # and more if so many threads are busy then
_MOST_SPLITS = 256
_ONCE = 4  # bytes: of larger numbers, float64 would lose digits in the difference of large sums
_MOST_FINISHED = 2048  # statistics of a sample that one block finishes
_SHARED_BYTES = _THREADS * np.dtype(np.float64).itemsize


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
        if whole:  # all the same, but for samples that could not be computed
            self._statistics[:] = self._statistics.max()
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
        self._runs = np.where(shapes.prod(axis=1) > 0, extents.prod(axis=1), 0)
        self._steps_of_runs = np.cumprod(self._outer[:, ::-1], axis=1)[:, ::-1] // self._outer
        self._reduced = np.where(roles == 0, self._outer, 1)
        columns = np.minimum(self._period, _THREADS)
        rows = _THREADS // columns
        self._lanes = np.minimum(rows, -(-self._length // _LEAST_SUMMED)).clip(1)
        summed = max(_SUMMED, int(shapes.prod(axis=1).sum()) // _ENOUGH_THREADS)
        shared = (self._length // (rows * summed)).clip(1, _MOST_SPLITS)
        self._splits = np.where(self._lanes == rows, shared, 1)
        self._parts = np.where(self._runs > 0, self._reduced.prod(axis=1) * self._splits, 0)
        blocks = -(-self._runs // (rows // self._lanes)) * -(-self._period // columns)
        self._blocks = min(int((blocks * self._splits).max()), _MOST_BLOCKS)

    def means(self) -> Values:
        """Return the means."""
        return self._one(None, 0, 1.0, 0.0, is_factor=False)

    def factors(self, means: Values, lost: int, scale: float, epsilon: float) -> Values:
        """Return `scale` over the deviation from the means; 0 where that is 0.

        The deviation is the root of the sum of squares over the count less `lost`, plus `epsilon`.
        """
        return self._one(means, lost, scale, epsilon, is_factor=True)

    def both(self, lost: int, scale: float, epsilon: float) -> tuple[Values, Values]:
        """Return means and factors; reads the samples once where that loses no accuracy."""
        if self._whole or self._exact.itemsize > _ONCE or self._type.itemsize > _ONCE:
            means = self.means()
            return means, self.factors(means, lost, scale, epsilon)
        varies = self._roles != 0
        steps = np.where(varies, self._steps_of_runs * (self._length * self._period)[:, None], 0)
        first = Values(self._data.pointers(), steps, self._data)
        runs, sums = self._runs_of(first, moments=True)
        group, (factors, means) = self._group_of(sums, lost, moments=True)
        if self._statistics.max() > _MOST_FINISHED:
            self._reduce(runs, moments=True)
            self._finish(group, scale, epsilon, moments=True)
            return means, factors
        most, lanes = self._shares(1)
        count = len(self._data)
        named = {f"group_{name}": value for name, value in group.items()}
        table = descriptors(count, **runs, **named, summed=np.zeros(count, np.uint32))
        self._batch.device.launch(
            self._kernel("reduce_and_finish", moments=True),
            (self._blocks, count),
            (_THREADS,),
            self._batch.device.upload(table),
            np.int64(most),
            np.int32(lanes),
            np.float64(scale),
            np.float64(epsilon),
            shared_bytes=_SHARED_BYTES,
        )
        return means, factors

    def _one(
        self, means: Values | None, lost: int, scale: float, epsilon: float, is_factor: bool
    ) -> Values:
        """Return factors, or means."""
        runs, sums = self._runs_of(means)
        self._reduce(runs)
        group, (result,) = self._group_of(sums, lost)
        self._finish(group, scale, epsilon, is_factor=is_factor)
        return result

    def _reduce(self, runs: dict[str, Any], moments: bool = False) -> None:
        """Launch `reduce`."""
        self._batch.device.launch(
            self._kernel("reduce", moments),
            (self._blocks, len(self._data)),
            (_THREADS,),
            self._batch.device.upload(descriptors(len(self._data), **runs)),
            shared_bytes=_SHARED_BYTES,
        )

    def _runs_of(
        self, means: Values | None, moments: bool = False
    ) -> tuple[dict[str, Any], tuple[Array, Any]]:
        """Return the members of `Runs`, and where the sums of each sample lie, and their memory."""
        sizes = self._runs * self._splits * self._period * (1 + moments)
        memory = self._batch.device.buffer(int(sizes.sum()) * np.dtype(np.float64).itemsize)
        partials = addresses_in(memory, sizes, np.dtype(np.float64).itemsize)
        if means is None or moments:
            varies = np.full(len(sizes), moments)
        else:
            varies = (means.steps != 0).any(axis=1)
        steps = means.steps if means is not None and moments else self._roles * varies[:, None]
        members = {
            "source": self._data.pointers(),
            "means": np.uint64(0) if means is None else means.addresses,
            "partial": partials,
            "runs": self._runs,
            "length": self._length,
            "period": self._period,
            "lanes": self._lanes,
            "splits": self._splits,
            "mean_step": varies.astype(np.int64),
            "extents": self._outer,
            "mean_steps": steps,
        }
        return members, (partials, memory)

    def _finish(
        self,
        group: dict[str, Any],
        scale: float,
        epsilon: float,
        *,
        is_factor: bool = True,
        moments: bool = False,
    ) -> None:
        """Launch `finish`."""
        device, together = self._batch.device, len(self._data) if self._whole else 1
        most, lanes = self._shares(together)
        blocks = -(-int(self._statistics.max()) // (_THREADS // lanes))
        device.launch(
            self._kernel("finish", moments),
            (min(blocks, _MOST_BLOCKS), len(self._data) // together),
            (_THREADS,),
            device.upload(descriptors(len(self._data), **group)),
            np.int32(together),
            np.int64(most),
            np.int32(lanes),
            np.int32(is_factor),
            np.float64(scale),
            np.float64(epsilon),
            shared_bytes=_SHARED_BYTES,
        )

    def _group_of(
        self, sums: tuple[Array, Any], lost: int, moments: bool = False
    ) -> tuple[dict[str, Any], list[Values]]:
        """Return the members of `Group`, and the results, to which with moments means belong."""
        count = np.full_like(self._count, self._count.sum()) if self._whole else self._count
        results = [self._place() for _ in range(1 + moments)]
        members = {
            "partial": sums[0],
            "out": results[0].addresses,
            "source": self._data.pointers(),
            "means": results[-1].addresses,
            "statistics": self._statistics,
            "parts": self._parts,
            "period": self._period,
            "splits": self._splits,
            "divisor": count - lost,
            "summed": count,
            "run": self._length * self._period,
            "kept": self._outer // self._reduced,
            "reduced": self._reduced,
            "steps": self._steps_of_runs,
        }
        return members, results

    def _shares(self, together: int) -> tuple[int, int]:
        """Return how many sums a sample's statistic has at most, and how many threads add them."""
        most = max(1, int(self._parts.max()))
        return most, min(_THREADS, 1 << (together * most // _LEAST_SUMMED).bit_length())

    def _place(self) -> Values:
        """Return memory for one value a statistic."""
        sizes = np.zeros_like(self._statistics) if self._whole else self._statistics
        nbytes = int(self._statistics[0] if self._whole else sizes.sum()) * self._exact.itemsize
        memory = self._batch.device.buffer(nbytes)
        return Values(addresses_in(memory, sizes, self._exact.itemsize), self._steps, memory)

    def _kernel(self, function: str, moments: bool = False) -> Kernel:
        return kernel(
            "statistics",
            function,
            In=c_type(self._type),
            Exact=c_type(self._exact),
            OUTER=str(self._outer.shape[1]),
            MOMENTS=str(int(moments)),
        )


def addresses_in(memory: Any, sizes: Array, itemsize: int) -> NDArray[np.uint64]:
    """Return where arrays of these sizes lie, one behind the other."""
    offsets = (np.cumsum(sizes) - sizes) * itemsize
    result: NDArray[np.uint64] = np.uint64(address_of(memory)) + offsets.astype(np.uint64)
    return result
