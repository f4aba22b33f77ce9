"""The input pipeline of image classification on the CPU, beside NVIDIA DALI's.

Both libraries read the same photographs with the same pipelines: each function below defines
a graph for either. They take turns in one process, so that whatever else the machine does
meets both; the ratios are what to look at. Without DALI only our figures are printed.

    python benchmarks/training_cpu.py [--json FILE] [--only NAME ...] [--rounds 5]
"""

from __future__ import annotations

import argparse
import importlib
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from penstock.benchmarks import common

BATCH = 64
THREADS = 2
WARM_UP = 4  # batches: more than are computed ahead, so that none of the timed ones is ready
READS_PER_IMAGE = 16  # reading is so much faster that it needs longer turns
SIZE = (224, 224)
MEAN = [0.485 * 255, 0.456 * 255, 0.406 * 255]
STD = [0.229 * 255, 0.224 * 255, 0.225 * 255]

Graph = Callable[["Library", str], Any]


@dataclass(frozen=True)
class Library:
    """Penstock or DALI: the parts that a pipeline is written with."""

    name: str
    fn: Any
    types: Any
    pipeline_def: Any

    def pipeline(self, graph: Graph, folder: str, **options: Any) -> Any:
        """Return a pipeline that has not been built."""
        usual = {"batch_size": BATCH, "num_threads": THREADS, "device_id": None, "seed": 1}
        define = self.pipeline_def(**usual | {"prefetch_queue_depth": 2} | options)
        return define(lambda: graph(self, folder))()


def load(name: str) -> Library:
    """Import a library by the name of its package."""
    package = importlib.import_module(name)
    fn, types = (importlib.import_module(f"{name}.{part}") for part in ("fn", "types"))
    return Library(name, fn, types, package.pipeline_def)


def load_dali() -> Library | None:
    """Import DALI if it is there."""
    try:
        return load("nvidia.dali")
    except ModuleNotFoundError:
        print("DALI is not installed: figures of Penstock alone\n")
        return None


def read(library: Library, folder: str) -> Any:
    """Encoded files, as they are."""
    encoded, labels = library.fn.readers.file(file_root=folder)
    return encoded, labels


def decode(library: Library, folder: str) -> Any:
    """Whole photographs."""
    encoded, labels = library.fn.readers.file(file_root=folder)
    return library.fn.decoders.image(encoded), labels


def train(library: Library, folder: str, **decoding: Any) -> Any:
    """Random windows at one size, mirrored at random, normalised: float32 CHW."""
    fn, types = library.fn, library.types
    encoded, labels = fn.readers.file(file_root=folder, random_shuffle=True)
    images = fn.decoders.image_random_crop(encoded, output_type=types.RGB, **decoding)
    images = fn.resize(images, size=SIZE)
    images = fn.crop_mirror_normalize(
        images,
        dtype=types.FLOAT,
        output_layout="CHW",
        mean=MEAN,
        std=STD,
        mirror=fn.random.coin_flip(probability=0.5),
    )
    return images, labels


def speed(library: Library, graph: Graph, folder: str, batches: int) -> float:
    """Images a second of a pipeline that is under way."""
    pipeline = library.pipeline(graph, folder)
    pipeline.build()
    for _ in range(WARM_UP):
        pipeline.run()
    started = time.perf_counter()
    for _ in range(batches):
        pipeline.run()
    seconds = time.perf_counter() - started
    close(pipeline)
    return batches * BATCH / seconds


def first_batch(library: Library, folder: str) -> float:
    """Seconds from the definition of the training pipeline to its first batch."""
    started = time.perf_counter()
    pipeline = library.pipeline(train, folder)
    pipeline.build()
    pipeline.run()
    seconds = time.perf_counter() - started
    close(pipeline)
    return seconds


def close(pipeline: Any) -> None:
    """End the work ahead; DALI's pipeline does so when nobody refers to it."""
    if hasattr(pipeline, "close"):
        pipeline.close()


def import_time(library: Library) -> float:
    """Seconds that a new interpreter takes to import the library."""
    program = (
        "import time; started = time.perf_counter()\n"
        f"from {library.name} import fn, pipeline_def, types\n"
        "print(time.perf_counter() - started)"
    )
    command = [sys.executable, "-W", "ignore", "-c", program]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def measurements(folder: str, large: str, batches: int) -> dict[str, tuple[str, Any, Any]]:
    """Name each measurement: unit, what Penstock does, what DALI does.

    `folder` has photographs of 500x375, `large` of 1000x750; a file has 110 KB in both.
    """
    rate = "images/s"
    fitted = partial(train, fit=SIZE)

    def graph(
        ours: Graph, theirs: Graph, turns: int = batches, photographs: str = folder
    ) -> tuple[str, Any, Any]:
        turn = partial(speed, folder=photographs, batches=turns)
        return rate, partial(turn, graph=ours), partial(turn, graph=theirs)

    start = partial(first_batch, folder=folder)
    return {
        "train": graph(train, train),
        "train, fit=(224, 224)": graph(fitted, train),
        "train, 1000x750": graph(train, train, photographs=large),
        "train, 1000x750, fit": graph(fitted, train, photographs=large),
        "decode": graph(decode, decode),
        "decode, 1000x750": graph(decode, decode, photographs=large),
        "read": graph(read, read, batches * READS_PER_IMAGE),
        "first batch": ("s", start, start),
        "import": ("s", import_time, import_time),
    }


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--images", type=int, default=256, help="photographs in the data set")
    parser.add_argument("--batches", type=int, default=16, help="batches in a turn")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each library")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="measure only these")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    options = parser.parse_args()
    ours = load("penstock")
    theirs = load_dali()
    large = common.photographs(options.images // 2, (750, 1000), 70)
    todo = measurements(str(common.photographs(options.images)), str(large), options.batches)
    offered = {
        name: (unit, partial(mine, ours), None if theirs is None else partial(other, theirs))
        for name, (unit, mine, other) in todo.items()
    }
    figures = common.measure(parser, options.only, offered, options.rounds)
    if options.json:
        common.write_record(
            options.json, figures, images=options.images, batch=BATCH, threads=THREADS,
            batches=options.batches, rounds=options.rounds,
        )  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
