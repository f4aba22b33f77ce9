"""CUDA sources of the operators."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ...engine.batch import Batch
from ...engine.kernels import THREADS, Kernel, blocks_for, descriptors, launch_elements
from ...engine.operator import Array

__all__ = [
    "THREADS",
    "blocks_for",
    "descriptors",
    "kernel",
    "lanes_of",
    "launch_elements",
    "launch_lanes",
    "steps_of_lanes",
]

_FOLDER = Path(__file__).parent
_LANES = {1: 8, 2: 8, 4: 4, 8: 2}  # as `lanes_of` in lanes.cuh


@cache
def kernel(file: str, function: str, **macros: str) -> Kernel:
    """Return a function of `operators/kernels/<file>.cu`, compiled with these macros."""
    return Kernel(_FOLDER / f"{file}.cu", function, tuple(sorted(macros.items())))


def launch_lanes(
    batch: Batch,
    function: Kernel,
    table: Array,
    elements: Array,
    largest: int,
    *arguments: Any,
) -> None:
    """Launch a kernel whose threads handle several elements at once: see lanes.cuh.

    Args:
        batch: whose device to use.
        function: the kernel; its first argument is the table.
        table: descriptors, one a sample.
        elements: of each sample: (count,).
        largest: size in bytes of the largest type.
        arguments: further arguments.
    """
    launch_elements(batch, function, table, steps_of_lanes(elements, largest), *arguments)


def lanes_of(largest: int) -> int:
    """Return how many elements a thread handles at once, by the size of the largest type."""
    return _LANES[largest]


def steps_of_lanes(elements: Array, largest: int, together: int = 1) -> Array:
    """Return how many steps threads take, each with several elements: see `launch_lanes`."""
    groups = np.where(elements, elements // _LANES[largest] + 2, 0)  # some may be cut at the ends
    return -(-groups // together)
