"""The GPU's hardware JPEG engine, through nvJPEG: a whole batch in one call.

The module calls the library's C interface by ctypes, which releases the GIL: one call with arrays
of addresses costs no Python time a sample. The engine decodes baseline JPEG that is gray, or has
4:4:4, 4:2:2, 4:4:0 or 4:2:0 sampling. Gray becomes RGB where RGB is asked for. Gray files must have
factors of 1: others get the colors of other files, seen on an H200 with nvJPEG 13.3.

The manual says that all work of a call goes to the stream which the call is given. But the engine
begins with the call: it waits neither for work before on that stream, nor for events. It can also
report success for a file that it has left out. So the host waits until nothing uses the results'
memory, and marks the memory, before each call; and it waits for the results, and looks for marks
that are left, after the call. The host would wait for most of that time anyway, because the call
itself lasts nearly as long as the decoding.

Sources: nvJPEG's documentation, https://docs.nvidia.com/cuda/nvjpeg/; for what differs from it,
https://github.com/meta-pytorch/torchcodec/pull/1634 (order) and
https://github.com/MrNeRF/LichtFeld-Studio/pull/1924 (files that were left out).
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from glob import glob
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....engine.arrays import Array
from ....engine.gpu.device import Device
from ....engine.gpu.kernels import Kernel
from ....engine.gpu.tables import Pointers, struct_table
from ....engine.tensors import TensorListGPU

_HARDWARE = 3  # NVJPEG_BACKEND_HARDWARE
_ALLOCATOR_FAILURE = 5  # NVJPEG_STATUS_ALLOCATOR_FAILURE
_FORMATS = {"GRAY": 2, "RGB": 5}  # NVJPEG_OUTPUT_Y, NVJPEG_OUTPUT_RGBI
_IMAGE = np.dtype([("channel", np.uint64, 4), ("pitch", np.uint64, 4)])  # nvjpegImage_t

MARK = 0xA5
"""The byte that memory for results is filled with. A gray area of this value may look like memory
that was not written, which costs no more than another decode."""

_LOOK = Kernel(Path(__file__).parent / "unwritten.cu", "look", (("MARK", str(MARK)),))
_SPOTS = 32  # threads of a file, each of which looks at one spot


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
    for the model's work. The host waits for the end of each turn, so the state is never in use when
    a turn begins.

    Attributes:
        lock: who holds it uses the engine.
        users: number of decoders that have the engine.
        end: when the last call ended, in seconds of `perf_counter`.
        is_new: whether nothing was decoded; the first call allocates memory.
    """

    def __init__(
        self, library: ctypes.CDLL, handle: ctypes.c_void_p, state: ctypes.c_void_p
    ) -> None:
        self._library = library
        self.lock = threading.Lock()
        self.users = 0
        self.end = perf_counter()
        self.is_new = True
        self._handle = handle
        self._state = state

    @classmethod
    def open(cls) -> _JpegEngine | None:
        """Return the current device's engine; None if there is none, or nvJPEG is missing.

        Raises:
            MemoryError: nvJPEG could not allocate. CUDA cores would decode other pixels.
        """
        library = _library()
        if library is None:
            return None
        handle, state = ctypes.c_void_p(), ctypes.c_void_p()
        status = library.nvjpegCreateEx(_HARDWARE, None, None, 0, ctypes.byref(handle))
        if not status:
            status = library.nvjpegJpegStateCreate(handle, ctypes.byref(state))
            if not status:
                return cls(library, handle, state)
            library.nvjpegDestroy(handle)
        if status == _ALLOCATOR_FAILURE:
            raise MemoryError(
                "the GPU has no memory left for its JPEG engine, or too many processes have the "
                "engine open; free memory there, lower batch_size, let fewer processes share the "
                "GPU, or pass hw_decoder_load=0 to leave all files to CUDA cores"
            )
        return None

    def decode(self, stream: int, images: Sequence[Array], format_number: int) -> bool:
        """Decode a batch in a turn; return whether nvJPEG took it.

        Args:
            stream: handle of the stream for the work; the results are there when it has done that.
            images: addresses, lengths, and structs of nvJPEG for the results. Nothing may use the
                results' memory, nor be queued on the stream.
            format_number: nvJPEG's number of the form of the results.
        """
        library = self._library
        arrays = [ctypes.c_void_p(array.ctypes.data) for array in images]
        failed = library.nvjpegDecodeBatchedInitialize(
            self._handle, self._state, len(images[0]), 1, format_number
        ) or library.nvjpegDecodeBatched(
            self._handle, self._state, *arrays, ctypes.c_void_p(stream)
        )
        return not failed

    def close(self) -> None:
        """Free the memory of nvJPEG."""
        library = self._library
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


