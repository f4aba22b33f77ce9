"""An iterator as a data set of PyTorch, for code that insists on a `DataLoader`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from torch.utils.data import IterableDataset, get_worker_info

from ...engine.errors import ArgumentError
from ..base_iterator import AnyIterator

__all__ = ["BatchDataset"]


class BatchDataset(IterableDataset[Any]):
    """The batches of an iterator as elements of a data set.

        loader = DataLoader(BatchDataset(batches), batch_size=None)

    The elements are whole batches, so the loader has `batch_size=None`. It has no worker processes,
    because the pipeline has threads and processes of its own. `StatefulDataLoader` of torchdata
    saves and restores the iterator.

    Args:
        batches: the iterator.
    """

    def __init__(self, batches: AnyIterator) -> None:
        self.batches = batches

    def __iter__(self) -> Iterator[Any]:
        if get_worker_info() is not None:
            raise ArgumentError(
                "a pipeline cannot run in a worker process of a DataLoader; give the DataLoader "
                "num_workers=0, and the pipeline num_threads"
            )
        yield from self.batches

    def __len__(self) -> int:
        """Return the number of batches of the current epoch."""
        return len(self.batches)

    def state_dict(self) -> dict[str, object]:
        """Return the state of the iterator."""
        return self.batches.state_dict()

    def load_state_dict(self, state_dict: Mapping[str, object]) -> None:
        """Restore the iterator."""
        self.batches.load_state_dict(state_dict)
