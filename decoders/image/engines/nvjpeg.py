"""The GPU's hardware JPEG engine, through nvJPEG: a whole batch in one call.

The module calls the library's C interface by ctypes, which releases the GIL: one call with arrays
of addresses costs no Python time a sample. The engine decodes baseline JPEG that is gray, or has
4:4:4, 4:2:2, 4:4:0 or 4:2:0 sampling. Gray becomes RGB where RGB is asked for.

Source: nvJPEG's documentation, https://docs.nvidia.com/cuda/nvjpeg/
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from glob import glob
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....engine.gpu.device import Device

_HARDWARE = 3  # NVJPEG_BACKEND_HARDWARE
_ALLOCATOR_FAILURE = 5  # NVJPEG_STATUS_ALLOCATOR_FAILURE
_FORMATS = {"GRAY": 2, "RGB": 5}  # NVJPEG_OUTPUT_Y, NVJPEG_OUTPUT_RGBI
_IMAGE = np.dtype([("channel", np.uint64, 4), ("pitch", np.uint64, 4)])  # nvjpegImage_t


@cache
def _library() -> ctypes.CDLL | None:
    """Load nvJPEG from the Python wheels, or else from the system."""
    import nvidia

    wheels = [f for p in nvidia.__path__ for f in glob(f"{p}/*/lib/libnvjpeg.so.*")]
    for name in (*sorted(wheels, reverse=True), "libnvjpeg.so.13", "libnvjpeg.so.12"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


class _JpegEngine:
    """The engine of one device, for all threads of the process.

    Threads take turns, because two that use an engine at once are slower than one. All share one
    state of nvJPEG, because each state has fourteen CUDA streams of its own. Where streams
    outnumber the connections to the device, some share one with the streams of a model, and wait
    for the model's work.

    Attributes:
        lock: who holds it uses the engine.
        users: number of decoders that have the engine.
        end: when the last call ended, in seconds of `perf_counter`.
        is_new: whether nothing was decoded; the first call allocates memory.
    """

    def __init__(self, handle: ctypes.c_void_p, state: ctypes.c_void_p) -> None:
        self.lock = threading.Lock()
        self.users = 0
        self.end = perf_counter()
        self.is_new = True
        self._handle = handle
        self._state = state
        self._last: Any = None

    @classmethod
    def open(cls) -> _JpegEngine | None:
        """Return the current device's engine; None if there is none, or nvJPEG is missing.

        Raises:
            MemoryError: the device has no memory left. CUDA cores would decode other pixels.
        """
        library = _library()
        if library is None:
            return None
        handle, state = ctypes.c_void_p(), ctypes.c_void_p()
        status = library.nvjpegCreateEx(_HARDWARE, None, None, 0, ctypes.byref(handle))
        if not status:
            status = library.nvjpegJpegStateCreate(handle, ctypes.byref(state))
            if not status:
                return cls(handle, state)
            library.nvjpegDestroy(handle)
        if status == _ALLOCATOR_FAILURE:
            raise MemoryError(
                "the GPU has no memory left for its JPEG engine; free memory there, lower "
                "batch_size, or pass hw_decoder_load=0 to leave all files to CUDA cores"
            )
        return None

    def decode(self, device: Device, images: Sequence[NDArray[Any]], format_number: int) -> bool:
        """Decode a batch in a turn; return whether the engine decoded all of it.

        Args:
            device: the stream for the work.
            images: addresses, lengths, and structs of nvJPEG for the results.
            format_number: nvJPEG's number of the form of the results.
        """
        library: Any = _library()
        if self._last is not None:
            device.wait(self._last)  # the state's memory may still be in use
        arrays = [ctypes.c_void_p(array.ctypes.data) for array in images]
        failed = library.nvjpegDecodeBatchedInitialize(
            self._handle, self._state, len(images[0]), 1, format_number
        ) or library.nvjpegDecodeBatched(
            self._handle, self._state, *arrays, ctypes.c_void_p(device.stream.ptr)
        )
        self._last = device.event()
        return not failed

    def close(self) -> None:
        """Free the memory of nvJPEG."""
        library: Any = _library()
        library.nvjpegJpegStateDestroy(self._state)
        library.nvjpegDestroy(self._handle)


_engines: dict[int, _JpegEngine] = {}
"""The engines that are in use, by device."""
_registering = threading.Lock()


@contextmanager
def _nobody_decodes() -> Iterator[None]:
    """Hold all engines: nvJPEG ends the process if one is opened or closed while another works."""
    with _registering, ExitStack() as held:
        for engine in _engines.values():
            held.enter_context(engine.lock)
        yield


class HardwareDecoder:
    """The engine for one stream and thread.

    Attributes:
        busy: seconds that the last call took; 0 after the engine's first call.
        idle: seconds that nothing used the engine before that call.
        starved: part of the time since the call before in which the lane waited for batches.
        awaited: part of that time in which the consumer waited for the pipeline.
    """

    def __init__(self, device: Device, engine: _JpegEngine) -> None:
        self.busy = self.idle = self.starved = self.awaited = 0.0
        self._seen = self._clocks(device, perf_counter())
        self._device = device
        self._engine = engine

    @classmethod
    def open(cls, device: Device) -> HardwareDecoder | None:
        """Return a decoder; None where the GPU has no engine, or nvJPEG is missing.

        Raises:
            MemoryError: the device has no memory left.
        """
        with _nobody_decodes():
            engine = _engines.get(device.id) or _JpegEngine.open()
            if engine is None:
                return None
            _engines[device.id] = engine
            engine.users += 1
        return cls(device, engine)

    def close(self) -> None:
        """Leave the engine. The last decoder to do so frees the engine's memory."""
        with _nobody_decodes():
            self._engine.users -= 1
            if not self._engine.users:
                _engines.pop(self._device.id).close()

    def decode(
        self,
        encoded: NDArray[np.uint64],
        lengths: NDArray[np.int64],
        out: NDArray[np.uint64],
        widths: NDArray[np.int64],
        space: str,
    ) -> bool:
        """Decode whole JPEG files; return whether the engine decoded all of them.

        Args:
            encoded: host addresses of the files.
            lengths: lengths of the files, in bytes.
            out: device address for each image: HWC uint8, contiguous.
            widths: widths of the images, in pixels.
            space: "RGB" or "GRAY".
        """
        images = np.zeros(len(encoded), _IMAGE)
        images["channel"][:, 0] = out
        images["pitch"][:, 0] = widths * (1 if space == "GRAY" else 3)
        arrays = encoded, lengths.astype(np.uint64), images
        engine = self._engine
        with self._device.waiting("gpu"), engine.lock:
            started = perf_counter()
            self.idle = started - engine.end
            self._note_waits(started)
            done = engine.decode(self._device, arrays, _FORMATS[space])
            engine.end = perf_counter()
            self._device.engines_ns["JPEG engine"] += int(1e9 * (engine.end - started))
            self.busy = 0.0 if engine.is_new else engine.end - started
            engine.is_new = False
        return done

    def _note_waits(self, now: float) -> None:
        seen, self._seen = self._seen, self._clocks(self._device, now)
        elapsed, *waits = (after - before for after, before in zip(self._seen, seen, strict=True))
        self.starved, self.awaited = (wait / elapsed for wait in waits)

    @staticmethod
    def _clocks(device: Device, now: float) -> tuple[float, float, float]:
        """Return seconds: the time, and how long lane and consumer have waited until then."""
        return now, device.wait_ns["batches"] / 1e9, device.consumer_wait_ns / 1e9
