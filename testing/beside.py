"""Are batches right as their consumers see them? A pipeline runs twice, and samples are compared.

    alone     run(), look at each sample, wait for the device
    beside    queue work, run(), queue the look, drop the batch, and go on: nothing waits

Trainers read batches in the second way: the kernels that read a batch begin long after the batch
was dropped. Memory that is used again too early, on either side, then shows as a wrong sample. A
*look* is a few sums of a sample, which the consumer's own library computes on its own stream.

    >>> from penstock import Pipeline, fn
    >>> from penstock.testing.beside import NumPyConsumer, compare
    >>> def define():
    ...     pipe = Pipeline(batch_size=2, num_threads=2)
    ...     with pipe:
    ...         numbers = fn.external_source(lambda i: np.full((2, 3), i, np.float32))
    ...         pipe.set_outputs(numbers + 1)
    ...     return pipe
    >>> compare(define, NumPyConsumer(), batches=4)
    Compared(samples=8, wrong=0, not_finite=0, first='')
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from time import perf_counter
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..engine.arrays import Array
from ..engine.pipeline.pipeline import Pipeline
from ..engine.tensors import TensorList, TensorListGPU, device_memory
from ..engine.tensors.device_tensors import LastingExport

if TYPE_CHECKING:
    import torch

    from ..engine.tensors import Tensor

__all__ = [
    "Compared",
    "Consumer",
    "CuPyConsumer",
    "JaxConsumer",
    "NumPyConsumer",
    "TorchConsumer",
    "check",
    "compare",
]

STRIPES = 8
"""Sums of a sample: neighbors in memory go into one sum, so that exchanged parts differ, too."""

QUEUED_SECONDS: tuple[float, float] = (0.002, 0.05)
"""Seconds of queued work for a batch, at least and at most. They are those of a batch alone, so
that the consumer falls behind a pipeline that runs ahead, also on a busy machine."""

CLOCK_RATE = 2e9
"""Cycles of a GPU's clock in a second, or somewhat more."""

Looks = list[list[NDArray[np.float64]]]
"""By batch and output: sums of (samples, STRIPES)."""


class Compared(NamedTuple):
    """What two runs of a pipeline gave.

    Attributes:
        samples: number of samples that were compared, of all outputs.
        wrong: number of samples that differ.
        not_finite: number of samples with an infinite sum, or NaN, only in the second run.
        first: the first samples that differ, as text.
    """

    samples: int
    wrong: int
    not_finite: int
    first: str


class Consumer(ABC):
    """A library that takes batches, with a stream of its own."""

    @abstractmethod
    def queue_work(self, seconds: float) -> None:
        """Queue work that takes about so many seconds, and return at once."""

    @abstractmethod
    def look(self, batch: TensorList) -> object:
        """Queue the sums of the absolute values in the stripes of each sample; return at once."""

    @abstractmethod
    def wait(self) -> None:
        """Wait for the whole device."""

    @staticmethod
    @abstractmethod
    def read(look: Any) -> NDArray[np.float64]:
        """Return the sums as an array of (samples, STRIPES)."""


class NumPyConsumer(Consumer):
    """Batches in host memory: there is no stream, and the look is taken at once."""

    def queue_work(self, seconds: float) -> None:
        """Do nothing."""

    def look(self, batch: TensorList) -> object:
        return np.stack([_sums(np, np.asarray(row)) for row in batch.as_cpu().rows()])

    def wait(self) -> None:
        """Do nothing."""

    @staticmethod
    def read(look: object) -> NDArray[np.float64]:
        return np.asarray(look, np.float64)


