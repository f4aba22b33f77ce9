"""`Batch`: several samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...engine.errors import ArgumentError
from ...engine.tensors import TensorList, TensorListCPU, TensorListGPU
from .calls import call
from .element_types import dtype as as_dtype
from .element_types import stored_type
from .invocations import copied, repeated, settled
from .operands import Operand
from .samples import checked, is_array, shown
from .tensor import Tensor, converted
from .values import Value


class Batch(Operand):
    """Samples of one dtype, layout and number of dimensions, whose shapes may differ.

    `ndd.batch` copies data, `ndd.as_batch` shares memory with data where possible.

    Args:
        tensors: a list of what `Tensor` takes; an array, whose first axis runs over the samples; a
            batch of a pipeline (`TensorListCPU`, `TensorListGPU`); or a `Batch`.
        dtype: type of the elements; by default that of the first sample. A batch without samples
            needs it.
        device: where the batch should be; by default where the first sample is.
        layout: meaning of a sample's dimensions, one letter each; by default the first sample's.
        copy: whether to copy data that could be shared.

    >>> import numpy as np
    >>> from penstock.experimental import dynamic as ndd
    >>> images = ndd.batch([np.zeros((4, 6, 3), np.uint8), np.zeros((5, 3, 3), np.uint8)])
    >>> ndd.resize(images, size=[2, 2]).shape
    [(2, 2, 3), (2, 2, 3)]
    """

    is_batch = True

    def __init__(
        self,
        tensors: Any = None,
        dtype: Any = None,
        device: Any = None,
        layout: str | None = None,
        copy: bool = False,
    ) -> None:
        if tensors is None:
            raise ValueError("a batch needs samples: a list of tensors, or an array")
        if isinstance(tensors, Batch | SampleList):
            samples = tensors.samples
        elif isinstance(tensors, TensorList):
            samples = tensors
        elif is_array(tensors):
            samples = _slices_of(tensors)
        else:
            samples = _joined([*tensors], dtype, device, layout)
        if layout is not None and layout != samples.layout():
            for row in samples.rows()[:1]:
                checked(layout, row)
            samples = samples.with_layout(layout)
        value = converted(Batch.of(samples), dtype if len(samples) else None, device)
        if copy and value.samples is samples:
            value = Batch.of(copied(value))
        vars(self).update(vars(value))
        if not len(samples) and dtype is not None:
            self._dtype = as_dtype(dtype)

    @staticmethod
    def broadcast(
        sample: object, batch_size: int, device: object = None, dtype: object = None
    ) -> Batch:
        """Return a batch that has one sample so many times.

        Args:
            sample: what `Tensor` takes.
            batch_size: number of samples.
            device: where the batch should be.
            dtype: type of the elements.
        """
        if isinstance(sample, Batch):
            raise ValueError("Cannot broadcast a Batch")
        one = Tensor(sample, dtype=dtype, device=device).samples
        return Batch.of(repeated(one, batch_size))

    @property
    def batch_size(self) -> int:
        """Number of samples."""
        return self.count

    @property
    def shape(self) -> list[tuple[int, ...]]:
        """Shape of each sample."""
        return self.samples.shape()

    @property
    def tensors(self) -> SampleList:
        """The samples, each a `Tensor`: `batch.tensors[0]`, `batch.tensors[1:3]`."""
        return SampleList(self, range(self.batch_size))

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self.tensors)

    def select(self, sample_range: object) -> Any:
        """Return some samples: a `Tensor` for a number, a `Batch` for a slice or a list."""
        if sample_range is Ellipsis:
            return self
        selected = self.tensors[sample_range]
        return selected if isinstance(selected, Tensor) else selected.as_batch()

    @property
    def slice(self) -> BatchedSlice:
        """Slices of each sample: `batch.slice[1:3, 0]`; a batch in the key is taken by sample."""
        return BatchedSlice(self)

    def torch(self, copy: bool | None = None, pad: bool = False) -> Any:
        """Return a tensor of PyTorch, whose first axis runs over the samples.

        Args:
            copy: True copies in any case; False refuses to; None copies if need be.
            pad: fill samples of different shapes up with zeros.

        Raises:
            ValueError: the shapes differ, and `pad` is False; or `copy` is False, and a copy is
                needed.
        """
        if copy is False and not self.samples.is_dense_tensor():
            raise ValueError("This batch cannot be converted to a tensor without a copy.")
        return stacked(self, pad).torch(bool(copy))

    def __repr__(self) -> str:
        sizes = {"num_samples": self.batch_size, "shape": self.shape}
        return shown("Batch", self.samples, {**self._facts(), **sizes})


Value.batch_class = Batch


class SampleList:
    """Some samples of a batch, each a `Tensor`.

    Args:
        numbers: of the samples.
    """

    def __init__(self, batch: Batch, numbers: Sequence[int]) -> None:
        self._batch = batch
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, selection: object) -> Any:
        if isinstance(selection, slice):
            return SampleList(self._batch, self._numbers[selection])
        if isinstance(selection, list):
            return SampleList(self._batch, [self._number(i) for i in selection])
        return Tensor(batch=self._batch, index_in_batch=self._number(selection))

    def _number(self, index: Any) -> int:
        try:
            return int(self._numbers[index])
        except (IndexError, TypeError) as error:
            raise type(error)(f"there is no sample {index!r} among {len(self)} samples") from None

    def __iter__(self) -> Iterator[Tensor]:
        return (self[i] for i in range(len(self)))

    def tolist(self) -> list[Tensor]:
        """Return the samples as a list."""
        return list(self)

    @property
    def samples(self) -> TensorList:
        """The samples as the engine has them."""
        whole, numbers = self._batch.samples, self._numbers
        if isinstance(numbers, range) and numbers.step == 1:
            return whole.part(numbers)
        return _list_of([whole.row(i) for i in numbers], whole)

    def as_batch(self, copy: bool = False) -> Batch:
        """Return a batch of these samples.

        Args:
            copy: whether to copy the samples.
        """
        return Batch(self, copy=copy)


class BatchedSlice:
    """What `batch.slice` returns: `batch.slice[key]` takes a part of each sample."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch

    def __getitem__(self, key: object) -> Any:
        return self._batch.subscript(key)


