"""The indexing of RecordIO files and tar archives; `records_grid.py` compares their reading.

python benchmarks/readers_records.py [--json FILE] [--only NAME ...] [--rounds 5]
"""

from __future__ import annotations

import importlib
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from penstock.benchmarks import common
from penstock.benchmarks.looking import Looked, Watched
from penstock.tests.readers import record_io, tars

COUNT, BYTES = 3_000, 110_000
SMALL_COUNT, SMALL_BYTES = 100_000, 1024


def images(count: int, size: int) -> Iterator[bytes]:
    """Yield random bytes whose lengths differ by a third, like the lengths of photographs."""
    random = np.random.default_rng(1)
    for _ in range(count):
        yield random.bytes(size + int(random.integers(-size // 3, size // 3)))


def index_of(path: Path) -> Path:
    """Return the path of a file's index."""
    return path.with_name(path.name + ".idx")


def record_file(folder: Path, count: int, size: int) -> Path:
    """Return a RecordIO file with its index beside it."""
    path = folder / f"{count}x{size}.rec"
    if not path.exists():
        labelled = (record_io.image_record(image, i) for i, image in enumerate(images(count, size)))
        _write(path, map(record_io.record, labelled), lambda i, offset: f"{i}\t{offset}\n")
    return path


def archive_file(folder: Path, count: int, size: int) -> Path:
    """Return a tar archive with DALI's index beside it."""
    path = folder / f"{count}x{size}.tar"
    if not path.exists():
        entries = (
            tars.entry(b"%07d.jpg" % i, image) + tars.entry(b"%07d.cls" % i, b"%d" % (i % 1000))
            for i, image in enumerate(images(count, size))
        )
        _write(path, entries, lambda _i, _offset: "", tars.CLOSING)
        index = importlib.import_module("penstock.readers.webdataset.dali_index")
        index.write_dali_index(path, index_of(path))
    return path


def _write(
    path: Path, entries: Iterator[bytes], line: Callable[[int, int], str], end: bytes = b""
) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial_path = path.with_suffix(".partial")
    with partial_path.open("wb") as file, index_of(path).open("w") as index:
        for number, entry in enumerate(entries):
            index.write(line(number, file.tell()))
            file.write(entry)
        file.write(end)
    partial_path.replace(path)


def pipeline_rate(
    package: str, path: Path, batch_size: int, *, touch: bool = False, **options: Any
) -> Looked:
    """Return records a second through a whole pipeline of Penstock or DALI, two threads."""
    readers = importlib.import_module(f"{package}.fn").readers
    index = [str(index_of(path))]
    if path.suffix == ".rec":
        read = partial(readers.mxnet, path=[str(path)], index_path=index)
    else:
        types = [importlib.import_module(f"{package}.types").UINT8] * 2
        read = partial(
            readers.webdataset,
            paths=[str(path)],
            index_paths=index,
            ext=["jpg", "cls"],
            dtypes=types,
        )

    def define() -> Any:
        return tuple(read(**options))

    pipeline_def = importlib.import_module(package).pipeline_def
    make = pipeline_def(batch_size=batch_size, num_threads=2, device_id=None, seed=1)(define)
    watched = Watched((package, path, batch_size, *sorted(options.items())), make)

    def run() -> None:
        records = watched.run()[0]
        if touch:
            common.touch(records)

    return watched.looked(batch_size * common.batches_a_second(run))


def index_rate(path: Path) -> float:
    """Return the gigabytes a second at which a file is indexed."""
    storage = importlib.import_module("penstock.readers.storage.opening").open_storage(path)
    if path.suffix == ".rec":
        build = partial(importlib.import_module("penstock.readers.recordio.framing").scan, storage)
    else:
        tar = importlib.import_module("penstock.readers.archives.tar")
        index = importlib.import_module("penstock.readers.webdataset.dali_index")
        build = partial(index.group, tar.members(storage), "first")
    started = time.perf_counter()
    build()
    return os.path.getsize(path) / 1e9 / (time.perf_counter() - started)


def measurements(folder: Path) -> dict[str, tuple[str, Any, Any]]:
    """Return unit, Penstock's turn and DALI's turn by name."""
    makers = {"RecordIO": record_file, "WebDataset": archive_file}
    todo: dict[str, tuple[str, Any, Any]] = {}
    for format_name, make in makers.items():
        path = make(folder, COUNT, BYTES)
        small = make(folder, SMALL_COUNT, SMALL_BYTES)
        todo[f"{format_name} index"] = "GB/s", partial(index_rate, path), None
        todo[f"{format_name} index, 1 KB"] = "GB/s", partial(index_rate, small), None
    return todo


def main() -> int:
    """The command line."""
    parser = common.command_line(__doc__)
    warnings.simplefilter("ignore")
    folder = common.PHOTOS.parent / "records"
    return common.main(parser, lambda _: measurements(folder), threads=2)


if __name__ == "__main__":
    sys.exit(main())
