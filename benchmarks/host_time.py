"""The host's share of GPU pipelines: how fast batches are launched if the GPU takes no time.

The pipelines are the real ones, from the reader to the last launch, on a device that computes
nothing: memory is the host's, kernels do not run, and the JPEG engine is done at once. So the rate
is the most that Penstock's own code allows, and no GPU is needed. What CUDA's calls cost is left
out. There are no pixels, so no samples are compared.

    python benchmarks/host_time.py [--batch 256 32] [--only "ssd300 x256" ...] [--steps]
        [--beside 22 8] [--rounds 3] [--json FILE]

`--steps` prints the CPU time that a sample takes: of the thread that runs an operator, and of this
process with all threads.

`--beside 22 8` is a simulation of training. The consumer computes in Python for 22 ms a batch and
waits for 8 ms, like a model whose steps are launched one by one. The JPEG engine needs as long as a
real one. The table shows the consumer's rate with the pipeline, and its rate alone.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from penstock.benchmarks import common, ssd, training_gpu
from penstock.benchmarks.training_cpu import load
from penstock.decoders.image import plain_jpeg
from penstock.decoders.image.engines.nvjpeg import Decoded
from penstock.engine.run import device_stage, feeder, gpu_work, opening
from penstock.engine.work.batch import run_batch_step
from penstock.examples.ssd import ssd_anchors
from penstock.testing.emulator import DeviceArray, EmulatedDevice, EmulatedGpuDevice, HostPool

_THREADS, _IMAGES = 2, 3072
_SMALL = 1 << 20  # bytes of a copy that is made; larger ones are images, which nobody looks at
_WARM_UP_SECONDS, _SECONDS = 4.0, 3.0  # groups of small batches take seconds to grow
_ENGINE_SECONDS = 4e-5  # that the engine says it took for a file
_H200_ENGINE_SECONDS = 1 / 21_000  # that the engine takes for a natural photograph


@cache
def _zeros() -> NDArray[np.uint8]:
    return np.zeros(4 << 30, np.uint8)


class IdlePool(HostPool):
    """Memory of zeros. Large blocks, which nobody writes, are one and the same."""

    def lend(self, nbytes: int, stream: Any) -> tuple[Any, None]:
        """Return memory that is not counted."""
        zeros = np.zeros(nbytes, np.uint8) if nbytes < _SMALL else _zeros()[:nbytes]
        return zeros.view(DeviceArray), None


class IdleDevice(EmulatedDevice):
    """A device whose kernels do nothing."""

    def kernel_function(self, kernel: Any, shared_bytes: int) -> Callable[..., None]:
        """Return a function without effect."""
        return lambda *arguments, **options: None

    def copy(self, to: int, source: int, nbytes: int, direction: int = 3) -> None:
        """Copy small blocks, which may be tables."""
        if nbytes < _SMALL:
            super().copy(to, source, nbytes, direction)

    def pinned(self, nbytes: int) -> Any:
        """Return uninitialized memory."""
        memory = np.empty(nbytes, np.uint8)
        self.hold(memory)
        return memory

    def fill(self, memory: Any, value: int) -> None:
        """Do nothing."""


class IdleGpuDevice(EmulatedGpuDevice):
    """Opens idle devices."""

    def __init__(self, device_id: int | None, budget: int | None, num_threads: int) -> None:
        super().__init__(device_id, budget, num_threads)
        self.pool = IdlePool(self.pool.budget)

    @contextmanager
    def lane(self) -> Iterator[IdleDevice]:
        """Yield a device."""
        yield IdleDevice(self.pool)


class IdleEngine:
    """A JPEG engine that leaves the pixels as they are."""

    busy, idle, starved, awaited = 0.0, 0.0, 0.0, 1.0

    def __init__(self, device: Any) -> None:
        self._device = device

    @classmethod
    def open(cls, device: Any) -> IdleEngine:
        """Return an engine."""
        return cls(device)

    def decode(self, encoded: Any, lengths: Any, sizes: Any, space: str) -> Decoded:
        """Say that a batch is decoded."""
        self.busy = _ENGINE_SECONDS * len(encoded)
        nbytes = sizes.prod(axis=1) * (1 if space == "GRAY" else 3)
        pixels = self._device.scratch(nbytes[:, np.newaxis], np.uint8)
        return Decoded(pixels, np.ones(len(encoded), np.bool_))


class RealTimeEngine(IdleEngine):
    """The same, which takes as long as a real one; for a consumer that hardly waits."""

    awaited = 0.0
    _lock = threading.Lock()

    def decode(self, encoded: Any, lengths: Any, sizes: Any, space: str) -> Decoded:
        """Wait, and say that a batch is decoded."""
        decoded = super().decode(encoded, lengths, sizes, space)
        self.busy = _H200_ENGINE_SECONDS * len(encoded)
        with self._lock:
            time.sleep(self.busy)
        return decoded


class Steps:
    """The CPU time of each operator."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.samples: defaultdict[str, float] = defaultdict(float)

    def run(self, step: Any, batch: Any, stage: str, *rest: Any) -> Any:
        """Take the place of `run_batch_step`."""
        started = time.thread_time()
        rest_of_step = run_batch_step(step, batch, stage, *rest)
        name = f"{stage} {step.node.operator.name}"
        self.seconds[name] += time.thread_time() - started
        self.samples[name] += batch.size
        return rest_of_step

    def print(self) -> None:
        """Print the microseconds of a sample, the most first."""
        for name in sorted(self.seconds, key=self.seconds.__getitem__, reverse=True):
            print(f"    {name:40} {1e6 * self.seconds[name] / self.samples[name]:8.2f} us")


