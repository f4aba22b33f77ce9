"""Batches as PyTorch tensors, without a copy.

    from penstock.plugin.pytorch import DALIGenericIterator, LastBatchPolicy

    train = DALIGenericIterator(pipeline, ["image", "label"], reader_name="Reader")
    for (batch,) in train:
        loss = model(batch["image"], batch["label"])

A tensor on the CPU shares the memory of the pipeline's output. That memory is used again only
after the tensor and all views of it are gone, so batches may be kept for as long as one likes.

On the GPU "gone" says too little: kernels that read a tensor may wait in a stream long after
Python has dropped it, and only PyTorch's own allocator knows of that. So a batch on the GPU is
copied, within the device and on PyTorch's current stream, into memory of PyTorch.
"""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..engine.errors import ArgumentError, MissingDependencyError
from ..engine.tensors import Tensor, TensorGPU, TensorList, TensorListGPU
from ..engine.types import DALIDataType, to_numpy_type
from .base_iterator import BaseIterator, LastBatchPolicy, check_uniform

try:
    import torch
    from torch.utils.dlpack import from_dlpack
except ImportError as error:
    raise MissingDependencyError(
        f"penstock.plugin.pytorch needs PyTorch ({error}); pip install 'penstock[torch]'"
    ) from error

if TYPE_CHECKING:
    from ..engine.pipeline import Pipeline

__all__ = [
    "ClassificationIterator",
    "DALIClassificationIterator",
    "DALIGenericIterator",
    "DALIRaggedIterator",
    "GenericIterator",
    "LastBatchPolicy",
    "RaggedIterator",
    "feed_ndarray",
    "to_torch_type",
]

TorchTensor: TypeAlias = Any
"""A `torch.Tensor`; PyTorch is optional, for the type checker too."""

to_torch_type = {
    kind: getattr(torch, to_numpy_type(kind).name)
    for kind in DALIDataType
    if kind != DALIDataType.NO_TYPE
}
"""PyTorch's element type of each `DALIDataType`."""

_cuda: Any = torch.cuda


class _TorchIterator(BaseIterator[TorchTensor]):
    """Turns outputs into tensors, and keeps those on the GPU until they are copied."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._copying: deque[tuple[Any, TensorList]] = deque()
        self._finish = weakref.finalize(self, _wait_for, self._copying)
        self._finish.atexit = False  # the interpreter's end frees nothing that could be reused

    def close(self) -> None:
        """Close the pipelines: their threads end, their files and memory are freed."""
        self._finish()
        super().close()

    def _dense(self, name: str, output: TensorList, rows: int) -> TorchTensor:
        check_uniform(name, output)
        if not isinstance(output, TensorListGPU):
            return _from_numpy(output.dense())[:rows]
        copy = from_dlpack(output)[:rows].clone()
        self._keep_while_copying(output, copy.device)
        return copy

    def _list(self, output: TensorList, rows: int) -> list[TorchTensor]:
        if not isinstance(output, TensorListGPU):
            return [_from_numpy(output.row(i)) for i in range(rows)]
        values, shapes = self._flat(output, rows), output.shape()[:rows]
        parts = values.split([prod(shape) for shape in shapes])
        return [part.view(shape) for part, shape in zip(parts, shapes, strict=True)]

    def _coo(self, output: TensorList, rows: int) -> TorchTensor:
        """Return all elements of the first `rows` samples as one sparse tensor."""
        values, shapes = self._flat(output, rows), output.shape()
        extents = [max(sizes) for sizes in zip(*shapes, strict=True)]
        return torch.sparse_coo_tensor(
            _indices(shapes[:rows], len(extents), values.device),
            values,
            (rows, *extents),
            is_coalesced=True,
            check_invariants=True,
        )

    def _flat(self, output: TensorList, rows: int) -> TorchTensor:
        """Return the elements of the first `rows` samples, copied into one dimension."""
        samples = range(max(1, rows))  # of no samples at all the element type is not known
        if isinstance(output, TensorListGPU):
            values = torch.cat([from_dlpack(output[i]).reshape(-1) for i in samples])
            self._keep_while_copying(output, values.device)
        else:
            values = torch.from_numpy(np.concatenate([output.row(i) for i in samples], axis=None))
        return values if rows else values[:0]

    def _keep_while_copying(self, output: TensorList, device: Any) -> None:
        """Hold on to `output` until what PyTorch's current stream has been given is done."""
        while self._copying and self._copying[0][0].query():
            self._copying.popleft()
        event = _cuda.Event()
        event.record(_cuda.current_stream(device))
        self._copying.append((event, output))


