"""Batches as PyTorch tensors, without a copy.

    from penstock.plugin.pytorch import DALIGenericIterator, LastBatchPolicy

    train = DALIGenericIterator(pipeline, ["image", "label"], reader_name="Reader")
    for (batch,) in train:
        loss = model(batch["image"], batch["label"])

A tensor on the CPU shares the memory of the pipeline's output. That memory is used again only
after the tensor and all views of it are gone, so batches may be kept for as long as one likes.

So does a tensor on the GPU. Kernels that read it may wait in a stream long after Python has dropped
it; what PyTorch's current stream had been given by then is waited for before the memory is used
again. For work on a further stream the usual rule holds: let the stream on which the batch was
taken wait for it (`wait_stream`) before the tensor is dropped. (`Tensor.record_stream` speaks to
PyTorch's allocator, which knows nothing of this memory.)
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..engine.device_export import DEFAULT_STREAM, stream_handle
from ..engine.errors import ArgumentError, MissingDependencyError
from ..engine.tensors import Tensor, TensorGPU, TensorList, TensorListGPU
from ..engine.types import DALIDataType, to_numpy_type
from .base_iterator import BaseIterator, LastBatchPolicy, check_uniform

try:
    import torch
    from torch.utils.dlpack import from_dlpack
except ImportError as error:
    raise MissingDependencyError(
        f"penstock.plugin.pytorch needs PyTorch ({error}); pip install 'penstock[torch]'",
        name=error.name,
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
    """Turns outputs into tensors."""

    def _dense(self, name: str, output: TensorList, rows: int) -> TorchTensor:
        check_uniform(name, output)
        return _shared(output if isinstance(output, TensorListGPU) else output.dense())[:rows]

    def _list(self, output: TensorList, rows: int) -> list[TorchTensor]:
        return [_shared(output.at(i)) for i in range(rows)]

    def _coo(self, output: TensorList, rows: int) -> TorchTensor:
        """Return all elements of the first `rows` samples as one sparse tensor."""
        shapes = output.shape()
        extents = [max(sizes) for sizes in zip(*shapes, strict=True)]
        parts = self._list(output, max(1, rows))  # of no samples the element type is not known
        values = torch.cat([part.reshape(-1) for part in parts])
        return torch.sparse_coo_tensor(
            _indices(shapes[:rows], len(extents), values.device),
            values if rows else values[:0],
            (rows, *extents),
            is_coalesced=True,
            check_invariants=True,
        )


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
            default PyTorch's current one. The copy is queued there, and `dali_tensor` may be
            dropped at once.

    Returns:
        `arr`.

    Raises:
        ArgumentError: shapes or element types differ.
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


def _on(stream: Any) -> AbstractContextManager[Any]:
    if stream is None:
        return nullcontext()
    if not isinstance(stream, _cuda.Stream):
        handle = stream_handle(stream)
        stream = _cuda.ExternalStream(handle if handle > DEFAULT_STREAM else 0)
    context: AbstractContextManager[Any] = _cuda.stream(stream)
    return context


def _shared(array: Any) -> TorchTensor:
    """Share memory; copy what PyTorch cannot represent: read-only data and mirrored views."""
    if isinstance(array, TensorGPU | TensorListGPU):
        current = _cuda.current_stream(array.__dlpack_device__()[1])
        array.used_on(current.cuda_stream, lasts=True)  # PyTorch destroys none of its streams
        return from_dlpack(array)
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
