"""The GPU's hardware JPEG engine, through nvJPEG: a whole batch in one call.

The module calls the library's C interface by ctypes, which releases the GIL: one call with arrays
of addresses costs no Python time a sample. The engine decodes baseline JPEG with 4:4:4, 4:2:2,
4:4:0 and 4:2:0 sampling.

Source: nvJPEG's documentation, https://docs.nvidia.com/cuda/nvjpeg/
"""

from __future__ import annotations

import ctypes
import threading
from collections import defaultdict
from functools import cache
from glob import glob
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....engine.gpu.device import Device

_HARDWARE = 3  # NVJPEG_BACKEND_HARDWARE
_FORMATS = {"GRAY": 2, "RGB": 5}  # NVJPEG_OUTPUT_Y, NVJPEG_OUTPUT_RGBI
_IMAGE = np.dtype([("channel", np.uint64, 4), ("pitch", np.uint64, 4)])  # nvjpegImage_t


class _EngineTurn:
    """Whose turn it is: two threads that use an engine at once are slower than one.

    Attributes:
        lock: who holds it uses the engine.
        end: when the last call ended, in seconds of `perf_counter`.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.end = perf_counter()


_turns: dict[int, _EngineTurn] = defaultdict(_EngineTurn)  # by device


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


class HardwareDecoder:
    """The engine for one stream and thread.

    Attributes:
        busy: seconds that the last call took; 0 after the first call, which allocates memory.
        idle: seconds that nothing used the engine before that call.
        starved: part of the time since the call before in which the lane waited for batches.
    """

    def __init__(self, device: Device, handle: ctypes.c_void_p, state: ctypes.c_void_p) -> None:
        self.busy = self.idle = self.starved = 0.0
        self._seen = perf_counter(), device.wait_ns["batches"]
        self._is_new = True
        self._device = device
        self._handle = handle
        self._state = state

    @classmethod
    def open(cls, device: Device) -> HardwareDecoder | None:
        """Return a decoder; None where the GPU has no engine, or nvJPEG is missing."""
        library = _library()
        handle, state = ctypes.c_void_p(), ctypes.c_void_p()
        if library is None or library.nvjpegCreateEx(
            _HARDWARE, None, None, 0, ctypes.byref(handle)
        ):
            return None
        if library.nvjpegJpegStateCreate(handle, ctypes.byref(state)):
            library.nvjpegDestroy(handle)
            return None
        return cls(device, handle, state)

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
        library: Any = _library()
        count = len(encoded)
        lengths = lengths.astype(np.uint64)
        images = np.zeros(count, _IMAGE)
        images["channel"][:, 0] = out
        images["pitch"][:, 0] = widths * (1 if space == "GRAY" else 3)
        arrays = [ctypes.c_void_p(a.ctypes.data) for a in (encoded, lengths, images)]
        turn = _turns[self._device.id]
        with self._device.waiting("gpu"), turn.lock:
            started = perf_counter()
            self.idle = started - turn.end
            self._note_lane(started)
            failed = library.nvjpegDecodeBatchedInitialize(
                self._handle, self._state, count, 1, _FORMATS[space]
            ) or library.nvjpegDecodeBatched(
                self._handle, self._state, *arrays, ctypes.c_void_p(self._device.stream.ptr)
            )
            turn.end = perf_counter()
            self._device.engines_ns["JPEG engine"] += int(1e9 * (turn.end - started))
            self.busy = 0.0 if self._is_new else turn.end - started
            self._is_new = False
        return not failed

    def _note_lane(self, now: float) -> None:
        seen, waited = self._seen
        self._seen = now, self._device.wait_ns["batches"]
        self.starved = (self._seen[1] - waited) / 1e9 / (now - seen)

    def __del__(self) -> None:
        library: Any = _library()
        library.nvjpegJpegStateDestroy(self._state)
        library.nvjpegDestroy(self._handle)
