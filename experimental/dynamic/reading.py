"""Readers as classes: `ndd.readers.File(file_root="photos").next_epoch(batch_size=8)`."""

from __future__ import annotations

import inspect
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from ...engine.errors import ArgumentError, CheckpointError
from ...engine.graph.callers import caller
from ...engine.graph.declaration import camel_case
from ...engine.graph.functions import apply
from ...engine.graph.operator import Operator
from ...engine.pipeline.pipeline import Pipeline
from .batch import Batch
from .calls import constant
from .contexts import EvalContext
from .devices import device as as_device
from .functions import docstring, signature
from .generators import generator
from .recording import Recording
from .tensor import Tensor

_NAME = "reader"


@dataclass
class _Position:
    """Where a reader stands: what its state is.

    Attributes:
        saved: checkpoint from which the next pipeline goes on; None for the start.
        epoch: number of the epoch.
        taken: batches that were taken of the epoch.
    """

    saved: bytes | None = None
    epoch: int = 0
    taken: int = 0

    def as_text(self) -> str:
        saved = None if self.saved is None else self.saved.decode()
        return json.dumps({"pipeline": saved, "epoch": self.epoch, "taken": self.taken})

    @classmethod
    def of_text(cls, text: str) -> _Position:
        try:
            content = json.loads(text)
            saved, epoch, taken = content["pipeline"], int(content["epoch"]), int(content["taken"])
        except (ValueError, TypeError, KeyError) as error:
            raise CheckpointError(f"this is no state of a reader: {error!r}") from error
        return cls(None if saved is None else saved.encode(), epoch, taken)


