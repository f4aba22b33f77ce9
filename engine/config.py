"""The arguments of a pipeline."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Integral
from pathlib import Path
from typing import Any

from .errors import ArgumentError
from .faults import POLICIES
from .types import CPU_ONLY_DEVICE_ID

_DEFAULT_BUDGET = 4 << 30


@dataclass(frozen=True)
class PipelineConfig:
    """The arguments of `Pipeline` and `pipeline_def`.

    Attributes:
        batch_size: samples in a batch; the largest number where an external source yields
            fewer.
        num_threads: CPU workers; by default as many as this process may use cores.
        exec_processes: whether the workers are processes instead of threads. Threads of one
            process wait for Python's lock. By default, work begins in up to 8 threads; once
            samples have proved to take more than 5 ms each, the others are started, else, if
            there are more than 4 workers and cores, processes take over. Results are the same.
            True starts with processes: it takes half a second, and fails if an operator's
            arguments or class cannot be pickled. False never starts any.
        device_id: CUDA device; None for a pipeline that runs on the CPU only (or, if it has
            GPU operators, for the current device).
        seed: of all randomness but the readers' shuffling; None or -1 draws one.
        prefetch_queue_depth: batches prepared ahead of the consumer, an int or
            `{"cpu_size": x, "gpu_size": y}`.
        exec_pipelined, exec_async: if one is False, a batch is begun only when it is asked
            for.
        prefetch_bytes: a further batch is only begun if, to judge by those before it, it
            fits into this many bytes with all that are under way or held by the consumer.
            One batch at a time is always prepared.
        prefetch_device_bytes: the same of the GPU's memory.
        on_error: what becomes of a sample that cannot be read or processed: "raise", "skip"
            (another sample takes its place) or "replace" (a copy of its neighbour does).
        quarantine_log: file to which a JSON line is added for each bad sample.
        checkpoint: what `Pipeline.checkpoint` returned, or the path that it wrote.
        output_dtype, output_ndim, output_layout: checked on every output; one value for
            all or a list with one (or None) for each.

        Accepted for compatibility, without effect: bytes_per_sample (memory is recycled
        whatever its size), set_affinity (the system's scheduler places threads), max_streams,
        default_cuda_stream_priority, enable_memory_stats (`Pipeline.stats` always tells),
        enable_checkpointing (always on, at no cost), py_num_workers, py_start_method and
        py_callback_pickler (sources run in a thread), exec_dynamic, experimental_exec_dynamic
        (CPU and GPU operators may always alternate), stream_policy and concurrency.
    """

    batch_size: int
    num_threads: int | None = None
    device_id: int | None = None
    seed: int | None = None
    exec_pipelined: bool = True
    prefetch_queue_depth: int | Mapping[str, int] = 2
    exec_async: bool = True
    bytes_per_sample: int = 0
    set_affinity: bool = False
    max_streams: int | None = None
    default_cuda_stream_priority: int | None = None
    enable_memory_stats: bool = False
    enable_checkpointing: bool = False
    checkpoint: str | bytes | os.PathLike[str] | None = None
    py_num_workers: int = 1
    py_start_method: str = "fork"
    py_callback_pickler: Any = None
    output_dtype: Any = None
    output_ndim: Any = None
    output_layout: Any = None
    exec_dynamic: bool | None = None
    experimental_exec_dynamic: bool | None = None
    stream_policy: Any = None
    concurrency: Any = None
    on_error: str = "raise"
    quarantine_log: str | os.PathLike[str] | None = None
    prefetch_bytes: int = field(default=_DEFAULT_BUDGET)
    prefetch_device_bytes: int = field(default=_DEFAULT_BUDGET)
    exec_processes: bool | None = None

    def __post_init__(self) -> None:
        if self.device_id == CPU_ONLY_DEVICE_ID:
            object.__setattr__(self, "device_id", None)
        _check_positive("batch_size", self.batch_size)
        if self.num_threads is not None:
            _check_positive("num_threads", self.num_threads)
        for name, depth in self._depths().items():
            _check_positive(f"prefetch_queue_depth {name}".strip(), depth)
        _check_positive("prefetch_bytes", self.prefetch_bytes)
        _check_positive("prefetch_device_bytes", self.prefetch_device_bytes)
        seed: Any = self.seed
        if seed is not None and not isinstance(seed, Integral):
            raise ArgumentError(f"seed must be an int, but is {self.seed!r}")
        if self.on_error not in POLICIES:
            raise ArgumentError(f"on_error must be one of {POLICIES}, but is {self.on_error!r}")

    def _depths(self) -> dict[str, int]:
        depth = self.prefetch_queue_depth
        if not isinstance(depth, Mapping):
            return {"": depth}
        if set(depth) != {"cpu_size", "gpu_size"}:
            raise ArgumentError(
                "prefetch_queue_depth must be an int or {'cpu_size': x, 'gpu_size': y}, "
                f"but is {depth!r}"
            )
        return dict(depth)

    def ahead(self, uses_gpu: bool) -> int:
        """Return how many batches may be under way or ready ahead of the consumer."""
        if not (self.exec_pipelined and self.exec_async):
            return 1
        depths = self._depths()
        cpu = depths.get("", depths.get("cpu_size", 0))
        return cpu + depths.get("", depths.get("gpu_size", 0)) if uses_gpu else cpu

    def threads(self) -> int:
        """Return the number of worker threads."""
        return self.num_threads or len(os.sched_getaffinity(0))

    def chosen_seed(self) -> int:
        """Return the seed, or draw one."""
        return secrets.randbits(63) if self.seed in (None, -1) else int(self.seed or 0)

    def log_path(self) -> Path | None:
        """Return where bad samples are logged."""
        return None if self.quarantine_log is None else Path(self.quarantine_log)


def _check_positive(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ArgumentError(f"{name} must be a positive int, but is {value!r}")
