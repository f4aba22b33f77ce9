"""Affine maps of the frames of a batch, and the arguments that give them."""

from __future__ import annotations

from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import Float64s, Int64s
from ...engine.errors import ArgumentError
from ...engine.graph.operator import Operator
from ...engine.tensors import TensorList
from ...geometry.rounding import round_all_away
from .cpu_warp import MOST_EXTENT

_MOST = 2.0**62  # beyond this, sizes do not fit int64


class FrameMaps(NamedTuple):
    """The maps of the frames of a batch; an image or a volume is a single frame.

    Attributes:
        frames: number of frames of each sample: (batch,).
        possible: which samples can be computed; of the others nothing is written.
        extents, canvas: height and width before and after, with the depth of volumes before them:
            (batch, 2 or 3).
        matrices: from pixel indices of each result to those of its frame: (frames.sum(), 6 or 12),
            row by row. Meaningless if they are on the device alone.
        on_device: the same in device memory, if they are there.
    """

    frames: Int64s
    possible: NDArray[np.bool_]
    extents: Int64s
    canvas: Int64s
    matrices: Float64s
    on_device: object = None

    @property
    def first(self) -> Int64s:
        """The number of the first frame of each sample, among those of all samples."""
        return np.cumsum(self.frames) - self.frames

    @property
    def samples(self) -> Int64s:
        """The sample of each frame."""
        return samples_of(self.frames)


def given_matrix(matrix: object, matrix_input: object) -> Float64s:
    """Return the numbers of a sample's matrix, an argument or an input, one after the other."""
    return np.asarray(matrix if matrix_input is None else matrix_input, np.float64).reshape(-1)


def refuse_matrix(matrix: Float64s) -> NoReturn:
    """Raise ArgumentError for the numbers of a matrix that maps no positions."""
    wrong = "is singular" if np.isfinite(matrix).all() else "has numbers that are not finite"
    raise ArgumentError(f"the matrix {matrix.tolist()} {wrong}")


def samples_of(frames: Int64s) -> Int64s:
    """Return the sample of each frame, for the number of frames of each sample."""
    return np.repeat(np.arange(len(frames)), frames)


def every_frame(failed: NDArray[np.bool_], frames: Int64s) -> NDArray[np.bool_]:
    """Return which samples have no frame that failed: (batch,)."""
    return np.asarray(np.bincount(samples_of(frames), failed, len(frames)) == 0)


def per_frame(value: object, frames: Int64s, width: int = 1) -> tuple[Float64s, NDArray[np.bool_]]:
    """Return an argument's numbers for every frame, and which samples have the right count.

    Args:
        value: the argument: a `TensorList`, or the value for all samples.
        frames: number of frames of each sample.
        width: count of numbers of a frame.

    Returns:
        (frames.sum(), width) float64, with 0 for samples with another count of numbers; (batch,).
    """
    if isinstance(value, TensorList) and not value.is_dense_tensor():
        rows = [row.reshape(-1) for row in value.rows()]
    else:
        dense = value.dense() if isinstance(value, TensorList) else np.array([value])
        table = dense.reshape(len(dense), -1)
        if table.shape[1] == width:
            matrices = np.broadcast_to(table, (len(frames), width)).astype(np.float64)
            return matrices[samples_of(frames)], np.ones(len(frames), bool)
        rows = list(np.broadcast_to(table, (len(frames), table.shape[1])))
    counts = frames.tolist()
    known = np.array([row.size in (width, width * n) for row, n in zip(rows, counts, strict=True)])
    numbers = [
        np.broadcast_to(row.reshape(-1, width) if ok else 0.0, (n, width))
        for row, ok, n in zip(rows, known, counts, strict=True)
    ]
    return np.concatenate(numbers).astype(np.float64), known


def given_sizes(size: object, count: int, ndim: int = 2) -> Int64s:
    """Return the argument `size`, rounded: (count, ndim); 0 if it is not given, -1 if wrong."""
    if not isinstance(size, TensorList):
        table = np.array([size], np.float64)
    elif size.is_dense_tensor():
        table = size.dense().reshape(count, -1).astype(np.float64)
    else:
        rows = [row.reshape(-1) for row in size.rows()]
        return np.concatenate([given_sizes(tuple(row), 1, ndim) for row in rows])
    if table.shape[1] == 1:
        table = np.repeat(table, ndim, axis=1)
    if table.shape[1] != ndim:
        return np.full((count, ndim), -1 if table.size else 0)
    known = np.abs(table) <= _MOST  # neither infinite nor NaN
    rounded = round_all_away(np.where(known, table, -1))
    rounded[rounded == 0] = -1
    return np.broadcast_to(rounded, (count, ndim))


def canvases_fit(extents: Int64s, canvas: Int64s) -> NDArray[np.bool_]:
    """Return for which samples all extents lie in [1, MOST_EXTENT]."""
    every = np.concatenate([extents, canvas], axis=1)
    return np.asarray((every.min(axis=1) > 0) & (every.max(axis=1) <= MOST_EXTENT))


def check_extents(extent: tuple[int, ...], canvas: tuple[int, ...]) -> None:
    """Raise ArgumentError unless all extents of a sample and its canvas lie in [1, MOST_EXTENT]."""
    if not (min(*extent, *canvas) > 0 and max(*extent, *canvas) <= MOST_EXTENT):
        raise ArgumentError(
            f"cannot move the pixels of a sample of {extent} onto a canvas of {canvas}: every "
            f"extent must lie in [1, {MOST_EXTENT}]"
        )


def check_one_matrix(operator: Operator) -> None:
    """Raise ArgumentError unless an operator has its matrix as an argument or as an input."""
    if ("matrix" in operator.given) == (len(operator.layouts) > 1):
        raise ArgumentError(
            f"{operator.called} needs its matrix once: as the argument matrix or as the second "
            "input"
        )
