"""`ExternalSource`: data of a function or an iterable, as tensors and batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ...engine.errors import ArgumentError
from ...engine.tensors import TensorList
from ...operators.user_code.user_source import make_source
from .batch import Batch
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

    def _each(self, name: str, value: Any) -> list[Any]:
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
        outputs = tuple(self._output(i, each, batch_size) for i, each in enumerate(item))
        if len({type(each) for each in outputs}) > 1:
            raise TypeError("the outputs of a source must be all tensors, or all batches")
        return outputs

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