@contextmanager
def idle_gpu(steps: Steps, engine: type[IdleEngine] = IdleEngine) -> Iterator[None]:
    """Let pipelines use the idle device."""
    with (
        patch.object(opening, "load_driver", lambda: None),
        patch.object(gpu_work, "GpuDevice", IdleGpuDevice),
        patch.object(plain_jpeg, "HardwareDecoder", engine),
        patch.object(device_stage, "run_batch_step", steps.run),
        patch.object(feeder, "run_batch_step", steps.run),
    ):
        yield


@contextmanager
def running(
    graph: Callable[[Any], Any],
    batch: int,
    steps: Steps,
    depth: int = 3,
    engine: type[IdleEngine] = IdleEngine,
) -> Iterator[Any]:
    """Give a pipeline on the idle device."""
    library = load("penstock")
    define = library.pipeline_def(
        batch_size=batch, num_threads=_THREADS, device_id=0, seed=1, prefetch_queue_depth=depth
    )
    with idle_gpu(steps, engine):
        pipeline = define(lambda: graph(library))()
        pipeline.build()
        try:
            yield pipeline
        finally:
            pipeline.close()


def speed(graph: Callable[[Any], Any], batch: int, show: bool) -> float:
    """Return images a second."""
    steps = Steps()
    with running(graph, batch, steps) as pipeline:
        common.run_for(pipeline.run, _WARM_UP_SECONDS)
        steps.seconds.clear()
        steps.samples.clear()
        started, worked = time.perf_counter(), time.process_time()
        images = batch * common.run_for(pipeline.run, _SECONDS)
        seconds, worked = time.perf_counter() - started, time.process_time() - worked
    if show:
        steps.print()
        print(f"    {'process':40} {1e6 * worked / images:8.2f} us")
    return images / seconds


def consume(batch: int, beside: Sequence[float], run: Callable[[], object]) -> float:
    """Compute and wait for each batch; return images a second, after the usual warm-up."""
    busy, idle = (milliseconds / 1000 for milliseconds in beside)

    def step() -> None:
        run()
        until = time.thread_time() + busy
        while time.thread_time() < until:
            sum(range(5000))
        time.sleep(idle)

    common.run_for(step, _WARM_UP_SECONDS)
    started = time.perf_counter()
    return batch * common.run_for(step, _SECONDS) / (time.perf_counter() - started)


def training(graph: Callable[[Any], Any], batch: int, beside: Sequence[float]) -> float:
    """Return images a second of a consumer that computes: see `--beside`."""
    with running(graph, batch, Steps(), 2, RealTimeEngine) as pipeline:
        return consume(batch, beside, pipeline.run)


def measurement(
    options: argparse.Namespace, graph: Callable[[Any], Any], batch: int
) -> tuple[str, common.Turn, common.Turn | None]:
    """Return the turns of a pipeline, and of the consumer alone, if there is one that computes."""
    if not options.beside:
        return "images/s", partial(speed, graph, batch, options.steps), None
    alone = partial(consume, batch, options.beside, lambda: None)
    return "images/s", partial(training, graph, batch, options.beside), alone


def graphs(folder: Path) -> dict[str, Callable[[Any], Any]]:
    """Return the pipelines by name; their files are plain JPEG of one size."""
    photographs = common.photographs(192)
    (folder / "tree").mkdir()
    (folder / "coco").mkdir()
    tree = training_gpu.tree(photographs, str(folder / "tree"))
    images, annotations = ssd.annotated(photographs, _IMAGES, folder / "coco")
    anchors = ssd_anchors().reshape(-1).tolist()
    chosen: dict[str, Callable[[Any], Any]] = {
        "ssd300": partial(
            ssd.train, images_folder=images, annotations=annotations, anchors=anchors, device="gpu"
        )
    }
    for name, graph in training_gpu.GRAPHS.items():
        chosen[name] = partial(graph, folder=tree)
    return chosen


def main() -> int:
    """The command line."""
    parser = common.command_line(__doc__, rounds=3)
    parser.add_argument("--batch", type=int, nargs="+", default=[256, 32], help="batch sizes")
    parser.add_argument("--steps", action="store_true", help="print the time of each operator")
    parser.add_argument("--beside", nargs=2, type=float, metavar="MS", help="see above")
    with tempfile.TemporaryDirectory() as folder:

        def offered(options: argparse.Namespace) -> common.Measurements:
            return {
                f"{name} x{batch}": measurement(options, graph, batch)
                for name, graph in graphs(Path(folder)).items()
                for batch in options.batch
            }

        return common.main(parser, offered, "alone")


if __name__ == "__main__":
    sys.exit(main())
