"""The indexing of TFRecord files, and their reading beside the `tfrecord` package.

`records_grid.py` compares the reading with DALI's.

    python benchmarks/readers_tfrecord.py [--json FILE] [--only NAME ...] [--rounds 5]
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import time
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from penstock.benchmarks import common
from penstock.benchmarks.looking import Looked, Watched

SMALL, SMALL_BYTES = 200_000, 1024
LARGE, LARGE_BYTES = 3_000, 110_000
KEYS = ("label", "image")


def records_file(folder: Path, count: int, size: int) -> Path:
    """Return a file of `count` records (an integer and about `size` bytes), and its index."""
    path = folder / f"{count}x{size}.tfrecord"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        from penstock.tests.readers import tfrecord_files as write  # needs crc32c

        partial_path = path.with_suffix(".partial")
        offsets = write.write_records(partial_path, _examples(write, count, size))
        write.write_index(path.with_suffix(".idx"), offsets)
        partial_path.replace(path)
    return path


def _examples(write: Any, count: int, size: int) -> Iterator[bytes]:
    random = np.random.default_rng(1)
    spread = size // 3 if size > 10_000 else 0  # photographs differ in size
    for number in range(count):
        content = random.bytes(size + int(random.integers(-spread, spread + 1)))
        yield write.example({"label": number % 1000, "image": content})


def read_records(package: str, path: Path, **options: Any) -> Any:
    """Return the outputs of Penstock's or DALI's reader of such a file: a dict with `KEYS`."""
    tfrecord = importlib.import_module(f"{package}.tfrecord")
    features = {
        "label": tfrecord.FixedLenFeature([], tfrecord.int64, -1),
        "image": tfrecord.FixedLenFeature([], tfrecord.string, ""),
    }
    index = str(path.with_suffix(".idx"))
    fn = importlib.import_module(f"{package}.fn")
    return fn.readers.tfrecord(path=str(path), index_path=index, features=features, **options)


def pipeline_rate(
    package: str, path: Path, batch_size: int, *, touch: bool = False, **options: Any
) -> Looked:
    """Return records a second through a whole pipeline of Penstock or DALI, two threads."""

    def define() -> Any:
        components = read_records(package, path, **options)
        return tuple(components[key] for key in KEYS)

    pipeline_def = importlib.import_module(package).pipeline_def
    make = pipeline_def(batch_size=batch_size, num_threads=2, device_id=None, seed=1)(define)
    watched = Watched((package, path, batch_size, *sorted(options.items())), make)

    def run() -> None:
        images = watched.run()[1]
        if touch:
            common.touch(images)

    return watched.looked(batch_size * common.batches_a_second(run))


def package_rate(path: Path, count: int) -> float:
    """Return records a second of the `tfrecord` package, which has no batches."""
    loader = importlib.import_module("tfrecord.reader").tfrecord_loader
    records: Iterable[Any] = loader(str(path), None, {"label": "int", "image": "byte"})
    started = time.perf_counter()
    read = sum(1 for _, _ in zip(range(count), records, strict=False))
    return read / (time.perf_counter() - started)


def index_rate(path: Path, *, verify: bool) -> float:
    """Return the gigabytes a second at which a file is indexed."""
    index = importlib.import_module("penstock.readers.tfrecord.framing").RecordIndexer
    storage = importlib.import_module("penstock.readers.storage.opening").open_storage(path)
    started = time.perf_counter()
    index(storage, verify_data=verify).offsets()
    return os.path.getsize(path) / 1e9 / (time.perf_counter() - started)


def measurements(folder: Path) -> dict[str, tuple[str, Any, Any]]:
    """Return unit, Penstock's turn and the other library's turn by name."""
    files = {
        "small": records_file(folder, SMALL, SMALL_BYTES),
        "110 KB": records_file(folder, LARGE, LARGE_BYTES),
    }
    ours: Any = partial(pipeline_rate, "penstock")
    package = package_rate if _there("tfrecord.reader") else None
    todo: dict[str, tuple[str, Any, Any]] = {}
    for name, path in files.items():
        for label, verify in (("", False), (", CRC", True)):
            mine = partial(index_rate, path, verify=verify)
            todo[f"{name} index{label}"] = "GB/s", mine, None
    small = files["small"]
    other = None if package is None else partial(package, small, SMALL)
    todo["small against `tfrecord`"] = "records/s", partial(ours, small, 256), other
    return todo


def _there(name: str) -> bool:
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True


def main() -> int:
    """The command line."""
    parser = common.command_line(__doc__)
    folder = common.PHOTOS.parent / "tfrecord"
    return common.main(parser, lambda _: measurements(folder), threads=2)


if __name__ == "__main__":
    sys.exit(main())
