"""Running the tasks of a conversion that are not done yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock

from ..manifest import ShardInfo
from .engines.table import ENGINES
from .progress import ConvertProgress, OnProgress
from .task import Task, finished


class Execution:
    """The work on the tasks that are not done yet.

    Attributes:
        shards: by number of the task, the shards that are whole.
        resumed: number of shards that an earlier run wrote.
    """

    def __init__(
        self,
        tasks: Sequence[Task],
        total: int,
        progress: OnProgress | None,
        whole: Mapping[int, ShardInfo],
    ) -> None:
        self._tasks = tasks
        self._total = total
        self._progress = progress
        self._lock = Lock()
        done = ((task, whole.get(task.number) or finished(task)) for task in tasks)
        self.shards = {task.number: shard for task, shard in done if shard is not None}
        self.resumed = len(self.shards)
        self._samples = sum(t.stop - t.start for t in tasks if t.number in self.shards)
        self._bytes = 0

    def run(self, engine: str, workers: int | None) -> None:
        """Run the tasks; return when all shards are whole."""
        rest = [task for task in self._tasks if task.number not in self.shards]
        for number, shard in ENGINES[engine](rest, workers, self._on_batch):
            self.shards[number] = shard
            self._on_batch(0, 0)

    def _on_batch(self, samples: int, size: int) -> None:
        with self._lock:
            self._samples += samples
            self._bytes += size
            if self._progress is not None:
                shards, total = len(self.shards), len(self._tasks)
                self._progress(
                    ConvertProgress(self._samples, self._total, self._bytes, shards, total)
                )
