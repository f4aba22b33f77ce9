"""A CUDA device for machines without a GPU: the same kernels, compiled for the host by g++.

The emulation replaces the device alone. The device stage, its threads and the operators are the
real ones, so operators' GPU work is tested wherever there is a compiler. Races between the threads
of a kernel, streams, memory faults and speed need a real device.
"""

from __future__ import annotations

import ctypes
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from time import perf_counter_ns
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from ..decoders.image.engines.nvimgcodec import JpegDecoder
from ..decoders.image.engines.nvjpeg import Decoded
from ..engine.arrays import Addresses, Array, Bytes, Int64s
from ..engine.gpu.device import Device
from ..engine.gpu.gpu_device import GpuDevice, default_budget
from ..engine.gpu.host_registry import HostRegistry
from ..engine.gpu.kernels import OPTIONS, Kernel
from ..engine.gpu.rehearsal_device import RehearsalDevice

if TYPE_CHECKING:
    from ..engine.tensors.device_memory import DevicePool

COMPILER = shutil.which("g++")
_HEADER = Path(__file__).with_name("emulator.h")
_FLAGS = (*OPTIONS, "-O1", "-fno-exceptions", "-fPIC", "-mf16c", "-w")
_SHORT = 1 << 20  # maximum size in bytes of memory that is kept after its use
_IN_VENV = sys.prefix != sys.base_prefix
_USERS = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
_GIVEN = os.environ.get("PENSTOCK_EMULATOR_CACHE")
_CACHE = Path(_GIVEN or Path(sys.prefix if _IN_VENV else _USERS) / "penstock-emulator")
"""Compiled kernels, by what they are compiled from. In a virtual environment they last as long as
it does: the next run of the tests finds them, and so does a process with other variables."""


