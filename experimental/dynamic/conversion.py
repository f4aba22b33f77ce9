"""`tensor`, `as_tensor`, `batch` and `as_batch`: data of programs as tensors and batches."""

from __future__ import annotations

from typing import Any

from .batch import Batch, stacked
from .element_types import DType
from .tensor import Tensor


def tensor(
    data: Any, dtype: Any = None, device: Any = None, layout: str | None = None, pad: bool = False
) -> Tensor:
    """Return a copy of data as a tensor.

    Args:
        data: what `Tensor` takes; or a `Batch`, whose samples become the first axis.
        dtype: type of the elements; by default that of the data.
        device: where the tensor should be; by default where the data are.
        layout: meaning of the dimensions, one letter each; by default that of the data.
        pad: fill the samples of a batch up with zeros, to one shape.
    """
    given = stacked(data, pad) if isinstance(data, Batch) else data
    return Tensor(given, dtype, device, layout, copy=True)


def as_tensor(
    data: object,
    dtype: object = None,
    device: object = None,
    layout: str | None = None,
    pad: bool = False,
) -> Tensor:
    """Return data as a tensor, which shares the data's memory if nothing has to be converted.

    The arguments are those of `tensor`.
    """
    given = stacked(data, pad) if isinstance(data, Batch) else data
    return Tensor(given, dtype, device, layout)


def batch(tensors: Any, dtype: Any = None, device: Any = None, layout: str | None = None) -> Batch:
    """Return a copy of data as a batch.

    Args:
        tensors: what `Batch` takes: a list of samples, or an array of all samples.
        dtype: type of the elements; by default that of the first sample.
        device: where the batch should be; by default where the first sample is.
        layout: meaning of a sample's dimensions, one letter each; by default the first sample's.
    """
    return Batch(tensors, dtype, device, layout, copy=True)


def as_batch(
    tensors: object, dtype: object = None, device: object = None, layout: str | None = None
) -> Batch:
    """Return data as a batch, which shares the data's memory if nothing has to be converted.

    The arguments are those of `batch`.
    """
    if isinstance(tensors, Batch) and dtype is device is layout is None:
        return tensors
    return Batch(tensors, dtype, device, layout)


DType.make_tensor = staticmethod(tensor)
