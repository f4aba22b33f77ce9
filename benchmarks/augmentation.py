"""The operators that augment images, on the CPU, beside NVIDIA DALI's.

Both libraries apply one operator to the same photographs, which are decoded before. The libraries
take turns in one process. Without DALI, the program prints the figures of Penstock alone.

    python benchmarks/augmentation.py [--only NAME ...] [--size 375 500] [--batch 32] [--threads 2]
        [--rounds 5] [--json FILE]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import cv2
import numpy as np

from penstock.benchmarks import common
from penstock.benchmarks.looking import Looked, Watched
from penstock.benchmarks.training_cpu import Library, by_turns

Graph = Callable[[Any, Any, Any], Any]
"""Makes the output from `fn`, `types` and the node of the images."""

JITTER = {"hue": 20.0, "saturation": 1.4, "brightness": 1.2, "contrast": 0.7}

GRAPHS: Mapping[str, Graph] = {
    "images alone": lambda fn, types, images: images,
    "brightness_contrast": lambda fn, types, images: fn.brightness_contrast(
        images, brightness=1.2, contrast=0.8
    ),
    "hsv": lambda fn, types, images: fn.hsv(images, hue=20.0, saturation=0.8),
    "color_twist": lambda fn, types, images: fn.color_twist(images, **JITTER),
    "color_twist to float": lambda fn, types, images: fn.color_twist(
        images, dtype=types.FLOAT, **JITTER
    ),
    "to YCbCr": lambda fn, types, images: fn.color_space_conversion(
        images, image_type=types.RGB, output_type=types.YCbCr
    ),
    "equalize": lambda fn, types, images: fn.equalize(images),
    "clahe": lambda fn, types, images: fn.clahe(images, tiles_x=8, tiles_y=8, clip_limit=2.0),
    "gaussian_blur 0.8": lambda fn, types, images: fn.gaussian_blur(images, sigma=0.8),
    "gaussian_blur 3": lambda fn, types, images: fn.gaussian_blur(images, sigma=3.0),
    "jpeg distortion": lambda fn, types, images: fn.jpeg_compression_distortion(images),
    "erase": lambda fn, types, images: fn.erase(images, anchor=(50.0, 60.0), shape=(90.0, 90.0)),
    "grid_mask": lambda fn, types, images: fn.grid_mask(images, tile=50, angle=0.3),
    "noise.gaussian": lambda fn, types, images: fn.noise.gaussian(images, stddev=20.0),
    "noise.shot": lambda fn, types, images: fn.noise.shot(images, factor=10.0),
    "noise.salt_and_pepper": lambda fn, types, images: fn.noise.salt_and_pepper(images),
    "reductions.mean": lambda fn, types, images: fn.reductions.mean(images, axis_names="HW"),
    "reductions.max": lambda fn, types, images: fn.reductions.max(images, axis_names="HW"),
}


def photographs(count: int, height: int, width: int) -> list[Any]:
    """Return decoded photographs."""
    folder = common.photographs(count)
    files = sorted(folder.rglob("*.jpg"))[:count]
    return [cv2.resize(np.asarray(cv2.imread(str(file))), (width, height)) for file in files]


def speed(library: Library, graph: Graph, images: list[Any], threads: int) -> Looked:
    """Return images a second."""
    options = {"batch_size": len(images), "num_threads": threads, "device_id": None, "seed": 1}

    def define() -> Any:
        node = library.fn.external_source(source=lambda: images, layout="HWC")
        return graph(library.fn, library.types, node)

    watched = Watched((library.name, graph), library.pipeline_def(**options)(define))
    return watched.looked(common.batches_a_second(watched.run) * len(images))


def measurements(options: argparse.Namespace) -> common.Measurements:
    """Return unit, Penstock's turn and DALI's turn by name."""
    images = [np.ascontiguousarray(i) for i in photographs(options.batch, *options.size)]
    turns: dict[str, tuple[str, Any, Any]] = {}
    for name, graph in GRAPHS.items():
        turn = partial(speed, graph=graph, images=images, threads=options.threads)
        turns[name] = "images/s", turn, turn
    return by_turns(turns)


def main() -> int:
    """The command line."""
    parser = common.command_line(__doc__)
    parser.add_argument("--size", type=int, nargs=2, default=(375, 500), help="height and width")
    parser.add_argument("--batch", type=int, default=32, help="images in a batch")
    parser.add_argument("--threads", type=int, default=2, help="worker threads")
    return common.main(parser, measurements)


if __name__ == "__main__":
    sys.exit(main())