class DeviceArray(Array):
    """A NumPy array that looks like CuPy's."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return dict(self.__array_interface__) | {"version": 3}

    @property
    def device(self) -> Any:
        return SimpleNamespace(id=0)

    def get(self, out: Array | None = None) -> Array:
        if out is None:
            return np.array(self)
        np.copyto(out, self)
        return out


class Foreign:
    """A batch or sample of another library, of which only the array interface can be seen."""

    def __init__(self, array: Array, stream: int | None = None) -> None:
        self._array = array
        self._stream = stream

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        stream = {} if self._stream is None else {"stream": self._stream}
        return dict(self._array.__array_interface__) | {"version": 3} | stream


class HostPool:
    """Memory that is filled with 0xA5, so that a test sees unwritten elements.

    Memory that comes back is filled again and kept for a while, so that a test sees kernels that
    read memory which nothing holds: on a device the next buffer would lie there.
    """

    idle_bytes = 0
    pinned_frees = 0

    def __init__(self, budget: int = 1 << 62) -> None:
        self.budget = budget
        self._lent: dict[int, int] = {}
        self._returned: deque[Array] = deque(maxlen=64)

    @property
    def lent_bytes(self) -> int:
        return sum(list(self._lent.values()))

    @property
    def room(self) -> int:
        return self.budget - self.lent_bytes

    def lend(self, nbytes: int, stream: object) -> tuple[DeviceArray, None]:
        owner: Any = np.full(nbytes, 0xA5, np.uint8)
        memory = np.frombuffer(memoryview(owner), np.uint8)
        self._lent[id(memory)] = nbytes
        weakref.finalize(memory, self._take_back, id(memory), owner)
        return memory.view(DeviceArray), None

    def lasting(self, nbytes: int) -> DeviceArray:
        return np.full(nbytes, 0xA5, np.uint8).view(DeviceArray)

    def free_pinned(self) -> None:
        self.pinned_frees += 1

    def _take_back(self, key: int, owner: Array) -> None:
        del self._lent[key]
        if owner.size <= _SHORT:
            owner.fill(0xA5)
            self._returned.append(owner)

    def close(self) -> None:
        pass


class _Stream:
    ptr = 0

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        pass


class HostJpegDecoder(JpegDecoder):
    """nvImageCodec, decoding on the CPU."""

    def _open(self, device: Device) -> Any:
        codec = self._library
        return codec.Decoder(
            device_id=codec.NVIMGCODEC_DEVICE_CPU_ONLY,
            backends=[codec.Backend(codec.BackendKind.CPU_ONLY)],
        )

    @staticmethod
    def _address(image: Any) -> int:
        address: int = image.__array_interface__["data"][0]
        return address


class HostEngine:
    """The hardware JPEG engine: libjpeg-turbo, called for a batch."""

    busy, idle, starved, awaited = 0.01, 0.0, 0.0, 1.0
    decoded = 0

    def __init__(self, device: Device) -> None:
        self._device = device

    @classmethod
    def open(cls, device: Device) -> HostEngine:
        return cls(device)

    def decode(self, encoded: Addresses, lengths: Int64s, sizes: Int64s, space: str) -> Decoded:
        import simplejpeg

        nbytes = sizes.prod(axis=1) * (1 if space == "GRAY" else 3)
        pixels = self._device.scratch(nbytes[:, np.newaxis], np.uint8)
        arrays = zip(encoded.tolist(), lengths.tolist(), pixels.pointers().tolist(), strict=True)
        for address, length, to in arrays:
            data = ctypes.string_at(address, length)
            image = simplejpeg.decode_jpeg(data, space, fastupsample=True)
            ctypes.memmove(to, image.ctypes.data, image.nbytes)
        HostEngine.decoded += len(lengths)
        return Decoded(pixels, np.ones(len(lengths), np.bool_))


_locked: dict[int, int] = {}
"""Ends of the blocks of host memory that are pinned or registered, by their starts."""


def _lock(address: int, size: int) -> None:
    # CUDA refuses memory of which a part is locked, and later copies of memory locked in part.
    for start, end in list(_locked.items()):  # threads lock, too
        assert end <= address or address + size <= start
    _locked[address] = address + size


class EmulatedRegistry(HostRegistry):
    """Notes which host memory is registered; the kernels can read all memory."""

    def __init__(self) -> None:
        pass

    def register(self, address: int, size: int) -> None:
        _lock(address, size)

    def unregister(self, address: int) -> None:
        del _locked[address]


_NO_CUPY = cast("ModuleType", None)
"""Emulated devices override all that calls CuPy."""


class EmulatedDevice(Device):
    """A device whose memory is the host's, and whose kernels run at once."""

    shared_bytes = 228 << 10
    multiprocessors = 16
    registry = EmulatedRegistry()

    def __init__(self, pool: HostPool) -> None:
        super().__init__(_NO_CUPY, 0, _Stream(), cast("DevicePool", pool), 2)

    def beside(self) -> EmulatedDevice:
        return EmulatedDevice(cast("HostPool", self.pool))

    def give_back(self) -> None:
        pass

    def event(self) -> None:
        return None

    def wait(self, event: None) -> None:
        pass

    def wait_for_default_stream(self) -> None:
        pass

    @contextmanager
    def current(self) -> Iterator[None]:
        yield

    def synchronize(self) -> None:
        pass

    def view(self, data: Any) -> Any:
        if isinstance(data, DeviceArray):
            return data
        seen = SimpleNamespace(__array_interface__=data.__cuda_array_interface__, data=data)
        return np.asarray(seen).view(DeviceArray)

    def pinned(self, nbytes: int) -> Bytes:
        memory = np.full(nbytes, 0xA5, np.uint8)
        self.hold(memory)
        return memory

    def fill(self, memory: Array, value: int) -> None:
        memory[...] = value

    def copy(self, to: int, source: int, nbytes: int, direction: int = 3) -> None:
        ctypes.memmove(to, source, nbytes)

    def kernel_function(self, kernel: Kernel, shared_bytes: int) -> Callable[..., None]:
        assert shared_bytes <= 227 * 1024
        library, synchronizes = emulated(kernel)
        return partial(self._run, library, synchronizes)

    def _run(
        self,
        library: ctypes.CDLL,
        synchronizes: int,
        grid: Sequence[int],
        block: Sequence[int],
        values: Sequence[object],
        shared_mem: int,
    ) -> None:
        assert np.prod(block) <= 1024
        cells = [np.array(value) for value in values]
        pointers = (ctypes.c_void_p * len(cells))(*(cell.ctypes.data for cell in cells))
        extents = [(ctypes.c_uint * 3)(*e, *[1] * (3 - len(e))) for e in (grid, block)]
        with _running:
            library.run(pointers, *extents, synchronizes, shared_mem)


