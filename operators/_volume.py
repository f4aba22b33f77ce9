"""Resampling of volumes: the depth first, then each plane as an image."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..engine.operator import Array
from .resampling import Filter, resample
from .resampling.passes import store

_FLOAT64 = ("int32", "uint32", "float64")  # float32 does not hold all values of these


def resample_volume(
    volume: Array,
    size: tuple[int, ...],
    *,
    roi: tuple[float, ...],
    min_filter: Filter,
    mag_filter: Filter,
    antialias: bool,
    out: Array,
    dtype: np.dtype[Any],
) -> None:
    """Resample `volume` (depth, height, width, channels) into `out`, of type `dtype`.

    `size` and the two halves of `roi` are in the order of the axes; otherwise the arguments
    are those of `resample`. Between the passes values stay in floating point.
    """
    work = np.dtype(np.float64 if volume.dtype.name in _FLOAT64 else np.float32)
    if work == np.float64:
        volume = volume.astype(work)
    depth, height, width, channels = volume.shape
    options: dict[str, Any] = {
        "min_filter": min_filter,
        "mag_filter": mag_filter,
        "antialias": antialias,
        "dtype": work,
    }
    # One row a plane: its columns keep their number, and so are copied.
    planes = resample(
        volume.reshape(depth, height * width, channels),
        (size[0], height * width),
        roi=(roi[0], 0.0, roi[3], float(height * width)),
        **options,
    ).reshape(size[0], height, width, channels)
    area = (roi[1], roi[2], roi[4], roi[5])
    for plane, target in zip(planes, out, strict=True):
        result = resample(plane, (size[1], size[2]), roi=area, **options)
        store(result, target, overshoots=True)
