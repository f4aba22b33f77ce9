"""Types of arguments, for signatures."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

from numpy.typing import ArrayLike
from numpy.typing import DTypeLike as NumpyDTypeLike

from ...engine.tensors.dtypes import DALIDataType
from .devices import Device
from .element_types import DType


class DLPackExporter(Protocol):
    """An array of a library that speaks DLPack, such as PyTorch."""

    def __dlpack_device__(self) -> tuple[Any, int]: ...

    def __dlpack__(self) -> Any: ...


class CudaArray(Protocol):
    """An array on the GPU, such as CuPy's."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...


TensorLike: TypeAlias = ArrayLike | DLPackExporter | CudaArray
"""What becomes one tensor: an array of any library, a number, or a (nested) list of numbers."""

DeviceLike: TypeAlias = Device | str | Any
"""A device, its name, or a device of PyTorch."""

DTypeLike: TypeAlias = DType | DALIDataType | NumpyDTypeLike
"""An element type of `ndd`, of `types`, of NumPy or of PyTorch."""
