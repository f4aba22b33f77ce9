"""Resampling of the two axes of an image, one after the other, in the cheaper order."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .bands import Band, BandCache
from .filters import Axis, Filter, nearest_indices
from .passes import Scratch, multiply, padded, store, transpose

_BANDS = BandCache()
_SCRATCH = Scratch()

# float32 holds every value of these; the others are computed in float64.
_FLOAT32_HOLDS = frozenset(
    np.dtype(name) for name in ("uint8", "int8", "uint16", "int16", "float16", "float32")
)
_NON_NEGATIVE = frozenset((Filter.NEAREST, Filter.LINEAR, Filter.GAUSSIAN))

# Cost of moving one element in a transpose, in multiply-adds: bytes, and floats.
_MOVE_PIXEL = 2
_MOVE_FLOAT = 5

# Elements that are converted to floating point at a time: they stay in the cache, and a
# large photograph is never held as a whole in four times its size.
_STRIP = 1 << 20


def resample_axes(image: NDArray[Any], out: NDArray[Any], vertical: Axis, horizontal: Axis) -> None:
    """Resample `image` (height, width, channels) into C-contiguous `out`.

    Axes whose samples are copies go first, in the image's own dtype; the others are weighed
    in floating point and rounded once, at the end.
    """
    copies = vertical.copies(), horizontal.copies()
    if all(copies):
        _copy_both(image, out, vertical, horizontal)
        return
    work = np.float32 if image.dtype in _FLOAT32_HOLDS else np.float64
    overshoots = image.dtype.kind != "u" or not _NON_NEGATIVE.issuperset(
        (vertical.filter, horizontal.filter)
    )
    if copies[0]:
        picked = _pick_rows(image, vertical)
        _weigh_columns(picked, out, _BANDS.get(horizontal, work), overshoots)
    elif copies[1]:
        picked = _pick_columns(image, horizontal)
        _weigh_rows(picked, out, _BANDS.get(vertical, work), overshoots)
    else:
        bands = _BANDS.get(vertical, work), _BANDS.get(horizontal, work)
        _weigh_both(image, out, *bands, overshoots)


def _copy_both(image: NDArray[Any], out: NDArray[Any], vertical: Axis, horizontal: Axis) -> None:
    rows = _pick_rows(image, vertical)
    indices = nearest_indices(horizontal, stepwise=False)
    columns = _as_slice(indices, horizontal)
    if columns is not None:
        np.copyto(out, rows[:, columns])
    else:
        transpose(_picked_transposed(rows, indices), out)


def _pick_rows(image: NDArray[Any], axis: Axis) -> NDArray[Any]:
    """The rows that `axis` copies: a view where they follow each other."""
    indices = nearest_indices(axis, stepwise=True)
    rows = _as_slice(indices, axis)
    if rows is not None:
        return image[rows]
    picked = _SCRATCH.array("rows", (axis.out_size, *image.shape[1:]), image.dtype)
    # With `out`, only the modes that cannot raise go without another copy.
    return np.take(image, indices, axis=0, out=picked, mode="clip")


def _pick_columns(image: NDArray[Any], axis: Axis) -> NDArray[Any]:
    indices = nearest_indices(axis, stepwise=False)
    columns = _as_slice(indices, axis)
    if columns is not None:
        return image[:, columns]
    shape = (image.shape[0], axis.out_size, image.shape[2])
    picked = _SCRATCH.array("columns", shape, image.dtype)
    transpose(_picked_transposed(image, indices), picked)
    return picked


def _picked_transposed(image: NDArray[Any], columns: NDArray[np.intp]) -> NDArray[Any]:
    """The picked columns as rows: whole rows are much quicker to gather than pixels."""
    turned = _transposed(image)
    picked = _SCRATCH.array("picked", (len(columns), *turned.shape[1:]), image.dtype)
    return np.take(turned, columns, axis=0, out=picked, mode="clip")


def _as_slice(indices: NDArray[np.intp], axis: Axis) -> slice | None:
    """The indices as a slice, if each is one above the one before it."""
    first, last = int(indices[0]), int(indices[-1])
    if axis.scale == 1 and last - first == axis.out_size - 1:
        return slice(first, last + 1)
    return None


def _weigh_rows(image: NDArray[Any], out: NDArray[Any], band: Band, overshoots: bool) -> None:
    image = image[band.first : band.first + band.used]
    store(_weighed(image, band), out, overshoots=overshoots)


def _weigh_columns(image: NDArray[Any], out: NDArray[Any], band: Band, overshoots: bool) -> None:
    image = image[:, band.first : band.first + band.used]
    _store_transposed(_weighed(_transposed(image), band), out, overshoots)


def _weigh_both(
    image: NDArray[Any], out: NDArray[Any], rows: Band, columns: Band, overshoots: bool
) -> None:
    image = image[rows.first : rows.first + rows.used, columns.first : columns.first + columns.used]
    if _rows_first_is_cheaper(rows, columns):
        _store_transposed(_weighed_twice(image, rows, columns), out, overshoots)
    else:
        result = _weighed_twice(_transposed(image), columns, rows)
        store(result, out, overshoots=overshoots)


def _rows_first_is_cheaper(rows: Band, columns: Band) -> bool:
    """Compares the multiply-adds and moves of both orders, a channel."""
    rows_first = (
        rows.weights.size * columns.used
        + columns.weights.size * rows.out_size
        + _MOVE_FLOAT * rows.out_size * columns.used
        + _MOVE_PIXEL * rows.out_size * columns.out_size
    )
    columns_first = (
        columns.weights.size * rows.used
        + rows.weights.size * columns.out_size
        + _MOVE_FLOAT * rows.used * columns.out_size
        + _MOVE_PIXEL * rows.used * columns.used
    )
    return rows_first < columns_first


def _weighed(image: NDArray[Any], band: Band) -> NDArray[Any]:
    """Axis 0 of `image`, cropped to the samples used, resampled: floating point, scratch."""
    columns, channels = image.shape[1:]
    product = _SCRATCH.array("product", (band.out_rows, columns, channels), band.weights.dtype)
    strip = max(1, _STRIP // (band.used * channels))
    for begin in range(0, columns, strip):
        part = image[:, begin : begin + strip]
        source, filled = padded(_SCRATCH, "source", band, part.shape[1:])
        np.copyto(filled, part)
        multiply(band, source, product[:, begin : begin + strip])
    return product[: band.out_size]


def _weighed_twice(image: NDArray[Any], first: Band, second: Band) -> NDArray[Any]:
    """Axis 0 resampled by `first`, then axis 1 by `second`; the axes come out swapped."""
    between = _weighed(image, first)
    source, filled = padded(_SCRATCH, "source", second, (first.out_size, image.shape[2]))
    transpose(between, filled)
    product = _SCRATCH.array("product", (second.out_rows, *source.shape[1:]), source.dtype)
    multiply(second, source, product)
    return product[: second.out_size]


def _transposed(image: NDArray[Any]) -> NDArray[Any]:
    turned = _SCRATCH.array("turned", (image.shape[1], image.shape[0], image.shape[2]), image.dtype)
    transpose(image, turned)
    return turned


def _store_transposed(result: NDArray[Any], out: NDArray[Any], overshoots: bool) -> None:
    if out.dtype != result.dtype:
        rounded = _SCRATCH.array("turned", result.shape, out.dtype)
        store(result, rounded, overshoots=overshoots)
        result = rounded
    transpose(result, out)
