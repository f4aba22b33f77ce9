"""The input pipeline of image classification on the GPU, beside NVIDIA DALI's.

The pipelines are those of `training_cpu.py` with device="mixed", and the same with one more step:
"rotate", "jitter" (colors), "affine", "blur", and "chain" (four steps on colors, one by one).
"TFRecord" is the training pipeline with a file of records in place of class folders. With
--processes the training pipeline runs in several processes at once, a GPU each, without DALI. With
--starts each turn is a new process, which tells how long the training pipeline takes to begin.

    python benchmarks/training_gpu.py [--photographs FOLDER] [--threads 8] [--json FILE]
    python benchmarks/training_gpu.py --starts [--photographs FOLDER] [--threads 8]
    python benchmarks/training_gpu.py --processes 1 2 4 --batches 1500
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from penstock.benchmarks import common, gil
from penstock.benchmarks.looking import Looked, Watched, WrongSamplesError
from penstock.benchmarks.readers_tfrecord import read_records
from penstock.benchmarks.training_cpu import (
    MEAN,
    SIZE,
    STD,
    Library,
    load,
    load_dali,
)

_WARM_UP_SECONDS = 3.0
_LOOKING_SECONDS = 20
_EARLY_SECONDS = 6
_COPIES = 2048  # files in the tree, so that an epoch is long

Reads = Callable[[Library, str], Any]
"""Returns the encoded images, and their labels, of a folder."""


def read_files(library: Library, folder: str) -> Any:
    """Return the encoded files of class folders, and their labels."""
    return library.fn.readers.file(file_root=folder, random_shuffle=True, name="reader")


def read_tfrecord(library: Library, folder: str) -> Any:
    """Return the same files out of a TFRecord file."""
    path = Path(folder) / "records.tfrecord"
    if not path.exists():
        _write_records(path)
    read = read_records(library.name, path, random_shuffle=True, name="reader")
    return read["image"], read["label"]


def _write_records(path: Path) -> None:
    """Write the files of class folders, shuffled, to a TFRecord file with DALI's index."""
    from penstock.tests.readers import tfrecord_files as write  # needs crc32c

    files = sorted(path.parent.rglob("*.jpg"))
    random.Random(0).shuffle(files)
    examples = (
        write.example({"image": file.read_bytes(), "label": i % 8}) for i, file in enumerate(files)
    )
    write.write_index(path.with_suffix(".idx"), write.write_records(path, examples))


def decode(library: Library, folder: str, read: Reads = read_files) -> Any:
    """Return random windows of the images."""
    fn, types = library.fn, library.types
    encoded, labels = read(library, folder)
    return fn.decoders.image_random_crop(encoded, device="mixed", output_type=types.RGB), labels


def unchanged(library: Library, images: Any) -> Any:
    """Return the images."""
    return images


def rotated(library: Library, images: Any) -> Any:
    """Turn images by random angles."""
    angle = library.fn.random.uniform(range=[-30.0, 30.0])
    return library.fn.rotate(images, angle=angle, keep_size=True, fill_value=0)


def jittered(library: Library, images: Any) -> Any:
    """Change the colors of images at random, in one step."""
    uniform = library.fn.random.uniform
    return library.fn.color_twist(
        images,
        brightness=uniform(range=[0.6, 1.4]),
        contrast=uniform(range=[0.6, 1.4]),
        saturation=uniform(range=[0.6, 1.4]),
        hue=uniform(range=[-20.0, 20.0]),
    )


def chained(library: Library, images: Any) -> Any:
    """Change the colors of images at random, in four steps."""
    fn, uniform = library.fn, library.fn.random.uniform
    images = fn.brightness(images, brightness=uniform(range=[0.6, 1.4]))
    images = fn.contrast(images, contrast=uniform(range=[0.6, 1.4]))
    images = fn.saturation(images, saturation=uniform(range=[0.6, 1.4]))
    return fn.hue(images, hue=uniform(range=[-20.0, 20.0]))


def sheared(library: Library, images: Any) -> Any:
    """Warp images by random matrices."""
    fn = library.fn
    angles = fn.random.uniform(range=[-10.0, 10.0], shape=[2])
    return fn.warp_affine(images, fn.transforms.shear(angles=angles), fill_value=0)


def blurred(library: Library, images: Any) -> Any:
    """Blur images at random."""
    sigma = library.fn.random.uniform(range=[0.5, 3.0])
    return library.fn.gaussian_blur(images, sigma=sigma)


