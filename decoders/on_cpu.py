"""Files that a decoder on the GPU leaves to threads of the CPU, beside the launches of work.

The rows of a batch are decoded one by one. Their results lie in memory of the batch, which is
pinned for copies to the GPU, and counts for the batch's budget.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, TypeVar, TypeVarTuple

from ..engine.threads import Team, TeamCall

if TYPE_CHECKING:
    from ..engine.gpu.device import Device
    from ..engine.graph.context import BatchContext

Job = TypeVar("Job")
Result = TypeVar("Result")
Given = TypeVarTuple("Given")


class CpuFallback:
    """The CPU's part in the decoding of one operator. Several threads may use it.

    Threads start when they are needed, and stay until `close`.

    Args:
        counted: name of what `count` counts, for the pipeline's statistics.
    """

    def __init__(self, counted: str) -> None:
        self._counted = counted
        self._count = 0
        self._team: Team | None = None
        self._lock = Lock()  # taken once or twice a batch

    @property
    def is_open(self) -> bool:
        """Whether the number of threads is known."""
        return self._team is not None

    def open(self, device: Device) -> None:
        """Take the number of threads from a device; idempotent."""
        with self._lock:
            if self._team is None:
                self._team = Team("penstock-decoder", device.num_threads)

    def submit(self, function: Callable[[*Given], Result], *arguments: *Given) -> TeamCall[Result]:
        """Have a thread call a function; valid after `open`."""
        assert self._team is not None
        return self._team.submit(function, *arguments)

    def run_jobs(self, work: Callable[[Job], object], jobs: Sequence[Job]) -> None:
        """Have this thread and others call `work` with each job; valid after `open`."""
        assert self._team is not None
        self._team.run_jobs(work, jobs)

    def start(
        self, rows: Iterable[int], decode: Callable[[int], Result]
    ) -> dict[int, TeamCall[Result]]:
        """Have threads call `decode` with each row; return the calls by row."""
        return {row: self.submit(decode, row) for row in rows}

    def finish(
        self, batch: BatchContext, calls: Mapping[int, TeamCall[Result]]
    ) -> Iterator[tuple[int, Result]]:
        """Yield each row of a batch with its result; enter the errors of rows."""
        for row, call in calls.items():
            try:
                with batch.device.waiting("threads"):
                    result = call.result()
            except Exception as error:
                batch.fail_row(row, error)
                continue
            yield row, result

    def count(self, number: int) -> None:
        """Count what the CPU has decoded."""
        if number:
            with self._lock:
                self._count += number

    def event_counts(self) -> dict[str, int]:
        """See `Operator.event_counts`."""
        return {self._counted: self._count} if self._count else {}

    def close(self) -> None:
        """End the threads; idempotent."""
        if self._team is not None:
            self._team.close()
