"""`ExternalSource`: data of a function or an iterable, as tensors and batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ...engine.errors import ArgumentError
from ...engine.graph.functions import apply
from ...engine.pipeline.pipeline import Pipeline
from ...engine.tensors import TensorList
from ...operators.user_code.external_source import ExternalSource as EngineSource
from ...operators.user_code.user_source import make_source
from .batch import Batch
from .contexts import EvalContext
from .devices import device as as_device
from .generators import generator
from .recording import Recording
from .tensor import Tensor


class ExternalSource:
    """Takes data from a function or an iterable, item by item.

    A call returns the next item: a batch if the item is a `Batch` or a batch of a pipeline, else a
    tensor. With `num_outputs`, an item is a list or a tuple of so many.

    Args:
        source: a function without arguments, an iterable, or a generator function.
        num_outputs: number of outputs.
        cycle: what happens at the end of an iterable: "no" or False raises StopIteration; "quiet"
            or True starts over; "raise" raises StopIteration, and starts over at the next call.
        device: where the outputs are.
        layout: of the outputs; one for all, or one each.
        dtype: of the outputs; one for all, or one each.

    >>> from penstock.experimental import dynamic as ndd
    >>> numbers = ndd.ExternalSource([[1, 2], [3, 4]], dtype=ndd.float32)
    >>> numbers().shape, numbers(batch_size=3).shape
    ((2,), [(2,), (2,), (2,)])
    """

    def __init__(
        self,
        source: Callable[[], Any] | Iterable[Any],
        num_outputs: int = 1,
        *,
        cycle: str | bool | None = None,
        device: Any = "cpu",
        layout: str | Sequence[str] | None = None,
        dtype: Any = None,
    ) -> None:
        if num_outputs < 1:
            raise ValueError("num_outputs must be strictly positive")
        self._source = make_source(source, cycle)
        if self._source.takes_argument:
            raise ArgumentError("ndd.ExternalSource only supports callables with no parameters")
        self._count = num_outputs
        self._device = device
        self._layouts = self._each("layout", layout)
        self._dtypes = self._each("dtype", dtype)

    def _each(self, name: str, value: object) -> list[Any]:
        if not isinstance(value, list | tuple):
            return [value] * self._count
        if len(value) != self._count:
            raise ValueError(f"{name} has {len(value)} values for {self._count} outputs")
        return [*value]

    def __call__(self, *, batch_size: int | None = None) -> Any:
        """Return the next item: a tensor, a batch, or a tuple of `num_outputs` of them.

        Args:
            batch_size: number of samples that a batch must have, and of copies of a tensor.

        Raises:
            StopIteration: the source has ended.
        """
        item = self._source.next()
        if self._count == 1:
            return self._output(0, item, batch_size)
        if not isinstance(item, list | tuple) or len(item) != self._count:
            raise ValueError(f"the source must give {self._count} outputs, but gave {item!r}")
        outputs = tuple(self._output(i, data, batch_size) for i, data in enumerate(item))
        if len({type(output) for output in outputs}) > 1:
            raise TypeError("the outputs of a source must be all tensors, or all batches")
        return outputs

    def captured(self, batch_size: int, ctx: EvalContext | None = None) -> Iterator[Any]:
        """Return an iterator over the items of a loop that runs as a pipeline: see `ndd.capture`.

        Items are taken ahead of the loop. A loop that is broken off loses some.

        Args:
            batch_size: number of samples of each item.
            ctx: gives the number of threads; by default the current context.
        """
        recording, pipeline = Recording(batch_size), None
        context = EvalContext.current() if ctx is None else ctx
        while True:
            try:
                outputs = self._batches(batch_size) if pipeline is None else pipeline.run()
            except StopIteration:
                return
            values = recording.begin(outputs)
            with recording.body():
                yield values[0] if self._count == 1 else values
            if pipeline is None:
                pipeline = Pipeline(
                    batch_size=batch_size,
                    num_threads=context.num_threads,
                    device_id=context.device_id,
                    seed=generator(None).position(),
                )
                pipeline.define(recording.define, lambda: self._define(batch_size))

    def _batches(self, batch_size: int) -> tuple[TensorList, ...]:
        item = self(batch_size=batch_size)
        return tuple(output.samples for output in (item if self._count > 1 else (item,)))

    def _define(self, batch_size: int) -> tuple[object, ...]:
        """Add the source to the graph of a pipeline, and return its outputs."""
        arguments = {
            "source": lambda: [batch.as_cpu() for batch in self._batches(batch_size)],
            "num_outputs": self._count,
        }
        place = as_device(self._device)
        nodes = apply(EngineSource, (), arguments, None)
        return tuple(
            node.gpu() if place is not None and place.device_type == "gpu" else node
            for node in nodes
        )

    def _output(self, number: int, data: Any, batch_size: int | None) -> Any:
        dtype, layout = self._dtypes[number], self._layouts[number]
        if isinstance(data, Batch | TensorList):
            batch = Batch(data, dtype, self._device, layout)
            if batch_size not in (None, batch.batch_size):
                raise ValueError(
                    f"the source gave a batch of {batch.batch_size} samples, not of {batch_size}"
                )
            return batch
        tensor = Tensor(data, dtype, self._device, layout)
        return tensor if batch_size is None else Batch.broadcast(tensor, batch_size)
