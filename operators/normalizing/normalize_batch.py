"""`(data - mean) * factor + shift` on the GPU."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...engine.batch import Batch
from ...engine.kernels import c_type
from ...engine.operator import Array
from ...engine.tensors import TensorListGPU
from ...engine.types import to_numpy_type
from ..kernels import descriptors, kernel, lanes_of, launch_elements, steps_of_lanes
from ..numeric.expression import merged, strides
from .statistics import Values, addresses_in, index_type

_ROUNDS = 4  # groups of elements that a thread handles
_MOST_REPEATED = 1 << 14  # numbers with means of their own, which are then the same again


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
    launch_elements(batch, function, table, work.steps(), work.exact.type(shift))
    return work.out


class _Work:
    """What kernels/normalize.cuh has to do for a batch.

    Attributes:
        out: the results.
        members: of `Sample`.
        macros: of the file.
        exact: the type that is computed with.
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
        self._largest = max(source.itemsize, dtype.itemsize)
        self._lanes = lanes_of(self._largest)
        self._repeat = np.lcm(np.where(steps[..., -1].any(axis=0), loops[:, -1], 1), self._lanes)
        repeated = not steps[..., :-1].any() and self._repeat.max() <= _MOST_REPEATED
        self._repeat = self._repeat.clip(1) if repeated else np.ones_like(elements)
        self.members = {
            "source": data.pointers(),
            "out": self.out.pointers(),
            "means": means.addresses,
            "factors": factors.addresses,
            "elements": elements,
            "repeat": self._repeat,
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
            "REPEATED": str(int(repeated)),
            "SAME": str(int((steps[0] == steps[1]).all())),
        }

    def steps(self) -> Array:
        """Return how many threads each sample needs that handle _ROUNDS packs."""
        steps = steps_of_lanes(self.members["elements"], self._largest, _ROUNDS)
        result: Array = np.maximum(steps, self._repeat // self._lanes)
        return result


def _along(steps: Array, ndim: int) -> Array:
    """Return steps for as many axes, with 0 in front where some are missing."""
    missing = np.zeros((len(steps), ndim - steps.shape[1]), np.int64)
    return np.concatenate([missing, steps], axis=1)
