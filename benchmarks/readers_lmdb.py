"""Reading LMDB data sets beside NVIDIA DALI, and the time that their index takes.

Records have 110 KB, like those of ImageNet: Caffe's Datum, Caffe2's TensorProtos, and bare values,
which are compared with DALI's Caffe reader. Both libraries take turns in one process. Without DALI,
the program prints the figures of Penstock alone.

    python benchmarks/readers_lmdb.py [--json FILE] [--rounds 5]
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterable
from functools import partial
from typing import Any

import lmdb
import numpy as np

from penstock.benchmarks import common
from penstock.benchmarks.training_cpu import BATCH, THREADS, Library, by_turns, speed
from penstock.readers.lmdb.format import read_snapshot
from penstock.readers.lmdb.tree import read_entries
from penstock.readers.storage.opening import open_storage
from penstock.tests.readers import lmdb_samples

FOLDER = common.PHOTOS.parent / "lmdb"
RECORD = 110_000
SMALL = 1000, 200_000  # bytes, records: values that lie in the tree itself


def datum(image: bytes, label: int) -> bytes:
    """Encode a Caffe Datum."""
    return lmdb_samples.datum(shape=(375, 500, 3), data=image, label=label, encoded=True)


def tensor_protos(image: bytes, label: int) -> bytes:
    """Encode a Caffe2 TensorProtos of an image and its class."""
    first = lmdb_samples.tensor(4, dims=(1,), strings=(image,))
    return lmdb_samples.tensor_protos(first, lmdb_samples.tensor(2, dims=(1,), int32s=(label,)))


def database(name: str, values: Iterable[bytes]) -> str:
    """Return the path of a database; write the database if it is missing."""
    path = FOLDER / name
    if not path.exists():
        path.mkdir(parents=True)
        with (
            lmdb.open(str(path), map_size=1 << 32, sync=False) as environment,
            environment.begin(write=True) as transaction,
        ):
            for number, value in enumerate(values):
                transaction.put(b"%08d" % number, value)
    return str(path)


def read_caffe(library: Library, path: str) -> Any:
    """Return images and labels of Caffe's Datum."""
    return tuple(library.fn.readers.caffe(path=path))


def read_caffe2(library: Library, path: str) -> Any:
    """Return images and labels of Caffe2's TensorProtos."""
    return tuple(library.fn.readers.caffe2(path=path))


def read_values(library: Library, path: str) -> Any:
    """Return bare values."""
    return library.fn.readers.lmdb(path=path)


def index_rate(path: str) -> float:
    """Return the gigabytes a second at which a file is indexed."""
    storage = open_storage(os.path.join(path, "data.mdb"))
    started = time.perf_counter()
    snapshot = read_snapshot(storage)
    read_entries(storage, snapshot, snapshot.main)
    return storage.size / (time.perf_counter() - started) / 1e9


def measurements(options: argparse.Namespace) -> common.Measurements:
    """Return unit, Penstock's turn and DALI's turn by name."""
    image = np.random.default_rng(1).bytes(RECORD)
    numbers = range(options.records)
    caffe = database(f"caffe-{options.records}", (datum(image, n % 1000) for n in numbers))
    caffe2 = database(
        f"caffe2-{options.records}", (tensor_protos(image, n % 1000) for n in numbers)
    )
    small = database("small", (image[: SMALL[0]] for _ in range(SMALL[1])))
    reading: dict[str, tuple[str, Any, Any]] = {}
    for name, path, mine, other in (
        ("caffe, 110 KB", caffe, read_caffe, read_caffe),
        ("caffe2, 110 KB", caffe2, read_caffe2, read_caffe2),
        ("lmdb, 110 KB", caffe, read_values, read_caffe),
    ):
        turns = [
            partial(speed, graph=graph, folder=path, batches=options.batches)
            for graph in (mine, other)
        ]
        reading[name] = "records/s", turns[0], turns[1]
    return {
        **by_turns(reading),
        "index, 110 KB records": ("GB/s", partial(index_rate, caffe), None),
        "index, 1 KB records": ("GB/s", partial(index_rate, small), None),
    }


def main() -> int:
    """The command line."""
    parser = common.command_line(__doc__)
    parser.add_argument("--records", type=int, default=2000, help="records of 110 KB")
    parser.add_argument("--batches", type=int, default=128, help="batches in a turn")
    return common.main(parser, measurements, batch=BATCH, threads=THREADS)


if __name__ == "__main__":
    sys.exit(main())
