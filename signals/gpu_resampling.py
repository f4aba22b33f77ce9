"""Signals at another rate, on the GPU: a thread computes an output sample of one channel."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..engine.arrays import DType
from ..engine.gpu.kernels import Kernel, c_type
from ..engine.gpu.launch import launch_elements
from ..engine.gpu.tables import Pointers, struct_table
from ..engine.graph.context import BatchContext
from ..engine.tensors import TensorListGPU, address_of
from ..engine.tensors.dtypes import to_numpy_type
from .resampling import step_between
from .sinc import PER_UNIT, SincFilter, sinc_window

_SOURCE = Path(__file__).parent / "resample_audio.cu"


def resample_on_gpu(
    batch: BatchContext,
    audio: TensorListGPU,
    rates: Sequence[tuple[float, float, int]],
    cutoffs: Sequence[float],
    lobes: int,
    dtype: DType,
    addresses: NDArray[np.uint64],
) -> None:
    """Write signals at other rates.

    Args:
        batch: the batch, on whose device to work.
        audio: shapes (samples,) or (samples, channels).
        rates: rates for each signal: the input's rate, the output's, and the output's samples.
        cutoffs: cutoffs of the filter for each signal: see `SincFilter`.
        lobes: lobes of the filter.
        dtype: dtype of the results.
        addresses: addresses of the results, which have as many channels as `audio`.
    """
    extents = audio.extents()
    channels = extents[:, 1:].prod(axis=1)
    elements = channels * np.array([length for _, _, length in rates], np.int64)
    steps = [float(step_between(before, after or before)) for before, after, _ in rates]
    table = struct_table(
        "Sample",
        len(extents),
        source=Pointers(audio.pointers(), "const In*"),
        out=Pointers(addresses, "Out*"),
        length=extents[:, 0],
        elements=elements,
        channels=channels,
        step=np.array(steps, np.float64),
        cutoff=np.array(cutoffs, np.float32),
        reach=np.array([SincFilter(lobes, cutoff).reach for cutoff in cutoffs], np.int64),
        taps=Pointers(np.full(len(extents), _table(batch, lobes), np.uint64), "const float*"),
    )
    function = _kernel(c_type(to_numpy_type(audio.dtype)), c_type(dtype), lobes)
    launch_elements(batch.device, function, table, elements)


@cache
def _kernel(source: str, result: str, lobes: int) -> Kernel:
    macros = {"In": source, "Out": result, "LOBES": str(lobes)}
    macros |= {"CENTER": str(sinc_window(lobes).center), "PER_UNIT": str(PER_UNIT)}
    return Kernel(_SOURCE, "resample_audio", tuple(sorted(macros.items())))


def _table(batch: BatchContext, lobes: int) -> int:
    """Return the address of the filter's table, which stays on the device."""
    device = batch.device
    table = device.own((sinc_window, lobes), lambda: device.upload(sinc_window(lobes).table))
    return address_of(table)
