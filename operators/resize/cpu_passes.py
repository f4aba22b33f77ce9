"""The steps over pixels: each is one or two library calls that do not hold the GIL."""

from __future__ import annotations

import threading

import cv2
import numpy as np

from ...engine.arrays import Array
from ...engine.tensors.memory import Scratch
from .cpu_bands import Band

# OpenBLAS starts threads of its own above this many multiply-adds a product.
_PRODUCTS_PER_CALL = 1 << 18
_KEEP_BYTES = 32 << 20

# Elements that are converted to floating point at a time. They stay in the cache, and a large
# photograph never takes four times its size.
_STRIP = 1 << 20

# cv2.transpose moves elements of these sizes, whatever they mean.
_MOVABLE = {1: np.uint8, 2: np.uint16, 4: np.int32, 8: np.float64}
_MOVABLE_CHANNELS = (1, 2, 3, 4)


class ThreadScratch(threading.local, Scratch):
    """Memory for intermediate results; each thread has its own. Blocks over 32 MiB are not kept."""

    def __init__(self) -> None:
        super().__init__(_KEEP_BYTES)


SCRATCH = ThreadScratch()
"""The memory that all passes use."""


def padded(
    scratch: Scratch, slot: str, band: Band, row_shape: tuple[int, ...]
) -> tuple[Array, Array]:
    """Return memory for a band's input: the whole with zeroed padding, and the slice to fill."""
    before, end = band.pad_before, band.pad_before + band.used
    whole = scratch.array(slot, (end + band.pad_after, *row_shape), band.weights.dtype)
    if before:
        whole[:before] = 0
    if band.pad_after:
        whole[end:] = 0
    return whole, whole[before:end]


def multiply(band: Band, source: Array, out: Array) -> None:
    """Resample axis 0 of `source`, made by `padded`, into `out` of `band.out_lines` rows.

    Both have the weights' dtype. Each row of `out` is contiguous; the rows may lie apart.
    """
    groups, blocks, lines, window = band.weights.shape
    width = source.size // source.shape[0]
    row_bytes = width * source.itemsize
    windows: Array = np.ndarray(
        (groups, blocks, window, width),
        source.dtype,
        source,
        (band.pad_before + band.offset) * row_bytes,
        (band.group_stride * row_bytes, band.stride * row_bytes, row_bytes, source.itemsize),
    )
    results = out.reshape(len(out), width).reshape(groups, blocks, lines, width)
    step = max(16, _PRODUCTS_PER_CALL // (lines * window))
    # NaNs of the image are not worth a warning, and some BLAS report errors that are none.
    with np.errstate(all="ignore"):
        for start in range(0, width, step):
            columns = np.s_[..., start : start + step]
            np.matmul(band.weights, windows[columns], out=results[columns])


def transpose(source: Array, out: Array) -> None:
    """Swap the first two axes of a (rows, columns, channels) array, converting at need."""
    rows, columns, channels = source.shape
    movable = _MOVABLE.get(source.itemsize)
    if (
        movable is None
        or source.dtype != out.dtype
        or channels not in _MOVABLE_CHANNELS
        or source.strides[1:] != (channels * source.itemsize, source.itemsize)
        or source.strides[0] < 0
        or not out.flags.c_contiguous
    ):
        np.copyto(out, source.swapaxes(0, 1))
        return
    if rows == 1 or columns == 1:
        np.copyto(out.reshape(-1, channels), source.reshape(-1, channels))
        return
    moved = out.view(movable)
    if channels == 1:
        cv2.transpose(source.view(movable)[:, :, 0], moved[:, :, 0])
    else:
        cv2.transpose(source.view(movable), moved)


def store(result: Array, out: Array, *, overshoots: bool) -> None:
    """Convert to the dtype of `out`; integers are rounded half to even and clamped.

    The function overwrites `result`. `overshoots` says whether `result` may lie below an unsigned
    range although the input does not.
    """
    if out.dtype.kind == "f":
        with np.errstate(over="ignore"):  # beyond the range of a narrower float is infinity
            np.copyto(out, result, casting="same_kind")
        return
    if out.dtype == np.uint8 and result.dtype == np.float32 and out.flags.c_contiguous:
        if overshoots:
            np.maximum(result, np.float32(0), out=result)
        cv2.convertScaleAbs(result.reshape(len(result), -1), out.reshape(len(out), -1))
        return
    limits = np.iinfo(out.dtype)
    np.rint(result, out=result)
    np.clip(result, limits.min, limits.max, out=result)
    np.copyto(out, result, casting="unsafe")


def transposed(image: Array) -> Array:
    """Return `transpose` of an image, in scratch memory."""
    turned = SCRATCH.array("turned", (image.shape[1], image.shape[0], image.shape[2]), image.dtype)
    transpose(image, turned)
    return turned


def store_transposed(result: Array, out: Array, overshoots: bool) -> None:
    """Convert as `store` does, then swap the first two axes."""
    if out.dtype != result.dtype:
        rounded = SCRATCH.array("turned", result.shape, out.dtype)
        store(result, rounded, overshoots=overshoots)
        result = rounded
    transpose(result, out)


def weighed(image: Array, band: Band) -> Array:
    """Return axis 0 of `image`, cropped to the samples used, resampled into scratch memory."""
    columns, channels = image.shape[1:]
    product = SCRATCH.array("product", (band.out_lines, columns, channels), band.weights.dtype)
    strip = max(1, _STRIP // (band.used * channels))
    for start in range(0, columns, strip):
        pixels = image[:, start : start + strip]
        source, filled = padded(SCRATCH, "source", band, pixels.shape[1:])
        np.copyto(filled, pixels)
        multiply(band, source, product[:, start : start + strip])
    return product[: band.out_size]


def weighed_twice(image: Array, first: Band, second: Band) -> Array:
    """Return axis 0 resampled by `first`, then axis 1 by `second`; the axes come out swapped."""
    between = weighed(image, first)
    source, filled = padded(SCRATCH, "source", second, (first.out_size, image.shape[2]))
    transpose(between, filled)
    product = SCRATCH.array("product", (second.out_lines, *source.shape[1:]), source.dtype)
    multiply(second, source, product)
    return product[: second.out_size]
