"""Data from user code: `external_source`."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.gpu.device import DeviceAccess
from ...engine.graph.context import BatchContext
from ...engine.graph.derivation import Axes
from ...engine.graph.inputs import FedInput, FedSample, Resources
from ...engine.graph.limits import Remedies
from ...engine.graph.operator import register
from ...engine.graph.params import ANY, BOOL, INT, NO_EFFECT, param
from ...engine.order.selection import Selection
from ...engine.tensors import TensorListCPU, TensorListGPU
from .device_data import Delivery, deliver, is_on_gpu
from .source_ahead import Begin, SourceAhead, SourceCallee
from .source_calls import Moment, SourceCalls, WrongSource, by_output, note_of
from .source_state import check_state, restore
from .user_data import Column, Expected, as_column, copied, expectations, fed_as
from .user_source import CallableSource, is_generator_function

_OF_SOURCES = {"source", "cycle", "parallel", "prefetch_queue_depth"}
"""Arguments that are for sources alone."""

GivenData = Column | Delivery
"""The samples of one output."""

OutputData = GivenData | TensorListCPU
"""The same, which may be in memory of the batch already."""


class _FetchedBatch(NamedTuple):
    """A batch that the source has given, until the pipeline takes its data.

    Attributes:
        columns: data of each output.
        samples: the samples' numbers.
        errors: errors of the rows that other samples replace.
    """

    columns: list[OutputData]
    samples: Selection
    errors: dict[int, BaseException]


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
    samples of an incomplete batch. A single thread of the program's process uses the source, and
    runs ahead of the consumer.

    With `parallel=True` Python workers use the source: `py_num_workers` processes of the pipeline.
    They share out the samples of a batch, or the batches. So a function must have an argument, and
    its result must depend on the argument alone. It may be called for samples behind the end of an
    epoch, and raises StopIteration for them, too. One worker iterates over an iterable or generator
    function, which must return whole batches. Data must be in host memory. `docs/your_python.md`
    says how the source gets into the workers.

    A function with an argument `rng` gets a `numpy.random.Generator` of its own for each sample (or
    for each batch, if it returns batches). The generator follows from the pipeline's seed, the
    epoch, and the sample's number in the epoch alone.

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

    With `batch=False` a source may use the memory of a sample for the next one: samples in host
    memory are copied, unless `no_copy` is given.

    With `num_outputs` the source returns a tuple of this number of batches (with `batch=False`, of
    arrays), and `external_source` returns a list of nodes.

    >>> from penstock import Pipeline, fn
    >>> with Pipeline(batch_size=2, num_threads=1) as pipe:
    ...     pipe.set_outputs(fn.external_source([[[1, 2], [3]], [[4], [5, 6]]]))
    ...     (result,) = pipe.run()
    ...     print([row.tolist() for row in result.rows()])
    [[1, 2], [3]]
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
        "that the pipeline returns as it came is copied, unless its address is a multiple of 64. "
        "Python workers write into memory of the pipeline anyway.",
    )
    batch_info = param(BOOL, False, "Pass a `BatchInfo` rather than the batch's number.")
    repeat_last = param(
        BOOL, False, "Use the last batch again if no new batch was fed. Not with a source."
    )
    parallel = param(
        BOOL,
        False,
        "Let the pipeline's Python workers use the source: processes, whose number is the "
        "pipeline's argument `py_num_workers`.",
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
    prefetch_queue_depth = param(
        INT,
        None,
        "Number of batches that Python workers prepare ahead. Default: 1. Only with `parallel`.",
        minimum=1,
    )

    def prepare(self) -> None:
        self._by_sample = self.whole_batches is False
        self.waits_for_feed = bool(self.blocking) and self.source is None
        count: int = 1 if self.output_count is None else self.output_count
        self._expected = expectations(self.called, count, self.layout, self.dtype, self.ndim)
        if self.source is not None and self.repeat_last:
            self.refuse(
                "repeat_last is for batches from feed_input, so it does not go with a source"
            )
        self.learns_layouts = any(expected.layout is None for expected in self._expected)
        self._calls: SourceCalls | None = None
        self._ahead: SourceAhead | None = None
        if self.source is not None:
            self._calls = SourceCalls(self.source, self.cycle, **self._call_arguments())
        elif self.cycle is not None:
            self.refuse("cycle needs a source")
        if self.parallel:
            self._check_parallel()
        elif self.prefetch_queue_depth is not None:
            self.refuse("the argument prefetch_queue_depth is valid only with parallel=True")
        self._moment = Moment()  # of the next batch
        self._batch_size = 0
        self._state: dict[str, Any] | None = None
        self._fed: deque[tuple[list[GivenData], Selection | None]] = deque()
        self._last: list[GivenData] | None = None
        self._stage: DeviceAccess | None = None
        self._fetched: dict[int, _FetchedBatch] = {}

    def _call_arguments(self) -> dict[str, Any]:
        return {
            "called": self.called,
            "batch_info": self.batch_info,
            "output_count": self.output_count,
        }

    def _check_parallel(self) -> None:
        """Check that Python workers can use the source."""
        if self._calls is None:
            self.refuse("parallel=True needs a source")
        if self.no_copy is False and "no_copy" in self.given:
            self.refuse("the argument no_copy cannot be specified to False with parallel=True")
        source = self._calls.source
        if isinstance(source, CallableSource) and not source.takes_argument:
            raise WrongSource(
                "Callable passed to External Source in parallel mode (when `parallel=True`) must "
                "accept exactly one argument: `SampleInfo` if run with `batch=False`, or "
                "`BatchInfo` or the number of the batch if `batch=True`. Got a callable that does "
                "not accept arguments instead."
            )
        if not isinstance(source, CallableSource) and self._by_sample:
            kind = "a generator function" if is_generator_function(self.source) else "an iterable"
            raise WrongSource(
                f"Parallel external source with {kind} must be run in a batch mode (specify "
                "`batch=True`, and let the source return whole batches)"
            )

    def python_callee(self) -> SourceCallee | None:
        if not self.parallel:
            return None
        return SourceCallee(
            self.source,
            {"cycle": self.cycle, **self._call_arguments()},
            self._expected,
            self.placement.random_key,
            self._is_stateful,
        )

    @property
    def _is_stateful(self) -> bool:
        return self._calls is not None and not isinstance(self._calls.source, CallableSource)

    def remedies(self) -> Remedies:
        if self.parallel:
            return {"Python workers": ("more Python workers: py_num_workers", "a faster source")}
        return {
            "feeder": (
                "a reader of Penstock's (fn.readers), or a faster source",
                "Python workers: parallel=True, and the pipeline's py_num_workers",
            )
        }

    def constants_without_program(self) -> dict[str, object]:
        """Return the arguments without the source: data are fed in its place."""
        return {k: v for k, v in self.constants().items() if k not in _OF_SOURCES}

    def num_outputs(self) -> int:
        return len(self._expected)

    def output_layouts(self) -> tuple[str, ...]:
        return tuple(expected.layout or "" for expected in self._expected)

    def wrap(self, outputs: tuple[object, ...]) -> object:
        return outputs[0] if self.output_count is None else list(outputs)

    # Calls of the engine

    def open(self, batch_size: int, state: Any) -> None:
        self._batch_size = batch_size
        if self._calls is not None:
            self._calls.key = self.placement.random_key
        if self.parallel and self.placement.python_workers is not None and self._ahead is None:
            self._ahead = SourceAhead(
                self.placement.python_workers,
                self.placement.ordinal,
                self._expected,
                batch_size if self._by_sample else None,
                self._is_stateful,
                self.prefetch_queue_depth or 1,
            )
        if state is not None:
            check_state(state)
            self._moment = Moment(state["epoch"], state["iteration"], state["sample"])
            self._state = state  # the thread that uses the source passes the state on

    def restore(self, number: int, state: Any) -> None:
        self._fetched.clear()
        if state is None:
            self._moment = Moment()
            state = self.snapshot() | {"position": 0}
        self.open(self._batch_size, state)

    def available(self) -> int | None:
        if self._calls is not None or (self.repeat_last and self._last is not None):
            return None
        return len(self._fed)

    def begin(self, resources: Resources) -> None:
        self._stage = None if self.device == "cpu" else resources.device

    def fed_sample(self) -> FedSample | None:
        if self._calls is not None or self.output_count is not None:
            return None
        (expected,) = self._expected
        return FedSample(expected.dtype, expected.ndim, expected.layout)

    def feed(self, data: object, layout: str | None = None, cuda_stream: object = None) -> None:
        """Queue a batch; `Pipeline.feed_input` calls this in any thread."""
        self._queue(data, layout, cuda_stream)

    def feed_samples(self, data: object, samples: Selection | None, *, owned: bool) -> None:
        self._queue(data, samples=samples, owned=owned)

    def _queue(
        self,
        data: object,
        layout: str | None = None,
        cuda_stream: object = None,
        samples: Selection | None = None,
        owned: bool = False,
    ) -> None:
        if self._calls is not None:
            raise ArgumentError("this external source has a source, so feed_input cannot feed it")
        data = by_output(data, self.output_count, self.called)
        pairs = zip(data, self._expected, strict=True)
        expected = [fed_as(values, layout, declared) for values, declared in pairs]
        columns = self._columns(data, expected, cuda_stream)
        self._check_size(columns)
        if not (self.no_copy or owned):
            columns = [_own(column) for column in columns]
        self._last = columns
        self._fed.append((columns, samples))

    def discard(self) -> None:
        self._fed.clear()
        self._fetched.clear()

    def fetch(self, number: int, batch_size: int) -> int:
        columns: Sequence[OutputData]
        samples: Selection | None = None
        errors: dict[int, BaseException] = {}
        if self._calls is None:
            columns, samples = self._next_fed()
        else:
            self._restore()
            try:
                columns, errors = self._poll(self._calls, number, batch_size)
            except StopIteration:
                self._moment = Moment(self._moment.epoch)
                raise
            self._check_size(columns)
        size = len(columns[0])
        epoch, iteration, sample = self._moment
        if samples is None:
            positions = np.arange(sample, sample + size)
            samples = Selection(positions, np.full(size, epoch), positions, np.ones(size, bool))
        self._fetched[number] = _FetchedBatch(list(columns), samples, errors)
        taken = batch_size if self._by_sample else size
        self._moment = Moment(epoch, iteration + 1, sample + taken)
        return size

    def batch_axes(self, number: int) -> tuple[Axes, ...]:
        return tuple(map(_axes_of, self._fetched[number].columns))

    def select(self, number: int, batches: int = 1) -> Selection | None:
        return self._fetched[number].samples

    def batch(self, batch: BatchContext) -> tuple[TensorListCPU, ...]:
        fetched = self._fetched.pop(batch.number)
        for row, error in fetched.errors.items():
            batch.fail_row(row, error)
        return tuple(self._on_host(column, batch) for column in fetched.columns)

    def accept(self, batch: BatchContext) -> None:
        columns, _, errors = self._fetched[batch.number]
        for row, error in errors.items():
            batch.fail_row(row, error)
        for i, column in enumerate(columns):
            if isinstance(column, Delivery):
                batch.count_bytes(device=column.taken_bytes)
            else:
                columns[i] = self._on_host(column, batch)

    def batch_gpu(self, batch: BatchContext) -> tuple[TensorListGPU, ...]:
        columns = self._fetched.pop(batch.number).columns
        return tuple(_on_device(column, batch, copy=self.repeat_last) for column in columns)

    def _on_host(self, column: OutputData, batch: BatchContext) -> TensorListCPU:
        if isinstance(column, TensorListCPU):  # in memory of the pipeline, where workers wrote it
            batch.count_bytes(host=sum(row.nbytes for row in column.rows()))
            return column
        assert isinstance(column, Column)
        if self.no_copy or (self._calls is None and not self.repeat_last):
            return TensorListCPU(column.rows, column.layout)
        return copied(column, batch)  # the array may be used again

    def reset(self) -> None:
        self._moment = Moment(self._moment.epoch + 1)
        if self._ahead is not None:
            self._ahead.reset(self.starts_over())
        elif self._calls is not None:
            self._calls.source.rewind()
        self._fetched.clear()

    def starts_over(self) -> bool:
        return self._calls is not None and self._calls.source.starts_over

    def snapshot(self) -> Any:
        state: dict[str, Any] = self._moment._asdict()
        if self._ahead is not None:
            return state | self._ahead.state
        if self._calls is not None:
            state["position"] = self._calls.source.position()
        if hasattr(self.source, "state_dict"):
            state["source"] = self.source.state_dict()
        return state

    def close(self) -> None:
        self._fed.clear()
        self._fetched.clear()
        self._last = None
        if self._ahead is not None:
            self._ahead.drop()  # it holds memory of batches

    # From the source to a batch

    def _restore(self) -> None:
        state, self._state = self._state, None
        if state is None or self._calls is None:
            return
        if self._ahead is not None:
            self._ahead.drop(Begin(state=state))
        else:
            restore(self._calls.source, self.source, state)

    def _next_fed(self) -> tuple[list[GivenData], Selection | None]:
        if self._fed:
            return self._fed.popleft()
        if self.repeat_last and self._last is not None:
            return self._last, None
        raise ArgumentError("no batch was fed: call feed_input before each run")

    def _poll(
        self, calls: SourceCalls, number: int, batch_size: int
    ) -> tuple[Sequence[OutputData], dict[int, BaseException]]:
        """Return the data of each output, and the errors of samples that others replace."""
        moment = self._moment if self._by_sample else self._moment._replace(sample=0)
        if self._ahead is not None:
            batch = self._ahead.take(moment)
            for row, error in batch.errors.items():
                error.add_note(note_of(row, number))
            return batch.columns, batch.errors
        if not self._by_sample:
            return self._columns(calls.batch(moment), self._expected), {}
        samples, errors = calls.samples(moment, number, batch_size, no_copy=self.no_copy)
        data = list(zip(*samples, strict=True))
        return self._columns(data, self._expected), errors

    def _columns(
        self, data: Sequence[object], expected: Sequence[Expected], cuda_stream: object = None
    ) -> list[GivenData]:
        """Return the data of each output, checked."""
        return [self._column(*both, cuda_stream) for both in zip(data, expected, strict=True)]

    def _column(self, data: object, expected: Expected, cuda_stream: object) -> GivenData:
        if self._stage is None or not is_on_gpu(data):
            return as_column(data, expected)
        stream = self.cuda_stream if cuda_stream is None else cuda_stream
        return deliver(data, expected, self._stage, stream, self.no_copy)

    def _check_size(self, columns: Sequence[OutputData]) -> None:
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


def _axes_of(column: OutputData) -> Axes:
    if isinstance(column, TensorListCPU):
        return Axes(column.layout(), column.ndim)
    return column.axes


def _on_device(column: OutputData, batch: BatchContext, *, copy: bool) -> TensorListGPU:
    if isinstance(column, Delivery):
        data = column.use_in(batch)
        if not copy:
            return data
        return batch.device.copied(data.stored, data.layout())
    assert isinstance(column, TensorListCPU)
    return batch.device.to_device(column)


def _own(column: GivenData) -> GivenData:
    if isinstance(column, Delivery):
        return column  # it is a copy already
    assert isinstance(column, Column)
    rows = column.rows
    rows = [np.array(row) for row in rows] if isinstance(rows, list) else np.array(rows)
    return Column(rows, column.layout)
