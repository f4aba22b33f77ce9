"""The iterator that all frameworks share: epochs, several pipelines, the last batch.

An iterator for a framework derives from `BaseIterator` and overrides one method, `convert`, which
turns a `TensorList` into a tensor of that framework:

    class Lists(BaseIterator[list]):
        def convert(self, name, output, count):
            return [output.at(i).tolist() for i in range(count)]
"""

from __future__ import annotations

import inspect
import warnings
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Never,
    Self,
    TypeAlias,
    TypeVar,
    cast,
    overload,
)

from ..engine.errors import ArgumentError, CheckpointError
from ..engine.graph.callers import warn_caller
from ..engine.pipeline.pipeline import Pipeline
from ..engine.tensors import TensorList, TensorListCPU
from .arguments import (
    as_names,
    as_pipelines,
    common_batch_size,
    leave_epoch,
    next_epoch,
    reader_shards,
    sized_shards,
)
from .epoch_loop import EpochLoop
from .epochs import Epochs, LastBatchPolicy, Shards
from .forms import IN_LISTS, BatchForm, Form, InDicts, InLists, InTuples, check_form, formed
from .iterator_state import IteratorState
from .options import DESCRIPTION, chosen_policy, describe, refuse_unknown, resets_itself
from .progress import Counted, Progress, Supply

__all__ = ["BaseIterator", "LastBatchPolicy"]

T = TypeVar("T")

VALID = "valid"
"""Key of the boolean for every sample that `with_valid=True` adds to a batch."""

_AT_END = (
    "the epoch has ended; call reset() to start the next one, "
    "or create the iterator with auto_reset=True"
)


