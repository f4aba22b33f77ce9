"""Data from user code: `external_source`."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.operator import InputOperator, register
from ...engine.params import ANY, BOOL, INT, NO_EFFECT, Param, param
from ...engine.sampler import Draw
from ...engine.tensors import TensorListCPU, TensorListGPU
from ...engine.types import BatchInfo, SampleInfo
from .device_data import Delivery, deliver, is_on_gpu
from .user_data import Column, Expected, as_column, copied, expectations
from .user_source import Source, make_source

if TYPE_CHECKING:
    from ...engine.batch import Batch
    from ...engine.device_stage import DeviceStage

Part = Column | Delivery | TensorListCPU
"""The samples of one output."""


@register
class ExternalSource(InputOperator):
    """Takes data from a Python function, iterable or generator function, or from `feed_input`.

    The source gives whole batches (an array whose axis 0 runs over the samples, or a list of
    samples), which may be smaller than the pipeline's, or with `batch=False` one sample after the
    other. Samples are NumPy arrays, whatever has `__dlpack__` or `__array__` (PyTorch tensors),
    numbers or lists of them. The samples of a batch agree in type and number of dimensions.

    With `device="gpu"` samples may also lie on the GPU: CuPy arrays, PyTorch tensors, whatever has
    `__dlpack__` or `__cuda_array_interface__`. They are copied on the stream that their library
    works on (see `cuda_stream`), so the source may go on there at once, and overwrite them. What
    lies in host memory is copied to the GPU.

    Functions may take one argument: the number of the batch in its epoch (or a `BatchInfo`), or
    a `SampleInfo`. They end the epoch by raising StopIteration; samples of a batch that is
    not complete then are dropped. The source is used by one thread only, which runs ahead of
    the consumer. What it raises reaches the caller of `run` as it is.

    Without a source the data comes from `Pipeline.feed_input` under this operator's name.

    A checkpoint holds where the source stands. Functions are told it by their argument; an object
    with `state_dict()` and `load_state_dict()` (of what JSON can hold) is asked and told; other
    iterables are gone through up to there.

    With `num_outputs` the source gives a tuple of that many batches (or, by sample, of arrays),
    and a list of nodes is returned.
    """

    name = "external_source"
    devices = ("cpu", "gpu")
    positional = ("source", "num_outputs")
    source = param(ANY, None, "Function, iterable or generator function.")
    cycle = param(
        ANY,
        None,
        'What happens at an iterable\'s end: "no", False or None: StopIteration; "quiet" or True: '
        'it starts again; "raise": StopIteration, and it starts again after `reset`.',
    )
    layout = param(ANY, None, "Layout of the samples, or a list with one for each output.")
    dtype = param(ANY, None, "Type that the data must have, or a list.")
    ndim = param(ANY, None, "Number of dimensions that samples must have, or a list.")
    no_copy = param(
        BOOL,
        False,
        "Use the arrays as they are: they must not be changed while they are in use. On the GPU "
        "arrays that are not contiguous are copied all the same.",
    )
    batch_info = param(BOOL, False, "Pass a `BatchInfo` rather than the batch's number.")
    repeat_last = param(
        BOOL, False, "Where nothing new was fed, use what was fed last. Not with a source."
    )
    parallel = param(
        BOOL,
        False,
        "Only sets the default of `batch` to False: one thread of this process calls the source.",
    )
    blocking = param(BOOL, None, NO_EFFECT)
    cuda_stream = param(
        ANY,
        None,
        "Stream on which data on the GPU is complete and is copied: a handle, or a stream of CuPy "
        "or PyTorch. By default PyTorch's current one for its tensors, and what the CUDA array "
        "interface names for others; where nothing names one, the default stream, and the copy is "
        "waited for. 0 and 1 are the default stream, too.",
    )
    use_copy_kernel = param(BOOL, None, NO_EFFECT)
    prefetch_queue_depth = param(INT, None, NO_EFFECT)

    def prepare(self) -> None:
        # These arguments share their names with methods: move them away.
        whole = vars(self).pop("batch")
        self._outputs: int | None = vars(self).pop("num_outputs")
        self._by_sample = bool(self.parallel) if whole is None else not whole
        self._count: int = 1 if self._outputs is None else self._outputs
        if self._count < 1:
            raise ArgumentError(
                f"fn.external_source: num_outputs must be positive, not {self._count}"
            )
        self._expected = expectations(
            "fn.external_source", self._count, self.layout, self.dtype, self.ndim
        )
        if self.source is not None and self.repeat_last:
            raise ArgumentError("fn.external_source: repeat_last does not go with a source")
        self._source: Source | None = None
        if self.source is not None:
            self._source = make_source(self.source, self.cycle)
        elif self.cycle is not None:
            raise ArgumentError("fn.external_source: cycle needs a source")
        self._epoch = self._iteration = self._sample = 0
        self._batch_size = 0
        self._state: dict[str, Any] | None = None
        self._fed: deque[list[Part]] = deque()
        self._last: list[Part] | None = None
        self._ready: dict[int, list[Part]] = {}
        self._stage: DeviceStage | None = None
        self._places: dict[int, Draw] = {}

    def num_outputs(self) -> int:
        return self._count

    def output_layouts(self) -> tuple[str, ...]:
        return tuple(expected.layout or "" for expected in self._expected)

    def wrap(self, outputs: tuple[Any, ...]) -> Any:
        return outputs[0] if self._outputs is None else list(outputs)

    # What the engine calls

    def open(self, batch_size: int, state: Any) -> None:
        self._batch_size = batch_size
        if state is not None:
            self._epoch, self._iteration = state["epoch"], state["iteration"]
            self._sample = state["sample"]
            self._state = state  # the source itself is told by the thread that uses it

    def available(self) -> int | None:
        if self._source is not None or (self.repeat_last and self._last is not None):
            return None
        return len(self._fed)

    def attach(self, stage: DeviceStage) -> None:
        self._stage = stage

    def feed(self, data: Any, layout: str | None = None, cuda_stream: Any = None) -> None:
        """Append a batch to what is waiting; called by `Pipeline.feed_input` in any thread."""
        if self._source is not None:
            raise ArgumentError("this external source has a source, and cannot be fed as well")
        parts = self._parts(data, layout, cuda_stream)
        self._check_size(parts)
        if not self.no_copy:
            parts = [_own(part) for part in parts]
        self._last = parts
        self._fed.append(parts)

    def fetch(self, number: int, batch_size: int) -> int:
        if self._source is None:
            parts = self._take_fed()
        else:
            self._restore()
            try:
                data = self._poll(self._source, batch_size)
            except StopIteration:
                self._iteration = self._sample = 0
                raise
            parts = self._parts(data)
            self._check_size(parts)
        size = len(parts[0])
        self._ready[number] = list(parts)
        places = np.arange(self._sample, self._sample + size)
        self._places[number] = Draw(places, np.full(size, self._epoch), places, np.ones(size, bool))
        self._iteration += 1
        self._sample += batch_size if self._by_sample else size
        return size

    def draw(self, number: int) -> Draw | None:
        return self._places.pop(number)

    def batch(self, batch: Batch) -> tuple[TensorListCPU, ...]:
        return tuple(self._on_host(part, batch) for part in self._ready.pop(batch.number))

    def accept(self, batch: Batch) -> None:
        parts = self._ready[batch.number]
        for i, part in enumerate(parts):
            if isinstance(part, Delivery):
                batch.taken_device_bytes += part.taken_bytes
            else:
                parts[i] = self._on_host(part, batch)

    def gpu(self, batch: Batch) -> tuple[TensorListGPU, ...]:
        return tuple(_on_device(part, batch) for part in self._ready.pop(batch.number))

    def _on_host(self, part: Part, batch: Batch) -> TensorListCPU:
        assert isinstance(part, Column)
        if self._source is None or self.no_copy:
            return TensorListCPU(part.rows, part.layout)
        return copied(part, batch)

    def reset(self) -> None:
        self._epoch += 1
        self._iteration = self._sample = 0
        if self._source is not None:
            self._source.rewind()
        self._ready.clear()
        self._places.clear()

    def snapshot(self) -> Any:
        state = {"epoch": self._epoch, "iteration": self._iteration, "sample": self._sample}
        if self._source is not None:
            state["position"] = self._source.position()
        if hasattr(self.source, "state_dict"):
            state["source"] = self.source.state_dict()
        return state

    def close(self) -> None:
        self._fed.clear()
        self._ready.clear()
        self._last = None

    # How a batch comes about

    def _restore(self) -> None:
        state, self._state = self._state, None
        if state is None or self._source is None:
            return
        if "source" in state and hasattr(self.source, "load_state_dict"):
            self.source.load_state_dict(state["source"])
        else:
            self._source.skip(state["position"])

    def _take_fed(self) -> list[Part]:
        if self._fed:
            return self._fed.popleft()
        if self.repeat_last and self._last is not None:
            return self._last
        raise ArgumentError("nothing was fed: call feed_input before each run")

    def _poll(self, source: Source, batch_size: int) -> Any:
        if self._by_sample:
            return self._transposed([source.next(*self._info(i)) for i in range(batch_size)])
        return source.next(*self._info(None))

    def _info(self, i: int | None) -> tuple[Any, ...]:
        """Return the argument for the source: of sample `i`, or of the batch."""
        if self._source is None or not self._source.takes_argument:
            return ()
        if i is not None:
            return (SampleInfo(self._sample + i, i, self._iteration, self._epoch),)
        if self.batch_info:
            return (BatchInfo(self._iteration, self._epoch),)
        return (self._iteration,)

    def _transposed(self, samples: list[Any]) -> Any:
        if self._outputs is None:
            return samples
        for sample in samples:
            self._check_tuple(sample)
        return [[sample[k] for sample in samples] for k in range(self._count)]

    def _check_tuple(self, value: Any) -> None:
        if not isinstance(value, list | tuple) or len(value) != self._count:
            given = len(value) if isinstance(value, list | tuple) else type(value).__name__
            raise ArgumentError(
                f"fn.external_source: with num_outputs={self._count} the source must give a tuple "
                f"of {self._count}, but gave {given}"
            )

    def _parts(self, data: Any, layout: str | None = None, cuda_stream: Any = None) -> list[Part]:
        """Return what was given for each output, checked."""
        if self._outputs is None:
            data = (data,)
        self._check_tuple(data)
        expected = self._expected
        if layout is not None:
            expected = [replace(each, layout=layout) for each in expected]
        return [self._part(*both, cuda_stream) for both in zip(data, expected, strict=True)]

    def _part(self, data: Any, expected: Expected, cuda_stream: Any) -> Part:
        if self._stage is None or not is_on_gpu(data):
            return as_column(data, expected)
        stream = self.cuda_stream if cuda_stream is None else cuda_stream
        return deliver(data, expected, self._stage, stream, self.no_copy)

    def _check_size(self, parts: Sequence[Part]) -> None:
        sizes = [len(part) for part in parts]
        if len(set(sizes)) > 1:
            raise ArgumentError(
                f"the outputs of a batch differ in their number of samples: {sizes}"
            )
        if self._batch_size and sizes[0] > self._batch_size:
            raise ArgumentError(
                f"a batch of {sizes[0]} samples was given to a pipeline of batch_size "
                f"{self._batch_size}; give at most that many"
            )


def _on_device(part: Part, batch: Batch) -> TensorListGPU:
    if isinstance(part, Delivery):
        return part.take(batch)
    assert isinstance(part, TensorListCPU)
    batch.held.append(part)
    return batch.device.to_device(part)


def _own(part: Part) -> Part:
    if isinstance(part, Delivery):
        return part  # it is a copy already
    assert isinstance(part, Column)
    rows = part.rows
    rows = [np.array(row) for row in rows] if isinstance(rows, list) else np.array(rows)
    return Column(rows, part.layout)


# Declared here because the class has methods of these names.
ExternalSource.params["batch"] = Param(
    BOOL, None, "Whether the source gives whole batches; True by default."
)
ExternalSource.params["num_outputs"] = Param(
    INT, None, "How many outputs the source gives, as a tuple."
)
