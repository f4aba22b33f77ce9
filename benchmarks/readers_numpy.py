"""`fn.readers.numpy` beside DALI's, and beside NumPy's maps, on the same files.

Both take turns in one process, so that whatever else the machine does meets both of them; the
ratios are what to look at. The files stay in the page cache, if it is large enough for them.

    python benchmarks/readers_numpy.py [--json FILE] [--only NAME ...] [--rounds 7]
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from penstock.benchmarks import common

VOLUME, VOLUMES = (64, 512, 512), 16  # 64 MiB each
CUBE, PATCH = 512, 64
SMALL, SMALLS = (64, 64, 3), 4000  # 48 KiB each
MIDDLE, MIDDLES = (512, 512), 400  # 1 MiB each


def arrays(folder: Path, name: str, shape: tuple[int, ...], count: int) -> list[str]:
    """Return paths of float32 arrays of random numbers."""
    found = [folder / f"{name}_{i:05}.npy" for i in range(count)]
    for i, path in enumerate(found):
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            partial_path = path.with_suffix(".partial")
            with partial_path.open("wb") as file:
                np.save(file, np.random.default_rng(i).random(shape, np.float32))
            partial_path.replace(path)
    return list(map(str, found))


def pipeline_rate(
    package: str, batch_size: int, batches: int, define: Callable[[Any, Any], Any]
) -> float:
    """Samples a second through a whole pipeline of Penstock or DALI, two threads."""
    library = importlib.import_module(package)
    fn, types = (importlib.import_module(f"{package}.{name}") for name in ("fn", "types"))
    made = library.pipeline_def(batch_size=batch_size, num_threads=2, device_id=None)(define)
    pipeline = made(fn, types)
    pipeline.build()
    for _ in range(3):
        pipeline.run()
    started = time.perf_counter()
    for _ in range(batches):
        pipeline.run()
    seconds = time.perf_counter() - started
    if hasattr(pipeline, "close"):
        pipeline.close()
    return batch_size * batches / seconds


def map_rate(path: str, count: int) -> float:
    """Random patches a second that one thread copies out of a map of the file."""
    mapped = np.load(path, mmap_mode="r")
    patches = np.empty((16, PATCH, PATCH, PATCH), np.float32)
    starts = np.random.default_rng(5).integers(0, CUBE - PATCH, (count, 3)).tolist()
    started = time.perf_counter()
    for i, (z, y, x) in enumerate(starts):
        patches[i % 16] = mapped[z : z + PATCH, y : y + PATCH, x : x + PATCH]
    return count / (time.perf_counter() - started)


def reading(**arguments: Any) -> Callable[[Any, Any], Any]:
    """Return a definition that reads with these arguments."""
    return lambda fn, _: fn.readers.numpy(**arguments)


def patches_of(path: str) -> Callable[[Any, Any], Any]:
    """Return a definition that reads a random patch for each sample."""

    def define(fn: Any, types: Any) -> Any:
        start = fn.random.uniform(range=[0, CUBE - PATCH], shape=[3], dtype=types.INT32)
        return fn.readers.numpy(
            files=[path] * 16, roi_start=start, roi_shape=[PATCH] * 3, cache_header_information=True
        )

    return define


def measurements(folder: Path) -> dict[str, tuple[str, Any, Any]]:
    """Name each measurement: unit, what Penstock does, what the other one does."""
    volumes = arrays(folder, "volume", VOLUME, VOLUMES)
    small, middle = (
        arrays(folder, "small", SMALL, SMALLS),
        arrays(folder, "middle", MIDDLE, MIDDLES),
    )
    (cube,) = arrays(folder, "cube", (CUBE, CUBE, CUBE), 1)
    there = importlib.util.find_spec("nvidia") is not None
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
    ours = partial(pipeline_rate, "penstock", 16, 40, patches_of(cube))
    todo["patches, against a map"] = "samples/s", ours, partial(map_rate, cube, 640)
    return todo


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7, help="turns of each library")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="measure only these")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    options = parser.parse_args()
    offered = measurements(common.PHOTOS.parent / "numpy")
    figures = common.measure(parser, options.only, offered, options.rounds)
    if options.json:
        common.write_record(options.json, figures, rounds=options.rounds, threads=2)
    return 0


if __name__ == "__main__":
    sys.exit(main())
