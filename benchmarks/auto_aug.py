"""Automatic augmentation of photographs, on the CPU or the GPU, beside NVIDIA DALI.

Both libraries augment the same photographs, which are decoded before, by the same policies. The
libraries take turns in one process. Without DALI, the program prints the figures of Penstock alone.

    python benchmarks/auto_aug.py [--only NAME ...] [--device cpu|gpu] [--photographs FOLDER]
        [--size 375 500] [--batch 32] [--threads 2] [--rounds 5] [--cpu-time] [--json FILE]
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from penstock.benchmarks import common
from penstock.benchmarks.training_cpu import Library, by_turns, close

Graph = Callable[[Any, Any], Any]
"""Makes the output from the package `auto_aug` and the node of the images."""

_BATCHES = 16  # whose CPU time is taken
POLICIES = ("image_net", "reduced_image_net", "svhn", "reduced_cifar10")


def _policy(name: str) -> Graph:
    return lambda auto_aug, images: auto_aug["auto_augment"].auto_augment(images, name)


GRAPHS: Mapping[str, Graph] = {
    "images alone": lambda auto_aug, images: images,
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


def speed(library: Library, graph: Graph, images: list[Any], options: argparse.Namespace) -> float:
    """Return images a second, or with `--cpu-time` the CPU seconds of a thousand images."""
    on_gpu = options.device == "gpu"
    modules = {
        name: importlib.import_module(f"{library.name}.auto_aug.{name}")
        for name in ("auto_augment", "rand_augment", "trivial_augment")
    }

    def define() -> Any:
        node = library.fn.external_source(source=lambda: images, layout="HWC")
        return graph(modules, node.gpu() if on_gpu else node)

    arguments = {
        "batch_size": len(images),
        "num_threads": options.threads,
        "device_id": 0 if on_gpu else None,
        "seed": 1,
    }
    if library.name != "penstock":  # which needs no conditionals for these policies
        arguments["enable_conditionals"] = True
    pipeline = library.pipeline_def(**arguments)(define)()
    pipeline.build()
    if options.cpu_time:
        for _ in range(_BATCHES // 2):
            pipeline.run()
        before = common.cpu_seconds()
        for _ in range(_BATCHES):
            pipeline.run()
        figure = (common.cpu_seconds() - before) * 1000 / (_BATCHES * len(images))
    else:
        figure = common.batches_a_second(pipeline.run) * len(images)
    close(pipeline)
    return figure


def measurements(options: argparse.Namespace) -> common.Measurements:
    """Return unit, Penstock's turn and DALI's turn by name."""
    images = photographs(options.photographs, options.batch, *options.size)
    turns: dict[str, tuple[str, Any, Any]] = {}
    for name, graph in GRAPHS.items():
        turn = partial(speed, graph=graph, images=images, options=options)
        turns[name] = "s" if options.cpu_time else "images/s", turn, turn
    return by_turns(turns)


def main() -> int:
    """The command line."""
    parser = common.command_line(__doc__)
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu")
    parser.add_argument("--photographs", type=Path, metavar="FOLDER", help="JPEG and PNG files")
    parser.add_argument(
        "--cpu-time", action="store_true", help="CPU seconds, for machines with other work"
    )
    parser.add_argument("--size", type=int, nargs=2, default=(375, 500), help="height and width")
    parser.add_argument("--batch", type=int, default=32, help="images in a batch")
    parser.add_argument("--threads", type=int, default=2, help="worker threads")
    return common.main(parser, measurements)


if __name__ == "__main__":
    sys.exit(main())
