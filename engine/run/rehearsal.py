"""Kernels are compiled before the first batches need them, in threads, all at once.

To compile the kernels of a training pipeline takes seconds, on a machine where they were never
compiled: each operator would wait for its kernels before the next operator learns which ones it
needs. So operators rehearse when a pipeline starts. They launch their work on made-up samples, on
a device that launches nothing, while the inputs and the device get ready.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from queue import SimpleQueue

import numpy as np

from ..gpu.device import Device
from ..gpu.gpu_device import GpuDevice
from ..gpu.kernels import Kernel
from ..graph.branch_operators import Merge
from ..graph.params import REQUIRED
from ..tensors.memory import SlabPool
from ..tensors.results import as_tensor_lists
from ..work.batch import Batch
from ..work.plan import Plan, SegmentType, Step

REHEARSED_SAMPLES = 128
"""Samples of a made-up batch: so many that sizes of all kinds are among them."""

REHEARSED_BATCHES = 5
"""Number of batches. The first two name the kernels for usual photographs, and the others those for
large ones."""

BATCHES_OF_FEW_THREADS = 2
"""Batches rehearsed with fewer than `MANY_THREADS`. There the kernels that are needed late take
more time from the first batches than they save."""

MANY_THREADS = 4
"""Threads from which on `REHEARSED_BATCHES` are rehearsed."""


class Rehearsal:
    """The rehearsal of one pipeline.

    Args:
        plan: the operators.
        device: the device of the pipeline.
        pool: memory of the host for the made-up batches.
        threads: number of threads that compile.

    Attributes:
        threads: the threads; the first one rehearses before. All end when nothing is left to do.
    """

    def __init__(self, plan: Plan, device: GpuDevice, pool: SlabPool, threads: int) -> None:
        self._plan = plan
        self._device = device
        self._pool = pool
        is_many = threads >= MANY_THREADS
        self._batches = REHEARSED_BATCHES if is_many else BATCHES_OF_FEW_THREADS
        self._kernels: SimpleQueue[Kernel | None] = SimpleQueue()
        self._stopped = False
        work = [self._rehearse] + [self._compile] * (threads - 1)
        self.threads = [
            threading.Thread(target=job, name=f"penstock-compiler-{i}", daemon=True)
            for i, job in enumerate(work)
        ]

    def stop(self) -> None:
        """Let the threads end after the kernels at hand; idempotent."""
        self._stopped = True
        self._end_threads()

    def _end_threads(self) -> None:
        for _ in self.threads:
            self._kernels.put(None)

    def _rehearse(self) -> None:
        named: set[Kernel] = set()

        def name(kernel: Kernel) -> None:
            if kernel not in named:
                named.add(kernel)
                self._kernels.put(kernel)

        with suppress(Exception):
            rehearse(self._plan, self._device.rehearsing(name), self._pool, self._batches)
        self._end_threads()
        self._compile()

    def _compile(self) -> None:
        while (kernel := self._kernels.get()) is not None and not self._stopped:
            with suppress(Exception):  # the first batch that needs the kernel raises it
                self._device.compile(kernel)


def rehearse(plan: Plan, device: Device, pool: SlabPool, batches: int) -> None:
    """Let the operators of a plan launch their work on made-up batches: see `Operator.rehearse`."""
    segments = [segment for segment in plan.segments if segment.type == SegmentType.GPU]
    steps = [step for segment in segments for step in segment.steps]
    for number in range(batches):
        batch = Batch(number, REHEARSED_SAMPLES, pool, 0)
        batch.device = device
        for step in steps:
            _rehearse_step(step, batch)
        device.end_batch()


def _rehearse_step(step: Step, batch: Batch) -> None:
    operator, values = step.node.operator, batch.values
    inputs = [values[ordinal][i] if ordinal in values else None for ordinal, i in step.inputs]
    if operator.device == "mixed":
        inputs = []
    elif step.node.sequences is not None:
        return
    elif isinstance(operator, Merge):
        inputs = [batch for batch in inputs if batch is not None]
    elif any(
        each is None and operator.input_at(number).device != "cpu"
        for number, each in enumerate(inputs)
    ):
        return
    arguments = dict(step.constants)
    for name, _, declared in step.arguments:
        usual = declared.default
        arguments[name] = usual if usual is not REQUIRED and np.any(usual) else 1
    with suppress(Exception), np.errstate(all="ignore"):  # the operators behind learn nothing then
        results = operator.rehearse(batch, *inputs, **arguments)
        if results is not None:
            assumed, names = operator.assumed_layouts, [None] * len(step.layouts)
            lists = as_tensor_lists(results, batch.size, step.layouts, assumed, names)
            values[step.node.ordinal] = lists
