"""Resampling of volumes: the depth first, then each plane as an image."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...engine.operator import Array
from ..resampling import Filter, resample
from ..resampling.filters import with_bases
from ..resampling.passes import store
from ..resampling.resize import plan_axis
from ..resampling.separable import resample_axes

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
    if 0 in volume.shape:
        raise ValueError(
            "expected a volume of shape (depth, height, width, channels), none of them 0, got "
            f"shape {volume.shape}"
        )
    work = np.dtype(np.float64 if volume.dtype.name in _FLOAT64 else np.float32)
    if work == np.float64:
        volume = volume.astype(work)
    depth, height, width, channels = volume.shape
    filters = min_filter, mag_filter, antialias
    # One row a plane, whose columns are copied.
    area = height * width
    columns = plan_axis(area, area, 0.0, float(area), *filters)
    rows, columns = with_bases(plan_axis(depth, size[0], roi[0], roi[3], *filters), columns)
    planes = np.empty((size[0], area, channels), work)
    resample_axes(
        volume.reshape(depth, area, channels),
        planes,
        rows,
        replace(columns, filter=Filter.NEAREST),
    )
    for plane, target in zip(planes.reshape(-1, height, width, channels), out, strict=True):
        result = resample(
            plane,
            (size[1], size[2]),
            roi=(roi[1], roi[2], roi[4], roi[5]),
            min_filter=min_filter,
            mag_filter=mag_filter,
            antialias=antialias,
            dtype=work,
        )
        store(result, target, overshoots=True)
