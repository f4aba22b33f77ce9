"""PyTorch's `DataLoader` with a server's pipeline behind it."""

from __future__ import annotations

from collections import Counter, deque
from functools import partial
from typing import Any

from torch.utils import data
from torch.utils.data import dataloader

from .sample_keys import Drawn, Epoch
from .server import DALIServer, Tag

# Methods without types are called as members of these, so that mypy knows whose they are.
_OfProcess = dataloader._SingleProcessDataLoaderIter
_OfWorkers = dataloader._MultiProcessingDataLoaderIter


class DataLoader(data.DataLoader[Any]):
    """Yields the batches of PyTorch's `DataLoader`, with the pipeline's outputs in place.

    While the program works on a batch, the pipeline computes those that workers have sent since.
    Without worker processes (`num_workers=0`) the loader takes batch by batch.

    Args:
        dali_server: its `proxy` is called by the data set.
        args: those of `torch.utils.data.DataLoader`; the first one is the data set.
        kwargs: likewise.

    Attributes:
        dali_server: as given.
        epoch: number of the epoch that the next loop begins. A program that continues an earlier
            run sets the number, for the random numbers of `deterministic=True`.
    """

    def __init__(self, dali_server: DALIServer, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.dali_server = dali_server
        self.epoch = 0

    def _get_iterator(self) -> Any:
        if self.num_workers == 0:
            return _Single(self)
        return _Several(self)

    def next_epoch(self) -> Epoch:
        """Begin an epoch."""
        epoch = Epoch(self.epoch)
        self.epoch += 1
        return epoch


class _Single(_OfProcess):
    """Loads batches in this process."""

    def __init__(self, loader: DataLoader) -> None:
        self._server = loader.dali_server
        self._epoch = loader.next_epoch()
        self._tag: Tag | None = None
        super().__init__(loader)

    def _next_index(self) -> object:
        index = _OfProcess._next_index(self)
        if self._server.deterministic:
            drawn = self._epoch.ask(index if self._auto_collation else [index])
            self._tag = partial(self._epoch.tag, drawn=drawn)
        return index

    def _next_data(self) -> Any:
        batch = _OfProcess._next_data(self)
        replaceable = self._server.submit(batch, self._tag)
        return self._server.produce(batch, replaceable, pin=self._pin_memory)


class _Several(_OfWorkers):
    """Gets batches from worker processes, and has the pipeline compute them as they come.

    PyTorch's iterator receives a batch only when a program asks for one. This one also receives
    what has come since, without waiting. Everything happens in the thread of the program, so the
    end and the death of workers are PyTorch's matter.

    With `deterministic=True` the pipeline gets the batches in their order. Then operators with a
    state of their own, such as readers, see the same order in every run.
    """

    def __init__(self, loader: DataLoader) -> None:
        self._server = loader.dali_server
        self._keyed = self._server.deterministic
        self._received: deque[object] = deque()  # what was received ahead
        self._failure: RuntimeError | None = None  # of a worker, while receiving ahead
        self._ordered = getattr(loader, "in_order", True)  # an argument since PyTorch 2.6
        super().__init__(loader)

    def _reset(self, loader: DataLoader, first_iter: bool = False) -> None:
        self._epoch = loader.next_epoch()
        self._batch_size = loader.batch_size or 1
        self._drawn: dict[int, list[Drawn]] = {}  # by the number of the batch
        self._came: Counter[int] = Counter()  # batches of each worker
        self._early: dict[int, tuple[object, Tag]] = {}  # batches that wait for their turn
        self._turn = 0
        super()._reset(loader, first_iter)

    def _next_index(self) -> object:
        index = _OfWorkers._next_index(self)
        if self._keyed and self._dataset_kind == dataloader._DatasetKind.Map:
            self._drawn[self._send_idx] = self._epoch.ask(
                index if self._auto_collation else [index]
            )
        return index

    def _get_data(self) -> object:
        if self._received:
            return self._received.popleft()
        if self._failure is not None:
            raise self._failure
        item = _OfWorkers._get_data(self)
        self._submit(*item)
        return item

    def _next_data(self) -> Any:
        batch = _OfWorkers._next_data(self)
        self._submit_in_turn(self._rcvd_idx)
        self._receive_ahead()
        replaceable = self._server.submit(batch)
        return self._server.produce(batch, replaceable, pin=self._pin_memory)

    def _receive_ahead(self) -> None:
        while self._tasks_outstanding > len(self._received) and self._failure is None:
            try:
                came, item = _OfWorkers._try_get_data(self, timeout=0)
            except RuntimeError as error:  # a worker has died, but earlier batches are good
                self._failure = error
                return
            if not came:
                return
            self._received.append(item)
            self._submit(*item)

    def _submit(self, number: Any, batch: Any) -> None:
        """Have the pipeline begin with batch `number`, or do so when the batch's turn comes."""
        if number not in self._task_info:
            return  # the batch is of an epoch that was broken off
        if not self._keyed:
            self._server.submit(batch)
            return
        tag = partial(self._epoch.tag, drawn=self._samples(number))
        if self._ordered:
            self._early[number] = batch, tag
            self._submit_in_turn(0)
        else:
            self._server.submit(batch, tag)

    def _submit_in_turn(self, until: int) -> None:
        """Submit the batches before `until`, of which some may never come, and what follows."""
        while self._turn < until or self._turn in self._early:
            early = self._early.pop(self._turn, None)
            if early is not None:
                self._server.submit(*early)
            self._turn += 1

    def _samples(self, number: int) -> list[Drawn]:
        """Return the samples of a batch; those of an iterable data set are counted by worker."""
        if number in self._drawn:
            return self._drawn.pop(number)
        worker = self._task_info[number][0]
        first = (self._came[worker] * self._num_workers + worker) * self._batch_size
        self._came[worker] += 1
        return [Drawn(first + i, 0) for i in range(self._batch_size)]
