"""The device stage on machines without a GPU: the same kernels, compiled for the host by g++.

Everything around them is the real thing, so operators' GPU work is tested wherever there is a
compiler. What it cannot show is what only a device does: races between threads, streams, memory
faults, speed.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from types import SimpleNamespace
from typing import Any

import numpy as np

from penstock.decoders.nvimgcodec import JpegDecoder
from penstock.engine.batch import Batch, run_batch_step
from penstock.engine.device import Device
from penstock.engine.kernels import Kernel, check_grid, source_of
from penstock.engine.plan import Plan, Segment
from penstock.engine.tensors import address_of

COMPILER = shutil.which("g++")
_HEADER = Path(__file__).with_name("emulator.h")
_CACHE = Path(tempfile.gettempdir()) / f"penstock-emulator-{os.getuid()}"


class DeviceArray(np.ndarray):  # type: ignore[type-arg]
    """A NumPy array that looks like CuPy's."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return dict(self.__array_interface__) | {"version": 3}

    @property
    def device(self) -> Any:
        return SimpleNamespace(id=0)

    def get(self) -> Any:
        return np.array(self)


class Foreign:
    """A batch or sample of another library on the device: strides and all, and no more to see."""

    def __init__(self, array: Any, stream: int | None = None) -> None:
        self._array = array
        self._stream = stream

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        stream = {} if self._stream is None else {"stream": self._stream}
        return dict(self._array.__array_interface__) | {"version": 3} | stream


class HostPool:
    """Memory full of rubbish, so that what is left unwritten is seen."""

    idle_bytes = 0

    def __init__(self, budget: int = 1 << 62) -> None:
        self._budget = budget
        self._lent: dict[int, int] = {}

    @property
    def lent_bytes(self) -> int:
        return sum(list(self._lent.values()))

    @property
    def room(self) -> int:
        return self._budget - self.lent_bytes

    def lend(self, nbytes: int, stream: Any) -> tuple[Any, None]:
        memory = np.full(nbytes, 0xA5, np.uint8)
        self._lent[id(memory)] = nbytes
        weakref.finalize(memory, self._lent.pop, id(memory))
        return memory.view(DeviceArray), None

    def close(self) -> None:
        pass


class _Stream:
    ptr = 0


class HostJpegDecoder(JpegDecoder):
    """nvImageCodec, decoding on the processor."""

    def _open(self, device: Device) -> Any:
        codec = self._library
        return codec.Decoder(
            device_id=codec.NVIMGCODEC_DEVICE_CPU_ONLY,
            backends=[codec.Backend(codec.BackendKind.CPU_ONLY)],
        )

    @staticmethod
    def _address(image: Any) -> int:
        return image.__array_interface__["data"][0]


class EmulatedDevice(Device):
    """A device whose memory is the host's, and whose kernels run at once."""

    shared_bytes = 228 << 10
    multiprocessors = 16

    def __init__(self, pool: HostPool) -> None:
        super().__init__(None, 0, _Stream(), pool, 2)  # type: ignore[arg-type]

    def event(self) -> None:
        return None

    def wait(self, event: None) -> None:
        pass

    def synchronize(self) -> None:
        pass

    def view(self, data: Any) -> Any:
        if isinstance(data, DeviceArray):
            return data
        seen = SimpleNamespace(__array_interface__=data.__cuda_array_interface__, data=data)
        return np.asarray(seen).view(DeviceArray)

    def fill(self, memory: Any, value: int) -> None:
        memory[...] = value

    def copy(self, to: int, source: int, nbytes: int, kind: int = 3) -> None:
        ctypes.memmove(to, source, nbytes)

    def launch(self, kernel: Kernel, grid, block, *arguments, shared_bytes=0) -> None:
        if 0 in grid:
            return
        assert shared_bytes <= 227 * 1024
        assert np.prod(block) <= 1024
        check_grid(grid)
        values = [
            np.uint64(address_of(a)) if hasattr(a, "__cuda_array_interface__") else a
            for a in arguments
        ]
        assert all(isinstance(v, np.generic) for v in values), "pass NumPy scalars"
        cells = [np.array(value) for value in values]
        pointers = (ctypes.c_void_p * len(cells))(*(cell.ctypes.data for cell in cells))
        extents = [(ctypes.c_uint * 3)(*e, *[1] * (3 - len(e))) for e in (grid, block)]
        library, synchronises = emulated(kernel)
        with _running:
            library.run(pointers, *extents, synchronises)


_running = threading.Lock()  # the emulator has one set of thread indices


@cache
def emulated(kernel: Kernel) -> tuple[ctypes.CDLL, int]:
    """Compile a kernel for the host; say whether its threads synchronise."""
    text = source_of(kernel.file).replace("#include <cuda_fp16.h>", "")
    text = f'#include "{_HEADER}"\n{text}\nEMULATE({kernel.function})\n'
    key = hashlib.sha256((text + _HEADER.read_text() + repr(kernel.options)).encode()).hexdigest()
    library = _CACHE / f"{key[:24]}.so"
    if not library.exists():
        _CACHE.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "kernel.cpp"
            source.write_text(text)
            built = Path(folder) / "kernel.so"
            flags = ["-O1", "-fno-exceptions", "-shared", "-fPIC", "-mf16c", "-w", *kernel.options]
            command = [str(COMPILER), *flags, "-o", str(built), str(source)]
            subprocess.run(command, check=True, capture_output=True)
            partial = library.with_suffix(f".{os.getpid()}")
            shutil.copy(built, partial)
            partial.rename(library)
    return ctypes.CDLL(str(library)), int("__sync" in text.split('#include "')[1].split("\n", 1)[1])


class EmulatedStage:
    """Takes the place of `engine.device_stage.DeviceStage`."""

    def __init__(
        self, device_id: int | None, budget: int, threads: int, plan: Plan, done: Any, clocks: Any
    ) -> None:
        self.pool = HostPool(budget)
        self._done = done
        self._queue: SimpleQueue[Any] = SimpleQueue()
        self.threads = [threading.Thread(target=self._lane, name="penstock-device-0", daemon=True)]

    def put(self, batch: Batch, segment: Segment, index: int) -> None:
        self._queue.put((batch, segment, index))

    def stop(self) -> None:
        self._queue.put(None)

    @contextmanager
    def on_stream(self, handle: int) -> Iterator[EmulatedDevice]:
        yield EmulatedDevice(self.pool)

    @contextmanager
    def aside(self) -> Iterator[EmulatedDevice]:
        yield EmulatedDevice(self.pool)

    def pin(self, address: int, size: int) -> None:
        pass

    def unpin(self, address: int) -> None:
        pass

    def _lane(self) -> None:
        device = EmulatedDevice(self.pool)
        while (job := self._queue.get()) is not None:
            batch, segment, index = job
            batch.device = device
            before = device.taken_bytes
            failure = None
            try:
                for step in segment.steps:
                    run_batch_step(step, batch, "GPU")
                batch.run_checks()
            except BaseException as error:
                failure = error
            device.end_batch()
            batch.taken_device_bytes += device.taken_bytes - before
            batch.held.clear()
            self._done(batch, index, failure)
            del job, batch, failure
