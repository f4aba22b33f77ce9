"""The export of arrays in device memory to other libraries, and the streams that leases record.

A lease ends with the last array in its block. The block's next user waits for the work that was
queued by then on the streams that the lease recorded. So a consumer may drop an array as soon as
the consumer has queued its work on the stream for which it requested the array.
"""

from __future__ import annotations

import ctypes
from typing import Any

from ..errors import ArgumentError
from .current_device import CurrentDevice
from .device_leases import Lease
from .streams import DEFAULT_STREAM

_ANY_TO_ANY = 4  # cudaMemcpyDefault: CUDA finds the direction from the addresses


def stream_handle(stream: Any) -> int:
    """Return CUDA's handle of a stream.

    Args:
        stream: a handle (int or `ctypes.c_void_p`), or a stream of CuPy, PyTorch or another
            library that implements `__cuda_stream__`. None is the default stream.
    """
    if hasattr(stream, "__cuda_stream__"):
        stream = stream.__cuda_stream__()[1]
    for name in ("ptr", "cuda_stream", "value"):
        stream = getattr(stream, name, stream)
    if stream is None or stream == 0:
        return DEFAULT_STREAM
    if isinstance(stream, bool) or not isinstance(stream, int) or stream < 0:
        raise ArgumentError(
            f"{stream!r} is no CUDA stream; pass its handle, or a stream of CuPy or PyTorch"
        )
    return stream


def interface_of(array: Any, lease: Lease | None) -> dict[str, Any]:
    """Return the CUDA array interface; record its users' streams: the default, CuPy's current."""
    interface: dict[str, Any] = array.__cuda_array_interface__
    if lease is not None:
        lease.used_on(None)
        lease.used_on(interface.get("stream"))  # CuPy's current one
    return interface


def capsule_of(array: Any, lease: Lease | None, **options: Any) -> Any:
    """Return the DLPack capsule, for use on the stream `options["stream"]`."""
    if lease is not None:
        lease.used_on(options.get("stream"))
    return array.__dlpack__(**options)


def copy_out(
    array: Any, lease: Lease | None, ptr: Any, cuda_stream: Any, non_blocking: bool
) -> None:
    """Copy a contiguous array to an address; see `TensorGPU.copy_to_external`."""
    import cupy

    stream = stream_handle(cuda_stream)
    address = ptr.value if isinstance(ptr, ctypes.c_void_p) else ptr
    runtime = cupy.cuda.runtime
    with CurrentDevice(array.device.id):
        if array.nbytes:
            runtime.memcpyAsync(address, array.data.ptr, array.nbytes, _ANY_TO_ANY, stream)
        if lease is not None:
            lease.used_on(stream)
        if not non_blocking:
            runtime.streamSynchronize(stream)
