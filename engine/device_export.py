"""How arrays in device memory are handed to other libraries, and what their lease is told.

A lease ends with the last array that lies in its block. What was queued by then on the streams
that it was told of is waited for before the block is used again; so a consumer may drop what it
took as soon as it has queued its work, if that work is on the stream that it took it for.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from .errors import ArgumentError

if TYPE_CHECKING:
    from .device_memory import Lease

DEFAULT_STREAM = 1
"""CUDA's handle of the default stream, which waits for all streams that are not "non-blocking"."""

_ANY_TO_ANY = 4  # cudaMemcpyKind: the addresses tell


class ForeignStream:
    """A stream of user code, of which nothing but the handle is known: it may be destroyed."""

    def __init__(self, runtime: Any, handle: int) -> None:
        self.ptr = handle
        self._runtime = runtime

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.ptr

    def wait_event(self, event: Any) -> None:
        """Let what comes later wait for the event."""
        self._runtime.streamWaitEvent(self.ptr, event.ptr)

    def synchronize(self) -> None:
        """Wait until all is done."""
        self._runtime.streamSynchronize(self.ptr)


def stream_handle(stream: Any) -> int:
    """Return CUDA's handle of a stream.

    Args:
        stream: a handle (int or `ctypes.c_void_p`), a stream of CuPy or PyTorch or of another
            library that has `__cuda_stream__`, or None for the default stream.
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
    """Return the CUDA array interface; who takes it works on the default stream, or CuPy's."""
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
    with array.device:
        if array.nbytes:
            runtime.memcpyAsync(address, array.data.ptr, array.nbytes, _ANY_TO_ANY, stream)
        if lease is not None:
            lease.used_on(stream)
        if not non_blocking:
            runtime.streamSynchronize(stream)
