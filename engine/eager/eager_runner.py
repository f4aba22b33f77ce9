"""The memory, the threads and the GPU of operators that run at once."""

from __future__ import annotations

import threading
from functools import cached_property
from typing import TYPE_CHECKING

from ..gpu.gpu_device import GpuDevice
from ..graph.nodes import Node
from ..tensors.memory import SlabPool
from ..threads import Team
from ..work.batch import Batch, begin_batch_step, run_batch_step
from ..work.chain import Chain, ChainRun, Worker
from ..work.plan import Segment, SegmentType, Step, stepwise_plan

if TYPE_CHECKING:
    from ..gpu.device import Device


class EagerRunner:
    """The memory, threads and GPU of operators that run at once.

    Several operators and graphs may share a runner, and several threads may call it.

    Args:
        threads: threads that compute the samples of a batch, with the calling one.
        device_id: CUDA device of GPU operators; None is the current one.
        device_bytes: bytes of the device's memory that should be lent at most; None is a default.

    Attributes:
        pool: host memory of batches.
    """

    def __init__(
        self, threads: int = 1, device_id: int | None = None, device_bytes: int | None = None
    ) -> None:
        self.threads = threads
        self.pool = SlabPool(shared=False)
        self._team = Team("penstock-eager", threads - 1)
        self._device_id = device_id
        self._device_bytes = device_bytes
        self._launching = threading.RLock()
        self._lane: Device | None = None

    @cached_property
    def device(self) -> GpuDevice:
        """The GPU; CUDA starts with the first use.

        Raises:
            MissingDependencyError: the driver, CuPy or a device is missing.
        """
        return GpuDevice(self._device_id, self._device_bytes, self.threads)

    def run(self, node: Node, batch: Batch) -> None:
        """Run a node's operator, and store its results in `batch.values`.

        The results are complete, on the GPU, too. Rows that fail are in `batch.errors`.

        Args:
            node: whose data are in `batch.values`, by the ordinals of their nodes.
            batch: its size, positions and seed decide the random numbers.
        """
        (segment,) = stepwise_plan([node]).segments
        (step,) = segment.steps
        if segment.type == SegmentType.GPU:
            self._launch(step, batch)
        elif segment.type == SegmentType.BATCH:
            begun = run_batch_step(step, batch, "CPU")
            while begun is not None:
                begun = run_batch_step(step, batch, "CPU", begun)
        else:
            self._compute_rows(segment, batch)

    def _compute_rows(self, segment: Segment, batch: Batch) -> None:
        run = Chain(segment).start(batch)
        workers = [Worker() for _ in range(min(self.threads, batch.size))]
        self._team.run_jobs(lambda worker: _compute_rows(worker, run), workers)
        run.finish()

    def _launch(self, step: Step, batch: Batch) -> None:
        with self._launching:
            lane = self._lane = self._lane or self.device.open_lane()
            begin_batch_step(step, batch)
            batch.device = lane
            try:
                with self.device.on_lane(lane):
                    run_batch_step(step, batch, "GPU")
                batch.debts.run_checks()
            except BaseException as error:
                self.device.examine(error)
                raise
            finally:
                batch.begun = None
                batch.debts.release()

    def close(self) -> None:
        """End the threads, and free the memory that nobody holds; idempotent."""
        self._team.close()
        self.pool.close()
        with self._launching:
            lane, self._lane = self._lane, None
            if lane is not None:
                self.device.close_lane(lane)
                self.device.pool.free_pinned()
                self.device.pool.close()


def _compute_rows(worker: Worker, run: ChainRun) -> None:
    while rows := run.next_rows():
        for i in rows:
            if i not in run.batch.errors:
                try:
                    worker.compute(run, i)
                except BaseException as error:
                    run.batch.fail_row(i, error)
