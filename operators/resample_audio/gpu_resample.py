"""Signals at another rate, on the GPU: a thread computes an output sample of one channel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine.gpu.kernels import c_type
from ...engine.graph.context import BatchContext
from ...engine.tensors import TensorListGPU, address_of
from ...engine.tensors.dtypes import to_numpy_type
from ...signals.resampling import step_between
from ...signals.sinc import PER_UNIT, SincFilter, sinc_window
from ..kernels import Pointers, kernel, launch_elements, struct_table


def resampled_on_gpu(
    batch: BatchContext,
    audio: TensorListGPU,
    rates: Sequence[tuple[float, float, int]],
    cutoffs: Sequence[float],
    lobes: int,
    dtype: np.dtype[Any],
) -> TensorListGPU:
    """Return the signals at other rates.

    Args:
        batch: the batch, on whose device to work.
        audio: shapes (samples,) or (samples, channels).
        rates: of each signal: the input's rate, the output's, and the output's samples.
        cutoffs: of the filter for each signal: see `SincFilter`.
        lobes: of the filter.
        dtype: of the result.
    """
    extents = audio.extents()
    shapes = extents.copy()
    shapes[:, 0] = [length for _, _, length in rates]
    steps = [float(step_between(before, after or before)) for before, after, _ in rates]
    out = batch.device.empty(shapes, dtype)
    elements = shapes.prod(axis=1)
    window = sinc_window(lobes)
    table = struct_table(
        "Sample",
        batch.size,
        source=Pointers(audio.pointers(), "const In*"),
        out=Pointers(out.pointers(), "Out*"),
        length=extents[:, 0],
        elements=elements,
        channels=extents[:, 1:].prod(axis=1),
        step=np.array(steps, np.float64),
        cutoff=np.array(cutoffs, np.float32),
        reach=np.array([SincFilter(lobes, cutoff).reach for cutoff in cutoffs], np.int64),
        taps=Pointers(np.full(batch.size, _table(batch, lobes), np.uint64), "const float*"),
    )
    macros = {"In": c_type(to_numpy_type(audio.dtype)), "Out": c_type(dtype)}
    function = kernel(
        "resample_audio",
        "resample_audio",
        **macros,
        LOBES=lobes,
        CENTER=window.center,
        PER_UNIT=PER_UNIT,
    )
    launch_elements(batch.device, function, table, elements)
    return out


def _table(batch: BatchContext, lobes: int) -> int:
    """Return the address of the filter's table, which stays on the device."""
    own, key = batch.device.own, (sinc_window, lobes)
    if key not in own:
        own[key] = batch.device.upload(sinc_window(lobes).table)
    return address_of(own[key])
