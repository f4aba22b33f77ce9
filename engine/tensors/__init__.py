"""Batches: a `TensorList` is one output of an operator for all samples of a batch.

Its rows may differ in shape. Where they do not, and lie side by side in memory, the list is
*dense* and `as_array`, `__array__` and DLPack hand it out without a copy.

dtypes          element types, image types and the other values that arguments take
rows            what all forms of a batch's rows answer; rows in one block of memory
array_rows      rows in one array, and in an array each
memory_span     the memory in which rows lie as one array
mixed_rows      rows of two batches as one batch
source_info     for each sample the name of its origin, computed on demand
alignment       memory at addresses that vector instructions take
edits           elements of another type, and layouts that fit
given_arrays    arrays of other libraries as tensors and batches
one_tensor      what tensors on the host and on a device share
tensor_base     what batches on the host and on a device share
host_tensors    batches on the host
sample_form     the dtype and the number of dimensions that samples of a batch share
device_export   batches on a device for other libraries
device_tensors  batches on a device
arena           the addresses of a pipeline's memory
memory          host memory that is recycled
taken_memory    the memory that one batch takes
streams         streams of user code
captures        calls while another thread captures a CUDA graph
current_device  the device to which the calls of a thread go
event_pool      events that are recycled
device_memory   device memory that is recycled
device_pieces   its segments, and pieces of segments
device_leases   who uses a piece, on which streams
stream_marks    what the streams have not done yet
chosen_rows     some rows of a batch as a batch, and the rows of two batches as one
unused_memory   all pools, to free what nobody holds
results         results of operators as batches
"""

from .device_tensors import TensorGPU, TensorListGPU, address_of
from .host_tensors import TensorCPU, TensorListCPU
from .one_tensor import Tensor
from .rows import PackedRows
from .tensor_base import TensorList

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
