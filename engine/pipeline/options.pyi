"""Types of a pipeline's arguments; made by docs/generate.py."""

import os
from collections.abc import Callable, Mapping
from typing import Any, Literal, ParamSpec, Protocol, TypedDict, overload

from ..run.policies import OperatorConcurrency, StreamPolicy
from .pipeline import Pipeline

P = ParamSpec("P")

class FurtherOptions(TypedDict, total=False):
    """Arguments of `Pipeline` that have no position."""

    exec_async: bool
    bytes_per_sample: int
    set_affinity: bool
    max_streams: int | None
    default_cuda_stream_priority: int | None
    enable_memory_stats: bool
    enable_checkpointing: bool
    checkpoint: str | bytes | bytearray | memoryview | os.PathLike[str] | None
    py_num_workers: int
    py_start_method: str
    py_callback_pickler: object
    output_dtype: object
    output_ndim: object
    output_layout: Any
    exec_dynamic: bool | None
    experimental_exec_dynamic: bool | None
    stream_policy: StreamPolicy | None
    concurrency: OperatorConcurrency | None
    on_error: Literal['raise', 'skip', 'replace']
    quarantine_log: str | os.PathLike[str] | None
    prefetch_bytes: int
    prefetch_device_bytes: int | None
    exec_processes: bool | None
    enable_conditionals: bool
    debug: bool

class PipelineOptions(FurtherOptions, total=False):
    """Arguments of `Pipeline`."""

    batch_size: int
    num_threads: int | None
    device_id: int | None
    seed: int | None
    exec_pipelined: bool
    prefetch_queue_depth: int | Mapping[str, int]

class PipelineFunction(Protocol[P]):
    """Makes pipelines. Its arguments are those of the definition, and those of `Pipeline`.

    A type cannot say "the arguments P, and these options". So where a call gives an option, no
    other argument of the call is checked.
    """

    __name__: str
    __qualname__: str
    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, batch_size: int, **others: Any) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, num_threads: int | None, **others: Any) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, device_id: int | None, **others: Any) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, seed: int | None, **others: Any) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, exec_pipelined: bool, **others: Any) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, prefetch_queue_depth: int | Mapping[str, int], **others: Any) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, exec_async: bool, **others: Any) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, bytes_per_sample: int, **others: Any) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, set_affinity: bool, **others: Any) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, max_streams: int | None, **others: Any) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, default_cuda_stream_priority: int | None, **others: Any) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, enable_memory_stats: bool, **others: Any) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, enable_checkpointing: bool, **others: Any) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, checkpoint: str | bytes | bytearray | memoryview | os.PathLike[str] | None, **others: Any) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, py_num_workers: int, **others: Any) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, py_start_method: str, **others: Any) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, py_callback_pickler: object, **others: Any) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, output_dtype: object, **others: Any) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, output_ndim: object, **others: Any) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, output_layout: Any, **others: Any) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, exec_dynamic: bool | None, **others: Any) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, experimental_exec_dynamic: bool | None, **others: Any) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, stream_policy: StreamPolicy | None, **others: Any) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, concurrency: OperatorConcurrency | None, **others: Any) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, on_error: Literal['raise', 'skip', 'replace'], **others: Any) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, quarantine_log: str | os.PathLike[str] | None, **others: Any) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, prefetch_bytes: int, **others: Any) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, prefetch_device_bytes: int | None, **others: Any) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, exec_processes: bool | None, **others: Any) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, enable_conditionals: bool, **others: Any) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, debug: bool, **others: Any) -> Pipeline: ...
    def __get__(self, instance: object, owner: type | None = None) -> Callable[..., Pipeline]: ...
