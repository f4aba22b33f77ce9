"""Tasks on this machine: in threads of this process, or in processes where threads would wait."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from functools import partial
from threading import Event

from ....engine.machine import usable_cores
from ...manifest import ShardInfo
from ..task import OnBatch, Task, release_source, run_task
from .processes import ConvertingProcesses, suit


def run_local(
    tasks: Sequence[Task], workers: int | None, on_batch: OnBatch
) -> Iterator[tuple[int, ShardInfo]]:
    """Yield the number of a task and its shard, in the order in which they get ready.

    At the first error the other tasks stop, and the error is raised.
    """
    stop = Event()
    cores = usable_cores()
    workers = min(workers or cores, max(1, len(tasks)))
    run: Callable[[Task], ShardInfo] = partial(run_task, on_batch=on_batch, stop=stop)
    with ExitStack() as opened:
        at_once = min(workers, cores)
        if suit(tasks, at_once):
            workers = at_once
            processes = ConvertingProcesses(on_batch, stop)
            opened.callback(processes.close)
            run = processes.run
        pool = opened.enter_context(ThreadPoolExecutor(workers, "penstock-convert"))
        try:
            yield from as_ready(pool, run, tasks, workers)
        finally:
            stop.set()
    release_source()


def as_ready(
    pool: Executor, run: Callable[[Task], ShardInfo], tasks: Sequence[Task], at_once: int
) -> Iterator[tuple[int, ShardInfo]]:
    """Run tasks in a pool, `at_once` together, and yield their numbers and shards."""
    rest = iter(tasks)
    running: dict[Future[ShardInfo], int] = {}
    while True:
        for task in rest:
            running[pool.submit(run, task)] = task.number
            if len(running) >= at_once:
                break
        if not running:
            return
        ready, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in ready:
            yield running.pop(future), future.result()
