"""`Stream`: streams of CUDA.

An operator's work on the GPU is complete when its call returns. So streams need no care, and a
program may name one for compatibility.
"""

from __future__ import annotations

from typing import ClassVar

from ...engine.gpu.cupy_module import import_cupy
from .devices import Device

_default: dict[int | None, Stream] = {}


class Stream:
    """A stream of CUDA.

    Args:
        stream: a handle, or a stream of CuPy, PyTorch or another library; by default a new one.
        device_id: number of the CUDA device; by default that of `stream`, or the current one.

    Attributes:
        handle: CUDA's handle, an int.
        device_id: number of the CUDA device.
    """

    create_new: ClassVar[object] = object()

    def __init__(self, *, stream: object = create_new, device_id: int | None = None) -> None:
        if stream is None:
            raise ValueError("stream=None is no stream; leave the argument out for a new stream")
        own = None if stream is Stream.create_new else _device_of(stream)
        if device_id is not None and own not in (None, device_id):
            raise ValueError(f"device_id={device_id}, but the stream is on the device {own}")
        wanted = own if device_id is None else device_id
        self.device_id = Device.default_device_id("gpu") if wanted is None else wanted
        if stream is Stream.create_new:
            with Device("gpu", self.device_id):
                stream = import_cupy().cuda.Stream(non_blocking=True)
        self._stream = stream  # so that its handle stays valid
        self.handle = _handle_of(stream)

    def synchronize(self) -> None:
        """Wait until the stream has done all its work."""
        import_cupy().cuda.runtime.streamSynchronize(self.handle)

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.handle

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Stream):
            return NotImplemented
        return (self.handle, self.device_id) == (other.handle, other.device_id)

    def __hash__(self) -> int:
        return hash((self.handle, self.device_id))

    def __str__(self) -> str:
        return f"CUDA stream {self.handle}, device_id={self.device_id}"

    def __repr__(self) -> str:
        return f"Stream(stream={self.handle}, device_id={self.device_id})"


def _handle_of(stream: object) -> int:
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    for name in ("cuda_stream", "ptr", "handle"):  # of PyTorch, of CuPy, of others
        if hasattr(stream, name):
            return int(getattr(stream, name))
    if isinstance(stream, int):
        return stream
    raise TypeError(f"a stream must be a handle or a stream object, but is {stream!r}")


def _device_of(stream: object) -> int | None:
    number = getattr(stream, "device_id", None)
    if number is None:
        place = getattr(stream, "device", None)
        number = getattr(place, "index", getattr(place, "id", None))
    return None if number is None or number < 0 else int(number)


def stream(*, stream: object = Stream.create_new, device_id: int | None = None) -> Stream | None:
    """Return a `Stream` for a stream of any library, or a new one; None for None."""
    if stream is None or (isinstance(stream, Stream) and device_id in (None, stream.device_id)):
        return stream
    return Stream(stream=stream, device_id=device_id)


def set_default_stream(cuda_stream: object, /, device_id: int | None = None) -> None:
    """Set the stream of contexts that name none, of all threads; None sets none."""
    chosen = stream(stream=cuda_stream, device_id=device_id)
    number = device_id if chosen is None else chosen.device_id
    number = Device.default_device_id("gpu") if number is None else number
    if chosen is None:
        _default.pop(number, None)
    else:
        _default[number] = chosen


def get_default_stream(device_id: int | None = None) -> Stream | None:
    """Return what `set_default_stream` was given, or None."""
    return _default.get(Device.default_device_id("gpu") if device_id is None else device_id)
