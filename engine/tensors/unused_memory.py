"""All pools of memory of this process, to free what nobody holds."""

from __future__ import annotations

import weakref
from typing import Protocol


class HasIdleMemory(Protocol):
    """A pool that keeps memory for later batches."""

    def free_idle(self) -> None:
        """Free the memory that nobody holds."""


_POOLS: weakref.WeakSet[HasIdleMemory] = weakref.WeakSet()


def enter_pool(pool: HasIdleMemory) -> None:
    """Let `release_unused_memory` know a pool, as long as the pool lives."""
    _POOLS.add(pool)


def release_unused_memory() -> None:
    """Free the idle memory of all pools. Pipelines may run meanwhile."""
    for pool in list(_POOLS):
        pool.free_idle()
