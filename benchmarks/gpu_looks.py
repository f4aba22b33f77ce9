"""What a GPU does while a program runs: its memory, its energy, and its kernels."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

_LOOK_EVERY = 0.02  # seconds between two looks at the memory
_LONGEST_NAME = 90  # letters of a kernel's name
_MOST_LINES = 150


class MemoryWatch:
    """Looks at the GPU's memory until it is stopped.

    Attributes:
        last, peak: what `used_memory` returned last, and at most.
    """

    def __init__(self) -> None:
        self.peak = self.last = used_memory()
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._ends.wait(_LOOK_EVERY):
            self.last = used_memory()
            self.peak = max(self.peak, self.last)

    def stop(self) -> None:
        """End the thread."""
        self._ends.set()
        self._thread.join()


def used_memory() -> int:
    """Return the bytes of the GPU that are taken, less those that PyTorch's allocator keeps."""
    import torch

    free, total = torch.cuda.mem_get_info()
    return int(total - free - torch.cuda.memory_reserved())


def joules() -> float | None:
    """Return the energy that the GPU has used so far; None if the driver does not tell."""
    try:
        import pynvml
    except ImportError:
        return None
    import torch

    pynvml.nvmlInit()
    device = pynvml.nvmlDeviceGetHandleByIndex(torch.cuda.current_device())
    try:
        return float(pynvml.nvmlDeviceGetTotalEnergyConsumption(device)) / 1e3
    except pynvml.NVMLError:
        return None


def write_kernels(run: Callable[[], object], runs: int, path: Path) -> None:
    """Write how long the GPU's kernels and copies take in a run, by stream and name.

    Args:
        run: launches work on the GPU.
        runs: how often it is called.
        path: of the text to write.
    """
    import torch
    from torch.profiler import ProfilerActivity

    with torch.profiler.profile(activities=[ProfilerActivity.CUDA]) as profiler:
        for _ in range(runs):
            run()
        torch.cuda.synchronize()
    milliseconds: Counter[tuple[int, str]] = Counter()
    counts: Counter[tuple[int, str]] = Counter()
    of_streams: Counter[int] = Counter()
    for event in profiler.profiler.kineto_results.events():
        if event.device_type() != torch._C._autograd.DeviceType.CUDA:
            continue
        key = event.device_resource_id(), event.name()[:_LONGEST_NAME]
        milliseconds[key] += event.duration_ns() / 1e6
        counts[key] += 1
        of_streams[key[0]] += event.duration_ns() / 1e6
    lines = [f"stream {stream}: {time / runs:.3f} ms" for stream, time in of_streams.most_common()]
    for (stream, name), time in milliseconds.most_common(_MOST_LINES):
        times = counts[stream, name] / runs
        lines.append(f"{stream:4}{time / runs:9.3f} ms{times:8.1f} times  {name}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines))
