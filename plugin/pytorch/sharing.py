"""PyTorch's tensors of a pipeline's memory: views, and copies where there can be no view."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeAlias

import numpy as np
import torch
from torch.utils.dlpack import from_dlpack

from ...engine.arrays import Array
from ...engine.errors import ArgumentError
from ...engine.tensors import Tensor, TensorGPU, TensorList, TensorListGPU
from ...engine.tensors.device_export import stream_handle
from ...engine.tensors.streams import DEFAULT_STREAM

__all__ = ["TorchTensor", "dense", "feed_ndarray", "row", "rows", "sparse"]

TorchTensor: TypeAlias = torch.Tensor

_cuda: Any = torch.cuda


def dense(output: TensorList, count: int) -> TorchTensor:
    """Return the first `count` samples as one tensor."""
    return _shared(output if isinstance(output, TensorListGPU) else output.dense())[:count]


def rows(output: TensorList, count: int) -> list[TorchTensor]:
    """Return a tensor for each of the first `count` samples."""
    return [row(output, i) for i in range(count)]


def row(output: TensorList, i: int) -> TorchTensor:
    """Return sample `i`."""
    return _shared(output.at(i))


def sparse(output: TensorList, count: int) -> TorchTensor:
    """Return all elements of the first `count` samples as one sparse tensor."""
    shapes = output.shape()
    extents = [max(sizes) for sizes in zip(*shapes, strict=True)]
    samples = rows(output, max(1, count))  # one sample tells the dtype if `count` is 0
    values = torch.cat([sample.reshape(-1) for sample in samples])
    return torch.sparse_coo_tensor(
        _indices(shapes[:count], len(extents), values.device),
        values if count else values[:0],
        (count, *extents),
        is_coalesced=True,
        check_invariants=True,
    )


def feed_ndarray(
    dali_tensor: Tensor | TensorList, arr: TorchTensor, cuda_stream: object = None
) -> TorchTensor:
    """Copy a tensor, or a batch of samples of one shape, into a PyTorch tensor.

    Args:
        dali_tensor: the tensor or batch to copy.
        arr: the destination, of the same shape and dtype, on any device.
        cuda_stream: the stream (or its handle) that copies from or to the GPU. The default is
            PyTorch's current stream. The copy is queued there, and `dali_tensor` may be
            dropped at once.

    Returns:
        `arr`.

    Raises:
        ArgumentError: shapes or dtypes differ.
    """
    if isinstance(dali_tensor, TensorList):
        dali_tensor = dali_tensor.as_tensor()
    if not isinstance(arr, torch.Tensor):
        raise ArgumentError(f"arr must be a torch.Tensor, not {type(arr).__name__}")
    with _on(cuda_stream):
        source = _shared(dali_tensor)
        _check_same(source, arr)
        arr.copy_(source)
    return arr


def _check_same(source: TorchTensor, arr: TorchTensor) -> None:
    if source.shape != arr.shape or source.dtype != arr.dtype:
        raise ArgumentError(
            f"cannot copy {source.dtype} of shape {tuple(source.shape)} into {arr.dtype} of "
            f"shape {tuple(arr.shape)}: both must be the same"
        )


def _on(stream: Any) -> AbstractContextManager[object]:
    if stream is None:
        return nullcontext()
    if not isinstance(stream, _cuda.Stream):
        handle = stream_handle(stream)
        stream = _cuda.ExternalStream(handle if handle > DEFAULT_STREAM else 0)
    context: AbstractContextManager[Any] = _cuda.stream(stream)
    return context


def _shared(array: Any) -> TorchTensor:
    """Return a tensor that shares memory; copy read-only data and views with negative strides.

    Memory that a pipeline has pinned is copied, too. `Tensor.to(non_blocking=True)` copies out of
    pinned memory while the program goes on. PyTorch waits for that only if the memory is its own.
    """
    if isinstance(array, TensorGPU | TensorListGPU):
        current = _cuda.current_stream(array.__dlpack_device__()[1])
        array.used_on(current.cuda_stream, lasts=True)  # PyTorch destroys none of its streams
        return from_dlpack(array)
    view: Array = np.asarray(array)
    if not view.flags.writeable or any(stride < 0 for stride in view.strides):
        view = view.copy()
    tensor = torch.from_numpy(view)
    if torch.cuda.is_available() and tensor.is_pinned():
        own = torch.empty_strided(
            tensor.shape, tensor.stride(), dtype=tensor.dtype, pin_memory=True
        )
        return own.copy_(tensor)
    return tensor


def _indices(shapes: Sequence[tuple[int, ...]], ndim: int, device: Any) -> TorchTensor:
    """Return the sample and the index in that sample of each element, (1 + ndim, elements)."""
    extents = torch.tensor(shapes, dtype=torch.int64, device=device).reshape(len(shapes), ndim)
    counts = extents.prod(1)
    sample = torch.repeat_interleave(counts)
    inner = torch.arange(len(sample), device=device) - (counts.cumsum(0) - counts)[sample]
    rows = []
    for extent in extents.T.flip(0):
        rows.append(inner % extent[sample])
        inner = inner // extent[sample]
    return torch.stack([sample, *reversed(rows)])
