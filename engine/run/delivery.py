"""Batches that are done, handed out in order."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue

from ..work.batch import Batch

WAIT_SECONDS = 0.25
"""Time of one wait. A signal that arrives right before a wait does not end the wait: Python runs
the signal's handler when the wait is over."""


class DeliveryQueue:
    """Holds batches that are done until their turn comes.

    A signal's handler may interrupt the consumer at any line. A `threading.Condition` could then
    keep its lock for ever, so a consumer waits on a `SimpleQueue` of its own, outside of the lock.

    Attributes:
        delivered: number of batches that were handed out.
    """

    def __init__(self) -> None:
        self.delivered = 0
        self._lock = threading.Lock()
        self._waiting: list[SimpleQueue[None]] = []
        self._done: dict[int, Batch] = {}
        self._stopped = False
        self._failure: BaseException | None = None

    def watch(self, work: Callable[..., None], *arguments: object) -> None:
        """Do the work of a thread. If it fails, `next_batch` raises its exception from then on.

        Without this a thread that lacks memory, say, would end, and consumers would wait for ever.
        """
        try:
            work(*arguments)
        except BaseException as error:
            error.add_note(f"the thread {threading.current_thread().name} ended")
            with self._lock:
                if not self._stopped:  # its traceback holds memory of batches
                    self._failure = self._failure or error
                self._wake_all()

    def deliver(self, batch: Batch) -> bool:
        """Store a batch that is done; return False if nobody will ask for batches any more."""
        with self._lock:
            if not self._stopped:
                self._done[batch.number] = batch
            self._wake_all()
            return not self._stopped

    def next_batch(self) -> Batch | None:
        """Wait for the next batch in order; None if `stop` was called.

        Raises:
            BaseException: a thread failed (see `watch`), and the batch is not done.
        """
        while True:
            with self._lock:
                batch = self._done.get(self.delivered)
                if batch is not None:
                    self.delivered += 1  # first: an interrupt between the two lines loses no number
                    del self._done[batch.number]
                if batch is not None or self._stopped:
                    return batch
                if self._failure is not None:
                    raise self._failure
                change: SimpleQueue[None] = SimpleQueue()
                self._waiting.append(change)
            _wait_for(change)  # another thread may take the batch meanwhile

    def drop_until(self, number: int) -> None:
        """Wait for all batches before `number`, and drop them."""
        while self.delivered < number:
            batch = self.next_batch()
            if batch is None:
                return
            batch.forget_errors()

    def restart(self, number: int) -> None:
        """Hand out batch `number` next; none is under way or done."""
        self._done.clear()  # an interrupt of `next_batch` leaves a batch that was handed out
        self.delivered = number

    def stop(self) -> list[Batch]:
        """Wake whoever waits; return the batches that nobody will ask for. Idempotent."""
        with self._lock:
            self._stopped = True
            self._failure = None  # its traceback holds memory of batches
            dropped = list(self._done.values())
            self._done.clear()
            self._wake_all()
        return dropped

    def _wake_all(self) -> None:
        for change in self._waiting:
            change.put(None)
        self._waiting.clear()


def _wait_for(change: SimpleQueue[None]) -> None:
    while True:
        with suppress(Empty):
            return change.get(timeout=WAIT_SECONDS)
