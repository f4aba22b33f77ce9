"""Readers of records, files and whole arrays beside DALI's: sizes, batches, threads, and orders.

The pipelines of both libraries read the same files, which stay in the page cache. For each line
both pipelines are built once, and take short turns in one process.

A consumer takes the batches alone ("taken"), reads a byte of each page ("touched"), or copies each
sample's bytes into memory of its own ("copied"), as a collating function does. DALI's readers hand
out views of mapped files, so the bytes of a batch that is taken alone were never read.

Each setting has two lines: records a second, and records a second of CPU time, of this process and
its children. On a machine with other work the second line is steadier.

    python benchmarks/records_grid.py [--formats tfrecord recordio ...] [--sizes small large huge]
        [--batch 8 32 256] [--threads 1 2 4] [--orders stored shuffled]
        [--uses taken touched copied] [--rounds 9] [--json FILE]
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import os
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from penstock.benchmarks import common
from penstock.benchmarks.looking import Looked, Watched
from penstock.benchmarks.readers_lmdb import database, datum
from penstock.benchmarks.readers_numpy import arrays
from penstock.benchmarks.readers_records import archive_file, images, index_of, record_file
from penstock.benchmarks.readers_tfrecord import read_records, records_file

SIZES = {"small": (40_000, 2_500), "large": (3_000, 110_000), "huge": (64, 16 << 20)}
"""Number of records, and their mean length in bytes; lengths differ by up to a third. All arrays
are of one length."""

ORDERS = ("stored", "shuffled")
USES = ("taken", "touched", "copied")
FOLDER = common.PHOTOS.parent
WARM_UP_SECONDS, TURN_SECONDS = 1.5, 0.25  # until processes read
AHEAD = 30  # batches before the time of a turn starts: those computed ahead are not counted


@dataclass(frozen=True)
class Setting:
    """One line of the table."""

    form: str
    size: str
    batch: int
    threads: int
    order: str
    use: str

    def __str__(self) -> str:
        return f"{self.form} {self.size} {self.order} {self.use} x{self.batch} t{self.threads}"


def read_tfrecord(package: str, size: str, options: Any) -> Any:
    """Return the images of TFRecord files; Penstock verifies their checksums, DALI does not."""
    read = read_records(package, records_file(FOLDER / "tfrecord", *SIZES[size]), **options)
    return read["image"], read["label"]


def read_tfrecord_unchecked(package: str, size: str, options: Any) -> Any:
    """Return the same without checksums in either library."""
    return read_tfrecord(
        package, size, options | ({"verify_crc": "never"} if package == "penstock" else {})
    )


def read_recordio(package: str, size: str, options: Any) -> Any:
    """Return the images of RecordIO files."""
    path = record_file(FOLDER / "records", *SIZES[size])
    readers = importlib.import_module(f"{package}.fn").readers
    return readers.mxnet(path=[str(path)], index_path=[str(index_of(path))], **options)


def read_webdataset(package: str, size: str, options: Any) -> Any:
    """Return the images of tar archives."""
    path = archive_file(FOLDER / "records", *SIZES[size])
    read = importlib.import_module(f"{package}.fn").readers.webdataset
    indexes = [str(index_of(path))]
    types = [importlib.import_module(f"{package}.types").UINT8] * 2
    return read(paths=[str(path)], index_paths=indexes, ext=["jpg", "cls"], dtypes=types, **options)


def _caffe_file(size: str) -> str:
    count, length = SIZES[size]
    return database(
        f"grid-{count}x{length}",
        (datum(image, i % 1000) for i, image in enumerate(images(count, length))),
    )


def read_caffe(package: str, size: str, options: Any) -> Any:
    """Return the images of Caffe's LMDB databases."""
    readers = importlib.import_module(f"{package}.fn").readers
    return readers.caffe(path=_caffe_file(size), **options)


def read_files(package: str, size: str, options: Any) -> Any:
    """Return the images of files in one folder."""
    count, length = SIZES[size]
    folder = FOLDER / "files" / f"{count}x{length}"
    if not folder.exists():
        partial_folder = folder.with_suffix(".partial")
        (partial_folder / "class").mkdir(parents=True, exist_ok=True)
        for i, image in enumerate(images(count, length)):
            (partial_folder / "class" / f"{i:07}.jpg").write_bytes(image)
        partial_folder.rename(folder)
    return importlib.import_module(f"{package}.fn").readers.file(file_root=str(folder), **options)


