"""Batches as PyTorch tensors, without a copy.

    from penstock.plugin.pytorch import DALIGenericIterator, LastBatchPolicy

    train = DALIGenericIterator(pipeline, ["image", "label"], reader_name="Reader")
    for (batch,) in train:
        loss = model(batch["image"], batch["label"])

A tensor shares the memory of the pipeline's output. The pipeline uses this memory again only after
the tensor and all views of the tensor are gone. So a program may keep batches for any time.

Kernels that read a tensor on the GPU may wait in a stream long after Python has dropped the tensor.
Before the memory is used again, the GPU finishes the work that PyTorch's current stream had been
given by then. For work on another stream, let the stream on which the batch was taken wait for the
other stream (`wait_stream`) before the tensor is dropped. `Tensor.record_stream` has no effect,
because PyTorch's allocator does not own this memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, ClassVar, Never, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...engine.errors import ArgumentError, MissingDependencyError, install_hint
from ...engine.tensors import Tensor, TensorGPU, TensorList, TensorListGPU
from ...engine.tensors.device_export import stream_handle
from ...engine.tensors.dtypes import ELEMENT_TYPES, to_numpy_type
from ...engine.tensors.streams import DEFAULT_STREAM
from ..base_iterator import VALID, BaseIterator, LastBatchPolicy, check_uniform
from ..two_outputs import TwoOutputs
from . import fn as fn

try:
    import torch
    from torch.utils.dlpack import from_dlpack
except ImportError as error:
    raise MissingDependencyError(
        f"penstock.plugin.pytorch needs PyTorch ({error}): {install_hint('torch')}",
        name=error.name,
    ) from error

if TYPE_CHECKING:
    from ...engine.run.pipeline import Pipeline

__all__ = [
    "ClassificationIterator",
    "DALIClassificationIterator",
    "DALIGenericIterator",
    "DALIRaggedIterator",
    "GenericIterator",
    "LastBatchPolicy",
    "RaggedIterator",
    "TorchPythonFunction",
    "feed_ndarray",
    "to_torch_type",
]

TorchTensor: TypeAlias = torch.Tensor
T = TypeVar("T")

to_torch_type = {dtype: getattr(torch, to_numpy_type(dtype).name) for dtype in ELEMENT_TYPES}
"""PyTorch's dtype of each `DALIDataType`."""


class TorchPythonFunction:
    """`fn.torch_python_function` as a class, as those of `ops`."""

    def __init__(
        self,
        function: Any,
        num_outputs: int = 1,
        device: str = "cpu",
        batch_processing: bool = False,
        **arguments: Any,
    ) -> None:
        self._arguments = {
            "function": function,
            "num_outputs": num_outputs,
            "device": device,
            "batch_processing": batch_processing,
            **arguments,
        }

    @property
    def device(self) -> str:
        """As given."""
        return str(self._arguments["device"])

    @property
    def preserve(self) -> bool:
        """As given; False by default."""
        return bool(self._arguments.get("preserve", False))

    def __call__(self, *inputs: Any, **arguments: Any) -> Any:
        """Add the operator to the graph being defined and return its output or outputs."""
        return fn.torch_python_function(*inputs, **self._arguments, **arguments)


_cuda: Any = torch.cuda


class _TorchIterator(BaseIterator[T]):
    """Turns outputs into tensors."""

    def _dense(self, name: str, output: TensorList, count: int, *advice: str) -> TorchTensor:
        check_uniform(name, output, *advice)
        return shared_tensor(output if isinstance(output, TensorListGPU) else output.dense())[
            :count
        ]

    def _list(self, output: TensorList, count: int) -> list[TorchTensor]:
        return [shared_tensor(output.at(i)) for i in range(count)]

    def _coo(self, output: TensorList, count: int) -> TorchTensor:
        """Return all elements of the first `count` samples as one sparse tensor."""
        shapes = output.shape()
        extents = [max(sizes) for sizes in zip(*shapes, strict=True)]
        samples = self._list(output, max(1, count))  # one sample tells the dtype if `count` is 0
        values = torch.cat([sample.reshape(-1) for sample in samples])
        return torch.sparse_coo_tensor(
            _indices(shapes[:count], len(extents), values.device),
            values if count else values[:0],
            (count, *extents),
            is_coalesced=True,
            check_invariants=True,
        )


