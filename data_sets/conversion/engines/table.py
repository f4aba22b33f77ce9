"""The engines that run the tasks of a conversion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ...manifest import ShardInfo
from ..task import OnBatch, Task
from .clusters import run_dask, run_ray
from .local import run_local

Engine = Callable[[Sequence[Task], int | None, OnBatch], Iterator[tuple[int, ShardInfo]]]
"""`engine(tasks, workers, on_batch)` yields number and shard of each task, once it is done."""

ENGINES: dict[str, Engine] = {"local": run_local, "ray": run_ray, "dask": run_dask}
