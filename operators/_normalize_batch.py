"""`(data - mean) * factor + shift` on the GPU."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..engine.batch import Batch
from ..engine.kernels import c_type
from ..engine.operator import Array
from ..engine.tensors import TensorListGPU
from ..engine.types import to_numpy_type
from ._expression import merged, strides
from ._statistics import Values, addresses_in
from .kernels import descriptors, kernel, launch_lanes

_ROUNDS = 4  # groups of elements that a thread handles


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
    extents = data.extents()
    out = batch.device.empty(extents, dtype)
    if not data.ndim:
        extents = np.ones((len(data), 1), np.int64)
    both = [_along(values.steps, extents.shape[1]) for values in (means, factors)]
    loops, steps = merged(extents, np.stack(both))
    source = to_numpy_type(data.dtype)
    exact = np.dtype("f8" if dtype == np.float64 else "f4")
    elements = extents.prod(axis=1)
    table = descriptors(
        len(data),
        source=data.pointers(),
        out=out.pointers(),
        means=means.addresses,
        factors=factors.addresses,
        elements=elements,
        extents=loops,
        mean_strides=steps[0],
        factor_strides=steps[1],
    )
    function = kernel(
        "normalize",
        "normalize",
        In=c_type(source),
        Out=c_type(dtype),
        Exact=c_type(exact),
        DIMS=str(loops.shape[1]),
        ONE=str(int(not steps.any())),
    )
    largest = max(source.itemsize, dtype.itemsize)
    launch_lanes(batch, function, table, elements, largest, exact.type(shift), together=_ROUNDS)
    return out


def _along(steps: Array, ndim: int) -> Array:
    """Return steps for as many axes, with 0 in front where some are missing."""
    missing = np.zeros((len(steps), ndim - steps.shape[1]), np.int64)
    return np.concatenate([missing, steps], axis=1)
