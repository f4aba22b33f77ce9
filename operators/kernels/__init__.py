"""Kernels of the operators, and the headers that several families of operators include.

A CUDA source lies beside the module that launches its kernels.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...engine.gpu.kernels import THREADS, Kernel
from ...engine.gpu.launch import blocks_for, launch_elements
from ...engine.gpu.tables import Pointers, StructTable, struct_of, struct_table
from ...engine.graph.context import BatchContext
from ...engine.graph.operator import Array
from ...engine.tensors import address_of

__all__ = [
    "CHUNK",
    "THREADS",
    "Pointers",
    "StructTable",
    "addresses_in",
    "blocks_for",
    "kernel",
    "lanes_of",
    "launch_elements",
    "launch_lanes",
    "steps_of_lanes",
    "struct_of",
    "struct_table",
]

CHUNK = 16  # bytes that kernels copy to and from shared memory together: see staging.cuh
_OPERATORS = Path(__file__).parents[1]
_LANES = {1: 8, 2: 8, 4: 4, 8: 2}
"""Elements that a thread handles together, by the size in bytes of the largest type."""


@cache
def kernel(file: str, function: str, **macros: str | int) -> Kernel:
    """Return a function of `operators/<file>.cu`, such as "color/clahe", with these macros.

    A macro is a text of C++, or a number; a bool is 0 or 1.
    """
    texts = {k: v if isinstance(v, str) else str(int(v)) for k, v in macros.items()}
    return Kernel(_OPERATORS / f"{file}.cu", function, tuple(sorted(texts.items())))


def launch_lanes(
    batch: BatchContext,
    function: Kernel,
    table: StructTable,
    elements: Array,
    largest: int,
    *arguments: object,
) -> None:
    """Launch a kernel whose threads handle LANES elements together: see lanes.cuh.

    Args:
        batch: the batch, on whose device to launch.
        function: the kernel; its first argument is the table.
        table: one struct a sample.
        elements: the number of elements of each sample: (count,).
        largest: size in bytes of the largest type.
        arguments: further arguments.
    """
    launch_elements(batch.device, function, table, steps_of_lanes(elements, largest), *arguments)


def lanes_of(largest: int) -> int:
    """Return the number of elements that a thread handles together: the macro LANES of kernels.

    Args:
        largest: size in bytes of the largest type.
    """
    return _LANES[largest]


def steps_of_lanes(elements: Array, largest: int, together: int = 1) -> Array:
    """Return the number of steps that threads take in each sample: (count,).

    Args:
        elements: the number of elements of each sample: (count,).
        largest: size in bytes of the largest type.
        together: the number of packs of LANES elements in a step.
    """
    packs = np.where(elements, elements // _LANES[largest] + 2, 0)  # the ends may cut two
    return -(-packs // together)


def addresses_in(memory: object, sizes: Array, itemsize: int) -> NDArray[np.uint64]:
    """Return the addresses of consecutive arrays of these sizes in one block of memory."""
    offsets = (np.cumsum(sizes) - sizes) * itemsize
    result: NDArray[np.uint64] = np.uint64(address_of(memory)) + offsets.astype(np.uint64)
    return result