def _wait_for(copying: deque[tuple[Any, TensorList]]) -> None:
    while copying:
        copying[0][0].synchronize()
        copying.popleft()


class GenericIterator(_TorchIterator):
    """Yields each output of a pipeline as one tensor of shape (batch, *sample).

    All samples of a batch must have the same shape; see `RaggedIterator` if they do not.

    Args:
        dynamic_shape: without effect: shapes may change from batch to batch in any case.

    The other arguments are those of `penstock.plugin.base_iterator.BaseIterator`.
    """

    def __init__(
        self,
        pipelines: Sequence[Pipeline] | Pipeline,
        output_map: Sequence[str],
        size: int = -1,
        reader_name: str | None = None,
        auto_reset: str | bool | None = False,
        fill_last_batch: bool | None = None,
        dynamic_shape: bool | None = False,
        last_batch_padded: bool = False,
        last_batch_policy: LastBatchPolicy = LastBatchPolicy.FILL,
        prepare_first_batch: bool = True,
    ) -> None:
        super().__init__(
            pipelines,
            output_map,
            size,
            reader_name,
            auto_reset,
            fill_last_batch,
            last_batch_padded,
            last_batch_policy,
            prepare_first_batch,
        )

    def _convert(self, name: str, output: TensorList, rows: int) -> TorchTensor:
        return self._dense(name, output, rows)


class ClassificationIterator(GenericIterator):
    """`GenericIterator` for pipelines with two outputs, which it names "data" and "label"."""

    def __init__(
        self,
        pipelines: Sequence[Pipeline] | Pipeline,
        size: int = -1,
        reader_name: str | None = None,
        auto_reset: str | bool | None = False,
        fill_last_batch: bool | None = None,
        dynamic_shape: bool | None = False,
        last_batch_padded: bool = False,
        last_batch_policy: LastBatchPolicy = LastBatchPolicy.FILL,
        prepare_first_batch: bool = True,
    ) -> None:
        super().__init__(
            pipelines,
            ["data", "label"],
            size,
            reader_name,
            auto_reset,
            fill_last_batch,
            dynamic_shape,
            last_batch_padded,
            last_batch_policy,
            prepare_first_batch,
        )


class RaggedIterator(_TorchIterator):
    """Yields outputs whose samples differ in shape.

    Args:
        output_types: a tag for each output, by default `DENSE_TAG` for all of them:

            * `DENSE_TAG`: one tensor of shape (batch, *sample), as from `GenericIterator`.
            * `SPARSE_LIST_TAG`: a list of tensors, one a sample, without a copy.
            * `SPARSE_COO_TAG`: one coalesced sparse tensor of shape (batch, *largest extents)
              which holds all elements of all samples, zeros included. Its values are a copy.
        dynamic_shape: without effect.

    The other arguments are those of `penstock.plugin.base_iterator.BaseIterator`.
    """

    DENSE_TAG: ClassVar[str] = "dense"
    SPARSE_LIST_TAG: ClassVar[str] = "sparse_list"
    SPARSE_COO_TAG: ClassVar[str] = "sparse_coo"

    def __init__(
        self,
        pipelines: Sequence[Pipeline] | Pipeline,
        output_map: Sequence[str],
        size: int = -1,
        reader_name: str | None = None,
        output_types: Sequence[str] | None = None,
        auto_reset: str | bool | None = False,
        fill_last_batch: bool | None = None,
        dynamic_shape: bool | None = False,
        last_batch_padded: bool = False,
        last_batch_policy: LastBatchPolicy = LastBatchPolicy.FILL,
        prepare_first_batch: bool = True,
    ) -> None:
        super().__init__(
            pipelines,
            output_map,
            size,
            reader_name,
            auto_reset,
            fill_last_batch,
            last_batch_padded,
            last_batch_policy,
            prepare_first_batch,
        )
        tags = [self.DENSE_TAG] * len(self.output_map) if output_types is None else output_types
        known = (self.DENSE_TAG, self.SPARSE_LIST_TAG, self.SPARSE_COO_TAG)
        if len(tags) != len(self.output_map) or any(tag not in known for tag in tags):
            raise ArgumentError(
                f"output_types must give one of {', '.join(known)} for each of the outputs "
                f"{self.output_map}, not {output_types!r}"
            )
        self._tags = dict(zip(self.output_map, tags, strict=True))

    def _convert(self, name: str, output: TensorList, rows: int) -> TorchTensor:
        tag = self._tags[name]
        if tag == self.DENSE_TAG:
            return self._dense(name, output, rows)
        if tag == self.SPARSE_LIST_TAG:
            return self._list(output, rows)
        return self._coo(output, rows)