def look_for_marks(
    device: Device, pixels: NDArray[np.uint64], nbytes: NDArray[np.int64]
) -> NDArray[np.int32]:
    """Return for each image whether marks are left; known when the stream has done its work.

    Args:
        device: the device.
        pixels: addresses of the images.
        nbytes: bytes of the images.
    """
    is_left = device.pinned(4 * len(pixels)).view(np.int32)
    is_left[:] = 0
    table = struct_table(
        "Image",
        len(pixels),
        pixels=Pointers(pixels, "const unsigned char*"),
        is_left=Pointers(is_left.ctypes.data + 4 * np.arange(len(pixels)), "int*"),
        nbytes=nbytes,
    )
    device.launch(_LOOK, (1, len(pixels)), (_SPOTS,), table)
    return is_left


class Decoded(NamedTuple):
    """Files that the engine has decoded; the results are complete.

    Attributes:
        pixels: the images, each a row of bytes: HWC uint8.
        is_written: whether the engine has written the image: (files,) bool.
    """

    pixels: TensorListGPU
    is_written: NDArray[np.bool_]


class HardwareDecoder:
    """The engine for one lane.

    Attributes:
        busy: seconds that the last call took; 0 after the engine's first call.
        idle: seconds that nothing used the engine before that call.
        starved: part of the time since the call before in which the lane waited for batches.
        awaited: part of the time in which the consumer waited, between the readings then and now.
    """

    def __init__(self, lane: Device, engine: _JpegEngine) -> None:
        self.busy = self.idle = self.starved = self.awaited = 0.0
        self._seen = self._clocks(lane, perf_counter())
        self._readings = lane.readings
        self._lane = lane
        # The host waits for this stream, and must not wait for all that the lane has queued.
        self._beside = lane.beside()
        self._engine = engine

    @classmethod
    def open(cls, device: Device) -> HardwareDecoder | None:
        """Return a decoder for a lane; None where the GPU has no engine, or nvJPEG is missing.

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
                _engines.pop(self._lane.id).close()
        self._beside.give_back()

    def decode(
        self,
        encoded: NDArray[np.uint64],
        lengths: NDArray[np.int64],
        sizes: NDArray[np.int64],
        space: str,
    ) -> Decoded | None:
        """Decode whole JPEG files; return None if the engine refused the batch.

        Args:
            encoded: host addresses of the files.
            lengths: lengths of the files, in bytes.
            sizes: height and width of the images: (files, 2).
            space: "RGB" or "GRAY".
        """
        lane, beside, engine = self._lane, self._beside, self._engine
        channels = 1 if space == "GRAY" else 3
        nbytes = sizes.prod(axis=1) * channels
        with lane.waiting("gpu"), beside.launching():
            before = beside.taken_bytes
            pixels = beside.scratch(nbytes[:, np.newaxis], np.uint8)
            lane.taken_bytes += beside.taken_bytes - before
            block = pixels.stored.in_block()
            assert block is not None  # all memory of `scratch` is one
            beside.fill(block.memory, MARK)
            beside.synchronize()
            images = np.zeros(len(encoded), _IMAGE)
            images["channel"][:, 0] = pixels.pointers()
            images["pitch"][:, 0] = sizes[:, 1] * channels
            arrays = encoded, lengths.astype(np.uint64), images
            with engine.lock:
                started = perf_counter()
                self.idle = started - engine.end
                self._note_waits(started)
                try:
                    done = engine.decode(beside.stream.ptr, arrays, _FORMATS[space])
                    is_left = look_for_marks(beside, pixels.pointers(), nbytes)
                finally:  # also without memory for the look: the next turn finds the state idle
                    beside.synchronize()
                engine.end = perf_counter()
                lane.times.engines_ns["JPEG engine"] += int(1e9 * (engine.end - started))
                self.busy = 0.0 if engine.is_new else engine.end - started
                engine.is_new = False
            pixels.used_on(lane.stream.ptr, lasts=True)
            is_written = is_left == 0
            beside.end_batch()
        return Decoded(pixels, is_written) if done else None

    def _note_waits(self, now: float) -> None:
        seen, self._seen = self._seen, self._clocks(self._lane, now)
        self.starved = (self._seen[1] - seen[1]) / (self._seen[0] - seen[0])
        if self._lane.readings.batches != self._readings.batches:  # else nothing is known anew
            self.awaited = self._lane.readings.since(self._readings).waiting
            self._readings = self._lane.readings

    @staticmethod
    def _clocks(device: Device, now: float) -> tuple[float, float]:
        """Return seconds: the time, and how long the lane has waited until then."""
        return now, device.times.wait_ns["batches"] / 1e9
