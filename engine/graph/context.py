"""The parts of a sample's work and of a batch that operators may use.

`SampleOperator.sample` gets a `Workspace`. `BatchOperator.batch` and `batch_gpu` of every operator
get a `BatchContext`. The engine's own classes have more attributes, which operators must not use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..arrays import Array

if TYPE_CHECKING:
    from ..gpu.device import Device
    from ..order.selection import Selection
    from ..tensors.taken_memory import TakenMemory
    from .user_calls import CallingProcesses

_NO_NUMBERS = np.empty(0)


@dataclass(frozen=True)
class Placement:
    """The values that a pipeline gives an operator when the pipeline is built.

    Attributes:
        ordinal: number of the operator's node.
        random_key: key of the operator's random numbers.
        threads: number of the pipeline's CPU workers.
        on_error: what the pipeline does with bad samples: "raise", "skip" or "replace".
        python_workers: the processes that call users' code, if the operator wants them and the
            pipeline has them.
    """

    ordinal: int = -1
    random_key: int = 0
    threads: int = 1
    on_error: str = "raise"
    python_workers: CallingProcesses | None = None


class HasPlacement(Protocol):
    """An operator, whose random numbers are its own."""

    placement: Placement


class Workspace(Protocol):
    """Memory and random numbers for the work on one sample.

    Each worker has one workspace, and uses it for all operators and samples in turn.

    Attributes:
        random: `random_count` numbers in [0, 1). They are a pure function of the seed, the epoch,
            the sample's position and the operator.
    """

    random: NDArray[np.float64]

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike, output: int = 0) -> Array:
        """Return uninitialized memory for a result; a result in this memory is not copied."""

    def scratch(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        """Return uninitialized memory that the sample's work may use until it is finished."""

    def check_running(self) -> None:
        """Raise PipelineStopped if the pipeline was closed; for loops that take seconds."""


class RowsContext(Protocol):
    """The rows of a batch, for work on their arguments."""

    @property
    def size(self) -> int:
        """Number of samples."""

    @property
    def errors(self) -> Mapping[int, BaseException]:
        """The exception of each row that could not be computed: see `fail_row`."""

    def fail_row(self, row: int, error: BaseException) -> None:
        """Enter the error of a row that cannot be computed; the row's first error stays."""

    def random(self, operator: HasPlacement, count: int) -> NDArray[np.float64]:
        """Return `count` numbers in [0, 1) a sample: (size, count) float64.

        They depend on the seed, the operator, and each sample's epoch and position alone.
        """


class BatchContext(RowsContext, Protocol):
    """One batch, for the work on a whole batch.

    Attributes:
        number: counts the batches of a run from 0.
        count: number of the user's batches that it holds, end to end.
        seed: of the pipeline.
        begun: what the operator's `begin_gpu` has returned; None if it was not called.
        memory: the memory that the batch takes.
        device: memory, copies and kernel launches; set while GPU work is launched. Copies hold
            the host memory that they read or write until the device is done with the batch.
    """

    number: int
    count: int
    seed: int
    begun: Any
    memory: TakenMemory
    device: Device

    @property
    def epoch(self) -> NDArray[np.int64]:
        """Epoch of each sample, for randomness: (size,)."""

    @property
    def position(self) -> NDArray[np.int64]:
        """Position of each sample in its epoch, for randomness: (size,)."""

    @property
    def selections(self) -> Mapping[int, Selection]:
        """Which samples each reader read, by the number of its node."""

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        """Return uninitialized memory that is recycled when the last view of it is dropped.

        Threads that work for the batch may call it, too.
        """

    def count_bytes(self, *, host: int = 0, device: int = 0) -> None:
        """Count memory that the batch takes and that came neither from `empty` nor `device`."""

    def check_later(self, check: Callable[[], None]) -> None:
        """Have `check` called when the device is done, to call `fail_row`."""

    def where(self, row: int) -> str:
        """Say where the sample in `row` is stored, or ""; for messages."""


class EarlyRows:
    """The rows of a batch before the work on it, with errors of their own until then."""

    def __init__(self, batch: BatchContext) -> None:
        self.size = batch.size
        self.errors: dict[int, BaseException] = {}
        self._batch = batch

    def fail_row(self, row: int, error: BaseException) -> None:
        self.errors.setdefault(row, error)

    def random(self, operator: HasPlacement, count: int) -> NDArray[np.float64]:
        return self._batch.random(operator, count)


class HeapWorkspace(Workspace):
    """A workspace outside of any worker: its memory is new each time.

    Args:
        allocate: called with a shape and a dtype for memory.
        random: the sample's numbers.
    """

    def __init__(
        self,
        allocate: Callable[..., Array] = np.empty,
        random: NDArray[np.float64] = _NO_NUMBERS,
    ) -> None:
        self._allocate = allocate
        self.random = random

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike, output: int = 0) -> Array:
        return self._allocate(shape, dtype)

    def scratch(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        return np.empty(shape, dtype)

    def check_running(self) -> None:
        pass  # no pipeline waits for the end of the work
