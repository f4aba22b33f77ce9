"""How fast the kernels of operators run on the GPU, beside a copy of memory on the same device.

The rate of an operator is the number of bytes that it must read and write, divided by the time of
its kernels (CUDA events). The first percentage compares this rate with that of a large copy, the
second percentage with that of a copy of as many bytes. Between two calls other memory is copied, so
that the caches hold nothing of the inputs and the CPU runs ahead of the device. The CPU's time for
a sample is the duration of the call, which holds the GIL. The results of all calls must have the
sums of the first call's results.

    python benchmarks/operators_gpu.py [--json FILE] [--batch 256] [--rounds 10] [name ...]

With `--once` each operator runs once and no time is taken, so that a sanitizer can watch:

    compute-sanitizer --tool initcheck python benchmarks/operators_gpu.py --once --batch 3
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

import numpy as np

from penstock import types
from penstock.benchmarks import common
from penstock.benchmarks.looking import Looked, Looks, checked, counts
from penstock.benchmarks.operator_cases import CASES, Case
from penstock.engine.gpu.cupy_module import import_cupy
from penstock.engine.gpu.device import Device
from penstock.engine.gpu.kernels import Kernel
from penstock.engine.graph.operator import OPERATORS, Operator
from penstock.engine.tensors import TensorListCPU, TensorListGPU
from penstock.engine.tensors.device_memory import ALIGNMENT, DevicePool
from penstock.engine.tensors.memory import SlabPool
from penstock.engine.work.batch import Batch

FLUSH_BYTES = 1 << 30
FLUSHES = 20  # together longer than a slow CPU needs for a call


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
        compared, wrong: samples of the rounds that were compared with those of the first call, and
            those that differ.
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
    compared: int
    wrong: int


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

    def __init__(self, batch: int, rounds: int, *, once: bool = False) -> None:
        self.cupy = import_cupy()
        self.size = batch
        self.rounds = rounds
        self.stream = self.cupy.cuda.Stream(non_blocking=True)
        self.stream.use()
        device = self.cupy.cuda.Device()
        pool = DevicePool(self.cupy, device)
        self.device = TimedDevice(self.cupy, device.id, self.stream, pool, 1)
        if once:
            return
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

    def measure(self, name: str, case: Case) -> KernelFigure:
        """Measure a case."""
        # The pool keeps no block of this case while blocks of earlier cases fill the pool.
        self.device.pool.free_idle()
        batch, inputs, work = self.prepare(case)
        times, host_times = [], []
        looks = []
        for _ in range(self.rounds + 2):
            self.flush()
            self.device.events = []
            started = time.thread_time()
            result = work()
            host_times.append(time.thread_time() - started)
            self.stream.synchronize()
            elapsed = self.cupy.cuda.get_elapsed_time
            times.append(sum(elapsed(*pair) for pair in self.device.events) / 1e3)
            self.device.events = None
            looks.append(Looks())
            looks[-1].look(result if isinstance(result, tuple) else (result,))
        compared, wrong = counts((look.sums()[0], looks[0].sums()[0]) for look in looks)
        if batch.errors:
            raise next(iter(batch.errors.values()))
        seconds = median(times[2:])
        results = result if isinstance(result, tuple) else (result,)
        moved = sum(map(nbytes, [*results, *inputs]))
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
            compared,
            wrong,
        )

    def run_once(self, case: Case) -> None:
        """Run a case once."""
        batch, _, work = self.prepare(case)
        work()
        self.stream.synchronize()
        if batch.errors:
            raise next(iter(batch.errors.values()))

    def prepare(self, case: Case) -> tuple[Batch, list[TensorListGPU], Callable[[], Any]]:
        """Return a batch, its data, and the function that runs the case's operator on them."""
        rng = np.random.default_rng(1)
        operator, arguments = self.operator(case, rng)
        inputs = [self.samples(case, number, rng) for number in range(len(case.shapes))]
        batch = Batch(0, self.size, SlabPool(), seed=1)
        batch.device = self.device
        return batch, inputs, partial(operator.batch_gpu, batch, *inputs, **arguments)

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

    def samples(self, case: Case, number: int, rng: Any) -> TensorListGPU:
        """Return random samples of the input `number`."""
        shape, dtype = case.shapes[number], case.others if number and case.others else case.dtype
        shapes = np.tile(shape, (self.size, 1))
        if case.ragged:
            shapes[:, 0] -= rng.integers(0, shape[0] // 4, self.size)
        layout = case.layout if len(case.layout) == len(shape) else ""
        data = self.device.empty(shapes, dtype, layout)
        # Kernels read whole words at the end of the samples: a sanitizer must find them written.
        block = data.stored.in_block()
        held = nbytes(data) if block is None else block.memory.nbytes
        words = -(-held // ALIGNMENT) * ALIGNMENT
        self.cupy.cuda.runtime.memsetAsync(int(data.pointers()[0]), 0, words, self.stream.ptr)
        sample = (rng.random(shape) * case.most).astype(dtype)
        source = self.cupy.asarray(sample)
        for row in data.rows():
            row[...] = source[: len(row)] if row.ndim else source
        return data


def nbytes(data: Any, itemsize: int | None = None) -> int:
    """Return the number of bytes of a batch's elements, or of elements of another size."""
    size = itemsize or np.dtype(types.to_numpy_type(data.dtype)).itemsize
    return int(data.extents().prod(axis=1).sum()) * size


def main() -> int:
    """The command line."""
    parser = common.command_line(__doc__, rounds=10, only=False)
    parser.add_argument("only", nargs="*", metavar="name", help="what to measure; by default all")
    parser.add_argument("--batch", type=int, default=256, help="samples in a batch")
    parser.add_argument("--once", action="store_true", help="run each operator once, untimed")
    options = parser.parse_args()
    unknown = set(options.only) - set(CASES)
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are: {'; '.join(CASES)}")
    bench = Bench(options.batch, options.rounds, once=options.once)
    if options.once:
        for name in options.only or CASES:
            bench.run_once(CASES[name])
            print(name, flush=True)
        return 0
    print(f"copy on the device: {bench.copy_rate / 1e9:.0f} GB/s read and written")
    print(f"{'':28}{'kernels':>10}{'GB/s':>8}{'of copy':>9}{'as many':>9}{'host':>12}")
    figures = []
    for name in options.only or CASES:
        figure = bench.measure(name, CASES[name])
        checked(Looked(figure.gigabytes, figure.compared, figure.wrong), name)
        figures.append(figure)
        print(
            f"{name:28}{figure.microseconds:7.0f} us{figure.gigabytes:8.0f}"
            f"{figure.of_large_copy:9.0%}{figure.alike:9.0%}{figure.host_microseconds:6.2f} us/row"
            f"{common.seen(figure.compared, figure.wrong)}",
            flush=True,
        )
        common.record(options, figures, copy_gigabytes=bench.copy_rate / 1e9)
    return 0


if __name__ == "__main__":
    sys.exit(main())
