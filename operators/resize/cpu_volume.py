"""Resampling of volumes on the CPU: the depth first, then each plane as an image."""

from __future__ import annotations

import numpy as np

from ...engine.arrays import DType
from ...engine.graph.operator import Array
from ..elementwise.promotion import exact_type
from .axes import plan_axis
from .cpu_passes import store
from .cpu_resample import resample, resample_rows
from .filters import Filter


def resample_volume(
    volume: Array,
    size: tuple[int, ...],
    *,
    roi: tuple[float, ...],
    min_filter: Filter,
    mag_filter: Filter,
    antialias: bool,
    out: Array,
    dtype: DType,
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
    work = exact_type(volume.dtype)
    depth, height, width, channels = volume.shape
    axis = plan_axis(depth, size[0], roi[0], roi[3], (min_filter, mag_filter), antialias)
    planes = np.empty((size[0], height * width, channels), work)
    resample_rows(volume.reshape(depth, height * width, channels), planes, axis)
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