def read_arrays(package: str, size: str, options: Any) -> Any:
    """Return whole arrays of `.npy` files."""
    count, length = SIZES[size]
    files = arrays(FOLDER / "numpy", f"{count}x{length}", (length // 4,), count)
    return (importlib.import_module(f"{package}.fn").readers.numpy(files=files, **options),)


FORMATS: dict[str, Callable[[str, str, Any], Any]] = {
    "tfrecord": read_tfrecord,
    "tfrecord-unchecked": read_tfrecord_unchecked,
    "recordio": read_recordio,
    "webdataset": read_webdataset,
    "caffe": read_caffe,
    "files": read_files,
    "arrays": read_arrays,
}


class Side:
    """The pipeline of one library for one line, and its consumer."""

    def __init__(self, package: str, setting: Setting) -> None:
        options = {"random_shuffle": True} if setting.order == "shuffled" else {}
        pipeline_def = importlib.import_module(package).pipeline_def
        make = pipeline_def(
            batch_size=setting.batch, num_threads=setting.threads, device_id=None, seed=1
        )(lambda: tuple(FORMATS[setting.form](package, setting.size, options)))
        self._watched = Watched((package, setting), make)
        self._batch_size = setting.batch
        self._use = setting.use
        self._memory = np.empty(2 * SIZES[setting.size][1], np.uint8)
        common.run_for(self.run, WARM_UP_SECONDS)

    def run(self) -> None:
        """Take one batch."""
        images = self._watched.run()[0]
        if self._use == "copied":
            common.copy_samples(images, self._memory)
        elif self._use == "touched":
            common.touch(images)

    def turn(self) -> tuple[float, float]:
        """Return records a second of one turn, and records a second of CPU time."""
        for _ in range(AHEAD):
            self.run()
        started, used = time.perf_counter(), common.cpu_seconds()
        records = self._batch_size * common.run_for(self.run, TURN_SECONDS)
        seconds, used = time.perf_counter() - started, common.cpu_seconds() - used
        return records / seconds, records / used

    def looked(self) -> Looked:
        """End the pipeline, and compare what all turns saw."""
        looked = self._watched.looked(0)
        gc.collect()
        return looked


def figures(setting: Setting, packages: list[str], rounds: int) -> list[common.Figure]:
    """Measure one setting by turns: the rates by the clock and by CPU time."""
    sides = [Side(package, setting) for package in packages]
    turns = np.array([[side.turn() for side in sides] for _ in range(rounds)])
    looked = [side.looked() for side in sides]
    compared, wrong = sum(one.compared for one in looked), sum(one.wrong for one in looked)
    return [
        replace(
            common.figure_of(
                str(setting), unit, *turns[:, :, i].T.tolist(), *[()] * (2 - len(sides))
            ),
            compared=compared,
            wrong=wrong,
        )
        for i, unit in enumerate(("rec/s", "rec/CPU s"))
    ]


def main() -> int:
    """The command line."""
    parser = common.command_line(__doc__, rounds=9, only=False)
    parser.add_argument("--formats", nargs="+", choices=FORMATS, default=list(FORMATS))
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=["small", "large"])
    parser.add_argument("--batch", nargs="+", type=int, default=[8, 32, 256])
    parser.add_argument("--threads", nargs="+", type=int, default=[2])
    parser.add_argument("--orders", nargs="+", choices=ORDERS, default=list(ORDERS))
    parser.add_argument("--uses", nargs="+", choices=USES, default=["copied"])
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    packages = ["penstock"]
    if importlib.util.find_spec("nvidia") is not None:
        packages.append("nvidia.dali")
    common.print_header()
    measured: list[common.Figure] = []
    load = [os.getloadavg()[0]]
    for choice in product(
        options.formats, options.sizes, options.batch, options.threads, options.orders, options.uses
    ):
        for figure in figures(Setting(*choice), packages, options.rounds):
            common.print_figure(figure)
            measured.append(figure)
    load.append(os.getloadavg()[0])
    common.record(options, measured, load_before_and_after=load)
    return 0


if __name__ == "__main__":
    sys.exit(main())
