"""The order of a reader of one source as a plan: what is left of it, from its first position on."""

from __future__ import annotations

from collections.abc import Callable

from ..arrays import Int64s
from .sampler import Sampler


class Dealt:
    """The samples of a `Sampler`, which a `Cursor` deals to ranks step by step.

    The positions that are left of an epoch are numbered in their order, from 0 on. The cursor knows
    these numbers, its *places*; samples and random numbers are those of the positions.

    Args:
        order: the order, for any number of ranks.
    """

    def __init__(self, order: Sampler) -> None:
        self.order = order
        self.start = order.state
        self.samples = order.epoch_size
        self.is_constant = len(self.start.remaining) < 2
        self.replacement: Callable[[int, int, int], int | None] = order.replacement

    def length(self, epoch: int) -> int:
        """Return the number of positions that are left of an epoch."""
        return self.samples if epoch < self.start.epoch else self.order.rest(epoch).count

    def select(self, epoch: int, places: Int64s) -> tuple[Int64s, Int64s, None]:
        """Return the index and the position of the sample at each place of an epoch."""
        positions = self.order.rest(epoch).positions(places)
        return self.order.of_epochs.indices(epoch, positions), positions, None
