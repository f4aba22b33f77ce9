"""`(data - mean) * factor + shift` on the GPU."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...engine.batch import Batch
from ...engine.kernels import c_type
from ...engine.operator import Array
from ...engine.tensors import TensorListGPU
from ...engine.types import to_numpy_type
from ..kernels import THREADS, blocks_for, descriptors, kernel, launch_lanes, steps_of_lanes
from ..numeric.expression import merged, strides
from .statistics import Reduction, Values, addresses_in, index_type

_ROUNDS = 4  # groups of elements that a thread handles
_ROUNDS_AHEAD = 8
_AHEAD_BYTES = 16 << 20  # between those that are summed and those that are normalised: half a cache


def placed(batch: Batch, arrays: Sequence[Array]) -> Values:
    """Bring one array a sample to the device; of arrays that are one and the same, one copy."""
    distinct = list({id(array): array for array in arrays}.values())
    memory = batch.device.upload(np.concatenate([array.reshape(-1) for array in distinct]))
    sizes = np.array([array.size for array in distinct])
    starts = addresses_in(memory, sizes, arrays[0].itemsize)
    places = {id(array): i for i, array in enumerate(distinct)}
    ndim = max(array.ndim for array in arrays)
    shapes = np.array([(1,) * (ndim - array.ndim) + array.shape for array in distinct], np.int64)
    steps = strides(shapes.reshape(len(distinct), ndim))
    rows = [places[id(array)] for array in arrays]
    return Values(starts[rows], steps[rows], memory)


def normalized(
    batch: Batch,
    data: TensorListGPU,
    means: Values,
    factors: Values,
    shift: float,
    dtype: np.dtype,
) -> TensorListGPU:
    """Return the normalised samples in a type."""
    work = _Work(batch, data, means, factors, dtype)
    function = kernel("normalize", "normalize", **work.macros)
    table = descriptors(len(data), **work.members)
    elements, largest = work.members["elements"], work.largest
    added = work.exact.type(shift)
    launch_lanes(batch, function, table, elements, largest, added, together=_ROUNDS)
    return work.out


def standardized(
    batch: Batch,
    data: TensorListGPU,
    reduction: Reduction,
    lost: int,
    scale: float,
    epsilon: float,
    shift: float,
    dtype: np.dtype,
) -> TensorListGPU:
    """Return the samples normalised with their own statistics, in a type.

    Args:
        batch, data, shift, dtype: as above.
        reduction: of the samples.
        lost, scale, epsilon: of the deviations: see `Reduction.factors`.
    """
    if not (reduction.at_once and reduction.is_small):
        return normalized(batch, data, *reduction.both(lost, scale, epsilon), shift, dtype)
    members, means, factors = reduction.sums_from_first(lost)
    work = _Work(batch, data, means, factors, dtype)
    of_sample = {f"sample_{name}": value for name, value in work.members.items()}
    count, elements = len(data), work.members["elements"]
    table = descriptors(count, **members, **of_sample, done=np.zeros(count, np.uint32))
    mean_bytes = max(1, int(elements.mean())) * to_numpy_type(data.dtype).itemsize
    ahead = min(count, -(-_AHEAD_BYTES // mean_bytes))
    normalizing = blocks_for(steps_of_lanes(elements, work.largest, _ROUNDS_AHEAD))
    most, lanes = reduction.shares()
    macros = reduction.macros(to_numpy_type(data.dtype)) | work.macros
    batch.device.launch(
        kernel("standardize", "standardize", **macros),
        ((count + ahead) * (reduction.blocks + 1 + normalizing),),
        (THREADS,),
        batch.device.upload(table),
        np.int32(count),
        np.int32(ahead),
        np.int32(reduction.blocks),
        np.int32(normalizing),
        np.int32(lanes),
        np.int64(most),
        np.float64(scale),
        np.float64(epsilon),
        work.exact.type(shift),
        shared_bytes=reduction.shared_bytes + table.itemsize,
    )
    return work.out


class _Work:
    """What kernels/normalize.cuh has to do for a batch.

    Attributes:
        out: the results.
        members: of `Sample`.
        macros: of the file.
        exact: the type that is computed with.
        largest: size in bytes of the largest type.
    """

    def __init__(
        self,
        batch: Batch,
        data: TensorListGPU,
        means: Values,
        factors: Values,
        dtype: np.dtype,
    ) -> None:
        extents = data.extents()
        self.out = batch.device.empty(extents, dtype)
        if not data.ndim:
            extents = np.ones((len(data), 1), np.int64)
        both = [_along(values.steps, extents.shape[1]) for values in (means, factors)]
        loops, steps = merged(extents, np.stack(both))
        elements = extents.prod(axis=1)
        source = to_numpy_type(data.dtype)
        self.exact = np.dtype("f8" if dtype == np.float64 else "f4")
        self.largest = max(source.itemsize, dtype.itemsize)
        self.members = {
            "source": data.pointers(),
            "out": self.out.pointers(),
            "means": means.addresses,
            "factors": factors.addresses,
            "elements": elements,
            "extents": loops,
            "mean_strides": steps[0],
            "factor_strides": steps[1],
        }
        self.macros = {
            "In": c_type(source),
            "Out": c_type(dtype),
            "Exact": c_type(self.exact),
            "DIMS": str(loops.shape[1]),
            "Index": index_type(elements),
            "ONE": str(int(not steps.any())),
            "SAME": str(int((steps[0] == steps[1]).all())),
        }


def _along(steps: Array, ndim: int) -> Array:
    """Return steps for as many axes, with 0 in front where some are missing."""
    missing = np.zeros((len(steps), ndim - steps.shape[1]), np.int64)
    return np.concatenate([missing, steps], axis=1)
