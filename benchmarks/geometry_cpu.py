"""How fast operators that move pixels run on the CPU: photographs, sequences and volumes.

Penstock and DALI take turns on the same arrays, which are in memory before.

    python benchmarks/geometry_cpu.py [--threads 2] [--only NAME ...] [--json FILE] [--rounds 5]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from penstock.benchmarks import common
from penstock.benchmarks.looking import Looked, Watched
from penstock.benchmarks.training_cpu import Library, by_turns

BATCH = 32
PHOTO, FRAMES, VOLUME = (375, 500, 3), (8, 180, 240, 3), (48, 64, 64, 1)


class Case(NamedTuple):
    """One operator at work.

    Attributes:
        shape, layout: of a sample; its dtype is uint8.
        operator: called with `fn` and the samples' node; returns the results' node.
    """

    shape: tuple[int, ...]
    layout: str
    operator: Callable[[Any, Any], Any]


def turned(fn: Any, images: Any) -> Any:
    """Return images under a rotation by a random angle and scale about their centers."""
    angle = fn.random.uniform(range=(-30.0, 30.0))
    matrix = fn.transforms.rotation(angle=angle, center=(250.0, 187.5))
    scale = fn.random.uniform(range=(0.8, 1.25), shape=(2,))
    matrix = fn.transforms.scale(matrix, scale=scale, center=(250.0, 187.5))
    return fn.warp_affine(images, matrix, fill_value=0)


def turned_frames(fn: Any, videos: Any) -> Any:
    """Return videos whose frames turn by random angles."""
    angles = fn.random.uniform(range=(-30.0, 30.0), shape=(FRAMES[0],))
    return fn.rotate(videos, angle=fn.per_frame(angles), keep_size=True, fill_value=0)


CASES = {
    "warp_affine": Case(PHOTO, "HWC", turned),
    "rotate": Case(
        PHOTO, "HWC", lambda fn, images: fn.rotate(images, angle=20.0, keep_size=True, fill_value=0)
    ),
    "rotate, each frame": Case(FRAMES, "FHWC", turned_frames),
    "rotate, volumes": Case(
        VOLUME,
        "DHWC",
        lambda fn, volumes: fn.rotate(
            volumes, angle=20.0, axis=(1.0, 2.0, 3.0), keep_size=True, fill_value=0
        ),
    ),
    "coord_transform": Case(
        PHOTO, "HWC", lambda fn, images: fn.coord_transform(images, M=(0.3, 0.6, 0.1) * 3)
    ),
}


def samples_of(case: Case) -> Sequence[Any]:
    """Return smooth samples: a gradient with waves."""
    steps = np.indices(case.shape).sum(axis=0)
    return [((np.sin(steps / (5 + i % 7)) + 1) * 127).astype(np.uint8) for i in range(BATCH)]


def speed(library: Library, case: Case, threads: int) -> Looked:
    """Return samples a second."""
    samples = samples_of(case)
    define = library.pipeline_def(
        batch_size=BATCH, num_threads=threads, device_id=None, seed=1, prefetch_queue_depth=2
    )

    def results() -> Any:
        source = library.fn.external_source(source=lambda: samples, layout=case.layout)
        return case.operator(library.fn, source)

    watched = Watched((library.name, case), define(results))
    return watched.looked(common.batches_a_second(watched.run) * BATCH)


def main() -> int:
    """The command line."""
    parser = common.command_line(__doc__)
    parser.add_argument("--threads", type=int, default=2, help="workers of each library")

    def offered(options: argparse.Namespace) -> common.Measurements:
        turns = {
            name: partial(speed, case=case, threads=options.threads) for name, case in CASES.items()
        }
        return by_turns({name: ("samples/s", turn, turn) for name, turn in turns.items()})

    return common.main(parser, offered)


if __name__ == "__main__":
    sys.exit(main())
