"""Copies of single outputs into PyTorch's tensors, by the names of DALI's module."""

from __future__ import annotations

from torch.utils.dlpack import from_dlpack

from . import to_torch_type
from .sharing import TorchTensor, feed_ndarray

__all__ = ["feed_ndarray", "to_torch_tensor", "to_torch_type"]


def to_torch_tensor(dali_tensor: object, copy: bool) -> TorchTensor:
    """Return a sample, or a batch of samples of one shape, as a tensor on the same device.

    Args:
        dali_tensor: the sample or batch, on the CPU or on the GPU.
        copy: whether the tensor has memory of its own. Otherwise it shares that of `dali_tensor`.
            Such a tensor must not be changed if the memory is read-only.

    >>> import numpy as np
    >>> from penstock.tensors import TensorCPU
    >>> to_torch_tensor(TensorCPU(np.arange(3, dtype=np.int32)), copy=True)
    tensor([0, 1, 2], dtype=torch.int32)
    """
    tensor: TorchTensor = from_dlpack(dali_tensor)
    return tensor.clone() if copy else tensor
