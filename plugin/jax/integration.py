"""Single tensors and batches as JAX arrays."""

from __future__ import annotations

from typing import TypeAlias

import jax
import numpy as np
from jax.dlpack import from_dlpack

from ...engine.tensors import Tensor, TensorGPU, TensorList, TensorListGPU
from ...engine.tensors.device_tensors import LastingExport

__all__ = ["device_of", "to_jax_array"]

JaxArray: TypeAlias = jax.Array


def local_array(output: TensorList | Tensor) -> JaxArray:
    """Return an output as an array on its own device, without a copy.

    Returns:
        an array of NumPy for host memory, whose device JAX may still choose; else one of JAX.
    """
    if isinstance(output, TensorGPU | TensorListGPU):
        return from_dlpack(LastingExport(output))
    return output.dense() if isinstance(output, TensorList) else np.asarray(output)


def to_jax_array(output: TensorList | Tensor, copy: bool = False) -> JaxArray:
    """Return a tensor, or a batch of samples of one shape, as an array of JAX.

    Args:
        output: a tensor or a batch. Data in host memory go to JAX's default device.
        copy: copy the elements, also if the array could share their memory.

    >>> from penstock.plugin.jax.integration import to_jax_array
    >>> from penstock.tensors import TensorCPU
    >>> to_jax_array(TensorCPU(np.arange(3, dtype=np.int32))).tolist()
    [0, 1, 2]
    """
    array = jax.device_put(local_array(output))
    return array.copy() if copy else array


def device_of(array: JaxArray) -> jax.Device:
    """Return the one device of an array, or the sharding of an array on several devices."""
    return array.device


_to_jax_array = to_jax_array
_jax_device = device_of
