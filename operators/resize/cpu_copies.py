"""Axes of which every output sample is one input sample: crops, mirrored axes, nearest neighbor."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Array
from .axes import ResampledAxis, nearest_indices
from .cpu_passes import SCRATCH, transpose, transposed


def copy_both(image: Array, out: Array, vertical: ResampledAxis, horizontal: ResampledAxis) -> None:
    """Copy the rows and columns that both axes choose into C-contiguous `out`."""
    rows = pick_rows(image, vertical)
    indices = nearest_indices(horizontal, stepwise=False)
    columns = _as_slice(indices, horizontal)
    if columns is not None:
        np.copyto(out, rows[:, columns])
    else:
        transpose(_pick_transposed(rows, indices), out)


def pick_rows(image: Array, axis: ResampledAxis) -> Array:
    """Return the rows that `axis` copies: a view where they follow each other."""
    indices = nearest_indices(axis, stepwise=True)
    rows = _as_slice(indices, axis)
    if rows is not None:
        return image[rows]
    picked = SCRATCH.array("rows", (axis.out_size, *image.shape[1:]), image.dtype)
    # With `out`, NumPy makes another copy in the modes that can raise.
    return np.take(image, indices, axis=0, out=picked, mode="clip")


def pick_columns(image: Array, axis: ResampledAxis) -> Array:
    """Return the columns that `axis` copies: a view where they follow each other."""
    indices = nearest_indices(axis, stepwise=False)
    columns = _as_slice(indices, axis)
    if columns is not None:
        return image[:, columns]
    shape = (image.shape[0], axis.out_size, image.shape[2])
    picked = SCRATCH.array("columns", shape, image.dtype)
    transpose(_pick_transposed(image, indices), picked)
    return picked


def _pick_transposed(image: Array, columns: NDArray[np.intp]) -> Array:
    """Return the columns as rows: NumPy gathers whole rows much faster than pixels."""
    turned = transposed(image)
    picked = SCRATCH.array("picked", (len(columns), *turned.shape[1:]), image.dtype)
    return np.take(turned, columns, axis=0, out=picked, mode="clip")


def _as_slice(indices: NDArray[np.intp], axis: ResampledAxis) -> slice | None:
    """Return the indices as a slice, if each is one above the index before it."""
    first, last = int(indices[0]), int(indices[-1])
    if axis.scale == 1 and last - first == axis.out_size - 1:
        return slice(first, last + 1)
    return None
