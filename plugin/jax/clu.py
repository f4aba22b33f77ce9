"""Iterators of JAX with a look ahead, as the training loops of CLU take them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeAlias

import jax
import numpy as np

from ...engine.errors import ArgumentError, CheckpointError, MissingDependencyError, install_hint
from ...engine.tensors import TensorList
from ..base_iterator import VALID
from ..epoch_loop import EpochLoop
from ..forms import DictForm
from ..options import describe
from .decorator import data_iterator, decorated, taking_those_of
from .iterator import GenericIterator

try:
    from clu.data.dataset_iterator import ArraySpec, DatasetIterator
    from etils import epath
except ImportError as error:
    raise MissingDependencyError(
        f"penstock.plugin.jax.clu needs CLU ({error}): {install_hint('jax-clu')}", name=error.name
    ) from error

__all__ = ["DALIGenericPeekableIterator", "PeekableIterator", "peekable_data_iterator"]

JaxArray: TypeAlias = jax.Array

_Taken = tuple[Any, list[Any]]
"""A batch, and for each pipeline the truth values of its samples: see `is_nonpadding`."""


class PeekableIterator(GenericIterator[DictForm], DatasetIterator):  # type: ignore[misc]
    """A `GenericIterator` that shows the next batch, and is a `DatasetIterator` of CLU.

    All batches must have the same shapes and dtypes: a step raises ArgumentError if those of an
    output have changed. Several threads may use the iterator.

    A loop that begins after `peek` begins with the batch that `peek` has shown.

    Args:
        {arguments}

    Raises:
        ArgumentError: the arguments contradict one another, or samples differ in shape.
    """

    def _start(self) -> None:
        self._lock = threading.RLock()
        self._thread: ThreadPoolExecutor | None = None
        self._peeked: _Taken | None = None
        self._latest: list[object] | None = None
        self._spec: object = None
        self._valid: list[Any] = []

    def __iter__(self) -> Iterator[Any]:
        with self._lock:
            return super().__iter__() if self._peeked is None else EpochLoop(self)

    def __next__(self) -> Any:
        with self._lock:
            peeked, self._peeked = self._peeked, None
            batch, self._latest = peeked or self._take()
            return batch

    def peek(self) -> Any:
        """Return the next batch without taking it.

        Raises:
            StopIteration: the epoch has ended.
        """
        with self._lock:
            if self._peeked is None:
                self._peeked = self._take()
            return self._peeked[0]

    def peek_async(self) -> Future[Any]:
        """Return a future with the next batch, which another thread peeks.

        If `next` is called before that thread has begun, the future has the batch after that.
        """
        with self._lock:
            if self._thread is None:
                self._thread = ThreadPoolExecutor(1, "penstock-peek")
            return self._thread.submit(self.peek)

    @property
    def element_spec(self) -> Any:
        """The `clu.data.dataset_iterator.ArraySpec` of each output, in the form of a batch."""
        with self._lock:
            if self._spec is None:
                self.peek()
            return self._spec

    @property
    def is_nonpadding(self) -> JaxArray:
        """Whether each sample of the latest batch is one of the epoch: (batch,) bool.

        False for padding, for samples of the next epoch that fill the last batch, and for
        replacement samples. The array is divided among devices as the outputs are.
        """
        if self._latest is None:
            raise ArgumentError("is_nonpadding describes the latest batch, but none was taken yet")
        return self._placements[VALID].array("is_nonpadding", self._latest)

    def reset(self) -> None:
        """Start the next epoch as `GenericIterator` does; a batch that was shown is dropped."""
        with self._lock:
            if self._peeked is not None and self._progress.step == self._progress.first_step + 1:
                return  # the epoch has just begun
            self._peeked = None
            super().reset()

    def checkpoints(self) -> list[bytes]:
        """Return a checkpoint of each pipeline: see `GenericIterator`.

        Raises:
            CheckpointError: `peek` has shown a batch that was not taken.
        """
        with self._lock:
            if self._peeked is not None:
                raise CheckpointError(
                    "Checkpointing is not supported for peekable iterators with peeked data. "
                    "Take the batch by next() before saving a checkpoint."
                )
            return super().checkpoints()

    def load_state_dict(self, state_dict: Mapping[str, object]) -> None:
        """Go on where another iterator stood: see `GenericIterator`."""
        with self._lock:
            self._peeked = None
            super().load_state_dict(state_dict)

    def save(self, filename: object) -> None:
        """Write `state_dict()` to a file; raise as `checkpoints` does."""
        epath.Path(filename).write_text(json.dumps(self.state_dict()))

    def restore(self, filename: object) -> None:
        """Go on as a file says that `save` has written."""
        try:
            state = json.loads(epath.Path(filename).read_text())
        except ValueError as error:
            raise CheckpointError(f"{filename} is no state of an iterator: {error}") from error
        self.load_state_dict(state)

    def close(self) -> None:
        """Close the pipelines; a peek that another thread waits for fails."""
        super().close()
        if self._thread is not None:
            self._thread.shutdown(cancel_futures=True)

    def _take(self) -> _Taken:
        batch = super().__next__()
        spec = jax.tree.map(lambda array: ArraySpec(array.dtype, array.shape), batch)
        if self._spec is None:
            self._spec = spec
        if spec != self._spec:
            raise ArgumentError(
                "The shape or type of the output changed between iterations. "
                f"A peekable iterator yields one shape and type only: expected {self._spec}, "
                f"got {spec}. Resize, crop or pad the samples to one shape in the pipeline."
            )
        step, epochs = self._progress.step - 1, self._epochs
        if epochs is None:
            return batch, self._valid
        return batch, [
            valid & (np.arange(len(valid)) < epochs.own_rows(i, step))
            for i, valid in enumerate(self._valid)
        ]

    def _run(self) -> list[tuple[TensorList, ...]] | None:
        outputs = super()._run()
        if outputs is not None:
            self._valid = [of_pipeline[0].valid for of_pipeline in outputs]
        return outputs


@taking_those_of(data_iterator)
def peekable_data_iterator(**given: Any) -> Any:
    """Make a definition into a function that returns a `PeekableIterator`; also a decorator.

    The function's arguments are those that `data_iterator` describes.

    Args:
        {arguments}

    Raises:
        ArgumentError: the arguments contradict one another, or the definition.
    """
    return decorated(PeekableIterator, **given)


describe(peekable_data_iterator, PeekableIterator.described)

DALIGenericPeekableIterator = PeekableIterator
