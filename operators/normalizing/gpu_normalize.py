"""Compute `(data - mean) * factor + shift` on the GPU."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...engine.gpu.kernels import c_type
from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Array
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ..elementwise.gpu_expression import merged, strides
from ..kernels import (
    Pointers,
    addresses_in,
    kernel,
    lanes_of,
    launch_elements,
    steps_of_lanes,
    struct_table,
)
from .gpu_statistics import Values, index_type

_ROUNDS = 4  # packs of elements that a thread processes
_PACKS = 2  # packs that a thread reads before it writes
_MOST_REPEATED = 1 << 14  # maximum period of means and factors, in elements


def placed(batch: BatchContext, arrays: Sequence[Array]) -> Values:
    """Copy one array a sample to the device; copy an array of several samples only once."""
    distinct = list({id(array): array for array in arrays}.values())
    memory = batch.device.upload(np.concatenate([array.reshape(-1) for array in distinct]))
    sizes = np.array([array.size for array in distinct])
    starts = addresses_in(memory, sizes, arrays[0].itemsize)
    number_of = {id(array): i for i, array in enumerate(distinct)}
    ndim = max(array.ndim for array in arrays)
    shapes = np.array([(1,) * (ndim - array.ndim) + array.shape for array in distinct], np.int64)
    steps = strides(shapes.reshape(len(distinct), ndim))
    numbers = [number_of[id(array)] for array in arrays]
    return Values(starts[numbers], steps[numbers], memory)


def normalized(
    batch: BatchContext,
    data: TensorListGPU,
    means: Values,
    factors: Values,
    shift: float,
    dtype: np.dtype,
) -> TensorListGPU:
    """Return the normalized samples in a dtype."""
    work = _Work(batch, data, means, factors, dtype)
    function = kernel("normalizing/normalize", "normalize", **work.macros)
    table = struct_table("Sample", len(data), **work.members)
    launch_elements(batch.device, function, table, work.steps(), work.exact.type(shift))
    return work.out


class _Work:
    """The work of normalize.cu for a batch.

    Attributes:
        out: the results.
        members: fields of the kernel's struct `Sample`.
        macros: macros of the kernel.
        exact: dtype of the computation.
    """

    def __init__(
        self,
        batch: BatchContext,
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
        self._elements = elements
        self.members = {
            "source": Pointers(data.pointers(), "const In*"),
            "out": Pointers(self.out.pointers(), "Out*"),
            "means": Pointers(means.addresses, "const Exact*"),
            "factors": Pointers(factors.addresses, "const Exact*"),
            "elements": elements,
            "repeat": self._repeat,
            "extents": loops,
            "mean_strides": steps[0],
            "factor_strides": steps[1],
        }
        self.macros: dict[str, str | int] = {
            "In": c_type(source),
            "Out": c_type(dtype),
            "Exact": c_type(self.exact),
            "DIMS": loops.shape[1],
            "LANES": self._lanes,
            "PACKS": _PACKS,
            "Index": index_type(elements),
            "ONE": not bool(steps.any()),
            "REPEATED": bool(repeated),
            "SAME": bool((steps[0] == steps[1]).all()),
        }

    def steps(self) -> Array:
        """Return the number of threads of each sample if each thread processes _ROUNDS packs."""
        steps = steps_of_lanes(self._elements, self._largest, _ROUNDS)
        result: Array = np.maximum(steps, self._repeat // self._lanes)
        return result


def _along(steps: Array, ndim: int) -> Array:
    """Return steps for `ndim` axes, with 0 for leading axes that are missing."""
    missing = np.zeros((len(steps), ndim - steps.shape[1]), np.int64)
    return np.concatenate([missing, steps], axis=1)