def train(
    library: Library,
    folder: str,
    step: Callable[[Library, Any], Any] = unchanged,
    read: Reads = read_files,
) -> Any:
    """Return random windows at one size, mirrored at random and normalized: float32 CHW."""
    fn, types = library.fn, library.types
    images, labels = decode(library, folder, read)
    images = step(library, fn.resize(images, size=SIZE))
    images = fn.crop_mirror_normalize(
        images,
        dtype=types.FLOAT,
        output_layout="CHW",
        mean=MEAN,
        std=STD,
        mirror=fn.random.coin_flip(probability=0.5),
    )
    return images, labels.gpu()


GRAPHS: dict[str, Callable[..., Any]] = {
    "train": train,
    "TFRecord": partial(train, read=read_tfrecord),
    "decode": decode,
    "rotate": partial(train, step=rotated),
    "jitter": partial(train, step=jittered),
    "affine": partial(train, step=sheared),
    "blur": partial(train, step=blurred),
    "chain": partial(train, step=chained),
}


def pipeline(
    library: Library, graph: Callable[..., Any], folder: str, batch: int, threads: int, gpu: int = 0
) -> Any:
    """Return a pipeline."""
    define = library.pipeline_def(
        batch_size=batch, num_threads=threads, device_id=gpu, seed=1, prefetch_queue_depth=3
    )
    return define(lambda: graph(library, folder))()


def speed(
    library: Library,
    graph: Callable[..., Any],
    folder: str,
    batch: int,
    threads: int,
    batches: int,
    gpu: int = 0,
    stats: bool = False,
) -> Looked:
    """Return images a second of a pipeline after a warm-up."""
    key = library.name, graph, folder, batch, threads, gpu
    watched = Watched(key, partial(pipeline, library, graph, folder, batch, threads, gpu))
    common.run_for(watched.run, _WARM_UP_SECONDS)
    started = time.perf_counter()
    for _ in range(batches):
        watched.run()
    seconds = time.perf_counter() - started
    if stats and hasattr(watched.pipeline, "stats"):
        print(watched.pipeline.stats())
    return watched.looked(batches * batch / seconds)


def python_time(folder: str, batch: int, threads: int) -> float:
    """Return the microseconds for which the training pipeline's process holds the GIL, an image."""
    pipe = pipeline(load("penstock"), train, folder, batch, threads)
    pipe.build()
    common.run_for(pipe.run, _WARM_UP_SECONDS)
    batches, started = 0, time.perf_counter()

    def run() -> None:
        nonlocal batches
        pipe.run()
        batches += 1

    part = sum(gil.held(run, _LOOKING_SECONDS).values())
    seconds = time.perf_counter() - started
    pipe.close()
    return part * seconds / (batches * batch) * 1e6


def tree(photographs: Path | None, folder: str) -> str:
    """Return class folders with many photographs: copies of those in a folder, or drawn ones."""
    if photographs is None:
        return str(common.photographs(512))
    images = (path for path in photographs.rglob("*.*") if path.suffix != ".json")
    files = sorted(path for path in images if path.is_file() and path.stat().st_size)
    for i in range(_COPIES):
        class_folder = Path(folder) / f"class{i % 8}"
        class_folder.mkdir(exist_ok=True)
        (class_folder / f"{i:05}.jpg").write_bytes(files[i % len(files)].read_bytes())
    return folder


@dataclass(frozen=True)
class Scaled:
    """The training pipeline in several processes at once, a GPU each.

    Attributes:
        name: text with the number of GPUs.
        gpus: number of GPUs and of processes.
        images: images a second of all processes together.
        of_one: rate of one GPU, divided by the rate of one GPU in the smallest run.
        compared, wrong: samples that were compared with the same samples alone, and those that
            differ.
    """

    name: str
    gpus: int
    images: float
    of_one: float
    compared: int
    wrong: int


def print_start(name: str, folder: str, batch: int, threads: int) -> None:
    """Print how long a pipeline takes from the library's import to its first batch; images a second
    in the first `_EARLY_SECONDS`; then the samples compared, and those wrong."""
    started = time.perf_counter()
    make = partial(pipeline, load(name), train, folder, batch, threads)
    watched = Watched(f"start of {name}", make)
    outputs = watched.pipeline.run()
    first = time.perf_counter() - started
    watched.look(outputs)  # now, because the first look compiles a kernel
    del outputs
    batches = 1 + common.run_for(watched.run, started + _EARLY_SECONDS - time.perf_counter())
    rate = batches * batch / (time.perf_counter() - started)
    print(first, *watched.looked(rate)[:3])


