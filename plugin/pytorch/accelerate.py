"""Iterators in Accelerate: batches on its device, and the end of an epoch for its accumulation.

    from penstock.plugin.pytorch.accelerate import Loader

    accelerator = Accelerator(gradient_accumulation_steps=4)
    loader = Loader(batches, accelerator)
    accelerator.register_for_checkpointing(loader)

`Accelerator.prepare` returns iterators as they are: it neither moves their batches nor knows the
last one. A `Loader` does both, as the loaders that `prepare` makes. Each process reads the shard of
its rank. No batch is taken ahead, so `save_state` in a loop stores where the loop stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...engine.errors import MissingDependencyError
from ..base_iterator import AnyIterator

try:
    from accelerate import Accelerator
    from accelerate.data_loader import DataLoaderStateMixin
    from accelerate.state import GradientState
    from accelerate.utils import send_to_device
except ImportError as error:
    raise MissingDependencyError(
        f"penstock.plugin.pytorch.accelerate needs accelerate ({error}): pip install accelerate",
        name=error.name,
    ) from error

__all__ = ["Loader"]


class Loader(DataLoaderStateMixin):  # type: ignore[misc]  # accelerate has no types
    """The batches of an iterator, as those of a loader that `Accelerator.prepare` made.

    Args:
        batches: the iterator. If it has no length, its last batch is like any other.
        accelerator: the batches go to its device, without blocking if its configuration says so.

    Attributes:
        batches: the iterator.
    """

    def __init__(self, batches: AnyIterator, accelerator: Accelerator) -> None:
        self.batches = batches
        self.gradient_state = GradientState()
        self._device = accelerator.device
        self._non_blocking = accelerator.non_blocking

    def __iter__(self) -> Iterator[Any]:
        self.begin()
        try:
            for batch in self.batches:
                self.end_of_dataloader = self.batches.step == 0
                yield send_to_device(batch, self._device, non_blocking=self._non_blocking)
        finally:
            self.end()

    def __len__(self) -> int:
        """Return the number of batches of the current epoch."""
        return len(self.batches)

    def __getattr__(self, name: str) -> Any:
        """Say how batches are skipped, if `skip_first_batches` asks for the data set."""
        if name != "dataset":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        raise AttributeError(
            "a Loader has no data set, so skip_first_batches cannot skip its batches. To resume, "
            "call loader.load_state_dict(state), or accelerator.load_state after "
            "accelerator.register_for_checkpointing(loader): no batch is read twice. "
            "itertools.islice(loader, n, None) is a loop without its first n batches"
        )

    def state_dict(self) -> dict[str, object]:
        """Return the state of the iterator."""
        return self.batches.state_dict()

    def load_state_dict(self, state_dict: Mapping[str, object]) -> None:
        """Restore the iterator."""
        self.batches.load_state_dict(state_dict)
