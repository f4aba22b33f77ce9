"""The resident memory of a process over hundreds of batches of a random pipeline.

The memory may grow while pools and caches fill. After that it must stay flat.
"""

from __future__ import annotations

import resource
from pathlib import Path
from random import Random
from time import monotonic

import cv2
import numpy as np

from penstock import Pipeline, fn
from penstock.engine.errors import PenstockError

from .graph_steps import SHAPES, VALUES

BATCH = 8
WARM_UP, WINDOW, BATCHES = 120, 40, 400
SECONDS = 40
ALLOWED = 24 << 20
"""Bytes of growth that memory allocators cause; a sample of 50 kB lost a batch adds up to 20 MB."""


def case(seed: int) -> None:
    """Run a random pipeline for a while, and compare its memory at the start and at the end."""
    random = Random(seed)
    files = make_images(random)
    settings = {
        "num_threads": random.randint(1, 3),
        "prefetch_queue_depth": random.randint(1, 4),
        "exec_processes": random.random() < 0.1,
        "on_error": random.choice(("raise", "skip", "replace")),
    }
    try:
        with Pipeline(BATCH, seed=seed, **settings) as pipeline:
            encoded, _ = fn.readers.file(files=files, random_shuffle=True)
            node = fn.decoders.image(encoded)
            for _ in range(random.randint(0, 4)):
                node = random.choice((*SHAPES, *VALUES))(node, random)
            pipeline.set_outputs(node)
            growth = growth_of(pipeline)
    except PenstockError:
        return  # the graph is refused: `operator_graphs` looks at refusals
    assert growth <= ALLOWED, f"{growth >> 20} MiB more after {BATCHES} batches with {settings}"


def make_images(random: Random) -> list[str]:
    """Write pictures of several formats and sizes; return their paths."""
    generator = np.random.default_rng(random.randrange(1 << 32))
    paths = []
    for number in range(24):
        size = random.randint(16, 200), random.randint(16, 200), 3
        paths.append(f"{number}{random.choice(('.jpg', '.jpg', '.png', '.webp', '.tiff'))}")
        cv2.imwrite(paths[-1], generator.integers(0, 256, size, np.uint8))
    return paths


def growth_of(pipeline: Pipeline) -> int:
    """Return how much more memory the last batches take than the first after the warm-up."""
    used = []
    until = monotonic() + SECONDS
    while len(used) < BATCHES and monotonic() < until:
        pipeline.run()
        used.append(resident_bytes())
    if len(used) < WARM_UP + 2 * WINDOW:
        return 0  # this machine is too slow for a judgment
    return min(used[-WINDOW:]) - min(used[WARM_UP : WARM_UP + WINDOW])


def resident_bytes() -> int:
    """Return the bytes of this process that lie in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()