DALIGenericIterator = GenericIterator
DALIClassificationIterator = ClassificationIterator
DALIRaggedIterator = RaggedIterator


def feed_ndarray(
    dali_tensor: Tensor | TensorList, arr: TorchTensor, cuda_stream: Any = None
) -> TorchTensor:
    """Copy a tensor, or a batch of samples of one shape, into a PyTorch tensor.

    Args:
        dali_tensor: what to copy.
        arr: where to; of the same shape and element type, on any device.
        cuda_stream: the stream (or its handle) on which to copy from or to the GPU; by
            default PyTorch's current one.

    Returns:
        `arr`.

    Raises:
        ArgumentError: shapes or element types differ.
    """
    if isinstance(dali_tensor, TensorList):
        dali_tensor = dali_tensor.as_tensor()
    if not isinstance(arr, torch.Tensor):
        raise ArgumentError(f"arr must be a torch.Tensor, not {type(arr).__name__}")
    on_gpu = isinstance(dali_tensor, TensorGPU)
    with _on(cuda_stream):
        source = from_dlpack(dali_tensor) if on_gpu else _from_numpy(dali_tensor)
        _check_same(source, arr)
        arr.copy_(source)
        if on_gpu:  # the caller may drop it at once
            _cuda.current_stream(source.device).synchronize()
    return arr


def _check_same(source: TorchTensor, arr: TorchTensor) -> None:
    if source.shape != arr.shape or source.dtype != arr.dtype:
        raise ArgumentError(
            f"cannot copy {source.dtype} of shape {tuple(source.shape)} into {arr.dtype} of "
            f"shape {tuple(arr.shape)}: both must be the same"
        )


def _on(stream: Any) -> AbstractContextManager[Any]:
    if stream is None:
        return nullcontext()
    if not isinstance(stream, _cuda.Stream):
        stream = _cuda.ExternalStream(int(getattr(stream, "ptr", stream)))
    context: AbstractContextManager[Any] = _cuda.stream(stream)
    return context


def _from_numpy(array: Any) -> TorchTensor:
    """Share memory; copy what PyTorch cannot represent: read-only data and mirrored views."""
    view: NDArray[Any] = np.asarray(array)
    if not view.flags.writeable or any(stride < 0 for stride in view.strides):
        view = view.copy()
    return torch.from_numpy(view)


def _indices(shapes: Sequence[tuple[int, ...]], ndim: int, device: Any) -> TorchTensor:
    """Return the place of each element, (1 + ndim, elements): its sample, and its index in it."""
    extents = torch.tensor(shapes, dtype=torch.int64, device=device).reshape(len(shapes), ndim)
    counts = extents.prod(1)
    sample = torch.repeat_interleave(counts)
    inner = torch.arange(len(sample), device=device) - (counts.cumsum(0) - counts)[sample]
    rows = []
    for extent in extents.T.flip(0):
        rows.append(inner % extent[sample])
        inner = inner // extent[sample]
    return torch.stack([sample, *reversed(rows)])
