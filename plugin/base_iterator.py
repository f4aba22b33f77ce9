"""What the iterators of all frameworks share: epochs, several pipelines, the last batch.

An iterator for a framework derives from `BaseIterator` and says in `_convert` how a
`TensorList` becomes a tensor of that framework.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Generic, Self, TypeVar

from ..engine.errors import ArgumentError
from ..engine.tensors import TensorList
from .arguments import (
    as_auto_reset,
    as_names,
    as_pipelines,
    as_policy,
    common_batch_size,
    reader_shards,
    sized_shards,
)
from .epochs import Epochs, LastBatchPolicy, Shards

if TYPE_CHECKING:
    from ..engine.pipeline import Pipeline

__all__ = ["BaseIterator", "LastBatchPolicy"]

T = TypeVar("T")

_AT_END = (
    "the epoch is at its end; call reset() to begin the next one, "
    "or create the iterator with auto_reset=True"
)


class BaseIterator(Generic[T]):
    """Iterates over one or more pipelines in step, epoch by epoch.

    Each step yields a list with a dictionary for every pipeline, which maps the names in
    `output_map` to tensors. A second `for` loop, like `reset()`, begins the next epoch.
    On a pipeline that was restored from a checkpoint, `reader_name` makes the first epoch what
    was left of it.

    Args:
        pipelines: one pipeline, or several, for instance one for each shard. All must have
            the same batch size.
        output_map: a name for each output of a pipeline.
        size: number of samples of an epoch, of all `pipelines` together. -1 without
            `reader_name`: a (single) pipeline is read until it raises StopIteration, and the
            last batch is what it is.
        reader_name: name of the reader, in every pipeline, that epochs are counted by. Takes
            the place of `size` and `last_batch_padded`, and is exact where shards differ in
            size.
        auto_reset: True or "yes": the next epoch begins by itself after StopIteration. False,
            "no" or None: `reset()` has to be called, or a new `for` loop started.
        fill_last_batch: deprecated; True is `LastBatchPolicy.FILL`, False `PARTIAL`.
        last_batch_padded: with `size`, the reader's `pad_last_batch`.
        last_batch_policy: see `LastBatchPolicy`.
        prepare_first_batch: let the pipelines begin to work now rather than at the first step.
            Data for an external source must have been fed then.

    Attributes:
        output_map: names of the outputs.
        batch_size: samples in a full batch of one pipeline.

    Raises:
        ArgumentError: the arguments contradict one another or the pipelines.
    """

    def __init__(
        self,
        pipelines: Sequence[Pipeline] | Pipeline,
        output_map: Sequence[str],
        size: int = -1,
        reader_name: str | None = None,
        auto_reset: str | bool | None = False,
        fill_last_batch: bool | None = None,
        last_batch_padded: bool = False,
        last_batch_policy: LastBatchPolicy = LastBatchPolicy.FILL,
        prepare_first_batch: bool = True,
    ) -> None:
        self._pipelines = as_pipelines(pipelines)
        self.output_map = as_names(output_map)
        self._auto_reset = as_auto_reset(auto_reset)
        policy = as_policy(last_batch_policy, fill_last_batch)
        self.batch_size = common_batch_size(self._pipelines)
        self._follows_reader = reader_name is not None
        self._size = size
        count = len(self._pipelines)
        shards: Shards | None
        if reader_name is None:
            shards, ranks = sized_shards(size, count, last_batch_padded), list(range(count))
        else:
            if size != -1 or last_batch_padded:
                raise ArgumentError(
                    f"reader_name={reader_name!r} tells size and last_batch_padded; leave them out"
                )
            shards, ranks = reader_shards(self._pipelines, reader_name)
            self._size = sum(shards.whole_sizes(0)[rank] for rank in ranks)
        self._epochs = None if shards is None else Epochs(shards, ranks, self.batch_size, policy)
        self._step = 0
        self._ended = False
        self._exhausted = False  # a pipeline raised StopIteration
        self._fresh = True  # nothing was taken since the data began (again)
        self._prepared = prepare_first_batch
        if prepare_first_batch:
            for pipeline in self._pipelines:
                pipeline.schedule_run()

    @property
    def size(self) -> int:
        """Samples in a whole epoch of these pipelines together; -1 where it is not known.

        Padding is not counted. With `reader_name` it is the size of the pipelines' first shards;
        those that follow may differ by one each.
        """
        return self._size

    def __len__(self) -> int:
        """Return the number of batches of the current epoch."""
        if self._epochs is None:
            raise TypeError(
                "the iterator has no length: without reader_name or size it goes on until the "
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
        """Begin the next epoch. In the middle of an epoch it warns and does nothing."""
        if not (self._ended or self._all_taken):
            if self._step:
                warnings.warn(
                    f"reset() was ignored: after {self._step} batch(es) the epoch is not at its "
                    "end; take the remaining ones first",
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

    def checkpoints(self) -> list[str]:
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
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _convert(self, name: str, output: TensorList, rows: int) -> T:
        """Return the first `rows` samples of `output`, which has at least as many."""
        raise NotImplementedError

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
        rows = self.batch_size if self._epochs is None else self._epochs.rows(i, step)
        return {
            name: self._convert(name, output, min(rows, len(output)))
            for name, output in zip(self.output_map, outputs, strict=True)
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
