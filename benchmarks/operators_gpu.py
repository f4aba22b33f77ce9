"""How fast the kernels of operators run on the GPU, beside a copy of memory on the same device.

The rate of an operator is the number of bytes that it must read and write, divided by the time of
its kernels (CUDA events). The first percentage compares this rate with that of a large copy, the
second percentage with that of a copy of as many bytes. Between two calls other memory is copied, so
that the caches hold nothing of the inputs and the CPU runs ahead of the device. The CPU's time for
a sample is the duration of the call, which holds the GIL.

    python benchmarks/operators_gpu.py [--json FILE] [--batch 256] [--rounds 10] [name ...]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from penstock import types
from penstock.benchmarks import common
from penstock.engine.gpu.device import Device, import_cupy
from penstock.engine.gpu.kernels import Kernel
from penstock.engine.graph.operator import OPERATORS, Operator
from penstock.engine.tensors import TensorListCPU, TensorListGPU
from penstock.engine.tensors.device_memory import DevicePool
from penstock.engine.tensors.memory import SlabPool
from penstock.engine.work.batch import Batch

FLUSH_BYTES = 1 << 30
FLUSHES = 20  # together longer than a slow CPU needs for a call
PHOTO, SQUARE = (375, 500, 3), (224, 224, 3)
PLANES = (3, 224, 224)
SPEECH, BANDS = (192_000,), (80, 1201)  # 12 s at 16 kHz, and the mel bands


@dataclass(frozen=True)
class Case:
    """One operator at work.

    Attributes:
        name: as in `fn`, or of an operator that has no name there.
        shapes: of a sample of each input.
        dtype: of the inputs.
        layout: of the inputs.
        arguments: of the operator.
        varying: arguments that differ from sample to sample, drawn from [low, high).
        ragged: whether the samples differ in height by up to a quarter.
        partial: whether the operator reads only the elements of its result, not the whole input.
    """

    name: str
    shapes: tuple[tuple[int, ...], ...] = (PHOTO,)
    dtype: str = "uint8"
    layout: str = "HWC"
    arguments: Mapping[str, Any] = field(default_factory=dict)
    varying: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    ragged: bool = False
    partial: bool = False


ANYWHERE = {"crop_pos_x": (0.0, 1.0), "crop_pos_y": (0.0, 1.0)}
MEAN_STD = {"mean": [124.0, 116.0, 104.0], "std": [58.0, 57.0, 57.0]}
WINDOWS = {"window_length": 400, "window_step": 160}

CASES = {
    "crop": Case("crop", arguments={"crop": (224, 224)}, partial=True),
    "crop, random, ragged": Case(
        "crop", arguments={"crop": (224, 224)}, varying=ANYWHERE, ragged=True, partial=True
    ),
    "crop to float32": Case(
        "crop", arguments={"crop": (224, 224), "dtype": types.FLOAT}, partial=True
    ),
    "slice": Case(
        "slice", arguments={"rel_start": (0.1, 0.2), "rel_shape": (0.5, 0.7)}, partial=True
    ),
    "slice, reflected": Case(
        "slice",
        arguments={"start": (-20, -20), "shape": (540, 415), "out_of_bounds_policy": "reflect_101"},
        partial=True,
    ),
    "pad": Case("pad", arguments={"axes": (0, 1), "align": 64}),
    "pad, ragged": Case("pad", arguments={"axes": (0, 1)}, ragged=True),
    "flip, horizontal": Case("flip"),
    "flip, horizontal, float32": Case("flip", (SQUARE,), "float32"),
    "flip, horizontal, planes": Case("flip", (PLANES,), layout="CHW"),
    "flip, vertical": Case("flip", arguments={"horizontal": 0, "vertical": 1}),
    "HWC to CHW": Case("transpose", arguments={"perm": (2, 0, 1)}),
    "HWC to CHW, odd sizes": Case("transpose", ((333, 501, 3),), arguments={"perm": (2, 0, 1)}),
    "HWC to CHW, float32": Case("transpose", (SQUARE,), "float32", arguments={"perm": (2, 0, 1)}),
    "CHW to HWC": Case("transpose", (PLANES,), layout="CHW", arguments={"perm": (1, 2, 0)}),
    "CHW to HWC, float32": Case(
        "transpose", (PLANES,), "float32", "CHW", arguments={"perm": (1, 2, 0)}
    ),
    "HWC to WHC": Case("transpose", arguments={"perm": (1, 0, 2)}),
    "HW to WH": Case("transpose", ((512, 512),), layout="HW", arguments={"perm": (1, 0)}),
    "HW to WH, float32": Case(
        "transpose", ((512, 512),), "float32", "HW", arguments={"perm": (1, 0)}
    ),
    "every second pixel": Case(  # memory is read in sectors of 32 bytes, each of which has some
        "_subscript", arguments={"key": (slice(None), slice(None, None, 2))}
    ),
    "cat": Case("cat", (SQUARE, SQUARE)),
    "cat of channels": Case("cat", (SQUARE, (224, 224, 1)), arguments={"axis": 2}),
    "stack": Case("stack", (SQUARE, SQUARE)),
    "permute_batch": Case("permute_batch", varying={"indices": (0, 256)}),
    "cast to float32": Case("cast", (SQUARE,), arguments={"dtype": types.FLOAT}),
    "cast to uint8": Case("cast", (SQUARE,), "float32", arguments={"dtype": types.UINT8}),
    "add": Case("_arithmetic", (SQUARE, SQUARE), "float32", arguments={"function": "add"}),
    "normalize": Case("normalize", (SQUARE,), "float32"),
    "normalize, per channel": Case("normalize", (SQUARE,), "float32", arguments={"axes": (0, 1)}),
    "crop_mirror_normalize": Case(
        "crop_mirror_normalize",
        arguments={"crop": (224, 224), **MEAN_STD},
        varying={"mirror": (0, 2)},
        partial=True,
    ),
    "resize": Case("resize", arguments={"resize_x": 224, "resize_y": 224}),
    "random_resized_crop": Case("random_resized_crop", arguments={"size": (224, 224)}),
    "rotate": Case("rotate", arguments={"angle": 30.0, "keep_size": True}),
    "rotate, volumes": Case(
        "rotate",
        ((64, 128, 128, 1),),
        layout="DHWC",
        arguments={"angle": 30.0, "axis": (1.0, 2.0, 3.0), "keep_size": True},
    ),
    "warp_affine": Case("warp_affine", arguments={"matrix": (0.9, -0.3, 60.0, 0.3, 0.9, -40.0)}),
    "sequence_rearrange": Case(
        "sequence_rearrange",
        ((8, 180, 240, 3),),
        layout="FHWC",
        arguments={"new_order": (7, 6, 5, 4, 3, 2, 1, 0)},
    ),
    "coord_transform": Case("coord_transform", arguments={"M": (0.3, 0.6, 0.1) * 3}),
    "spectrogram": Case("spectrogram", (SPEECH,), "float32", "t", {**WINDOWS, "nfft": 512}),
    "spectrogram, time first": Case(
        "spectrogram", (SPEECH,), "float32", "t", {**WINDOWS, "nfft": 512, "layout": "tf"}
    ),
    "spectrogram, no power of 2": Case("spectrogram", (SPEECH,), "float32", "t", WINDOWS),
    "mel_filter_bank": Case(
        "mel_filter_bank", ((257, 1201),), "float32", "ft", {"nfilter": 80, "sample_rate": 16e3}
    ),
    "mel_filter_bank, time first": Case(
        "mel_filter_bank", ((1201, 257),), "float32", "tf", {"nfilter": 80, "sample_rate": 16e3}
    ),
    "to_decibels": Case("to_decibels", (BANDS,), "float32", "ft"),
    "mfcc": Case("mfcc", (BANDS,), "float32", "ft"),
    "preemphasis_filter": Case("preemphasis_filter", (SPEECH,), "float32", "t"),
}


@dataclass(frozen=True)
class KernelFigure:
    """The figures of a case: medians of the rounds.

    Attributes:
        name, operator, shapes, dtype, ragged: the case.
        microseconds: time of the kernels for a batch.
        gigabytes: read and written in a second.
        of_large_copy: this rate divided by that of a large copy.
        alike: time of a copy of as many bytes, divided by the time of the kernels.
        host_microseconds: the CPU's time for a sample.
    """

    name: str
    operator: str
    shapes: Sequence[Sequence[int]]
    dtype: str
    ragged: bool
    microseconds: float
    gigabytes: float
    of_large_copy: float
    alike: float
    host_microseconds: float


class TimedDevice(Device):
    """A device that records events about every kernel, while `events` is a list."""

    events: list[tuple[Any, Any]] | None = None

    def kernel_function(self, kernel: Kernel, shared_bytes: int) -> Callable[..., None]:
        """Return the function that starts a kernel, without the copies of its tables before it."""
        function = super().kernel_function(kernel, shared_bytes)
        if self.events is None:
            return function
        events = self.events

        def timed(*arguments: Any, **options: Any) -> None:
            before, after = self._cupy.cuda.Event(), self._cupy.cuda.Event()
            before.record(self.stream)
            function(*arguments, **options)
            after.record(self.stream)
            events.append((before, after))

        return timed


class Bench:
    """A device with memory to flush its caches with."""

    def __init__(self, batch: int, rounds: int) -> None:
        self.cupy = import_cupy()
        self.size = batch
        self.rounds = rounds
        self.stream = self.cupy.cuda.Stream(non_blocking=True)
        self.stream.use()
        device = self.cupy.cuda.Device()
        pool = DevicePool(self.cupy, device)
        self.device = TimedDevice(self.cupy, device.id, self.stream, pool, 1)
        self.other = self.cupy.zeros((2, FLUSH_BYTES), np.uint8)
        self.copy_rate = 2 * FLUSHES * FLUSH_BYTES / self._seconds(self.flush)

    def flush(self) -> None:
        """Fill the caches with other data, and keep the device busy."""
        for _ in range(FLUSHES):
            self.other[0].data.copy_from_device_async(self.other[1].data, FLUSH_BYTES, self.stream)

    def copy_seconds(self, nbytes: int) -> float:
        """Return the time of a copy of `size` bytes that are in no cache."""
        target, source = (rows[:nbytes].data for rows in self.other)
        return self._seconds(lambda: target.copy_from_device_async(source, nbytes, self.stream))

    def _seconds(self, work: Callable[[], Any]) -> float:
        times = []
        for _ in range(self.rounds + 1):
            self.flush()
            before, after = self.cupy.cuda.Event(), self.cupy.cuda.Event()
            before.record(self.stream)
            work()
            after.record(self.stream)
            after.synchronize()
            times.append(self.cupy.cuda.get_elapsed_time(before, after) / 1e3)
        return float(median(times[1:]))

    def measure(self, name: str, case: Case) -> KernelFigure | None:
        """Measure a case; None if its operator does not run on the GPU."""
        if "gpu" not in OPERATORS[case.name].devices:
            return None
        rng = np.random.default_rng(1)
        operator, arguments = self.operator(case, rng)
        inputs = [self.samples(case, shape, rng) for shape in case.shapes]
        batch = Batch(0, self.size, SlabPool(), seed=1)
        batch.device = self.device
        times, host_times = [], []
        for _ in range(self.rounds + 2):
            self.flush()
            self.device.events = []
            started = time.thread_time()
            result = operator.batch_gpu(batch, *inputs, **arguments)
            host_times.append(time.thread_time() - started)
            self.stream.synchronize()
            elapsed = self.cupy.cuda.get_elapsed_time
            times.append(sum(elapsed(*pair) for pair in self.device.events) / 1e3)
        if batch.errors:
            raise next(iter(batch.errors.values()))
        seconds = median(times[2:])
        moved = nbytes(result) + sum(map(nbytes, inputs))
        if case.partial:
            size = np.dtype(case.dtype).itemsize
            moved = nbytes(result) + nbytes(result, size)
        rate = moved / seconds
        return KernelFigure(
            name,
            case.name,
            case.shapes,
            case.dtype,
            case.ragged,
            seconds * 1e6,
            rate / 1e9,
            rate / self.copy_rate,
            self.copy_seconds(moved // 2) / seconds,
            median(host_times[2:]) * 1e6 / self.size,
        )

    def operator(self, case: Case, rng: Any) -> tuple[Operator, dict[str, Any]]:
        """Return a case's operator and the arguments that its `batch_gpu` takes."""
        operator_class = OPERATORS[case.name]
        layouts = (case.layout,) * len(case.shapes)
        operator = operator_class("gpu", tuple(case.varying), layouts, **case.arguments)
        arguments = {
            name: getattr(operator, name)
            for name, declared in operator.params.items()
            if declared.per_sample and name not in case.varying
        }
        for name, (low, high) in case.varying.items():
            whole = isinstance(low, int)
            drawn = rng.integers(low, high, self.size) if whole else rng.random(self.size)
            arguments[name] = TensorListCPU(
                drawn % self.size if whole else low + drawn * (high - low)
            )
        return operator, arguments

    def samples(self, case: Case, shape: tuple[int, ...], rng: Any) -> TensorListGPU:
        """Return random samples of a shape."""
        shapes = np.tile(shape, (self.size, 1))
        if case.ragged:
            shapes[:, 0] -= rng.integers(0, shape[0] // 4, self.size)
        data = self.device.empty(shapes, case.dtype, case.layout)
        sample = (rng.random(shape) * 255).astype(case.dtype)
        source = self.cupy.asarray(sample)
        for row in data.rows():
            row[...] = source[: len(row)]
        return data


def nbytes(data: Any, itemsize: int | None = None) -> int:
    """Return the number of bytes of a batch's elements, or of elements of another size."""
    size = itemsize or np.dtype(types.to_numpy_type(data.dtype)).itemsize
    return int(data.extents().prod(axis=1).sum()) * size


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("only", nargs="*", metavar="name", help="what to measure; by default all")
    parser.add_argument("--batch", type=int, default=256, help="samples in a batch")
    parser.add_argument("--rounds", type=int, default=10, help="calls that are measured")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    options = parser.parse_args()
    unknown = set(options.only) - set(CASES)
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are: {'; '.join(CASES)}")
    bench = Bench(options.batch, options.rounds)
    print(f"copy on the device: {bench.copy_rate / 1e9:.0f} GB/s read and written")
    print(f"{'':28}{'kernels':>10}{'GB/s':>8}{'of copy':>9}{'as many':>9}{'host':>12}")
    figures = []
    for name in options.only or CASES:
        figure = bench.measure(name, CASES[name])
        if figure is None:
            print(f"{name:28}not on the GPU")
            continue
        figures.append(figure)
        print(
            f"{name:28}{figure.microseconds:7.0f} us{figure.gigabytes:8.0f}"
            f"{figure.of_large_copy:9.0%}{figure.alike:9.0%}{figure.host_microseconds:6.2f} us/row",
            flush=True,
        )
    if options.json:
        gpu = bench.cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
        settings = {"gpu": gpu, "batch": options.batch, "rounds": options.rounds}
        copied = bench.copy_rate / 1e9
        common.write_record(options.json, figures, **settings, copy_gigabytes=copied)
    return 0


if __name__ == "__main__":
    sys.exit(main())
