"""The input pipeline of image classification on the CPU, beside NVIDIA DALI's.

Both libraries read the same photographs with the same pipelines: each graph function below works
with either library. The libraries take turns in one process. Without DALI, the program prints the
figures of Penstock alone.

    python benchmarks/training_cpu.py [--data natural web uniform] [--photographs FOLDER]
        [--batch 8 64 512] [--threads 1 2 16] [--json FILE] [--only NAME ...] [--rounds 5]
"""

from __future__ import annotations

import argparse
import importlib
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from penstock.benchmarks import common
from penstock.benchmarks.looking import Looked, Watched
from penstock.benchmarks.natural_data import MIXES, data_set

BATCH = 64
THREADS = 2
WARM_UP_SECONDS = 3.0  # until then, worker processes have replaced threads
READS_PER_IMAGE = 16  # reading is fast and needs longer turns
EARLY_SECONDS = 2.0
SIZE = (224, 224)
MEAN = [0.485 * 255, 0.456 * 255, 0.406 * 255]
STD = [0.229 * 255, 0.224 * 255, 0.225 * 255]

Graph = Callable[["Library", str], Any]


@dataclass(frozen=True)
class Library:
    """The modules of Penstock or DALI that define a pipeline."""

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
    fn, types = (importlib.import_module(f"{name}.{module}") for module in ("fn", "types"))
    return Library(name, fn, types, package.pipeline_def)


def load_dali() -> Library | None:
    """Import DALI if it is installed."""
    try:
        return load("nvidia.dali")
    except ModuleNotFoundError:
        print("DALI is not installed: these are figures of Penstock alone\n")
        return None


def read(library: Library, folder: str) -> Any:
    """Return the encoded files."""
    encoded, labels = library.fn.readers.file(file_root=folder)
    return encoded, labels


def decode(library: Library, folder: str) -> Any:
    """Return whole photographs."""
    encoded, labels = library.fn.readers.file(file_root=folder)
    return library.fn.decoders.image(encoded), labels


def train(library: Library, folder: str, **decoding: Any) -> Any:
    """Return random windows at one size, mirrored at random and normalized: float32 CHW."""
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


def speed(library: Library, graph: Graph, folder: str, batches: int, **options: Any) -> Looked:
    """Return images a second of a pipeline after its first seconds."""
    watched = watch(library, graph, folder, **options)
    common.run_for(watched.run, WARM_UP_SECONDS)
    started = time.perf_counter()
    for _ in range(batches):
        watched.run()
    seconds = time.perf_counter() - started
    batch_size: int = options.get("batch_size", BATCH)
    return watched.looked(batches * batch_size / seconds)


def watch(library: Library, graph: Graph, folder: str, **options: Any) -> Watched:
    """Return a pipeline whose samples are looked at."""
    key = library.name, graph, folder, *sorted(options.items())
    return Watched(key, partial(library.pipeline, graph, folder, **options))


def first_batch(library: Library, folder: str, **options: Any) -> Looked:
    """Return seconds from the definition of the training pipeline to its first batch."""
    started = time.perf_counter()
    watched = watch(library, train, folder, **options)
    watched.run()
    return watched.looked(time.perf_counter() - started)


def early_images(library: Library, folder: str, **options: Any) -> Looked:
    """Return images a second in the first `EARLY_SECONDS` from the definition on."""
    started = time.perf_counter()
    watched = watch(library, train, folder, **options)
    batches = common.run_for(watched.run, started + EARLY_SECONDS - time.perf_counter())
    seconds = time.perf_counter() - started
    batch_size: int = options.get("batch_size", BATCH)
    return watched.looked(batches * batch_size / seconds)


def import_time(library: Library) -> float:
    """Return the seconds that a new interpreter takes to import the library."""
    program = (
        "import time; started = time.perf_counter()\n"
        f"from {library.name} import fn, pipeline_def, types\n"
        "print(time.perf_counter() - started)"
    )
    command = [sys.executable, "-W", "ignore", "-c", program]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def measurements(options: argparse.Namespace) -> dict[str, tuple[str, Any, Any]]:
    """Return unit, Penstock's turn and DALI's turn by name; both take the library."""
    todo: dict[str, tuple[str, Any, Any]] = {}
    for mix in options.data:
        folder = str(data_set(mix, options.images, options.photographs))
        for batch in options.batch:
            for threads in options.threads:
                setting = {"folder": folder, "batch_size": batch, "num_threads": threads}
                turn = partial(speed, graph=train, batches=options.batches, **setting)
                todo[f"train {mix} {batch} x{threads}"] = "images/s", turn, turn
        start = {"batch_size": options.batch[0], "num_threads": options.threads[0]}
        for name, unit, function in (
            ("first batch", "s", first_batch),
            ("first 2 seconds", "images/s", early_images),
        ):
            turn = partial(function, folder=folder, **start)
            todo[f"{name}, {mix}"] = unit, turn, turn
    todo["import"] = "s", import_time, import_time
    return todo | parts_of_the_work(options)


def parts_of_the_work(options: argparse.Namespace) -> dict[str, tuple[str, Any, Any]]:
    """Return measurements of decoding and reading, and of decoding at a smaller scale.

    A file has 110 KB, with 500x375 and with 1000x750 pixels.
    """
    folder = common.photographs(options.images)
    large = common.photographs(options.images // 2, (750, 1000), 70)
    fitted = partial(train, fit=SIZE)

    def graph(ours: Graph, theirs: Graph, photographs: Path, turns: int = 1) -> Any:
        turn = partial(speed, folder=str(photographs), batches=turns * options.batches)
        return "images/s", partial(turn, graph=ours), partial(turn, graph=theirs)

    return {
        "train, fit=(224, 224)": graph(fitted, train, folder),
        "train, 1000x750": graph(train, train, large),
        "train, 1000x750, fit": graph(fitted, train, large),
        "decode": graph(decode, decode, folder),
        "decode, 1000x750": graph(decode, decode, large),
        "read": graph(read, read, folder, READS_PER_IMAGE),
    }


def by_turns(todo: Mapping[str, tuple[str, Any, Any]]) -> common.Measurements:
    """Give each turn its library; the other one's turn is None without DALI."""
    ours, theirs = load("penstock"), load_dali()
    return {
        name: (unit, partial(mine, ours), None if theirs is None else partial(other, theirs))
        for name, (unit, mine, other) in todo.items()
    }


def main() -> int:
    """The command line."""
    parser = common.command_line(__doc__)
    parser.add_argument("--data", nargs="+", choices=MIXES, default=MIXES, help="sets to read")
    parser.add_argument("--photographs", type=Path, help="folder of photographs to cut up")
    parser.add_argument("--images", type=int, default=256, help="photographs in a data set")
    parser.add_argument("--batch", type=int, nargs="+", default=[BATCH], help="batch sizes")
    parser.add_argument("--threads", type=int, nargs="+", default=[THREADS], help="worker numbers")
    parser.add_argument("--batches", type=int, default=16, help="batches in a turn")
    return common.main(parser, lambda options: by_turns(measurements(options)))


if __name__ == "__main__":
    sys.exit(main())
