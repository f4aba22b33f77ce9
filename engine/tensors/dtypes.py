"""Element types, image types and the other values that arguments of operators take.

Names and numeric values are those of NVIDIA DALI's `nvidia.dali.types`. An argument
`dtype` may also be a dtype of NumPy or PyTorch, or Python's `bool`, `int` or `float`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from ..errors import ArgumentError


class _NamedEnum(IntEnum):
    """Numbers that print as DALI's enumerations do: `DALIDataType.FLOAT`."""

    def __str__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


class DALIDataType(_NamedEnum):
    """Element type of a tensor.

    `IMAGE_TYPE`, `DATA_TYPE` and `INTERP_TYPE` are the types of data whose elements are values of
    an enumeration. Such data are int32. The other members from `STRING` on are no element types:
    DALI names types of arguments by them.
    """

    NO_TYPE = -1
    UINT8 = 0
    UINT16 = 1
    UINT32 = 2
    UINT64 = 3
    INT8 = 4
    INT16 = 5
    INT32 = 6
    INT64 = 7
    FLOAT16 = 8
    FLOAT = 9
    FLOAT64 = 10
    BOOL = 11
    STRING = 12
    FEATURE = 17
    IMAGE_TYPE = 20
    DATA_TYPE = 21
    INTERP_TYPE = 22
    TENSOR_LAYOUT = 23
    PYTHON_OBJECT = 24


class TensorLayout(str):
    """Meaning of the dimensions of a tensor, one letter each. A plain `str` serves as well."""

    __slots__ = ()


class CUDAStream:
    """A stream of other code, given by its handle, for arguments `cuda_stream`."""

    def __init__(self, ptr: int = 0) -> None:
        self.ptr = ptr


class DALIImageType(_NamedEnum):
    """Color space and channel order of an image."""

    RGB = 0
    BGR = 1
    GRAY = 2
    YCbCr = 3
    ANY_DATA = 4


class DALIInterpType(_NamedEnum):
    """Interpolation filter of a resampling operator."""

    INTERP_NN = 0
    INTERP_LINEAR = 1
    INTERP_CUBIC = 2
    INTERP_LANCZOS3 = 3
    INTERP_TRIANGULAR = 4
    INTERP_GAUSSIAN = 5


NO_TYPE = DALIDataType.NO_TYPE
UINT8 = DALIDataType.UINT8
UINT16 = DALIDataType.UINT16
UINT32 = DALIDataType.UINT32
UINT64 = DALIDataType.UINT64
INT8 = DALIDataType.INT8
INT16 = DALIDataType.INT16
INT32 = DALIDataType.INT32
INT64 = DALIDataType.INT64
FLOAT16 = DALIDataType.FLOAT16
FLOAT = DALIDataType.FLOAT
FLOAT64 = DALIDataType.FLOAT64
BOOL = DALIDataType.BOOL
STRING = DALIDataType.STRING
FEATURE = DALIDataType.FEATURE
IMAGE_TYPE = DALIDataType.IMAGE_TYPE
DATA_TYPE = DALIDataType.DATA_TYPE
INTERP_TYPE = DALIDataType.INTERP_TYPE
TENSOR_LAYOUT = DALIDataType.TENSOR_LAYOUT
PYTHON_OBJECT = DALIDataType.PYTHON_OBJECT
RGB = DALIImageType.RGB
BGR = DALIImageType.BGR
GRAY = DALIImageType.GRAY
YCbCr = DALIImageType.YCbCr
ANY_DATA = DALIImageType.ANY_DATA
INTERP_NN = DALIInterpType.INTERP_NN
INTERP_LINEAR = DALIInterpType.INTERP_LINEAR
INTERP_CUBIC = DALIInterpType.INTERP_CUBIC
INTERP_LANCZOS3 = DALIInterpType.INTERP_LANCZOS3
INTERP_TRIANGULAR = DALIInterpType.INTERP_TRIANGULAR
INTERP_GAUSSIAN = DALIInterpType.INTERP_GAUSSIAN

CPU_ONLY_DEVICE_ID = -99999
"""As `device_id`, the same as None: the pipeline uses no GPU."""

# Layouts, as older code names them: after the batch, but describing a sample, so without the N.
SAME = ""
NCHW = "CHW"
NHWC = "HWC"
NFHWC = "FHWC"
NFCHW = "FCHW"

_NUMPY_NAMES = {
    DALIDataType.UINT8: "uint8",
    DALIDataType.UINT16: "uint16",
    DALIDataType.UINT32: "uint32",
    DALIDataType.UINT64: "uint64",
    DALIDataType.INT8: "int8",
    DALIDataType.INT16: "int16",
    DALIDataType.INT32: "int32",
    DALIDataType.INT64: "int64",
    DALIDataType.FLOAT16: "float16",
    DALIDataType.FLOAT: "float32",
    DALIDataType.FLOAT64: "float64",
    DALIDataType.BOOL: "bool",
}
ELEMENT_TYPES = tuple(_NUMPY_NAMES)
"""The types that elements of tensors can have."""

_TO_NUMPY = {dali_type: np.dtype(name) for dali_type, name in _NUMPY_NAMES.items()}
_FROM_NUMPY = {dtype: dali_type for dali_type, dtype in _TO_NUMPY.items()}
_OF_ENUMERATIONS = (DALIDataType.IMAGE_TYPE, DALIDataType.DATA_TYPE, DALIDataType.INTERP_TYPE)
_TO_NUMPY |= dict.fromkeys(_OF_ENUMERATIONS, np.dtype(np.int32))


def to_numpy_type(dali_type: Any) -> np.dtype[Any]:
    """Return the NumPy dtype of a `DALIDataType`, a dtype of NumPy or PyTorch, or a Python type.

    >>> to_numpy_type(FLOAT)
    dtype('float32')
    """
    dtype = dali_type
    if isinstance(dtype, np.dtype) and dtype in _FROM_NUMPY:
        return dtype
    if isinstance(dtype, DALIDataType) and dtype in _TO_NUMPY:
        return _TO_NUMPY[dtype]
    by_python = {bool: "bool", int: "int32", float: "float32"}
    if type(dtype).__module__ == "torch":
        dtype = str(dtype).removeprefix("torch.")
    try:
        result = np.dtype(by_python.get(dtype, dtype) if isinstance(dtype, type) else dtype)
    except TypeError:
        result = None
    if result is None or isinstance(dtype, IntEnum) or result not in _FROM_NUMPY:
        names = ", ".join(dali_type.name for dali_type in _NUMPY_NAMES)
        raise ArgumentError(f"{dtype!r} is no element type; use one of types.{{{names}}}")
    return result


def to_dali_type(framework_type: Any) -> DALIDataType:
    """Return the `DALIDataType` of a NumPy dtype (or of whatever `to_numpy_type` takes).

    >>> to_dali_type(np.uint8).name
    'UINT8'
    """
    return _FROM_NUMPY[to_numpy_type(framework_type)]


@dataclass(frozen=True)
class SampleInfo:
    """The argument of an external source's function that gives samples.

    `idx_in_epoch` counts samples from the epoch's start, `idx_in_batch` within the batch,
    `iteration` counts batches in the epoch and `epoch_idx` epochs.
    """

    idx_in_epoch: int
    idx_in_batch: int
    iteration: int
    epoch_idx: int


@dataclass(frozen=True)
class BatchInfo:
    """The argument of an external source's function that gives batches: see `SampleInfo`."""

    iteration: int
    epoch_idx: int