class BaseIterator(ABC, Generic[T, Form]):
    """Iterates over one or more pipelines in step, epoch by epoch.

    Each step yields a list with a dictionary for every pipeline, which maps the names in
    `output_map` to tensors; or what `batch_form` says.

    Every `for` loop, and every other call of `iter`, is an epoch:

    * After the last batch of an epoch, a loop has the next epoch. It does not matter whether
      StopIteration was seen: `itertools.islice(batches, len(batches))` takes a whole epoch.
    * If a loop was broken off, the next loop begins a new epoch, at its first sample. The rest of
      the old epoch is left out, as with PyTorch's DataLoader. `reset()` does the same. If the data
      cannot start over (`feed_input`, or a source that runs once), the loop takes the rest.
    * After a checkpoint was restored, the first loop has the rest of the epoch. At the end of an
      epoch that is the next epoch.
    * `next(batches)` without a loop takes one batch, and the loop after it has the rest.

    If the pipelines continue a checkpoint of other shards or of another batch size, the first
    epoch consists of the samples that were left.

    Args:
        {arguments}

    Attributes:
        allows_partial: whether a last batch may be smaller than the others. A class for a
            framework that compiles for each shape sets this to False.
        described: text of the arguments in docstrings.
        joins_pipelines: whether `joined` makes one batch of those of several pipelines.
        output_map: names of the outputs.
        batch_size: samples in a full batch of one pipeline.

    Raises:
        ArgumentError: the arguments contradict one another or the pipelines.
        TypeError: there is no such argument.
    """

    allows_partial: ClassVar[bool] = True
    described: ClassVar[str] = DESCRIPTION
    joins_pipelines: ClassVar[bool] = False
    _loop: Callable[[], EpochLoop[Any] | None]  # the latest loop, as long as somebody has it

    if not TYPE_CHECKING:

        def __class_getitem__(cls, types: object) -> Any:
            """Let `BaseIterator[list]` stand for batches of the default form."""
            given = types if isinstance(types, tuple) else (types,)
            given += (Any,) * (len(cls.__parameters__) - len(given))
            return super().__class_getitem__(given)

    def __init_subclass__(cls, **options: object) -> None:
        super().__init_subclass__(**options)
        describe(cls, cls.described)

    def __init__(
        self,
        pipelines: Sequence[Pipeline] | Pipeline,
        output_map: Sequence[str] | None = None,
        size: int = -1,
        reader_name: str | None = None,
        auto_reset: str | bool | None = False,
        fill_last_batch: bool | None = None,
        dynamic_shape: bool | None = False,
        last_batch_padded: bool = False,
        last_batch_policy: LastBatchPolicy | str = LastBatchPolicy.FILL,
        prepare_first_batch: bool = True,
        with_valid: bool = False,
        *,
        batch_form: Form = IN_LISTS,
        **unknown: Never,
    ) -> None:
        refuse_unknown(type(self), unknown)
        self._pipelines = as_pipelines(pipelines)
        self.output_map = as_names(output_map, self._pipelines)
        self._auto_reset = resets_itself(auto_reset)
        self._policy = chosen_policy(last_batch_policy, fill_last_batch)
        if self._policy is LastBatchPolicy.PARTIAL and not self.allows_partial:
            raise ArgumentError(
                f"{type(self).__name__} has no LastBatchPolicy.PARTIAL; use FILL or DROP"
            )
        check_form(batch_form, 1 if self.joins_pipelines else len(self._pipelines))
        self._batch_form: BatchForm = batch_form
        self._with_valid = with_valid
        if with_valid and VALID in self.output_map:
            raise ArgumentError(f"with_valid=True adds {VALID!r}, a name that output_map has, too")
        self.batch_size = common_batch_size(self._pipelines)
        self._counted = Counted(reader_name, size, last_batch_padded)
        self._loop = lambda: None
        self._supply = Supply()
        self._progress = Progress(0)
        self._take_up(self._state_of_checkpoint())
        if self._epochs is not None:
            for pipeline in self._pipelines:
                pipeline.last_batch_policy = self._policy.name
        self._supply.prepared = prepare_first_batch
        if prepare_first_batch:
            for pipeline in self._pipelines:
                pipeline.schedule_run()

    def _take_up(self, saved: IteratorState | None, *, divided_anew: bool = False) -> None:
        """Set the count: to the start of an epoch, or to where the pipelines stand.

        Args:
            saved: count of the iterator whose checkpoint the pipelines continue, if any.
            divided_anew: whether the ranks have other shards than those of `saved`.
        """
        self._supply.restart()
        self._progress = Progress(0)
        shards, ranks = self._shards()
        self._basis = self._basis_of(shards)
        exact = saved is not None and saved.basis == self._basis and not divided_anew
        exact = exact and (shards is None or shards.dealt is None)
        if saved is not None and shards is not None and self._counted.reader:
            shards = self._continued(shards, saved, exact)
        self._epochs = (
            None if shards is None else Epochs(shards, ranks, self.batch_size, self._policy)
        )
        if saved is not None:
            self._go_on(saved, exact)
            if not divided_anew and not self._progress.has_moved:
                self._progress.saved_basis = saved.basis

    def _continued(self, shards: Shards, saved: IteratorState, exact: bool) -> Shards:
        """Return shards that take the batches into account that were handed out before."""
        if exact:
            saved.check_ranks(shards.count)
            return replace(shards, first_epoch=saved.epoch, left=saved.left, taken=saved.taken)
        if self._policy is LastBatchPolicy.DROP and self._counted.reader:
            leave_epoch(self._pipelines, saved.epoch - (not saved.complete))  # what was dropped
            shards, _ = reader_shards(self._pipelines, self._counted.reader)
        return replace(shards, taken=0 if saved.complete else saved.step)

    def _go_on(self, saved: IteratorState, exact: bool) -> None:
        """Continue the count of an iterator over pipelines that continue its checkpoint."""
        if exact and self._epochs is not None:
            if self._counted.reader:
                self._epochs.restart(saved.ahead)
            else:
                saved.check_ranks(len(self._epochs.ahead))
                self._epochs.begin(saved.epoch, saved.ahead)
        if exact:
            self._progress = Progress(saved.step)
            self._supply.restart(saved.discard, exhausted=saved.exhausted)
            if saved.complete:
                self._next_epoch()
        elif self._counted.reader and not saved.complete:
            self._progress = Progress(saved.step)
            if self._all_taken:  # LastBatchPolicy.DROP, and nothing but a part of a batch is left
                self._next_epoch()

    def _shards(self) -> tuple[Shards | None, list[int]]:
        """Return the shards of an epoch and the rank of each pipeline; set the epoch's size."""
        reader, size, padded = self._counted
        self._size = size
        count = len(self._pipelines)
        if reader is None:
            return sized_shards(size, count, padded), list(range(count))
        if size != -1 or padded:
            raise ArgumentError(
                f"reader_name={reader!r} determines size and last_batch_padded; omit these"
            )
        shards, ranks = reader_shards(self._pipelines, reader)
        if shards.largest_batch:  # sizes count whole batches
            self._size = shards.samples * count // shards.count
        else:
            self._size = sum(shards.whole_sizes(0)[rank] for rank in ranks)
        return shards, ranks

    def _basis_of(self, shards: Shards | None) -> dict[str, object]:
        """Return what the count depends on: see `IteratorState`."""
        basis: dict[str, Any] = {"reader": self._counted.reader, "batch_size": self.batch_size}
        if shards is not None:
            basis |= {
                "samples": shards.samples,
                "shards": shards.count,
                "padded": shards.padded,
                "stick": shards.stick,
                "policy": self._policy.name,
            }
        return basis

    @property
    def size(self) -> int:
        """Number of samples in a whole epoch of these pipelines together; -1 if unknown.

        Padding is not counted. With `reader_name` the number is that of the pipelines' first
        shards; the sizes of later shards may differ by one.
        """
        return self._size

    @property
    def epoch(self) -> int:
        """Number of the epoch to which the next batch of a loop belongs, from 0.

        A resumed run goes on with `for epoch in range(batches.epoch, epochs)`.

        Raises:
            TypeError: there is no `reader_name`, so nothing counts the epochs.
        """
        if self._epochs is None or self._counted.reader is None:
            raise TypeError("the iterator counts no epochs: give reader_name")
        return self._epochs.number + self.at_end

    @property
    def in_loop(self) -> bool:
        """Whether a loop has taken batches of the current epoch."""
        return self._progress.in_loop

    @in_loop.setter
    def in_loop(self, value: bool) -> None:
        self._progress.in_loop = value

    @property
    def step(self) -> int:
        """Number of the next batch in its epoch, from 0. Batches before a checkpoint count, too."""
        return 0 if self.at_end else self._progress.step

    def __len__(self) -> int:
        """Return the number of batches of the epoch: of the next one if no loop is under way.

        In a loop, also at its last batch, that is the loop's epoch. Once the loop is over or was
        broken off, it is the epoch that the next loop begins.
        """
        if self._epochs is None:
            raise TypeError(
                "the iterator has no length: without reader_name or size it runs until the "
                "pipeline raises StopIteration"
            )
        left = self.in_loop and self._loop() is None
        if self._progress.ended or (left and self._all_taken):
            return self._epochs_after_end(self._epochs).steps
        if left and all(pipeline.starts_over() for pipeline in self._pipelines):
            return self._epochs_after_break(self._epochs).steps
        return self._epochs.steps

    def _epochs_after_end(self, epochs: Epochs) -> Epochs:
        """Return the count of the epoch that follows the end of the current one."""
        epochs = copy(epochs)
        if self._supply.exhausted and not self._counted.reader:
            epochs.restart()
        else:
            epochs.advance()
        return epochs

    def _epochs_after_break(self, epochs: Epochs) -> Epochs:
        """Return the count of the epoch that a loop begins in the middle of the current one."""
        epochs = copy(epochs)
        if self._counted.reader:
            epochs.begin(next_epoch(self._pipelines[0], self._counted.reader))
        else:
            epochs.restart()
        return epochs

    @overload
    def __iter__(self: BaseIterator[T, InLists]) -> Iterator[list[dict[str, T]]]: ...

    @overload
    def __iter__(self: BaseIterator[T, InDicts]) -> Iterator[dict[str, T]]: ...

    @overload
    def __iter__(self: BaseIterator[T, InTuples]) -> Iterator[tuple[T, ...]]: ...

    def __iter__(self) -> Iterator[Any]:
        self._start_epoch()
        loop = EpochLoop[Any](self)
        self._loop = weakref.ref(loop)
        return loop

    def _start_epoch(self) -> bool:
        """Go on to an epoch's start if the last one has ended, or if its loop was broken off."""
        if self._progress.between:
            self._progress.between = False
        elif self.at_end:
            self._next_epoch()
        elif self.in_loop:
            self._leave_epoch()
        else:
            return False
        return True

    @overload
    def __next__(self: BaseIterator[T, InLists]) -> list[dict[str, T]]: ...

    @overload
    def __next__(self: BaseIterator[T, InDicts]) -> dict[str, T]: ...

    @overload
    def __next__(self: BaseIterator[T, InTuples]) -> tuple[T, ...]: ...

    def __next__(self) -> Any:
        if self._progress.between:
            self._progress.between = False
        elif not self._progress.ended:
            outputs = self._fetch()
            if outputs is not None:
                step = self._progress.step
                self._progress.step += 1
                batches = [self._named(i, step, batch) for i, batch in enumerate(outputs)]
                return formed(self._batch_form, self.joined(batches))
            self._progress.ended = True
            if self._auto_reset:
                self._next_epoch()
        raise StopIteration(_AT_END)

    def next(self) -> Any:
        """Return the next batch, as `next(iterator)` does."""
        return cast("Iterator[Any]", self).__next__()  # the overloads need a known form

    def joined(self, batches: list[dict[str, T]]) -> list[dict[str, T]]:
        """Return the dictionaries of one step, of which there is one for each pipeline.

        A class that makes one batch of those of several pipelines overrides this method.
        """
        return batches

    def reset(self) -> None:
        """Start the next epoch, after an epoch's end or after a loop that was broken off.

        In the middle of an epoch whose batches `next` took one by one, warn and do nothing.
        """
        if not self._start_epoch() and self._progress.has_moved:
            warnings.warn(
                "reset() was ignored: the epoch has not ended after "
                f"{self._progress.step} batch(es); take the remaining batches first",
                stacklevel=2,
            )

    def _next_epoch(self) -> None:
        """Go on to the next epoch after the end of one."""
        epochs = None if self._epochs is None else self._epochs_after_end(self._epochs)
        if self._supply.exhausted:
            self._rewind()
        elif self._epochs is not None:
            self._supply.discard += self._epochs.dropped
            if self._counted.reader and self._epochs.loses_samples:
                warn_caller(
                    f"last_batch_policy={self._policy.name.lower()!r} left out samples of the next "
                    f"epoch, with which reader {self._counted.reader!r} filled the last batch, so "
                    "that epoch lacks them: give the reader pad_last_batch=True",
                    RuntimeWarning,
                )
        self._epochs = epochs
        self._progress = Progress(0)

    def _leave_epoch(self) -> None:
        """Begin a new epoch in the middle of one, unless the data cannot start over."""
        epochs = None if self._epochs is None else self._epochs_after_break(self._epochs)
        if not all(pipeline.begin_epoch() for pipeline in self._pipelines):
            return
        self._epochs = epochs
        self._supply.discard = 0
        self._supply.prepared = False
        self._progress = Progress(0)

    def checkpoints(self) -> list[bytes]:
        """Return a checkpoint of each pipeline, as it was after the latest batch.

        New pipelines take one as their argument `checkpoint`. An iterator over these pipelines
        goes on as this one does, with the same batches, from the same place in the epoch.
        """
        state = self._state().to_json()
        return [pipeline.checkpoint(iterator=state) for pipeline in self._pipelines]

    def _state(self) -> IteratorState:
        epochs = self._epochs
        return IteratorState(
            basis=self._basis,
            epoch=0 if epochs is None else epochs.number,
            step=self._progress.step,
            complete=self.at_end,
            exhausted=self._supply.exhausted,
            discard=self._supply.discard,
            ahead=() if epochs is None else epochs.ahead,
            taken=0 if epochs is None else epochs.taken,
            left=() if epochs is None else epochs.left,
        )

    def state_dict(self) -> dict[str, object]:
        """Return where the run stands, of JSON types, as `load_state_dict` takes it.

        These are the names that PyTorch Lightning, Accelerate and torchdata look for.
        """
        return {"checkpoints": [saved.decode() for saved in self.checkpoints()]}

    def load_state_dict(self, state_dict: Mapping[str, object]) -> None:
        """Go on where another iterator stood, also in the middle of an epoch.

        The pipelines of both must have the same graph. The number of pipelines may differ if all
        their data come from readers: then what is left of the epoch is shared out anew.

        Raises:
            CheckpointError: the state is of other pipelines, or is no state of an iterator.
        """
        saved = state_dict.get("checkpoints") if isinstance(state_dict, Mapping) else None
        if not isinstance(saved, list) or not all(isinstance(text, str) for text in saved):
            raise CheckpointError("load_state_dict: this is not what state_dict() returned")
        if len(set(saved)) == 1:
            saved = saved[:1] * len(self._pipelines)
        if len(saved) != len(self._pipelines):
            raise CheckpointError(
                f"the state is of {len(saved)} pipelines that differ, but there are "
                f"{len(self._pipelines)} pipelines"
            )
        for pipeline, checkpoint in zip(self._pipelines, saved, strict=True):
            pipeline.restore(checkpoint)
        self._supply.prepared = False
        self._take_up(self._state_of_checkpoint())

    def _state_of_checkpoint(self) -> IteratorState | None:
        """Return the count in the checkpoint at which the pipelines stand, if any."""
        return IteratorState.from_json(self._pipelines[0].iterator_state)

    def reshard(
        self, shard_id: int, num_shards: int, *, keep_global_batch: bool | int = False
    ) -> None:
        """Go on as one of another number of ranks, also in the middle of an epoch.

        All ranks of the new number call this after the same batch, instead of a restart. The new
        ranks divide evenly what no rank has read of the epoch, so the epoch has each sample once.
        A rank that joins loads the `state_dict` of another rank first. Batches that are under way
        are dropped. See docs/distributed.md.

        Args:
            shard_id: number of this rank. With several pipelines, those of rank r are the shards
                from r * len(pipelines) on.
            num_shards: the new number of ranks.
            keep_global_batch: let all ranks together have as many samples in each step as before,
                or so many as a number says: see `Pipeline.reshard`. A rank that has just loaded a
                state takes the number of the iterator that saved it.

        Raises:
            ArgumentError: the iterator has no `reader_name`, there is no such shard, or a reader's
                steps cannot be kept: then nothing has changed.
        """
        if self._counted.reader is None:
            raise ArgumentError("reshard needs an iterator with reader_name")
        assert self._epochs is not None  # the reader counts
        if keep_global_batch and not self._epochs.keeps_steps:
            raise ArgumentError(
                f"keep_global_batch lets the last step of an epoch go on in the next one, of which "
                f"LastBatchPolicy.{self._policy.name} would lose samples: give the reader "
                "pad_last_batch=True, or take LastBatchPolicy.FILL"
            )
        saved = None if self._progress.has_moved else self._progress.saved_basis
        held = self._pipelines[0].reader_meta(self._counted.reader).get("global_batch")
        if keep_global_batch is True and saved is not None and held is None:
            keep_global_batch = int(saved["shards"]) * int(saved["batch_size"])
        count = len(self._pipelines)
        state = self._state()
        for i, pipeline in enumerate(self._pipelines):
            shard, shards = shard_id * count + i, num_shards * count
            pipeline.reshard(shard, shards, keep_global_batch=keep_global_batch)
        self._supply.prepared = False
        self._take_up(state, divided_anew=True)
        self._progress.between = state.complete or self._progress.step < state.step

    def set_weights(self, weights: Mapping[str, float]) -> None:
        """Change the shares of the sources of the reader `reader_name`: see `Pipeline.set_weights`.

        An epoch that has begun keeps its number of batches.

        Raises:
            ArgumentError: the iterator has no `reader_name`, its reader mixes no sources, or a
                weight is wrong.
        """
        if self._counted.reader is None:
            raise ArgumentError("set_weights needs an iterator with reader_name")
        for pipeline in self._pipelines:
            pipeline.set_weights(self._counted.reader, weights)
        self._supply.prepared = False
        if self._epochs is not None and self._progress.step == 0 and not any(self._epochs.ahead):
            self._epochs.begin(self._epochs.number)  # nothing was read of this epoch

    def close(self) -> None:
        """Close the pipelines: their threads end, their files and memory are freed."""
        for pipeline in self._pipelines:
            pipeline.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
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
    def at_end(self) -> bool:
        """Whether all batches of the epoch were handed out, as far as that is known."""
        return self._progress.ended or self._all_taken

    @property
    def _all_taken(self) -> bool:
        """Whether all batches of an epoch of known size were handed out."""
        return self._epochs is not None and self._progress.step >= self._epochs.steps

    def _fetch(self) -> list[tuple[TensorList, ...]] | None:
        """Return the next outputs of all pipelines, or None at the epoch's end."""
        if self._all_taken:
            return None
        outputs = self._run()
        while self._supply.discard and outputs is not None:
            self._supply.discard -= 1
            outputs = self._run()
        if outputs is None and not self._progress.has_moved:
            self._rewind()  # the data ended exactly where the previous epoch did
            self._progress = Progress(0)
            outputs = self._run()
            if outputs is None:
                raise ArgumentError(
                    "the pipeline raised StopIteration before the epoch's first batch: its source "
                    "has no data, or cannot be iterated a second time (a generator cannot; give a "
                    'generator function and `cycle="raise"` to fn.external_source)'
                )
        return outputs

    def _run(self) -> list[tuple[TensorList, ...]] | None:
        return self._supply.run(self._pipelines)

    def _rewind(self) -> None:
        for pipeline in self._pipelines:
            pipeline.reset()
        self._supply.restart()
        if self._epochs is not None and not self._counted.reader:
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
            named[VALID] = TensorListCPU(outputs[0].valid.copy()).delivered(None)
        return {
            name: self.convert(name, output, min(count, len(output)))
            for name, output in named.items()
        }


