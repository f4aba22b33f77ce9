"""`fn.nonsilent_region`: the part of a signal between leading and trailing silence."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.gpu.kernels import c_type
from ...engine.graph.context import BatchContext, Workspace
from ...engine.graph.operator import Array, SampleOperator, register
from ...engine.graph.params import FLOAT, INT, param
from ...engine.tensors import TensorListGPU
from ...engine.tensors.dtypes import to_numpy_type
from ..common.batch_arguments import enter_errors
from ..kernels import THREADS, Pointers, blocks_for, kernel, struct_table
from .signals import signal_lengths, signal_of

_REGION_THREADS = 1024  # one block reads a whole signal
_SHORT = 32  # most samples of a window whose squares one thread adds up


@register
class NonsilentRegion(SampleOperator):
    """Returns where a signal starts and ends to be louder than silence.

    The power at a sample is the mean square of the `window_length` samples that end with it;
    samples before the signal are 0. A window is silent if its power is below `cutoff_db`, relative
    to the reference. The region consists of all samples of the windows between the first and the
    last one that are not silent.

    A window with a value that is not a number counts as silent.

    >>> import numpy as np
    >>> from penstock import Pipeline, fn
    >>> signal = np.zeros(100, np.float32)
    >>> signal[40:60] = 1
    >>> with Pipeline(batch_size=1, num_threads=1) as pipe:
    ...     pipe.set_outputs(*fn.nonsilent_region(signal, window_length=10))
    ...     for output in pipe.run():
    ...         print(output.at(0).tolist())
    31
    38

    Inputs:
        signal: one channel, of any numeric dtype: (samples,), (samples, 1) or (1, samples).

    Outputs:
        start: the first sample of the region: int32, shape ().
        length: number of samples of the region: int32, shape (). If it is 0, the start is 0.

    `fn.slice(signal, start, length, axes=0)` returns the region.

    CPU and GPU agree, except where a power differs from the threshold by less than 1e-6 of it.

    Raises:
        ArgumentError: a signal has several channels.
    """

    name = "nonsilent_region"
    devices = ("cpu", "gpu")
    inputs = ("signal",)
    outputs = 2

    cutoff_db = param(FLOAT, -60.0, "Power below which a window is silent, in decibels.")
    reference_power = param(
        FLOAT, 0.0, "Power of 0 dB, above 0. Default: the largest power of the sample's windows."
    )
    reset_interval = param(
        INT,
        8192,
        "Accepted for compatibility: a multiple of `window_length`, or -1. Powers do not gather "
        "rounding errors here, so sums need not be computed anew.",
    )
    window_length = param(INT, 2048, "Samples of a window.", minimum=1)

    def prepare(self) -> None:
        if "reference_power" in self.given and not self.reference_power > 0:
            self.refuse(
                f"reference_power is {self.reference_power}; give a positive number, or leave it "
                "out for the largest power of each sample"
            )
        interval, length = self.reset_interval, self.window_length
        if (
            "reset_interval" in self.given
            and interval != -1
            and (interval < 1 or interval % length)
        ):
            self.refuse(
                f"reset_interval is {interval}; give -1, or a multiple of window_length, which is "
                f"{length}"
            )
        self._ratio = 10 ** (self.cutoff_db / 10)

    def output_layouts(self) -> tuple[str, ...]:
        return ("", "")

    def sample(self, workspace: Workspace, data: Array) -> tuple[Array, Array]:
        signal = signal_of(data)
        window = min(self.window_length, max(len(signal), 1))
        sums = window_sums(workspace, signal, window)
        reference = self.reference_power * window or np.fmax.reduce(sums, initial=0)
        loud = sums >= reference * self._ratio
        first = int(loud.argmax()) if len(signal) else 0
        start = length = 0
        if len(signal) and loud[first]:
            start = max(first - window + 1, 0)
            length = len(signal) - int(loud[::-1].argmax()) - start
        results = [workspace.empty((), np.int32, output) for output in (0, 1)]
        results[0][...], results[1][...] = start, length
        return results[0], results[1]

    def batch_gpu(
        self, batch: BatchContext, data: TensorListGPU
    ) -> tuple[TensorListGPU, TensorListGPU]:
        device, extents, dtype = batch.device, data.extents(), to_numpy_type(data.dtype)
        samples = signal_lengths(extents)
        enter_errors(self, batch, data, samples >= 0, {})
        samples = samples.clip(0)
        windows = np.minimum(self.window_length, samples.clip(1))
        scalars = np.empty((batch.size, 0), np.int64)
        starts, lengths = (device.empty(scalars, np.int32) for _ in range(2))
        sums = device.empty(2 * samples[:, np.newaxis], np.float64)
        table = struct_table(
            "Signal",
            batch.size,
            source=Pointers(data.pointers(), "const In*"),
            sums=Pointers(sums.pointers(), "double*"),
            start=Pointers(starts.pointers(), "int*"),
            length=Pointers(lengths.pointers(), "int*"),
            samples=samples,
            window=windows,
            reference=self.reference_power * windows,
        )
        table = device.upload_table(table)
        blocks = blocks_for(-(-samples // windows) * THREADS)
        macros: dict[str, Any] = {"In": c_type(dtype), "SHORT": _SHORT}
        sections = kernel("audio/nonsilent", "sum_sections", **macros)
        device.launch(sections, (blocks, batch.size), (THREADS,), table, shared_bytes=32 * THREADS)
        device.launch(
            kernel("audio/nonsilent", "search_region", **macros),
            (1, batch.size),
            (_REGION_THREADS,),
            table,
            np.float64(self._ratio),
            shared_bytes=8 * _REGION_THREADS,
        )
        return starts, lengths


def window_sums(workspace: Workspace, signal: Array, window: int) -> Array:
    """Return the sums of squares of the `window` samples that end with each sample.

    Sums of twice as many samples are made of two sums, as often as necessary, and sums over the
    window of those whose numbers of samples add up to it. So rounding errors do not add up over the
    signal, and a value that is not finite affects its own windows only.

    >>> from penstock.engine.graph.context import HeapWorkspace
    >>> window_sums(HeapWorkspace(), np.array([1, 2, 3, 4]), 3).tolist()
    [1.0, 5.0, 14.0, 29.0]

    Args:
        signal: (samples,), at least `window`.
        window: number of samples.

    Returns:
        the sums: float32, or float64 for numbers that float32 does not hold.
    """
    exact = np.result_type(signal.dtype, np.float32)
    doubled, spare, sums = (workspace.scratch(signal.shape, exact) for _ in range(3))
    np.square(signal, out=doubled, dtype=exact, casting="unsafe")
    covered, width = 0, 1  # samples of a sum in `sums`, and in `doubled`
    while True:
        if window & width:
            if covered:
                sums[covered:] += doubled[:-covered]
            else:
                sums[...] = doubled
            covered += width
        if 2 * width > window:
            return sums
        spare[:width] = doubled[:width]
        np.add(doubled[width:], doubled[:-width], out=spare[width:])
        doubled, spare = spare, doubled
        width *= 2
