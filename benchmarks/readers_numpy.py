"""`fn.readers.numpy` beside DALI's, and beside NumPy's maps, on the same files.

Both libraries take turns in one process. The files stay in the page cache, if it is large enough.
Pipelines warm up for some seconds, in which Penstock starts the process that maps files. "copied":
the consumer copies each sample into memory of its own, because DALI's samples may be views of maps.

With `--device gpu` batches go to the GPU. DALI reads on the CPU and copies, because its GPU reader
works with GPUDirect Storage alone. "A map" copies each patch into pinned memory, and the batch to
the GPU. The cold measurement drops the volumes from the page cache first.

    python benchmarks/readers_numpy.py [--device gpu] [--folder PATH] [--volumes 64] [--json FILE]
        [--only NAME ...] [--rounds N] [--threads N]
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from penstock.benchmarks import common
from penstock.benchmarks.looking import Looked, Watched

VOLUME, VOLUMES = (64, 512, 512), 16  # 64 MiB each
CUBE, PATCH = 512, 64
SMALL, SMALLS = (64, 64, 3), 4000  # 48 KiB each
MIDDLE, MIDDLES = (512, 512), 400  # 1 MiB each
LONGEST_COPIED = 1 << 20


LEAD = 8
"""Number of batches that pipelines read ahead at most."""

WARM_UP_SECONDS = 3.0

Define = Callable[[Any, Any], Any]


def arrays(folder: Path, name: str, shape: tuple[int, ...], count: int) -> list[str]:
    """Return paths of float32 arrays of random numbers."""
    paths = [folder / f"{name}_{i:05}.npy" for i in range(count)]

    def make(i: int) -> None:
        partial_path = paths[i].with_suffix(".partial")
        with partial_path.open("wb") as file:
            np.save(file, np.random.default_rng(i).random(shape, np.float32))
        partial_path.replace(paths[i])

    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(max_workers=8) as threads:
        list(threads.map(make, (i for i, path in enumerate(paths) if not path.exists())))
    return list(map(str, paths))


def pipeline_rate(
    package: str,
    batch_size: int,
    batches: int,
    define: Define,
    *,
    threads: int = 2,
    device: str = "cpu",
    warm_up: int | None = None,
    cold: Sequence[str] = (),
    copies: bool = False,
) -> Looked:
    """Return samples a second through a whole pipeline of Penstock or DALI.

    Args:
        package: "penstock" or "nvidia.dali".
        batch_size, batches, threads: of the pipeline, and how many are measured.
        define: called with the modules `fn` and `types`; returns the data.
        device: where the batches end up.
        warm_up: batches before those that are measured; by default as many as take 3 s.
        cold: files that are dropped out of the page cache after that.
        copies: whether the consumer copies each sample.
    """
    memory = np.empty(LONGEST_COPIED, np.uint8)
    library = importlib.import_module(package)
    fn, types = (importlib.import_module(f"{package}.{name}") for name in ("fn", "types"))
    device_id = 0 if device == "gpu" else None
    options = {"batch_size": batch_size, "num_threads": threads, "device_id": device_id, "seed": 1}
    make = partial(library.pipeline_def(**options)(define), fn, types)
    watched = Watched((package, batch_size, define, device, threads), make)
    if warm_up is None:
        common.run_for(watched.run, WARM_UP_SECONDS)
    for _ in range(warm_up or 0):
        watched.run()
    for path in cold:
        drop(path)
    started = time.perf_counter()
    for _ in range(batches):
        (output,) = watched.run()
        if copies:
            common.copy_samples(output, memory)
    if device == "gpu":
        import cupy

        cupy.cuda.Device().synchronize()
    seconds = time.perf_counter() - started
    del output
    return watched.looked(batch_size * batches / seconds)


def drop(path: str) -> None:
    """Write a file to the disk, and drop it from the page cache."""
    number = os.open(path, os.O_RDONLY)
    os.fsync(number)
    os.posix_fadvise(number, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(number)


def map_rate_gpu(path: str, batch_size: int, batches: int, threads: int) -> float:
    """Return random patches a second that threads copy from a map and PyTorch to the GPU."""
    import torch

    mapped = np.load(path, mmap_mode="r")
    shape = (batch_size, PATCH, PATCH, PATCH)
    hosts = [torch.empty(shape, dtype=torch.float32, pin_memory=True) for _ in range(2)]
    starts = np.random.default_rng(5).integers(0, CUBE - PATCH, (batches + 1, batch_size, 3))

    def copy(host: Any, i: int, start: Sequence[int]) -> None:
        z, y, x = start
        host[i] = mapped[z : z + PATCH, y : y + PATCH, x : x + PATCH]

    with ThreadPoolExecutor(threads) as pool:
        for number, batch in enumerate(starts.tolist()):
            if number == 1:  # the first pass warms up
                started = time.perf_counter()
            torch.cuda.synchronize()  # waits for the last copy of the buffer
            host = hosts[number % 2]
            list(pool.map(partial(copy, host.numpy()), range(batch_size), batch))
            device = host.cuda(non_blocking=True)
        torch.cuda.synchronize()
    del device
    return batches * batch_size / (time.perf_counter() - started)


def map_rate(path: str, count: int) -> float:
    """Return random patches a second that one thread copies from a map of the file."""
    mapped = np.load(path, mmap_mode="r")
    patches = np.empty((16, PATCH, PATCH, PATCH), np.float32)
    starts = np.random.default_rng(5).integers(0, CUBE - PATCH, (count, 3)).tolist()
    started = time.perf_counter()
    for i, (z, y, x) in enumerate(starts):
        patches[i % 16] = mapped[z : z + PATCH, y : y + PATCH, x : x + PATCH]
    return count / (time.perf_counter() - started)


def reading(device: str = "cpu", **arguments: Any) -> Define:
    """Return a definition that reads with these arguments."""

    def define(fn: Any, _: Any) -> Any:
        if device == "gpu" and fn.__name__.startswith("nvidia"):
            return fn.readers.numpy(**arguments).gpu()
        return fn.readers.numpy(device=device, **arguments)

    return define


def patches_of(path: str, device: str = "cpu") -> Define:
    """Return a definition that reads a random patch for each sample."""

    def define(fn: Any, types: Any) -> Any:
        start = fn.random.uniform(range=[0, CUBE - PATCH], shape=[3], dtype=types.INT32)
        read = reading(
            device,
            files=[path] * 16,
            roi_start=start,
            roi_shape=[PATCH] * 3,
            cache_header_information=True,
        )
        return read(fn, types)

    return define


def has_dali() -> bool:
    """Return whether DALI is installed."""
    return (
        importlib.util.find_spec("nvidia") is not None
        and importlib.util.find_spec("nvidia.dali") is not None
    )


def measurements(folder: Path) -> dict[str, tuple[str, Any, Any]]:
    """Return unit, Penstock's turn and the other turn by name."""
    volumes = arrays(folder, "volume", VOLUME, VOLUMES)
    small, middle = (
        arrays(folder, "small", SMALL, SMALLS),
        arrays(folder, "middle", MIDDLE, MIDDLES),
    )
    (cube,) = arrays(folder, "cube", (CUBE, CUBE, CUBE), 1)
    there = has_dali()
    todo: dict[str, tuple[str, Any, Any]] = {}
    for label, batch, batches, define in (
        (
            "4 of 64 MiB, planes",
            8,
            40,
            reading(files=volumes, roi_start=30, roi_shape=4, roi_axes=0),
        ),
        (
            "4 of 64 MiB, box",
            8,
            40,
            reading(files=volumes, roi_start=[24, 128, 128], roi_shape=[16, 256, 256]),
        ),
        (
            "4 of 64 MiB, rows",
            8,
            40,
            reading(files=volumes, roi_start=128, roi_shape=32, roi_axes=1),
        ),
        ("whole, 48 KiB", 128, 60, reading(files=small)),
        ("whole, 1 MiB", 32, 40, reading(files=middle)),
        ("whole, 64 MiB", 2, 16, reading(files=volumes)),
        ("patches 64^3 of 512^3", 16, 40, patches_of(cube)),
    ):
        turns = [
            partial(pipeline_rate, package, batch, batches, define)
            for package in ("penstock", "nvidia.dali")
        ]
        todo[label] = "samples/s", turns[0], turns[1] if there else None
    quarter = {"roi_axes": [0, 1], "roi_start": [16, 16], "roi_shape": [32, 32]}
    large_quarter = quarter | {"roi_start": [128, 128], "roi_shape": [256, 256]}
    for label, batches, arguments in (
        ("48 KiB", 400, {"files": small}),
        ("1 MiB", 100, {"files": middle}),
        ("a quarter of 48 KiB", 400, {"files": small} | quarter),
        ("a quarter of 1 MiB", 100, {"files": middle} | large_quarter),
    ):
        for batch in (1, 8):
            turns = [
                partial(pipeline_rate, package, batch, batches, reading(**arguments), copies=True)
                for package in ("penstock", "nvidia.dali")
            ]
            todo[f"{label} x{batch}, copied"] = "samples/s", turns[0], turns[1] if there else None
    ours = partial(pipeline_rate, "penstock", 16, 40, patches_of(cube))
    todo["patches, against a map"] = "samples/s", ours, partial(map_rate, cube, 640)
    return todo


