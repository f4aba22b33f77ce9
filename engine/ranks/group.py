"""The store of the process group: short texts that each rank may write, and all may read."""

from __future__ import annotations

import os
import sys
from types import ModuleType
from typing import Any, NamedTuple

_inherited: list[object] = []  # the store of the process from which this one was forked


class Group(NamedTuple):
    """The ranks of a process group of `torch.distributed`.

    Attributes:
        rank, world: number of this process; number of processes.
        store: a `torch.distributed.Store`. Unlike a collective, it lets a rank look whether others
            have written something, without a wait.
    """

    rank: int
    world: int
    store: Any


def process_group() -> Group | None:
    """Return the initialized process group, if it has several ranks and a store.

    A process that was forked from a rank, such as a worker of PyTorch's DataLoader, has none: it
    shares the connection of the rank, and would disturb it.
    """
    module: ModuleType | None = sys.modules.get("torch.distributed")
    if module is None or not module.is_available() or not module.is_initialized():
        return None
    store = _store_of(module)
    if store is None or any(store is each for each in _inherited):
        return None
    group = Group(module.get_rank(), module.get_world_size(), store)
    return group if group.world > 1 else None


def _store_of(module: ModuleType) -> object:
    try:
        return module.distributed_c10d._get_default_store()
    except (AttributeError, RuntimeError, ValueError, AssertionError):
        return None  # of a backend that has no store, or of another release of PyTorch


def _note_fork() -> None:
    module = sys.modules.get("torch.distributed")
    is_initialized = getattr(module, "is_initialized", None)
    if module is not None and is_initialized is not None and is_initialized():
        _inherited.append(_store_of(module))


os.register_at_fork(after_in_child=_note_fork)
