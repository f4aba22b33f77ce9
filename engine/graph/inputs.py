"""The two roles of inputs, through which samples enter the graph.

A `SeekableInput` can read any batch at any time, because the sampler computes the samples of batch
`n` from the number `n`. Readers have this role. A `FedInput` gets batches from user code, one after
the other. External sources have this role. Both roles are abstract classes: `register` names the
methods that a class lacks.

The engine calls `open` once, and `begin` when the pipeline starts. Then one thread, the feeder,
calls for each batch in turn `select` (or `fetch` and `select`), and later `batch`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from ..arrays import DType
from ..errors import ArgumentError
from .derivation import Axes
from .operator import Array, BatchOperator
from .rules import BatchRules

if TYPE_CHECKING:
    from ..control.readings import Decisions
    from ..gpu.device import DeviceAccess
    from ..order.selection import Selection
    from ..tensors.arena import Arena
    from ..tensors.rows import MetadataFunction
    from .context import BatchContext


class Damage(NamedTuple):
    """What is wrong with a file that is left out, in part or whole.

    Attributes:
        name: path or URL.
        reason: text of the error, which names the file and the offset.
        offset: of the first byte that is not sound; 0 if the file cannot be read at all.
        lost: number of samples that are left out; -1 if nothing tells it.
        error: name of the type of the error.
        samples: number of samples that are read all the same; -1 if nothing tells it.
    """

    name: str
    reason: str
    offset: int = 0
    lost: int = -1
    error: str = "SourceError"
    samples: int = 0


class Resources(NamedTuple):
    """What a pipeline gives its inputs when it starts.

    Attributes:
        arena: the memory of batches, if other processes can map it.
        metadata_functions: of all operators of the pipeline, by name: see
            `Operator.metadata_functions`.
        device: the device stage, for work on the device outside of `batch_gpu`.
        decisions: the pipeline's, to which inputs add those of their rules.
    """

    arena: Arena | None = None
    metadata_functions: Mapping[str, MetadataFunction] = MappingProxyType({})
    device: DeviceAccess | None = None
    decisions: Decisions | None = None


class InputOperator(BatchOperator, ABC):
    """Base of both roles. Inputs derive from `SeekableInput` or `FedInput`."""

    batches = BatchRules(sample_independent=True)

    def open(self, batch_size: int, state: object) -> None:
        """Prepare for batches of `batch_size`; continue from `state` unless `state` is None."""

    def begin(self, resources: Resources) -> None:
        """Take what the pipeline has for its inputs, before the first batch."""

    def select(self, number: int, batches: int = 1) -> Selection | None:
        """Return the samples of batch `number`, or None if only the number keys the randomness.

        Args:
            number: of the batch.
            batches: number of batches from there on, end to end; 1 unless `most_together` allows
                more.
        """
        return None

    def restore(self, number: int, state: object) -> None:
        """Continue from `state`, as `open` does, with batch `number`.

        The engine calls this in the user's thread, while no batch is under way.
        """
        if state is not None:
            raise ArgumentError(
                f"fn.{self.name} cannot go on from a checkpoint once it is open: pass the "
                "checkpoint to a new pipeline"
            )

    def where(self, selection: Selection) -> Sequence[str] | None:
        """Return the samples' locations, as a sequence that may compute each location on demand."""
        return None

    def source_info(self, selection: Selection, output: int = 0) -> Sequence[str] | None:
        """Return the samples' names in an output, for programs.

        By default the names are the locations, and only the first output has names.
        """
        return None if output else self.where(selection)