def measurements_gpu(folder: Path, volumes: int, threads: int) -> dict[str, tuple[str, Any, Any]]:
    """Return the measurements that end on the GPU, in the same form."""
    files = arrays(folder, "volume", VOLUME, volumes)
    (cube,) = arrays(folder, "cube", (CUBE, CUBE, CUBE), 1)
    planes = {"roi_start": 30, "roi_shape": 4, "roi_axes": 0, "cache_header_information": True}
    there = has_dali()

    def both(batch: int, batches: int, define: Define, scale: float = 1, **more: Any) -> list[Any]:
        def rate(package: str) -> Looked:
            looked = pipeline_rate(
                package, batch, batches, define, threads=threads, device="gpu", **more
            )
            return looked._replace(figure=scale * looked.figure)

        return [partial(rate, "penstock"), partial(rate, "nvidia.dali") if there else None]

    gigabytes = float(4 * np.prod(VOLUME) / 1e9)
    warm = {
        f"4 of 64 MiB x{batch}, warm": ("samples/s", *both(batch, 3200 // batch, region))
        for region in (reading("gpu", files=files, **planes),)
        for batch in (8, 32, 64)
    }
    # What is dropped must not be under way: LEAD batches of the first file stand before it. They
    # are read while time is taken and are not counted, so that the figure is rather too low.
    size, fresh = 4, (volumes - 1) // 4
    cold = both(
        size,
        LEAD + fresh,
        reading("gpu", files=files[:1] * (2 * LEAD * size) + files[1:], **planes),
        scale=fresh / (LEAD + fresh),
        warm_up=LEAD,
        cold=files[1:],
    )
    whole = {
        f"whole, 64 MiB x{batch}, warm": ("GB/s", *both(batch, 800 // batch, define, gigabytes))
        for define in (reading("gpu", files=files),)
        for batch in (2, 8)
    }
    patches = both(64, 200, patches_of(cube, "gpu"))
    return {
        **warm,
        "4 of 64 MiB, cold": ("samples/s", *cold),
        **whole,
        "patches 64^3 of 512^3": ("samples/s", *patches),
        "patches, a map": ("samples/s", patches[0], partial(map_rate_gpu, cube, 64, 30, 1)),
        f"patches, a map, {threads} threads": (
            "samples/s",
            patches[0],
            partial(map_rate_gpu, cube, 64, 30, threads),
        ),
    }


def main() -> int:
    """The command line."""
    parser = common.command_line(__doc__, rounds=7)
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu")
    parser.add_argument("--folder", type=Path, default=common.PHOTOS.parent / "numpy")
    parser.add_argument("--volumes", type=int, default=64, help="files of 64 MiB, for the GPU")
    parser.add_argument("--threads", type=int, default=2, help="of pipelines: 2, for the GPU 16")
    if parser.parse_args().device == "gpu":
        parser.set_defaults(rounds=3, threads=16)

    def offered(options: argparse.Namespace) -> common.Measurements:
        if options.device == "gpu":
            return measurements_gpu(options.folder, options.volumes, options.threads)
        return measurements(options.folder)

    return common.main(parser, offered)


if __name__ == "__main__":
    sys.exit(main())
