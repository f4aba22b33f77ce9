"""The iterator that all frameworks share: epochs, several pipelines, the last batch.

An iterator for a framework derives from `BaseIterator` and overrides one method, `convert`, which
turns a `TensorList` into a tensor of that framework:

    class Lists(BaseIterator[list]):
        def convert(self, name, output, count):
            return [output.at(i).tolist() for i in range(count)]
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, ClassVar, Generic, Self, TypeVar, Unpack

from ..engine.errors import ArgumentError
from ..engine.tensors import TensorList, TensorListCPU
from .arguments import (
    as_names,
    as_pipelines,
    common_batch_size,
    reader_shards,
    sized_shards,
)
from .epochs import Epochs, LastBatchPolicy, Shards
from .options import EpochArguments, EpochOptions

if TYPE_CHECKING:
    from ..engine.run.pipeline import Pipeline

__all__ = ["BaseIterator", "LastBatchPolicy"]

T = TypeVar("T")

VALID = "valid"
"""Key of the boolean for every sample that `with_valid=True` adds to a batch."""

_AT_END = (
    "the epoch has ended; call reset() to start the next one, "
    "or create the iterator with auto_reset=True"
)


class BaseIterator(ABC, Generic[T]):
    """Iterates over one or more pipelines in step, epoch by epoch.

    Each step yields a list with a dictionary for every pipeline, which maps the names in
    `output_map` to tensors. A second `for` loop, like `reset()`, starts the next epoch.
    If the pipelines continue a checkpoint and `reader_name` is given, the first epoch consists of
    the samples that were left.

    Args:
        pipelines: one or several pipelines, for instance one for each shard. All must have
            the same batch size.
        output_map: a name for each output of a pipeline.
        size: number of samples in an epoch of all `pipelines` together. If neither `size` nor
            `reader_name` is given, the (single) pipeline runs until it raises StopIteration, and
            `last_batch_policy` has no effect.
        reader_name: name of a reader in every pipeline. The iterator counts epochs by this
            reader, which makes `size` and `last_batch_padded` unnecessary. The count is exact
            even if shards differ in size.
        **options: the fields of `penstock.plugin.options.EpochOptions`: `auto_reset`,
            `last_batch_padded`, `last_batch_policy`, `prepare_first_batch`, `with_valid`.

    Attributes:
        allows_partial: whether a last batch may be smaller than the others. A class for a
            framework that compiles for each shape sets this to False.
        output_map: names of the outputs.
        batch_size: samples in a full batch of one pipeline.

    Raises:
        ArgumentError: the arguments contradict one another or the pipelines.
    """

    allows_partial: ClassVar[bool] = True

    def __init__(
        self,
        pipelines: Sequence[Pipeline] | Pipeline,
        output_map: Sequence[str],
        size: int = -1,
        reader_name: str | None = None,
        **options: Unpack[EpochArguments],
    ) -> None:
        chosen = EpochOptions(**options)
        self._pipelines = as_pipelines(pipelines)
        self.output_map = as_names(output_map)
        self._auto_reset = chosen.resets_itself()
        policy = chosen.policy()
        if policy is LastBatchPolicy.PARTIAL and not self.allows_partial:
            raise ArgumentError(
                f"{type(self).__name__} has no LastBatchPolicy.PARTIAL; use FILL or DROP"
            )
        self._with_valid = chosen.with_valid
        if self._with_valid and VALID in self.output_map:
            raise ArgumentError(f"with_valid=True adds {VALID!r}, a name that output_map has, too")
        self.batch_size = common_batch_size(self._pipelines)
        self._follows_reader = reader_name is not None
        shards, ranks = self._shards(size, reader_name, chosen.last_batch_padded)
        self._epochs = None if shards is None else Epochs(shards, ranks, self.batch_size, policy)
        self._step = 0
        self._ended = False
        self._exhausted = False  # a pipeline raised StopIteration
        self._fresh = True  # no batch was taken since the data started (again)
        self._prepared = chosen.prepare_first_batch
        if self._prepared:
            for pipeline in self._pipelines:
                pipeline.schedule_run()

    def _shards(
        self, size: int, reader_name: str | None, padded: bool
    ) -> tuple[Shards | None, list[int]]:
        """Return the shards of an epoch and the rank of each pipeline; set the epoch's size."""
        self._size = size
        count = len(self._pipelines)
        if reader_name is None:
            return sized_shards(size, count, padded), list(range(count))
        if size != -1 or padded:
            raise ArgumentError(
                f"reader_name={reader_name!r} determines size and last_batch_padded; omit these"
            )
        shards, ranks = reader_shards(self._pipelines, reader_name)
        self._size = sum(shards.whole_sizes(0)[rank] for rank in ranks)
        return shards, ranks

    @property
    def size(self) -> int:
        """Number of samples in a whole epoch of these pipelines together; -1 if unknown.

        Padding is not counted. With `reader_name` the number is that of the pipelines' first
        shards; the sizes of later shards may differ by one.
        """
        return self._size

    def __len__(self) -> int:
        """Return the number of batches of the current epoch."""
        if self._epochs is None:
            raise TypeError(
                "the iterator has no length: without reader_name or size it runs until the "
                "pipeline raises StopIteration"
            )
        return self._epochs.steps

    def __iter__(self) -> Iterator[list[dict[str, T]]]:
        if self._ended:
            self.reset()
        return self

    def __next__(self) -> list[dict[str, T]]:
        if not self._ended:
            outputs = self._fetch()
            if outputs is not None:
                step, self._step = self._step, self._step + 1
                return [self._named(i, step, taken) for i, taken in enumerate(outputs)]
            self._ended = True
            if self._auto_reset:
                self.reset()
        raise StopIteration(_AT_END)

    def next(self) -> list[dict[str, T]]:
        """Return the next batch, as `next(iterator)` does."""
        return self.__next__()

    def reset(self) -> None:
        """Start the next epoch. In the middle of an epoch, warn and do nothing."""
        if not (self._ended or self._all_taken):
            if self._step:
                warnings.warn(
                    f"reset() was ignored: the epoch has not ended after {self._step} batch(es); "
                    "take the remaining batches first",
                    stacklevel=2,
                )
            return
        if self._epochs is not None and not self._exhausted:
            for _ in range(self._epochs.dropped):
                self._run()
        rewound = self._exhausted
        if rewound:
            self._rewind()
        if self._epochs is not None and (self._follows_reader or not rewound):
            self._epochs.advance()
        self._step = 0
        self._ended = False

    def checkpoints(self) -> list[bytes]:
        """Return a checkpoint of each pipeline, as it was after the latest batch."""
        return [pipeline.checkpoint() for pipeline in self._pipelines]

    def close(self) -> None:
        """Close the pipelines: their threads end, their files and memory are freed."""
        for pipeline in self._pipelines:
            pipeline.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @abstractmethod
    def convert(self, name: str, output: TensorList, count: int) -> T:
        """Return the first `count` samples of an output as the framework's tensor.


        Args:
            name: the output's name in `output_map`, for error messages and for choices by output.
            output: a batch of at least `count` samples, on the CPU or on the GPU. Its memory
                stays valid for as long as any array of it is alive.
            count: number of samples to return. Only the last batch of an epoch has fewer samples
                than `batch_size`, and 0 is possible.
        """

    @property
    def _all_taken(self) -> bool:
        """Whether all batches of an epoch of known size were handed out."""
        return self._epochs is not None and self._step >= self._epochs.steps

    def _fetch(self) -> list[tuple[TensorList, ...]] | None:
        """Return the next outputs of all pipelines, or None at the epoch's end."""
        if self._all_taken:
            return None
        outputs = self._run()
        if outputs is None and self._step == 0 and not self._fresh:
            self._rewind()  # the data ended exactly where the previous epoch did
            outputs = self._run()
        if outputs is None and self._step == 0:
            raise ArgumentError(
                "the pipeline raised StopIteration before the epoch's first batch: its source "
                "has no data, or cannot be iterated a second time (a generator cannot)"
            )
        return outputs

    def _run(self) -> list[tuple[TensorList, ...]] | None:
        prepared, self._prepared = self._prepared, False
        try:
            outputs = [p.outputs() if prepared else p.run() for p in self._pipelines]
        except StopIteration:
            self._exhausted = True
            return None
        self._fresh = False
        return outputs

    def _rewind(self) -> None:
        for pipeline in self._pipelines:
            pipeline.reset()
        self._exhausted = False
        self._fresh = True
        if self._epochs is not None and not self._follows_reader:
            self._epochs.restart()

    def _named(self, i: int, step: int, outputs: tuple[TensorList, ...]) -> dict[str, T]:
        if len(outputs) != len(self.output_map):
            raise ArgumentError(
                f"the pipeline has {len(outputs)} output(s), but output_map names "
                f"{len(self.output_map)}: {self.output_map}"
            )
        count = self.batch_size if self._epochs is None else self._epochs.rows(i, step)
        named = dict(zip(self.output_map, outputs, strict=True))
        if self._with_valid:
            named[VALID] = TensorListCPU(outputs[0].valid.copy())
        return {
            name: self.convert(name, output, min(count, len(output)))
            for name, output in named.items()
        }


def check_uniform(name: str, output: TensorList) -> None:
    """Raise unless the samples of `output` have one shape."""
    if not output.is_dense_tensor():
        shapes = ", ".join(str(shape) for shape in list(dict.fromkeys(output.shape()))[:4])
        raise ArgumentError(
            f"output {name!r}: the samples of this batch differ in shape ({shapes}, ...), so they "
            "form no single tensor. Resize, crop or pad them to one shape in the pipeline "
            "(fn.resize, fn.crop, fn.pad), or use RaggedIterator of penstock.plugin.pytorch, "
            "which returns them as a list"
        )
