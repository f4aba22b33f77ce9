"""Batches: a `TensorList` is one output of an operator for all samples of a batch.

Its rows may differ in shape. Where they do not, and lie side by side in memory, the list is
*dense* and `as_array`, `__array__` and DLPack hand it out without a copy.
"""

from .device_tensors import TensorGPU, TensorListGPU, address_of
from .host_tensors import TensorCPU, TensorListCPU
from .packed_rows import PackedRows
from .tensor_base import Tensor, TensorList

__all__ = [
    "PackedRows",
    "Tensor",
    "TensorCPU",
    "TensorGPU",
    "TensorList",
    "TensorListCPU",
    "TensorListGPU",
    "address_of",
]
