"""Formulas of affine maps [M T]: stacks of shape (count, n, n + 1), float64."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...engine.arrays import Float64s
from ...engine.errors import ArgumentError


def affine(linear: Float64s, offset: Float64s | None = None) -> Float64s:
    """Return [M T] of stacks of M, (count, n, n), and T, (count, n); without T it is 0."""
    result = np.zeros((*linear.shape[:2], linear.shape[2] + 1))
    result[..., :-1] = linear
    if offset is not None:
        result[..., -1] = offset
    return result


def about(linear: Float64s, center: Float64s | None) -> Float64s:
    """Return the maps whose linear part is given and which leave `center`, (count, n), in place."""
    if center is None:
        return affine(linear)
    return affine(linear, center - (linear @ center[..., np.newaxis])[..., 0])


def composed(first: Float64s, second: Float64s) -> Float64s:
    """Return the maps that apply `first`, and `second` to the result.

    >>> move = affine(np.eye(2)[None], np.array([[1.0, 0.0]]))
    >>> grow = affine(2 * np.eye(2)[None])
    >>> composed(move, grow)[0].tolist()
    [[2.0, 0.0, 2.0], [0.0, 2.0, 0.0]]
    """
    result: Float64s = second[..., :-1] @ first
    result[..., -1] += second[..., -1]
    return result


def diagonal(values: Float64s) -> Float64s:
    """Return the diagonal matrices (count, n, n) of values (count, n), which may be infinite."""
    result = np.zeros((*values.shape, values.shape[1]))
    indices = np.arange(values.shape[1])
    result[:, indices, indices] = values
    return result


def radians_of(degrees: object) -> Any:
    """Convert angles to radians in float32, as DALI does."""
    return (np.asarray(degrees, np.float32) * np.float32(math.pi / 180)).astype(np.float64)


def plane_rotations(degrees: Float64s) -> Float64s:
    """Return rotations from x to y: (count, 2, 2) for angles (count,)."""
    with np.errstate(invalid="ignore"):  # infinite angles become NaN
        cosine, sine = np.cos(radians_of(degrees)), np.sin(radians_of(degrees))
    return np.stack([cosine, -sine, sine, cosine], axis=-1).reshape(-1, 2, 2)


def space_rotations(degrees: Float64s, axes: Float64s) -> Float64s:
    """Return rotations about axes, counter-clockwise to a viewer at whom the axis points.

    The formula is Rodrigues': cos * I + sin * K + (1 - cos) * a a^T, in which K p is the cross
    product of the axis a and p.

    Args:
        degrees: angles: (count,).
        axes: (count, 3): vectors x, y, z of any length but 0.

    Raises:
        ArgumentError: an axis has no direction.
    """
    with np.errstate(all="ignore"):
        a = axes / np.sqrt((axes**2).sum(axis=-1, keepdims=True))
        if not np.isfinite(a).all():
            raise ArgumentError("axis must be three numbers, not all 0, that give a direction")
        cosine, sine = (f(radians_of(degrees))[:, None, None] for f in (np.cos, np.sin))
    cross = np.zeros((*a.shape, 3))
    for row, column, which in ((2, 1, 0), (0, 2, 1), (1, 0, 2)):
        cross[:, row, column] = a[:, which]
        cross[:, column, row] = -a[:, which]
    dyads = a[:, :, np.newaxis] * a[:, np.newaxis]
    result: Float64s = cosine * np.eye(3) + sine * cross + (1 - cosine) * dyads
    return result


def shears(factors: Float64s) -> Float64s:
    """Return the matrices (count, n, n) that have ones on the diagonal, and the factors beside it.

    Args:
        factors: (count, n * (n - 1)), row by row: xy, yx, or xy, xz, yx, yz, zx, zy.

    Raises:
        ArgumentError: the number of factors is neither 2 nor 6.
    """
    count = factors.shape[1]
    ndim = {2: 2, 6: 3}.get(count)
    if ndim is None:
        raise ArgumentError(
            f"a shear has 2 factors for 2 dimensions, or 6 for 3 dimensions, but there are {count}"
        )
    result = np.broadcast_to(np.eye(ndim), (len(factors), ndim, ndim)).copy()
    result[:, ~np.eye(ndim, dtype=bool)] = factors
    return result


def spread(name: str, values: Float64s, ndim: int) -> Float64s:
    """Return `ndim` numbers for each sample; one number stands for all dimensions.

    Raises:
        ArgumentError: there is another number of numbers.
    """
    if values.shape[1] not in (1, ndim):
        raise ArgumentError(
            f"{name} has {values.shape[1]} values for a map of {ndim} dimensions; give one for "
            "each dimension, or one for all"
        )
    return np.broadcast_to(values, (len(values), ndim))
