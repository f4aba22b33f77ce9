"""Data from user code: `external_source`."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.graph.derivation import Axes
from ...engine.graph.inputs import FedData, FedInput
from ...engine.graph.limits import Remedies
from ...engine.graph.operator import register
from ...engine.graph.params import ANY, BOOL, INT, NO_EFFECT, param
from ...engine.order.sampler import Selection
from ...engine.tensors import TensorListCPU, TensorListGPU
from ...engine.tensors.dtypes import BatchInfo, SampleInfo
from .device_data import Delivery, deliver, is_on_gpu
from .source_state import check_state
from .user_data import Column, Expected, as_column, copied, expectations, fed_as
from .user_source import UserSource, make_source

if TYPE_CHECKING:
    from ...engine.gpu.device import DeviceAccess
    from ...engine.graph.context import BatchContext

GivenData = Column | Delivery
"""The samples of one output."""

OutputData = GivenData | TensorListCPU
"""The same, which may be in memory of the batch already."""


@register
class ExternalSource(FedInput):
    """Reads data from a Python function, iterable or generator function, or from `feed_input`.

    The source returns whole batches: an array whose axis 0 runs over the samples, or a list of
    samples. A batch may be smaller than `batch_size`. With `batch=False` the source returns single
    samples. Samples are NumPy arrays, objects with `__dlpack__` or `__array__` (PyTorch tensors),
    numbers or lists of numbers. The samples of a batch must agree in dtype and number of
    dimensions.

    With `device="gpu"` samples may also lie on the GPU: CuPy arrays, PyTorch tensors, objects with
    `__dlpack__` or `__cuda_array_interface__`. The copy of these samples runs on the stream of
    their library (see `cuda_stream`), so later work on this stream may overwrite the samples. Data
    in host memory are copied to the GPU.

    A function may have one argument: the number of the batch in its epoch (or a `BatchInfo`), or
    a `SampleInfo`. The function raises StopIteration to end the epoch; the pipeline then drops the
    samples of an incomplete batch. A single thread uses the source, and runs ahead of the consumer.

    An exception of the source reaches the caller of `run` with its own type. If a function raises
    the exception for one sample (`batch=False`), the sample is bad, and the pipeline's `on_error`
    applies.

    Without a source the data come from `Pipeline.feed_input` under this operator's name.

    Without `layout` each batch has the layout with which the data come: that of `feed_input`, of a
    `TensorListCPU` or `TensorListGPU`, or of the `TensorCPU` or `TensorGPU` objects in a list. The
    operators behind work by this layout, which may change from batch to batch. If `layout` is
    given, `feed_input` refuses data of another layout, and data of a source count as of this one.

    A checkpoint holds the position of the source. A function gets the position in its argument. An
    object with `state_dict()` and `load_state_dict()` saves and restores its own state, of JSON
    types. Other iterables are iterated up to the position.

    With `num_outputs` the source returns a tuple of this number of batches (with `batch=False`, of
    arrays), and `external_source` returns a list of nodes.
    """

    name = "external_source"
    devices = ("cpu", "gpu")
    positional = ("source", "num_outputs")
    source = param(ANY, None, "Function, iterable or generator function.")
    cycle = param(
        ANY,
        None,
        'Action at the end of an iterable. "no", False or None: StopIteration. "quiet" or True: '
        'start again. "raise": StopIteration, and start again after `reset`.',
    )
    layout = param(
        ANY,
        None,
        "Layout of the samples, or a list with a layout for each output. By default that with "
        "which the data come.",
    )
    dtype = param(ANY, None, "Dtype that the data must have, or a list with one for each output.")
    ndim = param(ANY, None, "Number of dimensions of each sample, or a list with one an output.")
    no_copy = param(
        BOOL,
        False,
        "Use the arrays without a copy. The program must not change the arrays while the pipeline "
        "uses them. On the GPU only contiguous arrays are used without a copy. On the CPU a batch "
        "that the pipeline returns as it came is copied, unless its address is a multiple of 64.",
    )
    batch_info = param(BOOL, False, "Pass a `BatchInfo` rather than the batch's number.")
    repeat_last = param(
        BOOL, False, "Use the last batch again if no new batch was fed. Not with a source."
    )
    parallel = param(
        BOOL,
        False,
        "Accepted for compatibility, without effect: one thread of this process calls the source.",
    )
    blocking = param(
        BOOL,
        False,
        "If no batch was fed, let `run` wait until another thread calls `feed_input`, instead of "
        "raising an error.",
    )
    cuda_stream = param(
        ANY,
        None,
        "Stream on which data on the GPU is complete, and on which the copy runs: a handle, or a "
        "stream of CuPy or PyTorch. Default: PyTorch's current stream for tensors of PyTorch, and "
        "the stream in the CUDA array interface for other data. If that interface names no "
        "stream, the copy runs on the default stream, and the source waits for the copy. 0 and 1 "
        "mean the default stream.",
    )
    whole_batches = param(
        BOOL, None, "Whether the source returns whole batches. Default: True.", name="batch"
    )
    output_count = param(
        INT, None, "Number of outputs; the source returns a tuple.", name="num_outputs", minimum=1
    )
    use_copy_kernel = param(BOOL, None, NO_EFFECT)
    prefetch_queue_depth = param(INT, None, NO_EFFECT)

    def prepare(self) -> None:
        self._by_sample = self.whole_batches is False
        self.waits_for_feed = bool(self.blocking) and self.source is None
        self._count: int = 1 if self.output_count is None else self.output_count
        self._expected = expectations(self.called, self._count, self.layout, self.dtype, self.ndim)
        if self.source is not None and self.repeat_last:
            self.refuse(
                "repeat_last is for batches from feed_input, so it does not go with a source"
            )
        self.learns_layouts = any(expected.layout is None for expected in self._expected)
        self._source: UserSource | None = None
        if self.source is not None:
            self._source = make_source(self.source, self.cycle)
        elif self.cycle is not None:
            self.refuse("cycle needs a source")
        self._epoch = self._iteration = self._sample = 0
        self._batch_size = 0
        self._state: dict[str, Any] | None = None
        self._fed: deque[tuple[list[GivenData], Selection | None]] = deque()
        self._last: list[GivenData] | None = None
        self._ready: dict[int, list[OutputData]] = {}
        self._axes: dict[int, tuple[Axes, ...]] = {}  # by batch
        self._stage: DeviceAccess | None = None
        self._selections: dict[int, Selection] = {}
        self._failed: dict[int, dict[int, BaseException]] = {}  # rows by batch

    def remedies(self) -> Remedies:
        return {
            "feeder": (
                "a reader of Penstock's (fn.readers), or a faster source",
                "samples that other processes prepare ahead",
            )
        }

    def constants_without_program(self) -> dict[str, Any]:
        """Return the arguments without the source: data are fed in its place."""
        return {k: v for k, v in self.constants().items() if k not in ("source", "cycle")}

    def num_outputs(self) -> int:
        return self._count

    def output_layouts(self) -> tuple[str, ...]:
        return tuple(expected.layout or "" for expected in self._expected)

    def wrap(self, outputs: tuple[Any, ...]) -> Any:
        return outputs[0] if self.output_count is None else list(outputs)

    # Calls of the engine

    def open(self, batch_size: int, state: Any) -> None:
        self._batch_size = batch_size
        if state is not None:
            check_state(state)
            self._epoch, self._iteration = state["epoch"], state["iteration"]
            self._sample = state["sample"]
            self._state = state  # the thread that uses the source passes the state on

    def restore(self, number: int, state: Any) -> None:
        self._forget()
        if state is None:
            self._epoch = self._iteration = self._sample = 0
            state = self.snapshot() | {"position": 0}
        self.open(self._batch_size, state)

    def available(self) -> int | None:
        if self._source is not None or (self.repeat_last and self._last is not None):
            return None
        return len(self._fed)

    def attach(self, stage: DeviceAccess) -> None:
        self._stage = stage

    def fed_data(self) -> FedData | None:
        if self._source is not None or self.output_count is not None:
            return None
        (expected,) = self._expected
        return FedData(expected.dtype, expected.ndim, expected.layout)

    def feed(self, data: Any, layout: str | None = None, cuda_stream: Any = None) -> None:
        """Queue a batch; `Pipeline.feed_input` calls this in any thread."""
        self._queue(data, layout, cuda_stream)

    def feed_samples(
        self, data: Any, layout: str | None, samples: Selection | None, *, owned: bool
    ) -> None:
        self._queue(data, layout, samples=samples, owned=owned)

    def _queue(
        self,
        data: Any,
        layout: str | None,
        cuda_stream: Any = None,
        samples: Selection | None = None,
        owned: bool = False,
    ) -> None:
        if self._source is not None:
            raise ArgumentError("this external source has a source, so feed_input cannot feed it")
        data = self._by_output(data)
        pairs = zip(data, self._expected, strict=True)
        expected = [fed_as(one, layout, each) for one, each in pairs]
        columns = self._columns(data, expected, cuda_stream)
        self._check_size(columns)
        if not (self.no_copy or owned):
            columns = [_own(column) for column in columns]
        self._last = columns
        self._fed.append((columns, samples))

    def discard(self) -> None:
        self._fed.clear()
        self._forget()

    def fetch(self, number: int, batch_size: int) -> int:
        samples = None
        if self._source is None:
            columns, samples = self._next_fed()
        else:
            self._restore()
            try:
                data = self._poll(self._source, number, batch_size)
            except StopIteration:
                self._iteration = self._sample = 0
                raise
            columns = self._columns(self._by_output(data), self._expected)
            self._check_size(columns)
        size = len(columns[0])
        self._ready[number] = list(columns)
        if self.learns_layouts:
            self._axes[number] = tuple(column.axes for column in columns)
        if samples is None:
            positions = np.arange(self._sample, self._sample + size)
            samples = Selection(
                positions, np.full(size, self._epoch), positions, np.ones(size, bool)
            )
        self._selections[number] = samples
        self._iteration += 1
        self._sample += batch_size if self._by_sample else size
        return size

    def batch_axes(self, number: int) -> tuple[Axes, ...]:
        return self._axes.pop(number)

    def select(self, number: int, batches: int = 1) -> Selection | None:
        return self._selections.pop(number)

    def batch(self, batch: BatchContext) -> tuple[TensorListCPU, ...]:
        batch.errors.update(self._failed.pop(batch.number, {}))
        return tuple(self._on_host(column, batch) for column in self._ready.pop(batch.number))

    def accept(self, batch: BatchContext) -> None:
        batch.errors.update(self._failed.pop(batch.number, {}))
        columns = self._ready[batch.number]
        for i, column in enumerate(columns):
            if isinstance(column, Delivery):
                batch.count_bytes(device=column.taken_bytes)
            else:
                columns[i] = self._on_host(column, batch)

    def batch_gpu(self, batch: BatchContext) -> tuple[TensorListGPU, ...]:
        columns = self._ready.pop(batch.number)
        return tuple(_on_device(column, batch, copy=self.repeat_last) for column in columns)

    def _on_host(self, column: OutputData, batch: BatchContext) -> TensorListCPU:
        assert isinstance(column, Column)
        if self.no_copy or (self._source is None and not self.repeat_last):
            return TensorListCPU(column.rows, column.layout)
        return copied(column, batch)  # the array may be used again

    def reset(self) -> None:
        self._epoch += 1
        self._iteration = self._sample = 0
        if self._source is not None:
            self._source.rewind()
        self._forget()

    def starts_over(self) -> bool:
        return self._source is not None and self._source.starts_over

    def _forget(self) -> None:
        self._ready.clear()
        self._axes.clear()
        self._selections.clear()
        self._failed.clear()

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

    # From the source to a batch

    def _restore(self) -> None:
        state, self._state = self._state, None
        if state is None or self._source is None:
            return
        if "source" in state and hasattr(self.source, "load_state_dict"):
            self.source.load_state_dict(state["source"])
            self._source.forget()
        else:
            self._source.skip(state["position"])

    def _next_fed(self) -> tuple[list[GivenData], Selection | None]:
        if self._fed:
            return self._fed.popleft()
        if self.repeat_last and self._last is not None:
            return self._last, None
        raise ArgumentError("no batch was fed: call feed_input before each run")

    def _poll(self, source: UserSource, number: int, batch_size: int) -> Any:
        if self._by_sample:
            return self._transposed(self._samples(source, number, batch_size))
        return source.next(*self._info(None))

    def _samples(self, source: UserSource, number: int, batch_size: int) -> list[Any]:
        """Return the samples of a batch; a good sample replaces each bad sample."""
        samples: dict[int, Any] = {}
        failed: dict[int, BaseException] = {}
        for i in range(batch_size):
            try:
                samples[i] = source.next(*self._info(i))
            except StopIteration:
                raise
            except Exception as error:
                error.add_note(f"sample {i} of batch {number}, of an external source")
                if not source.survives_errors or (not samples and i == batch_size - 1):
                    raise
                failed[i] = error
        if failed:
            self._failed[number] = failed
            samples |= dict.fromkeys(failed, next(iter(samples.values())))
        return [samples[i] for i in range(batch_size)]

    def _info(self, i: int | None) -> tuple[Any, ...]:
        """Return the source's argument, for sample `i` or, with None, for the batch."""
        if self._source is None or not self._source.takes_argument:
            return ()
        if i is not None:
            return (SampleInfo(self._sample + i, i, self._iteration, self._epoch),)
        if self.batch_info:
            return (BatchInfo(self._iteration, self._epoch),)
        return (self._iteration,)

    def _transposed(self, samples: list[Any]) -> Any:
        if self.output_count is None:
            return samples
        for sample in samples:
            self._check_tuple(sample)
        return [[sample[k] for sample in samples] for k in range(self._count)]

    def _check_tuple(self, value: Any) -> None:
        is_many = isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim)
        if not is_many or len(value) != self._count:
            given = len(value) if is_many else f"a {type(value).__name__}"
            remedy = ""
            if isinstance(value, Mapping):
                items = ", ".join(f"sample[{name!r}]" for name in list(value)[: self._count])
                remedy = f"; return a tuple of its values, such as ({items})"
            self.refuse(
                f"with num_outputs={self._count} the source must return a tuple of {self._count}, "
                f"but returned {given}{remedy}"
            )

    def _by_output(self, data: Any) -> Sequence[Any]:
        data = (data,) if self.output_count is None else data
        self._check_tuple(data)
        whole: Sequence[Any] = data
        return whole

    def _columns(
        self, data: Sequence[Any], expected: Sequence[Expected], cuda_stream: Any = None
    ) -> list[GivenData]:
        """Return the data of each output, checked."""
        return [self._column(*both, cuda_stream) for both in zip(data, expected, strict=True)]

    def _column(self, data: Any, expected: Expected, cuda_stream: Any) -> GivenData:
        if self._stage is None or not is_on_gpu(data):
            return as_column(data, expected)
        stream = self.cuda_stream if cuda_stream is None else cuda_stream
        return deliver(data, expected, self._stage, stream, self.no_copy)

    def _check_size(self, columns: Sequence[GivenData]) -> None:
        sizes = [len(column) for column in columns]
        if len(set(sizes)) > 1:
            raise ArgumentError(
                f"External source must return outputs with consistent batch size. Its outputs have "
                f"{sizes} samples"
            )
        if self._batch_size and sizes[0] > self._batch_size:
            raise ArgumentError(
                f"a batch of {sizes[0]} samples is too large for a pipeline of batch_size "
                f"{self._batch_size}; return smaller batches, or raise batch_size"
            )


def _on_device(column: OutputData, batch: BatchContext, *, copy: bool) -> TensorListGPU:
    if isinstance(column, Delivery):
        data = column.use_in(batch)
        rows = data.dense() if data.is_dense_tensor() else data.rows()
        return batch.device.copied(rows, data.layout()) if copy else data
    assert isinstance(column, TensorListCPU)
    return batch.device.to_device(column)


def _own(column: GivenData) -> GivenData:
    if isinstance(column, Delivery):
        return column  # it is a copy already
    assert isinstance(column, Column)
    rows = column.rows
    rows = [np.array(row) for row in rows] if isinstance(rows, list) else np.array(rows)
    return Column(rows, column.layout)