def stacked(batch: Batch, pad: bool) -> Tensor:
    """Return a batch as one tensor, whose first axis runs over the samples.

    Raises:
        ArgumentError: the shapes differ, and `pad` is False.
    """
    samples = batch.samples
    if len(samples) and not samples.is_dense_tensor():
        if not pad:
            raise ArgumentError(
                "The batch has a non-uniform shape: the samples have the shapes "
                f"{sorted(set(batch.shape))[:4]}. With pad=True, zeros fill them up"
            )
        samples = call("pad", batch).samples
    layout = f"N{samples.layout()}" if samples.layout() else ""
    if not len(samples):
        return Tensor(np.zeros((0,), stored_type(batch.dtype)))
    whole = _list_of(samples.dense()[None], samples)
    return Tensor.of(settled(whole.with_layout(layout)))


def _list_of(rows: object, like: TensorList) -> TensorList:
    """Return rows, an array or a list of arrays, that lie in the memory of a batch."""
    if isinstance(like, TensorListGPU):
        return like.with_rows(rows, like.layout())
    return TensorListCPU(rows, like.layout())


def _slices_of(array: object) -> TensorList:
    """Return the samples of an array, whose first axis runs over them."""
    whole = Tensor(array)
    if whole.ndim == 0:
        raise ValueError("Cannot create a batch from a scalar")
    samples = whole.samples
    layout = samples.layout()[1:]
    rows = samples.row(0)
    if isinstance(samples, TensorListGPU):
        return samples.with_rows(rows, layout)
    return TensorListCPU(rows, layout)


def _joined(rows: list[object], dtype: object, device: object, layout: str | None) -> TensorList:
    """Return the samples of a list; the first one decides dtype, device and layout."""
    if not rows:
        if dtype is None:
            raise ValueError("Element type must be specified if the list is empty")
        return TensorListCPU(np.empty((0,), stored_type(dtype)), layout or "")
    tensors: list[Tensor] = []
    for i, row in enumerate(rows):
        if row is None or isinstance(row, Batch):
            raise TypeError(f"sample {i} must be an array, a tensor or a number, but is {row!r}")
        tensors.append(Tensor(row, dtype=dtype, layout=layout))
        first: Tensor = tensors[0]
        dtype = first.dtype if dtype is None else dtype
        layout = first.layout if layout is None else layout
    if len({tensor.ndim for tensor in tensors}) > 1:
        raise ArgumentError(
            "the samples of a batch have one number of dimensions, but these have the shapes "
            f"{[tensor.shape for tensor in tensors[:4]]}"
        )
    if len({tensor.device for tensor in tensors}) > 1:
        tensors = [tensor.to_device(device or tensors[0].device) for tensor in tensors]
    if len(tensors) == 1:
        return tensors[0].samples
    return _list_of([tensor.samples.row(0) for tensor in tensors], tensors[0].samples)
