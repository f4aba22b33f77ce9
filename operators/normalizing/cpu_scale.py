"""Compute `multiplier * pixel + offset` for each channel, with mirroring and transposition.

The pixels are first copied into an order in which one channel, or one line, is contiguous. Then
NumPy converts, multiplies and adds the whole image, in a call each. These calls release the GIL.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from ...engine.arrays import DType
from ...engine.errors import ArgumentError
from ...engine.graph.context import Workspace
from ...engine.graph.operator import Array
from ..elementwise.saturation import saturate, saturated

_OPENCV_TYPES = frozenset(map(np.dtype, ("u1", "i1", "u2", "i2", "i4", "f4", "f8")))
_OPENCV_CHANNELS = 4


class Scaling(NamedTuple):
    """Factors of pixels, and offsets that are added to the products.

    Attributes:
        multiplier, offset: float32 of shape (channels,), or (1,) for all channels.
        table: result of each value of a byte, of shape (channels, 256) or (1, 256).
    """

    multiplier: NDArray[np.float32]
    offset: NDArray[np.float32]
    table: Array


def make_scaling(
    mean: Sequence[float],
    std: Sequence[float],
    scale: float,
    shift: float,
    dtype: DType,
) -> Scaling:
    """Return the scaling `scale * (pixel - mean) / std + shift` with results of type `dtype`."""
    if len(mean) != len(std) and 1 not in (len(mean), len(std)):
        raise ArgumentError(
            f"mean has {len(mean)} values, but std has {len(std)}; give each of them one value "
            "for each channel, or a single value for all channels"
        )
    if 0 in std:
        raise ArgumentError(f"std is {tuple(std)}, but no value may be 0, because std is a divisor")
    factor = scale / np.asarray(std, np.float64)
    multiplier, offset = affine(np.asarray(mean, np.float64), factor, shift)
    table = np.arange(256, dtype=np.float32) * multiplier[:, None] + offset[:, None]
    return Scaling(multiplier, offset, saturated(table, dtype))


def affine(mean: Array, factor: Array, shift: float) -> tuple[Array, Array]:
    """Return multiplier and offset of `(pixel - mean) * factor + shift`."""
    offset = shift - factor * mean
    return np.broadcast_to(factor, offset.shape).astype(np.float32), offset.astype(np.float32)


def write_scaled(
    workspace: Workspace,
    source: Array,
    layout: str,
    target: Array,
    target_layout: str,
    scaling: Scaling,
    mirror: bool,
) -> None:
    """Write the scaled pixels of `source` into `target`.

    Args:
        source: pixels of any dtype.
        layout: of the source, with a W, and with a C unless all channels have one scaling.
        target: array with the source's extents in the order of `target_layout`, and with the
            dtype of the scaling's results.
        target_layout: a permutation of `layout`.
        scaling: the factors and offsets.
        mirror: whether to swap left and right.
    """
    write = _by_opencv(source, layout, target, target_layout, scaling)
    if write is not None:
        for index in np.ndindex(source.shape[:-3]):
            write(workspace, source[index], mirror, target[index], scaling)
        return
    if mirror:
        source = np.flip(source, layout.index("W"))
    source = source.transpose([layout.index(letter) for letter in target_layout])
    exact = target if target.dtype == np.float32 else workspace.scratch(target.shape, np.float32)
    shape = [-1 if letter == "C" else 1 for letter in target_layout]
    _affine(source, exact, scaling.multiplier.reshape(shape), scaling.offset.reshape(shape))
    if exact is not target:
        saturate(exact, target)


def _contiguous(workspace: Workspace, image: Array, mirror: bool) -> Array:
    """Return the image, mirrored if `mirror` is set, in contiguous memory.

    OpenCV splits the channels of a window in a larger image up to fifteen times slower. Windows
    whose lines start at multiples of 32 bytes are an exception. The copy costs less than the slow
    split.
    """
    if not mirror and image.flags.c_contiguous:
        return image
    copy = workspace.scratch(image.shape, image.dtype)
    if mirror:
        cv2.flip(image, 1, dst=copy)
    else:
        np.copyto(copy, image)
    return copy


_Writer = Callable[[Workspace, Array, bool, Array, Scaling], None]


def _by_opencv(
    source: Array, layout: str, target: Array, target_layout: str, scaling: Scaling
) -> _Writer | None:
    """Return a fast function for source and target, or None if OpenCV cannot process them."""
    if (
        layout[-3:] != "HWC"
        or target_layout[:-3] != layout[:-3]
        or source.dtype not in _OPENCV_TYPES
        or not 0 < source.shape[-1] <= _OPENCV_CHANNELS
        or not source.size
        or not (source.dtype == np.uint8 or target.dtype == np.float32)
    ):
        return None
    if target_layout[-3:] == "CHW":
        return _look_up_to_planes if source.dtype == np.uint8 else _scale_to_planes
    if target_layout[-3:] == "HWC" and target.flags.c_contiguous:
        return _scale_lines if target.dtype == np.float32 else _look_up
    return None


def _affine(source: Array, target: Array, multiplier: Array, offset: Array) -> None:
    if source.dtype != np.float32 and np.can_cast(source.dtype, np.float32):
        # `np.multiply` would convert a few thousand pixels at a time, which takes longer.
        np.copyto(target, source)
        source = target
    np.multiply(source, multiplier, out=target, casting="same_kind")
    np.add(target, offset, out=target)


def _planes(workspace: Workspace, image: Array, mirror: bool) -> Array:
    """Return the channels one by one, mirrored if `mirror` is set.

    OpenCV writes past the caches if all planes lie alike between two multiples of 16 bytes. The
    next step would then have to fetch the planes from memory.
    """
    height, width, channels = image.shape
    nbytes = height * width * image.itemsize
    step = -(-nbytes // 16) * 16 + 8
    memory = workspace.scratch((channels * step,), np.dtype(np.uint8))
    strides = step, width * image.itemsize, image.itemsize
    planes: Array = np.ndarray((channels, height, width), image.dtype, memory, 0, strides)
    # The planes' memory comes first, so that it is the same, and cached, for all samples.
    cv2.split(_contiguous(workspace, image, mirror), list(planes))
    return planes


def _scale_to_planes(
    workspace: Workspace, image: Array, mirror: bool, target: Array, scaling: Scaling
) -> None:
    planes = _planes(workspace, image, mirror)
    multiplier, offset = (
        factor.reshape(-1, 1, 1) for factor in (scaling.multiplier, scaling.offset)
    )
    _affine(planes, target, multiplier, offset)


def _look_up_to_planes(
    workspace: Workspace, image: Array, mirror: bool, target: Array, scaling: Scaling
) -> None:
    planes, out, table = _planes(workspace, image, mirror), _bits(target), _bits(scaling.table)
    for i, plane in enumerate(planes):
        cv2.LUT(plane, table[i % len(table)], dst=out[i])


def _scale_lines(
    workspace: Workspace, image: Array, mirror: bool, target: Array, scaling: Scaling
) -> None:
    """Scale whole lines (red, green, blue, red ...), because loops over three elements are slow."""
    height, width, channels = image.shape
    lines = (height, width * channels)
    repeats = width if scaling.offset.size > 1 else 1
    multiplier, offset = np.tile(scaling.multiplier, repeats), np.tile(scaling.offset, repeats)
    source = _contiguous(workspace, image, mirror).reshape(lines)
    _affine(source, target.reshape(lines), multiplier, offset)


def _look_up(
    workspace: Workspace, image: Array, mirror: bool, target: Array, scaling: Scaling
) -> None:
    table = np.broadcast_to(_bits(scaling.table), (image.shape[-1], 256))
    values = cv2.LUT(_contiguous(workspace, image, mirror), table.T.reshape(1, 256, -1))
    np.copyto(_bits(target), values.reshape(target.shape))


def _bits(array: Array) -> Array:
    """Return float16 as int16, because OpenCV's table look-up does not support float16."""
    return array.view(np.int16) if array.dtype == np.float16 else array
