"""Training and record reading beside other busy processes on the same cores.

Penstock and DALI take turns while `--busy` processes compute without end. Whoever holds the GIL is
preempted then, so each number of busy processes shows how much a library depends on the GIL.

    python benchmarks/busy.py [--busy 0 2 5] [--json FILE] [--only NAME ...] [--rounds 3]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from penstock.benchmarks import common, readers_records, readers_tfrecord
from penstock.benchmarks.looking import Looked
from penstock.benchmarks.training_cpu import load, load_dali, speed, train

BATCH = 256


@contextmanager
def busy_processes(count: int) -> Iterator[None]:
    """Let `count` processes compute on the cores of this process."""
    spin = [sys.executable, "-S", "-c", "while True: pass"]
    processes = [subprocess.Popen(spin) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def beside(count: int, turn: common.Turn) -> float | Looked:
    """Return the figure of a turn beside `count` busy processes."""
    with busy_processes(count):
        return turn()


def measurements(options: argparse.Namespace) -> dict[str, tuple[str, Any, Any]]:
    """Return unit, Penstock's turn and DALI's turn by name."""
    libraries = load("penstock"), load_dali()
    photographs = str(common.photographs(options.images))
    data = common.PHOTOS.parent
    archive = readers_records.archive_file(
        data / "records", readers_records.COUNT, readers_records.BYTES
    )
    records = readers_tfrecord.records_file(
        data / "tfrecord", readers_tfrecord.LARGE, readers_tfrecord.LARGE_BYTES
    )
    todo: dict[str, tuple[str, Any, Any]] = {}
    for count in options.busy:
        turns: dict[str, tuple[str, Any]] = {
            "train": ("images/s", partial(speed, graph=train, folder=photographs, batches=8)),
            "TFRecord": ("records/s", partial(rate, readers_tfrecord.pipeline_rate, records)),
            "WebDataset": ("records/s", partial(rate, readers_records.pipeline_rate, archive)),
        }
        for name, (unit, turn) in turns.items():
            ours, theirs = (
                library and partial(beside, count, partial(turn, library)) for library in libraries
            )
            todo[f"{name}, {count} busy"] = unit, ours, theirs
    return todo


def rate(pipeline_rate: Any, path: Path, library: Any) -> Looked:
    """Return the records a second of a library, with a byte of each page read."""
    result: Looked = pipeline_rate(library.name, path, BATCH, touch=True)
    return result


def main() -> int:
    """The command line."""
    parser = common.command_line(__doc__, rounds=3)
    parser.add_argument("--busy", type=int, nargs="+", default=[0, 2, 5], help="busy processes")
    parser.add_argument("--images", type=int, default=256, help="photographs in the data set")
    return common.main(parser, measurements)


if __name__ == "__main__":
    sys.exit(main())