describe(BaseIterator, DESCRIPTION)

_OF_ALL = tuple(name for name in inspect.signature(BaseIterator).parameters if name != "unknown")


def of_all(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that all iterators take, for the constructor of `BaseIterator`.

    Args:
        given: the local variables of a constructor: `super().__init__(**of_all(locals()))`. Each
            argument must be there. `unknown` holds arguments that no class has.
    """
    return {**{name: given[name] for name in _OF_ALL}, **given["unknown"]}


def check_uniform(
    name: str,
    output: TensorList,
    advice: str = "use RaggedIterator of penstock.plugin.pytorch, which returns them as a list",
) -> None:
    """Raise unless the samples of `output` have one shape.

    Args:
        name: name of the output.
        output: a batch.
        advice: remedy for the user besides a change of the pipeline.
    """
    if not output.is_dense_tensor():
        shapes = ", ".join(str(shape) for shape in list(dict.fromkeys(output.shape()))[:4])
        raise ArgumentError(
            f"output {name!r}: the samples of this batch differ in shape ({shapes}, ...), so they "
            "form no single tensor. Resize, crop or pad them to one shape in the pipeline "
            f"(fn.resize, fn.crop, fn.pad), or {advice}"
        )


AnyIterator: TypeAlias = BaseIterator[Any, Any]
"""An iterator of tensors of any library, whose batches have any form."""