class GenericIterator(_TorchIterator[TorchTensor]):
    """Yields each output of a pipeline as one tensor of shape (batch, *sample).

    All samples of a batch must have the same shape. For other batches use `RaggedIterator`.

    Args:
        {arguments}
    """

    def convert(self, name: str, output: TensorList, count: int) -> TorchTensor:
        """Return one tensor of shape (count, *sample), which shares the output's memory."""
        return self._dense(name, output, count)


class ClassificationIterator(TwoOutputs[TorchTensor], GenericIterator):
    """`GenericIterator` for pipelines with two outputs, which it names "data" and "label".

    Args:
        {arguments}
    """


class RaggedIterator(_TorchIterator[Any]):
    """Yields outputs whose samples differ in shape.

    Args:
        {arguments}
        output_types: a tag for each output; the default is `DENSE_TAG` for every output:

            * `DENSE_TAG`: one tensor of shape (batch, *sample), as from `GenericIterator`.
            * `SPARSE_LIST_TAG`: a list with one tensor for each sample, without a copy.
            * `SPARSE_COO_TAG`: one coalesced sparse tensor of shape (batch, *largest extents)
              which holds a copy of all elements of all samples, zeros included.
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
        last_batch_policy: LastBatchPolicy | str = LastBatchPolicy.FILL,
        prepare_first_batch: bool = True,
        with_valid: bool = False,
        **unknown: Never,
    ) -> None:
        super().__init__(
            pipelines,
            output_map,
            size,
            reader_name,
            auto_reset,
            fill_last_batch,
            dynamic_shape,
            last_batch_padded,
            last_batch_policy,
            prepare_first_batch,
            with_valid,
            **unknown,
        )
        tags = [self.DENSE_TAG] * len(self.output_map) if output_types is None else output_types
        known = (self.DENSE_TAG, self.SPARSE_LIST_TAG, self.SPARSE_COO_TAG)
        if len(tags) != len(self.output_map) or any(tag not in known for tag in tags):
            raise ArgumentError(
                f"output_types must give one of {', '.join(known)} for each of the outputs "
                f"{self.output_map}, not {output_types!r}"
            )
        self._tags = {VALID: self.DENSE_TAG, **dict(zip(self.output_map, tags, strict=True))}

    def convert(self, name: str, output: TensorList, count: int) -> TorchTensor | list[TorchTensor]:
        """Return one tensor or a list of tensors, as the output's tag says."""
        tag = self._tags[name]
        if tag == self.DENSE_TAG:
            return self._dense(name, output, count, self._list_advice(name))
        if tag == self.SPARSE_LIST_TAG:
            return self._list(output, count)
        return self._coo(output, count)

    def _list_advice(self, name: str) -> str:
        tags = [
            f"RaggedIterator.{'SPARSE_LIST' if each == name else tag.upper()}_TAG"
            for each, tag in self._tags.items()
            if each in self.output_map
        ]
        return f"get this output as a list: output_types=[{', '.join(tags)}]"


DALIGenericIterator = GenericIterator
DALIClassificationIterator = ClassificationIterator
DALIRaggedIterator = RaggedIterator


def feed_ndarray(
    dali_tensor: Tensor | TensorList, arr: TorchTensor, cuda_stream: Any = None
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
        source = shared_tensor(dali_tensor)
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


def shared_tensor(array: Any) -> TorchTensor:
    """Return a tensor that shares memory; copy read-only data and views with negative strides."""
    if isinstance(array, TensorGPU | TensorListGPU):
        current = _cuda.current_stream(array.__dlpack_device__()[1])
        array.used_on(current.cuda_stream, lasts=True)  # PyTorch destroys none of its streams
        return from_dlpack(array)
    view: NDArray[Any] = np.asarray(array)
    if not view.flags.writeable or any(stride < 0 for stride in view.strides):
        view = view.copy()
    return torch.from_numpy(view)


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