class CuPyConsumer(Consumer):
    """CuPy, on a stream.

    Args:
        stream: a stream of CuPy; None for the current one.
    """

    def __init__(self, stream: AbstractContextManager[object] | None = None) -> None:
        import cupy

        self._cupy = cupy
        self._stream = stream
        self._spin = cupy.RawKernel(
            'extern "C" __global__ void spin(long long cycles) {'
            "long long start = clock64(); while (clock64() - start < cycles); }",
            "spin",
        )

    def queue_work(self, seconds: float) -> None:
        with self._on_stream():
            self._spin((1,), (1,), (np.int64(seconds * CLOCK_RATE),))

    def look(self, batch: TensorList) -> object:
        with self._on_stream():
            rows = [self._cupy.from_dlpack(row) for row in _tensors(batch)]
            return self._cupy.stack([_sums(self._cupy, row) for row in rows])

    def _on_stream(self) -> AbstractContextManager[object]:
        return nullcontext() if self._stream is None else self._stream

    def wait(self) -> None:
        self._cupy.cuda.runtime.deviceSynchronize()

    @staticmethod
    def read(look: Any) -> NDArray[np.float64]:
        return np.asarray(look.get(), np.float64)


class TorchConsumer(Consumer):
    """PyTorch, on a stream, as trainers use it.

    Args:
        stream: a stream of PyTorch; None for the current one.
    """

    def __init__(self, stream: object = None) -> None:
        import torch

        self._torch: ModuleType = torch
        self._stream = stream

    def queue_work(self, seconds: float) -> None:
        with self._torch.cuda.stream(self._stream):
            self._torch.cuda._sleep(int(seconds * CLOCK_RATE))

    def look(self, batch: TensorList) -> object:
        with self._torch.cuda.stream(self._stream):
            tensors = [self._torch.from_dlpack(row) for row in _tensors(batch)]
            return self._torch.stack([self._sums(tensor) for tensor in tensors])

    def _sums(self, tensor: torch.Tensor) -> torch.Tensor:
        flat = tensor.reshape(-1).to(self._torch.float64).abs()
        flat = self._torch.nn.functional.pad(flat, (0, -len(flat) % STRIPES))
        sums: torch.Tensor = flat.reshape(STRIPES, -1).sum(1)
        return sums

    def wait(self) -> None:
        self._torch.cuda.synchronize()

    @staticmethod
    def read(look: Any) -> NDArray[np.float64]:
        return np.asarray(look.cpu().numpy(), np.float64)


class JaxConsumer(Consumer):
    """JAX, whose arrays are computed in the background."""

    def __init__(self) -> None:
        import jax

        self._jax: ModuleType = jax
        self._matrix = jax.numpy.ones((2048, 2048), jax.numpy.float32)
        self._work = jax.jit(lambda x, n: jax.lax.fori_loop(0, n, lambda _, y: y @ x / 2048, x))
        self._sums = jax.jit(self._sums_of)

    def queue_work(self, seconds: float) -> None:
        self._busy = self._work(self._matrix, int(seconds / 3e-4))  # a step takes some 0.3 ms

    def look(self, batch: TensorList) -> object:
        if isinstance(batch, TensorListGPU) and batch.is_dense_tensor():
            return self._sums(self._jax.dlpack.from_dlpack(LastingExport(batch)))
        raise ValueError("JAX takes batches of samples of one shape in the GPU's memory")

    def _sums_of(self, array: Any) -> object:
        flat = self._jax.numpy.abs(array.reshape(len(array), -1).astype(self._jax.numpy.float32))
        flat = self._jax.numpy.pad(flat, ((0, 0), (0, -flat.shape[1] % STRIPES)))
        return flat.reshape(len(array), STRIPES, -1).sum(2)

    def wait(self) -> None:
        self._jax.block_until_ready(self._work(self._matrix, 1))

    @staticmethod
    def read(look: object) -> NDArray[np.float64]:
        return np.asarray(look, np.float64)


