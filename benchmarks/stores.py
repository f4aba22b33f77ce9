"""CPU time of ranges from stores: our storage, beside obstore alone, over HTTP and S3's protocol.

python benchmarks/stores.py [--rounds 5] [--delay 0] [--json FILE]

The server is a process of its own on loopback, and its time does not count. A turn reads ranges at
random places of one object, in batches. Every range is compared with the object, in turns that are
not measured.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from obstore import get
from obstore.store import HTTPStore, S3Store

from penstock.benchmarks import common
from penstock.benchmarks.common import Figure
from penstock.readers.storage.opening import open_storage

SERVER = common.ROOT / "tests" / "readers" / "range_server.py"
SIZE = 128 << 20
BATCH = 64
AT_ONCE = 16
S3 = {"key": "a", "secret": "b", "region": "us-east-1"}
WORK = {
    "1,000 ranges of 100 KB": (100_000, 1024, 1000 / 1024),
    "1 GB in 4 MiB": (4 << 20, 64, 1e9 / (64 << 22)),
}
"""Bytes of a range, ranges of a turn, and the factor from a turn to what is named."""

Read = Callable[[list[int], NDArray[np.uint8]], None]
"""Reads ranges at offsets into the rows of an array."""


@contextmanager
def serving(folder: Path, delay: float) -> Iterator[str]:
    server = subprocess.Popen(
        [sys.executable, SERVER, folder, "--delay", str(delay)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
    finally:
        server.communicate()


def penstock(url: str) -> dict[str, Read]:
    """Return how our storage reads, by protocol."""
    limits = {"limits": {"at_once": AT_ONCE}}
    over_http = open_storage(f"{url}/data", limits)
    over_s3 = open_storage("s3://bucket/data", {**S3, "endpoint_url": url, **limits})

    def read(storage: Any, offsets: list[int], rows: NDArray[np.uint8]) -> None:
        storage.fill(offsets, list(rows))

    return {"http": partial(read, over_http), "s3": partial(read, over_s3)}


def obstore(url: str) -> dict[str, Read]:
    """Return how obstore alone reads, by threads of Python's pool, with the same condition."""
    client: Any = {"allow_http": True}
    keys: Any = {"access_key_id": "a", "secret_access_key": "b", "region": "us-east-1"}
    stores = {
        "http": HTTPStore(url, client_options=client),
        "s3": S3Store("bucket", endpoint=url, client_options=client, **keys),
    }
    pool = ThreadPoolExecutor(AT_ONCE)

    def read(store: Any, offsets: list[int], rows: NDArray[np.uint8]) -> None:
        tag = get(store, "data", options={"head": True}).meta["e_tag"]

        def one(offset: int, row: NDArray[np.uint8]) -> None:
            wanted: Any = {"range": (offset, offset + row.size), "if_match": tag}
            content: Any = get(store, "data", options=wanted).bytes()
            row[:] = np.frombuffer(content, np.uint8)

        list(pool.map(one, offsets, rows))

    return {name: partial(read, store) for name, store in stores.items()}


def turn(read: Read, length: int, count: int, factor: float) -> float:
    """Return the CPU time of the ranges of a turn, in seconds, times a factor."""
    rows = np.zeros((BATCH, length), np.uint8)
    offsets = np.random.default_rng(1).integers(0, SIZE - length, count).tolist()
    started = time.process_time()
    for start in range(0, count, BATCH):
        read(offsets[start : start + BATCH], rows)
    return (time.process_time() - started) * factor


def check(read: Read, content: NDArray[np.uint8], length: int) -> None:
    rows = np.zeros((BATCH, length), np.uint8)
    offsets = np.random.default_rng(2).integers(0, SIZE - length, BATCH).tolist()
    read(offsets, rows)
    for offset, row in zip(offsets, rows, strict=True):
        np.testing.assert_array_equal(row, content[offset : offset + length])


def measure(url: str, content: NDArray[np.uint8], options: Namespace) -> list[Figure]:
    figures = []
    common.print_header("obstore")
    for protocol in ("http", "s3"):
        ours, theirs = penstock(url)[protocol], obstore(url)[protocol]
        for name, (length, count, factor) in WORK.items():
            for read in (ours, theirs):
                check(read, content, length)
            figure = common.alternate(
                f"{protocol}, {name}",
                "s",
                partial(turn, ours, length, count, factor),
                partial(turn, theirs, length, count, factor),
                options.rounds,
            )
            common.print_figure(figure)
            figures.append(figure)
    return figures


def main() -> int:
    parser = common.command_line(__doc__, only=False)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each answer")
    options = parser.parse_args()
    content = np.frombuffer(np.random.default_rng(0).bytes(SIZE), np.uint8)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "data").write_bytes(content.tobytes())
        with serving(Path(folder), options.delay) as url:
            figures = measure(url, content, options)
    common.record(options, figures, other="obstore", at_once=AT_ONCE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
