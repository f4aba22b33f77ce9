"""The arguments of a pipeline."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ..errors import ArgumentError
from ..machine import usable_cores
from ..tensors.dtypes import CPU_ONLY_DEVICE_ID
from ..work.faults import POLICIES
from .policies import OperatorConcurrency, StreamPolicy

START_METHODS = ("fork", "spawn")


@dataclass(frozen=True)
class PipelineConfig:
    """The arguments of `Pipeline` and `pipeline_def`.

    Attributes:
        batch_size: samples in a batch; the largest number where an external source yields
            fewer.
        num_threads: CPU workers; by default as many as this process may use cores.
        exec_processes: whether the workers are processes instead of threads. Threads of one
            process wait for the GIL. By default, work starts in up to 8 threads. If there are at
            least 2 workers and cores, processes replace the threads. With 2 workers, threads stay
            if they hardly wait for the GIL.
            Results are the same. True starts with processes: that takes half a second, and fails
            if an operator's arguments or class cannot be pickled. False starts no processes.
        device_id: CUDA device; None for a pipeline that runs on the CPU only (or, if it has
            GPU operators, for the current device).
        seed: of all randomness but the readers' shuffling; None or -1 draws one.
        prefetch_queue_depth: batches prepared ahead of the consumer, an int or
            `{"cpu_size": x, "gpu_size": y}`. Small batches of a GPU pipeline that decodes images
            may be computed together, up to 256 samples, and up to 2048 while the consumer waits.
            Such a group counts like a batch, and its batches share memory. While the consumer
            hardly waits, two groups at most are under way. Small batches that are read together
            count like one batch, too, if the pipeline does nothing but read.
        py_num_workers: number of Python workers: processes that call the sources and functions with
            `parallel=True`. They start when the pipeline is built, if there are any.
        py_start_method: "fork" or "spawn". With "fork" the workers are forks of the process, as
            long as a fork is safe: no other thread runs, and CUDA was not started. Else, and with
            "spawn", workers are new interpreters, which get the sources and functions pickled.
        py_callback_pickler: what pickles them: a module or object with `dumps` and `loads`, or a
            tuple of it with keyword arguments for `dumps` and for `loads`. By default cloudpickle
            if it is installed, else pickle.
        exec_pipelined, exec_async: with False, a batch starts only when the consumer
            requests it.
        prefetch_bytes: limit for the bytes of all batches that are under way or held by the
            consumer. One more batch starts if its expected size fits into the limit. One batch
            at a time is always prepared.
        prefetch_device_bytes: the same limit for the GPU's memory; by default an eighth of that
            memory, and 4 GiB at least.
        on_error: policy for samples that cannot be read or processed: "raise", "skip" (use
            another sample) or "replace" (use a copy of a neighbor).
        quarantine_log: file to which a JSON line is added for each bad sample.
        checkpoint: a result of `Pipeline.checkpoint`, or the path of a file with one.
        enable_conditionals: whether Python's `if` may depend on data in the definition: see
            docs/conditionals.md.
        enable_memory_stats: measure the memory of operators' results: see
            `Pipeline.executor_statistics`.
        debug: whether each run calls the definition, with values: see docs/debugging.md. Only
            `pipeline_def` and the functions that it makes take True.
        output_dtype, output_ndim, output_layout: checked on every output; one value for
            all or a list with one (or None) for each.

        Other arguments are accepted for compatibility, without effect. bytes_per_sample is
        needless because memory of any size is recycled, and set_affinity because the system's
        scheduler places threads. enable_checkpointing is always on, at no cost.
        exec_dynamic and experimental_exec_dynamic are needless because CPU and GPU operators may
        always alternate. Further names are max_streams, default_cuda_stream_priority,
        stream_policy and concurrency.
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
    checkpoint: str | bytes | bytearray | memoryview | os.PathLike[str] | None = None
    py_num_workers: int = 1
    py_start_method: str = "fork"
    py_callback_pickler: object = None
    output_dtype: object = None
    output_ndim: object = None
    output_layout: Any = None
    exec_dynamic: bool | None = None
    experimental_exec_dynamic: bool | None = None
    stream_policy: StreamPolicy | None = None
    concurrency: OperatorConcurrency | None = None
    on_error: Literal["raise", "skip", "replace"] = "raise"
    quarantine_log: str | os.PathLike[str] | None = None
    prefetch_bytes: int = 4 << 30
    prefetch_device_bytes: int | None = None
    exec_processes: bool | None = None
    enable_conditionals: bool = False
    debug: bool = False

    def __post_init__(self) -> None:
        self._convert(_integer, "device_id", "seed")
        self._convert(_positive, "batch_size", "num_threads")
        self._convert(_size, "prefetch_bytes", "prefetch_device_bytes")
        self._convert(_truth, "exec_pipelined", "exec_async", "exec_processes", "debug")
        self._convert(_truth, "exec_dynamic", "experimental_exec_dynamic", "enable_memory_stats")
        self._convert(_truth, "enable_conditionals")
        self._convert(_number, "py_num_workers")
        if self.py_start_method not in START_METHODS:
            raise ArgumentError(
                f"py_start_method must be one of {START_METHODS}, but is {self.py_start_method!r}"
            )
        if self.device_id == CPU_ONLY_DEVICE_ID:
            object.__setattr__(self, "device_id", None)
        depths = {
            name: _positive(f"prefetch_queue_depth {name}".strip(), depth)
            for name, depth in self._depths().items()
        }
        object.__setattr__(self, "prefetch_queue_depth", depths.get("", depths))
        log = self.quarantine_log
        if log is not None and (not isinstance(log, str | os.PathLike) or not os.fspath(log)):
            raise ArgumentError(f"quarantine_log must be the path of a file, but is {log!r}")
        if self.on_error not in POLICIES:
            raise ArgumentError(f"on_error must be one of {POLICIES}, but is {self.on_error!r}")

    def _convert(self, convert: Callable[[str, Any], object], *names: str) -> None:
        """Convert the values of these fields, if they are given."""
        for name in names:
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, convert(name, value))

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
        cpu = self.depth("cpu_size")
        return cpu + self.depth("gpu_size") if uses_gpu else cpu

    def depth(self, stage: str) -> int:
        """Return `prefetch_queue_depth` of a stage: "cpu_size" or "gpu_size"."""
        depths = self._depths()
        return depths.get("", depths.get(stage, 0))

    def threads(self) -> int:
        """Return the number of worker threads."""
        return self.num_threads or usable_cores()

    def chosen_seed(self) -> int:
        """Return the seed, or draw one."""
        if self.seed in (None, -1):
            return int.from_bytes(os.urandom(8)) >> 1  # below 2^63
        return int(self.seed or 0)

    def log_path(self) -> Path | None:
        """Return where bad samples are logged."""
        return None if self.quarantine_log is None else Path(self.quarantine_log)


def _integer(name: str, value: object) -> int:
    """Return an int of Python or NumPy as an int of Python."""
    if isinstance(value, bool) or not isinstance(value, Integral) or abs(int(value)) >> 63:
        raise ArgumentError(f"{name} must be an int of 64 bits, but is {value!r}")
    return int(value)


def _number(name: str, value: object) -> int:
    number = _integer(name, value)
    if number < 0:
        raise ArgumentError(f"{name} must not be negative, but is {value!r}")
    return number


def _positive(name: str, value: object) -> int:
    number = _integer(name, value)
    if number < 1:
        raise ArgumentError(f"{name} must be a positive int, but is {value!r}")
    return number


def _size(name: str, value: Any) -> int:
    """Return a number of bytes, which may be a float such as 1e9, as an int."""
    whole = isinstance(value, float) and value.is_integer()
    return _positive(name, int(value) if whole else value)


def _truth(name: str, value: object) -> bool:
    if not isinstance(value, bool | np.bool_) and value not in (0, 1):
        raise ArgumentError(f"{name} must be a bool, but is {value!r}")
    return bool(value)