def compare(
    define: Callable[[], Pipeline],
    consumer: Consumer,
    *,
    batches: int = 24,
    pipelines: int = 1,
    tolerance: float = 0.0,
) -> Compared:
    """Run a pipeline alone, and again beside queued work, and compare all samples.

    The second run uses memory again at once, where the pool usually prefers memory that no work
    uses any more.

    Args:
        define: makes a pipeline, which gives the same samples each time.
        consumer: reads the outputs. Outputs in host memory are left out, unless it is NumPy's.
        batches: number of batches of each pipeline in each run.
        pipelines: number of pipelines at a time, which take turns.
        tolerance: difference of two sums that is allowed, relative to the largest of the sample.
    """
    started = perf_counter()
    alone = _run(define, consumer, batches, pipelines, queued=0.0)
    least, most = QUEUED_SECONDS
    each = (perf_counter() - started) / (batches * pipelines)
    with _memory_used_at_once():
        beside = _run(define, consumer, batches, pipelines, queued=min(max(each, least), most))
    samples = wrong = not_finite = 0
    first = []
    for k, (wanted, got) in enumerate(zip(alone, beside, strict=True)):
        for output, (expected, sums) in enumerate(zip(wanted, got, strict=True)):
            differs = _differ(expected, sums, tolerance)
            samples += len(sums)
            wrong += int(differs.sum())
            not_finite += int((~np.isfinite(sums) & np.isfinite(expected)).any(axis=1).sum())
            first += [f"batch {k}, output {output}, sample {i}" for i in np.flatnonzero(differs)]
    return Compared(samples, wrong, not_finite, "; ".join(first[:5]))


def check(define: Callable[[], Pipeline], consumer: Consumer, **options: Any) -> Compared:
    """Compare as `compare` does; raise AssertionError if a sample differs, or none was seen."""
    found = compare(define, consumer, **options)
    if found.wrong or not found.samples:
        raise AssertionError(
            f"{found.wrong} of {found.samples} samples differ beside queued work from those of "
            f"the pipeline alone; {found.not_finite} are not finite; the first: {found.first}"
        )
    return found


def _run(
    define: Callable[[], Pipeline],
    consumer: Consumer,
    batches: int,
    pipelines: int,
    *,
    queued: float,
) -> Looks:
    """Return the looks at all batches.

    Args:
        define, consumer, batches, pipelines: see `compare`.
        queued: seconds of work to queue before each batch; 0 to wait after each batch.
    """
    pipes = [define() for _ in range(pipelines)]
    looks: list[list[object]] = []
    try:
        for _ in range(batches):
            for pipe in pipes:
                if queued:
                    consumer.queue_work(queued)
                outputs = [output for output in pipe.run() if _is_seen(output, consumer)]
                looks.append([consumer.look(output) for output in outputs])
                if not queued:
                    consumer.wait()
                del outputs
        consumer.wait()
        return [[consumer.read(look) for look in batch] for batch in looks]
    finally:
        for pipe in pipes:
            pipe.close()


def _is_seen(output: TensorList, consumer: Consumer) -> bool:
    is_on_gpu = isinstance(output, TensorListGPU)
    return len(output) > 0 and (is_on_gpu or isinstance(consumer, NumPyConsumer))


def _tensors(batch: TensorList) -> list[Tensor]:
    return [batch[i] for i in range(len(batch))]


def _sums(library: ModuleType, array: Array) -> Array:
    """Return the sums of the absolute values in the stripes of an array of NumPy or CuPy."""
    flat = library.abs(array.reshape(-1).astype(np.float64))
    flat = library.pad(flat, (0, -len(flat) % STRIPES))
    sums: Array = flat.reshape(STRIPES, -1).sum(1)
    return sums


def _differ(
    expected: NDArray[np.float64], sums: NDArray[np.float64], tolerance: float
) -> NDArray[np.bool_]:
    """Return for each sample whether its sums differ."""
    if expected.shape != sums.shape:
        return np.ones(len(sums), np.bool_)
    allowed = tolerance * np.nan_to_num(expected).max(axis=1, keepdims=True, initial=0)
    with np.errstate(invalid="ignore"):  # infinity less infinity
        same = (np.abs(expected - sums) <= allowed) | (expected == sums)
    same |= np.isnan(expected) & np.isnan(sums)
    differs: NDArray[np.bool_] = ~same.all(axis=1)
    return differs


@contextmanager
def _memory_used_at_once() -> Iterator[None]:
    """Let pools lend the smallest memory that suffices, whoever still uses it."""
    before = device_memory.WAIT_FACTOR
    device_memory.WAIT_FACTOR = 0.0
    try:
        yield
    finally:
        device_memory.WAIT_FACTOR = before
