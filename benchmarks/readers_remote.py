"""Records behind HTTP with 20 ms of latency a request: our reader against loops over fsspec.

python benchmarks/readers_remote.py [--latency 0.02] [--seconds 4] [--batch 16]

The server is a process of its own on loopback. All read the same records of 110 KB in
shuffled order; samples per second, and the ratio to the first line, in one run.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
from numpy.typing import NDArray

from penstock import fn, pipeline_def
from penstock.benchmarks import common
from penstock.benchmarks.looking import Looked, Watched
from penstock.benchmarks.stores import serving

ROOT = Path(__file__).resolve().parent.parent
RECORD = 110_000
COUNT = 1500
MAGIC = 0xCED7230A


def write_records(path: Path) -> NDArray[np.int64]:
    """Write a RecordIO file of images that are noise, and its index; return the offsets."""
    random = np.random.default_rng(1)
    stride = 8 + 24 + RECORD
    with path.open("wb") as file:
        for number in range(COUNT):
            head = np.array([MAGIC, 24 + RECORD], "<u4").tobytes()
            image = np.array([0], "<u4").tobytes() + np.array([number], "<f4").tobytes()
            file.write(head + image + bytes(16) + random.bytes(RECORD))
    offsets = np.arange(COUNT) * stride
    lines = (f"{number}\t{offset}\n" for number, offset in enumerate(offsets))
    path.with_suffix(".idx").write_text("".join(lines))
    return offsets


def samples_per_second(batch: Callable[[], int], seconds: float) -> float:
    """Call `batch`, which returns how many samples it read, for some time."""
    batch()
    started, count = time.perf_counter(), 0
    while (elapsed := time.perf_counter() - started) < seconds:
        count += batch()
    return count / elapsed


def reader_rate(url: str, size: int, seconds: float, **options: Any) -> Looked:
    """Return the samples per second of our reader with `options`."""

    @pipeline_def(batch_size=size, num_threads=1, prefetch_queue_depth=2, seed=1)
    def pipeline() -> Any:
        data = f"{url}/data.rec"
        index = f"{url}/data.idx"
        return fn.readers.mxnet(path=data, index_path=index, random_shuffle=True, **options)

    watched = Watched((url, size, *sorted(options.items())), pipeline)
    return watched.looked(samples_per_second(lambda: len(watched.run()[0]), seconds))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.02)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--batch", type=int, default=16)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        offsets = write_records(Path(folder) / "data.rec")
        with serving(Path(folder), options.latency) as url:
            measure(url, offsets, options.seconds, options.batch)


def measure(url: str, offsets: NDArray[np.int64], seconds: float, size: int) -> None:
    fs = fsspec.filesystem("http")
    data = f"{url}/data.rec"
    random = np.random.default_rng(2)

    def one_by_one() -> int:
        for offset in random.choice(offsets, 8).tolist():
            fs.cat_file(data, start=offset, end=offset + RECORD)
        return 8

    def together() -> int:
        chosen = random.choice(offsets, size)
        ends = (chosen + RECORD).tolist()
        fs.cat_ranges([data] * size, chosen.tolist(), ends)
        return size

    results = {
        "fsspec, cat_file in a loop": Looked(samples_per_second(one_by_one, seconds)),
        "fsspec, cat_ranges for a batch": Looked(samples_per_second(together, seconds)),
    }
    for depth in (0, 1, 2, 4, 8):
        name = f"penstock, {depth} batches ahead"
        results[name] = reader_rate(url, size, seconds, prefetch_queue_depth=depth)
    blocks = {"shuffle_block": 32, "shuffle_window": 4}
    results["penstock, 4 ahead, blocks of 32"] = reader_rate(url, size, seconds, **blocks)
    first = next(iter(results.values())).figure
    for name, (rate, compared, wrong, _) in results.items():
        print(
            f"{name:32} {rate:8.0f} samples/s  {rate / first:6.1f}"
            f"{common.seen(compared or None, wrong)}"
        )


if __name__ == "__main__":
    main()
