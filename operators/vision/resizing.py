"""An image to another size, with the pixels of Pillow or of PyTorch, on the CPU.

Pillow itself resizes bytes by Pillow's rule.
"""

from __future__ import annotations

import numpy as np

from ...engine.arrays import Array
from ..resize.cpu_bands import Band
from ..resize.cpu_passes import SCRATCH, transpose, transposed, weighed
from .axes import NEAREST, NEAREST_EXACT, PILLOW, Axis, band_of, nearest_indices, unchanged, whole
from .pillow_images import from_pillow, resampling, to_pillow


def resize_image(image: Array, rows: Axis, columns: Axis, out: Array) -> None:
    """Resample an image of layout HWC.

    Columns go first, and bytes are rounded between the passes, as in PyTorch.

    Args:
        image: (height, width, channels), at least one pixel; any strides.
        rows, columns: how the axes are resampled.
        out: the result, of the image's dtype, contiguous, in memory apart from the image's.
    """
    if rows.interpolation in (NEAREST, NEAREST_EXACT):
        np.take(image[nearest_indices(rows)], nearest_indices(columns), axis=1, out=out)
        return
    if unchanged(rows) and unchanged(columns):
        np.copyto(out, image)
        return
    if image.dtype == np.uint8 and rows.rule == PILLOW:
        size = columns.out_size, rows.out_size
        chosen = resampling(rows.interpolation)
        from_pillow([plane.resize(size, chosen) for plane in to_pillow(image)], out)
        return
    if image.dtype == np.uint8:
        _resize_bytes(image, rows, columns, out)
        return
    work = np.dtype(np.float64 if image.dtype == np.float64 else np.float32)
    band = band_of(columns, work).band
    between = weighed(_used(transposed(image), band), band)
    rows_of = np.empty((image.shape[0], *between.shape[:1], image.shape[2]), work)
    transpose(between, rows_of)
    band = band_of(rows, work).band
    _store_real(weighed(_used(rows_of, band), band), out)


def _resize_bytes(image: Array, rows: Axis, columns: Axis, out: Array) -> None:
    if not unchanged(columns):
        band, bits = band_of(columns, np.dtype(np.uint8))
        sums = weighed(_used(transposed(image), band), band)
        turned = SCRATCH.array("bytes", sums.shape, np.dtype(np.uint8))
        whole(sums, bits, turned)
        target = SCRATCH.array("lines", (image.shape[0], *turned.shape[::2]), np.dtype(np.uint8))
        image = out if unchanged(rows) else target
        transpose(turned, image)
    if not unchanged(rows):
        band, bits = band_of(rows, np.dtype(np.uint8))
        whole(weighed(_used(image, band), band), bits, out)


def _used(lines: Array, band: Band) -> Array:
    """Return the lines that a band weighs."""
    return lines[band.first : band.first + band.used]


def _store_real(values: Array, out: Array) -> None:
    if out.dtype.kind in "iu":
        limits = np.iinfo(out.dtype)
        np.rint(values, out=values)
        np.clip(values, limits.min, limits.max, out=values)
    np.copyto(out, values, casting="unsafe")