class Reader:
    """A reader, which goes through its data set epoch by epoch.

    The reader works in a pipeline of its own, so it reads ahead of its user, as in any pipeline.

    Args:
        max_batch_size: number of samples in a batch; by default `next_epoch` says it.
        name: for messages.
        device: "cpu" or "gpu".
        num_inputs: without effect.
        enable_checkpointing: without effect: `get_state` always works.
        arguments: those of the reader in `fn`.

    Attributes:
        num_outputs: number of outputs.
    """

    operator: ClassVar[type[Operator]]

    def __init__(
        self,
        max_batch_size: int | None = None,
        name: str | None = None,
        device: object = "cpu",
        num_inputs: int | None = None,
        *,
        enable_checkpointing: bool = False,
        **arguments: object,
    ) -> None:
        self._batch_size = max_batch_size
        self._name = name or _NAME
        place = as_device(device)
        self._device = "cpu" if place is None else place.device_type
        given = {key: value for key, value in arguments.items() if value is not None}
        self._arguments = {key: constant(value) for key, value in given.items()}
        for key, value in given.items():
            if isinstance(value, Batch):
                raise ArgumentError(f"{type(self).__name__}: {key} is a batch; give one value")
        self._pipeline: Pipeline | None = None
        self._has_moved = False  # whether the pipeline has delivered a batch
        self._keys: list[str] | None = None  # names of the outputs, of readers that name these
        self._position = _Position()
        self._under_way: object = None  # stands for the iterator of the current epoch
        self._lock = threading.RLock()
        self._recording: Recording | None = None  # of the loop that the pipeline computes
        self._loop = ""  # its line
        pipeline = self._open(1, defines_only=True)  # refuses wrong arguments in the user's line
        self.num_outputs = len(pipeline._definition.outputs)

    @property
    def names_outputs(self) -> bool:
        """Whether items are dictionaries."""
        return self._keys is not None

    def next_epoch(
        self, batch_size: int | None = None, ctx: EvalContext | None = None, capture: bool = False
    ) -> Iterator[Any]:
        """Return an iterator over the next epoch of the data set, or of this reader's shard.

        An item is a tuple with the reader's outputs, or a dictionary for a reader that names these:
        batches, or tensors if no batch size is given. All batches have the same number of samples.
        The last batch is filled up with samples of the epoch that follows, or by `pad_last_batch`.

        If an earlier iterator was not exhausted, the rest of its epoch is left out. After
        `set_state` or `close`, the rest of the epoch comes first.

        Args:
            batch_size: number of samples in a batch; by default `max_batch_size`.
            ctx: gives the number of threads; by default the current context.
            capture: run the loop as a pipeline: see `ndd.capture`.
        """
        size = self._batch_size if batch_size is None else batch_size
        if capture and size is None:
            raise ArgumentError("capture=True needs a batch_size")
        loop = caller() if capture else ""
        with self._lock:
            if self._under_way is not None and self._pipeline is not None and self._has_moved:
                self._pipeline.begin_epoch()
                self._end_epoch()
            if loop != self._loop:
                self.close()
                self._loop, self._recording = loop, Recording(size or 1) if capture else None
            self._at(1 if size is None else size, ctx)
            self._under_way = token = object()
        return self._items(token, size, ctx)

    def _items(self, token: object, size: int | None, ctx: EvalContext | None) -> Iterator[object]:
        while True:
            with self._lock:
                if self._under_way is not token or self._pipeline is None:
                    raise ArgumentError(
                        "another call of next_epoch or set_state has taken over the reader; make "
                        "a reader for each loop"
                    )
                if self._position.taken >= self._steps(self._pipeline):
                    self._end_epoch()
                    return
                recording = self._recording
                if recording is not None and recording.has_begun and not recording.is_noted:
                    self._run_loop(ctx)
                self._position.taken += 1
                item = self._next(self._pipeline, size)
            if recording is None:
                yield item
            else:
                with recording.body():
                    yield item

    def _run_loop(self, ctx: EvalContext | None) -> None:
        """Replace the reader's pipeline by one that computes the loop, too."""
        assert self._pipeline is not None
        self._position.saved = self._pipeline.checkpoint()
        size = self._pipeline.batch_size
        self._close()
        self._pipeline = self._open(size, ctx)

    def _end_epoch(self) -> None:
        self._under_way = None
        self._position.epoch, self._position.taken = self._position.epoch + 1, 0

    def _next(self, pipeline: Pipeline, size: int | None) -> object:
        kind: Any = Tensor if size is None else Batch
        outputs = pipeline.run()
        self._has_moved = True
        if self._recording is None:
            values = tuple(kind.of(samples) for samples in outputs)
        else:
            values = self._recording.begin(outputs)
        return values if self._keys is None else dict(zip(self._keys, values, strict=True))

    def _steps(self, pipeline: Pipeline) -> int:
        """Return the number of batches of the current epoch."""
        meta = pipeline.reader_meta(self._name)
        shards, samples = meta["number_of_shards"], meta["epoch_size_padded"]
        epoch = 0 if meta["stick_to_shard"] else self._position.epoch
        shard = (meta["shard_id"] + epoch) % shards
        size: int = (shard + 1) * samples // shards - shard * samples // shards
        return -(-size // pipeline.batch_size)

    def __call__(self, *, batch_size: int | None = None) -> Any:
        """Return the next batch, or the next tensors if no batch size is given, without an end."""
        size = self._batch_size if batch_size is None else batch_size
        with self._lock:
            pipeline = self._at(1 if size is None else size, None)
            self._position.taken += 1
            if self._position.taken >= self._steps(pipeline):
                self._end_epoch()
            return self._next(pipeline, size)

    def _at(self, size: int, ctx: EvalContext | None) -> Pipeline:
        """Return the pipeline for a batch size; another size goes on where the last one stopped."""
        if self._pipeline is not None and self._pipeline.batch_size != size:
            samples = self._position.taken * self._pipeline.batch_size
            self._position.saved = self._pipeline.checkpoint()
            self._position.taken = samples // size
            self._close()
        if self._pipeline is None:
            self._pipeline = self._open(size, ctx)
        return self._pipeline

    def _open(
        self, size: int, ctx: EvalContext | None = None, *, defines_only: bool = False
    ) -> Pipeline:
        context, recording = EvalContext.current() if ctx is None else ctx, self._recording
        pipeline = Pipeline(
            batch_size=size,
            num_threads=context.num_threads,
            device_id=context.device_id,
            seed=None if recording is None else generator(None).position(),
            checkpoint=None if defines_only else self._position.saved,
        )
        if recording is None or not recording.has_begun:
            pipeline.define(self._define)
        else:
            pipeline.define(recording.define, self._define)
        return pipeline

    def _define(self) -> tuple[object, ...]:
        wanted = {**self._arguments, "device": self._stage()}
        outputs = apply(self.operator, (), wanted, self._name)
        if isinstance(outputs, dict):
            self._keys = list(outputs)
            return tuple(outputs.values())
        return tuple(outputs) if isinstance(outputs, list) else (outputs,)

    def _stage(self) -> str:
        devices = self.operator.devices
        return "mixed" if self._device == "gpu" and "gpu" not in devices else self._device

    def get_metadata(self, batch_size: int | None = None) -> dict[str, Any]:
        """Return the sizes of the data set and of the shards, as `Pipeline.reader_meta` does.

        Args:
            batch_size: of a reader that has not read yet.
        """
        size = batch_size or self._batch_size or 1
        with self._lock:
            pipeline = self._pipeline or self._at(size, None)
            meta: dict[str, Any] = pipeline.reader_meta(self._name)
        return meta

    def get_state(self, *, cuda_stream: object = None) -> str:
        """Return where the reader stands, as text. `cuda_stream` has no effect."""
        with self._lock:
            if self._pipeline is not None:
                self._position.saved = self._pipeline.checkpoint()
            return self._position.as_text()

    def set_state(self, state: Any) -> None:
        """Go on where a reader stood; the next epoch is the rest of the reader's epoch then.

        Args:
            state: what `get_state` of a reader with the same arguments has returned.

        Raises:
            CheckpointError: `state` is something else.
        """
        position = _Position.of_text(state.decode() if isinstance(state, bytes) else str(state))
        with self._lock:
            self._close()
            self._position, self._under_way = position, None

    def close(self) -> None:
        """End the reader's threads; a later call starts new ones, where the reader stood."""
        with self._lock:
            if self._pipeline is not None:
                self._position.saved = self._pipeline.checkpoint()
                self._close()

    def _close(self) -> None:
        if self._pipeline is not None:
            self._pipeline.close()
            self._pipeline, self._has_moved = None, False

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in self._arguments.items())
        return f"{type(self).__name__}({arguments})"


_CLASSES: dict[type[Operator], type[Reader]] = {}


def reader_class(operator_class: type[Operator]) -> type[Reader]:
    """Return the class that a reader is, with its docstring and signature."""
    if operator_class not in _CLASSES:
        own = inspect.signature(Reader).parameters
        common = [parameter for name, parameter in own.items() if name not in ("arguments",)]
        given = signature(operator_class).parameters.values()
        further = [
            parameter.replace(kind=parameter.KEYWORD_ONLY)
            for parameter in given
            if parameter.name not in ("batch_size", "device", "rng")
        ]
        content = {
            "operator": operator_class,
            "__doc__": docstring(operator_class),
            "__module__": __name__.rpartition(".")[0] + ".readers",
            "__signature__": inspect.Signature([*common, *further]),
        }
        name = camel_case(operator_class.name.rpartition(".")[2])
        _CLASSES[operator_class] = type(name, (Reader,), content)
    return _CLASSES[operator_class]
