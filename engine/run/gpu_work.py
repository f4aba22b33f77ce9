"""What a pipeline has on the GPU: the device, the stage that works there, and its rehearsal."""

from __future__ import annotations

import threading
from collections.abc import Callable

from ..gpu.gpu_device import GpuDevice
from ..tensors.memory import SlabPool
from ..work.batch import Batch
from ..work.plan import Plan
from ..work.stats import Clocks
from .config import PipelineConfig
from .device_stage import DeviceStage
from .rehearsal import Rehearsal


class GpuWork:
    """The GPU of one pipeline, and the threads that work there.

    Args:
        plan: the pipeline's plan, which uses the GPU.
        config: the pipeline's arguments.
        pool: memory of batches, which is locked for copies from now on.
        done, clocks, watch, keep: see `DeviceStage`.

    Attributes:
        device: the GPU.
        stage: computes segments of batches.
    """

    def __init__(
        self,
        plan: Plan,
        config: PipelineConfig,
        pool: SlabPool,
        done: Callable[[Batch, int, BaseException | None], None],
        clocks: Clocks,
        watch: Callable[..., None],
        *,
        keep: bool,
    ) -> None:
        threads = config.threads()
        self.device = GpuDevice(config.device_id, config.prefetch_device_bytes, threads)
        self.stage = DeviceStage(self.device, plan, done, clocks, watch, keep=keep)
        self._rehearsal = Rehearsal(plan, self.device, pool, threads)
        pool.pin_with(self.device)

    @property
    def threads(self) -> list[threading.Thread]:
        """The threads, which the owner starts."""
        return [*self.stage.threads, *self._rehearsal.threads]

    def stop(self) -> None:
        """Let the threads end after the work at hand; idempotent."""
        self._rehearsal.stop()
        self.stage.stop()