class EmulatedRehearsalDevice(RehearsalDevice):
    """A rehearsal device without CuPy."""

    shared_bytes = EmulatedDevice.shared_bytes
    multiprocessors = EmulatedDevice.multiprocessors

    def __init__(self, needed: Callable[[Kernel], None]) -> None:
        super().__init__(_NO_CUPY, 0, needed)


_running = threading.Lock()  # the emulator has one set of thread indices


def _key(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:24]


def _compile(*arguments: str | Path) -> None:
    compiler = subprocess.run([str(COMPILER), *_FLAGS, *arguments], capture_output=True, text=True)
    assert compiler.returncode == 0, compiler.stderr


def _once(target: Path, build: Callable[[Path], Path]) -> None:
    """Build a part of the cache, unless it is there; other processes that need it wait.

    Args:
        target: where the part will lie.
        build: builds the part in the folder that it is given; returns where it lies there.
    """
    if target.exists():
        return
    _CACHE.mkdir(parents=True, exist_ok=True)
    with (_CACHE / f"{target.name[:2]}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            with tempfile.TemporaryDirectory(dir=_CACHE) as folder:
                build(Path(folder)).rename(target)


@cache
def _compiled_header() -> Path:
    """Return a copy of the header, with its compiled form beside it, which halves the time."""
    text = _HEADER.read_text()

    def build(folder: Path) -> Path:
        header = folder / "header" / _HEADER.name
        header.parent.mkdir()
        header.write_text(text)
        _compile("-x", "c++-header", header, "-o", header.with_suffix(".h.gch"))
        return header.parent

    target = _CACHE / _key(text, *_FLAGS)
    _once(target, build)
    return target / _HEADER.name


@cache
def emulated(kernel: Kernel) -> tuple[ctypes.CDLL, int]:
    """Compile a kernel for the host; return whether its threads synchronize."""
    text = kernel.source.replace("#include <cuda_fp16.h>", "")
    text = f"{text}\nEMULATE({kernel.function})\n"
    header = _compiled_header()

    def build(folder: Path) -> Path:
        source, built = folder / "kernel.cpp", folder / "kernel.so"
        source.write_text(text)
        _compile("-include", header, "-shared", source, "-o", built)
        return built

    library = _CACHE / f"{_key(header.parent.name, text)}.so"
    _once(library, build)
    return ctypes.CDLL(str(library)), int("__sync" in text)


class EmulatedGpuDevice(GpuDevice):
    """Takes the place of `engine.gpu.gpu_device.GpuDevice`: its memory is the host's.

    Attributes:
        pinned_blocks: ends of the blocks of host memory that are locked, by their starts.
    """

    pinned_blocks: ClassVar[dict[int, int]] = _locked

    def __init__(self, device_id: int | None, budget: int | None, num_threads: int) -> None:
        self.check_context()
        self.pool = HostPool(budget or default_budget(0))

    @contextmanager
    def lane(self) -> Iterator[EmulatedDevice]:
        yield EmulatedDevice(self.pool)

    @contextmanager
    def current(self) -> Iterator[None]:
        yield

    @contextmanager
    def on_stream(self, handle: int) -> Iterator[EmulatedDevice]:
        yield EmulatedDevice(self.pool)

    @contextmanager
    def aside(self) -> Iterator[EmulatedDevice]:
        yield EmulatedDevice(self.pool)

    def open_lane(self) -> EmulatedDevice:
        return EmulatedDevice(self.pool)

    @contextmanager
    def on_lane(self, device: Device) -> Iterator[None]:
        yield
        device.end_batch()

    def close_lane(self, device: Device) -> None:
        device.drop_own()

    def rehearsing(self, needed: Callable[[Kernel], None]) -> EmulatedRehearsalDevice:
        return EmulatedRehearsalDevice(needed)

    def compile(self, kernel: Kernel) -> None:
        """Do nothing: g++ takes ten times as long as CUDA's compiler."""

    def mark(self, device: Device) -> int:
        return perf_counter_ns()

    def wait_for(self, event: int) -> None:
        pass

    def elapsed_ns(self, events: Sequence[int]) -> list[int]:
        return [after - before for before, after in pairwise(events)]

    def pin(self, address: int, size: int) -> None:
        _lock(address, size)

    def unpin(self, address: int) -> None:
        _locked.pop(address, None)

    def _probe(self) -> None:
        pass
