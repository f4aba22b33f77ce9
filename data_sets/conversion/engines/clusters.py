"""Tasks on the workers of a cluster: Ray's or Dask's.

Source and destination must be on a file system that all machines share, with Penstock installed on
each machine. A task whose worker dies is run again by another worker: it writes the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from types import ModuleType
from typing import Any

from ....engine.errors import SourceError, imported
from ...manifest import ShardInfo
from ..task import OnBatch, Task, run_task
from .local import as_ready

WAITING_TASKS = 2
"""Tasks that are handed over, for each worker: the next one never waits for us."""

RAY_ATTEMPTS = 5
"""Times that Ray runs a task again because its worker died."""


def run_ray(
    tasks: Sequence[Task], workers: int | None, on_batch: OnBatch
) -> Iterator[tuple[int, ShardInfo]]:
    """Yield number and shard of each task, as Ray's workers finish the tasks.

    A cluster that `ray.init` connected, or that RAY_ADDRESS names, is used; else Ray starts on this
    machine, and is shut down at the end.
    """
    ray = imported("ray", "engine='ray' needs ray", "ray")
    started = not ray.is_initialized()
    if started:
        ray.init(log_to_driver=False, include_dashboard=False)
    try:
        remote = ray.remote(max_retries=RAY_ATTEMPTS)(run_task)
        at_once = WAITING_TASKS * (workers or int(ray.cluster_resources().get("CPU", 1)))
        rest = iter(tasks)
        running = {remote.remote(task): task for task in islice(rest, at_once)}
        while running:
            (ready, *_), _ = ray.wait(list(running))
            task = running.pop(ready)
            running.update({remote.remote(following): following for following in islice(rest, 1)})
            shard = _result(ray, ready)
            on_batch(task.stop - task.start, sum(file.bytes for file in shard.files))
            yield task.number, shard
    finally:
        if started:
            ray.shutdown()


def _result(ray: ModuleType, reference: object) -> ShardInfo:
    try:
        shard: ShardInfo = ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from error
    except ray.exceptions.WorkerCrashedError as error:
        raise SourceError(
            f"the worker of a task died {RAY_ATTEMPTS + 1} times; resume=True goes on: {error}"
        ) from error
    return shard


def run_dask(
    tasks: Sequence[Task], workers: int | None, on_batch: OnBatch
) -> Iterator[tuple[int, ShardInfo]]:
    """Yield number and shard of each task, as Dask's workers finish the tasks.

    The client that was made last is used; else one that DASK_SCHEDULER_ADDRESS configures, or one
    with a cluster on this machine, which is closed at the end.
    """
    distributed = imported("distributed", "engine='dask' needs distributed", "dask")
    client, started = _client(distributed, workers)
    pool = client.get_executor(pure=False)
    try:
        at_once = WAITING_TASKS * (workers or max(1, sum(client.ncores().values())))
        samples = {task.number: task.stop - task.start for task in tasks}
        for number, shard in as_ready(pool, run_task, tasks, at_once):
            on_batch(samples[number], sum(file.bytes for file in shard.files))
            yield number, shard
    finally:
        pool.shutdown(wait=False)  # after an error, the other tasks are cancelled
        if started:
            client.close()


def _client(distributed: Any, workers: int | None) -> tuple[Any, bool]:
    """Return a client, and whether it was made here."""
    try:
        return distributed.get_client(), False
    except ValueError:
        import dask

        if dask.config.get("scheduler-address", None):
            return distributed.Client(), True
        return distributed.Client(n_workers=workers, dashboard_address=None), True
