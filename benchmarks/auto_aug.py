"""Automatic augmentation of photographs, on the CPU or the GPU, beside NVIDIA DALI.

Both libraries augment the same photographs, which are decoded before, by the same policies. On the
GPU, these photographs lie in the device's memory, and both libraries read them there without a
copy. "train, ..." is the whole training pipeline there: JPEG files of the natural mix are read,
decoded in random windows, resized to 224x224, augmented, mirrored and normalized. The libraries
take turns in one process. Without DALI, the program prints the figures of Penstock alone.

    python benchmarks/auto_aug.py [--only NAME ...] [--device cpu|gpu] [--photographs FOLDER]
        [--size 375 500] [--files 1024] [--batch 32] [--threads 2] [--rounds 5] [--cpu-time]
        [--json FILE]
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Hashable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from penstock.benchmarks import common, training_gpu
from penstock.benchmarks.looking import Looked, Watched
from penstock.benchmarks.natural_data import data_set
from penstock.benchmarks.training_cpu import WARM_UP_SECONDS, Library, by_turns

Graph = Callable[[Any, Any], Any]
"""Makes the output from the package `auto_aug` and the node of the images."""

TOLERANCE = 0.02
"""By how much sums may differ on the GPU. Autocontrast stretches the levels between the darkest and
the brightest pixel. If the JPEG engine rounds one of these otherwise, all levels change."""

_BATCHES = 16  # whose CPU time is taken
POLICIES = ("image_net", "reduced_image_net", "svhn", "reduced_cifar10")


def _policy(name: str) -> Graph:
    return lambda auto_aug, images: auto_aug["auto_augment"].auto_augment(images, name)


GRAPHS: Mapping[str, Graph] = {
    "no augmentation": lambda auto_aug, images: images,
    **{f"auto_augment {name}": _policy(name) for name in POLICIES},
    "rand_augment n=2": lambda auto_aug, images: auto_aug["rand_augment"].rand_augment(
        images, n=2, m=9
    ),
    "trivial_augment_wide": lambda auto_aug, images: auto_aug[
        "trivial_augment"
    ].trivial_augment_wide(images),
}


def photographs(folder: Path | None, count: int, height: int, width: int) -> list[Any]:
    """Return decoded photographs of one size; those of a folder repeat."""
    folder = folder or common.photographs(count)
    files = sorted(path for path in folder.rglob("*") if path.suffix in (".jpg", ".png"))[:count]
    images = [cv2.resize(np.asarray(cv2.imread(str(file))), (width, height)) for file in files]
    return [np.ascontiguousarray(images[i % len(images)]) for i in range(count)]


def augmented(library: Library, images: Any, graph: Graph) -> Any:
    """Return the output of a graph."""
    modules = {
        name: importlib.import_module(f"{library.name}.auto_aug.{name}")
        for name in ("auto_augment", "rand_augment", "trivial_augment")
    }
    return graph(modules, images)


def alone(library: Library, graph: Graph, images: Any, options: argparse.Namespace) -> Looked:
    """Return the figure of augmentation alone, of a batch on the device: see `figure`."""

    def define() -> Any:
        node = library.fn.external_source(
            source=lambda: images,
            layout="HWC",
            device=options.device,
            no_copy=options.device == "gpu",
        )
        return augmented(library, node, graph)

    return figure(library, define, options, "alone", graph)


def training(library: Library, graph: Graph, folder: str, options: argparse.Namespace) -> Looked:
    """Return the figure of the training pipeline on the GPU: see `figure`."""
    step = partial(augmented, graph=graph)
    return figure(
        library, lambda: training_gpu.train(library, folder, step), options, "train", graph
    )


def figure(
    library: Library, define: Callable[[], Any], options: argparse.Namespace, *key: Hashable
) -> Looked:
    """Return images a second, or with `--cpu-time` the CPU seconds of a thousand images."""
    on_gpu = options.device == "gpu"
    arguments = {
        "batch_size": options.batch,
        "num_threads": options.threads,
        "device_id": 0 if on_gpu else None,
        "seed": 1,
    }
    if library.name != "penstock":  # which needs no conditionals for these policies
        arguments["enable_conditionals"] = True
    make = library.pipeline_def(**arguments)(define)
    watched = Watched((library.name, *key), make, tolerance=TOLERANCE)
    if on_gpu:
        common.run_for(watched.run, WARM_UP_SECONDS)
    if options.cpu_time:
        for _ in range(_BATCHES // 2):
            watched.run()
        before = common.cpu_seconds()
        for _ in range(_BATCHES):
            watched.run()
        result: float = (common.cpu_seconds() - before) * 1000 / (_BATCHES * options.batch)
    else:
        result = common.batches_a_second(watched.run) * options.batch
    return watched.looked(result)


def measurements(options: argparse.Namespace) -> common.Measurements:
    """Return unit, Penstock's turn and DALI's turn by name."""
    images: Any = photographs(options.photographs, options.batch, *options.size)
    trained: dict[str, Any] = {}
    if options.device == "gpu":
        import cupy

        images = cupy.asarray(np.stack(images))  # one array, because DALI copies lists
        folder = str(data_set("natural", options.files, options.photographs))
        turn = partial(training, folder=folder)
        trained = {f"train, {name}": partial(turn, graph=graph) for name, graph in GRAPHS.items()}
    turns = {name: partial(alone, graph=graph, images=images) for name, graph in GRAPHS.items()}
    unit = "s" if options.cpu_time else "images/s"
    return by_turns(
        {
            name: (unit, partial(turn, options=options), partial(turn, options=options))
            for name, turn in (turns | trained).items()
        }
    )


def main() -> int:
    """The command line."""
    parser = common.command_line(__doc__)
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu")
    parser.add_argument("--photographs", type=Path, metavar="FOLDER", help="JPEG and PNG files")
    parser.add_argument(
        "--cpu-time", action="store_true", help="CPU seconds, for machines with other work"
    )
    parser.add_argument("--size", type=int, nargs=2, default=(375, 500), help="height and width")
    parser.add_argument("--files", type=int, default=1024, help="of the natural mix")
    parser.add_argument("--batch", type=int, default=32, help="images in a batch")
    parser.add_argument("--threads", type=int, default=2, help="worker threads")
    return common.main(parser, measurements)


if __name__ == "__main__":
    sys.exit(main())
