"""Tasks in processes of this machine: see `converting_child`.

Threads of one process wait for the GIL for each sample, and the more threads, the longer: with 16
threads a conversion takes three times as long as with two. Processes do not wait for one another.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from queue import Empty, SimpleQueue
from threading import Event

from ....engine.errors import SourceError, WorkerError
from ....engine.processes.child_process import ChildProcess
from ....engine.processes.messages import unpickled_error
from ...manifest import ShardInfo
from ..reencoding.reencoding import Reencoding
from ..task import OnBatch, Task, run_task

MAX_THREADS = 2
"""Number of threads that are as fast as processes."""

MIN_SAMPLES = 2000
"""Number of samples that are worth the start of processes, half a second."""


def suit(tasks: Sequence[Task], workers: int) -> bool:
    """Return whether processes convert faster than threads, and can do so.

    A function of the user, options of storage, and a format that the program itself defines may
    not work in another process. Encoding anew needs no processes: it hardly holds the GIL.
    """
    if workers <= MAX_THREADS:
        return False
    if sum(task.stop - task.start for task in tasks) < MIN_SAMPLES:
        return False
    options = tasks[0].job.options
    if options.reencoding != Reencoding():
        return False
    if options.filter is not None and not isinstance(options.filter.condition, str):
        return False
    try:
        return b"__main__" not in pickle.dumps(tasks[0])  # which is another module there
    except Exception:
        return False


class ConvertingProcesses:
    """Processes that run tasks; as many start as threads call `run` at a time.

    Args:
        on_batch: see `OnBatch`.
        stop: when it is set, the tasks at work end with InterruptedError.
    """

    def __init__(self, on_batch: OnBatch, stop: Event) -> None:
        self._on_batch = on_batch
        self._stop = stop
        self._free: SimpleQueue[ChildProcess] = SimpleQueue()

    def run(self, task: Task) -> ShardInfo:
        """Have a process run a task, as `run_task` does; without processes, run it here.

        Raises:
            SourceError: the process died.
            Exception: see `run_task`.
        """
        try:
            process = self._free.get_nowait()
        except Empty:
            try:
                process = ChildProcess(f"{__package__}.converting_child")
            except (WorkerError, OSError):
                return run_task(task, self._on_batch, self._stop)
        try:
            return self._result(process, task)
        except (EOFError, ConnectionError) as error:
            fate = process.fate()
            process.close()
            raise SourceError(
                f"the process that wrote {task.name} {fate}; the whole shards stay in "
                f"{task.job.root}, and resume=True goes on with them"
            ) from error

    def _result(self, process: ChildProcess, task: Task) -> ShardInfo:
        (channel,) = process.channels
        channel.send(task)
        failure: BaseException | None = None
        while True:
            kind, content = channel.receive()
            if kind != "batch":
                break
            try:
                self._on_batch(*content)
            except BaseException as error:
                failure = error
            channel.send(failure is not None or self._stop.is_set())
        self._free.put(process)
        if failure is None and kind == "shard":
            shard: ShardInfo = content
            return shard
        raise failure or unpickled_error(*content)

    def close(self) -> None:
        """End the processes."""
        while not self._free.empty():
            self._free.get().close()
