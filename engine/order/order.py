"""What all orders have: which samples batch k of a rank holds, and what is left after it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from ..errors import ArgumentError
from .selection import Selection

if TYPE_CHECKING:
    from .epoch_order import EpochOrder


class Order(ABC):
    """The batches of one rank, each computed from its number alone.

    Batches are numbered from the start on, or from the state with which an order goes on. All ranks
    compute the same states.

    Attributes:
        state: where the order begins.
        batch_size: samples of a batch, or the most that one may have.
        global_batch: samples of a step of all ranks, if the state holds them.
        epoch_size: samples in an epoch of all ranks together.
        of_epochs: the order of the samples of one source; None for other orders.
    """

    state: Any
    batch_size: int
    global_batch: int | None = None
    epoch_size: int
    of_epochs: EpochOrder | None = None

    @property
    def epoch_size_padded(self) -> int:
        """Samples in an epoch; `pad_last_batch` counts every shard as long as the longest."""
        return self.epoch_size

    @property
    def largest_batch(self) -> int:
        """Samples of a batch of any rank at most."""
        return self.batch_size

    @property
    def usual_batch(self) -> int:
        """Samples of a batch on average, rounded up."""
        return self.batch_size

    def batch_sizes(self, batch: int, batches: int) -> list[int]:
        """Return the numbers of samples in consecutive batches."""
        return [self.batch_size] * batches

    def select(self, batch: int, batches: int = 1) -> Selection:
        """Return the samples of consecutive batches, end to end: copies.

        Args:
            batch: number of the first batch.
            batches: number of batches.
        """
        if batch < 0:
            raise ArgumentError(f"batch {batch}: expected a number of 0 or more")
        return Selection.joined(self._pieces(batch, batches))

    @abstractmethod
    def _pieces(self, batch: int, batches: int) -> list[Selection]:
        """Return what `select` joins: the samples of each epoch."""

    def sizes(self, epoch: int) -> tuple[int, ...] | None:
        """Return how many samples each rank has in an epoch, of the first in what is left.

        Copies do not count. None says that shards have what DALI's rule gives them.
        """
        return None

    def sizes_left(self, batches: int) -> tuple[int, ...] | None:
        """Return the same of what each rank has left of its epoch after so many batches."""
        return None

    @abstractmethod
    def replacement(self, epoch: int, position: int, attempt: int) -> int | None:
        """Return the index of the replacement sample for the sample at a position.

        Attempts 0, 1, ... return every other sample once, in an order that depends on (seed, epoch,
        position). None says that there is no further sample.
        """

    @abstractmethod
    def _state_after(self, batches: int) -> Any:
        """Return what `state_after` does, of a number from 0 on."""

    def state_after(self, batches: int) -> Any:
        """Return what is left after each rank has delivered `batches` batches."""
        if batches < 0:
            raise ArgumentError(f"state after {batches} batches: expected 0 or more")
        return self._state_after(batches)

    def saved_after(self, batches: int) -> dict[str, Any]:
        """Return `state_after` of JSON types."""
        saved: dict[str, Any] = self.state_after(batches).to_json()
        return saved

    @abstractmethod
    def _last_epoch(self, batches: int) -> int:
        """Return the last epoch of which a rank has read a sample in so many batches, 1 or more."""

    def next_epoch_after(self, batches: int) -> Any:
        """Return the start of the first epoch of which no rank has read a sample.

        What is left of other epochs is left out.
        """
        if batches < 1:
            raise ArgumentError(f"next epoch after {batches} batches: expected 1 or more")
        return self.state.after_epoch(self._last_epoch(batches))