def measure_starts(folder: str, options: argparse.Namespace) -> list[common.Figure]:
    """Start each library in new processes, by turns: with compiled kernels on disk, and without."""
    names = ["penstock"] if load_dali() is None else ["penstock", "nvidia.dali"]
    turns: dict[tuple[str, bool], list[list[Looked]]] = defaultdict(list)
    for _ in range(options.rounds):
        for name, are_compiled in product(names, (True, False)):
            command = [sys.executable, __file__, "--start", name, "--folder", folder]
            command += ["--batch", str(options.batch), "--threads", str(options.threads[0])]
            with tempfile.TemporaryDirectory() as empty:
                cache = {} if are_compiled else {"CUPY_CACHE_DIR": empty}
                printed = subprocess.run(
                    command, check=True, stdout=subprocess.PIPE, text=True, env=os.environ | cache
                ).stdout
            first, rate, *counts = printed.split()[-4:]
            turns[name, are_compiled].append(
                [Looked(float(word), *map(int, counts)) for word in (first, rate)]
            )
    figures = []
    common.print_header()
    # Without kernels on disk, the look at the first batch compiles one, so no rate follows.
    for are_compiled, i in ((True, 0), (True, 1), (False, 0)):
        what = ("first batch, with import", f"first {_EARLY_SECONDS} seconds, with import")[i]
        seen = [[turn[i] for turn in turns[name, are_compiled]] for name in names]
        title = what if are_compiled else f"{what}, no kernel compiled"
        unit = ("s", "images/s")[i]
        figures.append(common.figure_of(title, unit, *seen, *[()] * (2 - len(names))))
        common.print_figure(figures[-1])
    return figures


def scale(counts: list[int], arguments: list[str]) -> list[Scaled]:
    """Run the training pipeline in each number of processes at once, a GPU each."""
    alone = 0.0
    figures = []
    for count in counts:
        command = [sys.executable, __file__, *arguments, "--gpu"]
        running = [
            subprocess.Popen([*command, str(gpu)], stdout=subprocess.PIPE, text=True)
            for gpu in range(count)
        ]
        printed = [process.communicate()[0].split() for process in running]
        if any(process.returncode for process in running):
            raise WrongSamplesError(f"one of {count} processes has failed, so there is no figure")
        rate = sum(float(words[-3]) for words in printed)
        compared, wrong = (sum(int(words[i]) for words in printed) for i in (-2, -1))
        alone = alone or rate / count
        of_one = rate / count / alone
        figures.append(Scaled(f"train, {count} GPUs", count, rate, of_one, compared, wrong))
        print(
            f"{count} GPUs: {rate:9.0f} images/s; each {of_one:.2f} of one"
            f"{common.seen(compared, wrong)}",
            flush=True,
        )
    return figures


def main() -> int:
    """The command line."""
    parser = common.command_line(__doc__, rounds=3)
    parser.add_argument("--photographs", type=Path, metavar="FOLDER", help="JPEG files to use")
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--threads", type=int, nargs="+", default=[8])
    parser.add_argument("--batches", type=int, default=300, help="batches in a turn")
    parser.add_argument("--processes", type=int, nargs="+", metavar="N")
    parser.add_argument("--gpu", type=int, help="print the speed on this GPU alone")
    parser.add_argument("--starts", action="store_true", help="measure how pipelines start")
    parser.add_argument("--start", metavar="LIBRARY", help="print how this library starts")
    parser.add_argument("--folder", help="of class folders, for --start")
    parser.add_argument("--stats", action="store_true", help="show where the time went")
    options = parser.parse_args()
    if options.start:
        print_start(options.start, options.folder, options.batch, options.threads[0])
        return 0
    ours = load("penstock")
    with tempfile.TemporaryDirectory() as temporary:
        folder = tree(options.photographs, temporary)
        turn = partial(
            speed, folder=folder, batch=options.batch, batches=options.batches, stats=options.stats
        )
        if options.gpu is not None:
            print(*turn(ours, train, threads=options.threads[0], gpu=options.gpu)[:3])
            return 0
        if options.processes:
            given = ["--photographs", str(options.photographs)] if options.photographs else []
            given += ["--threads", str(options.threads[0]), "--batches", str(options.batches)]
            common.record(options, scale(options.processes, given))
            return 0
        if options.starts:
            common.record(options, measure_starts(folder, options))
            return 0
        theirs = load_dali()
        offered: dict[str, tuple[str, common.Turn, common.Turn | None]] = {
            f"{name}, {threads} threads": (
                "images/s",
                partial(turn, ours, graph, threads=threads),
                None if theirs is None else partial(turn, theirs, graph, threads=threads),
            )
            for name, graph in GRAPHS.items()
            for threads in options.threads
        }
        if gil.py_spy():
            held = partial(python_time, folder, options.batch, options.threads[0])
            offered["GIL held, a sample"] = "us", held, None
        return common.main(parser, lambda _: offered)


if __name__ == "__main__":
    sys.exit(main())