class SeekableInput(InputOperator):
    """An input whose samples can be read in any order, and again: a reader.

    Attributes:
        found_no_ranks: whether it reads all data because nothing said that there are other ranks,
            when it was opened.
    """

    found_no_ranks: bool = False

    @abstractmethod
    def select(self, number: int, batches: int = 1) -> Selection:
        """Return the samples of batch `number`: a pure function of the number."""

    def size_of(self, number: int, most: int) -> int:
        """Return how many samples batch `number` has: `most`, unless batches differ in size.

        An input whose batches differ in size has 1 as `most_together`.
        """
        return most

    def most_together(self, batch_size: int) -> int:
        """Return how many batches `select` and `batch` may be asked for at once."""
        return 1

    def read_at_once(self) -> int:
        """Return how many batches the next read fetches, so that they share memory."""
        return 1

    def note_bad(self, selection: Selection, row: int) -> None:
        """Take note of a bad sample, in whichever operator it failed, before it is replaced."""

    def replacement(self, selection: Selection, row: int, attempt: int) -> tuple[Array, ...] | None:
        """Read a replacement sample for a bad sample; return None if the data set has no other.

        Changes `selection.index[row]` to the index of the replacement sample.

        Args:
            selection: the samples of the batch.
            row: of the bad sample.
            attempt: number of the attempt, from 0 for each bad sample.

        Returns:
            one array for each output.
        """
        return None

    def wants_shared_memory(self, *, uses_gpu: bool) -> bool:
        """Return whether a process of this input would write to the memory of batches.

        Args:
            uses_gpu: whether the pipeline has GPU operators.
        """
        return False

    def interrupt(self) -> None:
        """End waits of `batch` and `replacement` by an exception.

        Another thread calls this when the pipeline is closed, and then calls neither method again.
        """

    def left_out(self) -> Sequence[Damage]:
        """Return what is wrong with files that were left out when the input was opened."""
        return ()

    def facts(self) -> dict[str, Any]:
        """Return what all ranks must agree in, by words for messages; "num_shards" among them."""
        return {"num_shards": self.meta()["number_of_shards"]}

    def order_facts(self) -> dict[str, object]:
        """Return what decides the order of the samples, besides number and shard, by words."""
        return {}

    def global_batch(self) -> int:
        """Return how many samples a step of all ranks has now."""
        raise ArgumentError(f"fn.{self.name} does not know how many samples a step has")

    def check_shard(self, shard_id: int, num_shards: int, global_batch: int | None = None) -> None:
        """Raise ArgumentError unless the input can `reshard` so."""
        raise ArgumentError(f"fn.{self.name} cannot divide its data anew: make a new pipeline")

    def reshard(
        self, number: int, shard_id: int, num_shards: int, global_batch: int | None = None
    ) -> None:
        """Go on with batch `number`, in another shard of what no rank has read of the epochs.

        The engine calls this as it calls `restore`, after `check_shard`.

        Args:
            number: of the batch.
            shard_id, num_shards: the shard.
            global_batch: samples of a step of all ranks from now on, among which they are divided;
                None for batches of `batch_size`.
        """

    @abstractmethod
    def meta(self) -> dict[str, Any]:
        """Return the sizes and shards that `Pipeline.reader_meta` shows."""

    def class_names(self) -> dict[str, tuple[str, ...]]:
        """Return the names of the classes of each output that numbers classes, if known."""
        return {}

    @abstractmethod
    def state_after(self, batches: int) -> object:
        """Return the state, of JSON types, from which `open` continues after `batches` batches."""

    def shard_sizes(self, epoch: int) -> tuple[int, ...] | None:
        """Return how many samples each rank has in `epoch`; None if they are those of shards.

        Shards are almost equal ranges of an epoch: `plugin.epochs.Shards` computes their sizes.
        """
        return None

    def sizes_left(self, number: int) -> tuple[int, ...] | None:
        """Return how many samples each rank has left of its epoch before batch `number`.

        None where `shard_sizes` returns None.
        """
        return None

    def check_weights(self, weights: Mapping[str, float]) -> None:
        """Raise ArgumentError unless the input can `set_weights` to these."""
        raise ArgumentError(f"fn.{self.name} mixes no sources, so it has no weights")

    def set_weights(self, number: int, weights: Mapping[str, float]) -> None:
        """Go on with batch `number`, in which each source has another share of the samples.

        The engine calls this as it calls `restore`, after `check_weights`.
        """

    def next_epoch_after(self, batches: int) -> object:
        """Return the state at the start of the first epoch that no rank has begun.

        Args:
            batches: number of batches that were delivered, 1 or more.
        """
        raise ArgumentError(
            f"fn.{self.name} cannot leave an epoch before its end: take all of its batches"
        )


class FedSample(NamedTuple):
    """One sample of an input, as its declaration has it; None for what is not declared."""

    dtype: DType | None
    ndim: int | None
    layout: str | None


class FedInput(InputOperator):
    """An input that user code feeds, batch after batch.

    With `device="gpu"` the feeder calls `accept` instead of `batch`, and the device stage calls
    `batch_gpu` later.
    """

    waits_for_feed: bool = False
    """Whether a run waits until `available` is not 0, instead of refusing to start."""

    learns_layouts: bool = False
    """Whether batches may come with layouts that `output_layouts` does not tell: `batch_axes`."""

    def available(self) -> int | None:
        """Return the number of batches in the queue, or None if a source returns batches."""
        return None

    def fed_sample(self) -> FedSample | None:
        """Return what `feed` takes for a sample, if each batch is one array a sample."""
        return None

    @abstractmethod
    def feed(self, data: object, layout: str | None, cuda_stream: object) -> None:
        """Queue one batch; `Pipeline.feed_input` calls this in the user's thread."""

    def feed_samples(self, data: object, samples: Selection | None, *, owned: bool) -> None:
        """Queue one batch, like `feed`, of which the caller knows more.

        Args:
            data: the batch.
            samples: the samples, whose epoch and position key the random numbers; None if unknown.
            owned: whether nobody else uses the memory of `data`, so that no copy is needed.
        """
        self.feed(data, None, None)

    def discard(self) -> None:
        """Drop the batches that were queued and not fetched; no batch is under way."""

    @abstractmethod
    def fetch(self, number: int, batch_size: int) -> int:
        """Get batch `number` from the source or the queue, and return its number of samples.

        Raises:
            StopIteration: the source has no more data.
        """

    def batch_axes(self, number: int) -> tuple[Axes, ...]:
        """Return the axes of the outputs of batch `number`, if the input `learns_layouts`."""
        return tuple(map(Axes, self.output_layouts()))

    def accept(self, batch: BatchContext) -> None:
        """Copy data that may be gone before `batch_gpu` runs, such as the source's buffers."""

    def reset(self) -> None:
        """Start again after `fetch` has raised StopIteration; sooner, if `starts_over`."""

    def starts_over(self) -> bool:
        """Return whether `reset` makes the data start again before their end, too."""
        return False

    def snapshot(self) -> Any:
        """Return the state, of JSON types, from which `open` continues after the last `fetch`."""
        return None
