"""The alignment of host memory that other libraries get: 64 bytes, a line of the CPU's cache.

XLA and TensorFlow compute with vector instructions on memory that others lend them. XLA copies an
array whose address is no multiple of 64, and TensorFlow ends the process at such an array. The C
library aligns to 16 bytes, so NumPy's arrays do not suffice.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

ALIGNMENT = 64
"""The address of each dense output in host memory is a multiple of this number of bytes."""


def address_of_host(array: NDArray[Any]) -> int:
    """Return the address of an array's first element; `array.ctypes.data` takes twice as long."""
    address: int = array.__array_interface__["data"][0]
    return address


def empty_aligned(shape: tuple[int, ...], dtype: DTypeLike = np.uint8) -> NDArray[Any]:
    """Return an uninitialized C-contiguous array at an aligned address, of the C library's memory.

    >>> address_of_host(empty_aligned((3, 5), np.int16)) % ALIGNMENT
    0
    """
    dtype = np.dtype(dtype)
    block = np.empty(prod(shape) * dtype.itemsize + ALIGNMENT, np.uint8)
    return np.ndarray(shape, dtype, block, -address_of_host(block) % ALIGNMENT)


def aligned(
    array: NDArray[Any], empty: Callable[..., NDArray[Any]] = empty_aligned
) -> NDArray[Any]:
    """Return an array that is aligned, C-contiguous and writable: this one, or a copy.

    Args:
        array: the array.
        empty: `empty(shape, dtype)` returns aligned memory for the copy.
    """
    flags = array.flags
    if flags.c_contiguous and flags.writeable and address_of_host(array) % ALIGNMENT == 0:
        return array
    copy = empty(array.shape, array.dtype)
    np.copyto(copy, array)
    return copy


def exported(array: NDArray[Any], **options: Any) -> Any:
    """Return an array's DLPack capsule.

    The capsule shares the array's memory, with its strides. Only DLPack 1.0 can mark memory as
    read-only. So a consumer of older capsules gets a copy of a read-only array, unless the
    consumer forbids copies.

    Args:
        array: the array.
        options: of `__dlpack__`, without those that are None.

    Raises:
        BufferError: the array cannot be shared, and `copy` is False.
    """
    is_old = options.get("max_version", (0,)) < (1,)
    if is_old and not array.flags.writeable and options.get("copy") is None:
        array = aligned(array)
    return array.__dlpack__(**options)
