"""Batches as Paddle tensors, without a copy.

    from penstock.plugin.paddle import DALIGenericIterator, LastBatchPolicy

    train = DALIGenericIterator(pipeline, ["image", "label"], reader_name="Reader")
    for (batch,) in train:
        loss = loss_of(model(batch["image"]), batch["label"])

A tensor shares the memory of the pipeline's output, by DLPack. The pipeline uses this memory again
only after the tensor and all views of the tensor are gone. So a program may keep batches for any
time. In static graphs a batch holds `DenseTensor`s, which `Executor.run` takes as `feed`.

Paddle computes with no unsigned numbers of more than 8 bits. It even takes uint16 for bfloat16. So
these outputs are copied to a type that holds the same numbers: uint16 to int32, and uint32 to
int64. uint64 is refused.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from math import prod
from types import MappingProxyType
from typing import Any, Never, TypeAlias, TypeVar

import numpy as np

from ..engine.arrays import Array
from ..engine.errors import ArgumentError, MissingDependencyError, install_hint
from ..engine.pipeline.pipeline import Pipeline
from ..engine.tensors import Tensor, TensorGPU, TensorList, TensorListGPU
from ..engine.tensors.device_tensors import LastingExport
from ..engine.tensors.dtypes import DALIDataType, to_numpy_type
from .base_iterator import BaseIterator, LastBatchPolicy, check_uniform, of_all
from .forms import IN_LISTS, Form
from .two_outputs import TwoOutputs

try:
    import paddle
    from paddle.utils.dlpack import from_dlpack
except ImportError as error:
    raise MissingDependencyError(
        f"penstock.plugin.paddle needs PaddlePaddle ({error}): {install_hint('paddle')}",
        name=error.name,
    ) from error

__all__ = [
    "ClassificationIterator",
    "DALIClassificationIterator",
    "DALIGenericIterator",
    "GenericIterator",
    "LastBatchPolicy",
    "feed_ndarray",
    "to_paddle_type",
]

PaddleTensor: TypeAlias = Any
"""`paddle.Tensor`; in static graphs, `DenseTensor`."""
T = TypeVar("T")

_WIDENED = MappingProxyType({"uint16": np.int32, "uint32": np.int64})
"""The type that takes the place of a type with which Paddle cannot compute."""

_variable_types = paddle.framework.core.VarDesc.VarType
_TYPES = MappingProxyType(
    {
        DALIDataType.BOOL: _variable_types.BOOL,
        DALIDataType.FLOAT: _variable_types.FP32,
        DALIDataType.FLOAT64: _variable_types.FP64,
        DALIDataType.FLOAT16: _variable_types.FP16,
        DALIDataType.UINT8: _variable_types.UINT8,
        DALIDataType.INT8: _variable_types.INT8,
        DALIDataType.INT16: _variable_types.INT16,
        DALIDataType.UINT16: _variable_types.INT32,
        DALIDataType.INT32: _variable_types.INT32,
        DALIDataType.UINT32: _variable_types.INT64,
        DALIDataType.INT64: _variable_types.INT64,
    }
)


class GenericIterator(BaseIterator[PaddleTensor, Form]):
    """Yields each output of a pipeline as one tensor of shape (batch, *sample).

    A name in `output_map` may be a pair of a name and a level of detail (LoD). At level 0 all
    samples of a batch must have the same shape. At level n the first n extents may differ: all
    samples are joined along these axes in a copy in host memory, and `tensor.get_tensor().lod()`
    says where each sample begins. Two captions of 2 and 4 words, of shapes (2, 300) and (4, 300),
    become a tensor of shape (6, 300) with the offsets [[0, 2, 6]] at level 1.

    Args:
        {arguments}
    """

    def __init__(
        self,
        pipelines: Sequence[Pipeline] | Pipeline,
        output_map: Sequence[str | tuple[str, int]] | None = None,
        size: int = -1,
        reader_name: str | None = None,
        auto_reset: str | bool | None = False,
        fill_last_batch: bool | None = None,
        dynamic_shape: bool | None = False,
        last_batch_padded: bool = False,
        last_batch_policy: LastBatchPolicy | str = LastBatchPolicy.FILL,
        prepare_first_batch: bool = True,
        with_valid: bool = False,
        *,
        batch_form: Form = IN_LISTS,
        **unknown: Never,
    ) -> None:
        entries = [output_map] if isinstance(output_map, str) else output_map or ()
        pairs = [_name_and_level(entry) for entry in entries]
        self._levels = dict(pairs)
        output_map = None if output_map is None else [name for name, _ in pairs]
        super().__init__(**of_all(locals()))

    def convert(self, name: str, output: TensorList, count: int) -> PaddleTensor:
        """Return the first `count` samples as one tensor."""
        level = self._levels.get(name, 0)
        if level:
            return _joined(name, output, count, level)
        check_uniform(
            name,
            output,
            f'give the output a level of detail, ("{name}", 1) in output_map, which joins the '
            "samples along their first axis",
        )
        if isinstance(output, TensorListGPU):
            return _first(_on_gpu(output, f"output {name!r}"), count)
        return _shared(output.dense()[:count], f"output {name!r}")


class ClassificationIterator(TwoOutputs[PaddleTensor, Form], GenericIterator[Form]):
    """`GenericIterator` for pipelines with two outputs, which it names "data" and "label".

    Args:
        {arguments}
    """


DALIGenericIterator = GenericIterator
DALIClassificationIterator = ClassificationIterator


def to_paddle_type(tensor: Tensor | TensorList) -> Any:
    """Return the type of elements that Paddle gets for a tensor or a batch.

    The type is a `VarType`, as DALI returns. Functions of Paddle take it as their `dtype`.

    Raises:
        ArgumentError: Paddle has no type for these elements: uint64.
    """
    dtype = DALIDataType(tensor.dtype)
    if dtype not in _TYPES:
        raise ArgumentError(f"the tensor: {_refusal(dtype.name.lower())}")
    return _TYPES[dtype]


def feed_ndarray(dali_tensor: Tensor | TensorList, ptr: Any, cuda_stream: Any = None) -> Any:
    """Copy a tensor, or a batch of samples of one shape, to an address or into a Paddle tensor.

    Args:
        dali_tensor: the tensor or batch to copy.
        ptr: the destination: an address (int), as of `DenseTensor._mutable_data` or
            `Tensor.data_ptr()`, or a contiguous `paddle.Tensor` of the same shape and type. Nothing
            checks the memory at an address. uint16 and uint32 stay what they are there.
        cuda_stream: the stream (or its handle) that copies from the GPU. With a stream, the copy
            is queued there and `dali_tensor` may be dropped at once.

    Returns:
        `ptr`.

    Raises:
        ArgumentError: shapes or types differ.
    """
    address = ptr
    if isinstance(ptr, paddle.Tensor):
        _check_same(dali_tensor, ptr)
        address = ptr.data_ptr()
    address = address if isinstance(address, ctypes.c_void_p) else ctypes.c_void_p(address)
    source: Any = dali_tensor
    if isinstance(dali_tensor, TensorGPU | TensorListGPU):
        source.copy_to_external(address, cuda_stream, non_blocking=cuda_stream is not None)
    else:
        source.copy_to_external(address)
    return ptr


def _name_and_level(entry: Any) -> tuple[str, int]:
    if isinstance(entry, str):
        return entry, 0
    try:
        name, level = entry
    except (TypeError, ValueError):
        name, level = entry, None
    if not isinstance(name, str) or not isinstance(level, int) or level < 0:
        raise ArgumentError(
            f"output_map holds names, or pairs of a name and a level of detail from 0 on, not "
            f"{entry!r}"
        )
    return name, level


def _check_same(source: Tensor | TensorList, destination: PaddleTensor) -> None:
    whole = source.as_tensor() if isinstance(source, TensorList) else source
    ours = np.dtype(to_numpy_type(whole.dtype)).name, tuple(whole.shape())
    theirs = str(destination.dtype).removeprefix("paddle."), tuple(destination.shape)
    if ours != theirs:
        raise ArgumentError(
            f"cannot copy {ours[0]} of shape {ours[1]} into {theirs[0]} of shape {theirs[1]}: "
            "both must be the same"
        )
    if not destination.is_contiguous():
        raise ArgumentError("cannot copy into a view that is not contiguous")


def _shared(array: Array, what: str) -> PaddleTensor:
    """Return a tensor that shares memory.

    Read-only data, views with negative strides and types without arithmetic are copied.
    """
    if array.dtype.name == "uint64":
        raise ArgumentError(f"{what}: {_refusal('uint64')}")
    if array.dtype.name in _WIDENED:
        array = array.astype(_WIDENED[array.dtype.name])
    elif not array.flags.writeable or any(stride < 0 for stride in array.strides):
        array = array.copy()
    return from_dlpack(array)


def _refusal(dtype: str) -> str:
    return (
        f"Paddle does not compute with {dtype}; cast it in the pipeline, to a type that holds the "
        "numbers: fn.cast(..., dtype=types.INT64)"
    )


def _on_gpu(output: TensorListGPU, what: str) -> PaddleTensor:
    if not paddle.is_compiled_with_cuda():
        raise ArgumentError(
            f"{what} lies on the GPU, but this Paddle is built for the CPU alone: install "
            "paddlepaddle-gpu, or end the pipeline with .cpu()"
        )
    if np.dtype(output.dense().dtype).name in (*_WIDENED, "uint64"):
        raise ArgumentError(f"{what}: {_refusal(np.dtype(output.dense().dtype).name)}")
    return from_dlpack(LastingExport(output))


def _first(tensor: PaddleTensor, count: int) -> PaddleTensor:
    if count == tensor.shape[0]:
        return tensor
    return tensor[:count] if isinstance(tensor, paddle.Tensor) else tensor._slice(0, count)


def _joined(name: str, output: TensorList, count: int, level: int) -> PaddleTensor:
    """Return the samples end to end, with the lengths of their parts at each level."""
    rows = [np.asarray(output.as_cpu().at(i)) for i in range(len(output))]
    inner = {row.shape[level:] for row in rows}
    if rows[0].ndim < level or len(inner) > 1:
        shapes = ", ".join(map(str, sorted({row.shape for row in rows})[:4]))
        raise ArgumentError(
            f"output {name!r}: at level of detail {level} samples must have {level} axes or more, "
            f"and agree in all extents but the first {level}, but their shapes are {shapes}"
        )
    parts = [row.reshape(-1, *row.shape[level:]) for row in rows]
    kept = parts[:count] or [parts[0][:0]]
    tensor = _shared(np.concatenate(kept), f"output {name!r}")
    lengths = [
        [length for row in rows[:count] for length in [row.shape[k]] * prod(row.shape[:k])]
        for k in range(level)
    ]
    dense = tensor.get_tensor() if isinstance(tensor, paddle.Tensor) else tensor
    dense.set_recursive_sequence_lengths(lengths)
    return tensor
